"""More than ten thousand hostile drafts for each of three engines: none reads what is forbidden, none writes.

The guard refuses most of them. What it lets through is run, with no more rights than reading, on two databases that
differ only in what may not be read: the answers must be the same, without a mark of such a value, and nothing written.
"""

from collections.abc import Callable
from time import process_time
from typing import Final

import pytest

from tests.security.guard.engines import Engine
from tests.security.guard.ground import CANARY, DIALECTS
from tests.security.guard.hostile import CLASSES, hostile
from tests.security.guard.trial import at_one_place, judge, leaks

SHARDS: Final = 4
_CASES: Final = [
    pytest.param(
        dialect,
        shard,
        marks=[at_one_place(dialect), *([pytest.mark.long] if shard else [])],
        id=f"{dialect}-{shard}",
    )
    for dialect in DIALECTS
    for shard in range(SHARDS)
]

FLOORS: Final[dict[str, tuple[float, float]]] = {
    **dict.fromkeys(CLASSES, (0.98, 0.65)),
    "whole rows": (0.92, 0.7),  # what only asks whether there are rows reads no column
    "hidden names": (0.55, 0.8),
    "file or table function": (0.98, 0.5),
    "function that waits or grows": (0.9, 0.8),
    **dict.fromkeys(("write", "definition", "command", "lock"), (0.85, 0.45)),
    "bomb": (0.3, 0.6),
    "text that ends early": (0.12, 0.8),
    "name that ends early": (0.3, 0.8),
}
"""Of each class, the share that is refused at least, and the share that the guard can read and judge at least."""


@pytest.mark.parametrize("dialect", [pytest.param(one, marks=at_one_place(one)) for one in DIALECTS])
def test_there_are_ten_thousand_hostile_drafts_no_two_alike(dialect: str) -> None:
    drafts = hostile(dialect)
    assert len(drafts) >= 10_000
    assert len({" ".join(draft.text.casefold().split()) for draft in drafts}) == len(drafts)
    assert not [draft for draft in drafts if CANARY.search(draft.text)]


@pytest.mark.parametrize(("dialect", "shard"), _CASES)
def test_no_hostile_draft_reads_what_is_forbidden_or_writes(
    dialect: str, shard: int, engine_of: Callable[[str], Engine], measured: Callable[[str, object], None]
) -> None:
    engine = engine_of(dialect)
    started = process_time()
    drafts = hostile(dialect)[shard::SHARDS]
    verdicts = judge(drafts, dialect)
    found, ended = leaks(verdicts.passed, engine)
    assert not found, "\n\n".join(map(str, found[:20]))
    for attack, (refused, reached) in FLOORS.items():
        number = sum(draft.attack == attack for draft in drafts)
        assert verdicts.refused_of[attack] >= refused * number, attack
        assert verdicts.reached_of[attack] >= reached * number, attack
    assert ended["answered"] >= 100, "so few drafts were let through that nothing was tried on the engine"
    assert ended["late"] <= 3
    by_rule = ", ".join(f"{rule} {number}" for rule, number in verdicts.refused.most_common())
    measured(
        "figures",
        f"hostile drafts, {dialect}, shard {shard}: {len(drafts)} given, {sum(verdicts.refused.values())} refused "
        f"({by_rule}), {len(verdicts.passed)} run ({ended['answered']} answered, {ended['failed']} failed, "
        f"{ended['late']} stopped), none leaked; {process_time() - started:.1f} s of CPU",
    )
