"""Defines which columns of a table play a part: the one that names a row, the ones that tell when, where and who."""

from collections.abc import Mapping, Sequence
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.forms import ColumnWords, NamedTable
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind, flag_of, is_numeric_text
from schema.data_readiness.profile import ColumnProfile
from schema.data_readiness.source import ColumnFacts, TableFacts

KEY_HEADS: Final = frozenset(("id", "key", "uuid", "guid", "pk", "fk", "sk", "rowid"))
_NAMING: Final = {
    ("name",): 1.0, ("full", "name"): 0.98, ("title",): 0.92, ("label",): 0.8, ("display", "name"): 0.9,
    ("caption",): 0.7, ("headline",): 0.75, ("heading",): 0.7, ("last", "name"): 0.6, ("first", "name"): 0.55,
    ("user", "name"): 0.7, ("nickname",): 0.5, ("short", "name"): 0.6, ("long", "name"): 0.65, ("model",): 0.55,
    ("subject",): 0.5, ("description",): 0.42, ("detail",): 0.41, ("brand",): 0.45, ("type",): 0.36, ("email",): 0.35,
    ("common", "name"): 0.7, ("official", "name"): 0.75, ("company", "name"): 0.8, ("theme",): 0.45, ("text",): 0.3,
    ("topic",): 0.45,
}  # fmt: skip
NAMED_ENOUGH: Final = 0.4
_UNLIKE: Final = 0.2
"""The share of values among rows below which a column says of what kind rows are, and names none of them."""
_REACHING: Final = frozenset(("code", "number", "phone", "fax", "email", "url", "address", "street", "comment", "note"))
"""Words of columns that tell rows apart and do not name them."""
PERSONS: Final = word_set(
    "person people customer employee student teacher user member patient guest author singer actor player staff doctor "
    "nurse artist driver passenger manager instructor professor client visitor candidate director writer coach owner "
    "pilot participant athlete faculty reviewer friend contact agent physician swimmer architect editor journalist "
    "scientist engineer technician voter governor mayor president musician composer performer host individual human "
    "resident tenant buyer seller customer climber wrestler gymnast skater jockey captain scholar analyst worker "
    "mechanic representative contestant donor volunteer"
)


def is_identifier(facts: ColumnFacts, named: ColumnWords) -> bool:
    """Return whether a column only tells rows apart, or refers to others."""
    if facts.is_primary_key or facts.references is not None:
        return True
    return named.words[-1] in KEY_HEADS


def naming(
    table: TableFacts,
    names: NamedTable,
    kinds: Sequence[ColumnKind],
    profiles: Mapping[str, ColumnProfile],
) -> list[tuple[float, int]]:
    """The columns that may name a row, by their place in the table, best first."""
    found: list[tuple[float, int]] = []
    for at, (facts, named, kind) in enumerate(zip(table.columns, names.columns, kinds, strict=False)):
        if kind is not ColumnKind.TEXT or named.words[-1] in KEY_HEADS:
            continue
        if flag_of(facts, kind, profiles.get(facts.name)) is not None:
            continue  # yes or no names no row
        score = _NAMING.get(named.own, 0.0) or _NAMING.get(named.own[::-1], 0.0)  # `name full`
        if not score and named.words == names.words:  # country of country
            score = 0.85
        elif not score and (bare := tuple(word for word in named.own if word not in names.words)) in _NAMING:
            score = 0.97 * _NAMING[bare]  # `type description` of a table of types
        elif not score and named.own[-1] in ("name", "title"):
            score = 0.72 if set(named.own[:-1]) & set(names.words) else 0.5
        elif not score and named.own[-1] in names.words:
            score = 0.5
        if facts.references is not None:
            score *= 0.5
        profile = profiles.get(facts.name)
        if score and profile is not None and profile.distinct_count and profile.row_count > 20:
            unlike = profile.distinct_count / profile.row_count
            is_own = named.own[-1] in ("name", "title") and (named.own in _NAMING or set(named.own) & set(names.words))
            if unlike < _UNLIKE and not is_own:
                continue  # the subject of a test is that of many, and the ward's name of a street is no name of it
            score *= 1.0 if unlike > 0.5 or named.own == ("name",) else 0.85
        if score:
            found.append((score, at))
    found += [(_REFERRED, at) for at in _written_on(table, names, kinds, profiles)[:1]]
    return sorted(found, key=lambda one: (-one[0], one[1])) or _told_apart(table, names, kinds, profiles)


def _told_apart(
    table: TableFacts, names: NamedTable, kinds: Sequence[ColumnKind], profiles: Mapping[str, ColumnProfile]
) -> list[tuple[float, int]]:
    """The first column of words, where nothing is called a name: no two of many rows have the same words. Without any,
    a short text of every row by which it is told from a row whose key is a mere number: the call sign of a vehicle.
    """
    signs: list[tuple[float, int]] = []
    for at, (facts, named, kind) in enumerate(zip(table.columns, names.columns, kinds, strict=False)):
        profile = profiles.get(facts.name)
        if kind is not ColumnKind.TEXT or profile is None or profile.masked or facts.references is not None:
            continue
        if set(named.words) & (KEY_HEADS | _REACHING) or is_numeric_text(profile) or facts.is_primary_key:
            continue
        if profile.distinct_count != profile.row_count or profile.row_count <= _FEW_ROWS:
            continue
        if all(map(_is_worded, [one.value for one in profile.top_values] or [""])):
            return [(NAMED_ENOUGH, at)]
        if not profile.null_count and (profile.max_length or _LONGEST_SIGN + 1) <= _LONGEST_SIGN:
            signs.append((NAMED_ENOUGH, at))
    return signs[:1] if _is_numbered(table, kinds) else []


def _is_numbered(table: TableFacts, kinds: Sequence[ColumnKind]) -> bool:
    """Return whether the key of rows is a mere number."""
    numbered = zip(table.columns, kinds, strict=False)
    return any(facts.is_primary_key and kind is ColumnKind.NUMBER for facts, kind in numbered)


def _written_on(
    table: TableFacts, names: NamedTable, kinds: Sequence[ColumnKind], profiles: Mapping[str, ColumnProfile]
) -> list[int]:
    """The columns by which people tell rows apart whose key is a mere number: the reference that every row has."""
    if not _is_numbered(table, kinds):
        return []
    found: list[int] = []
    for at, (facts, named, kind) in enumerate(zip(table.columns, names.columns, kinds, strict=False)):
        profile = profiles.get(facts.name)
        if kind is not ColumnKind.TEXT or profile is None or profile.masked or facts.references is not None:
            continue
        many = (profile.distinct_count or 0) == profile.row_count > _FEW_ROWS
        own = [word for word in named.words if word not in names.words]
        if many and not profile.null_count and len(own) == 1 and own[0] in _REFERENCES:
            found.append(at)
    return found


_REFERENCES: Final = frozenset(("reference", "ref", "number", "no", "nr", "code", "sku", "registration", "serial"))
"""What columns are called by which people tell rows apart, beside the words of their table."""
_FEW_ROWS: Final = 4
_LONGEST_SIGN: Final = 24
"""How many characters a text may have by which people call a row."""
_REFERRED: Final = 0.52
"""How well such a column names rows: better than what is written about them."""


def _is_worded(text: str) -> bool:
    """Return whether a text is of letters, as names are, and not a code."""
    return text[:1].isalpha() and not any(map(str.isdigit, text)) and not text.isupper()


def whole_name(names: NamedTable) -> tuple[int, ...]:
    """The first and the last name of a person, by their place in the table; none when it has not both."""
    places = {named.own: at for at, named in reversed(list(enumerate(names.columns)))}
    first, last = places.get(("first", "name")), places.get(("last", "name"))
    return (first, last) if first is not None and last is not None else ()


def is_person(names: NamedTable) -> bool:
    """Return whether rows are people: by what they are called, or because they were born or hired, or have two
    names.
    """
    if any(map(says_who, names.words[-1:])) or whole_name(names):
        return True
    return any(word in _LIVING for named in names.columns for word in named.own)


def says_who(word: str, deeds: Sequence[str] = ()) -> bool:
    """Return whether a word, in the singular, is what a person is called: customer, or pitcher beside `pitching`."""
    return (
        word in PERSONS
        or _is_agent(word)
        or (word.endswith(("er", "or")) and bool(_stems(word).intersection(one.removesuffix("ing") for one in deeds)))
    )


_LIVING: Final = word_set("birth birthday born hire hired salary nationality surname forename")
"""Words of columns that only people have."""
_THINGS: Final = word_set(
    "computer container poster marker holder charter counter drawer folder locker recorder starter order number letter "
    "transfer register reader trailer tanker cover offer factor sensor motor monitor sector vector meter border"
)
"""What ends as those who do something, and is a thing."""


def _is_agent(word: str) -> bool:
    """Return whether a word says who does something: collector, designer, inspector."""
    if word in _THINGS or not word.endswith(("er", "or")):
        return False
    return bool(_stems(word) & VERBS)


def _stems(agent: str) -> set[str]:
    """Return what somebody may do who is called so: bat, of a batter."""
    stem = agent[:-2]
    return {stem, stem + "e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem}
