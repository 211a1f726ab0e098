"""Defines what the definitions of dimensions, metrics and violations have in common: names, bounds, and what is built
in.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from uuid import UUID

from persistence.integrity import IntegrityError
from persistence.queries.quality import DefinitionRepository
from persistence.store import UnitOfWork
from resolvers.context import Context
from schema.data_readiness.quality import DefinitionDeleted, Dimension, MetricDefinition
from schema.data_readiness.violation import ViolationDefinition
from schema.errors import AlreadyExists, ApiError, QuotaExceeded, ValidationError

DefinitionT = TypeVar("DefinitionT", bound=Dimension | MetricDefinition | ViolationDefinition)

MOST_OWN = 500
"""How many definitions of one kind a project may have beside those that are built in."""


async def added(
    ctx: Context,
    repository_of: Callable[[UnitOfWork], DefinitionRepository[DefinitionT]],
    make: Callable[[UnitOfWork], tuple[DefinitionT, Mapping[str, Any]]],
) -> DefinitionT:
    """Add a definition of the project's own; `make` answers with it and its hidden columns."""

    tried: list[DefinitionT] = []

    def work(uow: UnitOfWork) -> DefinitionT:
        repository = repository_of(uow)
        new, hidden = make(uow)
        tried[:] = [new]
        if (standing := repository.built_in_named(new.fqn)) is not None:
            raise _taken(repository.noun, new.fqn, standing)
        if repository.count_own(ctx.scope) >= MOST_OWN:
            raise QuotaExceeded(f"A project has {MOST_OWN} definitions of its own at most. Delete one first.")
        own: dict[str, Any] = {
            "organization_id": ctx.organization_id,
            "project_id": ctx.project_id,
            "taken_fqn": new.fqn,
            "created_at": ctx.now(),
            "created_by": ctx.caller.user_id,
        }
        return repository.add(new, **own, **hidden)

    def standing(uow: UnitOfWork) -> ApiError:
        repository, [new] = repository_of(uow), tried
        found = repository.id_where(ctx.scope, taken_fqn=new.fqn)
        return _taken(repository.noun, new.fqn, found or new.id)

    try:
        return await ctx.store.write(work)
    except IntegrityError:
        raise await ctx.store.read(standing) from None


async def changed(
    ctx: Context,
    repository_of: Callable[[UnitOfWork], DefinitionRepository[DefinitionT]],
    id: UUID,
    values: Mapping[str, Any],
) -> DefinitionT:
    """Change a definition of the project's own."""

    def work(uow: UnitOfWork) -> DefinitionT:
        repository = repository_of(uow)
        current = _own(ctx, repository, id)
        expected = ctx.expected_of(current)
        changed = repository.change(ctx.scope, str(id), values, expected=expected)
        if not changed._as_it_stood:
            repository.keep_past(ctx.scope, current, ctx.now())
        return changed

    return await ctx.store.write(work)


async def deleted(
    ctx: Context,
    repository_of: Callable[[UnitOfWork], DefinitionRepository[DefinitionT]],
    id: UUID,
    check: Callable[[UnitOfWork], None] = lambda uow: None,
) -> DefinitionDeleted:
    """Delete a definition of the project's own."""

    def work(uow: UnitOfWork) -> None:
        repository = repository_of(uow)
        current = _own(ctx, repository, id)
        if ctx.expects_another(current._revision):
            raise repository._conflict(str(id))
        check(uow)
        repository.retire(ctx.scope, str(id), ctx.now())

    done = DefinitionDeleted(id=str(id), deleted=True)
    await ctx.store.write(work, told=lambda _: done)
    return done


def dimension_of(ctx: Context, uow: UnitOfWork, id: str) -> Dimension:
    """The dimension that a body names. Raises 422 when there is none."""
    found = uow.dimensions.find(ctx.scope, id)
    if found is None:
        raise ValidationError(
            f"There is no dimension {id!r} in this project. List the dimensions to find one.",
            status=422,
            field="dimension_id",
        )
    return found


def dimensions_named(ctx: Context, uow: UnitOfWork, named: str) -> list[str]:
    """The ids of the dimensions that a filter names, by id or by name."""
    return [one.id for one in uow.dimensions.standing(ctx.scope) if named in (one.id, one.name)]


def _own(ctx: Context, repository: DefinitionRepository[DefinitionT], id: UUID) -> DefinitionT:
    current = repository.get(ctx.scope, str(id))
    if repository.is_built_in(str(id)):
        noun = repository.noun.replace("_", " ")
        raise ValidationError(
            f"This {noun} is built in and stays as it is. Add one of your own instead.", status=422, field="id"
        )
    return current


def _taken(noun: str, fqn: str, id: str) -> ApiError:
    return AlreadyExists(
        f"There is a {noun.replace('_', ' ')} {fqn!r} already. Choose another name, or update that one.",
        resource_type=noun,
        resource_id=id,
    )
