"""More than ten thousand harmless drafts for each of three engines: every one passes the guard and runs."""

from collections.abc import Callable
from time import process_time
from typing import Final

import pytest

from tests.security.guard.engines import Engine
from tests.security.guard.ground import DIALECTS
from tests.security.guard.harmless import harmless
from tests.security.guard.trial import at_one_place, judge

SHARDS: Final = 8
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
_CUT: Final = ("limit", "fetch", "offset", "orders", "rollup")
"""What makes an answer one of several right ones, or one that a policy changes."""


@pytest.mark.parametrize("dialect", [pytest.param(one, marks=at_one_place(one)) for one in DIALECTS])
def test_there_are_ten_thousand_harmless_drafts_no_two_alike(dialect: str) -> None:
    drafts = harmless(dialect)
    assert len(drafts) >= 10_000
    assert len({" ".join(draft.text.casefold().split()) for draft in drafts}) == len(drafts)


@pytest.mark.parametrize(("dialect", "shard"), _CASES)
def test_every_harmless_draft_passes_and_answers_as_it_was_written(
    dialect: str, shard: int, engine_of: Callable[[str], Engine], measured: Callable[[str, object], None]
) -> None:
    engine = engine_of(dialect)
    engine.load("a")
    started = process_time()
    drafts = harmless(dialect)[shard::SHARDS]
    verdicts = judge(drafts, dialect)
    assert not verdicts.refusals, "\n".join(verdicts.refusals[:20])
    failed, compared = [], 0
    for at, one in enumerate(verdicts.passed):
        sent = engine.run(one.sent)
        if sent.error or sent.late:
            failed.append(f"{sent}\n  draft: {one.draft.text!r}\n  sent:  {one.sent!r}")
        elif at % 4 == 0 and not any(word in one.draft.text.lower() for word in _CUT):
            compared += 1
            written = engine.run(one.draft.text)
            if sorted(written.rows)[:1000] != sorted(sent.rows)[:1000] and len(written.rows) <= len(sent.rows):
                failed.append(f"{written} became {sent}\n  draft: {one.draft.text!r}\n  sent:  {one.sent!r}")
    assert not failed, "\n\n".join(failed[:20])
    assert compared >= 100
    measured(
        "figures",
        f"harmless drafts, {dialect}, shard {shard}: {len(drafts)} given, all passed and ran, {compared} compared with "
        f"what was written; {process_time() - started:.1f} s of CPU",
    )
