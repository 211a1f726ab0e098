"""What the guard makes of drafts, and what an engine then shows of those that it lets through."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import pytest
from sqlglot import exp

from resolvers.engines.sql_guard import QueryRefused, Table, guard_sql
from tests.security.guard.drafts import Draft
from tests.security.guard.engines import Engine, Outcome
from tests.security.guard.ground import CANARY, FORBIDDEN, POLICIES, VARIANTS, tables

MOST_ROWS: Final = 1000
_ENOUGH: Final = 3
_TABLES: Final = tables()
_NAMES: Final = frozenset((table.schema, table.name) for table in _TABLES)


@dataclass(frozen=True, slots=True)
class Passed:
    """A draft that the guard let through, and what is sent of it."""

    draft: Draft
    sent: str


@dataclass(slots=True)
class Verdicts:
    """What became of drafts."""

    passed: list[Passed] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """How many each rule refused."""
    refused_of: Counter[str] = field(default_factory=Counter)
    """How many of each class were refused."""
    reached_of: Counter[str] = field(default_factory=Counter)
    """How many of each class the guard could read, so that one of its rules judged what they attempt."""
    refusals: list[str] = field(default_factory=list)
    """Each refusal with its draft, in words."""


def at_one_place(dialect: str) -> pytest.MarkDecorator:
    """Let one process run the tests of a dialect: making its drafts is dear, and MariaDB's schemas have fixed names."""
    return pytest.mark.xdist_group(f"guard-{dialect}")


def _relation(table: Table) -> exp.Table:
    return exp.table_(table.name, db=table.schema, quoted=True)


def judge(drafts: Iterable[Draft], dialect: str) -> Verdicts:
    """Give drafts to the guard as the platform does, with the policies and the columns that the caller may not read."""
    found = Verdicts()
    for draft in drafts:
        try:
            guarded = guard_sql(
                draft.text,
                dialect=dialect,
                tables=_TABLES,
                most_rows=MOST_ROWS,
                relation=_relation,
                policies=POLICIES,
                forbidden=FORBIDDEN,
            )
        except QueryRefused as refusal:
            found.refused[refusal.rule] += 1
            found.refusals.append(f"{refusal}: {draft.text!r}")
            found.refused_of[draft.attack] += 1
            found.reached_of[draft.attack] += refusal.rule != "syntax"
            continue
        except Exception as error:
            raise AssertionError(f"the guard broke over {draft.text!r}") from error
        # As `Reading.written` does.
        sent = guarded.query.sql(dialect=dialect, identify=True, comments=False)
        found.passed.append(Passed(draft, sent))
        found.reached_of[draft.attack] += 1
    return found


@dataclass(frozen=True, slots=True)
class Leak:
    """A draft that the guard let through and that showed or did what it may not."""

    draft: Draft
    sent: str
    why: str

    def __str__(self) -> str:
        return f"{self.why}\n  attack: {self.draft.attack}\n  draft:  {self.draft.text!r}\n  sent:   {self.sent!r}"


def leaks(passed: Sequence[Passed], engine: Engine) -> tuple[list[Leak], Counter[str]]:
    """Run what was let through on both variants of the shop; what interferes, and how the runs ended.

    What an engine says of a failure is not passed on to who asked, so that there was one is all that is compared of it.
    Its words must still bear no mark.
    """
    shown: dict[str, list[Outcome]] = {}
    found: list[Leak] = []
    for variant in VARIANTS:
        engine.load(variant)
        before = engine.sums()
        shown[variant] = [engine.run(one.sent) for one in passed]
        if engine.sums() != before:
            found += _writers(passed, engine, variant)
    for one, first, second in zip(passed, *shown.values(), strict=True):
        if CANARY.search(first.text) or CANARY.search(second.text):
            found.append(Leak(one.draft, one.sent, f"a value that may not be read turns up: {first.text[:200]}"))
        elif not (first.late or second.late) and _seen(one, first) != _seen(one, second):
            why = f"the answers differ: {first.text[:200]!r} and {second.text[:200]!r}"
            found.append(Leak(one.draft, one.sent, why))
    return found, Counter(_kind(one) for one in shown["a"])


def _seen(one: Passed, outcome: Outcome) -> tuple[list[str], bool]:
    """Return what somebody learns from it; rows that nobody ordered come in any order, which means nothing."""
    ordered = "ORDER BY" in one.sent
    return list(outcome.rows) if ordered else sorted(outcome.rows), outcome.error is not None


def _kind(outcome: Outcome) -> str:
    return "late" if outcome.late else "failed" if outcome.error else "answered"


def _writers(passed: Sequence[Passed], engine: Engine, variant: str) -> list[Leak]:
    """Some of those that wrote, found one by one."""
    found: list[Leak] = []
    for one in passed:
        if len(found) == _ENOUGH:
            break
        engine.load(variant)
        before = engine.sums()
        engine.run(one.sent)
        if engine.sums() != before:
            found.append(Leak(one.draft, one.sent, "it writes"))
    return found or [Leak(passed[0].draft, passed[0].sent, "one of the drafts of this shard writes")]
