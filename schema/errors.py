"""The error catalogue: one class is one code and one status (contract section 7).

ApiError
├── 400  InvalidRequest (405, 408, 413, 415 too) · ValidationError · InvalidParameter · MissingRequiredField ·
│        InvalidFormat · SearchQueryInvalid
├── 401  Unauthenticated · TokenExpired · TokenInvalid · TokenMalformed
├── 403  Forbidden · InsufficientScope · ProjectAccessDenied · OrgAccessDenied
├── 404  NotFound
├── 409  AlreadyExists · VersionConflict
├── 422  any of the 400 family, raised with status=422: right type, outside a bound, pattern, enum or state rule
├── 429  RateLimitExceeded · QuotaExceeded
├── 500  InternalError · DatabaseError
├── 502  UpstreamUnavailable
└── 503  ServiceStarting

Raise them anywhere; HTTP renders them in `rest_compat/errors.py`, GraphQL carries them as `extensions`.
"""

from typing import Any, ClassVar

SHOWN_LETTERS = 200
"""How much of what a caller sent a sentence repeats."""


class ApiError(Exception):
    """A failure that the caller is meant to read. Anything else is masked as INTERNAL_ERROR.

    `message` is a sentence for a person and says what to do next; `details` is data for a program and must be
    JSON; neither may ever carry a secret.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"
    default_status: ClassVar[int] = 500

    def __init__(self, message: str, *, status: int | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.status = self.default_status if status is None else status
        self.details = details

    @property
    def headers(self) -> dict[str, str]:
        """Extra response headers that belong to this failure, such as `Retry-After`."""
        return {}

    @property
    def extensions(self) -> dict[str, Any]:
        """Return what graphql-core copies onto the GraphQL error."""
        return {"code": self.code, "status": self.status, "details": self.details}


class InvalidRequest(ApiError):
    """The request as such cannot be served: 405 a wrong method, 408 too slow, 413 too large, 415 of a wrong type."""

    code, default_status = "INVALID_REQUEST", 400


class ValidationError(ApiError):
    """The request is not valid: 400 for its form, 422 for its meaning."""

    code, default_status = "VALIDATION_ERROR", 400


class InvalidParameter(ApiError):
    """A path, query or header parameter is malformed or out of its range."""

    code, default_status = "INVALID_PARAMETER", 400


class MissingRequiredField(ApiError):
    """A required field, parameter or header is absent."""

    code, default_status = "MISSING_REQUIRED_FIELD", 400


class InvalidFormat(ApiError):
    """The body is not JSON, or a value has the wrong JSON type."""

    code, default_status = "INVALID_FORMAT", 400


class SearchQueryInvalid(ApiError):
    """The `q` expression cannot be parsed; `details.position` says where."""

    code, default_status = "SEARCH_QUERY_INVALID", 400


class Unauthenticated(ApiError):
    """No token came with the request."""

    code, default_status = "UNAUTHENTICATED", 401

    @property
    def headers(self) -> dict[str, str]:
        """The challenge that RFC 6750 asks for."""
        return {"WWW-Authenticate": "Bearer"}


class TokenExpired(Unauthenticated):
    """The token was good once; its `exp` has passed."""

    code = "TOKEN_EXPIRED"


class TokenInvalid(Unauthenticated):
    """The token is well-formed but its signature or a claim does not hold."""

    code = "TOKEN_INVALID"


class TokenMalformed(Unauthenticated):
    """What came as a token cannot be parsed as one."""

    code = "TOKEN_MALFORMED"


class Forbidden(ApiError):
    """The caller is known and may not. Where a permission is lacking, `details` name it and what it is lacking on."""

    code, default_status = "FORBIDDEN", 403

    @classmethod
    def lacking(
        cls, permission: str, resource_type: str, resource_id: str, message: str | None = None, **more: Any
    ) -> "Forbidden":
        """The refusal of a caller who lacks a permission on a resource that they may know of."""
        return cls(
            message
            or f"{permission} on {resource_type} {resource_id!r} is required. "
            "Ask an administrator to grant a role that has it.",
            permission=str(permission),
            resource_type=resource_type,
            resource_id=resource_id,
            **more,
        )


class InsufficientScope(Forbidden):
    """The token is for less than what was asked, whatever its user may do. Another token would do."""

    def __init__(self, *scopes: str) -> None:
        wanted = " ".join(scopes)
        super().__init__(f"The token is for reading alone. Obtain one with the scopes {wanted}.", scope=wanted)

    @property
    def headers(self) -> dict[str, str]:
        """The challenge that RFC 6750 asks for."""
        return {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{self.details["scope"]}"'}


class ProjectAccessDenied(Forbidden):
    """The caller has no access to the selected project."""

    code = "PROJECT_ACCESS_DENIED"


class OrgAccessDenied(Forbidden):
    """The caller has no access to the organization."""

    code = "ORG_ACCESS_DENIED"


class NotFound(ApiError):
    """It does not exist, or not for this caller."""

    code, default_status = "RESOURCE_NOT_FOUND", 404

    def __init__(self, resource_type: str, resource_id: str) -> None:
        super().__init__(
            f"{resource_type.replace('_', ' ').capitalize()} {resource_id[:SHOWN_LETTERS]!r} was not found.",
            resource_type=resource_type,
            resource_id=resource_id,
        )


class AlreadyExists(ApiError):
    """The identifier or name is taken; update the existing one instead."""

    code, default_status = "RESOURCE_ALREADY_EXISTS", 409


class VersionConflict(ApiError):
    """Somebody else changed it first; read it again and retry."""

    code, default_status = "VERSION_CONFLICT", 409


class RateLimitExceeded(ApiError):
    """Too many requests in the window; the `Retry-After` header holds the wait in seconds."""

    code, default_status = "RATE_LIMIT_EXCEEDED", 429

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"Rate limit exceeded. Retry after {retry_after} seconds.")
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """The wait, in whole seconds."""
        return {"Retry-After": str(self.retry_after)}

    @property
    def extensions(self) -> dict[str, Any]:
        """The wait too: an operation over WebSocket, or an event of a stream, has no headers of its own."""
        return super().extensions | {"retry_after": self.retry_after}


class QuotaExceeded(ApiError):
    """A quota of the tenant is used up."""

    code, default_status = "QUOTA_EXCEEDED", 429


class InternalError(ApiError):
    """An unexpected failure; the log has it under the request id."""

    code, default_status = "INTERNAL_ERROR", 500


class DatabaseError(ApiError):
    """Stoa's own store failed."""

    code, default_status = "DATABASE_ERROR", 500


class UpstreamUnavailable(ApiError):
    """The identity provider or the authorization engine cannot be reached."""

    code, default_status = "UPSTREAM_UNAVAILABLE", 502


class ServiceStarting(ApiError):
    """The service is starting up or shutting down; retry shortly."""

    code, default_status = "SERVICE_STARTING", 503

    @property
    def headers(self) -> dict[str, str]:
        """A hint to come back soon."""
        return {"Retry-After": "1"}
