"""Cuts answers to a size, and says exactly what was left out: nothing is cut without a word.

A list is cut between its items. What does not fit by itself, one large item or a large single value, is given as
consecutive pieces of its JSON text. `complete` says whether anything follows, `total` how much there is, and `cursor`
takes up where an answer ended, in the same call.
"""

import base64
import binascii
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import orjson
from pydantic import TypeAdapter
from pydantic_core import to_json

from auth.rate_limit import CallKind
from resolvers.context import Context
from resolvers.operation import Operation
from rest_compat.request import digest_of, entity_tag
from schema.connections import item_of
from schema.errors import InvalidParameter, VersionConflict
from schema.pagination import Page

LONGEST_CURSOR: Final = 300
_SEAL: Final = 9
_ROOM: Final = 550
"""Bytes that are kept for the cursor, for what is said of the rest, and for the notice before it all."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer goes on: a window of the list, how many of its items were given, how much of the next one."""

    window: int | None = None
    """The page, or the offset, that the operation is asked for; None for the one that the arguments name."""
    skip: int = 0
    at: int = 0
    """How many characters of the text of the next item were given."""
    digest: str = ""
    """Of that text, which must be the same still."""


class Cursors:
    """Seals and opens the places of one call: a cursor holds for the same call of the same caller's project alone."""

    def __init__(self, ctx: Context, operation: str, arguments: Mapping[str, Any]) -> None:
        plain = TypeAdapter(dict[str, Any]).dump_python(dict(arguments), mode="json")
        bound = orjson.dumps(
            [operation, ctx.organization_id, ctx.caller.project_id, plain], option=orjson.OPT_SORT_KEYS, default=str
        )
        self._key = hashlib.blake2b(bound, digest_size=32).digest()

    def sealed(self, place: Place) -> str:
        """The cursor of a place."""
        text = orjson.dumps([place.window, place.skip, place.at, place.digest])
        return base64.urlsafe_b64encode(self._seal(text) + text).decode().rstrip("=")

    def opened(self, cursor: object) -> Place:
        """The place of a cursor. Raises InvalidParameter for one of another call."""
        try:
            if not isinstance(cursor, str) or len(cursor) > LONGEST_CURSOR:
                raise ValueError(cursor)
            text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
            if text[:_SEAL] != self._seal(text[_SEAL:]):
                raise ValueError(cursor)
            return Place(*orjson.loads(text[_SEAL:]))
        except (ValueError, binascii.Error):
            raise InvalidParameter(
                "This is no cursor of this call with these arguments. Start again without it.", field="cursor"
            ) from None

    def _seal(self, text: bytes) -> bytes:
        return hashlib.blake2b(text, digest_size=_SEAL, key=self._key).digest()


@dataclass(frozen=True, slots=True)
class Whole:
    """What an operation answered, as JSON, before anything is cut."""

    items: Sequence[bytes]
    is_list: bool
    total: int
    offset: int = 0
    next_window: int | None = None
    """Which window of the list follows this one."""
    tag: str | None = None
    cut_short: bool = False
    """Whether the operation says itself that it gave less than there is, as a preview does."""


def windowed(op: Operation[..., Any], arguments: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """The arguments, asking for the window of a place."""
    name = _window_name(op)
    return dict(arguments) if place.window is None or name is None else {**arguments, name: place.window}


def bounded(
    op: Operation[..., Any], value: Any, place: Place, cursors: Cursors, *, most: int, again: bool = True
) -> dict[str, Any]:
    """The answer for what an operation gave, from a place on, in at most so many bytes of JSON."""
    return cut(op.name, _whole(op, value), place, cursors, most=most, again=again)


def cut_list(name: str, items: Sequence[Any], place: Place, cursors: Cursors, *, most: int) -> dict[str, Any]:
    """The answer for a list that stands complete in memory."""
    written = [to_json(item) for item in items]
    return cut(name, Whole(written, True, len(written)), place, cursors, most=most)


def cut_value(name: str, value: Any, place: Place, cursors: Cursors, *, most: int) -> dict[str, Any]:
    """The answer for one value."""
    return cut(name, Whole([to_json(value)], False, 1), place, cursors, most=most)


def cut(name: str, whole: Whole, place: Place, cursors: Cursors, *, most: int, again: bool = True) -> dict[str, Any]:
    """The answer for a whole.

    `again` says whether the same call may be made again to read on: a write without a key of its own may not.
    """
    left = whole.items[place.skip :]
    answer: dict[str, Any] = {"operation": name, "complete": False, "total": whole.total}
    if whole.is_list:
        answer |= {"offset": whole.offset + place.skip, "returned": 0}
    if whole.tag is not None:
        answer["etag"] = whole.tag
    room = most - len(orjson.dumps(answer)) - _ROOM
    given = 0 if place.at else _fitting(left, room)
    if given or not left:
        following = _following(whole, place.skip + given, place.window)
        answer["data"] = _joined(left[:given]) if whole.is_list else orjson.Fragment(left[0])
        if whole.is_list:
            answer["returned"] = given
    else:
        last = _following(whole, place.skip + 1, place.window)
        answer["part"], following = _part(left[0], place, room, last=last)
    more_elsewhere = whole.offset + len(whole.items) < whole.total and whole.next_window is None
    answer["complete"] = following is None and not more_elsewhere and not whole.cut_short
    answer["cursor"] = cursors.sealed(following) if following is not None and again else None
    if following is not None and not again:
        answer["rest"] = "This changed something and is not done again: read the rest by the operation that gets it."
    elif following is None and not answer["complete"]:
        answer["rest"] = "The operation gave a part of what there is: its arguments ask for more."
    return answer


def _following(whole: Whole, given: int, window: int | None) -> Place | None:
    """Where an answer goes on that has given so many items of its window."""
    if given < len(whole.items):
        return Place(window, given)
    return None if whole.next_window is None else Place(whole.next_window)


def _part(text: bytes, place: Place, room: int, *, last: Place | None) -> tuple[dict[str, Any], Place | None]:
    """A piece of one JSON text that is too large, and where the answer goes on. Raises VersionConflict."""
    whole = text.decode()
    digest = hashlib.blake2b(text, digest_size=8).hexdigest()
    if place.at and place.digest != digest:
        raise VersionConflict("What was being read has changed. Start again without the cursor.", field="cursor")
    room -= 120  # the numbers beside it
    end = min(len(whole), place.at + max(room, 1))
    while end > place.at + 1 and (size := len(orjson.dumps(whole[place.at : end]))) > room:
        end = max(place.at + 1, place.at + (end - place.at) * room // size)
    part = {"text": whole[place.at : end], "from": place.at, "to": end, "of": len(whole)}
    return part, last if end == len(whole) else Place(place.window, place.skip, end, digest)


def _fitting(items: Sequence[bytes], room: int) -> int:
    """How many of the first items fit."""
    for count, item in enumerate(items):
        room -= len(item) + 1
        if room < 0:
            return count
    return len(items)


def _joined(items: Sequence[bytes]) -> orjson.Fragment:
    return orjson.Fragment(b"[" + b",".join(items) + b"]")


def _whole(op: Operation[..., Any], value: Any) -> Whole:
    cut_short = bool(getattr(value, "truncated", False))
    if _is_page(value):
        items = _items(op, value)
        reached = value.offset + len(items)
        follows = None
        if items and reached < value.total:
            name = _window_name(op)
            follows = {"page": value.offset // value.limit + 2, "offset": reached}.get(name or "")
        return Whole(items, True, value.total, value.offset, follows)
    content = value.json_bytes() if hasattr(value, "json_bytes") else _adapter(op).dump_json(value)
    revision = getattr(value, "_revision", None)
    tag = None if revision is None else entity_tag(revision, digest_of(content))
    return Whole([content], False, 1, tag=tag, cut_short=cut_short)


def _is_page(value: Any) -> bool:
    """Return whether a value is a page, or a view that reads like one."""
    return isinstance(value, Page) or all(hasattr(value, name) for name in Page.model_fields)


def _items(op: Operation[..., Any], page: Any) -> list[bytes]:
    """The items of a page as JSON; those that are views bring their own bytes."""
    if page.items and hasattr(page.items[0], "json_bytes"):
        return [item.json_bytes() for item in page.items]
    adapter = TypeAdapter(item_of(op))
    return [adapter.dump_json(item) for item in page.items]


def _window_name(op: Operation[..., Any]) -> str | None:
    """The argument that says which window of its list an operation answers with."""
    names = {p.name for p in op.parameters}
    return next((name for name in ("page", "offset") if name in names), None)


@cache
def _adapter(op: Operation[..., Any]) -> TypeAdapter[Any]:
    return TypeAdapter(op.returns)


def may_go_on(op: Operation[..., Any], key: str | None) -> bool:
    """Return whether a call can be made again to read on."""
    return op.kind is CallKind.READ or key is not None
