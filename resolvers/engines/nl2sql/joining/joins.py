"""Defines which way tables are joined: the cheapest tree of keys that connects them.

What people noted goes before what the source declares, that before what profiling found, and that before what only
names speak for. Where two ways are as good, nobody guesses: `Ambiguous` names the choices, each as pairs for
`Plan.via`.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import inf
from typing import Any, Final, NamedTuple

from resolvers.engines.nl2sql.joining.keys import KeyFinder
from resolvers.engines.nl2sql.joining.ties import Key, KeyOrigin
from resolvers.engines.nl2sql.model import Knowledge
from resolvers.engines.nl2sql.plan import Column

MOST_STEPS: Final = 6
"""How many keys lie between two tables at most."""
MOST_KEPT: Final = 2_000
"""How many ways between tables are kept for the next time that they are looked for."""
AS_GOOD: Final = 0.02
"""Ways whose costs differ by no more than this are as good as one another."""
OVER_A_PARENT: Final = 1.5
"""What it costs more to go over a table that both sides refer to: that two rows share a country ties them loosely."""

Prefer = Callable[[Key], float]
"""How well a key fits the words of the question; 0 for not at all."""
Way = tuple[tuple[Column, Column], ...]
"""Pairs of columns to join by, as in `Plan.via`."""


class Use(NamedTuple):
    """A table as it stands in a query; `instance` tells uses of one table apart."""

    table: str
    instance: int = 0


@dataclass(frozen=True, slots=True)
class JoinStep:
    """One join: from a use that is there already to the next one."""

    near: Use
    far: Use
    key: Key
    forward: bool
    """Whether the near side refers to the far one."""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The columns that are equal, near and far."""
        return self.key.pairs if self.forward else tuple((to, of) for of, to in self.key.pairs)


@dataclass(frozen=True, slots=True)
class Tree:
    """Holds how uses of tables are joined, in an order in which each link begins at what is there."""

    root: Use
    links: tuple[JoinStep, ...] = ()

    @property
    def uses(self) -> tuple[Use, ...]:
        """All that stands in FROM."""
        return (self.root, *(link.far for link in self.links))


class Unjoinable(Exception):
    """Tables that a query needs cannot be joined as it stands. The message is a sentence for whoever asked."""


class NotConnected(Unjoinable):
    """No keys lead from one table to the other."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"Nothing says how {one} and {other} belong together. Note it as a memory of type join.")
        self.tables = (one, other)


class Ambiguous(Unjoinable):
    """Several ways are as good."""

    def __init__(self, one: str, other: str, ways: Sequence[Way]) -> None:
        said = "; or ".join(" and ".join(f"{left.column} = {right.column}" for left, right in way) for way in ways)
        super().__init__(f"{one} and {other} belong together in {len(ways)} ways: {said}.")
        self.tables = (one, other)
        self.ways = tuple(ways)
        """The choices, the first is taken no more often than the others."""


@dataclass(slots=True)
class Joins:
    """The keys of a catalog as a graph. Make it once for one knowledge: `joins_of` keeps the latest."""

    finder: KeyFinder
    _around: dict[str, list[Key]] = field(default_factory=dict)
    _ways: dict[tuple[Any, ...], tuple[float, list[Key]] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._around = {fqn: [] for fqn in self.finder.tables}
        for key in self.finder.all():
            self._around[key.table].append(key)
            if key.to != key.table:
                self._around[key.to].append(key)
        for keys in self._around.values():
            keys.sort(key=lambda key: (key.cost, key.columns, key.to))

    # What single tables and pairs of them are.

    def key(self, fqn: str) -> tuple[str, ...]:
        """The columns that tell a table's rows apart; none when nothing tells."""
        return self.finder.key(fqn)

    def is_unique(self, fqn: str, columns: Iterable[str]) -> bool:
        """Return whether no two rows agree in these columns."""
        return self.finder.is_unique(fqn, columns)

    def keys_of(self, fqn: str) -> Sequence[Key]:
        """All keys from and to a table, the cheapest first."""
        return self._around.get(fqn, ())

    def between(self, one: str, other: str) -> list[Key]:
        """The keys that tie two tables directly, the cheapest first; of one table to itself too."""
        return [key for key in self.keys_of(one) if {key.table, key.to} == {one, other}]

    def refers(self, fqn: str, column: str) -> Key | None:
        """The key by which a column refers to another table, if it does."""
        return next((key for key in self.keys_of(fqn) if key.table == fqn and key.columns == (column,)), None)

    def multiplies(self, link: JoinStep) -> bool:
        """Return whether a row of the near side may meet several of the far side."""
        if link.forward and link.key.origin in (KeyOrigin.DECLARED, KeyOrigin.PROFILED):
            return False
        return not self.is_unique(link.far.table, (far for _, far in link.pairs))

    def distance(self, one: str, other: str) -> float:
        """Return what the cheapest way costs; infinite when there is none."""
        if one == other:
            return 0.0
        path = self._nearest({one}, {other}, frozenset())
        return path[0] if path is not None else float("inf")

    # Trees.

    def connect(
        self, uses: Iterable[Use], via: Way = (), prefer: Prefer | None = None, root: Use | None = None
    ) -> Tree:
        """Return how these uses are joined, from `root` or the first of them on. Raises Unjoinable.

        Pairs of `via` are joined as they say. A second use of a table is tied to the first by a key of the table to
        itself, or else to another table that refers to it more than once.
        """
        wanted = list(dict.fromkeys([*([root] if root is not None else []), *uses]))
        links = self._via(via)
        wanted += [use for one, other, _ in links for use in (one, other) if use not in wanted]
        self._check(wanted)
        links += self._repeated(wanted, links)
        links += self._paths(wanted, links, prefer)
        return self._rooted(root or wanted[0], links)

    def _check(self, uses: Iterable[Use]) -> None:
        for use in uses:
            if use.table not in self.finder.tables:
                raise Unjoinable(f"The table {use.table} is not known.")

    def _via(self, via: Way) -> list[tuple[Use, Use, Key]]:
        """The given pairs as keys; those of the same two uses together."""
        grouped: dict[tuple[Use, Use], list[tuple[str, str]]] = {}
        for left, right in via:
            one, other = Use(left.table, left.instance), Use(right.table, right.instance)
            pair = (left.column, right.column)
            if (other, one) in grouped and one != other:
                one, other, pair = other, one, pair[::-1]
            grouped.setdefault((one, other), []).append(pair)
        return [self._given(one, other, pairs) for (one, other), pairs in grouped.items()]

    def _given(self, one: Use, other: Use, pairs: Sequence[tuple[str, str]]) -> tuple[Use, Use, Key]:
        """The known key of these pairs, or a new one, with who refers and who is referred to."""
        turned = {(right, left) for left, right in pairs}
        for key in self.between(one.table, other.table):
            if key.table == one.table and set(key.pairs) == set(pairs):
                return one, other, key
            if key.table == other.table and set(key.pairs) == turned:
                return other, one, key
        left, right = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
        if self.is_unique(one.table, left) and not self.is_unique(other.table, right):
            one, other, left, right = other, one, right, left
        return one, other, Key(one.table, left, other.table, right, KeyOrigin.GUESSED, 1.0)

    def _repeated(self, wanted: Sequence[Use], links: Sequence[tuple[Use, Use, Key]]) -> list[tuple[Use, Use, Key]]:
        tied = {use for one, other, _ in links for use in (one, other)}
        found: list[tuple[Use, Use, Key]] = []
        for use in wanted:
            if use.instance == 0 or use in tied:
                continue
            first = Use(use.table)
            itself = self.between(use.table, use.table)
            if first in wanted and itself:
                found.append((first, use, itself[0]))
                continue
            others = [
                (other, keys)
                for other in wanted
                if other.table != use.table and len(keys := self._keys_to(other.table, use.table)) > 1
            ]
            if len(others) != 1 or use.instance >= len(others[0][1]):
                raise NotConnected(self._name(use.table), f"the other {self._name(use.table)}")
            other, keys = others[0]
            if use.instance == 1 and first in wanted and first not in tied:
                found.append((other, first, keys[0]))
            found.append((other, use, keys[use.instance]))
        return found

    def _keys_to(self, table: str, to: str) -> list[Key]:
        """The keys of one table to another, in the order of its columns."""
        order = list(self.finder.columns[table])
        found = [key for key in self.between(table, to) if key.to == to]
        return sorted(found, key=lambda key: order.index(key.columns[0]))

    def _name(self, fqn: str) -> str:
        return self.finder.tables[fqn].name

    def _paths(
        self, wanted: Sequence[Use], links: Sequence[tuple[Use, Use, Key]], prefer: Prefer | None
    ) -> list[tuple[Use, Use, Key]]:
        """Keys that connect what is not connected yet."""
        parts = _components(wanted, links)
        if len(parts) < 2:
            return []
        best: tuple[float, list[Key]] | None = None
        for start in range(len(parts)):
            found = self._grown(parts, start, frozenset(), frozenset())
            if found is not None and (best is None or found[0] < best[0] - 1e-9):
                best = found
        if best is None:
            raise self._unconnected(parts)
        keys = self._decided(parts, best, prefer)
        return [(*_ends(key, Use(key.table), Use(key.to)), key) for key in keys]

    def _unconnected(self, parts: Sequence[frozenset[Use]]) -> NotConnected:
        first = next(iter(sorted(parts[0])))
        for part in parts[1:]:
            names = {use.table for use in part}
            if self._nearest({use.table for use in parts[0]}, names, frozenset()) is None:
                return NotConnected(self._name(first.table), self._name(sorted(names)[0]))
        return NotConnected(self._name(first.table), self._name(sorted(parts[1])[0].table))

    def _grown(
        self,
        parts: Sequence[frozenset[Use]],
        start: int,
        without: frozenset[str],
        barred: frozenset[Key],
        most: float = inf,
    ) -> tuple[float, list[Key]] | None:
        """A tree over all parts: from one of them, always to the nearest that is not in yet.

        None too when it would cost more than `most`.
        """
        reached = {use.table for use in parts[start]}
        left = [{use.table for use in part if use.instance == 0} for at, part in enumerate(parts) if at != start]
        total, keys = 0.0, []
        while left:
            path = self._nearest(reached, set().union(*left), without, barred, most - total)
            if path is None:
                return None
            cost, steps = path
            total += cost
            keys += [key for key in steps if key not in keys]
            reached |= {fqn for key in steps for fqn in (key.table, key.to)}
            for group in [group for group in left if group & reached]:
                reached |= group
                left.remove(group)
        return total, keys

    def _nearest(
        self,
        sources: set[str],
        targets: set[str],
        without: frozenset[str],
        barred: frozenset[Key] = frozenset(),
        most: float = inf,
    ) -> tuple[float, list[Key]] | None:
        """The cheapest way from any source to any target, over tables that are not in `without`, kept for next time."""
        asked = (frozenset(sources), frozenset(targets), without, barred, most)
        try:
            return self._ways[asked]
        except KeyError:
            found = self._searched(sources, targets, without, barred, most)
        if len(self._ways) >= MOST_KEPT:
            self._ways.clear()
        self._ways[asked] = found
        return found

    def _searched(
        self, sources: set[str], targets: set[str], without: frozenset[str], barred: frozenset[Key], most: float
    ) -> tuple[float, list[Key]] | None:
        order = count()
        heap: list[tuple[float, int, str, bool, tuple[Key, ...]]] = [
            (0.0, next(order), fqn, False, ()) for fqn in sorted(sources)
        ]
        done: set[tuple[str, bool]] = set()
        while heap:
            cost, _, fqn, came_up, steps = heapq.heappop(heap)
            if cost > most:
                return None
            if fqn in targets and fqn not in sources:
                return cost, list(steps)
            if (fqn, came_up) in done or len(steps) >= MOST_STEPS:
                continue
            done.add((fqn, came_up))
            for key in self.keys_of(fqn):
                further = key.to if key.table == fqn else key.table
                if further == fqn or further in without or further in sources or (barred and key in barred):
                    continue
                down = key.table != fqn
                extra = OVER_A_PARENT if came_up and down else 0.0
                step = (cost + key.cost + extra, next(order), further, not down, (*steps, key))
                heapq.heappush(heap, step)
        return None

    def _decided(
        self, parts: Sequence[frozenset[Use]], best: tuple[float, list[Key]], prefer: Prefer | None
    ) -> list[Key]:
        """The best tree, unless another is as good and the words do not tell which is meant."""
        cost, keys = best
        rivals = [best]
        given = {use.table for part in parts for use in part}
        between = {fqn for key in keys for fqn in (key.table, key.to)} - given
        barring = [(frozenset[str](), frozenset((key,))) for key in keys]
        barring += [(frozenset((fqn,)), frozenset[Key]()) for fqn in sorted(between)]
        slack = AS_GOOD if prefer is None else 1.0
        for without, barred in barring:
            other = self._grown(parts, 0, without, barred, cost + slack + 1e-9)
            if other is not None and other[0] <= cost + slack and set(other[1]) not in [set(one[1]) for one in rivals]:
                rivals.append(other)
        if prefer is not None and len(rivals) > 1:
            scores = [sum(prefer(key) for key in one[1]) for one in rivals]
            top = max(scores)
            chosen = [one for one, score in zip(rivals, scores, strict=True) if score == top]
            if top > 0 and len(chosen) == 1:
                return chosen[0][1]
        equal = [one for one in rivals if one[0] <= cost + AS_GOOD]
        if len(equal) == 1:
            return keys
        names = [self._name(sorted(part)[0].table) for part in parts[:2]]
        raise Ambiguous(names[0], names[1], [_way(one[1]) for one in equal])

    def _rooted(self, root: Use, links: Sequence[tuple[Use, Use, Key]]) -> Tree:
        """The links in the order of joining, from the root on."""
        ordered: list[JoinStep] = []
        reached, left = {root}, list(links)
        while left:
            for at, (one, other, key) in enumerate(left):
                if (one in reached) != (other in reached):
                    near, far = (one, other) if one in reached else (other, one)
                    ordered.append(JoinStep(near, far, key, forward=near == one))
                    reached.add(far)
                    del left[at]
                    break
                if one in reached and other in reached:
                    raise Unjoinable("The tables would be joined in a circle. Ask for one way of joining them.")
            else:
                raise NotConnected(self._name(root.table), self._name(left[0][0].table))
        return Tree(root, tuple(ordered))


def _ends(key: Key, one: Use, other: Use) -> tuple[Use, Use]:
    """Two uses in the order of the key: who refers, and who is referred to."""
    if key.table == key.to or key.table == one.table:
        return one, other
    return other, one


def _components(wanted: Sequence[Use], links: Sequence[tuple[Use, Use, Key]]) -> list[frozenset[Use]]:
    """Return what is connected already, in the order of first mention."""
    group: dict[Use, set[Use]] = {use: {use} for use in wanted}
    for one, other, _ in links:
        merged = group.setdefault(one, {one}) | group.setdefault(other, {other})
        for use in merged:
            group[use] = merged
    found: list[frozenset[Use]] = []
    for use in group:
        part = frozenset(group[use])
        if part not in found:
            found.append(part)
    return found


def _way(keys: Sequence[Key]) -> Way:
    return tuple((Column(key.table, of), Column(key.to, to)) for key in keys for of, to in key.pairs)


def joins_of(known: Knowledge) -> Joins:
    """The graph of a knowledge; that of the latest few is kept."""
    for of, joins in tuple(_KEPT):
        if of.tables is known.tables and of.profiles is known.profiles and of.memories is known.memories:
            return joins
    made = Joins(KeyFinder(known))
    _KEPT.append((known, made))
    return made


_KEPT: Final[deque[tuple[Knowledge, Joins]]] = deque(maxlen=8)
