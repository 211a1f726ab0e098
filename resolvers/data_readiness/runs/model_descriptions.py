"""Words from a language model, when a configuration names one; without it, or when it fails, the others stand.

A configuration's `config` names the model as `llm_model`, `provider`, `api_base` and `api_version`, and the secret of
the project that holds its key as `credentials_secret`: the key alone, or JSON as `{"api_key": ..., "api_base": ...,
"provider": ...}`.

A secret leaves the platform only to where somebody who may read it has said. The secret itself says so, by its
`api_base` or its `provider`; or else who wrote the config must be allowed to read the project's secrets at the moment
of use, and for an address of their own choice who started the run as well.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from auth.caller import WORKER, Caller
from persistence.language_models.providers import BASES, ChatModel, Message, ModelAddress, ModelError, provider_of
from resolvers.authors import addresser_of
from resolvers.bound_secrets import may_read_project_secrets
from resolvers.context import Context
from resolvers.data_readiness.runs.executor import RunWork
from resolvers.engines.describing.known import DescribedTable, Term
from resolvers.engines.describing.prompts import ModelAnswer, borne_out_by, question_about, read_answer
from resolvers.governance.secrets import get_project_secret
from schema.data_readiness.source import ColumnFacts
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.errors import ApiError

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
        subject: DescribedTable,
        columns: Sequence[ColumnFacts],
        *,
        drafts: Mapping[str, str],
        terms: Sequence[Term],
        notes: Sequence[str],
    ) -> ModelAnswer | str:
        """Return what the model says of a table and some of its columns, or a sentence that says why nothing is
        taken.
        """
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
        answer = read_answer(text, question, strict=self.strict)
        return answer if isinstance(answer, str) else borne_out_by(subject, answer)


async def writer_of(work: RunWork, configuration: WorkflowConfiguration, *, strict: bool) -> ModelWriter | None:
    """The model that a configuration names; one with a reason when it cannot be used, None when none is named."""
    config = configuration.config
    if config.get("llm_model") in (None, ""):
        return None
    try:
        chat, name = await chat_of(work.ctx, config, addresser=addresser_of(configuration), runner=work.ctx.caller)
    except ModelError as failure:
        return ModelWriter(str(config["llm_model"])[:200], None, strict, str(failure))
    return ModelWriter(name, chat, strict)


class KeyWithheld(ModelError):
    """A model whose key is not sent where the config says, because nobody who may read the key has said so."""


@dataclass(frozen=True, slots=True)
class _Key:
    """Holds what a secret of the project holds, and for whom it says that it is."""

    credentials: dict[str, Any]
    base: str | None = None
    provider: str | None = None


async def chat_of(
    ctx: Context, config: Mapping[str, Any], *, addresser: Caller | None, runner: Caller | None = None
) -> tuple[ChatModel, str]:
    """The model that a config names, with its name. Raises ModelError; KeyWithheld when its key may not go there.

    `addresser` is who wrote the address and the secret's name into the config, None when that is not known; `runner` is
    whom the work is done for, where they could do it with a config of somebody else's.
    """
    address = _address(config)
    provider, model = provider_of(address)
    key = await _key(ctx, config.get("credentials_secret"))
    if key.base is not None and address.api_base in (None, key.base):
        address = replace(address, api_base=key.base)
    elif key.credentials.get("api_key"):
        await _require_decided(ctx, address, provider, key, addresser, runner)
    return ctx.services.models.chat(address, key.credentials), f"{provider}/{model}"[:200]


def _address(config: Mapping[str, Any]) -> ModelAddress:
    values = {name: config.get(name) or None for name in ("llm_model", "provider", "api_base", "api_version")}
    for name, value in values.items():
        if value is not None and (not isinstance(value, str) or len(value) > 1000):
            raise ModelError(f"config.{name} must be a text of at most 1000 characters.")
    return ModelAddress(str(values["llm_model"]), values["provider"], values["api_base"], values["api_version"])


async def _key(ctx: Context, name: Any) -> _Key:
    if name in (None, ""):
        return _Key({})
    if not isinstance(name, str):
        raise ModelError("config.credentials_secret must be the name of a secret of the project.")
    worker = ctx.as_caller(Caller(WORKER, ctx.organization_id, ctx.project_id))
    try:
        value = (await get_project_secret(worker, name=name)).value
    except ApiError:
        raise ModelError("The project has no secret with the name that config.credentials_secret says.") from None
    if not value.lstrip().startswith("{"):
        return _Key({"api_key": value.strip()})
    try:
        held = orjson.loads(value)
    except orjson.JSONDecodeError:
        raise ModelError(
            "The secret that config.credentials_secret names is not the JSON that it looks like."
        ) from None
    base, provider = (held.get(name) for name in ("api_base", "provider"))
    return _Key(
        {"api_key": held.get("api_key")},
        base if isinstance(base, str) and base else None,
        provider.strip().lower() if isinstance(provider, str) else None,
    )


async def _require_decided(
    ctx: Context, address: ModelAddress, provider: str, key: _Key, addresser: Caller | None, runner: Caller | None
) -> None:
    """Raise KeyWithheld unless the secret itself, or those who may read it, have said that the key goes there."""
    if address.api_base is None and provider in BASES:
        if key.provider == provider:
            return
        where, pin, runner = f"the provider {provider}", "provider", None
    else:
        where, pin = ("config.api_base", "api_base") if address.api_base else (f"the provider {provider}", "")
    keep = f" Or keep {pin} in the secret itself, as JSON." if pin else ""
    if not await may_read_project_secrets(ctx, addresser):
        who = "It is not known who wrote this config" if addresser is None else "Who wrote this config may not read"
        what = " and whether they may read the project's secrets" if addresser is None else " the project's secrets"
        raise KeyWithheld(
            f"{who}{what}, so the key is not sent to {where}. Let somebody who may read them write credentials_secret "
            f"and the address anew.{keep}"
        )
    if runner is not None and not await may_read_project_secrets(ctx, runner):
        raise KeyWithheld(
            f"Who started the run may not read the project's secrets, so the key is not sent to {where}. Let somebody "
            f"who may start it.{keep}"
        )
