"""Keys that only names and types speak for, where neither people nor the source nor a profile says more.

A column that is called as a table's key refers to it: `student_id`, `StuID`, `home_team_id`, `CountryCode` to `code` of
`country`; a column that is called as a table itself does where the types agree: `channel` to `tv_channel`. A column
such as `manager_id` refers to its own table where rows are people, else to the one table of people; `sender_id` to the
one table of people whose keys its values are among.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from resolvers.engines.english.vocabulary import ABBREVIATIONS, words
from resolvers.engines.nl2sql.joining.names import HEADS, family, folded, names_key, nouns, role_of
from resolvers.engines.nl2sql.joining.ties import Key, KeyOrigin
from resolvers.engines.nl2sql.schema_linking.roles import PERSONS
from schema.data_readiness.source import ColumnFacts, TableFacts

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.joining.keys import KeyFinder

COMMON: Final = words(
    "id key code no nr number name title type status date time year month day description desc comment note value "
    "amount price quantity count total rank rating score level city state country region county district street "
    "address postal postcode zip phone fax mobile email website homepage url age gender sex "
    "active created updated first last position"
)
"""Names that many tables have without meaning the same thing."""
LEADING: Final = words(
    "manager supervisor boss reports superior mentor leader chief lead head reportsto referrer spouse"
)
"""Words of columns that refer to a person."""
WITHIN: Final = words("parent ancestor predecessor successor previous next replaced")
"""Words of columns that refer to another row of their own table."""
TEACHING: Final = words("advisor adviser tutor")
TEACHERS: Final = words("faculty professor teacher instructor lecturer advisor staff")
PEOPLE: Final = words(
    "employee staff person people worker user member agent clerk personnel salesperson faculty teacher professor "
    "instructor lecturer officer physician doctor nurse consultant engineer"
)
AGENTS: Final = words(
    "sender receiver recipient buyer seller owner author writer reviewer approver creator editor requester reporter "
    "borrower lender payer payee winner loser host guest assignee organizer referrer inspector examiner coach keeper "
    "holder donor renter tenant applicant submitter handler driver teacher trainer captain contact"
)
"""Words of columns that refer to whoever does or gets something."""
MEASURES: Final = words("max maximum min minimum num number total count avg average sum many no nr of has is")
"""Words before a noun that make a figure of it: `max_guests` refers to no guest."""
KINDS: Final = words("type kind status class")
"""Words for what rows are told apart by, of which many tables have their own."""
ROWS: Final = frozenset(("id", "fk"))
"""Last words of columns that surely refer to rows: a code may stand for itself."""
MOST_CALLED: Final = 6
"""When more tables than this are called the same, a name tells nothing."""


@dataclass(slots=True)
class _Names:
    """The catalog by what things are called."""

    finder: "KeyFinder"
    columns: dict[str, list[tuple[str, ColumnFacts]]] = field(default_factory=dict)
    nouns: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    heads: dict[str, list[str]] = field(default_factory=dict)
    """Tables by the last word of what they are called."""
    keys: dict[str, ColumnFacts] = field(default_factory=dict)
    """Tables that can be referred to, with the column that is their key."""
    owners: dict[str, list[str]] = field(default_factory=dict)
    """Tables by the name of their key."""
    people: list[str] = field(default_factory=list)
    persons: list[str] = field(default_factory=list)
    """Tables of people of any sort."""
    called: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    """Tables by what their key is called, where that takes several words."""

    def __post_init__(self) -> None:
        for fqn, table in self.finder.tables.items():
            for column in table.columns:
                self.columns.setdefault(column.name.lower(), []).append((fqn, column))
            key = self.finder.key(fqn)
            if len(key) != 1 or table.is_view:
                continue
            self.keys[fqn] = self.finder.columns[fqn][key[0]]
            self.owners.setdefault(key[0].lower(), []).append(fqn)
            if len(said := folded(key[0])) > 1 and not set(said) <= COMMON:
                self.called.setdefault(said, []).append(fqn)
            called = nouns(table.name)
            if any(noun[-1] in PERSONS for noun in called):
                self.persons.append(fqn)
            for noun in called:
                self.nouns.setdefault(noun, []).append(fqn)
                if len(noun) > 1:
                    self.heads.setdefault(noun[-1], []).append(fqn)
            if any(noun[-1] in PEOPLE for noun in called):
                self.people.append(fqn)


def guessed(finder: "KeyFinder", claimed: set[tuple[str, str]], known: Collection[Key]) -> Iterator[Key]:
    """Keys of columns that no better key claims; `known` are those."""
    names = _Names(finder)
    taken = set(claimed)
    above: dict[str, set[str]] = {}
    for key in known:
        above.setdefault(key.table, set()).add(key.to)
    for fqn, table in finder.tables.items():
        for column in table.columns:
            if (fqn, column.name) not in claimed:
                for key in _of_column(fqn, column, names):
                    taken.update({(fqn, column.name), (key.to, key.to_columns[0])})
                    above.setdefault(key.table, set()).add(key.to)
                    yield key
    for key in _shared(names, taken):
        if not above.get(key.table, set()) & above.get(key.to, set()):  # a third table ties them, one by one
            yield key


def _of_column(fqn: str, column: ColumnFacts, names: _Names) -> Iterator[Key]:
    called = folded(column.name)
    if not called:
        return
    own = names.keys.get(fqn)
    is_key = own is not None and own.name == column.name
    found: dict[str, float] = {}
    offers = [*_by_key(fqn, column, names)]
    if called[-1] in HEADS and len(called) > 1:
        of = None if called[-1] in ROWS else fqn
        offers += _by_noun(called[:-1], names, 1.5, of) if not is_key else _by_noun_of_another(fqn, called[:-1], names)
    elif called[-1] not in HEADS and not is_key and not set(called) & COUNTS:
        offers += [(to, cost + 0.5, True) for to, cost, _ in _by_noun(called, names, 1.5, fqn)]
    if not is_key and not offers:
        offers += _by_end_of_key(fqn, called, names) or _to_people(fqn, called, names)
    if not is_key and not offers:
        offers += _to_agents(fqn, column, names) or _by_values(fqn, column, called, names)
    for to, cost, strict in offers:
        target = names.keys[to]
        if (to == fqn and target.name == column.name) or names.finder.is_refuted(fqn, column.name, to, target.name):
            continue
        if (fit := _fit(column, target, strict)) is not None:
            found[to] = min(cost + fit, found.get(to, cost + fit))
    least = min(found.values(), default=0.0)
    for to, cost in found.items():
        if cost <= least + 0.4:
            role = role_of((column.name,), names.finder.tables[to].name, (names.keys[to].name,))
            cost += 0.05 * bool(role)
            yield Key(fqn, (column.name,), to, (names.keys[to].name,), KeyOrigin.GUESSED, cost, role=role)


COUNTS: Final = frozenset(("n", "num", "number", "no", "nr", "nb", "count", "total", "amount"))
"""What begins the names of columns that count rows of a table rather than refer to one: `num_employees`."""
Offer = tuple[str, float, bool]
"""A table that may be meant, what going there costs, and whether the types must agree."""


def _by_key(fqn: str, column: ColumnFacts, names: _Names) -> Iterator[Offer]:
    """Tables whose key is called the same."""
    owners = names.owners.get(column.name.lower(), ())
    if set(folded(column.name)) <= COMMON or len(owners) > MOST_CALLED:
        return
    for to in owners:
        own = names_key(names.keys[to].name, names.finder.tables[to].name)
        itself = names.keys.get(fqn)
        if to != fqn and not (itself is not None and itself.name == column.name and not own):
            yield to, 1.5 if own else 1.8, False


def _by_noun(called: tuple[str, ...], names: _Names, cost: float, of: str | None) -> list[Offer]:
    """Tables that are called so, or as the last words say; not the kinds of something else than the rows of a table
    are, where that is told: the `type_code` of a tram refers to no `ticket_type`.
    """
    if set(called[:-1]) & MEASURES:
        return []
    whole = tuple(ABBREVIATIONS.get(word, word) for word in called)
    for said, start in [(said, start) for said in dict.fromkeys((called, whole)) for start in range(len(called))]:
        tables = names.nouns.get(said[start:], ())
        if 0 < len(tables) <= MOST_CALLED:
            return [(to, cost + 0.2 * bool(start), False) for to in tables]
    tables = names.heads.get(called[-1], ())
    if of is not None and len(called) == 1 and called[0] in KINDS:
        own = {word for noun in nouns(_name(names, of)) for word in noun}
        tables = [to for to in tables if own & {word for noun in nouns(_name(names, to)) for word in noun}]
    return [(to, cost + 0.4, True) for to in tables] if len(tables) == 1 else []


def _by_noun_of_another(fqn: str, called: tuple[str, ...], names: _Names) -> list[Offer]:
    """A key that is called as another table's: the row there and here are one and the same thing."""
    tables = [to for to in names.nouns.get(called, ()) if to != fqn]
    own = nouns(names.finder.tables[fqn].name)
    return [(tables[0], 1.6, False)] if len(tables) == 1 and called not in own else []


def _by_end_of_key(fqn: str, called: tuple[str, ...], names: _Names) -> list[Offer]:
    """Tables whose key is called as the last words say: `origin_ctry_code` to `ctry_code`."""
    for start in range(1, len(called) - 1):
        tables = names.called.get(called[start:], ())
        if tables and not set(called[:start]) & MEASURES:
            return [(to, 1.7, True) for to in tables if to != fqn] if len(tables) <= MOST_CALLED else []
    return []


def _to_agents(fqn: str, column: ColumnFacts, names: _Names) -> list[Offer]:
    called = folded(column.name)
    if called[0] not in AGENTS or not (len(called) == 1 or called[1:] in {(head,) for head in HEADS}):
        return []
    held = (to for to in names.persons if to != fqn and names.finder.may_refer(fqn, column.name, to))
    some = list(islice(held, 2))
    return [(some[0], 1.9, True)] if len(some) == 1 else []


def _by_values(fqn: str, column: ColumnFacts, called: tuple[str, ...], names: _Names) -> list[Offer]:
    """The one table whose short keys hold all values of a column that is called a code too: `origin_code`."""
    if called[-1] not in HEADS or len(called) < 2 or family(column.data_type) != "text" or set(called) & MEASURES:
        return []
    ends = ((to, key) for to, key in names.keys.items() if to != fqn and family(key.data_type) == "text")
    found = [
        to for to, key in ends if folded(key.name)[-1:] == called[-1:] and names.finder.holds(fqn, column.name, to)
    ]
    return [(found[0], 1.9, True)] if len(found) == 1 else []


def _to_people(fqn: str, called: tuple[str, ...], names: _Names) -> list[Offer]:
    said = set(called)
    if said & WITHIN and fqn in names.keys:
        return [(fqn, 1.7, True)]
    if said & TEACHING:
        teachers = [to for to in names.people if any(noun[-1] in TEACHERS for noun in nouns(_name(names, to)))]
        return [(teachers[0], 1.8, True)] if len(teachers) == 1 else []
    if said & LEADING and (called[-1] in HEADS or len(called) == 1 or "reports" in said or "report" in said):
        if fqn in names.people:
            return [(fqn, 1.7, True)]
        if len(names.people) == 1:
            return [(names.people[0], 1.7, True)]
        return [(fqn, 1.9, True)] if not names.people and fqn in names.keys else []
    return []


def _name(names: _Names, fqn: str) -> str:
    return names.finder.tables[fqn].name


def _fit(left: ColumnFacts, right: ColumnFacts, strict: bool) -> float | None:
    """Return what it costs that the types differ; None when they cannot be equal."""
    kinds = {family(left.data_type), family(right.data_type)} - {""}
    if len(kinds) < 2:
        return 0.0
    return 0.3 if not strict and kinds == {"text", "number"} else None


def _shared(names: _Names, taken: set[tuple[str, str]]) -> Iterator[Key]:
    """Unusual names of columns that two tables share though neither is known to own them."""
    for name, places in names.columns.items():
        if not 2 <= len(places) <= MOST_CALLED or name in names.owners:
            continue
        called = folded(places[0][1].name)
        if set(called) <= COMMON:
            continue
        is_key = called[-1] in HEADS or name.endswith("id")
        for at, (one, left) in enumerate(places):
            for other, right in places[at + 1 :]:
                free = (one, left.name) not in taken and (other, right.name) not in taken
                tables = (names.finder.tables[one], names.finder.tables[other])
                owners = [of for of in tables if set(called) <= {word for noun in nouns(of.name) for word in noun}]
                if not free or _fit(left, right, strict=True) is None or (not is_key and len(owners) != 1):
                    continue
                if names.finder.is_refuted(one, left.name, other, right.name):
                    continue
                turned = bool(owners) and owners[0].fqn == one
                ends = ((other, right), (one, left)) if turned else ((one, left), (other, right))
                yield Key(
                    ends[0][0],
                    (ends[0][1].name,),
                    ends[1][0],
                    (ends[1][1].name,),
                    KeyOrigin.GUESSED,
                    3.0 if is_key else 3.4,
                )


def plain_key(
    table: TableFacts,
    proven: Sequence[tuple[str, ...]],
    refuted: Collection[str],
    called: Collection[tuple[str, ...]],
) -> tuple[str, ...]:
    """The key of a table that nobody declared: proven by a profile, or called as one and not refuted.

    `called` is what all tables of the catalog are called.
    """
    named = [column.name for column in table.columns if names_key(column.name, table.name)]
    named += [column.name for column in table.columns[:1] if _is_own(column.name, table.name, called)]
    named += [column.name for column in table.columns if folded(column.name) in (("code",), ("number",), ("no",))]
    for name in named:
        if (name,) in proven or name not in refuted:
            return (name,)
    single = [one for one in proven if len(one) == 1 and set(folded(one[0])) & HEADS]
    return single[0] if single else proven[0] if proven else ()


def _is_own(column: str, table: str, others: Collection[tuple[str, ...]]) -> bool:
    """Return whether the first column of a table is called as the table, or its first words: `model_id` of
    `model_list`.
    """
    called, own = folded(column), folded(table)
    if len(called) == 2 and len(called[0]) == 1 and called[1] in HEADS:  # p_id of products
        return any(len(noun) == 1 and noun[0].startswith(called[0]) for noun in nouns(table))
    if len(called) < 2 or called[-1] not in HEADS or called[:-1] in others:
        return False
    return set(called[:-1]) <= set(own) and (len(called) > 2 or own[0] == called[0])
