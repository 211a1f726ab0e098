"""Defines whose a folder of this machine is: the entries of the setting STOA_FILESYSTEM_ROOTS, and what each one
opens to whom.

| entry | who may read it |
|---|---|
| `/folder/{organization}` | each organization the folder of its own id; `/folder/{organization}/more` below it |
| `acme=/folder` | the organization acme alone |
| `*=/folder` | all organizations |
| `/folder` | the only organization, while the store holds no second one |
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from schema.identifiers import ORGANIZATION_ID

PLACE: Final = "{organization}"
ALL: Final = "*"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that may be read."""

    base: str
    """As the operator wrote it; links in it are their."""
    below: tuple[str, ...] = ()
    """The parts from the organization's own on. It may be able to replace them, so that no link in them is followed."""


@dataclass(frozen=True, slots=True)
class Folders:
    """Holds what one organization may read."""

    allowed: tuple[Folder, ...] = ()
    organization: str = ""
    unclear: bool = False
    """Whether an entry was left out because it does not say whose it is, and there are several organizations."""


NOWHERE: Final = Folders()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the setting."""

    owner: str | None
    """The id of an organization, ALL, PLACE for each its own, or None: it does not say."""
    parts: tuple[str, ...]
    """The path, part by part, without `.` and `//`."""
    path: str

    def of(self, organization: str) -> Folder | None:
        """Return what it opens to an organization, if it says so."""
        if self.owner == ALL:
            return Folder(self.path)
        # Whoever issues tokens may write more into an organization's id than the name of a folder, PLACE included.
        if not ORGANIZATION_ID.fullmatch(organization):
            return None
        if self.owner == PLACE:
            at = self.parts.index(PLACE)
            return Folder("/" + "/".join(self.parts[:at]), (organization, *self.parts[at + 1 :]))
        return Folder(self.path) if self.owner == organization else None


def parsed(entries: Sequence[str]) -> tuple[Entry, ...]:
    """The entries of the setting. Raises ValueError with the number of one that cannot be meant, and why."""
    found = tuple(_entry(number, text) for number, text in enumerate(entries, 1))
    for at, other in enumerate(found):
        for before, one in enumerate(found[:at]):
            if _clash(one, other):
                raise ValueError(
                    f"entries {before + 1} and {at + 1} open one folder, or a folder within another, to different "
                    "organizations; keep them apart"
                )
    return found


def folders_of(entries: Iterable[Entry], organization: str, *, alone: bool) -> Folders:
    """Return what an organization may read; `alone` tells that the store holds no other one."""
    allowed, unclear = list[Folder](), False
    for entry in entries:
        if entry.owner is None and not alone:
            unclear = True
        elif (folder := Folder(entry.path) if entry.owner is None else entry.of(organization)) is not None:
            allowed.append(folder)
    return Folders(tuple(allowed), organization, unclear)


def does_not_say(entries: Iterable[Entry]) -> bool:
    """Return whether an entry does not say whose it is, so that it matters how many organizations there are."""
    return any(entry.owner is None for entry in entries)


def _entry(number: int, text: str) -> Entry:
    owner, path = (None, text) if text.startswith("/") else (text.partition("=")[0], text.partition("=")[2])
    if not path.startswith("/"):
        raise ValueError(
            f"entry {number} names no folder by its whole path; write /folder/{PLACE}, acme=/folder, {ALL}=/folder "
            "or /folder"
        )
    if owner is not None and owner != ALL and not ORGANIZATION_ID.fullmatch(owner):
        raise ValueError(f"entry {number} has no organization's id before its =; a folder for all is {ALL}=/folder")
    written = tuple(part for part in path.split("/") if part not in ("", "."))
    if "\x00" in path:
        raise ValueError(f"entry {number} holds a character that no path may hold")
    if not any("{" in part or "}" in part for part in written):
        path = os.path.normpath(path)
        return Entry(owner, tuple(part for part in path.split("/") if part), path)
    if owner is not None:
        raise ValueError(f"entry {number} says twice whose it is; write /folder/{PLACE} without {owner}=")
    if any(("{" in part or "}" in part) and part != PLACE for part in written) or written.count(PLACE) != 1:
        raise ValueError(f"entry {number} may hold {PLACE} once, as a whole part of the path, and no other braces")
    if ".." in written or written[0] == PLACE:
        raise ValueError(f"entry {number} must name a folder above {PLACE}, and no ..")
    return Entry(PLACE, written, path)


def _clash(one: Entry, other: Entry) -> bool:
    """Return whether an organization would read, by one entry, what the other says is not its own."""
    if one.owner is None or other.owner is None or one.owner == other.owner != PLACE:
        return False  # what does not say whose it is counts only where there are no others
    if one.parts == other.parts:
        return ALL in (one.owner, other.owner)  # two organizations may be named for one folder
    for a, b in zip(one.parts, other.parts, strict=False):
        if a == b == PLACE:
            return False  # the same organization's
        if PLACE in (a, b):
            name, owner = (b, other.owner) if a == PLACE else (a, one.owner)
            if name == owner or not ORGANIZATION_ID.fullmatch(name):
                return False
        elif a != b:
            return False
    return True
