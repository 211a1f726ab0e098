"""A question that builds on the one before: "and by month?", "only the top three", "what about France?".

It is read in three steps: clear signals say whether it leans on the earlier question at all; the fragment is made a
whole question about the same things ("show the customers in France") and parsed as any other; what was found there is
put into the earlier plan. A question that says itself what it is about stands alone, and None is the answer.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.joining import joins_of
from resolvers.engines.nl2sql.language_following import (
    ABOUT,
    AGGREGATES,
    ALSO,
    ASKS,
    BESIDE,
    COUNT,
    EXCLUDE,
    FIGURE,
    GROUP,
    LEAD,
    LOW,
    MOST,
    NARROW,
    ONLY,
    PRONOUN,
    REVERSE,
    SHOW,
    SINGLE,
    SORT,
    TOP,
    UNITS,
    WORDS,
)
from resolvers.engines.nl2sql.linking import link
from resolvers.engines.nl2sql.mention import Linked, MentionKind
from resolvers.engines.nl2sql.model import Asked, Knowledge
from resolvers.engines.nl2sql.names import family
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Column,
    Comparison,
    Condition,
    Figure,
    Literal,
    Operator,
    Order,
    Plan,
    Span,
    Term,
    Unit,
)
from resolvers.engines.nl2sql.revising import (
    added,
    all_conditions,
    answer_of,
    conditions_of,
    counted,
    denied,
    grouped_by,
    is_listed,
    refocused,
    replaced,
    restricted,
    shown,
)
from resolvers.engines.nl2sql.uses import aggregates, columns_in, figures_in
from resolvers.engines.nl2sql.vocabulary import Vocabulary
from resolvers.engines.nl2sql.wording import called, called_many

Parse = Callable[[str], Plan | None]
"""The plan of a question that stands alone; None when it is not understood for sure, or words are left over."""


def followed(asked: Asked, known: Knowledge, parse: Parse) -> Plan | None:
    """The plan of a question that builds on the last one; None when it stands alone or cannot be built on it."""
    if not asked.earlier or asked.earlier[-1].plan is None:
        return None
    reader = _Reader(asked, known, parse, asked.earlier[-1].plan)
    return reader.read() if reader.leans() else None


def leans(asked: Asked, known: Knowledge) -> bool:
    """Whether a question can only be understood with the one before it."""
    if not asked.earlier:
        return False
    plan = asked.earlier[-1].plan or Plan(known.tables[0].fqn if known.tables else "", ())
    return _Reader(asked, known, lambda text: None, plan).leans()


@dataclass(slots=True)
class _Reader:
    asked: Asked
    known: Knowledge
    parse: Parse
    plan: Plan
    text: str = ""
    marked: bool = False
    """Whether it begins with a word that goes on: and, but, also."""
    also: bool = False

    def __post_init__(self) -> None:
        text = re.sub(r"\s+", " ", self.asked.text).strip().strip("?!. ")
        text = re.sub(r"^\.\.\.\s*", "", text)
        bare = LEAD.sub("", text)
        self.marked = bare != text
        self.also = ALSO.search(text) is not None
        self.text = bare.strip(" ,")

    # Whether it leans.

    def leans(self) -> bool:
        """Whether the question needs the one before it to be understood."""
        text = self.text
        if not text:
            return False
        if any(one.match(text) for one in (COUNT, TOP, MOST, REVERSE, GROUP)):
            return True
        if PRONOUN.search(text) or (SORT.match(text) and not self._names_table(text)):
            return True
        if ASKS.match(text) and not re.match(r"^(?:what|how) about\b", text, re.IGNORECASE):
            if self._names_table(text):
                return False
            return self.marked or self.also or SINGLE.search(text) is not None or ONLY.match(text) is not None
        if self.marked or ABOUT.match(text) or EXCLUDE.match(text) or ONLY.match(text) or FIGURE.match(text):
            return not self._is_whole(text)
        return NARROW.match(text) is not None or (len(text.split()) <= 4 and not self._names_table(text))

    def _is_whole(self, text: str) -> bool:
        """Whether a text without a question word says all by itself: `the number of singers in France`."""
        return self._names_table(text) and len(text.split()) > 4 and not ABOUT.match(text) and not ONLY.match(text)

    def _names_table(self, text: str) -> bool:
        linked = self._linked(text)
        return any(one.kind == MentionKind.TABLE and one.score >= 0.85 for one in linked.mentions)

    def _linked(self, text: str) -> Linked:
        return link(text, Vocabulary.of(self.known), self.asked.now)

    # What it asks for.

    def read(self) -> Plan | None:
        """The earlier plan with what the fragment says; the clearest way of reading goes first."""
        for way in (
            self._first_few,
            self._order,
            self._count,
            self._pronoun,
            self._group,
            self._figure,
            self._exclude,
            self._show,
            self._only,
            self._about,
            self._more,
        ):
            if (found := way()) is not None:
                return found
        return None

    @property
    def things(self) -> str:
        """What the earlier question was about, in the plural."""
        return called_many(self.known, self.plan.main)

    def _first_few(self) -> Plan | None:
        match = TOP.match(self.text) or MOST.match(self.text)
        if match is None:
            return None
        said = match.groupdict()
        side = (said.get("side") or said.get("side2") or "top").lower()
        many = said.get("many") or said.get("many2")
        limit = (
            _count_of(many)
            if many
            else 1
            if side not in ("top", "first", "last", "bottom") or _one(self.text)
            else None
        )
        if limit is None or not 0 < limit <= 10_000:
            return None
        orders = self.plan.orders
        if said.get("by"):
            orders = self._orders(str(said["by"]))
            if not orders:
                return None
        if not orders:
            best = next((one.term for one in self.plan.outputs if aggregates(one.term)), None)
            if best is None:
                return replace(self.plan, limit=limit) if side == "first" else None
            orders = (Order(best, descending=side not in LOW),)
        elif side in LOW and not said.get("by"):
            turned = side in ("bottom", "last", "worst") or orders[0].descending
            orders = (replace(orders[0], descending=not orders[0].descending), *orders[1:]) if turned else orders
        elif said.get("by"):
            orders = (replace(orders[0], descending=side not in LOW), *orders[1:])
        elif side in ("highest", "largest", "biggest", "most", "greatest"):
            orders = (replace(orders[0], descending=True), *orders[1:])
        return replace(self.plan, orders=orders, limit=limit, ties=False)

    def _order(self) -> Plan | None:
        if REVERSE.match(self.text) and self.plan.orders:
            low = self.text.lower()
            way = True if "descending" in low else False if "ascending" in low else None
            turned = tuple(
                replace(one, descending=not one.descending if way is None else way) for one in self.plan.orders
            )
            return self._sorted(turned)
        match = SORT.match(self.text)
        if match is None:
            return None
        way_said = (match["way1"] or match["way2"] or "").lower()
        descending = way_said in ("descending", "desc", "reverse", "reversed", "highest first", "newest first")
        if not match["by"]:
            terms = [one.term for one in self.plan.orders] or [one.term for one in self.plan.outputs[:1]]
            return self._sorted(tuple(Order(term, descending) for term in terms[:1])) if terms else None
        orders = self._orders(match["by"])
        if way_said:
            orders = tuple(replace(one, descending=descending) for one in orders)
        return self._sorted(orders) if orders else None

    def _sorted(self, orders: tuple[Order, ...]) -> Plan | None:
        if self.plan.limit is None:
            return replace(self.plan, orders=orders)
        if any(aggregates(one.term) for one in self.plan.outputs):
            return None
        inside = answer_of(self.plan, joins_of(self.known))
        return None if inside is None else replace(self.plan, where=inside, orders=orders, limit=None, ties=False)

    def _orders(self, by: str) -> tuple[Order, ...]:
        """What a phrase behind `by` orders by: an output that is called so, or what the question's words lead to."""
        low = by.lower().removeprefix("the ").strip()
        for one in self.plan.outputs:
            for figure in figures_in(one.term):
                if figure.of is None and low in (
                    "count",
                    "number",
                    f"number of {called_many(self.known, figure.rows_of or self.plan.main)}",
                ):
                    return (Order(one.term, descending=False),)
            names = {called(self.known, of.table, of.column).lower() for of in columns_in(one.term)}
            if (one.name is not None and one.name.lower() == low) or low in names:
                return (Order(one.term),)
        found = self.parse(f"show the {self.things} sorted by {by}")
        return found.orders if found is not None else ()

    def _count(self) -> Plan | None:
        return counted(self.plan, joins_of(self.known)) if COUNT.match(self.text) else None

    def _pronoun(self) -> Plan | None:
        """A whole question in which `them` stands for the earlier answer."""
        if not (PRONOUN.search(self.text) or (ASKS.match(self.text) and SINGLE.search(self.text))):
            return None
        if (match := SHOW.match(self.text)) and re.match(r"(?:their|its|his|her)\b", match["what"], re.IGNORECASE):
            return None
        if ONLY.match(self.text) and not ASKS.match(self.text):
            return None
        things, thing = self.things, called(self.known, self.plan.main)
        text = re.sub(r"\b(?:of )(?:them|those|these)\b", f"of the {things}", self.text, flags=re.IGNORECASE)
        text = re.sub(r"\b(how many|which|who|what) of the ", r"\1 ", text, flags=re.IGNORECASE)
        text = re.sub(r"\b(?:their|its|his|her) (\w+(?: \w+)?)$", rf"the \1 of the {things}", text, flags=re.IGNORECASE)
        text = re.sub(r"\b(?:their|its|his)\b", f"the {thing}'s", text, flags=re.IGNORECASE)
        text = re.sub(
            r"\b(?:those|these)(?: ones)?\b|\bthem\b|\bthey\b|\bthe ones\b", f"the {things}", text, flags=re.IGNORECASE
        )
        text = re.sub(r"\b(?:it|he|she|him|this one|that one)\b", f"the {thing}", text, flags=re.IGNORECASE)
        found = self.parse(text)
        return None if found is None else restricted(found, self.plan, joins_of(self.known))

    def _group(self) -> Plan | None:
        match = GROUP.match(self.text)
        by = (
            match["by"]
            if match
            else self.text
            if self.text.lower() in ("monthly", "yearly", "weekly", "daily", "quarterly")
            else None
        )
        if by is None:
            return None
        by = BESIDE.sub("", by).strip()
        terms: list[Column | Span] = []
        if (unit := UNITS.get(by.lower())) is not None and (moment := self._moment()) is not None:
            terms = [Span(moment, unit)]
        if not terms:
            found = self.parse(f"show the number of {self._counted()} for each {by}")
            if found is not None:
                terms = [one for one in found.groups if not self._is_extra(one, found)]
                terms = terms or [one.term for one in found.outputs if isinstance(one.term, Column | Span)]
        return grouped_by(self.plan, terms, add=self.also) if terms else None

    def _is_extra(self, term: Column | Span, plan: Plan) -> bool:
        """Whether a group is a key beside what is shown."""
        rows = [one.term for one in plan.outputs if isinstance(one.term, Column | Span)]
        return bool(rows) and term not in rows

    def _counted(self) -> str:
        for one in self.plan.outputs:
            for figure in figures_in(one.term):
                if figure.rows_of is not None:
                    return called_many(self.known, figure.rows_of)
                if figure.of is not None and (column := next(columns_in(figure.of), None)) is not None:
                    return called_many(self.known, column.table)
        return self.things

    def _moment(self) -> Column | None:
        """The column of time that is meant: one that the question has named, or the only one of the table."""
        tables = dict.fromkeys(self._tables())
        named = [
            one
            for one in (
                *self._columns_of_conditions(),
                *(column for out in self.plan.outputs for column in columns_in(out.term)),
            )
            if self._is_moment(one)
        ]
        if len(set(named)) == 1:
            return named[0]
        for fqn in tables:
            facts = next((one for one in self.known.tables if one.fqn == fqn), None)
            found = [
                Column(fqn, one.name)
                for one in (facts.columns if facts else ())
                if self._is_moment(Column(fqn, one.name))
            ]
            if len(found) == 1:
                return found[0]
            if found:
                return None
        return None

    def _tables(self) -> Iterator[str]:
        for one in self.plan.outputs:
            for figure in figures_in(one.term):
                if figure.rows_of is not None:
                    yield figure.rows_of
                if figure.of is not None:
                    yield from (column.table for column in columns_in(figure.of))
        yield self.plan.main

    def _columns_of_conditions(self) -> Iterator[Column]:
        for one in all_conditions(self.plan):
            yield from columns_in(one.left)

    def _is_moment(self, column: Column) -> bool:
        facts = next((one for one in self.known.tables if one.fqn == column.table), None)
        of = next((one for one in facts.columns if one.name == column.column), None) if facts else None
        return of is not None and family(of.data_type) == "moment"

    def _figure(self) -> Plan | None:
        match = FIGURE.match(self.text)
        if match is None:
            return None
        aggregate = AGGREGATES[match["figure"].lower()]
        if match["of"]:
            found = self.parse(f"show the {match['figure']} {match['of']} of the {self._counted()}")
            terms = [one.term for one in found.outputs if isinstance(one.term, Figure)] if found else []
        else:
            terms = [
                replace(figure, aggregate=aggregate)
                for one in self.plan.outputs
                for figure in figures_in(one.term)
                if figure.of is not None and figure.aggregate != Aggregate.COUNT
            ][:1]
            if not terms and not any(figures_in(one.term) for one in self.plan.outputs):
                numbers = [one.term for one in self.plan.outputs if self._is_number(one.term)]
                terms = [Figure(aggregate, numbers[0])] if len(numbers) == 1 else []
        return refocused(self.plan, terms, add=self.also) if terms else None

    def _is_number(self, term: Term) -> bool:
        if not isinstance(term, Column):
            return False
        facts = next((one for one in self.known.tables if one.fqn == term.table), None)
        of = next((one for one in facts.columns if one.name == term.column), None) if facts else None
        return of is not None and family(of.data_type) == "number" and not of.is_primary_key and of.references is None

    def _exclude(self) -> Plan | None:
        match = EXCLUDE.match(self.text)
        conditions = self._conditions(match["what"]) if match else []
        return (
            added(self.plan, [denied(one, self.plan) for one in conditions], joins_of(self.known))
            if conditions
            else None
        )

    def _show(self) -> Plan | None:
        match = SHOW.match(self.text)
        if match is None or self._names_table(self.text):
            return None
        what = BESIDE.sub("", match["what"]).strip()
        what = re.sub(r"^(?:(?:their|its|his|her|the|all|also|only|just)\s+)+", "", what, flags=re.IGNORECASE)
        if not what or NARROW.match(what):
            return None
        found = self.parse(f"show the {what} of the {self.things}")
        terms = [one for one in found.outputs if not aggregates(one.term)] if found else []
        if found is None or not terms or found.where is not None:
            return None
        only = match["only"] is not None or ONLY.match(self.text) is not None
        return shown(self.plan, terms, joins_of(self.known), instead=only and not self.also)

    def _only(self) -> Plan | None:
        match = ONLY.match(self.text)
        if match is None:
            return None
        conditions = self._conditions(match["what"])
        if conditions:
            return added(self.plan, conditions, joins_of(self.known))
        found = self.parse(f"show the {match['what']} of the {self.things}")
        if found is None or found.where is not None or not found.outputs:
            return None
        return shown(self.plan, list(found.outputs), joins_of(self.known), instead=True)

    def _about(self) -> Plan | None:
        """`What about France?`, `and in 1998?`: the same question about something else."""
        match = ABOUT.match(self.text)
        if match is None and not self.marked:
            return None
        what = self.text[match.end() :] if match else self.text
        what = re.sub(r"^(?:the )?(?:ones|those|them)\s+", "", what, flags=re.IGNORECASE)
        word = match[0].strip().lower() if match else ""
        whole = f"{word} {what}" if word in ("in", "from", "for", "of", "with", "on", "at", "during") else what
        conditions = self._conditions(whole, what)
        return replaced(self.plan, conditions) if conditions else None

    def _more(self) -> Plan | None:
        """A fragment that says more of what was asked for: `older than 30`, `since 2010`."""
        conditions = self._conditions(self.text)
        if not conditions:
            return None
        return (
            added(self.plan, conditions, joins_of(self.known))
            if NARROW.match(self.text)
            else replaced(self.plan, conditions)
        )

    # What a fragment says of the things.

    def _conditions(self, fragment: str, bare: str | None = None) -> list[Condition]:
        """What a fragment says that the things must be like."""
        fragment = BESIDE.sub("", fragment).strip(" ,")
        value = BESIDE.sub("", bare or fragment).strip(" ,")
        if same := self._same_columns(value):
            return list(same)
        tries = [fragment] if NARROW.match(fragment) else []
        tries += [f"in {fragment}", f"with {fragment}", f"that are {fragment}"] if not tries else []
        for text in tries:
            found = self.parse(f"show the {self.things} {text}")
            if found is not None and is_listed(found) and (conditions := conditions_of(found)):
                return conditions
        return []

    def _same_columns(self, fragment: str) -> list[Comparison]:
        """A value of a column that the earlier question has a condition on already."""
        linked = self._linked(fragment)
        many = len(linked.tokens)
        first = next((at for at, one in enumerate(linked.tokens) if one.lemma not in _LITTLE), many)
        for old in all_conditions(self.plan):
            column = old.left.of if isinstance(old.left, Span) else old.left
            if not isinstance(column, Column) or first == many:
                continue
            for one in linked.over(first, many, MentionKind.VALUE):
                key = one.column
                if (
                    (one.first, one.last) == (first, many)
                    and key is not None
                    and (key.table, key.column) == (column.table, column.column)
                ):
                    return (
                        [replace(old, operator=Operator.EQUAL, right=one.values[:1], negated=False)]
                        if one.values
                        else []
                    )
            for one in linked.over(first, many, MentionKind.LITERAL):
                if (one.first, one.last) == (first, many) and one.values and (right := _alike(old, one.values)):
                    return [replace(old, right=right)]
        return []


_LITTLE: Final = frozenset(("the", "a", "an", "of", "in", "for", "from", "year"))


def _alike(old: Comparison, values: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """The values in the form in which the earlier condition has its own; none when they do not fit."""
    kinds = {one.kind for one in old.right if isinstance(one, Literal)}
    if old.operator == Operator.BETWEEN and len(values) == 2 and kinds <= {"date", "moment"}:
        return values
    if len(old.right) != 1 or old.operator in (Operator.LIKE, Operator.IN, Operator.IS_NULL):
        return ()
    if kinds == {values[0].kind} and (len(values) == 1 or isinstance(old.left, Span)):
        return values[:1]
    if kinds == {"number"} and len(values) == 2 and isinstance(old.left, Span) and old.left.unit == Unit.YEAR:
        return (Literal("number", Decimal(str(values[0].value)[:4])),)
    return ()


def _count_of(said: str) -> int:
    return int(said) if said.isdigit() else WORDS[said.lower()]


def _one(text: str) -> bool:
    return text.lower().rstrip().endswith("one")
