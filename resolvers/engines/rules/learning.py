"""The rows that rules are learned from: without what looks wrong, and in two halves."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from resolvers.engines.error_detection.dependencies import Dependency, find_dependencies
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Suspect
from resolvers.engines.error_detection.formula_fits import FittedFormula, find_formulas
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.table import TableColumn, encode
from schema.data_readiness.source import Sample

RARE: Final = 0.1
"""The share of values up to which what stands for no value was put there by mistake."""


@dataclass(slots=True)
class CleanValues:
    """The values of one column that look right and stand for no missing one, by half."""

    column: TableColumn
    suspects: frozenset[int]
    """The rows whose cell looks wrong."""
    halves: tuple[list[str], list[str]]
    stand_ins: frozenset[str] = frozenset()
    """What the column writes for a missing value, where that does not look wrong itself."""

    @property
    def all(self) -> list[str]:
        """The values of both halves."""
        return [*self.halves[0], *self.halves[1]]

    def without(self, bad: Collection[str]) -> "CleanValues":
        """The values without some that are mistakes, and without what stands for no value but rarely.

        A stand-in that a tenth of the rows have belongs to how the column is kept. One that looks like half of the
        values, as TBA among codes of three letters, is one of them.
        """
        column = self.column
        shapes = Counter(_shape(text) for text in self.all)
        codes_too = {text for text in self.stand_ins if shapes[_shape(text)] >= 0.5 * max(1, len(self.all))}
        stand_ins = self.stand_ins - codes_too
        number = dict(zip(column.texts, column.counts, strict=True))
        few = sum(number[text] for text in stand_ins) <= RARE * max(1, column.present)
        gone = {*bad, *(stand_ins if few else ())}
        codes = {code for code in range(1, len(column.texts)) if column.texts[code] in gone}
        rows = frozenset(row for row, code in enumerate(column.codes) if code in codes)
        first, second = ([text for text in half if text not in gone] for half in self.halves)
        # They were set apart when the halves were made.
        for row, code in enumerate(column.codes):
            if code and column.texts[code] in codes_too and row not in self.suspects:
                (first, second)[row % 2].append(column.texts[code])
        return CleanValues(column, self.suspects | rows, (first, second), frozenset() if few else stand_ins)

    @property
    def counts(self) -> Counter[str]:
        """Return how often each occurs."""
        return Counter(self.all)


def _shape(text: str) -> str:
    """How a text is written, sign by sign."""
    return "".join("9" if one.isdigit() else "A" if one.isupper() else "a" if one.isalpha() else one for one in text)


@dataclass
class Learned:
    """A sample of a table, with what looks wrong in it."""

    sample: Sample
    suspects: Sequence[Suspect] = ()
    _by_name: dict[str, CleanValues] = field(default_factory=dict)

    @cached_property
    def table(self) -> list[TableColumn]:
        """The columns, encoded."""
        return encode(self.sample.columns, self.sample.rows)

    @cached_property
    def dependencies(self) -> list[Dependency]:
        """The dependencies between columns, leaving out what looks wrong."""
        doubtful: list[set[int]] = [set() for _ in self.table]
        places = {column.name: column.index for column in self.table}
        seen: dict[tuple[int, int], int] = defaultdict(int)
        for one in self.suspects:
            at = places[one.column]
            seen[(at, self.table[at].codes[one.row])] += 1
        for (at, code), count in seen.items():
            if 2 * count > self.table[at].counts[code]:
                doubtful[at].add(code)
        return find_dependencies(self.table, doubtful)

    @cached_property
    def formulas(self) -> list[FittedFormula]:
        """Return what columns are worked out of others by."""
        return find_formulas(self.table)

    def values(self, name: str) -> CleanValues | None:
        """The values of a column that are there and look right."""
        if name in self._by_name:
            return self._by_name[name]
        column = next((one for one in self.table if one.name == name), None)
        if column is None or not column.is_scalar:
            return None
        odd = frozenset(one.row for one in self.suspects if one.column == name)
        usual = {code for code in range(1, len(column.texts)) if is_stand_in(column.texts[code])}
        seen: set[str] = set()
        halves: tuple[list[str], list[str]] = ([], [])
        for row, code in enumerate(column.codes):
            if code and row not in odd:
                if code in usual:
                    seen.add(column.texts[code])
                else:
                    halves[row % 2].append(column.texts[code])
        self._by_name[name] = CleanValues(column, odd, halves, frozenset(seen))
        return self._by_name[name]

    def odd_rows(self, names: Iterable[str]) -> frozenset[int]:
        """The rows of which a cell of these columns looks wrong."""
        wanted = set(names)
        return frozenset(one.row for one in self.suspects if one.column in wanted)


def learn(sample: Sample) -> Learned:
    """A sample with what the detector finds in it."""
    found = find_errors(sample.columns, sample.rows, in_order=sample.in_order) if sample.rows else []
    return Learned(sample, tuple(found))
