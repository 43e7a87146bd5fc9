"""A progress bar on a terminal; silent elsewhere."""

import sys

WIDTH = 30


class Progress:
    """How far something long has got."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = max(1, total)
        self._done = 0
        self._shown = -1
        self._on = bool(label) and sys.stderr.isatty()

    def step(self, by: int = 1) -> None:
        self._done += by
        per_cent = min(100, self._done * 100 // self._total)
        if self._on and per_cent != self._shown:
            self._shown = per_cent
            bar = "#" * (per_cent * WIDTH // 100)
            sys.stderr.write(f"\r\x1b[K[{bar:<{WIDTH}}] {per_cent:3d} %  {self._label}")
            sys.stderr.flush()

    def close(self) -> None:
        if self._on and self._shown >= 0:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
