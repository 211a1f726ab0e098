"""The same answers from an OpenFGA server, through openfga-sdk (extra `openfga`, imported when first used).

Each organization has an OpenFGA store of its own, named `stoa-<organization>`; it and the platform's model are found
or created when the organization is first seen, and every call names both by id. The server's question limits hold:
50 checks to a batch, 100 tuples to a transaction. Whatever goes wrong is an exception: a server that cannot be
reached is UpstreamUnavailable, a question that the server cannot decide is Undecided, and neither is ever a yes.

OpenFGA allows no colon inside an identifier, so on the wire `%` and `:` are escaped there; callers never see it.
"""

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, SecretStr

from auth.dsl import ModelSyntaxError
from auth.evaluator import MAX_DEPTH, Evaluator
from auth.explain import explain
from auth.model import Model
from auth.relations import (
    CheckRequest,
    Explanation,
    NotInModel,
    RelationTuple,
    Undecided,
    already_stands,
    does_not_stand,
    join_user,
    split_object,
    split_user,
)
from auth.seen import Seen
from schema.errors import ApiError, UpstreamUnavailable

log = logging.getLogger("stoa.auth")

CHECKS_AT_ONCE = 50
TUPLES_AT_ONCE = 100
_CALLS_AT_ONCE = 10
_FRESH = "HIGHER_CONSISTENCY"  # a revoked grant must not live on in the server's cache
_GONE = ("store_id_not_found", "authorization_model_not_found", "latest_authorization_model_not_found")
_STORE_NAME = re.compile(r"[A-Za-z0-9 ./^_&@-]{3,64}")


class OpenFgaSettings(BaseModel):
    """An OpenFGA server in place of the in-process engine."""

    openfga_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="Address of an OpenFGA server, such as http://openfga:8080; unset: the in-process engine.",
    )
    openfga_api_token: SecretStr | None = Field(None, description="Preshared key of the OpenFGA server.")
    openfga_store_prefix: str = Field(
        "stoa-",
        min_length=1,
        max_length=16,
        pattern=r"^[A-Za-z0-9_-]+$",
        description="What the names of the organizations' stores start with; deployments on one server differ in it.",
    )
    openfga_timeout: float = Field(3.0, gt=0, le=60, description="Seconds to wait for the OpenFGA server.")


class OpenFgaRelations:
    """The `Relations` protocol over an OpenFGA server. Use it within one event loop and close it there."""

    def __init__(self, model: Model, settings: OpenFgaSettings) -> None:
        if settings.openfga_url is None:
            raise ValueError("Set STOA_OPENFGA_URL to use an OpenFGA server.")
        self.model = model
        self._settings = settings
        self._sdk: Any = None
        self._closed = False
        self._stores: dict[str, tuple[str, str]] = {}  # organization: store id, model id
        self._locks: dict[str, asyncio.Lock] = {}
        self._calls = asyncio.Semaphore(_CALLS_AT_ONCE)

    async def check(
        self,
        store: str,
        question: CheckRequest,
        *,
        contextual: Sequence[RelationTuple] = (),
        context: Mapping[str, Any] | None = None,
    ) -> bool:
        """See `Relations.check`."""
        self.model.validate_question(question.user, question.relation, question.object)
        body = {**_asked(question, contextual, context), "consistency": _FRESH}
        return (await self._in_store(store, "check", body)).get("allowed") is True

    async def batch_check(
        self,
        store: str,
        questions: Sequence[CheckRequest],
        *,
        contextual: Sequence[RelationTuple] = (),
        context: Mapping[str, Any] | None = None,
    ) -> list[bool]:
        """See `Relations.batch_check`."""
        answers = await self._answers(store, questions, contextual, context)
        for answer in answers:
            if isinstance(answer, ApiError):
                raise answer
        return [answer is True for answer in answers]

    async def allowed(
        self, store: str, subjects: Sequence[str], relation: str, object: str, *, seen: Seen | None = None
    ) -> bool:
        """See `Relations.allowed`."""
        answers = await self._answers(store, [CheckRequest(name, relation, object) for name in subjects], (), None)
        if any(answer is True for answer in answers):
            return True
        for answer in answers:
            if isinstance(answer, ApiError):
                raise answer
        return False

    async def near(self, store: str, subjects: Sequence[str], object_type: str) -> set[str] | None:
        """See `Relations.near`; nobody tells here without leaving some out."""
        return None

    async def held(
        self, store: str, subjects: Sequence[str], relation: str, object_type: str, *, seen: Seen | None = None
    ) -> Sequence[str] | None:
        """See `Relations.held`; nobody tells here without leaving some out."""
        return None

    async def list_objects(self, store: str, user: str, relation: str, object_type: str) -> list[str]:
        """See `Relations.list_objects`. The server stops at its own deadline, so a very long list may be cut."""
        self.model.validate_question(user, relation, f"{object_type}:any")
        body = {"type": object_type, "relation": relation, "user": _wire(user), "consistency": _FRESH}
        return sorted({_plain(item["object"]) async for item in self._stream(store, "streamed-list-objects", body)})

    async def list_users(self, store: str, object: str, relation: str, user_filter: str) -> list[str]:
        """See `Relations.list_users`. The server gives 1,000 at most unless configured otherwise."""
        type_, id_ = split_object(_wire(object))
        self.model.relation(type_, relation)
        user_type, _, user_relation = user_filter.partition("#")
        wanted = {"type": user_type, **({"relation": user_relation} if user_relation else {})}
        answer = await self._in_store(
            store,
            "list-users",
            {
                "object": {"type": type_, "id": id_},
                "relation": relation,
                "user_filters": [wanted],
                "consistency": _FRESH,
            },
        )
        return sorted(map(_listed_user, answer.get("users", ())))

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
        """See `Relations.read`. The server pages by tokens of its own, so every page reads the ones before."""
        found = sorted(await self._all(store, object, relation, user), key=lambda item: item.key)
        return [item for item in found if after is None or item.key > after.key][:limit]

    async def standing(self, store: str, objects: Sequence[str]) -> list[RelationTuple]:
        """See `Relations.standing`. The server reads one object at a time."""
        found = await asyncio.gather(*(self._all(store, name, None, None) for name in sorted(set(objects))))
        return sorted((item for part in found for item in part), key=lambda item: item.key)

    async def write(
        self,
        store: str,
        writes: Sequence[RelationTuple] = (),
        deletes: Sequence[RelationTuple] = (),
        *,
        lenient: bool = False,
    ) -> None:
        """See `Relations.write`. More than 100 tuples are one unit only in the sense that repeats are harmless.

        Raises ValueError for more than 100 tuples that are not `lenient`: the server could not take them as one.
        """
        for item in writes:
            self.model.validate(item)
        if {item.key for item in writes} & {item.key for item in deletes}:
            raise ValueError("A tuple is to be written and deleted at once; choose one.")
        if lenient:
            writes = list({item.key: item for item in writes}.values())
            deletes = list({item.key: item for item in deletes}.values())
        if len(writes) + len(deletes) <= TUPLES_AT_ONCE:
            await self._write(store, writes, deletes, lenient)
        elif lenient:
            for start in range(0, len(writes), TUPLES_AT_ONCE):
                await self._write(store, writes[start : start + TUPLES_AT_ONCE], (), lenient)
            for start in range(0, len(deletes), TUPLES_AT_ONCE):
                await self._write(store, (), deletes[start : start + TUPLES_AT_ONCE], lenient)
        else:
            raise ValueError(f"OpenFGA takes {TUPLES_AT_ONCE} tuples as one unit; write fewer, or leniently.")

    async def delete_object(self, store: str, object: str) -> int:
        """See `Relations.delete_object`."""
        type_, _ = split_object(object)
        forms = {object, *(f"{object}#{name}" for name in self.model.types.get(type_, ()))}
        reads = [self._all(store, object, None, None), *(self._all(store, None, None, form) for form in sorted(forms))]
        found = {item.key: item for items in await asyncio.gather(*reads) for item in items}
        await self.write(store, (), list(found.values()), lenient=True)
        return len(found)

    async def explain(self, store: str, subjects: Sequence[str], relation: str, object: str) -> Explanation:
        """See `Relations.explain`. The tuples around the object are read, and evaluated as the local engine does."""
        for subject in subjects:
            self.model.validate_question(subject, relation, object)
        items: list[RelationTuple] = []
        seen, level = {object}, [object]
        for _ in range(MAX_DEPTH + 1):
            found = await asyncio.gather(*(self._all(store, name, None, None) for name in level))
            items += (level_items := [item for part in found for item in part])
            leads = {join_user(*split_user(item.user)[:2], "") for item in level_items}
            level = sorted(
                name for name in leads - seen if name.partition(":")[0] in self.model.node_types and name[-2:] != ":*"
            )
            seen.update(level)
            if not level:
                break
        return explain(Evaluator(self.model, items), subjects, relation, object)

    async def close(self) -> None:
        """Close the connections to the server, for good: what still asks afterwards is told that it cannot."""
        self._closed = True
        if self._sdk is not None:
            sdk, self._sdk = self._sdk, None
            await sdk.close()

    async def _answers(
        self,
        store: str,
        questions: Sequence[CheckRequest],
        contextual: Sequence[RelationTuple],
        context: Mapping[str, Any] | None,
    ) -> list[bool | ApiError]:
        """Answer in order; what the server could not decide is False, what it could not do is the error."""
        for question in questions:
            self.model.validate_question(question.user, question.relation, question.object)
        parts = [questions[start : start + CHECKS_AT_ONCE] for start in range(0, len(questions), CHECKS_AT_ONCE)]
        done = await asyncio.gather(*(self._batch(store, part, contextual, context) for part in parts))
        return [answer for part in done for answer in part]

    async def _batch(
        self,
        store: str,
        questions: Sequence[CheckRequest],
        contextual: Sequence[RelationTuple],
        context: Mapping[str, Any] | None,
    ) -> list[bool | ApiError]:
        checks = [
            {**_asked(question, contextual, context), "correlation_id": str(number)}
            for number, question in enumerate(questions)
        ]
        results = (await self._in_store(store, "batch-check", {"checks": checks, "consistency": _FRESH})).get("result")
        found = results if isinstance(results, dict) else {}
        return [_answer(found.get(str(number))) for number in range(len(questions))]

    async def _write(
        self, store: str, writes: Sequence[RelationTuple], deletes: Sequence[RelationTuple], lenient: bool
    ) -> None:
        body: dict[str, Any] = {}
        how = "ignore" if lenient else "error"
        if writes:
            body["writes"] = {"tuple_keys": [_key(item) for item in writes], "on_duplicate": how}
        if deletes:
            keys = [_key(RelationTuple(item.user, item.relation, item.object)) for item in deletes]
            body["deletes"] = {"tuple_keys": keys, "on_missing": how}
        if not body:
            return
        try:
            await self._in_store(store, "write", body)
        except Undecided as error:  # the model accepts the tuples, so the server objects to their names
            raise NotInModel("The OpenFGA server does not take these names; they may be too long.") from error

    async def _all(
        self, store: str, object_: str | None, relation: str | None, user: str | None
    ) -> list[RelationTuple]:
        """Read every tuple that fits; the server wants an object, or an object's type beside a user."""
        whole = object_ is not None and not object_.endswith(":")
        if user is not None and not whole:
            types = [object_[:-1]] if object_ else [name for name in self.model.types if self.model.direct(name)]
            keys: list[dict[str, str]] = [{"object": f"{name}:", "user": _wire(user)} for name in types]
        elif object_ is not None and whole:
            keys = [{"object": _wire(object_), **({"user": _wire(user)} if user else {})}]
        else:
            keys = [{}]
        parts = await asyncio.gather(*(self._pages(store, key) for key in keys))
        return [
            item
            for part in parts
            for item in part
            if (relation is None or item.relation == relation) and (not object_ or item.object.startswith(object_))
        ]

    async def _pages(self, store: str, key: dict[str, str]) -> list[RelationTuple]:
        found: list[RelationTuple] = []
        body: dict[str, Any] = {"page_size": 100, "consistency": _FRESH, **({"tuple_key": key} if key else {})}
        while True:
            answer = await self._in_store(store, "read", body)
            found += [_read(item["key"]) for item in answer.get("tuples", ())]
            body["continuation_token"] = answer.get("continuation_token")
            if not body["continuation_token"]:
                return found

    async def _in_store(self, store: str, action: str, body: dict[str, Any]) -> dict[str, Any]:
        """Call one action of an organization's store, which is looked up again when the server has lost it."""
        store_id, model_id = await self._ids(store)
        path = f"/stores/{{store_id}}/{action}"
        sent = body if action == "read" else {**body, "authorization_model_id": model_id}
        try:
            return await self._call(action, "POST", path, sent, {"store_id": store_id})
        except _Gone:
            self._stores.pop(store, None)
            raise

    async def _stream(self, store: str, action: str, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        store_id, model_id = await self._ids(store)
        try:
            async for chunk in self._client().execute_streamed_api_request(
                operation_name=action,
                method="POST",
                path=f"/stores/{{store_id}}/{action}",
                path_params={"store_id": store_id},
                body={**body, "authorization_model_id": model_id},
            ):
                if "result" not in chunk:  # the sdk hands over a refusal as if it were an item
                    raise _refusal(str(chunk.get("code", "")))
                yield chunk["result"]
        except Exception as error:  # the sdk lets the errors of its HTTP client through
            failure = _translated(error)
            if isinstance(failure, _Gone):
                self._stores.pop(store, None)
            raise failure from error

    async def _call(
        self,
        action: str,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        values: dict[str, str] | None = None,
        query: dict[str, str | int] | None = None,
    ) -> dict[str, Any]:
        client = self._client()
        try:
            async with self._calls:
                answer = await client.execute_api_request(
                    operation_name=action, method=method, path=path, path_params=values, body=body, query_params=query
                )
        except Exception as error:  # the sdk lets the errors of its HTTP client through
            raise _translated(error) from error
        found = answer.json()
        if found is None and action != "write":
            raise UpstreamUnavailable("The authorization engine answered with something else than JSON.")
        return found or {}

    def _client(self) -> Any:
        if self._closed:  # a new client would belong to nobody and never be closed
            raise UpstreamUnavailable("The platform is shutting down. Send the request again shortly.")
        if self._sdk is None:
            try:
                import openfga_sdk
                from openfga_sdk.configuration import RetryParams
                from openfga_sdk.credentials import CredentialConfiguration, Credentials
            except ImportError as error:
                raise UpstreamUnavailable(
                    "The OpenFGA client is not installed: run `pip install 'stoa-platform[openfga]'`."
                ) from error
            sdk_retry: Any = RetryParams
            token = self._settings.openfga_api_token
            self._sdk = openfga_sdk.OpenFgaClient(
                openfga_sdk.ClientConfiguration(
                    api_url=(self._settings.openfga_url or "").rstrip("/"),
                    credentials=Credentials(
                        method="api_token",
                        configuration=CredentialConfiguration(api_token=token.get_secret_value()),
                    )
                    if token
                    else None,
                    timeout_millisec=int(self._settings.openfga_timeout * 1000),
                    retry_params=sdk_retry(max_retry=1, min_wait_in_ms=50, max_wait_in_sec=1),
                )
            )
        return self._sdk

    async def _ids(self, store: str) -> tuple[str, str]:
        known = self._stores.get(store)
        if known is None:
            async with self._locks.setdefault(store, asyncio.Lock()):
                known = self._stores.get(store)
                if known is None:
                    store_id = await self._find_store(store)
                    known = self._stores[store] = (store_id, await self._find_model(store_id))
        return known

    async def _find_store(self, store: str) -> str:
        name = store_name(store, self._settings.openfga_store_prefix)
        found = await self._named(name)
        if not found:
            await self._call("create-store", "POST", "/stores", {"name": name})
            found = await self._named(name)  # two processes may both have created one: all take the oldest
        if not found:
            raise UpstreamUnavailable("The authorization engine did not keep the organization's store. Retry shortly.")
        return min(found)

    async def _named(self, name: str) -> list[str]:
        answer = await self._call("list-stores", "GET", "/stores", query={"name": name, "page_size": 50})
        return [item["id"] for item in answer.get("stores", ()) if item["name"] == name]

    async def _find_model(self, store_id: str) -> str:
        """Find the platform's model among the newest of the store, or write it."""
        path, values = "/stores/{store_id}/authorization-models", {"store_id": store_id}
        answer = await self._call("read-models", "GET", path, values=values, query={"page_size": 20})
        for document in answer.get("authorization_models", ()):
            if self._same(document):
                return str(document["id"])
        written = await self._call("write-model", "POST", path, self.model.document, values)
        return str(written["authorization_model_id"])

    def _same(self, document: dict[str, Any]) -> bool:
        try:
            other = Model.from_json({**document, "conditions": document.get("conditions") or {}})
        except (ModelSyntaxError, LookupError, ValueError):
            return False
        return other.types == self.model.types and other.conditions == self.model.conditions


def store_name(store: str, prefix: str = "stoa-") -> str:
    """The name of an organization's store; a digest where OpenFGA would not take the organization's own."""
    name = f"{prefix}{store}"
    return name if _STORE_NAME.fullmatch(name) else prefix + hashlib.sha256(store.encode()).hexdigest()[:48]


class _Gone(UpstreamUnavailable):
    """The server has lost the organization's store or model; the next call looks for it again."""


def _translated(error: Exception) -> ApiError | NotInModel:
    """Say what a failure of the SDK means. Everything that is not understood is an engine that is out of reach."""
    if isinstance(error, ApiError):
        return error
    answered: BaseException | None = error
    while answered is not None and not hasattr(answered, "status"):  # the sdk trips over the answer of a refusal,
        answered = answered.__context__  # and raises an AttributeError on top of the exception that tells why
    if isinstance(answered, Exception):
        error = answered
    status = getattr(error, "status", None)
    code, message = _reason(getattr(error, "body", None))
    if code in _GONE:
        return _refusal(code)
    if code == "write_failed_due_to_invalid_input" or (status == 409 and "already exist" in message):
        named = re.search(r"user: '([^']*)', relation: '([^']*)', object: '([^']*)'", message)
        items = [RelationTuple(_plain(named[1]), named[2], _plain(named[3]))] if named else []
        return does_not_stand(items) if "does not exist" in message else already_stands(items)
    if status == 400:
        return _refusal("validation_error")
    log.error("the authorization engine failed: %s %s", type(error).__name__, status or "", exc_info=error)
    return UpstreamUnavailable("The authorization engine cannot be reached. Retry shortly.")


def _refusal(code: str) -> ApiError:
    if code in _GONE:
        return _Gone("The authorization engine has lost the organization's store. Retry.")
    if code in ("validation_error", "authorization_model_resolution_too_complex"):
        return Undecided("The authorization engine could not decide this question.")
    return UpstreamUnavailable("The authorization engine gave up on the question. Retry shortly.")


def _reason(body: Any) -> tuple[str, str]:
    try:
        found = json.loads(body)
        return str(found.get("code", "")), str(found.get("message", ""))
    except (TypeError, ValueError, AttributeError):
        return "", ""


def _answer(result: Any) -> bool | ApiError:
    if not isinstance(result, dict):
        return UpstreamUnavailable("The authorization engine left a question unanswered. Retry shortly.")
    error = result.get("error")
    if error is None:
        return result.get("allowed") is True
    if isinstance(error, dict) and error.get("input_error"):
        log.warning("undecided, so refused: %s", error.get("input_error"))
        return False
    return UpstreamUnavailable("The authorization engine failed on a question. Retry shortly.")


def _asked(
    question: CheckRequest, contextual: Sequence[RelationTuple], context: Mapping[str, Any] | None
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "tuple_key": {
            "user": _wire(question.user),
            "relation": question.relation,
            "object": _wire(question.object),
        }
    }
    if contextual:
        body["contextual_tuples"] = {"tuple_keys": [_key(item) for item in contextual]}
    if context:
        body["context"] = dict(context)
    return body


def _key(item: RelationTuple) -> dict[str, Any]:
    key: dict[str, Any] = {"user": _wire(item.user), "relation": item.relation, "object": _wire(item.object)}
    if item.condition:
        key["condition"] = {"name": item.condition, "context": dict(item.context or {})}
    return key


def _read(key: Mapping[str, Any]) -> RelationTuple:
    condition = key.get("condition") or {}
    return RelationTuple(
        _plain(key["user"]),
        key["relation"],
        _plain(key["object"]),
        condition.get("name") or None,
        condition.get("context") or None,
    )


def _listed_user(item: Mapping[str, Any]) -> str:
    if "wildcard" in item:
        return f"{item['wildcard']['type']}:*"
    named = item.get("userset") or item["object"]
    return _plain(join_user(named["type"], named["id"], named.get("relation", "")))


def _wire(name: str) -> str:
    type_, id_, relation = split_user(name)
    return join_user(type_, id_.replace("%", "%25").replace(":", "%3A"), relation)


def _plain(name: str) -> str:
    type_, id_, relation = split_user(name)
    return join_user(type_, re.sub("%(25|3A)", lambda found: "%" if found[1] == "25" else ":", id_), relation)
