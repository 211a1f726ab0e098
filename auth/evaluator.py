"""Answers questions about an authorization model and a handful of tuples in memory. Pure: no store, no clock.

The meaning follows OpenFGA: tuples that the model does not accept are ignored, a relation that comes back to itself
does not hold by that way, a question deeper than 25 steps is undecided, and an `or` with an undecided side still
holds when another side does. Undecided is an exception, never a yes.

Answers are kept per user while a question is worked on. A no that was found under the assumption "this relation,
which I am still working on, does not hold" is kept only as long as the assumption stands, so that cycles neither
repeat work nor change an answer.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from auth.conditions import ConditionEvaluator
from auth.model import (
    Computed,
    Exclusion,
    FromParent,
    Intersection,
    Model,
    Restriction,
    Rewrite,
    This,
    TupleLike,
    Union,
)
from auth.relations import Undecided, split_object, split_user

MAX_DEPTH = 25
"""Steps from the question to the deepest tuple; what OpenFGA allows by default."""

MAX_STEPS = 200_000
"""Relations evaluated for one question before it is given up."""

Key = tuple[str, str]
"""An object and a relation of it."""

_NOTHING: frozenset[Key] = frozenset()


_NO_EDGES: dict[str, "TupleEdge"] = {}


class TupleEdge(NamedTuple):
    """A tuple taken apart."""

    item: TupleLike
    user_type: str
    user_id: str
    user_relation: str

    @property
    def node(self) -> str:
        """The object that the tuple leads to."""
        return f"{self.user_type}:{self.user_id}"


class TupleIndex:
    """Tuples by object, relation and user; what the model does not accept is left out, repeats count once."""

    def __init__(self, model: Model, items: Iterable[TupleLike]) -> None:
        self._edges: dict[Key, dict[str, TupleEdge]] = {}
        self._groups: dict[Key, dict[str, TupleEdge]] = {}
        accepted: dict[Key, frozenset[Restriction]] = {}
        for item in items:
            type_ = item.object.partition(":")[0]
            restrictions = accepted.get((type_, item.relation))
            if restrictions is None:
                definition = model.types.get(type_, {}).get(item.relation)
                restrictions = frozenset(definition.restrictions if definition else ())
                accepted[type_, item.relation] = restrictions
            user_type, user_id, user_relation = split_user(item.user)
            if Restriction(user_type, user_relation, user_id == "*", item.condition or None) in restrictions:
                edge = TupleEdge(item, user_type, user_id, user_relation)
                self._edges.setdefault((item.object, item.relation), {})[item.user] = edge
                if user_relation:
                    self._groups.setdefault((item.object, item.relation), {})[item.user] = edge

    def of(self, key: Key) -> Iterable[TupleEdge]:
        """The tuples of one relation of one object."""
        return self._edges.get(key, _NO_EDGES).values()

    def groups_of(self, key: Key) -> Iterable[TupleEdge]:
        """Those of them that name a group of users."""
        return self._groups.get(key, _NO_EDGES).values()

    def naming(self, key: Key, user: str | None) -> TupleEdge | None:
        """The one that names this user."""
        return self._edges.get(key, _NO_EDGES).get(user) if user else None


class Evaluator:
    """Holds a model and tuples, and answers for any user. Create one per fetch; it keeps answers."""

    def __init__(
        self,
        model: Model,
        items: Iterable[TupleLike],
        *,
        context: Mapping[str, Any] | None = None,
        conditions: ConditionEvaluator | None = None,
    ) -> None:
        self.model = model
        self._items = tuple(items)
        self.index = TupleIndex(model, self._items)
        self._context = context
        self._conditions = conditions or ConditionEvaluator(model)
        self._solvers: dict[str, Solver] = {}

    def holds(self, user: str, relation: str, object_: str) -> bool:
        """Say whether the user holds the relation. Raises Undecided, and NotInModel for unknown names."""
        self.model.validate_question(user, relation, object_)
        return self.solver(user).holds(object_, relation)

    def holds_or_no(self, user: str, relation: str, object_: str) -> bool:
        """As `holds`, with undecided taken for a no."""
        try:
            return self.holds(user, relation, object_)
        except Undecided:
            return False

    def with_tuples(self, items: Iterable[TupleLike]) -> "Evaluator":
        """The same evaluator, as it would be with these tuples beside its own."""
        return Evaluator(self.model, [*self._items, *items], context=self._context, conditions=self._conditions)

    def solver(self, user: str) -> "Solver":
        """The solver that answers for one user."""
        found = self._solvers.get(user)
        if found is None:
            found = self._solvers[user] = Solver(self, user)
        return found

    def condition_holds(self, edge: TupleEdge) -> bool:
        """Return whether the tuple's condition lets it count. Raises Undecided."""
        name = edge.item.condition
        return name is None or self._conditions.hold(name, edge.item.context, self._context)

    def users(self, object_: str, relation: str, user_filter: str) -> list[str]:
        """Name the users of a kind (`type` or `type#relation`) who hold the relation, sorted. Raises Undecided."""
        type_, _, user_relation = user_filter.partition("#")
        if user_relation:
            self.model.relation(type_, user_relation)
        else:
            self.model.validate_question(f"{type_}:*", relation, object_)
        found: set[str] = set()
        self._gather(object_, relation, (type_, user_relation), found, set())
        answer = [user for user in sorted(found) if self.solver(user).holds(object_, relation)]
        for user in found:
            self._solvers.pop(user, None)
        return answer

    def _gather(self, object_: str, relation: str, wanted: Key, found: set[str], seen: set[Key]) -> None:
        """Collect everybody who may hold the relation: all who are named anywhere but behind a `but not`."""
        if (object_, relation) in seen:
            return
        seen.add((object_, relation))
        type_ = split_object(object_)[0]
        if (type_, relation) == wanted:
            found.add(f"{object_}#{relation}")
        definition = self.model.types.get(type_, {}).get(relation)
        pending = [definition.rewrite] if definition else []
        while pending:
            match pending.pop():
                case This():
                    self._gather_named((object_, relation), wanted, found, seen)
                case Computed(name):
                    self._gather(object_, name, wanted, found, seen)
                case FromParent(tupleset, name):
                    for edge in self.index.of((object_, tupleset)):
                        self._gather(edge.node, name, wanted, found, seen)
                case Union(operands) | Intersection(operands):
                    pending.extend(operands)
                case Exclusion(base, _):
                    pending.append(base)

    def _gather_named(self, key: Key, wanted: Key, found: set[str], seen: set[Key]) -> None:
        """Collect those whom tuples name themselves, and the members of the groups that they name."""
        for edge in self.index.of(key):
            if (edge.user_type, edge.user_relation) == wanted:
                found.add(edge.item.user)
            if edge.user_relation:
                self._gather(edge.node, edge.user_relation, wanted, found, seen)


class Solver:
    """Answers for one user."""

    def __init__(self, evaluator: Evaluator, user: str) -> None:
        self._evaluator = evaluator
        self._model = evaluator.model
        self._index = evaluator.index
        self.user = user
        user_type, _, user_relation = split_user(user)
        self._everybody = None if user_relation else f"{user_type}:*"
        self._final: dict[Key, bool] = {}
        self._provisional: dict[Key, frozenset[Key]] = {}  # a no, and what it assumes not to hold
        self._open: set[Key] = set()
        self._steps = 0

    def holds(self, object_: str, relation: str) -> bool:
        """Say whether the user holds the relation. Raises Undecided."""
        self._open.clear()
        self._provisional.clear()
        self._steps = 0
        return self._solve((object_, relation), 0)[0]

    def matches(self, edge: TupleEdge) -> bool:
        """Return whether a tuple names the user themselves or everybody of their type."""
        return edge.item.user == self.user or edge.item.user == self._everybody

    def _solve(self, key: Key, depth: int) -> tuple[bool, frozenset[Key]]:
        known = self._final.get(key)
        if known is not None:
            return known, _NOTHING
        if key in self._provisional:
            return False, self._provisional[key]
        if key in self._open:
            return False, frozenset((key,))
        object_, relation = key
        if f"{object_}#{relation}" == self.user:
            return True, _NOTHING
        self._steps += 1
        if depth >= MAX_DEPTH or self._steps > MAX_STEPS:
            raise Undecided("Access could not be decided: the chain of groups and parents is too long.")
        definition = self._model.types.get(object_.partition(":")[0], {}).get(relation)
        if definition is None:
            return False, _NOTHING
        self._open.add(key)
        try:
            holds, assumed = self._rewrite(definition.rewrite, key, depth)
        except Undecided:
            for other in [other for other, on in self._provisional.items() if key in on]:
                del self._provisional[other]
            raise
        finally:
            self._open.discard(key)
        return self._settle(key, holds, assumed - {key})

    def _settle(self, key: Key, holds: bool, assumed: frozenset[Key]) -> tuple[bool, frozenset[Key]]:
        """Keep an answer, and what becomes of the noes that assumed this one to be no."""
        dependents = [other for other, on in self._provisional.items() if key in on]
        for other in dependents:
            on = self._provisional.pop(other)
            if not holds:
                self._keep_no(other, on - {key} | assumed)
        if holds:
            self._final[key] = True
            return True, _NOTHING
        self._keep_no(key, assumed)
        return False, assumed

    def _keep_no(self, key: Key, assumed: frozenset[Key]) -> None:
        if assumed:
            self._provisional[key] = assumed
        else:
            self._final[key] = False

    def _rewrite(self, rewrite: Rewrite, key: Key, depth: int) -> tuple[bool, frozenset[Key]]:
        match rewrite:
            case This():
                return self._direct(key, depth)
            case Computed(name):
                return self._solve((key[0], name), depth + 1)
            case FromParent(tupleset, name):
                return self._from_parent(key[0], tupleset, name, depth)
            case Union(operands):
                return self._any(operands, key, depth)
            case Intersection(operands):
                return self._all(operands, key, depth)
            case Exclusion(base, subtract):
                return self._without(base, subtract, key, depth)

    def _direct(self, key: Key, depth: int) -> tuple[bool, frozenset[Key]]:
        assumed, problem = _NOTHING, None
        for name in (self.user, self._everybody):
            named = self._index.naming(key, name)
            try:
                if named is not None and self._evaluator.condition_holds(named):
                    return True, _NOTHING
            except Undecided as error:
                problem = error
        for edge in self._index.groups_of(key):
            try:
                if self._evaluator.condition_holds(edge):
                    holds, on = self._solve((edge.node, edge.user_relation), depth + 1)
                    if holds:
                        return True, _NOTHING
                    assumed |= on
            except Undecided as error:
                problem = error
        if problem is not None:
            raise problem
        return False, assumed

    def _from_parent(self, object_: str, tupleset: str, name: str, depth: int) -> tuple[bool, frozenset[Key]]:
        assumed, problem = _NOTHING, None
        for edge in self._index.of((object_, tupleset)):
            try:
                if self._evaluator.condition_holds(edge):
                    holds, on = self._solve((edge.node, name), depth + 1)
                    if holds:
                        return True, _NOTHING
                    assumed |= on
            except Undecided as error:
                problem = error
        if problem is not None:
            raise problem
        return False, assumed

    def _any(self, operands: Iterable[Rewrite], key: Key, depth: int) -> tuple[bool, frozenset[Key]]:
        assumed, problem = _NOTHING, None
        for operand in operands:
            try:
                holds, on = self._rewrite(operand, key, depth)
            except Undecided as error:
                problem = error
                continue
            if holds:
                return True, _NOTHING
            assumed |= on
        if problem is not None:
            raise problem
        return False, assumed

    def _all(self, operands: Iterable[Rewrite], key: Key, depth: int) -> tuple[bool, frozenset[Key]]:
        problem = None
        for operand in operands:
            try:
                holds, on = self._rewrite(operand, key, depth)
            except Undecided as error:
                problem = error
                continue
            if not holds:
                return False, on
        if problem is not None:
            raise problem
        return True, _NOTHING

    def _without(self, base: Rewrite, subtract: Rewrite, key: Key, depth: int) -> tuple[bool, frozenset[Key]]:
        problem = None
        try:
            holds, on = self._rewrite(base, key, depth)
            if not holds:
                return False, on
        except Undecided as error:
            problem = error
        excluded, on = self._rewrite(subtract, key, depth)
        if problem is not None and not excluded:
            raise problem
        # An exclusion that rests on an open assumption is no ground for a yes: it fails closed.
        return (False, on) if excluded or on else (True, _NOTHING)
