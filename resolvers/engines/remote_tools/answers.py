"""What a server says, before it is shown: without what is secret of its registration, and as JSON that can be written.

A server may repeat what it was sent, its own credentials too. Whoever may call it need not know them.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any, Final

SHORTEST_SECRET: Final = 6
"""Shorter values are found in everything, and are no secrets."""
TAKEN_OUT: Final = "[secret]"
DEEPEST: Final = 60


class TooDeep(ValueError):
    """An answer that is nested too deep."""


def secrets_in(headers: Mapping[str, str]) -> list[str]:
    """Return what is taken out of answers: the values of headers, and each word of them, the longest first."""
    words = {word for value in headers.values() for word in (value, *value.split(" "))}
    return sorted((word for word in words if len(word) >= SHORTEST_SECRET and word.lower() != "bearer"), key=len)[::-1]


def without_secrets(text: str, secrets: Collection[str]) -> str:
    """A text where each secret is taken out."""
    for secret in secrets:
        text = text.replace(secret, TAKEN_OUT)
    return text


def cleaned(value: Any, secrets: Collection[str], depth: int = 0) -> Any:
    """A value as JSON, without secrets; numbers that JSON or 64 bits do not have become texts. Raises TooDeep."""
    if depth > DEEPEST:
        raise TooDeep("The server's answer is nested too deep.")
    if isinstance(value, str):
        return without_secrets(value.encode("utf-8", "replace").decode(), secrets)
    if isinstance(value, dict):
        return {cleaned(str(name), secrets, depth): cleaned(inner, secrets, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [cleaned(inner, secrets, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        return str(value)
    return value
