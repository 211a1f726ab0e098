"""Keeps the audit log from being filled by one refusal that is asked for again and again."""

import math
from collections import OrderedDict
from typing import Final


class RecentRefusals:
    """Which refusals were written a moment ago: the same one again is not, so that nobody can fill the log."""

    SECONDS: Final = 60
    MOST: Final = 10_000

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str | None, ...], float] = OrderedDict()

    def is_new(self, key: tuple[str | None, ...], now: float) -> bool:
        """Return whether a refusal is to be written, and take it for written. `now` is in seconds."""
        written = self._seen.pop(key, -math.inf)
        is_new = written + self.SECONDS <= now
        self._seen[key] = now if is_new else written
        if len(self._seen) > self.MOST:
            self._seen.popitem(last=False)
        return is_new
