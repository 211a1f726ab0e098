"""The relations of a platform whose services run apart: every question goes to the governance service over HTTP.

The call is the platform's own and no part of the contract: one path, one shared key, the methods of `Relations` by
name. Why it is not the documented permission check tells docs/decisions/0078. The key lets its holder ask and write for
every organization, so it belongs to the services alone, and the path to the network between them.

When governance cannot be reached or cannot answer, the answer is 403 FORBIDDEN (contract section 7, rule 4): never a
yes, and never an answer remembered from before.
"""

import inspect
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self, cast, get_type_hints

import httpx
from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, create_model, model_validator
from pydantic_core import to_json

from auth.relations import (
    AlreadyStands,
    CheckRequest,
    DoesNotStand,
    Explanation,
    NotInModel,
    Relations,
    RelationTuple,
    Undecided,
)
from auth.seen import Seen
from schema.errors import Forbidden

log = logging.getLogger("stoa.auth")

PATH: Final = "/governance/internal/relations"
KEY_HEADER: Final = "X-Stoa-Service-Key"


class GovernanceSettings(BaseModel):
    """Where governance is, for a service that runs apart from it."""

    governance_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s/?#]+$",
        description="Address of the governance service, such as http://governance:8000, for a service that runs "
        "apart; unset: a service asks the relations in the shared store, or OpenFGA.",
    )
    service_key: SecretStr | None = Field(
        None,
        min_length=32,
        description="Secret that the services show governance, 32 characters or more; the same for all of them. "
        "Governance answers the others only when it is set.",
    )
    governance_timeout: float = Field(3.0, gt=0, le=60, description="Seconds to wait for the governance service.")

    @model_validator(mode="after")
    def _with_a_key(self) -> Self:
        if self.governance_url is not None and self.service_key is None:
            raise ValueError("STOA_GOVERNANCE_URL needs STOA_SERVICE_KEY, the secret that the services share.")
        return self


class GovernanceUnavailable(Forbidden):
    """Nobody can say whether the caller may, so they may not."""

    def __init__(self) -> None:
        super().__init__(
            "The governance service is not available, so no permission can be checked. Retry shortly.",
            service="governance",
        )


class RemoteCall:
    """One method of `Relations` as it goes over the wire."""

    def __init__(self, name: str) -> None:
        method = getattr(Relations, name)
        hints = get_type_hints(method)
        fields: dict[str, Any] = {
            p.name: (hints[p.name], ... if p.default is p.empty else p.default)
            for p in inspect.signature(method).parameters.values()
            if p.name not in ("self", "seen")  # what was seen here says nothing there
        }
        self.name = name
        self.arguments: type[BaseModel] = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
        self.answer: TypeAdapter[Any] = TypeAdapter(hints["return"])

    async def carried_out(self, relations: Relations, body: bytes) -> bytes:
        """Answer for the engine that governance has. Raises what the engine raises, and ValueError for the body."""
        arguments = self.arguments.model_validate_json(body)
        given = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        return self.answer.dump_json(await getattr(relations, self.name)(**given))


CALLS: Final = {
    name: RemoteCall(name)
    for name in (
        "check",
        "batch_check",
        "allowed",
        "list_objects",
        "list_users",
        "read",
        "standing",
        "write",
        "delete_object",
        "explain",
    )
}

REFUSALS: Final = (NotInModel, AlreadyStands, DoesNotStand, Undecided)
"""What an engine may say besides an answer; it means the same on the other side."""


def refusal_as_json(error: Exception) -> bytes:
    """One of `REFUSALS` for the wire."""
    details = getattr(error, "details", {})
    return to_json({"refused": type(error).__name__, "message": str(error), "details": details})


def _refusal(body: bytes) -> Exception:
    told = TypeAdapter(dict[str, Any]).validate_json(body)
    kind = next(kind for kind in REFUSALS if kind.__name__ == told["refused"])
    if kind is NotInModel:
        return NotInModel(told["message"])
    if kind is DoesNotStand:
        return DoesNotStand(**told["details"])
    return cast("type[AlreadyStands | Undecided]", kind)(told["message"], **told["details"])


class RemoteRelations:
    """The `Relations` protocol over the governance service. Use it within one event loop and close it there."""

    def __init__(self, settings: GovernanceSettings, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        if settings.governance_url is None or settings.service_key is None:
            raise ValueError("Set STOA_GOVERNANCE_URL and STOA_SERVICE_KEY to ask the governance service.")
        # The operator's own address, not a user's: the policy on outbound connections has no say, nor has a proxy.
        self._http = httpx.AsyncClient(
            base_url=settings.governance_url,
            headers={KEY_HEADER: settings.service_key.get_secret_value(), "Content-Type": "application/json"},
            timeout=httpx.Timeout(settings.governance_timeout, connect=min(1.0, settings.governance_timeout)),
            limits=httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=30),
            trust_env=False,
            transport=transport,
        )

    async def check(
        self,
        store: str,
        question: CheckRequest,
        *,
        contextual: Sequence[RelationTuple] = (),
        context: Mapping[str, Any] | None = None,
    ) -> bool:
        """See `Relations.check`."""
        found = await self._ask("check", store=store, question=question, contextual=contextual, context=context)
        return cast("bool", found)

    async def batch_check(
        self,
        store: str,
        questions: Sequence[CheckRequest],
        *,
        contextual: Sequence[RelationTuple] = (),
        context: Mapping[str, Any] | None = None,
    ) -> list[bool]:
        """See `Relations.batch_check`."""
        found = await self._ask("batch_check", store=store, questions=questions, contextual=contextual, context=context)
        answers = cast("list[bool]", found)
        if len(answers) != len(questions):
            raise GovernanceUnavailable
        return answers

    async def allowed(
        self, store: str, subjects: Sequence[str], relation: str, object: str, *, seen: Seen | None = None
    ) -> bool:
        """See `Relations.allowed`."""
        found = await self._ask("allowed", store=store, subjects=subjects, relation=relation, object=object)
        return cast("bool", found)

    async def near(self, store: str, subjects: Sequence[str], object_type: str) -> set[str] | None:
        """See `Relations.near`; nobody tells here without leaving some out."""
        return None

    async def held(
        self, store: str, subjects: Sequence[str], relation: str, object_type: str, *, seen: Seen | None = None
    ) -> Sequence[str] | None:
        """See `Relations.held`; nobody tells here without leaving some out."""
        return None

    async def list_objects(self, store: str, user: str, relation: str, object_type: str) -> list[str]:
        """See `Relations.list_objects`."""
        found = await self._ask("list_objects", store=store, user=user, relation=relation, object_type=object_type)
        return cast("list[str]", found)

    async def list_users(self, store: str, object: str, relation: str, user_filter: str) -> list[str]:
        """See `Relations.list_users`."""
        found = await self._ask("list_users", store=store, object=object, relation=relation, user_filter=user_filter)
        return cast("list[str]", found)

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
        found = await self._ask(
            "read", store=store, object=object, relation=relation, user=user, limit=limit, after=after
        )
        return cast("list[RelationTuple]", found)

    async def standing(self, store: str, objects: Sequence[str]) -> list[RelationTuple]:
        """See `Relations.standing`."""
        return cast("list[RelationTuple]", await self._ask("standing", store=store, objects=objects))

    async def write(
        self,
        store: str,
        writes: Sequence[RelationTuple] = (),
        deletes: Sequence[RelationTuple] = (),
        *,
        lenient: bool = False,
    ) -> None:
        """See `Relations.write`."""
        # What a store stages has the shape of a tuple and is of a class of its own.
        await self._ask("write", store=store, writes=_plain(writes), deletes=_plain(deletes), lenient=lenient)

    async def delete_object(self, store: str, object: str) -> int:
        """See `Relations.delete_object`."""
        return cast("int", await self._ask("delete_object", store=store, object=object))

    async def explain(self, store: str, subjects: Sequence[str], relation: str, object: str) -> Explanation:
        """See `Relations.explain`."""
        found = await self._ask("explain", store=store, subjects=subjects, relation=relation, object=object)
        return cast("Explanation", found)

    async def close(self) -> None:
        """Close the connections to governance."""
        await self._http.aclose()

    async def _ask(self, name: str, **arguments: Any) -> Any:
        """Call one method over there. Raises its refusals, and GovernanceUnavailable for everything else."""
        try:
            answer = await self._http.post(f"{PATH}/{name}", content=to_json(arguments))
            if answer.status_code == 200:
                return CALLS[name].answer.validate_json(answer.content, strict=True)
            refused = _refusal(answer.content) if answer.status_code == 409 else None
        except (httpx.HTTPError, ValueError, KeyError, TypeError, StopIteration) as error:
            log.error("governance cannot be asked: %s", type(error).__name__)
            raise GovernanceUnavailable from None
        if refused is not None:
            raise refused
        hint = "; do both have the same STOA_SERVICE_KEY?" if answer.status_code in (401, 404) else ""
        log.error("governance answered %d%s", answer.status_code, hint)
        raise GovernanceUnavailable


def _plain(items: Sequence[RelationTuple]) -> list[RelationTuple]:
    return [RelationTuple(i.user, i.relation, i.object, i.condition, i.context) for i in items]
