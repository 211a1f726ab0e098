"""A plan in one plain sentence, so that whoever asked sees how the question was understood."""

import calendar
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from resolvers.engines.english.grammar import UNCOUNTABLE, plural_phrase
from resolvers.engines.nl2sql.joining.names import names_its_row, names_key, role_of
from resolvers.engines.nl2sql.language.words import PREPOSITIONS
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.names import CatalogNames
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Elapsed,
    Expression,
    Figure,
    Literal,
    Member,
    Nested,
    Operator,
    Order,
    Output,
    Plan,
    Related,
    Running,
    Share,
    Span,
    Term,
    Unit,
)
from resolvers.engines.nl2sql.sql_writing.comparing import TypedKind, kind_of
from resolvers.engines.nl2sql.sql_writing.uses import (
    aggregates,
    best_of_kind,
    columns_in,
    figures_in,
    parts_of,
    percentage_of,
    share_within,
    terms_in,
)

MOST_LISTED: Final = 8
"""How many values or columns of a list are said; of more it is said how many they are."""

_MOST_NAMED: Final = 4
"""How many columns are named where they are all of a table."""

_SIGNS: Final = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_TOLD: Final = {
    Operator.EQUAL: "is",
    Operator.LESS: "is less than",
    Operator.AT_MOST: "is at most",
    Operator.MORE: "is more than",
    Operator.AT_LEAST: "is at least",
}
_TOLD_OF_TIME: Final = {
    Operator.EQUAL: "is",
    Operator.LESS: "is before",
    Operator.AT_MOST: "is on or before",
    Operator.MORE: "is after",
    Operator.AT_LEAST: "is on or after",
}


def said(plan: Plan, known: Knowledge, question: str = "") -> str:
    """The plan in one sentence.

    Values of private columns are told only where the question itself tells them.
    """
    phrase = _Speaker(known, question).plan(plan)
    return phrase[:1].upper() + phrase[1:] + "."


def called(known: Knowledge, table: str, column: str | None = None) -> str:
    """Return what people call a table, one row of it, or a column."""
    names = CatalogNames(known)
    return names.noun(table) if column is None else names.name(Column(table, column))


def called_many(known: Knowledge, table: str) -> str:
    """Return what people call the rows of a table."""
    return CatalogNames(known).many(table)


def without_id(name: str) -> str:
    """Return what a key is called by whoever thinks of what it stands for: the store rather than the store ID."""
    first, _, last = name.rpartition(" ")
    return first if first and last.casefold() == "id" else name


class _Speaker(CatalogNames):
    def __init__(self, known: Knowledge, question: str) -> None:
        super().__init__(known)
        self._plan: Plan | None = None
        self._question = question.casefold()

    # Columns in their places.

    def of(self, column: Column) -> str:
        """A column with its table, when it is not the one that the question is about."""
        name = self.name(column)
        if self._plan is not None and column.table == self._plan.main and column.instance == 0:
            return f"the {name}"
        owner = self._role(column) or self.noun(column.table)
        return f"the {name} of the {owner}"

    def _role(self, column: Column) -> str | None:
        """Return what another use of a table is in its place: the manager."""
        pairs = self._plan.via if self._plan is not None else ()
        for left, right in (*pairs, *((right, left) for left, right in pairs)):
            here = (right.table, right.instance) == (column.table, column.instance) and column.table in self._tables
            if here and (role := role_of((left.column,), self._tables[column.table].name, (right.column,))):
                rows = [] if set(role) - PREPOSITIONS else [self.noun(column.table)]  # the from port
                return " ".join([*role, *rows])
        if column.instance == 0 or column.table not in self._tables:
            return None
        for one in self._tables[column.table].columns:
            if one.references is not None and one.references[0] == column.table:
                return " ".join(role_of((one.name,), self._tables[column.table].name, one.references[1:])) or None
        return f"other {self.noun(column.table)}"

    def _of_time(self, term: Term) -> bool:
        match term:
            case Column():
                kind = self._kind(term)
                return kind is not None and (kind.family == "moment" or kind.iso)
            case Figure(Aggregate.MIN | Aggregate.MAX, of) if of is not None:
                return self._of_time(of)
            case Span():
                return term.unit is Unit.CLOCK or (not term.part and term.unit not in (Unit.YEAR, Unit.DECADE))
        return False

    # Terms.

    def term(self, term: Term, name: str | None = None) -> str:
        """A term within a sentence."""
        match term:
            case Column():
                return self.of(term)
            case Figure():
                return self._figure(term)
            case Span():
                return f"the {_unit(term)} of {self.of(term.of)}{_FIRST_DAY if term.unit == Unit.WEEKDAY else ''}"
            case Elapsed():
                return self._elapsed(term)
            case Arithmetic():
                return self._arithmetic(term)
            case Running():
                return self._running(term)
            case Share():
                return f"the share of {self._figure(term.of)} in percent"
            case Expression():
                called = name or term.name
                return f"the {called}" if called else f"the defined figure {term.sql}"
            case Literal():
                return self.value(term)
            case Nested():
                kinds = _listed([self._group(one).removeprefix("the ") for one in term.within], "and")
                alike = f" of the same {kinds}" if kinds else ""
                return _Speaker(self._known, self._question).plan(term.plan) + alike

    def _arithmetic(self, term: Arithmetic) -> str:
        """Two terms combined, or the percentage that they are."""
        share = percentage_of(term)
        if share is not None and share[0].aggregate is Aggregate.COUNT and share[1].where is None:
            return f"the percentage of {self.many(share[1].main)}"
        if (part := share_within(term)) is not None:
            return f"the percentage of {self._figure(part).removeprefix('the number of ')}"
        return f"{self.term(term.left)} {_SIGNS[term.operator]} {self.term(term.right)}"

    def _elapsed(self, term: Elapsed) -> str:
        """The time between two moments."""
        if term.unit is Unit.YEAR:
            return f"the years since {self.of(term.since)}"
        return f"the {term.unit.value}s from {self.of(term.since)} to {self.term(term.until)}"

    def _running(self, term: Running) -> str:
        """A figure that is added up."""
        match term.of:
            case Figure(Aggregate.SUM, of) if of is not None:
                return f"the running total of {self.term(of).removeprefix('the ')}"
        return f"the running total of {self.term(term.of)}"

    def _figure(self, figure: Figure) -> str:
        main = self._plan.main if self._plan is not None else ""
        if figure.when is not None:
            return f"{self._figure(replace(figure, when=None))} where {self.condition(figure.when)}"
        if figure.of is None:
            return f"the number of {self.many(figure.rows_of or main)}"
        this = self.term(figure.of).removeprefix("the ")
        match figure.aggregate:
            case Aggregate.COUNT:
                if isinstance(figure.of, Column):
                    beside = this.removeprefix(self.name(figure.of))
                    this = plural_phrase(self.name(figure.of)) + beside
                return f"the number of {'different ' if figure.distinct else ''}{this}"
            case Aggregate.SUM if this.startswith(("total", "sum")):
                return f"the sum of the {this}"
            case Aggregate.SUM:
                return (
                    f"the total of {this}" if " " in this and not isinstance(figure.of, Column) else f"the total {this}"
                )
            case Aggregate.MEDIAN:
                return f"the median {this}"
            case Aggregate.AVG:
                return f"the average {this}"
        time = self._of_time(figure.of)
        low, high = ("earliest", "latest") if time else ("lowest", "highest")
        return f"the {low if figure.aggregate == Aggregate.MIN else high} {this}"

    def value(self, value: Literal, column: Column | None = None) -> str:
        """A value as people write it."""
        if isinstance(value.value, bool):
            return "true" if value.value else "false"
        if isinstance(value.value, Decimal):
            text = format(value.value, "f")
            return text.rstrip("0").rstrip(".") if "." in text else text
        if value.kind in ("date", "moment"):
            return _day(value.value)
        private = column is not None and ColumnKey(column.table, column.column) in self._known.private
        if private and not re.search(rf"(?<!\w){re.escape(str(value.value).casefold())}(?!\w)", self._question):
            return "the value asked for"
        return f"“{value.value}”"

    # Conditions.

    def condition(self, one: Condition) -> str:
        """A condition that stands behind `where`."""
        match one:
            case Comparison():
                return self._comparison(one)
            case Member():
                return self._member(one)
            case Related():
                return f"the {self.noun(one.to)} {self._related(one)}"
            case Both():
                return _listed(map(self.condition, one.parts), "and")
            case Either():
                return "either " + _listed(map(self.condition, one.parts), "or")

    def _member(self, one: Member) -> str:
        """`the track is among the tracks with ...`: of keys it is the rows that people speak of."""
        inner = _Speaker(self._known, self._question)
        among = f"is {'not ' if one.negated else ''}among"
        facts = self._facts(one.column)
        is_key = facts is not None and (
            facts.is_primary_key or names_key(facts.name, self._tables[one.column.table].name)
        )
        if not is_key or one.plan.combined is not None:
            return f"{self.of(one.column)} {among}: {inner.plan(one.plan)}"
        inner._plan = one.plan
        those = "the" if one.plan.main == one.column.table else "those of"
        said = f"{those} {self.many(one.plan.main)}{inner._chosen(one.plan)}{inner._ordered(one.plan)}"
        return f"the {self.noun(one.column.table)} {among} {said}"

    def _related(self, one: Related) -> str:
        if (best := best_of_kind(one)) is not None:
            value, kind, greatest = best
            what = f"{'highest' if greatest else 'lowest'} {self.term(value).removeprefix('the ')}"
            same = f"of the same {self.term(kind).removeprefix('the ')}"
            if one.fewer > 1:
                return f"is one of the {one.fewer} with the {what} {same}"
            return f"has the {what} among those {same}"
        inner = _Speaker(self._known, self._question)
        inner._plan = one.plan
        having = one.plan.having
        conditions = [inner.condition(part) for part in (*parts_of(one.plan.where), *parts_of(having))]
        where = f" where {_listed(conditions, 'and')}" if conditions else ""
        some = f"{'no' if one.negated else 'some'} {self.many(one.plan.main)}{where}"
        if one.plan.main == one.to and (role := self._role(Column(one.to, "", 1))):
            return f"is the {role} of {some}"
        return f"has {some}"

    def _comparison(self, one: Comparison) -> str:
        left = self.term(one.left)
        column = one.left if isinstance(one.left, Column) else None
        no = "not " if one.negated else ""
        literals = [term for term in one.right if isinstance(term, Literal)]
        match one.operator:
            case Operator.IS_NULL:
                return f"{left} is {'known' if one.negated else 'missing'}"
            case Operator.LIKE if literals:
                return f"{left} {_like(str(literals[0].value), one.negated)}"
        right = [self.value(term, column) if isinstance(term, Literal) else self.term(term) for term in one.right]
        dated = self._of_time(one.left)
        if isinstance(one.left, Span) and one.left.part and one.left.unit in _NAMED_SPANS:
            dated = one.operator != Operator.EQUAL
            left = f"the {one.left.unit.value} of {self.of(one.left.of)}"
            names = _NAMED_SPANS[one.left.unit]
            right = [_called(term, names) or told for term, told in zip(one.right, right, strict=True)]
        if one.operator == Operator.BETWEEN:
            span = _span([str(term.value) for term in literals]) if len(literals) == 2 else None
            return f"{left} is {no}in {span}" if span else f"{left} is {no}between {right[0]} and {right[1]}"
        if one.operator == Operator.IN:
            if len(right) > MOST_LISTED:
                return f"{left} is {no}one of {len(right)} values"
            return f"{left} is {no}{_listed(right, 'or')}"
        if dated and one.operator == Operator.EQUAL and literals and isinstance(literals[0].value, Decimal):
            return f"{left} is {no}in {right[0]}"
        time = any(term.kind in ("date", "moment") for term in literals) or dated
        told = (_TOLD_OF_TIME if time else _TOLD)[one.operator]
        return f"{left} {told.replace('is', 'is not', 1) if one.negated else told} {right[0]}"

    # Plans.

    def plan(self, plan: Plan) -> str:
        """A plan as a phrase without a full stop."""
        match plan.outputs:
            case (Output(Arithmetic("-", left, Nested() as less)),):
                own = _Speaker(self._known, self._question).plan(replace(plan, outputs=(Output(left),)))
                return f"{own}, {_SIGNS['-']} {self.term(less)}"
            case (Output(Arithmetic("*", Literal(), Arithmetic("/", Arithmetic("-") as apart, Nested() as whole))),):
                own = self.plan(replace(plan, outputs=(Output(apart),)))
                return f"{own}, in percent of {self.term(whole)}"
        self._plan = plan
        parts = [self._answer(plan), self._chosen(plan), self._ordered(plan)]
        text = "".join(parts)
        if plan.combined is not None:
            other = _Speaker(self._known, self._question).plan(plan.combined.plan)
            how = {"union": "together with", "intersect": "but only what is also among", "except": "but not"}
            text += f", {how[plan.combined.how]}: {other}"
        return text

    def _answer(self, plan: Plan) -> str:
        """Return what is shown of what."""
        figures = [one for one in plan.outputs if aggregates(one.term)]
        plain = [one for one in plan.outputs if not aggregates(one.term)]
        if figures:
            text = _listed([self.term(one.term, one.name) for one in figures], "and")
            groups = [*plan.groups, *(one.term for one in plain if one.term not in plan.groups)]
            told = list(dict.fromkeys(self._group(one) for one in groups if not self._is_hidden_key(one, plan)))
            text += self._about(figures, plan)
            return text + (f" for each {_listed(told, 'and')}" if told else "")
        if all(isinstance(one.term, Nested | Literal | Arithmetic) for one in plain) and plain:
            return _listed([self.term(one.term, one.name) for one in plain], "and")
        if self._is_whole(plain, plan):
            return f"all columns of {self.many(plan.main)}"
        names = [self._shown(one, plan) for one in plain]
        more = len(names) - MOST_LISTED
        shown = _listed([*names[:MOST_LISTED], f"{more} more"] if more > 1 else names, "and")
        each = "the different " if plan.distinct else ""
        text = each + shown.removeprefix("the ") if each else shown
        return f"{text} of {self.many(plan.main)}" if self._is_of(plain, plan) else f"{text}, {self._beside(plan)}"

    def _is_whole(self, outputs: Sequence[Output], plan: Plan) -> bool:
        """Return whether all columns of the rows are shown, and they are more than anybody reads the names of."""
        facts = self._tables.get(plan.main)
        if facts is None or len(facts.columns) <= _MOST_NAMED:
            return False
        return {one.term for one in outputs} == {Column(plan.main, one.name) for one in facts.columns}

    def _shown(self, output: Output, plan: Plan) -> str:
        text = self.term(output.term, output.name)
        if isinstance(output.term, Column) and plan.limit != 1:
            name = self.name(output.term)
            if name.split(" ")[-1].lower() not in UNCOUNTABLE:
                text = text.replace(f"the {name}", f"the {plural_phrase(name)}", 1)
        return text

    def _is_of(self, outputs: Sequence[Output], plan: Plan) -> bool:
        last = outputs[-1].term if outputs else None
        return isinstance(last, Column) and last.table == plan.main and last.instance == 0

    def _beside(self, plan: Plan) -> str:
        return f"for {self.many(plan.main)}"

    def _about(self, figures: Sequence[Output], plan: Plan) -> str:
        """`of students`, where the figures do not name it themselves."""
        named = [one.term for one in figures if isinstance(one.term, Figure)]
        if not named or any(one.of is None for one in named) or not isinstance(named[-1].of, Column):
            return ""
        last = named[-1].of
        return f" of {self.many(plan.main)}" if (last.table, last.instance) == (plan.main, 0) else ""

    def _group(self, term: Term) -> str:
        """Return what a figure is told for each of: the customer rather than the name of the customer."""
        if isinstance(term, Column) and term.table in self._tables:
            owner = self._tables[term.table]
            counted = {one.table for figure in self._figures_shown() for one in columns_in(figure)}
            counted |= {one.rows_of for one in self._figures_shown() if one.rows_of is not None}
            if names_its_row(term.column, owner.name) and term.table not in counted:
                return self._role(term) or self.noun(term.table)
            facts = self._facts(term)
            if facts is not None and facts.is_primary_key and term.table not in counted and self._is_key_alone(term):
                return self._role(term) or self.noun(term.table)
            if facts is not None and facts.references is not None:
                name = self.name(term)
                return self.of(term).replace(name, without_id(name), 1).removeprefix("the ")
        return self.term(term).removeprefix("the ")

    def _is_key_alone(self, column: Column) -> bool:
        """Return whether a column by itself tells the rows of its table apart."""
        return sum(one.is_primary_key for one in self._tables[column.table].columns) == 1

    def _figures_shown(self) -> list[Figure]:
        terms = [one.term for one in self._plan.outputs] if self._plan is not None else []
        return [figure for term in terms for figure in figures_in(term)]

    def _is_hidden_key(self, term: Term, plan: Plan) -> bool:
        """Return whether a group is a key that only keeps those of the same name apart."""
        shown = [one.term for one in plan.outputs]
        if term in shown or not isinstance(term, Column) or len(plan.groups) < 2:
            return False
        facts = self._facts(term)
        return facts is not None and facts.is_primary_key

    def _chosen(self, plan: Plan) -> str:
        conditions = [*parts_of(plan.where), *parts_of(plan.having)]
        own = [one for one in conditions if isinstance(one, Related) and one.to == plan.main]
        others = [one for one in conditions if one not in own]
        text = ""
        told = [_plural_verb(self._related(one)) for one in own]
        told += [f"have some {self.many(one)}" for one in plan.also if self._is_untold(one, plan)]
        if told:
            text += " that " + " and that ".join(told)
        if others:
            text += f" where {_listed(map(self.condition, others), 'and')}"
        if plan.keep:
            text += f", also {_listed(map(self.many, plan.keep), 'and')} that have none"
        return text

    def _is_untold(self, table: str, plan: Plan) -> bool:
        """Return whether nothing else that is said of a plan speaks of a table whose rows it needs."""
        terms = [*(one.term for one in plan.outputs), *plan.groups, *(one.term for one in plan.orders)]
        terms += [term for one in (*parts_of(plan.where), *parts_of(plan.having)) for term in terms_in(one)]
        spoken = {column.table for term in terms for column in columns_in(term)}
        spoken |= {one.rows_of for term in terms for one in figures_in(term) if one.rows_of is not None}
        return table not in spoken

    def _ordered(self, plan: Plan) -> str:
        if not plan.orders:
            many = "one" if plan.limit == 1 else plan.limit
            return f", only the first {many}" if plan.limit is not None else ""
        if plan.limit is None:
            return ", sorted by " + _listed([self._way(one) for one in plan.orders], "then by")
        first = plan.orders[0]
        end = self._end(first)
        term = self.term(first.term)
        if plan.offset:
            behind = "the one" if plan.limit == 1 else f"the {plan.limit}"
            return f", only {behind} behind the first {plan.offset} with the {end} {term.removeprefix('the ')}"
        each = _listed([self._group(one) for one in plan.each if not self._is_hidden_key(one, plan)], "and")
        if plan.limit == 1:
            those = "all those" if plan.ties or each else "only the one"
            return f", {those} with the {end} {term.removeprefix('the ')}" + (f" of each {each}" if each else "")
        also = f" of each {each}" if each else " and those equal to the last" if plan.ties else ""
        return f", only the {plan.limit} with the {end} {term.removeprefix('the ')}{also}"

    def _end(self, order: Order) -> str:
        if self._of_time(order.term):
            return "latest" if order.descending else "earliest"
        if isinstance(order.term, Column) and self._is_text(order.term):
            return "alphabetically last" if order.descending else "alphabetically first"
        return "highest" if order.descending else "lowest"

    def _is_text(self, column: Column) -> bool:
        kind = self._kind(column)
        return kind is not None and kind.family == "text" and not kind.numeric

    def _kind(self, column: Column) -> TypedKind | None:
        """Return what a column holds: of texts whether they are numbers or days."""
        facts = self._facts(column)
        table = self._known.profiles.get(column.table)
        profile = next((one for one in table.columns if one.name == column.column), None) if table else None
        return kind_of(facts, profile, self._known.dialect) if facts is not None else None

    def _way(self, order: Order) -> str:
        term = self.term(order.term)
        if isinstance(order.term, Column) and self._is_text(order.term):
            return term + (" in reverse" if order.descending else "")
        time = self._of_time(order.term)
        if not order.descending:
            return f"{term}, {'earliest' if time else 'lowest'} first"
        return f"{term}, {'latest' if time else 'highest'} first"


def _listed(parts: Iterable[str], word: str) -> str:
    found = list(parts)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} {word} {found[-1]}" if found else ""


def _plural_verb(phrase: str) -> str:
    return "are" + phrase.removeprefix("is") if phrase.startswith("is ") else "have" + phrase.removeprefix("has")


def _like(pattern: str, negated: bool) -> str:
    inner = pattern.strip("%")
    if pattern.startswith("%") and pattern.endswith("%"):
        return f"does not contain “{inner}”" if negated else f"contains “{inner}”"
    if pattern.endswith("%"):
        return f"does not begin with “{inner}”" if negated else f"begins with “{inner}”"
    if pattern.startswith("%"):
        return f"does not end with “{inner}”" if negated else f"ends with “{inner}”"
    return f"is {'not ' if negated else ''}like “{pattern}”"


def _day(text: str) -> str:
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return text
    told = f"{day.day} {calendar.month_name[day.month]} {day.year}"
    return f"{told} {text[11:16]}" if len(text) > 10 and text[11:19] not in ("00:00:00", "00:00") else told


_FIRST_DAY: Final = " (1 is Monday)"


def _unit(span: Span) -> str:
    """Return what a span is called: a month, or the month of the year."""
    if not span.part or span.unit in (Unit.YEAR, Unit.WEEKDAY):
        return span.unit.value
    if span.unit is Unit.CLOCK:
        return "time of the day"
    if span.unit is Unit.HOUR:
        return "hour of the day"
    return f"{span.unit.value} of the {'month' if span.unit == Unit.DAY else 'year'}"


def _called(term: Term, names: Sequence[str]) -> str:
    """The name of a month or a weekday by its number; nothing for what is none."""
    number = term.value if isinstance(term, Literal) and isinstance(term.value, Decimal) else Decimal(0)
    return names[int(number)] if number in range(1, len(names)) else ""


_NAMED_SPANS: Final[dict[Unit, Sequence[str]]] = {
    Unit.MONTH: list(calendar.month_name),
    Unit.WEEKDAY: ["", *calendar.day_name],
}


def _span(ends: Sequence[str]) -> str | None:
    """A whole year or month by its first and last day."""
    try:
        first, last = date.fromisoformat(ends[0][:10]), date.fromisoformat(ends[1][:10])
    except ValueError:
        return None
    if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year == last.year:
        return str(first.year)
    whole = first.day == 1 and last.day == calendar.monthrange(last.year, last.month)[1]
    if whole and (first.year, first.month) == (last.year, last.month):
        return f"{calendar.month_name[first.month]} {first.year}"
    return None
