"""Entities: the resources that a front end keeps by one global id, whatever their type (`node(id)`)."""

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import strawberry
from pydantic import BaseModel

from schema.base import edge, resource
from schema.belonging import with_ways_up
from schema.errors import InvalidParameter

MOST_LETTERS: Final = 4096
"""Of a global id, and of the key of an entity: as many as a parameter may have."""

ModelT = TypeVar("ModelT", bound=BaseModel)


def entity(
    key: str = "id", kept_in: str | None = None, *, is_top: bool = False
) -> Callable[[type[ModelT]], type[ModelT]]:
    """Open a resource to GraphQL as an entity; `key` is the field that tells one from another in the organization.

    It has the edges of `belonging`, unless it `is_top`, which nothing is above.

    Use it in the place of `@resource`, and say in `resolvers/entities.py` how many are read at once.
    """

    def opened(cls: type[ModelT]) -> type[ModelT]:
        async def node_id(self: Any) -> strawberry.ID:
            """The id of this resource among those of all types; `node` reads it again."""
            return strawberry.ID(encode(cls.__name__, getattr(self, key)))

        _ENTITIES.add(cls.__name__)
        setattr(cls, "node_id", edge(node_id))  # noqa: B010 (mypy refuses the plain assignment)
        return resource(cls if is_top else with_ways_up(cls, kept_in, key))

    return opened


_ENTITIES: Final[set[str]] = set()
"""The names of all entity types."""

_SPELLED: Final = re.compile(r"[A-Za-z0-9_-]+")
"""What every global id is made of."""


def key_named(value: Any) -> Any:
    """The key of an entity in the place of its global id; anything else as it is."""
    if not isinstance(value, str) or not _SPELLED.fullmatch(value):
        return value
    try:
        type_name, key = decode(value)
    except InvalidParameter:
        return value
    return key if type_name in _ENTITIES and encode(type_name, key) == value else value


def names_resource(name: str) -> bool:
    """Return whether an argument of this name names a resource by its id."""
    return name == "id" or name.endswith(("_id", "_uri"))


def encode(type_name: str, key: str) -> str:
    """The global id of an entity."""
    return base64.urlsafe_b64encode(f"{type_name}:{key}".encode()).decode().rstrip("=")


def decode(node_id: str) -> tuple[str, str]:
    """The type and the key of an entity. Raises InvalidParameter for what is no global id."""
    try:
        if len(node_id) > MOST_LETTERS:
            raise ValueError
        plain = base64.b64decode(node_id + "=" * (-len(node_id) % 4), altchars=b"-_", validate=True).decode()
    except (ValueError, binascii.Error):
        plain = ""
    type_name, separator, key = plain.partition(":")
    if not separator:
        raise InvalidParameter("This is no nodeId that this service answered with.", field="id")
    return type_name, key


def deletion(key: str) -> Callable[[type[ModelT]], type[ModelT]]:
    """Open what a deletion answers with to GraphQL; `deletedId` is the field or attribute `key`, whatever its name."""

    def opened(cls: type[ModelT]) -> type[ModelT]:
        async def deleted_id(self: Any) -> strawberry.ID | None:
            """The id, resource URI or name by which it was known; null where nothing was deleted."""
            told = getattr(self, key)
            return None if told is None else strawberry.ID(told)

        setattr(cls, "deleted_id", edge(deleted_id))  # noqa: B010 (mypy refuses the plain assignment)
        return resource(cls)

    return opened
