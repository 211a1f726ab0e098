"""Keeps one thing that happens again and again from being written each time."""

import math
from collections import OrderedDict
from typing import Final


class Recently:
    """What this process has written within some seconds: the same again is not, so that nobody can fill the store."""

    MOST: Final = 10_000

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._seen: OrderedDict[tuple[str | None, ...], float] = OrderedDict()

    def is_new(self, key: tuple[str | None, ...], now: float) -> bool:
        """Return whether something is to be written, and take it for written. `now` is in seconds."""
        written = self._seen.pop(key, -math.inf)
        is_new = written + self._seconds <= now
        self._seen[key] = now if is_new else written
        if len(self._seen) > self.MOST:
            self._seen.popitem(last=False)
        return is_new
