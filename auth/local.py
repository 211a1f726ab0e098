"""The in-process engine: the platform's model evaluated over tuples in the platform's own store.

One question, and one user with any number of groups, cost one read of the store: everything that the answer can rest
on is fetched together and evaluated in memory. What was decided once is remembered while no relation of the
organization changes (`auth/remembered.py`).
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from auth.conditions import ConditionEvaluator
from auth.evaluator import Evaluator
from auth.explain import explain
from auth.model import Model, TupleLike
from auth.relations import (
    AlreadyStands,
    CheckRequest,
    DoesNotStand,
    Explanation,
    RelationTuple,
    Undecided,
    split_object,
    split_user,
)
from auth.remembered import Change, Held, Remembered, digest
from auth.seen import Question, Seen
from schema.errors import AlreadyExists, NotFound

log = logging.getLogger("stoa.auth")


class TupleSource(Protocol):
    """Describes where the tuples are kept. Every call is one round trip."""

    async def around(
        self, store: str, objects: Sequence[str], users: Sequence[str] | None, node_types: Sequence[str]
    ) -> Sequence[TupleLike]:
        """All tuples that can matter to a check of these objects for these users (None: for anybody)."""
        ...

    async def towards(
        self, store: str, users: Sequence[str], object_type: str, leading: Sequence[str]
    ) -> tuple[str, Sequence[TupleLike]]:
        """All tuples of the chains that join one of the users to an object of a type, and what relations are at then.

        `leading` are the types that may stand on the way there.
        """
        ...

    async def read(
        self,
        store: str,
        *,
        object: str | None,
        relation: str | None,
        user: str | None,
        limit: int,
        after: TupleLike | None,
    ) -> Sequence[TupleLike]:
        """Stored tuples in a stable order."""
        ...

    async def write(
        self, store: str, writes: Sequence[TupleLike], deletes: Sequence[TupleLike], *, lenient: bool
    ) -> None:
        """One transaction. Raises AlreadyExists and NotFound."""
        ...

    async def delete_object(self, store: str, object: str) -> int:
        """One transaction."""
        ...


class LocalRelations:
    """The `Relations` protocol over a model and a source of tuples."""

    def __init__(self, model: Model, source: TupleSource, remembered: Remembered | None = None) -> None:
        self.model = model
        self._source = source
        self._remembered = remembered
        self._conditions = ConditionEvaluator(model)

    async def check(
        self,
        store: str,
        question: CheckRequest,
        *,
        contextual: Sequence[RelationTuple] = (),
        context: Mapping[str, Any] | None = None,
    ) -> bool:
        """See `Relations.check`."""
        evaluator = await self._about(store, [question], contextual, context)
        return evaluator.holds(question.user, question.relation, question.object)

    async def batch_check(
        self,
        store: str,
        questions: Sequence[CheckRequest],
        *,
        contextual: Sequence[RelationTuple] = (),
        context: Mapping[str, Any] | None = None,
    ) -> list[bool]:
        """See `Relations.batch_check`."""
        if not questions:
            return []
        if contextual or context is not None:
            evaluator = await self._about(store, questions, contextual, context)
            return [_holds(evaluator, question) or False for question in questions]
        asked: list[Question] = [((one.user,), one.relation, one.object) for one in questions]
        decided = await self._decisions(store, asked)
        return [decided[question] for question in asked]

    async def allowed(
        self, store: str, subjects: Sequence[str], relation: str, object: str, *, seen: Seen | None = None
    ) -> bool:
        """See `Relations.allowed`."""
        if not subjects:
            return False
        question: Question = (tuple(subjects), relation, object)
        return (await self._decisions(store, [question], seen))[question]

    async def _decisions(self, store: str, asked: Sequence[Question], seen: Seen | None = None) -> dict[Question, bool]:
        """Decide, out of memory what was decided before. What could not be decided is a no that nobody keeps."""
        memory = self._remembered
        if memory is None:
            return {question: answer or False for question, answer in (await self._decided(store, asked))[0].items()}
        if seen is not None and self._assumes(store, asked, seen, memory):
            return dict.fromkeys(asked, True)
        revision, known = await memory.known(store, await self._at(store, memory, seen), self.model.node_types)
        if seen is not None:
            seen.saw(store, revision)
        found = {question: known[question] for question in asked if question in known}
        missing = [question for question in asked if question not in found]
        if missing:
            fresh, rests = await self._decided(store, missing)
            sure = {question: answer for question, answer in fresh.items() if answer is not None}
            await memory.keep(store, revision, sure, rests, self.model.node_types)
            found |= {question: answer or False for question, answer in fresh.items()}
        return found

    @staticmethod
    async def _at(store: str, memory: Remembered, seen: Seen | None) -> str:
        """Return what the relations of a store are at: what a look of the same moment has found, or else one of now."""
        revision = None if seen is None else seen.at(store)
        if revision is None:
            revision = await memory.revision(store)
            if seen is not None:
                seen.saw(store, revision)
        return revision

    def _assumes(self, store: str, asked: Sequence[Question], seen: Seen, memory: Remembered) -> bool:
        """Return whether all of it was a yes at what relations were last at, and that may be taken for how they are."""
        revision = memory.last(store)
        if not revision or not seen.may_assume(store, revision):
            return False
        known = memory.at(store, revision)
        if not all(known.get(question) for question in asked):
            return False
        seen.assume(store, revision, asked, self)
        return True

    async def revision(self, store: str) -> str:
        """See `auth.seen.Judge`; empty where nothing is remembered."""
        return "" if self._remembered is None else await self._remembered.revision(store)

    async def still(self, store: str, revision: str, asked: Sequence[Question]) -> bool:
        """See `auth.seen.Judge`."""
        if self._remembered is None:
            return False
        _, known = await self._remembered.known(store, revision, self.model.node_types)
        return all(known.get(question) for question in asked)

    async def _decided(
        self, store: str, asked: Sequence[Question]
    ) -> tuple[dict[Question, bool | None], dict[Question, frozenset[str]]]:
        """Decide anew, with one read for all, and tell the objects that each decision rests on; None for a no that is
        one because there was no answer.
        """
        checks = {
            question: [CheckRequest(subject, question[1], question[2]) for subject in question[0]] for question in asked
        }
        items = await self._around(store, [check for some in checks.values() for check in some], ())
        evaluator, above = self._evaluator(items), self._above(items, {question[2] for question in asked})
        decided = {question: _any_holds(evaluator, some) for question, some in checks.items()}
        return decided, {question: above[question[2]] for question in asked}

    def _above(self, items: Iterable[TupleLike], objects: Iterable[str]) -> dict[str, frozenset[str]]:
        """Name, for each of some objects, itself and all that tuples lead on to from there."""
        leads: dict[str, set[str]] = {}
        for item in items:
            type_, id_, _ = split_user(item.user)
            if type_ in self.model.node_types and id_ != "*":
                leads.setdefault(item.object, set()).add(f"{type_}:{id_}")
        found = {}
        for object_ in objects:
            reached, pending = {object_}, [object_]
            while pending:
                new = leads.get(pending.pop(), set()) - reached
                reached |= new
                pending.extend(new)
            found[object_] = frozenset(reached)
        return found

    async def near(self, store: str, subjects: Sequence[str], object_type: str) -> set[str] | None:
        """See `Relations.near`."""
        leading = self.model.leading_to(object_type)
        _, items = await self._source.towards(store, subjects, object_type, leading)
        return _of_type(items, object_type)

    async def held(
        self, store: str, subjects: Sequence[str], relation: str, object_type: str, *, seen: Seen | None = None
    ) -> Sequence[str]:
        """See `Relations.held`. Where relations have changed, but none that these answers rest on, they stand."""
        if not subjects:
            return ()
        memory, question = self._remembered, (tuple(subjects), relation, object_type)
        revision = "" if memory is None else await self._at(store, memory, seen)
        before = None if memory is None else memory.held(store, question)
        if before is not None and revision and await self._stands(store, question, before, revision):
            return before.names
        for subject in subjects:
            self.model.validate_question(subject, relation, f"{object_type}:any")
        revision, items = await self._towards(store, subjects, object_type)
        rest = digest(items)
        if before is not None and before.rest == rest:
            names, sure = before.names, True
        else:
            names, sure = self._among(_of_type(items, object_type), items, question)
        if memory is not None and sure:
            memory.keep_held(store, question, Held(revision, rest, names, self._reach(items, question)))
        return names

    async def _stands(self, store: str, question: Question, before: Held, revision: str) -> bool:
        """Return whether no change since a list was found concerns it; then it is kept as one of now."""
        memory = self._remembered
        if before.revision == revision:
            return True
        if memory is None or not self.model.only_adds:  # where a tuple that leads to nobody may count
            return False
        revision, changes = await memory.since(store, before.revision)
        if changes is None or any(self._concerns(change, question[2], before) for change in changes):
            return False
        memory.keep_held(store, question, before._replace(revision=revision))
        return True

    def _concerns(self, change: Change, object_type: str, before: Held) -> bool:
        type_ = change[0].partition(":")[0]
        return change[1] in before.reach and (type_ == object_type or type_ in self.model.leading_to(object_type))

    def _reach(self, items: Iterable[TupleLike], question: Question) -> frozenset[str]:
        """Name all from whom tuples are followed towards the objects of a list: its subjects, and what they lead to."""
        subjects, _, object_type = question
        leading = self.model.leading_to(object_type)
        bare = [split_user(subject)[:2] for subject in subjects]
        start = {f"{type_}:{name}" for type_, id_ in bare for name in (id_, "*")}
        return frozenset(start.union(item.object for item in items if item.object.partition(":")[0] in leading))

    async def _towards(self, store: str, subjects: Sequence[str], object_type: str) -> tuple[str, Sequence[TupleLike]]:
        """Return what relations are at, and all that a check of the objects that could be the subjects' can meet."""
        leading = self.model.leading_to(object_type)
        revision, items = await self._source.towards(store, subjects, object_type, leading)
        if items and not self.model.only_adds:  # what nothing joins to them can leave a `but not` undecided
            near = sorted(_of_type(items, object_type))
            items = [*items, *await self._source.around(store, near, subjects, self.model.node_types)]
        return revision, items

    def _among(
        self, near: Iterable[str], items: Sequence[TupleLike], question: Question
    ) -> tuple[tuple[str, ...], bool]:
        """Those of some objects that one of the subjects holds, and whether all of them could be decided."""
        subjects, relation, _ = question
        evaluator, sure, names = self._evaluator(items), True, []
        for name in sorted(near):
            answer = _any_holds(evaluator, [CheckRequest(subject, relation, name) for subject in subjects])
            sure = sure and answer is not None
            if answer:
                names.append(name)
        return tuple(names), sure

    async def list_objects(self, store: str, user: str, relation: str, object_type: str) -> list[str]:
        """See `Relations.list_objects`."""
        self.model.validate_question(user, relation, f"{object_type}:any")
        _, items = await self._towards(store, [user], object_type)
        evaluator = self._evaluator(items)
        names = _of_type(items, object_type)
        user_type, user_id, user_relation = split_user(user)
        if user_relation and user_type == object_type:
            names.add(f"{user_type}:{user_id}")  # a group is a member of itself, without a tuple
        return [name for name in sorted(names) if _holds(evaluator, CheckRequest(user, relation, name))]

    async def list_users(self, store: str, object: str, relation: str, user_filter: str) -> list[str]:
        """See `Relations.list_users`."""
        self.model.relation(split_object(object)[0], relation)
        items = await self._source.around(store, [object], None, self.model.node_types)
        return self._evaluator(items).users(object, relation, user_filter)

    async def read(
        self,
        store: str,
        *,
        object: str | None = None,
        relation: str | None = None,
        user: str | None = None,
        limit: int = 100,
        after: RelationTuple | None = None,
    ) -> list[RelationTuple]:
        """See `Relations.read`."""
        found = await self._source.read(store, object=object, relation=relation, user=user, limit=limit, after=after)
        return _plain(found)

    async def standing(self, store: str, objects: Sequence[str]) -> list[RelationTuple]:
        """See `Relations.standing`; one read of the store for all of them."""
        found = await self._source.around(store, sorted(set(objects)), None, ()) if objects else ()
        return sorted(_plain(found), key=lambda item: item.key)

    async def write(
        self,
        store: str,
        writes: Sequence[RelationTuple] = (),
        deletes: Sequence[RelationTuple] = (),
        *,
        lenient: bool = False,
    ) -> None:
        """See `Relations.write`."""
        for item in writes:
            self.model.validate(item)
        try:
            await self._source.write(store, writes, deletes, lenient=lenient)
        except AlreadyExists as error:
            raise AlreadyStands(error.message, **error.details) from error
        except NotFound as error:
            raise DoesNotStand(**error.details) from error

    async def delete_object(self, store: str, object: str) -> int:
        """See `Relations.delete_object`."""
        split_object(object)
        return await self._source.delete_object(store, object)

    async def explain(self, store: str, subjects: Sequence[str], relation: str, object: str) -> Explanation:
        """See `Relations.explain`."""
        evaluator = await self._about(store, [CheckRequest(name, relation, object) for name in subjects], (), None)
        return explain(evaluator, subjects, relation, object)

    async def close(self) -> None:
        """Nothing is held here; the store is closed by who opened it."""

    async def _about(
        self,
        store: str,
        questions: Sequence[CheckRequest],
        contextual: Sequence[RelationTuple],
        context: Mapping[str, Any] | None,
    ) -> Evaluator:
        """Evaluate all that the questions can meet, the reach of contextual tuples included."""
        return self._evaluator([*await self._around(store, questions, contextual), *contextual], context)

    async def _around(
        self, store: str, questions: Sequence[CheckRequest], contextual: Sequence[RelationTuple]
    ) -> Sequence[TupleLike]:
        """Fetch all tuples that the questions can meet, beside those that come with them."""
        for question in questions:
            self.model.validate_question(question.user, question.relation, question.object)
        objects = {question.object for question in questions}
        for item in contextual:
            self.model.validate(item)
            type_, id_, _ = split_user(item.user)
            if type_ in self.model.node_types and id_ != "*":
                objects.add(f"{type_}:{id_}")
        users = sorted({question.user for question in questions})
        return await self._source.around(store, sorted(objects), users, self.model.node_types)

    def _evaluator(self, items: Sequence[TupleLike], context: Mapping[str, Any] | None = None) -> Evaluator:
        return Evaluator(self.model, items, context=context, conditions=self._conditions)


def _plain(found: Sequence[TupleLike]) -> list[RelationTuple]:
    return [RelationTuple(i.user, i.relation, i.object, i.condition, i.context) for i in found]


def _of_type(items: Iterable[TupleLike], object_type: str) -> set[str]:
    """Name the objects of a type on which tuples stand."""
    return {item.object for item in items if item.object.partition(":")[0] == object_type}


def _any_holds(evaluator: Evaluator, questions: Sequence[CheckRequest]) -> bool | None:
    sure = True
    for question in questions:
        answer = _holds(evaluator, question)
        if answer:
            return True
        sure = sure and answer is not None
    return False if sure else None


def _holds(evaluator: Evaluator, question: CheckRequest) -> bool | None:
    """Return whether it holds; None when that could not be decided, which counts as a no."""
    try:
        return evaluator.holds(question.user, question.relation, question.object)
    except Undecided as error:
        log.warning("undecided, so refused: %s", error.message, extra={"relation": question.relation})
        return None
