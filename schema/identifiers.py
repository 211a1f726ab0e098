"""Names that travel: resource URIs, slugs, dotted catalog names and content versions. Parse once, print once.

data:<org>:<project>:<name>        ResourceUri, the last part a slug
service.database.schema.table      Fqn; a part that holds a dot or a double quote is written "a.b", quotes doubled
1.4                                Version, <major>.<minor>
"""

import re
import secrets
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Self

from pydantic import Field

from schema.errors import InvalidFormat, InvalidParameter

SLUG_PATTERN: Final = r"^[a-z0-9-]+$"
"""The last part of a resource URI."""
VERSION_PATTERN: Final = r"^\d+\.\d+$"
"""A content version as the contract writes it."""

UuidText = Annotated[str, Field(json_schema_extra={"format": "uuid"})]
"""A UUID as it stands in an answer: a string, told as a UUID in the documents."""

MAX_SLUG: Final = 100
"""An OpenFGA server takes names of 256 letters, and a resource URI holds its organization and project besides."""
ORGANIZATION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What `stoa bootstrap` takes for an organization's id: always the name of one folder, never `.` or `..`."""
_KIND = re.compile(r"[a-z][a-z0-9_]*")
_SLUG = re.compile(r"[a-z0-9-]+")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_SUFFIX_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def slug(name: str, *, fallback: str = "unnamed") -> str:
    """A kebab-case form of a name: accents dropped, everything else than a-z and 0-9 becomes one hyphen."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _NOT_SLUG.sub("-", plain).strip("-")[:MAX_SLUG].strip("-") or fallback


def unique_slug(name: str, taken: Container[str], *, fallback: str = "unnamed") -> str:
    """The slug of a name, with a number behind it when it is taken, or random letters when many are."""
    base = slug(name, fallback=fallback)
    if base not in taken:
        return base
    stem = base[: MAX_SLUG - 8]
    for number in range(2, 100):
        if (candidate := f"{stem}-{number}") not in taken:
            return candidate
    while True:
        letters = "".join(secrets.choice(_SUFFIX_LETTERS) for _ in range(6))
        if (candidate := f"{stem}-{letters}") not in taken:
            return candidate


@dataclass(frozen=True, slots=True)
class ResourceUri:
    """`<kind>:<org>:<project>:<name>`. An organization-wide resource has an empty project part.

    The project part may itself hold colons (`proj:...` forms occur), so the first two parts and the last are read
    from the ends and what is between them is the project.
    """

    kind: str
    organization_id: str
    project_id: str | None
    name: str

    def __post_init__(self) -> None:
        if not _KIND.fullmatch(self.kind):
            raise ValueError(f"{self.kind!r} is not a kind of resource")
        if not self.organization_id or ":" in self.organization_id:
            raise ValueError("the organization of a resource URI is neither empty nor holds a colon")
        if not _SLUG.fullmatch(self.name) or len(self.name) > MAX_SLUG:
            raise ValueError(f"{self.name!r} is no kebab-case name of at most {MAX_SLUG} letters a-z, 0-9 and hyphens")
        if self.project_id == "":
            raise ValueError("the project of a resource URI is None rather than empty")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a resource URI. Raises InvalidParameter."""
        try:
            kind, organization, rest = text.split(":", 2)
            project, name = rest.rsplit(":", 1)
            return cls(kind, organization, project or None, name)
        except ValueError:
            raise InvalidParameter(
                f"{text[:200]!r} is not a resource URI. Write <kind>:<organization>:<project>:<name>.",
                field="resource_uri",
            ) from None

    def __str__(self) -> str:
        return f"{self.kind}:{self.organization_id}:{self.project_id or ''}:{self.name}"


@dataclass(frozen=True, slots=True)
class Fqn:
    """A dotted name. `str()` writes it, `parse` reads it back: every sequence of non-empty parts survives."""

    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.parts or not all(self.parts):
            raise ValueError("a dotted name has at least one part, and no part is empty")

    @classmethod
    def of(cls, *parts: str) -> Self:
        """A dotted name of plain parts."""
        return cls(parts)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a dotted name. Raises ValueError with the reason and the position."""
        if '"' not in text and all(plain := text.split(".")):  # as nearly all are
            return cls(tuple(plain))
        parts: list[str] = []
        at = 0
        while True:
            part, at = _quoted_part(text, at) if text[at : at + 1] == '"' else _plain_part(text, at)
            if not part:
                raise ValueError(f"a part of the dotted name is empty at position {at}")
            parts.append(part)
            if at == len(text):
                return cls(tuple(parts))
            if text[at] != ".":
                raise ValueError(f"a dot was expected at position {at}")
            at += 1

    @property
    def name(self) -> str:
        """The last part, as it is called in its source."""
        return self.parts[-1]

    @property
    def parent(self) -> "Fqn | None":
        """The dotted name without its last part."""
        return Fqn(self.parts[:-1]) if len(self.parts) > 1 else None

    def child(self, name: str) -> "Fqn":
        """The dotted name with one more part."""
        return Fqn((*self.parts, name))

    def __str__(self) -> str:
        return join_fqn(self.parts)


def join_fqn(parts: Sequence[str]) -> str:
    """Write parts as one dotted name; those that hold a dot or a double quote are quoted."""
    return ".".join([fqn_part(part) for part in parts])


def fqn_part(part: str) -> str:
    """One part as it stands in a dotted name."""
    if "." in part or '"' in part:
        return '"' + part.replace('"', '""') + '"'
    return part


def parse_fqn(text: str, *, field: str = "fqn") -> Fqn:
    """Read a dotted name that a caller sent as a parameter. Raises InvalidParameter."""
    try:
        return Fqn.parse(text)
    except ValueError as error:
        raise InvalidParameter(f"{field} is not a dotted name: {error}.", field=field) from None


def _plain_part(text: str, at: int) -> tuple[str, int]:
    end = text.find(".", at)
    end = len(text) if end < 0 else end
    if (quote := text.find('"', at, end)) >= 0:
        raise ValueError(f"a double quote stands inside an unquoted part at position {quote}")
    return text[at:end], end


def _quoted_part(text: str, at: int) -> tuple[str, int]:
    letters: list[str] = []
    start, at = at, at + 1
    while (quote := text.find('"', at)) >= 0:
        letters.append(text[at:quote])
        if text[quote + 1 : quote + 2] != '"':
            return "".join(letters), quote + 1
        letters.append('"')
        at = quote + 2
    raise ValueError(f"the double quote at position {start} is never closed")


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A content version: the major number counts structural changes, the minor one descriptive changes."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `<major>.<minor>`. Raises InvalidFormat."""
        found = _VERSION.fullmatch(text)
        if found is None:
            raise InvalidFormat(f"{text[:40]!r} is not a version. Write <major>.<minor>, such as 1.4.", field="version")
        return cls(int(found[1]), int(found[2]))

    def next(self, *, structural: bool) -> "Version":
        """The version after a structural or a descriptive change."""
        return Version(self.major + 1, 0) if structural else Version(self.major, self.minor + 1)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


FIRST_VERSION: Final = Version(0, 1)
"""What every asset starts at."""


def common_fqn(first: str, last: str) -> str:
    """The asset that two assets are in, or are: of the first and the last of many in their order, that of them all."""
    shared: list[str] = []
    for one, other in zip(Fqn.parse(first).parts, Fqn.parse(last).parts, strict=False):
        if one != other:
            break
        shared.append(one)
    return join_fqn(tuple(shared)) if shared else first
