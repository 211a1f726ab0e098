"""A bottom-up chart parser (CKY over words, with rules of any length) that keeps a beam in each cell.

A cell is a span of words. It holds *constituents*, each a category with a piece, and *states*: beginnings of rules that
wait for what is to follow. Constituents with the same piece are one; the better scored is kept.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from resolvers.engines.nl2sql.chart.binding import Ground
from resolvers.engines.nl2sql.chart.lattice import Segment
from resolvers.engines.nl2sql.chart.rules import Grammar, Node, Rule, is_named

BEAM: Final = 6
"""Constituents of one category that a cell keeps."""
MOST_STATES: Final = 8
"""States at one place of one rule that a cell keeps."""


class Constituent(NamedTuple):
    """Words that one category spans, with what they stand for and how they were derived."""

    category: str
    piece: Any
    score: float
    features: Mapping[str, float]
    """Those that it adds itself."""
    parts: tuple["Constituent", ...] = ()

    def all_features(self) -> dict[str, float]:
        """The features of the whole derivation."""
        found: dict[str, float] = {}
        waiting = [self]
        while waiting:
            one = waiting.pop()
            for name, value in one.features.items():
                found[name] = found.get(name, 0.0) + value
            waiting += one.parts
        return found


class State(NamedTuple):
    """The beginning of a rule."""

    node: Node
    parts: tuple[Constituent, ...]
    score: float


@dataclass(slots=True)
class Cell:
    """What spans some words."""

    constituents: dict[str, list[Constituent]]
    states: list[State]


class Chart:
    """The parse of one question."""

    def __init__(
        self, size: int, segments: Sequence[Segment], grammar: Grammar, ground: Ground, weights: Mapping[str, float]
    ) -> None:
        self.size, self.grammar, self.ground, self.weights = size, grammar, ground, weights
        self.cells: dict[tuple[int, int], Cell] = {}
        self._at: dict[tuple[int, int], list[Segment]] = {}
        for one in segments:
            self._at.setdefault((one.first, one.last), []).append(one)

    def parse(self) -> "Chart":
        """Fill all cells, the shorter spans first."""
        for last in range(1, self.size + 1):
            for first in range(last - 1, -1, -1):
                cell = self._cell(first, last)
                if cell.constituents or cell.states:
                    self.cells[first, last] = cell
        return self

    def goals(self, category: str) -> Iterator[tuple[int, Constituent]]:
        """The constituents of a category that end with the question, with the word that each begins with."""
        for first in range(self.size):
            cell = self.cells.get((first, self.size))
            for one in cell.constituents.get(category, ()) if cell is not None else ():
                yield first, one

    def score(self, features: Mapping[str, float]) -> float:
        """The log-linear score of features."""
        weights = self.weights
        return sum([weights.get(name, 0.0) * value for name, value in features.items()])

    def _cell(self, first: int, last: int) -> Cell:
        found: dict[str, dict[Any, Constituent]] = {}
        waiting: list[Constituent] = []
        for leaf in self._at.get((first, last), ()):
            self._add(found, waiting, Constituent(leaf.category, leaf.piece, self.score(leaf.features), leaf.features))
        states: list[State] = []
        for middle in range(first + 1, last):
            left, right = self.cells.get((first, middle)), self.cells.get((middle, last))
            if left is None or right is None or not left.states:
                continue
            for state in left.states:
                children = state.node.children
                for category in children.keys() & right.constituents.keys():
                    for one in right.constituents[category]:
                        self._go_on(state, category, one, found, waiting, states)
        while waiting:
            one = waiting.pop()
            if found[one.category].get(one.piece) is one and one.category in self.grammar.root.children:
                for rule in self.grammar.root.children[one.category].rules:
                    self._complete(rule, (one,), one.score, found, waiting)
        kept = {category: sorted(ones.values(), key=lambda one: -one.score)[:BEAM] for category, ones in found.items()}
        root = self.grammar.root
        for category, ones in kept.items():
            node = root.children.get(category)
            if node is not None and node.children:
                states += [State(node, (one,), one.score) for one in ones]
        return Cell(kept, _best(states))

    def _go_on(
        self,
        state: State,
        category: str,
        one: Constituent,
        found: dict[str, dict[Any, Constituent]],
        waiting: list[Constituent],
        states: list[State],
    ) -> None:
        node, parts, score = state.node.children[category], (*state.parts, one), state.score + one.score
        for rule in node.rules:
            self._complete(rule, parts, score, found, waiting)
        if node.children:
            states.append(State(node, parts, score))

    def _complete(
        self,
        rule: Rule,
        parts: tuple[Constituent, ...],
        score: float,
        found: dict[str, dict[Any, Constituent]],
        waiting: list[Constituent],
    ) -> None:
        pieces = tuple([one.piece for one in parts if is_named(one.category)])
        for piece, features in rule.built(self.ground, pieces):
            added = {**features}
            for name, value in rule.features.items():
                added[name] = added.get(name, 0.0) + value
            self._add(found, waiting, Constituent(rule.makes, piece, score + self.score(added), added, parts))

    @staticmethod
    def _add(found: dict[str, dict[Any, Constituent]], waiting: list[Constituent], one: Constituent) -> None:
        ones = found.setdefault(one.category, {})
        known = ones.get(one.piece)
        if known is None or known.score < one.score:
            ones[one.piece] = one
            waiting.append(one)


def _best(states: list[State]) -> list[State]:
    """The best states at each place of the rules."""
    by_node: dict[int, list[State]] = {}
    for one in states:
        by_node.setdefault(id(one.node), []).append(one)
    return [
        one
        for of in by_node.values()
        for one in (sorted(of, key=lambda state: -state.score)[:MOST_STATES] if len(of) > MOST_STATES else of)
    ]
