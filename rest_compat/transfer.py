"""Paths whose bodies are bytes: uploads as a form with a file, downloads with ranges.

An upload is read once, as it comes: the fields of the operation's body and one part called `file`, in any order. Its
bytes go straight to the store of files, so that an upload of any size takes the same memory.
"""

import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from resolvers.context import Context
from resolvers.idempotency import once
from resolvers.uploads import settled
from rest_compat.errors import response_of
from rest_compat.forms import MultipartForm
from rest_compat.request import known, state_of
from rest_compat.route import IDEMPOTENCY_HEADER, OperationRoute
from schema.content import Download, Upload
from schema.errors import InvalidFormat, InvalidRequest, MissingRequiredField

FILE_PART = "file"

_RANGE = re.compile(r"bytes\s*=\s*(\d{0,19})\s*-\s*(\d{0,19})", re.IGNORECASE)


class UploadRoute(OperationRoute):
    """A route that takes a form with a file."""

    async def _take_body(self, request: Request, arguments: dict[str, Any]) -> None:
        """Nothing yet: not a byte is read before the caller is known to be allowed to send it."""

    async def _called(self, request: Request, ctx: Context, arguments: dict[str, Any]) -> Response:
        """Authorize, read the form, and call the operation once per idempotency key."""
        op = self.operation
        assert op.body is not None
        assert op.upload is not None
        assert op.body_type is not None
        await op.authorize(ctx, arguments)
        uploads: list[Upload] = []
        async with settled(ctx, uploads):
            fields = await self._read(request, ctx, uploads)
            if not uploads:
                raise MissingRequiredField(f"The form needs a part called {FILE_PART}.", field=FILE_PART)
            given = {op.body.name: op.checked({op.body.name: fields})[op.body.name], op.upload.name: uploads[0]}
            value = await once(op, ctx, request.headers.get(IDEMPOTENCY_HEADER), arguments | given)
        return self._written(value)[0]

    async def _read(self, request: Request, ctx: Context, uploads: list[Upload]) -> dict[str, str]:
        """The fields of the form; its file is kept and added to the uploads."""
        fields: dict[str, str] = {}
        form = MultipartForm(request.headers.get("content-type", ""), request.stream())
        async for part in form.parts():
            if part.name in fields or (part.name == FILE_PART and uploads):
                raise InvalidFormat(f"The form has two parts called {part.name}.", field=part.name)
            if part.name == FILE_PART:
                uploads.append(
                    await ctx.services.blobs.stage(
                        ctx.organization_id,
                        part.chunks(),
                        file_name=part.file_name,
                        content_type=part.content_type,
                    )
                )
            else:
                fields[part.name] = await part.text()
        return fields


class DownloadRoute(OperationRoute):
    """A route that answers with bytes."""

    async def _called(self, request: Request, ctx: Context, arguments: dict[str, Any]) -> Response:
        """Call the operation and answer with what the request asks of its bytes."""
        value: Download = await self.operation(ctx, **arguments)
        headers = {
            "ETag": value.etag,
            "Accept-Ranges": "bytes",
            "Cache-Control": "private, no-cache",
            "X-Content-Type-Options": "nosniff",
        }
        asked = request.headers
        if known(asked.get("if-none-match"), value.etag):
            return Response(status_code=304, headers=headers)
        headers |= {
            "Content-Type": value.content_type,
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(value.name, safe='')}",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        }
        start, end, status = 0, value.size, 200
        if "range" in asked and asked.get("if-range", value.etag).strip() == value.etag:
            wanted = _range(asked["range"], value.size)
            if wanted == (0, 0):
                return self._unsatisfiable(request, value.size)
            if wanted is not None:
                (start, end), status = wanted, 206
                headers["Content-Range"] = f"bytes {start}-{end - 1}/{value.size}"
        headers["Content-Length"] = str(end - start)
        if request.scope.get("stoa.head"):
            return Response(status_code=status, headers=headers)
        content = value._read(start, end)
        first = await anext(content, b"")  # a store that fails is told in the envelope, not by a cut connection
        return StreamingResponse(_joined(first, content), status, headers)

    def _unsatisfiable(self, request: Request, size: int) -> Response:
        failure = InvalidRequest(
            f"The range lies outside the {size} bytes that there are.", status=416, field="Range", size=size
        )
        state = state_of(request)
        answer = response_of(failure, path=request.url.path, request_id=state.request_id, trace_id=state.trace_id)
        answer.headers["Content-Range"] = f"bytes */{size}"
        return answer


async def _joined(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece


def _range(header: str, size: int) -> tuple[int, int] | None:
    """The bytes that a header names, (0, 0) for none at all; None to answer with the whole.

    A header that is malformed, or that names several ranges, is passed over, as RFC 9110 has it.
    """
    found = _RANGE.fullmatch(header.strip())
    if found is None or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if first == "":
        length = min(int(last), size)
        return (size - length, size) if length else (0, 0)
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        return 0, 0
    return int(first), min(int(last) + 1, size) if last else size
