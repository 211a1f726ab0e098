"""The lengths of texts that come in parts, and how many of them are blank."""

from typing import Any

from resolvers.engines.profiling.values import BLANKS


class Lengths:
    """Told Arrow arrays of strings, one after the other; nulls are passed over."""

    def __init__(self) -> None:
        self._ends: tuple[int, int] | None = None
        self._total = 0
        self._blanks = 0

    def add(self, texts: Any, counts: Any = None) -> None:
        """Take in an array; `counts` tells how often each of its texts stands for one, when not once."""
        import numpy as np
        import pyarrow
        import pyarrow.compute as compute

        if len(texts) == texts.null_count:
            return
        _, offsets, data = texts.buffers()
        places = np.frombuffer(offsets, np.int32, len(texts) + 1, texts.offset * 4)
        lengths = np.diff(places)
        # Every blank comes before the exclamation mark. An empty text may have any sign at its place.
        perhaps = lengths == 0
        if data is not None and data.size:
            perhaps |= np.frombuffer(data, np.uint8).take(places[:-1], mode="clip") < ord("!")
            if not data.to_pybytes().isascii():
                lengths = compute.utf8_length(texts).fill_null(0).to_numpy()
        times = None if counts is None else counts.to_numpy()
        if texts.null_count:
            there = texts.is_valid().to_numpy(zero_copy_only=False)
            perhaps &= there
            lengths, times = lengths[there], None if times is None else times[there]
        known = self._ends or (lengths[0], lengths[0])
        self._ends = min(known[0], lengths.min()), max(known[1], lengths.max())
        self._total += int(lengths.sum(dtype=np.int64) if times is None else lengths @ times)
        if perhaps.any():
            chosen = pyarrow.array(perhaps)
            blank = compute.equal(compute.utf8_trim(texts.filter(chosen), characters=BLANKS), "")
            self._blanks += compute.sum(blank if counts is None else counts.filter(chosen).filter(blank)).as_py() or 0

    def figures(self) -> dict[str, float | None]:
        """In characters: the least and the greatest length, and all together; and how many texts are blank."""
        told: dict[str, float | None] = {"min_length": None, "max_length": None, "total_length": None}
        if self._ends is not None:
            told = {"min_length": int(self._ends[0]), "max_length": int(self._ends[1]), "total_length": self._total}
        return {**told, "blanks": self._blanks}
