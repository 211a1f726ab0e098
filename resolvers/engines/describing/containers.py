"""Defines what can be said of a schema or a database: what is in it, and what it turns around."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resolvers.engines.describing.columns import plain
from resolvers.engines.describing.known import Offer, Statement, offer_of
from resolvers.engines.english.grammar import listed, plural_phrase, sentence
from resolvers.engines.english.identifiers import restates, shared_prefix, table_name, title_of, words_of

MOST_NAMED: Final = 8
CENTRAL: Final = 2
"""How many others must refer to a table for it to be called central."""
_DEFAULT: Final = frozenset(("public", "dbo", "main", "default", "schema", "db", "database", "data", "test", "prod"))
"""Names of schemas and databases that say nothing."""


@dataclass(frozen=True, slots=True)
class Container:
    """A schema or database, as far as words about it need."""

    kind: str
    """`schema` or `database`."""
    name: str
    members: Sequence[str]
    """The names of its tables; of its schemas for a database."""
    views: int = 0
    referred: Mapping[str, int] | None = None
    """How many other tables refer to each of its tables, by name."""
    tables: int = 0
    """For a database: how many tables there are in all of its schemas."""
    only_table: str | None = None
    """The dotted name of its table where it has just one."""


def container_offers(
    one: Container,
    *,
    industry: str | None = None,
    abbreviations: Mapping[str, str] | None = None,
    extend: str | None = None,
) -> list[Offer]:
    """A description and a display name for a schema or database; nothing for an empty one."""
    found: list[Offer] = []
    statements = [Statement(sentence(extend), "comment", 0.95, informs=False)] if extend else []
    statements += _members(one, abbreviations or {})
    if statements and industry and (about := plain(industry)[:300]):
        statements.append(Statement(sentence(f"The data is about: {about}"), "industry_info", 0.8))
    if (offer := offer_of("description", statements)) is not None:
        found.append(offer)
    words = words_of(one.name, abbreviations)
    title = title_of(words.words)
    if (
        title
        and not restates(title, one.name)
        and one.name.lower() not in _DEFAULT
        and any(sign.isalpha() for sign in title)
    ):
        evidence = {"engine": "words/1", "from": ["abbreviation" if words.expanded else "name"], "name": one.name}
        found.append(Offer("display_name", title[:255], evidence, 0.8 if words.is_familiar else 0.55))
    return found


def _members(one: Container, abbreviations: Mapping[str, str]) -> list[Statement]:
    if not one.members:
        return []
    if one.kind == "database":
        inside = listed([f"`{name}`" for name in sorted(one.members)], MOST_NAMED)
        many = f"{len(one.members)} schemas" if len(one.members) > 1 else "The schema"
        tables = f"{one.tables} tables" if one.tables != 1 else "one table"
        if len(one.members) == 1:
            return [Statement(sentence(f"{tables} in the schema {inside}"), "members", 0.95)]
        return [Statement(sentence(f"{tables} in {many}: {inside}"), "members", 0.95)]
    shared = shared_prefix(one.members)
    order = sorted(one.members, key=lambda name: (-(one.referred or {}).get(name, 0), name))
    nouns = [table_name(name, shared, abbreviations).noun for name in order]
    named = list(dict.fromkeys(plural_phrase(noun) for noun in nouns if noun))
    base = len(one.members) - one.views
    said = [f"{base} table{'s' if base != 1 else ''}"] if base else []
    said += [f"{one.views} view{'s' if one.views != 1 else ''}"] if one.views else []
    about = f" about {listed(named, MOST_NAMED)}" if named else ""
    statements = [Statement(sentence(f"{listed(said)}{about}"), "members", 0.9)]
    central = [name for name in order if (one.referred or {}).get(name, 0) >= CENTRAL][:3]
    if central and len(one.members) > 3:
        quoted = [f"`{name}` ({(one.referred or {})[name]})" for name in central]
        text = f"The most referred to, with the number of tables that refer to them: {listed(quoted)}."
        statements.append(Statement(text, "references", 0.95))
    return statements
