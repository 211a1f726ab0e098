"""Defines what can be said of a table: what a row is, what identifies it, what it refers to and what refers to it."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.claims import Unique, is_contradicted
from resolvers.engines.describing.known import DescribedTable, Offer, Statement, borne_out, offer_of
from resolvers.engines.english.grammar import listed, plural_phrase, sentence, with_article
from resolvers.engines.english.identifiers import restates, title_of, words_of
from resolvers.engines.english.vocabulary import COMMON
from schema.data_readiness.source import ColumnFacts
from schema.identifiers import Fqn

MOST_NAMED: Final = 5
"""How many other tables or columns one sentence names."""

_IDENTIFIERS: Final = frozenset(("id", "identifier", "key", "number", "code"))
"""What names of identifiers end in, written out and in the singular."""

_ROLES: Final = {
    "staging": "Staging area for", "raw": "Raw copy of", "temporary": "Temporary table of", "backup": "Backup of",
    "intermediate": "Intermediate result about", "aggregate": "Aggregated figures about", "archive": "Archive of",
    "snapshot": "Snapshots of",
}  # fmt: skip


def table_offers(subject: DescribedTable, *, extend: str | None = None) -> list[Offer]:
    """A description and a display name for a table, as far as there is something to say."""
    statements = [Statement(sentence(extend), "comment", 0.95, informs=False)] if extend else []
    statements += [one for one in (_row(subject), _from(subject)) if one is not None]
    statements += _references(subject)
    statements += _referrers(subject)
    if (content := _content(subject)) is not None:
        statements.append(content)
    statements += _figures(subject)
    evidence: dict[str, object] = {}
    if subject.profile is not None:
        evidence["profile_id"] = subject.profile.id
    if subject.name.words.expanded:
        evidence["abbreviations"] = dict(subject.name.words.expanded)
    found: list[Offer] = []
    # A row's sentence that is made of the name alone tells nothing that the name does not.
    if (offer := offer_of("description", borne_out(subject, statements, None), **evidence)) is not None:
        found.append(offer)
    if (named := _display_name(subject)) is not None:
        found.append(named)
    return found


def _display_name(subject: DescribedTable) -> Offer | None:
    words = subject.name.words
    extra = {"history": ["history"], "log": ["log"], "staging": ["(staging)"], "backup": ["(backup)"]}
    title = title_of([*words.words, *(title_of([word]) for word in extra.get(subject.name.role, []))])
    if not title or restates(title, subject.facts.name) or not any(letter.isalpha() for letter in title):
        return None
    sure = 0.9 if words.is_familiar and not words.expanded else 0.75 if words.is_familiar else 0.55
    evidence: dict[str, object] = {"engine": "words/1", "from": ["name"], "name": subject.facts.name}
    if words.expanded:
        evidence |= {"from": ["abbreviation"], "abbreviations": dict(words.expanded)}
    return Offer("display_name", title[:255], evidence, sure)


def key_of(subject: DescribedTable) -> list[str]:
    """The columns of the declared key, or of the best exact candidate that a profile found.

    That is one of few columns, called an identifier rather than not, and standing before others: of customers all of
    whom have another address, their number.
    """
    declared = list(subject.facts.primary_key)
    if declared and is_contradicted([Unique(tuple(declared))], subject.profile):
        return []
    if declared or subject.profile is None:
        return declared
    exact = [key for key in subject.profile.candidate_keys if key.is_exact and key.uniqueness >= 1]
    places = {one.name: at for at, one in enumerate(subject.facts.columns)}
    best = min(
        exact,
        key=lambda key: (
            len(key.columns),
            sum(words_of(name).head not in _IDENTIFIERS for name in key.columns),
            [places.get(name, len(places)) for name in key.columns],
        ),
        default=None,
    )
    return list(best.columns) if best is not None and subject.profile.row_count >= 20 else []


def _row(subject: DescribedTable) -> Statement | None:
    noun = subject.noun
    key = key_of(subject)
    declared = any(one.is_primary_key for one in subject.facts.columns)
    quoted = [f"`{name}`" for name in key]
    by = f", identified by {listed(quoted, 6)}" if key else ""
    origin = "keys" if declared else "statistics" if key else "name"
    if (links := bridge_of(subject)) is not None:
        names = [subject.noun_of(table) for table in links]
        if all(names):
            text = f"Each row links {with_article(str(names[0]))} to " + listed(
                [with_article(str(name)) for name in names[1:]], 4
            )
            return Statement(sentence(f"{text}{by}"), "references", 0.95)
    if noun is None or not (subject.name.role or _is_countable(subject)):
        return Statement(sentence(f"Rows are identified by {listed(quoted, 6)}"), origin, 0.9) if key else None
    sure = 0.8 if subject.name.words.is_familiar else 0.55
    informs = bool(key) or bool(subject.name.words.expanded) or bool(subject.name.role)
    if (lead := _ROLES.get(subject.name.role)) is not None:
        things = plural_phrase(noun) if subject.is_english else f"“{subject.name.words.phrase}”"
        text = f"{lead} {things}{by.replace(', identified', ', rows are identified')}"
        return Statement(sentence(text), origin, sure, informs)
    if subject.name.role in ("history", "log"):
        kind = "history" if subject.name.role == "history" else "log"
        return Statement(
            sentence(f"Each row is a {kind} entry about {with_article(str(subject.a_row))}{by}"), origin, sure, informs
        )
    return Statement(sentence(f"Each row is {with_article(str(subject.a_row))}{by}"), origin, sure, informs)


def _is_countable(subject: DescribedTable) -> bool:
    """Return whether the name is surely that of a thing that a row may be.

    A name of unknown words may be several written as one ("allstarfull"), one that ends in a doing ("batting") or in a
    small word ("plays on") names no thing, and a single letter or digit is part of a code.
    """
    words = subject.name.words
    said_in_full = all(len(word) > 1 and word.isalpha() for word in words.words)
    return words.is_familiar and said_in_full and (words.head in COMMON or bool(words.expanded))


def bridge_of(subject: DescribedTable) -> list[str] | None:
    """The tables that a bridge links: its key is made of references to two or more others, and little else is in it."""
    key = [one for one in subject.facts.columns if one.is_primary_key]
    candidates = key or [one for one in subject.facts.columns if one.references]
    tables = [one.references[0] for one in candidates if one.references is not None]
    distinct = list(dict.fromkeys(tables))
    others = [one for one in subject.facts.columns if one not in candidates]
    if len(candidates) < 2 or len(tables) != len(candidates) or len(distinct) < 2:
        return None
    return distinct if len(others) <= (2 if key else 0) else None


def _from(subject: DescribedTable) -> Statement | None:
    """Return what a view reads, from its definition."""
    definition = subject.facts.definition
    if not definition or not subject.facts.is_view:
        return None
    import sqlglot
    from sqlglot import errors, exp

    try:
        parsed = sqlglot.parse_one(definition[:100_000])
    except (errors.SqlglotError, RecursionError):
        return None
    aliases = {one.alias_or_name for one in parsed.find_all(exp.CTE)}
    made = parsed.this if isinstance(parsed, exp.Create) else None
    named = {one.name for one in (made.find_all(exp.Table) if made is not None else ())}
    tables = sorted({one.name for one in parsed.find_all(exp.Table) if one.name not in aliases | named})
    if not tables:
        return None
    return Statement(f"A view of {listed([f'`{name}`' for name in tables], MOST_NAMED)}.", "definition", 0.95)


def _references(subject: DescribedTable) -> list[Statement]:
    if bridge_of(subject) is not None:
        return []
    named: list[str] = []
    for column in subject.facts.columns:
        if column.references is not None and column.references[0] != subject.facts.fqn:
            noun = subject.noun_of(column.references[0]) or Fqn.parse(column.references[0]).name
            named.append(f"{with_article(noun)} (`{column.name}`)")
    if not named:
        return []
    return [Statement(f"It refers to {listed(named, MOST_NAMED)}.", "references", 0.95)]


def _referrers(subject: DescribedTable) -> list[Statement]:
    tables = sorted({fqn for fqn, _, _ in subject.around.referrers.get(subject.facts.fqn, ())} - {subject.facts.fqn})
    if not tables:
        return []
    names = [f"`{Fqn.parse(fqn).name}`" for fqn in tables]
    verb = "refers" if len(names) == 1 else "refer"
    return [Statement(sentence(f"{listed(names, MOST_NAMED)} {verb} to it"), "references", 0.95)]


def _content(subject: DescribedTable) -> Statement | None:
    """Return what is recorded beside keys and references."""
    others = [one for one in subject.facts.columns if not (one.is_primary_key or one.references)]
    if len(others) < 2:
        return None
    names = [
        name for name in (_readable(subject, one) for one in others) if any(len(word) > 2 for word in name.split())
    ]
    if len(names) < 2:
        return None
    return Statement(sentence(f"It records {listed(list(dict.fromkeys(names)), MOST_NAMED)}"), "columns", 0.8)


def _readable(subject: DescribedTable, column: ColumnFacts) -> str:
    """Return what a column is called, without the table's own noun; nothing for a name without words, such as `_`."""
    words = list(subject.words(column.name).words)
    noun = (subject.noun or "").split(" ")
    if len(words) > len(noun) and [word.lower() for word in words[: len(noun)]] == [word.lower() for word in noun]:
        words = words[len(noun) :]
    if len(words) > 1 and words[0].lower() in ("is", "has", "was", "can"):
        return f"whether it {' '.join(words)}"
    return " ".join(words)


def _figures(subject: DescribedTable) -> Sequence[Statement]:
    profile = subject.profile
    if profile is None:
        return []
    if not profile.row_count:
        if "row_count" in profile.approximate:
            return []
        return [Statement("It held no rows when it was measured.", "statistics", 0.9)]
    column = next((one for one in subject.facts.columns if one.name == profile.freshness_column), None)
    figures = subject.columns.get(column.name) if column is not None else None
    if column is None or figures is None or subject.is_private(column):
        return []
    if not figures.minimum or not figures.maximum or figures.minimum[:7] == figures.maximum[:7]:
        return []
    name = subject.words(column.name).phrase
    text = f"By {name}, it covers {figures.minimum[:7]} to {figures.maximum[:7]}."
    return [Statement(text, "statistics", 0.9)]
