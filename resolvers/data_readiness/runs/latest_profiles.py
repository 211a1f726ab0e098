"""Defines what other work reads of profiles: the latest figures of tables, for engines, with every value in them."""

from collections.abc import Sequence

from resolvers.context import Context
from schema.data_readiness.profile import TableProfile


async def latest_profiles(ctx: Context, fqns: Sequence[str]) -> dict[str, TableProfile]:
    """The latest profile of each table that has one, by FQN, with all columns and not masked.

    It is for engines only: what a caller sees goes through the operations, which mask personal data.
    """
    return await ctx.store.read(lambda uow: uow.table_profiles.latest(ctx.scope, fqns))
