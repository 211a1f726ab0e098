"""Words from a language model, when a configuration names one; without it, or when it fails, the others stand.

A configuration's `config` names the model as `llm_model`, `provider`, `api_base` and `api_version`, and the secret of
the project that holds its key as `credentials_secret`: the key alone, or JSON as `{"api_key": ..., "api_base": ...}`.

A secret leaves the platform only to where somebody who may read it has said: to the provider's own address, to the
`api_base` that stands in the secret itself, or to another one when who started the run may read the project's secrets.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from auth.caller import Caller
from persistence.models import ChatModel, Message, ModelAddress, ModelError, provider_of
from resolvers.context import Context
from resolvers.data_readiness.work.run_work import RunWork
from resolvers.engines.describing.known import Subject, Term
from resolvers.engines.describing.prompts import Answer, question_about, read_answer
from resolvers.governance.projects import WORKER
from resolvers.governance.secrets import get_project_secret
from schema.data_readiness.source import ColumnFacts
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.errors import ApiError
from schema.governance.permission import Permission

log = logging.getLogger("stoa.words")

ANSWER_SECONDS: Final = 120.0
"""How long one answer may take in all; the deployment's `model_timeout` bounds each wait inside it."""


@dataclass(slots=True)
class ModelWriter:
    """A model that is asked, until it fails."""

    name: str
    """The provider and the model, as evidence names them."""
    chat: ChatModel | None
    strict: bool
    """Whether only what the data bears out is taken."""
    reason: str | None = None
    """Why the model is not asked (any more)."""

    async def words(
        self,
        subject: Subject,
        columns: Sequence[ColumnFacts],
        *,
        drafts: Mapping[str, str],
        terms: Sequence[Term],
        notes: Sequence[str],
    ) -> Answer | str:
        """What the model says of a table and some of its columns, or a sentence that says why nothing is taken."""
        if self.chat is None or self.reason is not None:
            return self.reason or "The model cannot be used."
        question = question_about(subject, columns, drafts=drafts, terms=terms, notes=notes)
        messages = [Message("system", question.system), Message("user", question.user)]
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                text = await self.chat.complete(messages, max_tokens=question.max_tokens)
        except ModelError as failure:
            self.reason = str(failure)
        except TimeoutError:
            self.reason = f"The model did not answer within {ANSWER_SECONDS:g} seconds."
        if self.reason is not None:
            log.info("the model %s is not asked any more in this task: %s", self.name, self.reason)
            return self.reason
        return read_answer(text, question, strict=self.strict)


async def writer_of(work: RunWork, configuration: WorkflowConfiguration, *, strict: bool) -> ModelWriter | None:
    """The model that a configuration names; one with a reason when it cannot be used, None when none is named."""
    config = configuration.config
    if config.get("llm_model") in (None, ""):
        return None
    try:
        chat, name = await chat_of(work.ctx, config)
    except ModelError as failure:
        return ModelWriter(str(config["llm_model"])[:200], None, strict, str(failure))
    return ModelWriter(name, chat, strict)


async def chat_of(ctx: Context, config: Mapping[str, Any], *, is_approved: bool = False) -> tuple[ChatModel, str]:
    """The model that a config names, with its name. Raises ModelError.

    `is_approved` says that somebody who may read the key has chosen the address that it is sent to.
    """
    address = _address(config)
    provider, model = provider_of(address)
    credentials, pinned = await _credentials(ctx, config.get("credentials_secret"))
    address = await _where(ctx, address, pinned, has_key=bool(credentials) and not is_approved)
    return ctx.services.models.chat(address, credentials), f"{provider}/{model}"[:200]


def _address(config: Mapping[str, Any]) -> ModelAddress:
    values = {name: config.get(name) or None for name in ("llm_model", "provider", "api_base", "api_version")}
    for name, value in values.items():
        if value is not None and (not isinstance(value, str) or len(value) > 1000):
            raise ModelError(f"config.{name} must be a text of at most 1000 characters.")
    return ModelAddress(str(values["llm_model"]), values["provider"], values["api_base"], values["api_version"])


async def _credentials(ctx: Context, name: Any) -> tuple[dict[str, Any], str | None]:
    """The key that a secret of the project holds, and the address that it is for if it says so."""
    if name in (None, ""):
        return {}, None
    if not isinstance(name, str):
        raise ModelError("config.credentials_secret must be the name of a secret of the project.")
    worker = ctx.as_caller(Caller(WORKER, ctx.organization_id, ctx.project_id))
    try:
        value = (await get_project_secret(worker, name=name)).value
    except ApiError:
        raise ModelError("The project has no secret with the name that config.credentials_secret says.") from None
    if not value.lstrip().startswith("{"):
        return {"api_key": value.strip()}, None
    try:
        held = orjson.loads(value)
    except orjson.JSONDecodeError:
        raise ModelError(
            "The secret that config.credentials_secret names is not the JSON that it looks like."
        ) from None
    base = held.get("api_base")
    return {"api_key": held.get("api_key")}, base if isinstance(base, str) and base else None


async def _where(ctx: Context, address: ModelAddress, pinned: str | None, *, has_key: bool) -> ModelAddress:
    """The address that a key may be sent to. Raises ModelError."""
    if pinned is not None and address.api_base in (None, pinned):
        return ModelAddress(address.llm_model, address.provider, pinned, address.api_version)
    if not has_key or address.api_base is None:
        return address
    if await ctx.guard.allows(ctx.caller, Permission.CAN_READ_SECRETS, "project", ctx.project_id):
        return address
    raise ModelError(
        "Who started the run may not read the project's secrets, so the key is not sent to config.api_base. "
        "Let somebody who may keep api_base in the secret itself."
    )
