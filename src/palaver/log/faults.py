"""What the disk says, as a refusal.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.model.errors import StorageFailed


def storage_failed(fault: OSError, path: str) -> StorageFailed:
    """Return the refusal for a fault of the disk."""
    return StorageFailed(
        f"cannot use {fault.filename or path}",
        fault.strerror or str(fault),
        "nothing was written; mend it and try again",
    )
