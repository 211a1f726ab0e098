"""The way up from what a project holds: to the project, and to the organization of both."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import strawberry
from pydantic import BaseModel

from schema.base import Info, edge, resource

if TYPE_CHECKING:
    from schema.governance.organization import Organization
    from schema.governance.project import Project

ModelT = TypeVar("ModelT", bound=BaseModel)


def belonging(kept_in: str | None = None, key: str = "id") -> Callable[[type[ModelT]], type[ModelT]]:
    """Open a resource to GraphQL with the edges `project` and `organization`. Use it in the place of `@resource`.

    Where no field `project_id` says which project that is, it is looked up in a repository of the store: of what is
    kept there under the value of the field `key`.
    """
    return lambda cls: resource(with_ways_up(cls, kept_in, key))


def with_ways_up(cls: type[ModelT], kept_in: str | None, key: str) -> type[ModelT]:
    """Give a class that is not opened yet the edges up that it does not have by itself."""

    async def project(
        self: Any, info: Info
    ) -> Annotated["Project", strawberry.lazy("schema.governance.project")] | None:
        """The project that it is in; null when there is none, or the caller may not read it."""
        if kept_in is not None:
            return await info.context.load.project_of(kept_in, getattr(self, key))
        return None if self.project_id is None else await info.context.load.project(self.project_id)

    async def organization(
        self: Any, info: Info
    ) -> Annotated["Organization", strawberry.lazy("schema.governance.organization")] | None:
        """The organization that it is of; null when the caller may not read it."""
        return await info.context.load.organization(info.context.organization_id)

    told = kept_in is not None or "project_id" in cls.model_fields
    for way in (project, organization) if told else (organization,):
        if way.__name__ not in vars(cls):
            setattr(cls, way.__name__, edge(way))
    return cls
