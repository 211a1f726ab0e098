"""Defines who is asking: what a verified token says, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from auth.relations import group_subject, user_subject

RESERVED_PREFIX = "stoa:"
"""Users whose id starts with this are the platform's own; no token may name one."""

ANONYMOUS_USER = f"{RESERVED_PREFIX}anonymous"
"""Whoever comes without a token; what this user may read, every stranger may where the deployment lets strangers in."""

READ_SCOPE = f"{RESERVED_PREFIX}read"
WRITE_SCOPE = f"{RESERVED_PREFIX}write"
"""Scopes of tokens. One that names the first and not the second can only read, whatever its user may do."""

WORKER = f"{RESERVED_PREFIX}worker"
"""The subject that background jobs act as."""


def is_reserved(user_id: str) -> bool:
    """Return whether an id is the platform's own, in whatever case it is written: no token may carry it."""
    return user_id.casefold().startswith(RESERVED_PREFIX)


@lru_cache(1024)
def _subjects(user_id: str, groups: tuple[str, ...]) -> tuple[str, ...]:
    """The names of a caller; each request asks for them once for every permission."""
    return (user_subject(user_id), *(group_subject(group) for group in groups))


@dataclass(frozen=True, slots=True)
class Caller:
    """One user of one organization, for the length of a request or of a job.

    `project_id` is the project that the token (or later the `X-Project-ID` header) selects; `groups` are the identity
    provider's, without a leading slash; `client_id` is the application that asked for the token. `limited_by` are those
    who must be allowed whatever they do as well, because they wrote what is done on their behalf. `reads_only` is
    whether the token is for reading alone.
    """

    user_id: str
    organization_id: str
    project_id: str | None = None
    groups: tuple[str, ...] = ()
    client_id: str | None = None
    anonymous: bool = False
    limited_by: tuple["Caller", ...] = ()
    reads_only: bool = False

    @classmethod
    def nobody(cls, organization_id: str, address: str) -> "Caller":
        """A caller without a token, known only by the network address that the request came from."""
        return cls(ANONYMOUS_USER, organization_id, client_id=address, anonymous=True)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every name under which relations may mention this caller: `user:<sub>`, then `group:<name>#member` each."""
        return _subjects(self.user_id, self.groups)

    @property
    def principal(self) -> str:
        """The key of this caller's rate windows: a user within their organization, or an anonymous address.

        An organization's id never holds a colon, so no two callers can share a key by accident.
        """
        if self.anonymous:
            return f"anonymous:{self.client_id}"
        return f"user:{self.organization_id}:{self.user_id}"

    def limited(self, *others: "Caller") -> "Caller":
        """This caller with no more rights than any of the others; nobody is limited by what they were once."""
        limits = list(self.limited_by)
        for one in (part for other in others for part in (replace(other, limited_by=()), *other.limited_by)):
            themselves = (one.user_id, one.organization_id) == (self.user_id, self.organization_id)
            if not themselves and one not in limits:
                limits.append(one)
        return replace(self, limited_by=tuple(limits))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, for a job that acts for this caller later."""
        limits = {"limited_by": [one.to_dict() for one in self.limited_by]} if self.limited_by else {}
        return {
            "user_id": self.user_id,
            "organization_id": self.organization_id,
            "project_id": self.project_id,
            "groups": list(self.groups),
            "client_id": self.client_id,
            "anonymous": self.anonymous,
            **limits,
            **({"reads_only": True} if self.reads_only else {}),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Caller":
        """The caller that `to_dict` wrote down. Raises KeyError when the user or the organization is missing."""
        return cls(
            user_id=stored["user_id"],
            organization_id=stored["organization_id"],
            project_id=stored.get("project_id"),
            groups=tuple(stored.get("groups") or ()),
            client_id=stored.get("client_id"),
            anonymous=bool(stored.get("anonymous", False)),
            limited_by=tuple(cls.from_dict(one) for one in stored.get("limited_by") or ()),
            reads_only=bool(stored.get("reads_only", False)),
        )
