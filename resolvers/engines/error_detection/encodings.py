"""Texts that were read in another encoding than they were written in, or as text where they were written for a page."""

import html
import re
from typing import Final

_CONTROL: Final = re.compile("\ufffd|[\x00-\x08\x0e-\x1f\x7f]")
_FOREIGN: Final = re.compile("[^\x00-\x7f]{2,}")
_LOST: Final = re.compile(r"[^\W\d_]\?[^\W\d_]")
_ENTITY: Final = re.compile(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|[A-Za-z]{2,8}\d{0,2});")
_CODECS: Final = ("cp1252", "latin-1", "mac-roman", "cp850", "cp437")
"""How UTF-8 is read wrongly: by systems of western languages."""


def is_broken(text: str) -> bool:
    """Return whether a text holds signs that replace letters, or letters of UTF-8 read as another encoding."""
    if text.isascii() and text.isprintable():
        return False
    return _CONTROL.search(text) is not None or any(_is_misread(run) for run in _FOREIGN.findall(text))


def unescaped(text: str) -> str | None:
    """What a text says that names characters as HTML does, as `&amp;`; None where it names none, or is a page."""
    if "&" not in text or "<" in text or _ENTITY.search(text) is None:
        return None
    said = html.unescape(text)
    return said if said != text else None


def has_lost_letter(text: str) -> bool:
    """Return whether a question mark stands within a word, as where an encoding had no such letter."""
    return "?" in text and "=" not in text and "/" not in text and _LOST.search(text) is not None


def _is_misread(run: str) -> bool:
    return any(_is_misread_as(run, codec) for codec in _CODECS)


def _is_misread_as(run: str, codec: str) -> bool:
    try:
        read = _bytes(run, codec).decode("utf-8")
    except UnicodeError:
        return False
    return all(_is_likely(sign) for sign in read)


def _bytes(run: str, codec: str) -> bytes:
    """The bytes that were read as a text; those that cp1252 has no sign for are read as controls."""
    if codec != "cp1252":
        return run.encode(codec)
    return b"".join(bytes([ord(sign)]) if 0x80 <= ord(sign) <= 0x9F else sign.encode(codec) for sign in run)


def _is_likely(sign: str) -> bool:
    """Return whether a sign may have been meant: letters and signs of Europe, the usual signs, or letters of East
    Asia.
    """
    return "\u00a0" <= sign <= "\u052f" or "\u1e00" <= sign <= "\u22ff" or "\u3000" <= sign <= "\uffef"
