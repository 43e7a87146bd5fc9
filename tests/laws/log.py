"""The laws of a log: what every backend obeys. A backend's test is a subclass that makes its log."""

from tests.laws.anchors import AnchorLaws
from tests.laws.reading import ReadingLaws
from tests.laws.writing import WritingLaws


class LogContract(WritingLaws, ReadingLaws, AnchorLaws):
    """All laws; a backend that keeps them is a log."""
