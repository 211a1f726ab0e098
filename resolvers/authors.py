"""Defines who wrote what later work does: such work runs with the weaker rights of its author and of whoever starts it.

A configuration is written at one time and carried out at another, by a schedule or by somebody with more rights. So
who last wrote it is kept with it, as runs keep their caller, and a run needs what it does to be allowed to both. What
was written before this was kept has no known author: its runs act for who starts them alone, and no secret goes to an
address that it names.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from auth.caller import Caller
from resolvers.context import Context
from resolvers.operation import require
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.governance.permission import Permission
from schema.talk2data.chat_settings import ChatSettings

ADDRESS: Final = ("llm_model", "provider", "api_base", "api_version", "credentials_secret")
"""The fields that say together to whom which secret is sent; who wrote them is kept apart from who wrote the rest."""


def author_of(written: WorkflowConfiguration | ChatSettings) -> Caller | None:
    """Return who last wrote it."""
    return _author(written, "whole")


def addresser_of(written: WorkflowConfiguration | ChatSettings) -> Caller | None:
    """Return who last wrote to whom which secret is sent: not who changed other things beside it since."""
    return _author(written, "address")


def authored(
    ctx: Context, said: Mapping[str, Any], before: Mapping[str, Any], authors: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """The authors to keep when the caller has said something in the place of what was there before."""
    if authors is not None and said == before:
        return authors
    caller = ctx.caller.to_dict()
    same_address = all((said.get(name) or None) == (before.get(name) or None) for name in ADDRESS)
    return {"whole": caller, "address": authors["address"] if authors is not None and same_address else caller}


def limited_by_author(caller: Caller, configuration: WorkflowConfiguration) -> Caller:
    """Somebody with no more rights than who last wrote the configuration."""
    author = author_of(configuration)
    return caller if author is None else caller.limited(author)


async def on_behalf(ctx: Context, configuration: WorkflowConfiguration) -> Context:
    """The context of a run of a configuration. Raises the refusal when its author may execute nothing any more."""
    caller = limited_by_author(ctx.caller, configuration)
    if caller == ctx.caller:
        return ctx
    limited = replace(ctx, caller=caller)
    await require(limited, Permission.CAN_EXECUTE, "project", ctx.project_id)
    return limited


def _author(written: WorkflowConfiguration | ChatSettings, part: str) -> Caller | None:
    return None if written._authors is None else Caller.from_dict(written._authors[part])
