"""The guard of one request: asks the relations engine, and remembers the answers for as long as the request lasts."""

from auth.caller import Caller
from auth.permissions import Permission
from auth.relations import Relations


class Guard:
    """Answers whether a caller holds a permission; one round trip per object and permission, groups included."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._answers: dict[tuple[str, tuple[str, ...], str, str], bool] = {}

    async def allows(self, caller: Caller, permission: Permission, object_type: str, object_id: str) -> bool:
        """Whether the caller or any of his groups holds the permission, inside his own organization's tuples only.

        An id that no tuple could name is refused without asking. Raises UpstreamUnavailable when the engine is down.
        """
        if not object_id or any(mark.isspace() or mark in "#*" for mark in object_id) or len(object_id) > 256:
            return False
        key = (caller.organization_id, caller.subjects, permission.value, f"{object_type}:{object_id}")
        if key not in self._answers:
            self._answers[key] = await self._relations.allowed(
                caller.organization_id, caller.subjects, permission.value, key[3]
            )
        return self._answers[key]

    def forget(self) -> None:
        """Drop the answers, after relations were changed in this request."""
        self._answers.clear()

    def fresh(self) -> "Guard":
        """A guard on the same engine that knows nothing yet."""
        return Guard(self._relations)
