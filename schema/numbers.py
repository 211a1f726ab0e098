"""Numbers that JSON cannot write: NaN, the infinities, and those too large for the number that every reader keeps.

Readers of JSON take them in all the same, and what prints the answer makes null of them. So they are refused where a
body comes in.
"""

import json
import math
import re
from typing import Final

from schema.errors import InvalidFormat

_SUSPECT: Final = re.compile(rb"NaN|Infinity|[0-9][eE]\+?[0-9]{3}|[0-9]{309}")


def require_finite(raw: bytes) -> None:
    """Raise InvalidFormat for a body that holds such a number outside of its texts; what is no JSON is let pass."""
    if _SUSPECT.search(raw) is None:  # nearly every body: only the others are read once more
        return
    try:
        json.loads(raw, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError):
        return


def _refused(_word: str) -> None:
    raise InvalidFormat("NaN and Infinity are no numbers of JSON. Send null, or a number.", field="")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise InvalidFormat("The body holds a number larger than any that can be kept. Send a smaller one.", field="")
    return value
