"""The same examples in every run: a red check is the change's own fault. `make explore` tries new ones."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("PALAVER_EXAMPLES", "same"))
