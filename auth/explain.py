"""Defines why an answer is what it is: the proof of a yes, and the smallest grants that would turn a no."""

from collections.abc import Iterator, Sequence
from itertools import islice, product

from auth.evaluator import MAX_DEPTH, Evaluator, Key, Solver, TupleEdge
from auth.model import Computed, Exclusion, FromParent, Intersection, Model, Rewrite, This, TupleLike, Union, spelled
from auth.relations import Explanation, Link, RelationTuple, Undecided, split_object, split_user

MOST_GRANTS = 10
"""Suggestions given; there are rarely more that a person would weigh."""

_MOST_TRIED = 64

Option = tuple[int, frozenset[RelationTuple]]
"""How far from the asked object, and the tuples to write."""


def explain(evaluator: Evaluator, subjects: Sequence[str], relation: str, object_: str) -> Explanation:
    """Explain one answer for a user and their groups. Undecided counts as no. Raises NotInModel."""
    version = evaluator.model.version
    for subject in subjects:
        if evaluator.holds_or_no(subject, relation, object_):
            proof = _Proof(evaluator.solver(subject), evaluator).of((object_, relation), frozenset())
            return Explanation(True, version, subject, tuple(proof or ()))
    for subject in subjects:  # the first is the user themselves; their groups only where they cannot be named
        grants = _Suggestions(evaluator, subject).turning(object_, relation)
        if grants:
            return Explanation(False, version, None, (), grants)
    return Explanation(False, version)


class _Proof:
    """Finds the shortest well-founded chain of rules and tuples behind a yes."""

    def __init__(self, solver: Solver, evaluator: Evaluator) -> None:
        self._solver = solver
        self._evaluator = evaluator

    def of(self, key: Key, above: frozenset[Key]) -> list[Link] | None:
        object_, relation = key
        if f"{object_}#{relation}" == self._solver.user:
            return []
        if key in above or len(above) >= MAX_DEPTH or not self._holds(key):
            return None
        definition = self._evaluator.model.relation(split_object(object_)[0], relation)
        return self._rewrite(definition.rewrite, key, above | {key})

    def _holds(self, key: Key) -> bool:
        try:
            return self._solver.holds(*key)
        except Undecided:
            return False

    def _rewrite(self, rewrite: Rewrite, key: Key, above: frozenset[Key]) -> list[Link] | None:
        match rewrite:
            case This():
                return _shortest(self._direct(key, above))
            case Computed(name):
                rest = self.of((key[0], name), above)
                return None if rest is None else [Link(*key, spelled(rewrite)), *rest]
            case FromParent():
                return _shortest(self._parents(rewrite, key, above))
            case Union(operands):
                return _shortest(self._rewrite(operand, key, above) for operand in operands)
            case Intersection(operands):
                proofs = [self._rewrite(operand, key, above) for operand in operands]
                if any(proof is None for proof in proofs):
                    return None
                return [Link(*key, spelled(rewrite)), *(link for proof in proofs for link in proof or ())]
            case Exclusion(base, _):
                rest = self._rewrite(base, key, above)
                return None if rest is None else [Link(*key, spelled(rewrite)), *rest]

    def _direct(self, key: Key, above: frozenset[Key]) -> Iterator[list[Link] | None]:
        for edge in self._evaluator.index.of(key):
            link = Link(*key, spelled(This()), _relation_tuple(edge.item))
            if not _condition(self._evaluator, edge):
                continue
            if self._solver.matches(edge):
                yield [link]
            elif edge.user_relation:
                rest = self.of((edge.node, edge.user_relation), above)
                yield None if rest is None else [link, *rest]

    def _parents(self, rewrite: FromParent, key: Key, above: frozenset[Key]) -> Iterator[list[Link] | None]:
        for edge in self._evaluator.index.of((key[0], rewrite.tupleset)):
            if rewrite.relation in self._evaluator.model.types[edge.user_type] and _condition(self._evaluator, edge):
                rest = self.of((edge.node, rewrite.relation), above)
                yield None if rest is None else [Link(*key, spelled(rewrite), _relation_tuple(edge.item)), *rest]


class _Suggestions:
    """Finds which tuples would turn a no into a yes, and proves each one before it is offered."""

    def __init__(self, evaluator: Evaluator, subject: str) -> None:
        self._evaluator = evaluator
        self._subject = subject
        self._type, self._id, self._relation = split_user(subject)

    def turning(self, object_: str, relation: str) -> tuple[tuple[RelationTuple, ...], ...]:
        nearest: dict[frozenset[RelationTuple], int] = {}
        for distance, grants in islice(self._options((object_, relation), frozenset(), 0), _MOST_TRIED * 4):
            nearest[grants] = min(distance, nearest.get(grants, distance))
        ranked = sorted(
            (len(grants), distance, sum(map(self._power, grants)), sorted(map(str, grants)), grants)
            for grants, distance in nearest.items()
            if grants
        )
        proven = (entry[4] for entry in ranked[:_MOST_TRIED] if self._turns(entry[4], object_, relation))
        return tuple(tuple(sorted(grants, key=str)) for grants in islice(proven, MOST_GRANTS))

    def _options(self, key: Key, above: frozenset[Key], distance: int) -> Iterator[Option]:
        object_, relation = key
        definition = self._evaluator.model.types.get(split_object(object_)[0], {}).get(relation)
        if key in above or len(above) >= MAX_DEPTH or definition is None:
            return
        if self._evaluator.holds_or_no(self._subject, relation, object_):
            yield distance, frozenset()
            return
        yield from self._rewrite(definition.rewrite, key, above | {key}, distance)

    def _rewrite(self, rewrite: Rewrite, key: Key, above: frozenset[Key], distance: int) -> Iterator[Option]:
        object_ = key[0]
        match rewrite:
            case This():
                yield from self._granted(key, above, distance)
            case Computed(name):
                yield from self._options((object_, name), above, distance)
            case FromParent(tupleset, name):
                for edge in self._evaluator.index.of((object_, tupleset)):
                    if _condition(self._evaluator, edge):
                        yield from self._options((edge.node, name), above, distance + 1)
            case Union(operands):
                for operand in operands:
                    yield from self._rewrite(operand, key, above, distance)
            case Intersection(operands):
                sides = [list(islice(self._rewrite(one, key, above, distance), _MOST_TRIED)) for one in operands]
                for chosen in islice(product(*sides), _MOST_TRIED):
                    yield max(far for far, _ in chosen), frozenset().union(*(grants for _, grants in chosen))
            case Exclusion(base, _):
                yield from self._rewrite(base, key, above, distance)

    def _granted(self, key: Key, above: frozenset[Key], distance: int) -> Iterator[Option]:
        """The grant itself where the model takes it, and the ways into each group that has it."""
        object_, relation = key
        grant = RelationTuple(self._subject, relation, object_)
        if self._id != "*" and self._evaluator.model.accepts(grant):
            yield distance, frozenset((grant,))
        for edge in self._evaluator.index.groups_of(key):
            if _condition(self._evaluator, edge):
                yield from self._options((edge.node, edge.user_relation), above, distance + 1)

    def _power(self, grant: RelationTuple) -> int:
        """Return how much a grant confers on its own object: the number of relations and permissions that follow."""
        return _power(self._evaluator.model, grant)

    def _turns(self, grants: frozenset[RelationTuple], object_: str, relation: str) -> bool:
        return self._evaluator.with_tuples(grants).holds_or_no(self._subject, relation, object_)


def _power(model: Model, grant: RelationTuple) -> int:
    alone = Evaluator(model, [grant])
    names = model.types[split_object(grant.object)[0]]
    return sum(alone.holds_or_no(grant.user, name, grant.object) for name in names)


def _condition(evaluator: Evaluator, edge: TupleEdge) -> bool:
    try:
        return evaluator.condition_holds(edge)
    except Undecided:
        return False


def _relation_tuple(item: TupleLike) -> RelationTuple:
    return RelationTuple(item.user, item.relation, item.object, item.condition, item.context)


def _shortest(proofs: Iterator[list[Link] | None]) -> list[Link] | None:
    return min((proof for proof in proofs if proof is not None), key=len, default=None)
