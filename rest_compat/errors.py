"""From a failure to what is shown: the documented envelope (contract section 7), or a line in a terminal."""

import errno
import logging
from typing import Any

import orjson
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from persistence.jobs.store import FolderInUse
from persistence.keyring import KeyRingFixed, SealBroken
from persistence.migrations.run import OtherVersion
from schema.errors import ApiError, InternalError, InvalidRequest, NotFound

log = logging.getLogger("stoa.http")

HUNG_UP = 499
"""The status of a request whose caller went before it had all come. Nobody is there to read it; it is for the log."""

STATUS_MESSAGES = {
    413: "The body is larger than this deployment accepts.",
    415: "This media type is not accepted here; send application/json.",
}

_POSTGRES_WAY_OUT = "Check STOA_DATABASE_URL and that the server runs."
_SQLITE_WAY_OUT = "Check that its folder (STOA_DATA) can be written and has room, and that the file is a store of Stoa."
_FILE_WAY_OUT = "Check that it exists, that this account may read and write it, and that the disk has room."


class UnknownPath(NotFound):
    """No operation stands at this path."""

    def __init__(self, path: str) -> None:
        super().__init__("path", path)
        self.message = f"There is no operation at {path[:200]!r}. The documented paths are listed at /docs."


class HungUp(InvalidRequest):
    """The caller went before the request had come."""

    def __init__(self) -> None:
        super().__init__("The caller hung up before the request had come.", status=HUNG_UP)


def as_api_error(error: BaseException, path: str) -> ApiError:
    """The catalogue error that a caller sees for any exception; what is unexpected is masked and logged."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, ClientDisconnect):
        return HungUp()
    if isinstance(error, HTTPException):
        if error.status_code == 404:
            return UnknownPath(path)
        message = STATUS_MESSAGES.get(error.status_code, "The request cannot be served.")
        if error.status_code == 405:
            taken = ", ".join(sorted((error.headers or {}).get("Allow", "").split(", ")))
            message = f"This path does not take that method{f': use {taken}' if taken else ''}."
        return InvalidRequest(message, status=error.status_code)
    log.error("unexpected failure on %s", path, exc_info=error)
    return InternalError("An unexpected error occurred. The log has it under this request id.")


def body_of(error: ApiError, *, path: str, request_id: str, trace_id: str) -> dict[str, Any]:
    """The envelope: Data Readiness answers with the variant that puts request_id beside the error object."""
    inner: dict[str, Any] = {"code": error.code, "message": error.message}
    if is_data_readiness(path):
        if error.status != 429:
            inner["details"] = error.details
        return {"error": inner, "request_id": request_id}
    inner["status"] = error.status
    if error.status != 429:
        inner["details"] = error.details
    return {"error": inner | {"request_id": request_id, "trace_id": trace_id}}


def is_data_readiness(path: str) -> bool:
    """Return whether a path belongs to Data Readiness, under either prefix."""
    return path.startswith(("/data-readiness/", "/api/data-readiness/"))


def response_of(error: ApiError, *, path: str, request_id: str, trace_id: str) -> Response:
    """The HTTP answer for a failure."""
    body = body_of(error, path=path, request_id=request_id, trace_id=trace_id)
    return Response(orjson.dumps(body, default=str), error.status, headers=error.headers, media_type="application/json")


def is_clear(error: BaseException) -> bool:
    """Return whether the failure's own words are meant for people, so that no traceback has to explain it."""
    return isinstance(
        error,
        ApiError | ValueError | OSError | FolderInUse | KeyRingFixed | SealBroken | SQLAlchemyError | OtherVersion,
    )


def sentence(error: BaseException) -> str:
    """A failure as one line for a terminal: of a driver's failure the first line alone, which holds no password."""
    if isinstance(error, ApiError):
        return error.message
    if isinstance(error, SQLAlchemyError):
        cause = getattr(error, "orig", None) or error
        first = next(iter(str(cause).splitlines()), type(error).__name__).rstrip(".")
        embedded = type(cause).__module__.startswith("sqlite3")
        return f"The store could not be used: {first}. {_SQLITE_WAY_OUT if embedded else _POSTGRES_WAY_OUT}"
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}. {_FILE_WAY_OUT}"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        return f"{error.strerror}. Check that the disk of the data folder (STOA_DATA) has room and can be written."
    return str(error)
