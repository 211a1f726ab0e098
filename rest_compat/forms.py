"""Reading a form (multipart/form-data) as it comes, part by part, in bounded memory."""

from collections.abc import AsyncIterator
from typing import Any, cast

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from schema.content import media_type
from schema.errors import InvalidFormat, InvalidRequest, ValidationError

MOST_PARTS = 32
LARGEST_FIELD = 64 << 10
"""In bytes, of one part that is text."""
MAX_NAME = 255


class FormPart:
    """One part of a form; it has to be read before the next one."""

    def __init__(self, headers: dict[str, str], data: AsyncIterator[bytes]) -> None:
        kind, options = parse_options_header(headers.get("content-disposition", ""))
        name = options.get(b"name", b"").decode(errors="replace")
        if kind != b"form-data" or not name or len(name) > MAX_NAME:
            raise InvalidFormat("Every part of the form needs a Content-Disposition that names it.", field="")
        self.name = name
        given = options.get(b"filename")
        self.file_name = given.decode(errors="replace")[:MAX_NAME] if given else None
        self.content_type = media_type(headers.get("content-type"))
        self._data = data

    def chunks(self) -> AsyncIterator[bytes]:
        """Its bytes as they come."""
        return self._data

    async def text(self, most: int = LARGEST_FIELD) -> str:
        """The whole part as text. Raises ValidationError when it is too long for a field."""
        gathered = bytearray()
        async for chunk in self._data:
            gathered += chunk
            if len(gathered) > most:
                raise ValidationError(
                    f"{self.name}: a field of a form takes {most} bytes at most.", status=422, field=self.name
                )
        try:
            return gathered.decode()
        except UnicodeDecodeError:
            raise InvalidFormat(f"{self.name}: it is not UTF-8.", field=self.name) from None


class MultipartForm:
    """A form that is being received."""

    def __init__(self, content_type: str, stream: AsyncIterator[bytes]) -> None:
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data":
            raise InvalidRequest("The body must be a form: Content-Type multipart/form-data.", status=415)
        if not options.get(b"boundary"):
            raise InvalidFormat("The Content-Type of the form names no boundary.", field="")
        self._stream, self._events, self._ended = stream, [], False  # type: ignore[var-annotated]
        self._headers: dict[str, str] = {}
        self._name, self._value = bytearray(), bytearray()
        try:
            self._parser = MultipartParser(
                options[b"boundary"],
                cast(
                    "Any",
                    {
                        "on_part_begin": self._headers.clear,
                        "on_header_field": lambda data, start, end: self._name.extend(data[start:end]),
                        "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                        "on_header_end": self._header_end,
                        "on_headers_finished": lambda: self._events.append(dict(self._headers)),
                        "on_part_data": lambda data, start, end: self._events.append(data[start:end]),
                        "on_part_end": lambda: self._events.append(None),
                        "on_end": self._end,
                    },
                ),
            )
        except FormParserError:
            raise InvalidFormat("The boundary of the form is too long.", field="") from None

    def _header_end(self) -> None:
        # Each byte as one character, so that no name is beyond the parser of options; `FormPart` reads them as UTF-8.
        self._headers[self._name.decode("latin-1").lower()] = self._value.decode("latin-1")
        self._name.clear()
        self._value.clear()

    def _end(self) -> None:
        self._ended = True

    async def parts(self) -> AsyncIterator[FormPart]:
        """The parts in their order. Raises InvalidFormat for what is no form, or ends before its end."""
        events, seen = self._parsed(), 0
        async for event in events:
            if not isinstance(event, dict):
                continue  # what is left of a part that nobody wanted to read
            seen += 1
            if seen > MOST_PARTS:
                raise ValidationError(f"A form takes {MOST_PARTS} parts at most.", status=422, field="")
            yield FormPart(event, _data(events))

    async def _parsed(self) -> AsyncIterator[Any]:
        """Headers as a dict, data as bytes, and None at the end of a part."""
        async for chunk in self._stream:
            try:
                self._parser.write(chunk)
            except FormParserError:
                raise InvalidFormat("The body is not a valid form.", field="") from None
            events, self._events = self._events, []
            for event in events:
                yield event
        if not self._ended:
            raise InvalidFormat("The form ends before its last boundary.", field="")


async def _data(events: AsyncIterator[Any]) -> AsyncIterator[bytes]:
    async for event in events:
        if event is None:
            return
        yield event
