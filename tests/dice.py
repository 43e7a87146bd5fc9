"""The seed of a random test: the same in every check, another one in each `make explore`."""

import os
import random


def seed() -> int:
    """Return the seed; whoever uses it says it when the test fails."""
    return random.SystemRandom().randrange(1 << 31) if os.environ.get("PALAVER_EXAMPLES") == "explore" else 1
