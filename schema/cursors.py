"""Cursors: what marks the place of an item in a list, and the windows of lists that are made with them.

A cursor holds the place of an item and a mark of the item itself, sealed with what the list is, so that it opens with
that list alone.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from schema.errors import InvalidParameter
from schema.pagination import Connection, Edge, PageInfo

_MARKS: Final = (
    ("id",),
    ("schedule_id",),
    ("resource_uri",),
    ("fully_qualified_name",),
    ("name",),
    ("turn_id",),
    ("session_id",),
    ("asset_id",),
    ("entity_type", "entity_id"),
    ("group",),
    ("violation_id",),
    ("user_or_group", "is_group", "relation"),
    ("statement_id", "from_fqn", "to_fqn", "subtype"),
    ("tag_fqn",),
    ("asset_fqn", "kind", "reason", "value"),
)
"""What tells an item of a list from the others, whatever else of it changes; the first that it has."""


class Place(NamedTuple):
    """Where an item stood, counted from 0, and what tells it from the others."""

    offset: int
    mark: str


class Cursors:
    """The cursors of one list; `binding` is what the list is: its name, tenant, filters and parent."""

    def __init__(self, binding: bytes) -> None:
        self._binding = binding

    def connection(self, items: Sequence[Any], start: int, total: int) -> Connection[Any]:
        """The window of these items, of which the first stands at `start`, in a list of so many."""
        edges = [Edge(cursor=self.sealed(start + at, item), node=item) for at, item in enumerate(items)]
        info = PageInfo(
            has_next_page=start + len(items) < total,
            has_previous_page=start > 0 and total > 0,
            start_cursor=edges[0].cursor if edges else None,
            end_cursor=edges[-1].cursor if edges else None,
        )
        return Connection(edges=edges, nodes=list(items), page_info=info, total_count=total)

    def sealed(self, offset: int, item: Any) -> str:
        """The cursor of an item."""
        place = f"{offset}:{mark_of(item)}".encode()
        return base64.urlsafe_b64encode(self._seal(place) + place).decode().rstrip("=")

    def opened(self, cursor: str, field: str) -> Place:
        """What a cursor says. Raises InvalidParameter for one that is not of this list."""
        try:
            text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
            offset, _, mark = text[9:].decode().partition(":")
            if text[:9] != self._seal(text[9:]) or not 0 <= int(offset) < 2_000_000_000:
                raise ValueError(cursor)
            return Place(int(offset), mark)
        except (ValueError, binascii.Error):
            raise InvalidParameter(
                f"{field} is no cursor of this list with these filters. Start again without it.", field=field
            ) from None

    def _seal(self, place: bytes) -> bytes:
        return hashlib.blake2b(place, digest_size=9, key=self._binding).digest()


def key_of(has: Callable[[str], bool]) -> tuple[str, ...]:
    """The fields that tell an item of a list from its neighbours, chosen of those that it has."""
    return next((names for names in _MARKS if all(map(has, names))), ())


def mark_of(item: Any) -> str:
    """Tells an item of a list from its neighbours."""
    plain = ":".join(str(getattr(item, name)) for name in key_of(partial(hasattr, item)))
    return base64.urlsafe_b64encode(hashlib.blake2b(plain.encode(), digest_size=6).digest()).decode()
