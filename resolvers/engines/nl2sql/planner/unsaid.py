"""What a question says and its query does not: tables, numbers, figures, denials. Each makes the query less likely."""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

from sqlglot import exp

from resolvers.engines.nl2sql.joining.ties import Key
from resolvers.engines.nl2sql.language.forms import SYNONYM, related
from resolvers.engines.nl2sql.language.measures import in_other_units, is_told_otherwise, unit_behind
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.language.words import DOING, PREPOSITIONS, UNITS
from resolvers.engines.nl2sql.mention import MentionKind, Token
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate
from resolvers.engines.nl2sql.planner.atoms import Atom, Cut
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.denied import says_none
from resolvers.engines.nl2sql.planner.nouns import value_first
from resolvers.engines.nl2sql.planner.running import WHOLE_TOO, over_rows
from resolvers.engines.nl2sql.planner.ways import fit
from resolvers.engines.nl2sql.schema_linking.roles import says_who

_NAMED: Final = 0.95
"""How well words must fit a table to be sure that it is named."""
_MIN_MAX: Final = (exp.Min, exp.Max)
_FIGURES: Final = {
    Aggregate.MEDIAN: (exp.Median, exp.PercentileCont),
    Aggregate.AVG: (exp.Avg, exp.Div),
    Aggregate.MIN: (*_MIN_MAX, exp.Order, exp.Subquery),
    Aggregate.MAX: (*_MIN_MAX, exp.Order, exp.Subquery),
}
_SPOKEN: Final = 0.6
"""How well words must fit something for its table to be spoken of."""
_GENERAL: Final = frozenset(
    ("to", "into", "from", "first", "second", "new", "next", "old", "previous", "last", "head", "win")
)
"""Words of one end or the other that are said of much else."""
_DEEDS: Final = VERBS | {"begin"}
_RESULTS: Final = frozenset(
    ("win", "lose", "die", "survive", "fail", "quit", "retire", "resign", "crash", "sink", "cancel", "expire",
     "succeed", "defeat")
)  # fmt: skip
"""Verbs of an outcome, which rows must tell: nobody won because of being there."""
_WON: Final = ("award", "prize", "medal", "trophy", "title", "champion")
"""What has only those who won."""
_AHEAD: Final = frozenset(("will", "'ll"))
"""What says that something has not happened yet."""
_CLAUSE_ENDS: Final = (Cue.AND, Cue.BUT, Cue.COMMA, Cue.END)
_CHANGES: Final = frozenset(
    ("grow", "growth", "increase", "decrease", "rise", "decline", "drop", "fall", "shrink", "change", "improve", "gain")
)
"""Words of a figure that is another at one time than at another."""
_CHOOSES: Final = (exp.Where, exp.Join, exp.Group, exp.Order, exp.Limit, exp.AggFunc)
_VERSUS: Final = ("vs", "versus", "compared")
_COMPARED: Final = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_EITHER: Final = (exp.Or, exp.Union, exp.In, exp.Not, exp.NEQ, exp.Except, exp.Group, exp.Case, exp.GTE, exp.LTE)
"""What answers to `or`: a choice, a denial of both, groups of each, an end that is told as `3 or more`."""
_DENIED: Final = (exp.NEQ, exp.Except, exp.LT, exp.LTE)


def left_out(nodes: Sequence[exp.Expr], pieces: Cut, catalog: Catalog) -> list[tuple[str, float]]:
    """Why a query of these nodes may not say all that the question does, and what each reason costs."""
    return list(_left_out(nodes, pieces, catalog))


def _left_out(nodes: Sequence[exp.Expr], pieces: Cut, catalog: Catalog) -> Iterator[tuple[str, float]]:
    tables, columns, values = set(), set(), []
    for node in nodes:
        if isinstance(node, exp.Column):
            columns.add(node.name)
        elif isinstance(node, exp.Literal):
            values.append(str(node.this))
        elif isinstance(node, exp.Table):
            tables.add(node.name)
    literals = " ".join(values).lower()

    present = {type(node) for node in nodes}

    def has(*kinds: type[exp.Expr]) -> bool:
        return any(issubclass(kind, kinds) for kind in present)

    most = has(*_MIN_MAX, exp.Order, exp.Exists) or any(map(_counts_better, nodes))
    for atom, behind in zip(pieces.atoms, [*pieces.atoms[1:], None], strict=True):
        part = atom.is_(Cue.MOST) and behind is not None and behind.is_(Cue.OF) and has(exp.Div)  # most of them
        if atom.is_(Cue.SUPERLATIVE, Cue.MOST, Cue.COMMON) and not (most or part):
            yield "what is the most so is not looked for", 0.4
        if atom.is_(Cue.NOT, Cue.NO, Cue.NEITHER) and not (has(*_DENIED) or any(map(_denies, nodes))):
            yield "something is denied and the query denies nothing", 0.5
        if atom.is_(Cue.OR) and not has(*_EITHER):
            yield "one or the other is said and the query looks for no choice", 0.3
        if atom.is_(Cue.MORE) and not (most or has(*_COMPARED)):
            yield "what is more or less is not compared", 0.4
        if atom.is_(Cue.AGGREGATE) and not has(*_FIGURES.get(atom.said, (exp.Query,))):
            yield "a figure is named and not computed", 0.4
        if atom.is_(Cue.PER) and not has(exp.Div) and _is_of_a_number(atom, pieces, catalog):
            yield "so much per so much is asked for, and nothing is divided", 0.4
        if _is_thing_passed_over(atom, pieces):
            yield "a thing is named and passed over", 0.35
        if atom.ref is not None and atom.cue is None and not atom.verbal and atom.unit is None:
            if _is_other_table(atom, catalog, tables, columns):
                yield "a table is named and not used", 0.25
            elif atom.ref.values and value_first(atom.ref) and not _is_held(atom, literals, columns):
                yield "a value is named and not looked for", 0.4
    over = over_rows(pieces.linked.tokens)
    if over is not None and not has(exp.Window) and (has(exp.Group) or over not in WHOLE_TOO):
        yield "a figure over several rows is asked for, and one of each is shown", 0.9
    named = " ".join(re.sub(r"\D+", " ", column) for column in columns)  # the 2 of `line_2`
    yield from (("a number is named and not used", 0.4) for _ in _numbers(pieces, f"{literals} {named}"))
    changed = () if has(exp.Group, exp.Sub, exp.Window) else _CHANGES
    for verbs, why, cost in ((_RESULTS, "what came of something", 0.5), (changed, "a change", 0.6)):
        for verb in _said(verbs, pieces):
            called = any(catalog.vocabulary.says(key, verb) for key in _keys(tables, columns, catalog))
            if not called and not _is_told(verb, [literals, *tables, *columns], [*_words_of(columns, catalog)]):
                yield f"{why} is asked for, and nothing tells it", cost
    if _passes_over_a_deed(pieces):
        yield "what rows are said to do was passed over", 0.5
    if any(token.text.lower() in _AHEAD for token in pieces.linked.tokens[1:]) and _spans(pieces):
        yield "what is still to come is asked for", 0.6
    if not has(*_CHOOSES) and _asks_which_did(pieces):
        yield "who did something is asked for, and all are shown", 0.6
    if _compares(pieces) and not has(exp.Group) and len(_figures(nodes)) < 2:
        yield "two things are compared, and not told apart", 0.5
    if _within(pieces) and not has(exp.Interval, exp.DateAdd, exp.DateDiff, exp.DateSub):
        yield "a stretch of time is said and not used", 0.4
    if not has(exp.Div, exp.Mul) and _in_another_unit(pieces, columns, catalog):
        yield "the answer is asked for in a unit that the column is not in", 0.5
    if len(tables) > 2 and len(_unnamed(tables, pieces, catalog)) > 1:
        yield "tables are gone through that nothing names", 0.3
    if has(exp.Count) and _counts_all(nodes) and any(_is_doer_of(one, pieces, catalog, tables) for one in pieces.atoms):
        yield "those who did something are asked for, and what they did is counted", 0.4
    if len(tables) > 1 and _other_end(tables, columns, pieces, catalog):
        yield "both ends of a way are named, and one is used", 0.3


def _said(words: Collection[str], pieces: Cut) -> list[str]:
    """Those of some words that a question has, but for names: Rose Hall."""
    plain = (one for at, one in enumerate(pieces.linked.tokens) if not one.quoted and (not at or one.text.islower()))
    return [one.lemma for one in plain if one.lemma in words]


def _is_told(verb: str, names: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether a column, a table or a value of a query has a verb in it, or a word for the same."""
    meant = {other for other, near in related(verb) if near >= SYNONYM} | set(_WON if verb == "win" else ())
    return bool(meant & set(words)) or any(word in name.lower() for word in meant for name in names)


def _keys(tables: set[str], columns: set[str], catalog: Catalog) -> list[ColumnKey]:
    """The columns of a query."""
    return [one for one in catalog.columns if one.column in columns and catalog.tables[one.table].name in tables]


def _words_of(columns: set[str], catalog: Catalog) -> Iterator[str]:
    for key in catalog.columns:
        if key.column in columns:
            yield from catalog.words(key)


def _asks_which_did(pieces: Cut) -> bool:
    """`Which bakers won`: which rows are asked for by a deed."""
    which = any(atom.is_(Cue.WHICH, Cue.WHO) for atom in pieces.atoms)
    return which and any(atom.may_be_verb for atom in pieces.atoms)


def _passes_over_a_deed(pieces: Cut) -> bool:
    """Return whether all that a clause says is a verb that nothing stands for: `agents who have left but ...`."""
    atoms = pieces.atoms
    for at, atom in enumerate(atoms):
        behind = atoms[at + 1] if at + 1 < len(atoms) else None
        denied = at > 0 and atoms[at - 1].is_(Cue.NOT)
        ends = behind is None or behind.is_(*_CLAUSE_ENDS) or (denied and behind.is_(Cue.RELATIVE))
        if not atom.is_(Cue.LIGHT) or atom.verbal or not ends:
            continue
        if denied and behind is not None and behind.is_(Cue.RELATIVE):
            return True  # orders not done that were due in May
        before = at - 1
        while before >= 0 and atoms[before].is_(Cue.HAVE, Cue.NOT):
            before -= 1
        if before >= 0 and atoms[before].is_(Cue.WHO, Cue.RELATIVE) and before > 0:
            return True
    return False


def _is_of_a_number(per: Atom, pieces: Cut, catalog: Catalog) -> bool:
    """Return whether `per` stands before what is measured, and not before rows or kinds: the rent per square metre."""
    behind = next((atom for atom in pieces.atoms if atom.first == per.last), None)
    if behind is None or behind.ref is None or behind.unit is not None or behind.ref.best(MentionKind.TABLE) >= _SPOKEN:
        return False
    best = behind.ref.best(MentionKind.COLUMN)
    columns = [one.column for one in behind.ref.columns if one.column is not None and one.score >= best]
    return bool(columns) and all(catalog.is_measure(one) and not catalog.is_year(one) for one in columns)


def _is_thing_passed_over(atom: Atom, pieces: Cut) -> bool:
    """Return whether a word that may be a verb stands behind `a`, so that it is a noun that nothing stands for: led to
    an offer.
    """
    tokens, first = pieces.linked.tokens, atom.first
    if not atom.is_(Cue.LIGHT) or atom.last - first != 1 or first < 2 or not tokens[first].is_lemma:
        return False
    led = tokens[first - 2].lemma in PREPOSITIONS
    return led and tokens[first - 1].text.lower() in ("a", "an") and tokens[first].lemma in VERBS


def _spans(pieces: Cut) -> bool:
    """Return whether a span of time is said."""
    return any(value.kind in ("date", "moment") for one in pieces.linked.mentions for value in one.values)


def _compares(pieces: Cut) -> bool:
    """Return whether one thing is set beside another: men vs. women."""
    return any(atom.is_(Cue.AND) and atom.text.lower().startswith(_VERSUS) for atom in pieces.atoms)


def _figures(nodes: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [node for node in nodes if isinstance(node, exp.AggFunc)]


def _counts_better(node: exp.Expr) -> bool:
    """Return whether a condition counts the rows that come before one: it is among the first few of its kind."""
    return isinstance(node, exp.LT) and isinstance(node.this, exp.Subquery)


def _denies(node: exp.Expr) -> bool:
    """Return whether a condition answers a denial. That a value is there does not, where rows are put in order or
    together by it: such a condition is written with every order.
    """
    if isinstance(node, exp.Is):
        return not isinstance(node.parent, exp.Not)
    if not isinstance(node, exp.Not):
        return _is_none(node)
    select = node.find_ancestor(exp.Select)
    if not isinstance(node.this, exp.Is) or select is None:
        return True
    by = [clause for name in ("order", "group") if (clause := select.args.get(name)) is not None]
    return not any(node.this.this in clause.find_all(exp.Column) for clause in by)


def _is_none(node: exp.Expr) -> bool:
    """Return whether a condition is that there is none of something: `out of stock` is a stock of 0, no damage is
    `None`.
    """
    values = node.expressions if isinstance(node, exp.In) else [node.expression] if isinstance(node, exp.EQ) else []
    texts = [one.this for one in values if isinstance(one, exp.Literal)]
    return any(text == "0" or says_none(text) for text in texts)


def _within(pieces: Cut) -> bool:
    """Return whether so long from something else is said: within a year of, 30 days after."""
    words = [token.lemma for token in pieces.linked.tokens]
    spans = [at for at, word in enumerate(words) if word in UNITS or word in ("hour", "minute")]
    spans = [at for at in spans if "within" in words[max(0, at - 2) : at]]
    return any(words[at + 1 : at + 2] in (["of"], ["after"], ["before"]) for at in spans)


def _in_another_unit(pieces: Cut, columns: set[str], catalog: Catalog) -> bool:
    """`the average length in minutes`, of a column of milliseconds."""
    tokens = pieces.linked.tokens
    said = [one.lemma for before, one in pairwise(tokens) if before.lemma == "in"]
    words = [set(catalog.words(key)) for key in catalog.columns if key.column in columns] if said else []
    return any(is_told_otherwise(unit, names) for unit in said for names in words)


def _unnamed(tables: set[str], pieces: Cut, catalog: Catalog) -> list[str]:
    """The tables of a query that no word speaks of, nor of what they hold, but for those that only tie others."""
    mentions = (one for one in pieces.linked.mentions if one.score >= _SPOKEN)
    said = {one.table or (one.column.table if one.column is not None else None) for one in mentions}
    used = (fqn for fqn, facts in catalog.tables.items() if facts.name in tables)
    return [fqn for fqn in used if fqn not in said and not catalog.only_ties(fqn)]


def _other_end(tables: set[str], columns: set[str], pieces: Cut, catalog: Catalog) -> bool:
    """Return whether a word speaks for a key that is not used, where another of the same two tables is: begin and end
    at.
    """
    words = [one.lemma for one in pieces.linked.tokens if one.lemma in _DEEDS and one.lemma not in _GENERAL]
    for fqn, facts in catalog.tables.items():
        if facts.name not in tables:
            continue
        own = [key for key in catalog.joins.keys_of(fqn) if key.table == fqn and len(key.columns) == 1]
        for key in own:
            beside = [ColumnKey(fqn, one.columns[0]) for one in own if one is not key and one.to == key.to]
            used = [one for one in beside if one.column in columns]
            this = ColumnKey(fqn, key.columns[0])
            if not used or this.column in columns:
                continue
            shared = set.intersection(*(set(catalog.words(one)) for one in (this, *beside)))
            if fit(catalog, [this], words, shared) > 0:
                return True
    return False


def _is_other_table(atom: Atom, catalog: Catalog, tables: set[str], columns: set[str]) -> bool:
    """Return whether words are surely the name of a table, and the query has neither it, nor a key that tells its rows,
    nor a column that they may be.
    """
    ref = atom.ref
    if ref is None or ref.values or ref.literals or ref.measures or ref.best(MentionKind.TABLE) < _NAMED:
        return False
    named = {one.table for one in ref.tables if one.table is not None and one.score >= 0.8}
    if any(
        key.to in named and key.table not in named and _is_used(key, catalog, tables, columns) for key in catalog.keys
    ):
        return False  # courses, by the `course_id` of what is taught
    return not {catalog.tables[one].name for one in named} & tables and not any(
        one.column is not None and one.column.column in columns for one in ref.columns
    )


def _is_doer_of(atom: Atom, pieces: Cut, catalog: Catalog, tables: set[str]) -> bool:
    """Return whether a word is what those are called who did what the rows of a table of the query are: `pitchers`, of
    pitchings that refer to people.
    """
    if atom.ref is None or atom.cue is not None or atom.verbal or value_first(atom.ref):
        return False
    named = max(atom.ref.tables, key=lambda one: one.score, default=None)
    if named is None or named.table is None or catalog.tables[named.table].name not in tables:
        return False
    word, rows = pieces.linked.tokens[atom.last - 1].lemma, catalog.table_words(named.table)
    is_person = catalog.vocabulary.is_person
    return (
        word not in rows
        and says_who(word, rows)
        and not is_person(named.table)
        and any(map(is_person, catalog.above.get(named.table, ())))
    )


def _counts_all(nodes: Sequence[exp.Expr]) -> bool:
    """Return whether rows are counted, each of them."""
    return any(isinstance(node, exp.Count) and isinstance(node.this, exp.Star) for node in nodes)


def _is_used(key: Key, catalog: Catalog, tables: set[str], columns: set[str]) -> bool:
    """Return whether a query has a key to another table."""
    return catalog.tables[key.table].name in tables and columns.issuperset(key.columns)


def _is_held(atom: Atom, literals: str, columns: set[str]) -> bool:
    """Return whether one of the values that words stand for is in the query, or the flag that they are."""
    flags = [one.column.column for one in (atom.ref.values if atom.ref else ()) if one.how == "flag" and one.column]
    if not columns.isdisjoint(flags):
        return True
    said = [str(value.value).lower() for one in (atom.ref.values if atom.ref else ()) for value in one.values]
    text = atom.text.lower().strip("'\"\u2018\u2019\u201c\u201d")
    patterns = (f"{text}%", f"%{text}")  # begins with B, has "Night" in it
    return not said or any(one in literals for one in (*said, *patterns))


def _numbers(pieces: Cut, literals: str) -> Iterator[str]:
    """Numbers from 2 on, in digits, that are no part of a date and stand nowhere in the query."""
    dated = {
        at
        for one in pieces.linked.mentions
        if one.values and any(value.kind in ("date", "moment", "text") for value in one.values)
        for at in range(one.first, one.last)
    }
    tokens = pieces.linked.tokens
    for at, token in enumerate(tokens):
        text = token.text.replace(",", "")
        if (
            at not in dated | pieces.turned
            and not token.quoted
            and text.isdigit()
            and int(text) > 1
            and text not in literals
        ):
            unit = unit_behind(tokens, at + 1)
            if not any(f"{one:f}" in literals for one in in_other_units(Decimal(text), unit)):
                yield text


def is_deed(tokens: Sequence[Token], at: int) -> bool:
    """Return whether an unknown word is no noun: a verb or an adverb by its form or its place, `who hit`, `did
    he hit`.
    """
    low = tokens[at].text.lower()
    if tokens[at].lemma in VERBS or low.endswith(("ly", "ing", "ed")):
        return True
    if at and tokens[at - 1].text.lower() == "who":
        return low.isalpha()
    done = any(one.text.lower() in DOING for one in tokens[:at])
    behind = tokens[at + 1].text.lower() if at + 1 < len(tokens) else "."
    return done and behind in _BEHIND_DEEDS and tokens[at].text.islower()


_BEHIND_DEEDS: Final = frozenset((".", "?", "in", "on", "at", "during", "for", "with", "from", "per", ","))
