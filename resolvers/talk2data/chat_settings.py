"""Operations on the settings of a project's answers: read them, set them."""

from typing import Final

from auth.caller import Caller
from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.store import UnitOfWork
from resolvers.authors import ADDRESS, addresser_of, authored
from resolvers.context import Context
from resolvers.data_readiness.runs.model_descriptions import KeyWithheld, chat_of
from resolvers.operation import operation, refusal, require
from schema.errors import ValidationError, VersionConflict
from schema.governance.permission import Permission
from schema.talk2data.chat_settings import AnswerDrafter, ChatSettings, ChatSettingsChange
from schema.talk2data.language_model import ModelError

_FIELDS: Final = {
    "credentials": "credentials_secret",
    "api_version": "api_version",
    "api_base": "api_base",
    "llm_model": "llm_model",
}
"""The field that a sentence about a model is about, by the first of these words that it has."""
_KEEP: Final = "Keep the key in a secret of the project and name that secret in credentials_secret."


@operation(needs=Permission.CAN_READ)
async def get_chat_settings(ctx: Context) -> ChatSettings:
    """Get how the selected project wants to be answered; the defaults when it has set nothing."""
    return await settings_of(ctx)


async def settings_of(ctx: Context) -> ChatSettings:
    """Return how the selected project wants to be answered, whoever asks."""
    return await ctx.store.read(lambda uow: _known(ctx, uow.chat_settings.of(ctx.scope)))


def _known(ctx: Context, settings: ChatSettings) -> ChatSettings:
    """The settings with who set them: of those that an earlier version kept, a name is known and no groups."""
    if settings._authors is None and settings.updated_by is not None:
        setter = Caller(settings.updated_by, ctx.organization_id, ctx.project_id).to_dict()
        settings._authors = {"whole": setter, "address": setter}
    return settings


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def set_chat_settings(ctx: Context, *, settings: ChatSettingsChange) -> ChatSettings:
    """Set how the selected project wants to be answered. What is left out goes back to its default.

    A model that drafts must be one that can be asked: with a key unless its provider is openai_like, ollama or vllm,
    with an address where the provider has none. Else this is a 422. The model itself is not called; verify_model does.

    Who decides where a key is sent must be allowed to read it: with `credentials_secret` and `api_base`, this takes
    can_read_secrets too, and so it does when a model drafts and the secret itself names neither its `api_base` nor its
    `provider`. Settings of the model that stand already may be sent again by anybody who may write.
    """
    if settings.drafter is AnswerDrafter.MODEL and settings.llm_model is None:
        raise ValidationError("Name the model that drafts in llm_model.", status=422, field="llm_model")
    before = await settings_of(ctx)
    stays = before._authors is not None and all(getattr(settings, name) == getattr(before, name) for name in ADDRESS)
    reads = await ctx.guard.allows(ctx.caller, Permission.CAN_READ_SECRETS, "project", ctx.project_id)
    if settings.credentials_secret is not None and settings.api_base is not None and not stays and not reads:
        await require(ctx, Permission.CAN_READ_SECRETS, "project", ctx.project_id)
    addresser = addresser_of(before) if stays and not reads else ctx.caller
    if settings.drafter is AnswerDrafter.MODEL:
        await _require_askable(ctx, settings, addresser)
    values = settings.model_dump() | {"updated_by": ctx.caller.user_id, "updated_at": ctx.now()}

    def work(uow: UnitOfWork) -> ChatSettings:
        standing = uow.chat_settings.of(ctx.scope)
        if ctx.expects_another(standing._revision):
            raise _changed(ctx)
        # Who may read the key answers for the address that they send, whoever wrote the same before.
        known = None if reads else _known(ctx, standing)._authors
        authors = authored(ctx, settings.model_dump(), standing.model_dump(), known)
        if standing._revision:
            row = values | {"authors": authors}
            return uow.chat_settings.change(ctx.scope, ctx.project_id, row, expected=standing._revision)
        tenant = {"organization_id": ctx.organization_id, "project_id": ctx.project_id}
        return uow.chat_settings.add(ChatSettings(**values), authors=authors, **tenant)

    try:
        return await ctx.store.write(work)
    except IntegrityError:  # another first setting came between the look and the write
        raise _changed(ctx) from None


async def _require_askable(ctx: Context, settings: ChatSettingsChange, addresser: Caller | None) -> None:
    """Refuse a model that no question could be put to."""
    try:
        await chat_of(ctx, settings.model_dump(), addresser=addresser)
    except KeyWithheld:
        raise await refusal(ctx, Permission.CAN_READ_SECRETS, "project", ctx.project_id) from None
    except ModelError as failure:
        message = str(failure).replace("config.", "")
        field = next((field for word, field in _FIELDS.items() if word in message), "provider")
        if "needs credentials" in message:
            message += f" {_KEEP}"
        raise ValidationError(message, status=422, field=field) from None


def _changed(ctx: Context) -> VersionConflict:
    return VersionConflict(
        "These settings were changed by somebody else. Read them again and retry.",
        resource_type="chat_settings",
        resource_id=ctx.project_id,
    )
