"""Reading a GraphQL multipart request as it comes: what it asks for first, and a file only when a field wants it.

The specification puts `operations` and `map` before the files. The graph starts when it has read those two, so who is
refused, for window, input or permission, is refused before a byte of a file is read; and a file goes to the
store as it comes, kept nowhere in between.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from strawberry.file_uploads.utils import replace_placeholders_with_files

from rest_compat.errors import HungUp
from rest_compat.forms import LARGEST_FIELD, FormPart, MultipartForm
from schema.content import Incoming, Sent
from schema.errors import InvalidFormat

_IN_MEMORY: Final = 1 << 20
_AT_ONCE: Final = 1 << 20


class GraphForm:
    """The form of one request."""

    def __init__(self, request: Request, decode: Callable[[str], object], most: int) -> None:
        self._parts = MultipartForm(request.headers.get("content-type", ""), _stream(request)).parts()
        self._decode, self._most = decode, most
        self._wanted: dict[str, int] = {}
        """The files that `map` names, and how many variables hold each."""
        self._kept: dict[str, tuple[FormPart, Any]] = {}
        self._turn = asyncio.Lock()

    async def operations(self) -> Any:
        """Return what the request asks for, with a way to each file in its place. Raises InvalidFormat."""
        operations = self._decode(await self._text("operations", self._most))
        places = self._decode(await self._text("map", LARGEST_FIELD))
        if not isinstance(places, dict) or not all(isinstance(paths, list) for paths in places.values()):
            raise _no_graph_form()
        self._wanted = {name: len(paths) for name, paths in places.items()}
        files = {name: _File(self, name) for name in places}
        try:
            return replace_placeholders_with_files(operations, places, files)  # type: ignore[arg-type]
        except (AttributeError, LookupError, TypeError, ValueError):
            raise _no_graph_form() from None

    async def close(self) -> None:
        """Give back what was kept."""
        for _, file in self._kept.values():
            await asyncio.to_thread(file.close)

    async def file(self, name: str) -> Incoming:
        """A file; those that come before it are kept aside, as a field may ask for them later."""
        async with self._turn:
            if name not in self._kept:
                part = await self._reached(name)
                if self._wanted[name] == 1:
                    return Incoming(part.file_name, part.content_type, part.chunks())
                await self._keep(part)
        part, file = self._kept[name]
        return Incoming(part.file_name, part.content_type, _read(file))

    async def _text(self, name: str, most: int) -> str:
        part = await anext(self._parts, None)
        if part is None or part.name != name:
            raise _no_graph_form()
        return await part.text(most)

    async def _reached(self, name: str) -> FormPart:
        async for part in self._parts:
            if part.name == name:
                return part
            if part.name in self._wanted:
                await self._keep(part)
        raise InvalidFormat(
            f"The form has no file {name[:200]!r} any more: send each once, and once for each field.", field=""
        )

    async def _keep(self, part: FormPart) -> None:
        file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed with the request)
        if part.name in self._kept:
            file.close()
            raise InvalidFormat(f"The form has two parts called {part.name[:200]}.", field="")
        self._kept[part.name] = part, file
        async for chunk in part.chunks():
            await asyncio.to_thread(file.write, chunk)


class _File(Sent):
    """A file in the place of a variable."""

    def __init__(self, form: GraphForm, name: str) -> None:
        self._form, self._name = form, name

    async def opened(self) -> Incoming:
        return await self._form.file(self._name)


async def _read(file: Any) -> AsyncIterator[bytes]:
    at = 0
    while chunk := await asyncio.to_thread(_piece, file, at):
        at += len(chunk)
        yield chunk


def _piece(file: Any, at: int) -> bytes:
    file.seek(at)
    piece: bytes = file.read(_AT_ONCE)
    return piece


async def _stream(request: Request) -> AsyncIterator[bytes]:
    try:
        async for chunk in request.stream():
            yield chunk
    except ClientDisconnect:
        raise HungUp from None


def _no_graph_form() -> InvalidFormat:
    return InvalidFormat(
        "The form is not one of the GraphQL multipart request specification: operations, map, then the files.", field=""
    )
