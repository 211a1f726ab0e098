"""Defines what several answers tell together of a table whose rows are shown only in groups of a size.

Each answer alone has enough rows behind every figure. Two answers that differ by one row still tell that row: the
total, and the total without it. So the rows behind each answer are compared with those behind the earlier answers to
the same user, and an answer that would leave fewer rows than the policy wants between them is refused. This is the
audit of query sets (Chin and Ozsoyoglu, "Auditing and inference control in statistical databases", IEEE Transactions on
Software Engineering 8(6), 1982) in the place of the older control of their size alone (Denning, Denning and Schwartz,
"The tracker", ACM TODS 4(1), 1979), which refuses more and finds less.

What is found: a new answer, or any group of it, or all its groups together, that with one or two other sets (of which
an earlier answer has told one) comes down to fewer rows than the minimum, by sums and differences. That holds over all
sessions of a user, also deleted ones, whatever words or conditions the questions use.

What is not found, and an operator should know:
- combinations of four and more answers, as a general tracker needs; of sets that overlap in hundreds of earlier ones,
  more combinations of three than MOST_TRIED of `sketches.py`;
- differences of 16 rows and more where the minimum is larger;
- what several users tell one another; answers older than the last 300 different queries on a table;
- what changes in the table between two runs of the same query, which is always answered again;
- where more than MOST_ROWS rows are behind an answer, single groups: there only the numbers of all rows are compared;
- that a refusal tells something, too: that there are such rows (Kenthapadi, Mishra and Nissim, "Simulatable auditing",
  PODS 2005);
- what the catalog shows to all who may read it, such as the row count in a profile.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from persistence.queries.chat_overlap import hash_of
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.sql_guard import GuardedQuery, QueryRefused
from resolvers.engines.sql_guard.group_sizes import Behind
from resolvers.engines.sql_guard.refusing import plain
from resolvers.engines.sql_guard.sketches import Sketch, point_of, sketch_of, tell_few, whole_of
from schema.data_readiness.source import Row, Source
from schema.identifiers import Fqn

MOST_ROWS: Final = 300_000
"""How many rows behind one answer are read to be compared; of more, only their number is."""
MOST_GROUPS: Final = 2_000
"""How many groups an answer may have."""
RULE: Final = "policy_overlap"
_AT_ONCE: Final = 5_000


@dataclass(frozen=True, slots=True)
class QuerySets:
    """The sets of rows behind an answer, as one policy wants them judged."""

    behind: Behind
    sets: list[Sketch]


def told_by(source: Source, guarded: GuardedQuery, seconds: float) -> list[QuerySets]:
    """Return what an answer tells, read beside it. Blocks. Raises Refused and ConnectorError."""
    return [QuerySets(one, _sets(source, one, seconds)) for one in guarded.behind]


def _sets(source: Source, behind: Behind, seconds: float) -> list[Sketch]:
    if behind.query is None:
        raise _refused(
            behind, "is only read in ways that tell its rows apart, and not once for each row of another table"
        )
    groups: dict[tuple[object, ...], set[int]] = {}
    for number, row in enumerate(_rows(source, behind.query, seconds)):
        if number >= MOST_ROWS:
            return [(_number(source, behind, seconds),)]
        key, told = tuple(row[: behind.keys]), row[behind.keys :]
        if any(value is not None for value in told):  # a join has found no row of the table
            groups.setdefault(tuple(map(_same, key)), set()).add(point_of(told))
    sets = [sketch_of(points, behind.least) for points in groups.values() if len(points) >= behind.least]
    if len(sets) > MOST_GROUPS:
        raise _refused(behind, f"is not shown in more than {MOST_GROUPS} groups at once")
    return [*sets, whole_of(sets)] if len(sets) > 1 else sets


def _same(value: object) -> object:
    """A part of what tells a group, so that it can be looked up."""
    return value if isinstance(value, str | int | float | None) else repr(value)


def _number(source: Source, behind: Behind, seconds: float) -> int:
    """Return how many different rows are behind all groups together."""
    assert behind.query is not None
    inner = behind.query.copy()
    inner.set("expressions", inner.expressions[behind.keys :])
    common = inner.args.get("with_")
    inner.set("with_", None)
    whole = exp.select(exp.Count(this=exp.Star())).from_(inner.subquery("stoa_behind"))
    whole.set("with_", common)
    ((number,),) = list(_rows(source, whole, seconds))
    return int(number)


def _rows(source: Source, query: exp.Select, seconds: float) -> Iterator[Row]:
    with closing(source.stream(query, _AT_ONCE, seconds)) as batches:
        for batch in batches:
            yield from batch


async def compare(ctx: Context, sql: str, told: Sequence[QuerySets]) -> None:
    """Compare an answer with what its asker was told before, and remember it, at once. Raises Refused."""
    if not told:
        return
    user, query, now = ctx.caller.user_id, hash_of(sql), ctx.now()
    gathered: dict[str, tuple[Behind, list[Sketch]]] = {}
    for one in told:
        subject = hash_of(f"{one.behind.table}\n{one.behind.column or ''}")
        gathered.setdefault(subject, (one.behind, []))[1].extend(one.sets)

    def work(uow: UnitOfWork) -> None:
        uow.answered.hold(ctx.scope)
        for subject, (behind, sets) in sorted(gathered.items()):
            earlier = uow.answered.others(ctx.scope, user, subject, query)
            if tell_few(sets, [tuple(one) for many in earlier for one in many], behind.least):
                raise _refused(behind, f"would be told in fewer than {behind.least} rows together with earlier answers")
            uow.answered.keep(ctx.scope, user, subject, query, sets, now)

    await ctx.store.write(work)


def _refused(behind: Behind, words: str) -> QueryRefused:
    name = plain(Fqn.parse(behind.table).name)
    return QueryRefused(RULE, f"By the policy {plain(behind.policy)!r}, {name} {words}. Ask for other groups.")
