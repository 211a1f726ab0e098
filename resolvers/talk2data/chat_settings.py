"""What can be done with the settings of a project's answers: read them, set them."""

from sqlalchemy.exc import IntegrityError

from persistence.store import Shelves
from resolvers.context import Context
from resolvers.operation import Kind, operation, require
from schema.errors import ValidationError, VersionConflict
from schema.governance.permission import Permission
from schema.talk2data.chat_settings import AnswerDrafter, ChatSettings, ChatSettingsChange


@operation(needs=Permission.CAN_READ)
async def get_chat_settings(ctx: Context) -> ChatSettings:
    """Get how the selected project wants to be answered; the defaults when it has set nothing."""
    return await settings_of(ctx)


async def settings_of(ctx: Context) -> ChatSettings:
    """How the selected project wants to be answered, whoever asks."""
    return await ctx.store.read(lambda shelves: shelves.chat_settings.of(ctx.scope))


@operation(needs=Permission.CAN_WRITE, kind=Kind.WRITE)
async def set_chat_settings(ctx: Context, *, settings: ChatSettingsChange) -> ChatSettings:
    """Set how the selected project wants to be answered. What is left out goes back to its default.

    Who sends a key to an address of his own choice must be allowed to read it: with `credentials_secret` and
    `api_base`, this takes can_read_secrets too.
    """
    if settings.drafter is AnswerDrafter.MODEL and settings.llm_model is None:
        raise ValidationError("Name the model that drafts in llm_model.", status=422, field="llm_model")
    if settings.credentials_secret is not None and settings.api_base is not None:
        await require(ctx, Permission.CAN_READ_SECRETS, "project", ctx.project_id)
    values = settings.model_dump() | {"updated_by": ctx.caller.user_id, "updated_at": ctx.now()}

    def work(shelves: Shelves) -> ChatSettings:
        standing = shelves.chat_settings.of(ctx.scope)
        if ctx.expected_revision is not None and standing._revision != ctx.expected_revision:
            raise _changed(ctx)
        if standing._revision:
            return shelves.chat_settings.change(ctx.scope, ctx.project_id, values, expected=standing._revision)
        tenant = {"organization_id": ctx.organization_id, "project_id": ctx.project_id}
        return shelves.chat_settings.add(ChatSettings(**values), **tenant)

    try:
        return await ctx.store.write(work)
    except IntegrityError:  # another first setting came between the look and the write
        raise _changed(ctx) from None


def _changed(ctx: Context) -> VersionConflict:
    return VersionConflict(
        "These settings were changed by somebody else. Read them again and retry.",
        resource_type="chat_settings",
        resource_id=ctx.project_id,
    )
