"""What is told of the data itself: which tables there are and what can be asked of them, what a name means, how good a
table is. It is told from the catalog, the profiles, the glossary and the scorecard, and no query is sent.

Only what the asker may ask about is told: columns that a policy forbids them are not there, values of columns that are
private are not quoted, and of a table whose rows a policy limits no figure of the profile is told, which was measured
over all of them.
"""

import asyncio
import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import islice, zip_longest
from typing import Final

from resolvers.context import Context
from resolvers.data_readiness.scorecard import scorecard_of
from resolvers.engines.claims import Unique, is_contradicted
from resolvers.engines.describing.known import Term
from resolvers.engines.english.grammar import listed, plural_phrase, singular
from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.drafter import SURE, Planner
from resolvers.engines.nl2sql.joining.names import family
from resolvers.engines.nl2sql.model import Asked, ColumnKey, QueryDraft, no_lookup
from resolvers.engines.nl2sql.paraphrase import called, called_many
from resolvers.talk2data.answering.asides import Aside, Topic
from resolvers.talk2data.answering.catalog_context import Ground
from resolvers.talk2data.answering.evidence import as_of_now
from resolvers.talk2data.answering.near_values import is_a_slip
from resolvers.talk2data.answering.sanitizing import plain
from schema.data_readiness.profile import ColumnProfile, TableProfile
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.scorecard import Scorecard, ScorecardRequest
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.identifiers import Fqn

MOST_TABLES: Final = 25
"""How many tables are told; of more it is said how many they are."""
MOST_COLUMNS: Final = 40
MOST_MEANINGS: Final = 6
MOST_EXAMPLES: Final = 5
MOST_TRIED: Final = 12
"""How many questions are drafted at most to find the examples that can be answered."""
LONGEST_WORDS: Final = 300
_FEW: Final = range(2, 51)
"""How many different values a column has that rows are told by."""
_MOST_FLAGS: Final = 3
"""Values that a column of flags has, and letters of each: Y, N and NA say no kinds."""
_A_NAME: Final = 4
_ROWS_OF_A_KIND: Final = 3
"""How many rows have the same value there on average, at least."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A table, or a column of one."""

    ground: Ground
    table: TableFacts
    column: ColumnFacts | None = None

    @property
    def name(self) -> str:
        """Its name in its place."""
        return self.table.name if self.column is None else f"{self.column.name} of {self.table.name}"


async def told_of_catalog(ctx: Context, aside: Aside, grounds: Sequence[Ground], others: Sequence[str]) -> str | None:
    """Return what an aside is answered with; None when it is a question to the data after all.

    `others` are the names of connections that were not read.
    """
    grounds = [one for one in grounds if any(_columns(one, table) for table in one.knowledge.tables)]
    match aside.topic:
        case Topic.GREETING:
            return f"Hello. {_overview(grounds, others)} Ask “What can I ask?” for examples."
        case Topic.THANKS:
            return "You are welcome."
        case Topic.TABLES:
            return None if _is_table(grounds, "table") else _tables(grounds, others)
        case Topic.HELP if aside.subject is None:
            return await _help(grounds, others, ctx.now())
        case Topic.QUALITY if aside.subject is None:
            return await _quality_of_all(ctx, grounds)
    assert aside.subject is not None
    if aside.topic is Topic.MEANING:
        return _meanings(aside.subject, grounds, is_certain=aside.is_certain)
    tables = [one for one in _named(aside.subject, grounds) if one.column is None]
    if tables:
        return await _told_of_tables(ctx, aside.topic, tables)
    near = [one for one in _near(aside.subject, grounds, _table_names) if is_a_slip(aside.subject, one)]
    if not near:
        return None  # it may be a question to the data
    meant = [one for one in _named(near[0], grounds) if one.column is None] if len(near) == 1 else []
    told = await _told_of_tables(ctx, aside.topic, meant) if meant else None
    return "\n\n".join([_unknown(aside.subject, near), *([told] if told else [])])


async def _told_of_tables(ctx: Context, topic: Topic, tables: Sequence[_Found]) -> str | None:
    """Return what is told of tables that are named."""
    if topic is Topic.QUALITY:
        if any("quality" in _key(column.name) for one in tables for column in one.table.columns):
            return None  # which the rows themselves tell
        return "\n\n".join([await _quality(ctx, one) for one in tables[:MOST_MEANINGS]])
    if topic is Topic.HELP:
        examples = await _examples([(one.ground, one.table) for one in tables], ctx.now())
        return "\n\n".join([*map(_table, tables[:1]), *_as_examples(examples)])
    return "\n\n".join(map(_table, tables[:MOST_MEANINGS]))


# --- what there is ------------------------------------------------------------------------------------------------


def _columns(ground: Ground, table: TableFacts) -> list[ColumnFacts]:
    """The columns that the asker may ask about."""
    forbidden = ground.knowledge.forbidden
    return [one for one in table.columns if ColumnKey(table.fqn, one.name) not in forbidden]


def _open_tables(ground: Ground) -> list[TableFacts]:
    return sorted(
        (one for one in ground.knowledge.tables if _columns(ground, one)), key=lambda one: (one.schema, one.name)
    )


def _is_table(grounds: Sequence[Ground], noun: str) -> bool:
    return any(singular(one.name.casefold()) == noun for ground in grounds for one in ground.knowledge.tables)


def _rows(ground: Ground, table: TableFacts) -> int | None:
    """The rows of a table as they were counted last; None where a policy lets the asker see some of them only."""
    if table.fqn in ground.policies.limited:
        return None
    profile = ground.knowledge.profiles.get(table.fqn)
    return profile.row_count if profile is not None else table.row_count


def _overview(grounds: Sequence[Ground], others: Sequence[str]) -> str:
    if not grounds:
        return "There is no data here yet that you may ask about."
    parts = []
    for one in grounds:
        many = len(_open_tables(one))
        parts.append(f"{one.name} with {_counted(many, 'table')}")
    more = f", and of {listed(others, 10)}" if others else ""
    return f"I answer questions about the data of {listed(parts, len(parts))}{more}."


def _tables(grounds: Sequence[Ground], others: Sequence[str]) -> str:
    if not grounds:
        return _overview(grounds, others)
    parts = []
    for ground in grounds:
        tables = _open_tables(ground)
        lines = [f"{ground.name} has {_counted(len(tables), 'table')}:"]
        for one in tables[:MOST_TABLES]:
            rows = _rows(ground, one)
            size = "" if rows is None else f" ({_counted(rows, 'row')})"
            words = f": {_short(one.description)}" if one.description else ""
            lines.append(f"- {one.name}{size}{words}")
        if len(tables) > MOST_TABLES:
            lines.append(f"- and {len(tables) - MOST_TABLES} more")
        parts.append("\n".join(lines))
    if others:
        parts.append(f"There is also {listed(others, 10)}.")
    return "\n\n".join(parts)


def _table(found: _Found) -> str:
    """A table with its columns."""
    ground, table = found.ground, found.table
    rows, columns = _rows(ground, table), _columns(ground, table)
    size = "" if rows is None else f" has {_counted(rows, 'row')} and"
    words = f" {_short(table.description)}" if table.description else ""
    lines = [f"{table.name} ({ground.name}){size or ' has'} {_counted(len(columns), 'column')}.{words}"]
    for one in columns[:MOST_COLUMNS]:
        kind = f" ({one.data_type})" if one.data_type else ""
        lines.append(f"- {one.name}{kind}" + (f": {_short(one.description)}" if one.description else ""))
    if len(columns) > MOST_COLUMNS:
        lines.append(f"- and {len(columns) - MOST_COLUMNS} more")
    return "\n".join(lines)


# --- what can be asked --------------------------------------------------------------------------------------------


async def _help(grounds: Sequence[Ground], others: Sequence[str], now: datetime) -> str:
    if not grounds:
        return (
            f"{_overview(grounds, others)} Connect a data source and run service-ingestion on it, or ask an "
            "administrator for can_execute on a connection."
        )
    ranked = [(ground, table) for ground in grounds for table in sorted(_open_tables(ground), key=_worth(ground))]
    return "\n\n".join(
        [
            f"{_overview(grounds, others)} Ask in your own words, and go on from an answer: “only the top three”, “by "
            "month”.",
            *_as_examples(await _examples(ranked, now)),
            "You can also ask “What tables are there?”, “What does … mean?”, “How good is the … table?”, and of an "
            "answer “Show me the SQL”, “Explain it”, “As a bar chart” or “As CSV”.",
        ]
    )


def _as_examples(examples: Sequence[str]) -> list[str]:
    return ["For example:\n" + "\n".join(f"- {one}" for one in examples)] if examples else []


def _worth(ground: Ground) -> Callable[[TableFacts], tuple[bool, int, int, str]]:
    """The tables that others refer to first, then by rows; last those whose names are run together of others'."""
    names = {singular(table.name.casefold()) for table in ground.knowledge.tables}
    targets = [
        column.references[0] for table in ground.knowledge.tables for column in table.columns if column.references
    ]

    def is_run_together(table: TableFacts) -> bool:
        name = table.name.casefold()
        return len(tokens_of(table.name)) == 1 and any(
            len(one) >= _A_NAME and name.startswith(one) and singular(name) != one for one in names
        )

    return lambda table: (
        is_run_together(table), -targets.count(table.fqn), -(_rows(ground, table) or 0), table.name
    )  # fmt: skip


async def _examples(ranked: Sequence[tuple[Ground, TableFacts]], now: datetime) -> list[str]:
    """Questions that are answered here: each was drafted. The first counts rows, and the last ones do if they must."""
    each = [[(ground, table, one) for one in _questions(ground, table)] for ground, table in ranked[:MOST_EXAMPLES]]
    telling = [one for some in zip_longest(*(found[1:] for found in each)) for one in some if one is not None]
    counts = [found[0] for found in each]
    return await asyncio.to_thread(_drafted, [*counts[:1], *telling[:MOST_TRIED], *counts[1:]], now)


def _drafted(questions: Sequence[tuple[Ground, TableFacts, str]], now: datetime) -> list[str]:
    answered = (question for ground, table, question in questions if _is_answered(question, ground, table, now))
    return list(islice(dict.fromkeys(answered), MOST_EXAMPLES))


def _is_answered(question: str, ground: Ground, table: TableFacts, now: datetime) -> bool:
    outcome = asyncio.run(_draft(question, ground, now))
    if not isinstance(outcome, QueryDraft) or outcome.plan is None:
        return False
    return outcome.confidence >= SURE and outcome.plan.main == table.fqn


async def _draft(question: str, ground: Ground, now: datetime) -> object:
    return await Planner().draft(Asked(question, now), ground.knowledge, no_lookup)


def _questions(ground: Ground, table: TableFacts) -> Iterator[str]:
    """Questions that a table may answer."""
    known = ground.knowledge
    many = called_many(known, table.fqn)
    yield f"How many {many} are there?"
    profile = known.profiles.get(table.fqn)
    measured = {one.name: one for one in profile.columns} if profile is not None else {}
    columns = [one for one in _columns(ground, table) if _can_be_shown(ground, table, one)]
    kinds = [one for one in columns if _tells_kinds(one, measured.get(one.name))]
    figures = [one for one in columns if _is_figure(one)]
    spoken = [one for one in kinds if not any(word.isupper() for word in called(known, table.fqn, one.name).split())]
    for one in spoken[:1]:
        yield f"How many {many} are there for each {called(known, table.fqn, one.name)}?"
    for one in figures[:1]:
        yield f"What is the average {called(known, table.fqn, one.name)} of {many}?"
        yield f"Which {called(known, table.fqn)} has the highest {called(known, table.fqn, one.name)}?"


def _can_be_shown(ground: Ground, table: TableFacts, column: ColumnFacts) -> bool:
    return ColumnKey(table.fqn, column.name) not in ground.knowledge.private and not column.is_pii_tagged


def _tells_kinds(column: ColumnFacts, measured: ColumnProfile | None) -> bool:
    if column.is_primary_key or column.is_unique or column.references is not None or measured is None:
        return False
    if family(column.data_type) != "text" or tokens_of(column.name)[-1:] in (["name"], ["id"], ["code"]):
        return False
    many = measured.distinct_count or 0
    is_flag = many <= _MOST_FLAGS and all(len(str(one.value)) <= _MOST_FLAGS for one in measured.top_values)
    return many in _FEW and not is_flag and many * _ROWS_OF_A_KIND <= measured.row_count


def _is_figure(column: ColumnFacts) -> bool:
    if column.is_primary_key or column.references is not None or tokens_of(column.name)[-1:] in (["id"], ["code"]):
        return False
    return family(column.data_type) == "number"


# --- what a name means --------------------------------------------------------------------------------------------


def _meanings(subject: str, grounds: Sequence[Ground], *, is_certain: bool) -> str | None:
    parts = _all_meanings(subject, grounds)
    if parts:
        return "\n\n".join(parts)
    if not is_certain or not grounds:
        return None
    near = _near(subject, grounds, _all_names)
    return "\n\n".join([_unknown(subject, near), *(_all_meanings(near[0], grounds) if len(near) == 1 else [])])


def _all_meanings(subject: str, grounds: Sequence[Ground]) -> list[str]:
    found = _named(subject, grounds)
    parts = [_term(one) for one in _terms(subject, grounds)[:MOST_MEANINGS]]
    parts += [_meaning(one) for one in found[:MOST_MEANINGS]]
    if len(found) > MOST_MEANINGS:
        parts.append(f"{len(found) - MOST_MEANINGS} more tables and columns have that name.")
    return parts


def _term(term: Term) -> str:
    draft = "" if term.is_approved else " Nobody has approved that yet."
    return f"{term.name}: {_short(term.definition) if term.definition else 'a term without a definition.'}{draft}"


def _meaning(found: _Found) -> str:
    if found.column is None:
        return _table(found)
    ground, table, column = found.ground, found.table, found.column
    key = ColumnKey(table.fqn, column.name)
    words = _short(column.description) if column.description else "The catalog has no description of it."
    said = [f"{column.name} of {table.name} ({ground.name}): {words}"]
    if column.data_type:
        said.append(f"Its type is {column.data_type}.")
    profile = ground.knowledge.profiles.get(table.fqn)
    if apart := told_apart(table, column, profile, [one.name for one in _columns(ground, table)]):
        said.append(apart)
    if column.references is not None and any(one.fqn == column.references[0] for one in _open_tables(ground)):
        said.append(f"It refers to {Fqn.parse(column.references[0]).name}.")
    measured = next((one for one in profile.columns if one.name == column.name), None) if profile else None
    if key in ground.knowledge.private:
        said.append("Its values are private and not quoted.")
    elif measured is not None and table.fqn not in ground.policies.limited and not measured.masked:
        said += _figures(measured)
    return " ".join(said)


def told_apart(
    table: TableFacts, column: ColumnFacts, profile: TableProfile | None, shown: Sequence[str]
) -> str | None:
    """Return whether a column of the declared key tells rows apart, alone or with others of those that are `shown`.

    A source may declare a key that it does not keep to: where the profile shows that values repeat, nothing is said.
    """
    key = table.primary_key
    if column.name not in key or is_contradicted([Unique(key)], profile):
        return None
    if len(key) == 1:
        return "It tells the rows apart."
    others = [name for name in key if name != column.name]
    named = listed(others, len(others)) if set(others) <= set(shown) else "other columns"
    return f"Together with {named} it tells the rows apart."


def _figures(measured: ColumnProfile) -> Iterator[str]:
    if measured.row_count and measured.null_count is not None:
        share = Decimal(100 * (measured.row_count - measured.null_count)) / measured.row_count
        yield f"{share:.0f} % of the rows have a value."
    if measured.distinct_count is not None:
        yield f"It has {_counted(measured.distinct_count, 'different value')}."
    if measured.top_values and (measured.distinct_count or 0) in _FEW:
        most = [f"“{plain(one.value, 60)}”" for one in measured.top_values[:5]]
        yield f"The most frequent: {listed(most, len(most))}."
    elif measured.minimum is not None and measured.maximum is not None:
        yield f"They go from {plain(measured.minimum, 60)} to {plain(measured.maximum, 60)}."


def _named(subject: str, grounds: Sequence[Ground]) -> list[_Found]:
    """The tables and columns of a name, tables first: as it is spelled, or else as people say it."""
    table_part, _, column_part = subject.rpartition(".") if "." in subject else ("", "", subject)
    column_part, _, of_part = column_part.partition(" of ") if not table_part else (column_part, "", "")
    part = of_part.removeprefix("the ") or table_part.rpartition(".")[2]
    owners, names = {_key(part), part.casefold()} - {""}, {_key(column_part), column_part.casefold()}
    found: list[_Found] = []
    for ground in grounds:
        for table in _open_tables(ground):
            if not owners and names & _keys(ground, table):
                found.append(_Found(ground, table))
            if owners and not owners & _keys(ground, table):
                continue
            found += [
                _Found(ground, table, one) for one in _columns(ground, table) if names & _keys(ground, table, one)
            ]
    return sorted(found, key=lambda one: one.column is not None)


def _keys(ground: Ground, table: TableFacts, column: ColumnFacts | None = None) -> set[str]:
    """All that a table or a column may be called."""
    if column is None:
        names = [table.name, called(ground.knowledge, table.fqn)]
    else:
        names = [column.name, called(ground.knowledge, table.fqn, column.name)]
    shown = (table if column is None else column).display_name
    called_so = [*names, *([shown] if shown else [])]
    # As it is spelled, whichever letters are capitals: where words begin in `lgid` cannot be told.
    return {_key(one) for one in called_so} | {one.casefold() for one in called_so}


def _key(name: str) -> str:
    """A name without regard to how it is written: `Film_Actors` as `film actor`."""
    words = [one.casefold() for one in tokens_of(name)]
    return " ".join([*words[:-1], singular(words[-1])]) if words else name.casefold()


def _terms(subject: str, grounds: Sequence[Ground]) -> list[Term]:
    wanted = _key(subject)
    found = {one.name: one for ground in grounds for one in ground.knowledge.terms if wanted in map(_key, one.names)}
    return [found[name] for name in sorted(found)]


def _near(subject: str, grounds: Sequence[Ground], names_of: Callable[[Ground], Iterator[str]]) -> list[str]:
    """The names that a misspelled one nearly is."""
    names = sorted({name for ground in grounds for name in names_of(ground)})
    by_key = {_key(name): name for name in names} | {name.casefold(): name for name in names}
    near = [
        by_key[one]
        for said in dict.fromkeys((_key(subject), subject.casefold()))
        for one in difflib.get_close_matches(said, by_key, 3, 0.7)
    ]
    return list(dict.fromkeys(near))[:3]


def _unknown(subject: str, near: Sequence[str]) -> str:
    """Return what is told of a name that the catalog does not have."""
    maybe = f" Did you mean {listed([f'“{one}”' for one in near], last='or')}?" if near else ""
    return f"Nothing in the catalog is called “{plain(subject, 120)}”.{maybe}"


def _table_names(ground: Ground) -> Iterator[str]:
    return (table.name for table in _open_tables(ground))


def _all_names(ground: Ground) -> Iterator[str]:
    for table in _open_tables(ground):
        yield table.name
        yield from (one.name for one in _columns(ground, table))


# --- how good it is -----------------------------------------------------------------------------------------------


async def _quality(ctx: Context, found: _Found) -> str:
    table = found.table
    card = await _card_of_data(ctx, table.fqn)
    (used,) = await as_of_now(ctx, {table.fqn: [one.name for one in _columns(found.ground, table)]})
    name = f"{table.name} ({found.ground.name})"
    if card.overall_score is None:
        said = [f"The quality of {name} has not been measured yet: run dq-assessment on it."]
    else:
        said = [f"The quality of {name} is {_percent(card.overall_score)}.", *_dimensions(card)]
    bad = [(one.open_violations, one.name) for one in used.columns if one.open_violations]
    if used.open_violations:
        worst = [f"{name} ({many})" for many, name in sorted(bad, key=lambda one: (-one[0], one[1]))[:3]]
        where = f", most of them on {listed(worst, len(worst))}" if worst else ""
        is_one = used.open_violations == 1
        said.append(f"{_counted(used.open_violations, 'violation')} {'is' if is_one else 'are'} not resolved{where}.")
    elif card.overall_score is not None:
        said.append("No violation is open.")
    return " ".join(said)


async def _card_of_data(ctx: Context, asset_fqn: str) -> Scorecard:
    """The scorecard of the data alone: how well they are described says nothing about whether they are right."""
    return await scorecard_of(ctx, ScorecardRequest(asset_fqn=asset_fqn, assessment_type=AssessmentType.DATA_QUALITY))


def _dimensions(card: Scorecard) -> Iterator[str]:
    measured = [one for one in card.dimensions if one.score is not None]
    if measured:
        told = [f"{one.display_name or one.name} {_percent(one.score or '0')}" for one in measured]
        yield f"In detail: {listed(told, len(told))}."


async def _quality_of_all(ctx: Context, grounds: Sequence[Ground]) -> str:
    if not grounds:
        return _overview(grounds, ())
    said = []
    for ground in grounds:
        services = sorted({Fqn.parse(one.fqn).parts[0] for one in _open_tables(ground)})
        for service in services:
            card = await _card_of_data(ctx, service)
            if card.overall_score is None:
                said.append(f"The quality of {ground.name} has not been measured yet: run dq-assessment on it.")
            else:
                said.append(
                    " ".join([f"The quality of {ground.name} is {_percent(card.overall_score)}.", *_dimensions(card)])
                )
    return "\n\n".join(dict.fromkeys(said))


def _percent(score: str) -> str:
    return f"{Decimal(score) * 100:.1f} of 100"


def _counted(many: int, noun: str) -> str:
    return f"{many:,} {noun if many == 1 else plural_phrase(noun)}"


def _short(words: str | None) -> str:
    text = " ".join(plain(words or "").split())
    text = text if len(text) <= LONGEST_WORDS else f"{text[: LONGEST_WORDS - 1]}…"
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
