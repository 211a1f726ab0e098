"""Defines what can be said of a column: what it is, what it refers to, which values it holds."""

import re
from collections.abc import Sequence
from typing import Final

from resolvers.engines.claims import without_claims
from resolvers.engines.describing.known import DescribedTable, Offer, Statement, borne_out, offer_of
from resolvers.engines.describing.tables import bridge_of
from resolvers.engines.describing.values import is_flag, statements_of
from resolvers.engines.english.grammar import plural_phrase, sentence, singular, with_article
from resolvers.engines.english.identifiers import Words, restates, title_of
from resolvers.engines.english.vocabulary import COMMON, UNITS
from resolvers.engines.english.vocabulary import words as word_set
from schema.data_readiness.source import ColumnFacts
from schema.identifiers import Fqn

_WHEN: Final = frozenset(("date", "time", "timestamp", "at", "on", "datetime", "moment"))
_PARTICIPLES: Final = word_set(
    "begun sent paid born sold built made bought known shipped put run met seen taken written given held lost won "
    "spent read done drawn"
)
_NOT_PARTICIPLES: Final = word_set("need seed feed speed breed bed red shed weed deed")
_TEMPORAL: Final = ("DATE", "TIME", "TIMESTAMP", "DATETIME")
_COUNTS: Final = frozenset(("count", "number", "qty", "quantity"))
_ADJECTIVES: Final = word_set(
    "active current valid default primary open public private internal external visible optional paid gross net daily "
    "weekly monthly yearly hourly effective due first last next previous standard net recommend"
)
_FROM_TO: Final = {"from": "From when", "to": "Until when", "until": "Until when", "till": "Until when"}
_GENERIC: Final = word_set(
    "id name code status type description created_at updated_at date value key number note notes comment"
)


def column_offers(subject: DescribedTable, column: ColumnFacts, *, extend: str | None = None) -> list[Offer]:
    """A description and a display name for a column, as far as there is something to say.

    `extend` is a comment that stands: the description keeps it and adds what it does not say.
    """
    words = subject.words(column.name)
    found: list[Offer] = []
    if (offer := _description(subject, column, words, extend)) is not None:
        found.append(offer)
    if (offer := display_name(column.name, words)) is not None:
        found.append(offer)
    return found


def display_name(name: str, words: Words) -> Offer | None:
    """The name as a reader would like to see it; None when that only restates it."""
    title = title_of(words.words)
    if not title or restates(title, name) or sum(letter.isalpha() for letter in title) < 2:
        return None
    origin = "abbreviation" if words.expanded else "name"
    evidence: dict[str, object] = {"engine": "words/1", "from": [origin], "name": name}
    if words.expanded:
        evidence["abbreviations"] = dict(words.expanded)
    sure = 0.9 if words.is_familiar and not words.expanded else 0.75 if words.is_familiar else 0.55
    return Offer("display_name", title[:255], evidence, sure)


def _description(subject: DescribedTable, column: ColumnFacts, words: Words, extend: str | None) -> Offer | None:
    evidence: dict[str, object] = {}
    statements: list[Statement] = []
    if extend:
        statements.append(Statement(sentence(extend), "comment", 0.95, informs=False))
    elif (borrowed := _of_neighbour(subject, column)) is not None:
        statements.append(borrowed[0])
        evidence["neighbour"] = borrowed[1]
    role = [one for one in (_key(subject, column), _reference(subject, column, words)) if one is not None]
    statements += role
    if not extend and not role and "neighbour" not in evidence and (lead := _lead(subject, column, words)):
        statements.append(lead)
    profile = subject.columns.get(column.name)
    if profile is not None:
        private = subject.is_private(column)
        is_key = column.is_primary_key or subject.facts.is_key(column.name)
        statements += statements_of(
            profile, private=private, head=words.head, is_key=is_key, refers=column.references is not None,
        )  # fmt: skip
        evidence["profile_id"] = profile_id(subject)
        evidence["values_withheld"] = private
    if words.expanded:
        evidence["abbreviations"] = dict(words.expanded)
    return offer_of("description", borne_out(subject, statements, column.name), **evidence)


def profile_id(subject: DescribedTable) -> str | None:
    """The profile that the statistics come from."""
    return subject.profile.id if subject.profile else None


def _key(subject: DescribedTable, column: ColumnFacts) -> Statement | None:
    if not column.is_primary_key:
        if subject.facts.is_key(column.name):
            return Statement(f"Unique: no two {_rows(subject)} share it.", "keys", 0.95)
        return None
    parts = subject.facts.primary_key
    if len(parts) == 1:
        return Statement(f"Identifies {subject.the_row}.", "keys", 0.95)
    others = " and ".join(f"`{name}`" for name in parts if name != column.name)
    what = subject.the_row if bridge_of(subject) is None else "the link"
    return Statement(f"Identifies {what}, together with {others}.", "keys", 0.95)


def _rows(subject: DescribedTable) -> str:
    return plural_phrase(subject.a_row) if subject.a_row else "rows"


def _reference(subject: DescribedTable, column: ColumnFacts, words: Words) -> Statement | None:
    """Return what a column refers to, and as what when its name is not that of the other table."""
    if column.references is None:
        return None
    table, target = column.references
    noun = subject.noun_of(table)
    where = f"`{Fqn.parse(table).name}.{target}`"
    role = " ".join(word for word in words.words if word.lower() not in ("id", "key", "number", "code", "no", "ref"))
    if table == subject.facts.fqn:
        text = f"Refers to another {noun or 'row'} of the same table, as “{role or column.name}” ({where})."
    elif noun is None:
        text = f"Refers to {where}."
    elif not role or singular(role.split(" ")[-1]).lower() == noun.split(" ")[-1].lower():
        text = f"Refers to the {noun} ({where})."
    else:
        text = f"Refers to the {noun} that is meant by “{role}” ({where})."
    return Statement(text, "references", 0.95)


def _of_neighbour(subject: DescribedTable, column: ColumnFacts) -> tuple[Statement, str] | None:
    """Return what the source says of the column that this one refers to, when it says something there and nothing
    here.
    """
    if column.references is None:
        return None
    table, name = column.references
    fqn = str(Fqn.parse(table).child(name))
    comment = subject.around.comments.get(fqn)
    if not comment or column.name.lower() in _GENERIC:
        return None
    # What it says of the values over there is not so here.
    if not (kept := without_claims(comment[:400])):
        return None
    return Statement(sentence(kept), "neighbour", 0.7), fqn


def _lead(subject: DescribedTable, column: ColumnFacts, words: Words) -> Statement | None:
    """Return what the name says, as a sentence about a row."""
    said = words.words
    if not said:
        return None
    origin = "abbreviation" if words.expanded else "name"
    sure = 0.7 if words.is_familiar else 0.5
    of = subject.the_row
    phrase = " ".join(said)
    own = _without_own(said, subject)
    if said[0].lower() in ("is", "has", "was", "can", "needs", "should") and len(said) > 1 and _yes_or_no(column):
        return Statement(_whether(said, of), origin, sure)
    if len(own) == 1 and _is_done(own[0]) and _is_flag(subject, column):
        return Statement(f"Whether {of} is {own[0].lower()}.", origin, sure)
    if said[0].lower() in ("number", "no", "num") and len(said) > 2 and said[1] == "of":
        return Statement(f"How many {plural_phrase(' '.join(said[2:]))} {of} has.", origin, sure)
    if _temporal(column) and (when := _when(said, of)) is not None:
        return Statement(when, origin, sure)
    unit = UNITS.get(said[-1].lower()) if len(said) > 1 else None
    if unit and not _temporal(column):
        if not Words(tuple(said[:-1])).is_familiar:
            return Statement(f"Counted in {unit}.", "name", 0.7)
        name = " ".join(own[:-1] or said[:-1])
        return Statement(f"{_capital(name)} of {of}, in {unit}.", origin, sure)
    if said[-1].lower() == "by" and len(said) == 2 and _is_done(said[0]):
        return Statement(f"Who {said[0].lower()} {of}.", origin, sure)
    if len(own) == 2 and own[0].lower() in ("valid", "effective") and own[1].lower() in _FROM_TO:
        return Statement(f"{_FROM_TO[own[1].lower()]} {of} is {own[0].lower()}.", origin, sure)
    if words.head in _COUNTS and len(own) > 1 and own[-1].lower() == "count":
        return Statement(f"How many {plural_phrase(' '.join(own[:-1]))} {of} has.", origin, sure)
    if subject.noun is None or not words.is_familiar:
        return None
    return Statement(f"{_capital(' '.join(own) or phrase)} of {of}.", origin, sure, informs=bool(words.expanded))


def _without_own(said: Sequence[str], subject: DescribedTable) -> list[str]:
    """The words without the table's own noun before them: `customer name` of the customer is its name."""
    noun = (subject.noun or "").split(" ")
    rest = list(said)
    if (
        noun
        and len(rest) > len(noun)
        and [singular(word).lower() for word in rest[: len(noun)]] == [word.lower() for word in noun]
    ):
        rest = rest[len(noun) :]
    return rest


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _yes_or_no(column: ColumnFacts) -> bool:
    kind = (column.data_type or "").upper()
    return kind in ("BOOLEAN", "BOOL", "BIT", "TINYINT", "SMALLINT", "INTEGER", "CHAR", "VARCHAR", "TEXT", "")


def _is_flag(subject: DescribedTable, column: ColumnFacts) -> bool:
    figures = subject.columns.get(column.name)
    return (column.data_type or "").upper() in ("BOOLEAN", "BOOL", "BIT") or (figures is not None and is_flag(figures))


def _whether(said: Sequence[str], of: str) -> str:
    verb, rest = said[0].lower(), " ".join(said[1:])
    thing = said[-1].lower()
    if thing in COMMON and singular(thing) == thing and thing not in _ADJECTIVES and not _is_done(thing):
        rest = with_article(rest)
    return f"Whether {of} {verb} {rest}."


def _temporal(column: ColumnFacts) -> bool:
    return (column.data_type or "").upper().startswith(_TEMPORAL)


def _when(said: Sequence[str], of: str) -> str | None:
    """`shipped date`, `created at`, `date paid`: when something was done."""
    words = [word for word in said if word.lower() not in _WHEN]
    if len(words) == len(said) or not words or said[1:2] == ["of"]:
        return None
    last = words[-1].lower()
    return f"When {of} was {last}." if _is_done(last) and len(words) == 1 else None


def _is_done(word: str) -> bool:
    """Return whether a word says that something was done: `created`, `sent`."""
    low = word.lower()
    return low in _PARTICIPLES or (len(low) > 4 and low.endswith("ed") and low not in _NOT_PARTICIPLES)


_BLANKS: Final = re.compile(r"\s+")


def plain(text: str) -> str:
    """A text on one line."""
    return _BLANKS.sub(" ", text).strip()
