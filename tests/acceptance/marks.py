"""How a law is marked that the product does not keep yet."""

import pytest


def unmet(today: str) -> pytest.MarkDecorator:
    """Return the mark of an expected failure; `today` says what happens instead of the law."""
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=today)
