"""Addresses of e-mail: what stands behind the sign is one of few hosts in most rows, and has a form of its own."""

import re
from collections import Counter
from typing import Final

from rapidfuzz.distance import OSA

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 30
"""Rows with an address, at least."""
MEANT: Final = 0.8
"""The share of the rows with a value that have the sign of an address, at least, for the column to be one of those."""
WELL_FORMED: Final = 0.8
"""The share of the addresses that have the form of one, at least: nothing else is written with that sign."""
OFTEN: Final = 10
OFTENER: Final = 8
"""Rows with a host, at least, for another to be a slip of it, and how many times as many as have that one."""
NEAR: Final = 2
"""Letters, at most, by which a host of eight and more differs from the one that is meant; a shorter one by 1."""
LONG: Final = 8

_PARTS: Final = re.compile(r"[.-]")
_FORM: Final = re.compile(r"[^@\s,;:<>()]+@[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)*\.[^\W\d_]{2,24}")


def address_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that is no address, or one at a host that is nearly a frequent one, why."""
    texts = {code: text for code, text in enumerate(column.texts) if "@" in text}
    rows = sum(column.counts[code] for code in texts)
    if rows < max(FEWEST, MEANT * column.present):
        return {}
    formed = {code for code, text in texts.items() if _FORM.fullmatch(text.strip())}
    if sum(column.counts[code] for code in formed) < WELL_FORMED * rows:
        return {}
    told = "It has not the form of an e-mail address, as nearly all others have."
    reason = Reason(Sign.PATTERN, 5.0, told, in_itself=True)
    found = dict.fromkeys(texts.keys() - formed, reason)
    hosts: Counter[str] = Counter()
    for code in formed:
        hosts[_host(texts[code])] += column.counts[code]
    often = [host for host, count in hosts.most_common() if count >= OFTEN]
    told = "It ends in a host of other rows, and the sign before it is missing."
    lost = Reason(Sign.PATTERN, 5.0, told, in_itself=True)
    found |= {
        code: lost
        for code, text in enumerate(column.texts)
        if "@" not in text and text.strip().casefold().endswith(tuple(often))
    }
    meant = {host: near for host, count in hosts.items() if (near := _near(host, count, often, hosts)) is not None}
    for code in formed:
        if (near := meant.get(_host(texts[code]))) is not None:
            name = texts[code].rpartition("@")[0]
            told = f"Its host is nearly {near!r}, which {hosts[near]} rows have."
            found[code] = Reason(Sign.VARIANT, 5.0, told, f"{name}@{near}")
    return found


def _host(text: str) -> str:
    return text.strip().rpartition("@")[2].casefold()


def _near(host: str, count: int, often: list[str], hosts: Counter[str]) -> str | None:
    """The frequent host that another was meant as; a host within another domain may be one of its own."""
    for other in often:
        if hosts[other] < OFTENER * count or other == host:
            continue
        most = NEAR if min(len(host), len(other)) >= LONG else 1
        same_end = host.partition(".")[0] == other.partition(".")[0]  # another country of the same firm
        if not same_end and OSA.distance(host, other, score_cutoff=most) <= most and _is_slip(host, other):
            return other
    return None


def _is_slip(host: str, other: str) -> bool:
    """Return whether each part that differs keeps most of its letters: uni-dk for uni-de is another university."""
    parts, others = _PARTS.split(host), _PARTS.split(other)
    if len(parts) != len(others):
        return True
    pairs = zip(parts, others, strict=True)
    return all(2 * OSA.distance(one, meant) < max(len(one), len(meant), 1) for one, meant in pairs if one != meant)
