"""Foreign keys: declared ones are checked, others are guessed from names, types and values and then checked.

What is checked is counted in the source, against the key of the table that is referred to. A guess is only made where
names speak for it, or where texts or large numbers could hardly coincide; small whole numbers occur in every key.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.profiling.basics import is_refused
from resolvers.engines.profiling.kinds import is_exact_fraction, is_integer, kind_of, type_of
from resolvers.engines.profiling.sql import column
from resolvers.engines.profiling.values import number_of
from schema.data_readiness.profile import ColumnProfile, ForeignKeyCandidate, TableProfile, ValueKind
from schema.data_readiness.source import ColumnFacts, Sample, Source, TableFacts
from schema.identifiers import Fqn

LEAST_MATCHED: Final = 0.9
"""From this share of values with a target on, a guess with a fitting name is told."""

LEAST_MATCHED_UNNAMED: Final = 0.99
NEARLY_UNIQUE: Final = 0.99
"""From this share of unique rows on what is called a key may be referred to, though some rows are there twice."""

MOST_CHECKS: Final = 40
"""Guesses about one table that are counted in the source."""

MOST_TARGETS: Final = 3
"""Guesses about one column that are counted."""

MOST_COMPOSED: Final = 8
"""Guesses of several columns about one table that are counted."""

WIDEST: Final = 4
"""Columns of a key beyond which nothing is guessed."""

WHOLE_ROWS: Final = 2_000_000
"""Up to this many rows every one is matched; of a larger table a sample of values is."""

SAMPLED_VALUES: Final = 1_000
PROBED_ROWS: Final = 20
"""Rows whose values are looked up before all are matched where no name speaks for a guess: most such guesses are
wrong, and to match long texts without an index may take the source minutes."""

LEAST_PROBED: Final = 0.8
"""From this share of them on all are matched; of 20 rows fewer have a target by chance alone in 1 case of 100,000 where
`LEAST_MATCHED_UNNAMED` of all have."""

MOST_TOLD: Final = 100
_FEWEST_TEXTS: Final = 5


@dataclass(frozen=True, slots=True)
class ProfiledTable:
    """A table with its profile, if there is one."""

    facts: TableFacts
    profile: TableProfile | None

    def figures(self, name: str) -> ColumnProfile | None:
        """The profile of a column."""
        columns = () if self.profile is None else self.profile.columns
        return next((one for one in columns if one.name == name), None)


@dataclass(frozen=True, slots=True)
class _Guess:
    columns: tuple[str, ...]
    target: ProfiledTable
    target_columns: tuple[str, ...]
    is_declared: bool
    score: float


def foreign_keys(
    source: Source, table: ProfiledTable, others: Sequence[ProfiledTable], unread: set[str] | None = None
) -> list[ForeignKeyCandidate]:
    """The foreign keys of a table to tables of the same connection, itself too, the declared ones first.

    A key to a table that may not be read, or is gone, is left out, and the table is put into `unread`.
    """
    unread = set() if unread is None else unread
    targets = {other.facts.fqn: other for other in (*others, table)}
    found: list[ForeignKeyCandidate] = []
    taken: set[tuple[str, ...]] = set()
    for guess in _declared(table, targets):
        taken.add(guess.columns)
        if (candidate := _checked(source, table, guess, unread)) is not None:
            found.append(candidate)
    composed, checks = _found_composed(source, table, targets, taken, unread)
    found += composed
    found += _found_single(source, table, targets, taken, unread, checks)
    return found[:MOST_TOLD]


def _found_composed(
    source: Source,
    table: ProfiledTable,
    targets: Mapping[str, ProfiledTable],
    taken: set[tuple[str, ...]],
    unread: set[str],
) -> tuple[list[ForeignKeyCandidate], int]:
    """The keys of several columns that hold, put into `taken` too; and how many guesses were counted."""
    found: list[ForeignKeyCandidate] = []
    checks = 0
    for guess in _composed(table, targets, taken):
        if checks >= MOST_COMPOSED:
            break
        if guess.columns in taken:
            continue
        checks += 1
        candidate = _checked(source, table, guess, unread)
        if candidate is not None and candidate.match_rate >= LEAST_MATCHED:
            taken.add(guess.columns)
            found.append(candidate)
    return found, checks


def _found_single(
    source: Source,
    table: ProfiledTable,
    targets: Mapping[str, ProfiledTable],
    taken: set[tuple[str, ...]],
    unread: set[str],
    checks: int,
) -> list[ForeignKeyCandidate]:
    """The best key of each column that refers to one, after so many guesses were counted."""
    found: list[ForeignKeyCandidate] = []
    probes: dict[tuple[str, ...], Sample] = {}
    for guesses in _guesses(table, targets, taken):
        best: ForeignKeyCandidate | None = None
        likeliest = 0.0
        for guess in guesses[:MOST_TARGETS]:
            if best is not None and (best.match_rate == 1.0 or guess.score < likeliest):
                break  # what is as likely as the best may match better, what is less likely need not be asked
            if checks >= MOST_CHECKS:
                break
            checks += 1
            candidate = _checked(source, table, guess, unread, probes)
            least = LEAST_MATCHED if guess.score >= _NAMED else LEAST_MATCHED_UNNAMED
            if candidate is None or candidate.match_rate < least:
                continue
            if best is None or candidate.match_rate > best.match_rate:
                best, likeliest = candidate, guess.score
        if best is not None:
            found.append(best)
        if checks >= MOST_CHECKS:
            break
    return found


def _declared(table: ProfiledTable, targets: Mapping[str, ProfiledTable]) -> Iterator[_Guess]:
    service = Fqn.parse(table.facts.fqn).parts[0]
    for key in table.facts.keys:
        if key.get("type") != "FOREIGN_KEY" or not key.get("target_table"):
            continue
        schema = key.get("target_schema") or table.facts.schema
        target = targets.get(str(Fqn.of(service, table.facts.database, schema, key["target_table"])))
        columns, to = tuple(key.get("columns") or ()), tuple(key.get("target_columns") or ())
        if target is not None and columns and len(columns) == len(to):
            yield _Guess(columns, target, to, is_declared=True, score=1.0)


def _guesses(
    table: ProfiledTable, targets: Mapping[str, ProfiledTable], taken: set[tuple[str, ...]]
) -> Iterator[list[_Guess]]:
    """For each column the keys that it may refer to, the likeliest first."""
    # A view has no key of its own: what it shows of one lies in a table.
    tables = [target for target in targets.values() if not target.facts.is_view]
    keys = [(target, name) for target in tables for name in _single_keys(target)]
    for of in table.facts.columns:
        figures = table.figures(of.name)
        if (of.name,) in taken or figures is None or not _may_refer(of, figures):
            continue
        rated = []
        for target, name in keys:
            if target is table and name == of.name:
                continue
            score = _score(table, of, figures, target, name)
            if score > 0:
                rated.append(_Guess((of.name,), target, (name,), is_declared=False, score=score))
        if rated:
            yield sorted(rated, key=_likelihood)


def _composed(
    table: ProfiledTable, targets: Mapping[str, ProfiledTable], taken: set[tuple[str, ...]]
) -> Iterator[_Guess]:
    """The keys of several columns for which the table has a column each, called the same or after the other table.

    A table that has the same key itself is not asked: two that count the same refer to neither.
    """
    own = {frozenset(key) for key in _composed_keys(table)}
    keys = [
        (target, key)
        for target in targets.values()
        if target is not table and not target.facts.is_view
        for key in _composed_keys(target)
    ]
    # A key that is itself a reference is borrowed: where it comes from is the likelier target.
    for target, key in sorted(
        keys, key=lambda one: any(guess.columns == one[1] for guess in _declared(one[0], targets))
    ):
        columns = tuple(_named_for(table, target, name) or "" for name in key)
        if all(columns) and len(set(columns)) == len(key) and frozenset(columns) not in own:
            yield _Guess(columns, target, key, is_declared=False, score=0.9)


def _composed_keys(target: ProfiledTable) -> list[tuple[str, ...]]:
    """Keys of several columns: declared ones, and those that the profile found unique."""
    keys = list(target.facts.key_sets)
    if target.profile is not None:
        keys += [tuple(key.columns) for key in target.profile.candidate_keys if key.uniqueness == 1.0]
    return [key for key in dict.fromkeys(keys) if 2 <= len(key) <= WIDEST]


def _named_for(table: ProfiledTable, target: ProfiledTable, key: str) -> str | None:
    """The column of a table that is called like a column of another one's key and can hold its values."""
    to = next((one for one in target.facts.columns if one.name == key), None)
    if to is None:
        return None
    names = (words_of(key), (*words_of(target.facts.name), *words_of(key)))
    for of in table.facts.columns:
        figures = table.figures(of.name)
        if figures is None or words_of(of.name) not in names or _family(of) != _family(to):
            continue
        if _filled(figures) and _within(figures, target.figures(key)):
            return of.name
    return None


def _likelihood(guess: _Guess) -> tuple[float, bool, str]:
    """Return how guesses sort: what speaks for them, then declared keys before others."""
    key = next((of for of in guess.target.facts.columns if of.name == guess.target_columns[0]), None)
    return (-guess.score, not (key is not None and key.is_primary_key), guess.target.facts.fqn)


def _single_keys(target: ProfiledTable) -> list[str]:
    """Columns that are a key by themselves: declared ones, those that the profile found unique, and those that it found
    so but for a few rows, as some may be there twice, where the name is that of a key.
    """
    names = [of.name for of in target.facts.columns if target.facts.is_key(of.name)]
    if target.profile is not None:
        names += [
            key.columns[0]
            for key in target.profile.candidate_keys
            if len(key.columns) == 1
            and (key.uniqueness == 1.0 or (key.uniqueness >= NEARLY_UNIQUE and _is_called_key(key.columns[0])))
        ]
    return list(dict.fromkeys(names))


def _is_called_key(name: str) -> bool:
    words = words_of(name)
    return len(words) > 1 and words[-1] in KEY_WORDS


def _filled(figures: ColumnProfile) -> bool:
    return figures.row_count > 0 and figures.null_count != figures.row_count


def _may_refer(of: ColumnFacts, figures: ColumnProfile) -> bool:
    if not _filled(figures):
        return False
    return is_integer(of) or is_exact_fraction(of) or kind_of(of) is ValueKind.TEXT


_NAMED: Final = 0.5
_SIGNS: Final = re.compile(r"\{\d+\}|[A .'-]")
"""What the pattern of a text of words is made of: letters, how many of them, and what stands between words."""


def _score(table: ProfiledTable, of: ColumnFacts, figures: ColumnProfile, target: ProfiledTable, key: str) -> float:
    """Return how much speaks for a reference before anything is counted, 0 to 1."""
    to = next((one for one in target.facts.columns if one.name == key), None)
    if to is None or _family(of) != _family(to):
        return 0.0
    there = target.figures(key)
    if not _within(figures, there):
        return 0.0
    name = _name_score(table, of.name, target, key)
    if target.facts.fqn == table.facts.fqn and name < 1.0:
        return 0.0
    if _differs_by_chance(target, key, there) and not _says_table(of.name, target):
        return 0.0
    # A key that is one-to-one with another counted key is as a rule no reference, unless its name says so.
    if name >= _NAMED:
        return name
    if not _telling(of, figures):
        return 0.0
    return 0.4 if _is_written_alike(figures, there) else 0.3


def _differs_by_chance(target: ProfiledTable, key: str, figures: ColumnProfile | None) -> bool:
    """Return whether a column of words is unique in a table that has another key, and not declared so: the cities of
    its few warehouses. It tells what those rows are like, and what holds the same words need not be about them.
    """
    facts = target.facts
    if figures is None or facts.is_key(key) or len(facts.primary_key) != 1 or _is_called_key(key):
        return False
    worded = [one.count for one in figures.patterns if not _SIGNS.sub("", one.pattern)]
    # Codes are of one length or two.
    return 2 * sum(worded) > max(sum(one.count for one in figures.patterns), 2 * sum(sorted(worded)[-2:]))


def _says_table(name: str, target: ProfiledTable) -> bool:
    """Return whether a column is called after a table: the country, of the names of countries."""
    said, to = words_of(name), words_of(target.facts.name)
    return bool(to) and to[-1] in said


def _family(of: ColumnFacts) -> str:
    if is_integer(of) or is_exact_fraction(of):
        return "number"
    # Texts to the eye alone: the source compares them with their own kind or not at all.
    if type_of(of) in ("UUID", "INET"):
        return type_of(of)
    return "text" if kind_of(of) is ValueKind.TEXT else "other"


def _within(figures: ColumnProfile, there: ColumnProfile | None) -> bool:
    """Return whether the values can lie among those of the key, by what is known of both."""
    if there is None:
        return True
    if figures.kind is ValueKind.NUMBER:
        bounds = [number_of(one) for one in (figures.minimum, figures.maximum, there.minimum, there.maximum)]
        low, high, least, greatest = bounds
        if low is not None and greatest is not None and low > greatest:
            return False
        if high is not None and least is not None and high < least:
            return False
    if figures.distinct_count is None or there.distinct_count is None:
        return True
    return figures.distinct_count <= 1.5 * there.distinct_count + 5


def _is_written_alike(figures: ColumnProfile, there: ColumnProfile | None) -> bool:
    """Return whether the most frequent form of a column's texts is one of the key's.

    Of the many keys that no name ties to it but few are asked, and those of other forms have none of its values.
    """
    forms = set() if there is None else {one.pattern for one in there.patterns}
    return bool(figures.patterns) and figures.patterns[0].pattern in forms


def _telling(of: ColumnFacts, figures: ColumnProfile) -> bool:
    """Return whether it could hardly be chance that all values occur in a key."""
    distinct = figures.distinct_count or 0
    if kind_of(of) is ValueKind.TEXT:
        return distinct >= _FEWEST_TEXTS and (figures.mean_length or 0) >= 3 and (figures.mean_length or 0) <= 64
    low, high = number_of(figures.minimum), number_of(figures.maximum)
    # Numbers that lie close are anybody's row numbers; a few among millions are not.
    return low is not None and high is not None and distinct >= 20 and low >= 1000 and (high - low) > 20 * distinct


_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
KEY_WORDS: Final = frozenset({"id", "key", "code", "no", "nr", "num", "number", "uuid", "fk", "pk", "ref", "sk"})
_SELF: Final = frozenset(
    {"parent", "manager", "report", "boss", "superior", "supervisor", "root", "previous", "prev", "reply"}
)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in the singular: `OrderItems` and `order_item` have the same."""
    return tuple(_singular(word.lower()) for word in _WORDS.findall(name))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def _name_score(table: ProfiledTable, name: str, target: ProfiledTable, key: str) -> float:
    said, to, of_key = words_of(name), words_of(target.facts.name), words_of(key)
    plain = tuple(word for word in said if word not in KEY_WORDS)
    bare = tuple(word for word in to if word not in ("dim", "fact", "tbl", "table", "stg", "raw", "t", "lookup"))
    if target.facts.fqn == table.facts.fqn:
        return 1.0 if _SELF & set(said) and (set(said) & KEY_WORDS or "to" in said) else 0.0
    if not said:
        return 0.0
    if bare and said == (*bare, *of_key):
        return 1.0
    ends_as_table = bool(bare) and (plain[-len(bare) :] == bare or "".join(plain) == "".join(bare))
    if ends_as_table and (plain != said or of_key == said):
        return 1.0
    if said == of_key and plain and not _is_common(of_key):
        return 0.9
    if bare and plain and (plain[-1] == bare[-1] or (bare[-1].startswith(plain[-1]) and len(plain[-1]) >= 4)):
        return 0.7 if plain != said else 0.55
    return 0.0


def _is_common(words: Sequence[str]) -> bool:
    return words in (("name",), ("title",), ("type",), ("status",), ("description",), ("email",), ("code",))


_UNREAD: Final = frozenset({"permission", "not_found"})
"""The failures that are of one table and say nothing of the next one."""


def _checked(
    source: Source,
    table: ProfiledTable,
    guess: _Guess,
    unread: set[str],
    probes: dict[tuple[str, ...], Sample] | None = None,
) -> ForeignKeyCandidate | None:
    """The guess with the share of values that have a target, counted in the source; None when it cannot be counted.

    Of guesses that no name speaks for a few rows are looked up first, which are put into `probes` by their columns.
    """
    if guess.target.facts.fqn in unread:
        return None
    rows = table.facts.row_count if table.profile is None else table.profile.row_count
    try:
        if rows is not None and rows > WHOLE_ROWS:
            matched, is_exact = _match_of_sample(source, guess, _sampled(source, table, guess, SAMPLED_VALUES)), False
        elif guess.score < _NAMED and probes is not None and not _could_match(source, table, guess, probes):
            return None
        else:
            matched, is_exact = _match(source, table, guess), True
    except Exception as error:
        if getattr(error, "kind", None) in _UNREAD:
            unread.add(guess.target.facts.fqn)
        elif not is_refused(error) and getattr(error, "kind", None) != "timeout":
            raise
        return None
    if matched is None:
        return None
    return ForeignKeyCandidate(
        columns=list(guess.columns),
        target_fqn=guess.target.facts.fqn,
        target_columns=list(guess.target_columns),
        match_rate=matched,
        is_declared=guess.is_declared,
        is_exact=is_exact,
    )


def match_query(child: exp.Table, columns: Sequence[str], parent: exp.Table, keys: Sequence[str]) -> exp.Select:
    """Return how many rows have values, and how many of them a target. Each distinct value is looked up once."""
    names = [f"k{at}" for at in range(len(columns))]
    filled = exp.and_(*(exp.Not(this=exp.Is(this=column(name), expression=exp.Null())) for name in columns))
    values = (
        exp.select(
            *(exp.alias_(column(name), alias, quoted=True) for name, alias in zip(columns, names, strict=True)),
            exp.alias_(exp.Count(this=exp.Star()), "n", quoted=True),
        )
        .from_(child.copy())
        .where(filled)
        .group_by(*(column(name) for name in columns))
    )
    targets = (
        exp.select(*(exp.alias_(column(name), alias, quoted=True) for name, alias in zip(keys, names, strict=True)))
        .from_(parent.copy())
        .distinct()
    )
    joined = exp.and_(
        *(
            exp.EQ(this=exp.column(name, table="v", quoted=True), expression=exp.column(name, table="p", quoted=True))
            for name in names
        )
    )
    n = exp.column("n", table="v", quoted=True)
    there = exp.Not(this=exp.Is(this=exp.column(names[0], table="p", quoted=True), expression=exp.Null()))
    hit = exp.Sum(this=exp.Case().when(there, n.copy()).else_(exp.Literal.number(0)))
    return (
        exp.select(exp.Sum(this=n), hit)
        .from_(values.subquery(exp.to_identifier("v", quoted=True)))
        .join(targets.subquery(exp.to_identifier("p", quoted=True)), on=joined, join_type="left")
    )


def _match(source: Source, table: ProfiledTable, guess: _Guess) -> float | None:
    child = source.relation(table.facts.database, table.facts.schema, table.facts.name)
    to = guess.target.facts
    parent = source.relation(to.database, to.schema, to.name)
    [(rows, matched)] = source.ask(match_query(child, guess.columns, parent, guess.target_columns))
    return float(matched or 0) / float(rows) if rows else None


def _sampled(source: Source, table: ProfiledTable, guess: _Guess, rows: int) -> Sample:
    child = source.relation(table.facts.database, table.facts.schema, table.facts.name)
    return source.sample(child, guess.columns, rows)


def _could_match(source: Source, table: ProfiledTable, guess: _Guess, probes: dict[tuple[str, ...], Sample]) -> bool:
    if guess.columns not in probes:
        probes[guess.columns] = _sampled(source, table, guess, PROBED_ROWS)
    share = _match_of_sample(source, guess, probes[guess.columns])
    return share is None or share >= LEAST_PROBED


def _match_of_sample(source: Source, guess: _Guess, sample: Sample) -> float | None:
    """The share of the values of a sample that occur in the key, of several columns each looked up by itself; None
    where they cannot be written down."""
    to = guess.target.facts
    parent = source.relation(to.database, to.schema, to.name)
    shares = []
    for at, key in enumerate(guess.target_columns):
        values = [row[at] for row in sample.rows if row[at] is not None]
        literals = {value: _literal(value) for value in set(values)}
        if not literals or any(literal is None for literal in literals.values()):
            return None
        listed = exp.In(this=column(key), expressions=[one for one in literals.values() if one is not None])
        query = exp.select(column(key)).from_(parent.copy()).where(listed).distinct()
        there = {row[0] for row in source.ask(query)}
        shares.append(sum(1 for value in values if value in there) / len(values))
    return min(shares)


def _literal(value: Any) -> exp.Expr | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return exp.Literal.number(value)
    number = number_of(value) if not isinstance(value, str) else None
    if number is not None:
        return exp.Literal.number(str(value))
    return exp.Literal.string(str(value))
