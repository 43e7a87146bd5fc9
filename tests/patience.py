"""How long a test waits for what must come. Nothing is decided by it but that something hangs."""

from typing import Final

#: Seconds. What is waited for comes at once on a quiet machine; on a busy one it comes all the same.
PATIENCE: Final = 120.0
