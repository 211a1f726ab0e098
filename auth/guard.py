"""The guard of one request: asks the relations engine, and remembers the answers for as long as the request lasts."""

from collections.abc import Sequence

from auth.caller import Caller
from auth.relations import CheckRequest, Relations, bare_id, object_id, object_name
from auth.seen import Seen
from schema.governance.permission import Permission

LONGEST_ID = 1000
MANY = 100
"""From more objects than this on it is worth finding out first which of them could be the caller's."""


class Guard:
    """Answers whether a caller holds a permission; one round trip per object and permission, groups included.

    `at_once` says that what is asked until `admitted` follows at once on the arrival of the request, so that one look
    at whether relations have changed serves all of it. `assumes` says that this look may come with the work, and that
    whoever does the work has it confirmed (`unsure`) before anything of it is told.
    """

    def __init__(self, relations: Relations, *, at_once: bool = False, assumes: bool = False) -> None:
        self._relations = relations
        self._answers: dict[tuple[str, tuple[str, ...], str, str], bool] = {}
        self._seen = Seen(assumes=assumes)
        self._arrives = at_once

    async def allows(
        self, caller: Caller, permission: Permission, object_type: str, object_id: str, *, seen: Seen | None = None
    ) -> bool:
        """Return whether the caller or any of their groups holds the permission, inside their own organization's tuples
        only.

        So must everybody who limits them. An id that is empty or over-long names nothing and is refused unasked. Raises
        UpstreamUnavailable when the engine is down. Questions that share `seen` are asked of one moment.
        """
        if not object_id or len(object_id) > LONGEST_ID:
            return False
        for one in (caller, *caller.limited_by):
            if not await self._holds(one, permission, object_type, object_id, seen):
                return False
        return True

    async def _holds(
        self, caller: Caller, permission: Permission, object_type: str, object_id: str, seen: Seen | None
    ) -> bool:
        key = (caller.organization_id, caller.subjects, permission.value, object_name(object_type, object_id))
        if key not in self._answers:
            seen = self._seen if self._arrives else seen
            self._answers[key] = await self._relations.allowed(
                caller.organization_id, caller.subjects, permission.value, key[3], seen=seen
            )
        return self._answers[key]

    async def allows_many(
        self, caller: Caller, permission: Permission, object_type: str, object_ids: Sequence[str]
    ) -> dict[str, bool]:
        """The same for many objects of one type, in one round trip of the engine for each who must be allowed."""
        left = list(object_ids)
        for one in (caller, *caller.limited_by):
            held = await self._hold_many(one, permission, object_type, left)
            left = [object_id for object_id in left if held[object_id]]
        return dict.fromkeys(object_ids, False) | dict.fromkeys(left, True)

    async def every(
        self, caller: Caller, permission: Permission, object_type: str, *, seen: Seen | None = None
    ) -> list[str] | None:
        """The ids of all objects of a type on which the permission is held; None where each has to be asked about.

        Some may be left over of things that are gone. `seen` is as in `allows`.
        """
        names = await self._relations.held(
            caller.organization_id, caller.subjects, permission.value, object_type, seen=seen
        )
        if names is None:
            return None
        left = [object_id(name) for name in names]
        for one in caller.limited_by:
            held = await self._hold_many(one, permission, object_type, left)
            left = [id for id in left if held[id]]
        return left

    async def _hold_many(
        self, caller: Caller, permission: Permission, object_type: str, object_ids: Sequence[str]
    ) -> dict[str, bool]:
        allowed = dict.fromkeys(object_ids, False)
        if len(object_ids) > MANY:
            near = await self._relations.near(caller.organization_id, caller.subjects, object_type)
            if near is not None:  # what nothing joins to the caller need not be asked about
                object_ids = [object_id for object_id in object_ids if object_name(object_type, object_id) in near]
        questions = [
            CheckRequest(subject, permission.value, object_name(object_type, object_id))
            for object_id in object_ids
            for subject in caller.subjects
        ]
        answers = await self._relations.batch_check(caller.organization_id, questions) if questions else []
        for question, answer in zip(questions, answers, strict=True):
            allowed[bare_id(question.object)] |= answer
        return allowed

    async def held(
        self, caller: Caller, permissions: Sequence[Permission], object_type: str, object_id: str
    ) -> list[Permission]:
        """Return which of some permissions the caller holds on one object, in their order; one round trip of the
        engine for each who must be allowed.
        """
        left = list(permissions)
        if not object_id or len(object_id) > LONGEST_ID:
            return []
        for one in (caller, *caller.limited_by):
            questions = [
                CheckRequest(subject, permission.value, object_name(object_type, object_id))
                for permission in left
                for subject in one.subjects
            ]
            answers = await self._relations.batch_check(one.organization_id, questions) if questions else []
            yes = {question.relation for question, answer in zip(questions, answers, strict=True) if answer}
            left = [permission for permission in left if permission.value in yes]
        return left

    def admitted(self) -> None:
        """The work of the request begins: whatever is asked from now on is asked of how relations are then."""
        self._arrives = False

    @property
    def unsure(self) -> Seen | None:
        """Return what its answers rest on, where that was assumed and nobody has confirmed it; None where they are
        sure.
        """
        return self._seen if self._seen.unsure else None

    def tell(self, store: str, revision: str) -> None:
        """Take in what the relations of a store were at when something was read for this request."""
        self._seen.tell(store, revision)

    def forget(self) -> None:
        """Drop the answers, after relations were changed in this request."""
        self._answers.clear()
        self._seen, self._arrives = Seen(), False

    def fresh(self) -> "Guard":
        """A guard on the same engine that knows nothing yet."""
        return Guard(self._relations)
