"""What is asked for, as outputs of a plan."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.language.lives import BORN as LIVES
from resolvers.engines.nl2sql.language.lives import of_life
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.words import UNITS
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import OF_NUMBERS, PARTS, Aggregate, Elapsed, Figure, Share, Span, Term
from resolvers.engines.nl2sql.planner.asking import DONE
from resolvers.engines.nl2sql.planner.atoms import ROLE, Ref
from resolvers.engines.nl2sql.planner.catalog import FAR
from resolvers.engines.nl2sql.planner.counting import (
    LOOSE_TABLE,
    Item,
    amount_in,
    is_of_one,
    is_per_one,
    number_of_rows,
    per_group,
)
from resolvers.engines.nl2sql.planner.defined import measure
from resolvers.engines.nl2sql.planner.figures import split_aggregate
from resolvers.engines.nl2sql.planner.frame import DONE_TO, Cond, Noun, Sort
from resolvers.engines.nl2sql.planner.item_spans import ItemSpans
from resolvers.engines.nl2sql.planner.lasting import age_of, duration_of, is_length
from resolvers.engines.nl2sql.planner.measuring import (
    amount_of,
    is_of_all,
    is_of_days,
    measured_by_verb,
    places_of_deeds,
    rows_of_deed,
    total_below,
)
from resolvers.engines.nl2sql.planner.nouns import may_be_table
from resolvers.engines.nl2sql.planner.occasions import done_when
from resolvers.engines.nl2sql.planner.people import asked_for, named_by_deed
from resolvers.engines.nl2sql.planner.resolving import as_column
from resolvers.engines.nl2sql.planner.roles import role_of
from resolvers.engines.nl2sql.planner.things import spent, tells_apart, what_done
from resolvers.engines.nl2sql.schema_linking.roles import says_who

AS_GOOD_A_NAME = 0.12
"""How much worse the name of a column may fit than that of its table, and still be what is meant."""
_NOT_TOLD = 0.5
"""What it costs that a place or a time is asked for, and the answer has none."""
_DATE_PARTS = ("year", "month", "day", "date")
"""What ends the names of columns that tell a date together, in their order."""
_PLACES = (
    "location", "hometown", "birthplace", "city", "address", "country", "place", "state", "region", "venue", "town",
    "street", "county", "province", "district", "continent",
)  # fmt: skip
"""Words that columns are called by which tell where something is, those that tell it best first."""


_OF_COUNTS: Final = {Aggregate.AVG, Aggregate.MEDIAN, Aggregate.MIN, Aggregate.MAX}
"""What may be asked of numbers of rows, and not of rows."""


class Items(ItemSpans):
    """Makes items."""

    def item(self, noun: Noun) -> Item | None:
        """One thing asked for; None when nothing in the catalog is meant by it."""
        if noun.unit is not None:
            return self._span(noun, noun.unit)
        if noun.ref is None:
            return self._unnamed(noun)
        if (span := self._own_span(noun)) is not None:
            return span
        if (defined := measure(self.resolver, noun)) is not None:
            return defined
        if not noun.count and (took := duration_of(self.resolver, noun)) is not None:
            return self._of_those(Item([took], took.since.table, noun), noun)
        if is_length(noun):
            return None
        if noun.share and not noun.aggregates:
            noun.count = True
        if noun.count:
            return self._count(noun)
        if not noun.aggregates:
            split_aggregate(self.resolver, noun)
        if noun.aggregates:
            rows = self.resolver.table(noun.ref) if noun.wh == "much" else None
            worth = self._worth(rows, noun) if rows is not None else None  # how much does a stay cost on average
            return self._of_those(worth, noun) if worth is not None else self._aggregated(noun)
        if noun.everything:
            table = self.resolver.table(noun.ref)
            return self._everything(table, noun) if table else None
        target = self.target(noun)
        if target is None:
            return None
        if isinstance(target, str):
            figure = self._extreme(noun, target)
            if figure is None and noun.wh == "much" and (worth := self._worth(target, noun)) is not None:
                return worth  # how much did each stay cost
            if figure is None and noun.wh == "much" and (amount := self._only_amount(target, noun)) is not None:
                return amount
            return self._entity(target, noun) if figure is None else figure
        if (worth := self._paid_on(noun, target)) is not None:
            return worth
        if noun.degree is not None and isinstance(age := age_of(self.resolver, noun, target), Elapsed):
            end = Aggregate.MAX if noun.degree.descending else Aggregate.MIN  # the highest age
            return Item([Figure(end, age)], target.table, noun, columns=(target,), figures=True)
        by_size = noun.degree is not None and bool(noun.degree.measures)
        named = target in self.catalog.names(target.table) or self._is_kind(target)
        if by_size and (named or (noun.degree is not None and is_of_days(self.catalog, noun.degree, target))):
            self.resolver.frame.sorts.append(Sort(degree=noun.degree, limit=1))
            return self._column(target, noun)
        if noun.degree is not None:
            aggregate = Aggregate.MAX if self.resolver.direction(noun.degree, target) else Aggregate.MIN
            return Item([Figure(aggregate, as_column(target))], target.table, noun, columns=(target,), figures=True)
        plural = noun.ref is not None and not self.resolver.cut.linked.tokens[noun.ref.last - 1].is_lemma
        if (plural or noun.wh == "who") and not noun.distinct and self._is_said_of_rows(noun, target):
            return self._entity(target.table, noun)  # list the key accounts, who was president
        return self._column(target, noun)

    def _is_said_of_rows(self, noun: Noun, target: ColumnKey) -> bool:
        """Return whether words are what a flag says of rows, `union members` of yes and no; a condition then
        says so.
        """
        if noun.ref is None or not noun.ref.values or self.catalog.vocabulary.flag(target) is None:
            return False
        flagged = Cond("value", noun.ref.first, values=(noun.ref,))
        if not any(one.values == flagged.values for one in self.resolver.frame.conditions):
            self.resolver.frame.conditions.append(flagged)
        return True

    def _of_those(self, item: Item, noun: Noun) -> Item:
        """The figure of an amount that is asked for, where one is."""
        if not noun.aggregates or item.figures:
            return item
        figures: list[Term] = [Figure(one, term) for one in noun.aggregates for term in item.terms]
        return Item(figures, item.table, noun, columns=item.columns, figures=True)

    def _paid_on(self, noun: Noun, when: ColumnKey) -> Item | None:
        """`how much did Ann pay`: the amount beside the time that is called as what was done, `paid_on`."""
        if noun.wh != "much" or not self.catalog.is_moment_like(when):
            return None
        if tells_apart(self.resolver):
            owner = self.resolver.table(noun.owner)
            if owner is None or noun.ref is None or not self.catalog.refers(when.table, owner):
                return None
            done = Cond("null", noun.ref.first, noun=Noun(noun.ref), negated=True, how=DONE_TO)
            self.resolver.frame.conditions.append(done)
            return self._entity(owner, noun)
        return self._worth(when.table, noun)

    def _is_kind(self, key: ColumnKey) -> bool:
        """Return whether a column holds words, of which none is larger than another: the cheapest kind of room."""
        catalog = self.catalog
        return catalog.is_text(key) and not catalog.is_numeric_text(key) and not catalog.is_moment_like(key)

    def _extreme(self, noun: Noun, table: str) -> Item | None:
        """The greatest or least of a column that bears the name of its table: salaries.salary."""
        sort, ref = noun.extreme, noun.ref
        if sort is None or sort.degree is None or ref is None:
            return None
        least = ref.best(MentionKind.TABLE) - AS_GOOD_A_NAME
        named = (one.column for one in ref.columns if one.score >= least)
        for key in named:
            if key is None or key.table != table or not self.catalog.is_number(key) or self.catalog.is_key(key):
                continue
            sorts = self.resolver.frame.sorts
            sorts[:] = [one for one in sorts if one is not sort]
            aggregate = Aggregate.MAX if self.resolver.direction(sort.degree, key) else Aggregate.MIN
            return Item([Figure(aggregate, as_column(key))], table, noun, columns=(key,), figures=True)
        return None

    def _column(self, key: ColumnKey, noun: Noun) -> Item:
        if noun.wh == "much" and self.catalog.is_measure(key) and (self.together() or spent(self.resolver, key.table)):
            return Item([Figure(Aggregate.SUM, as_column(key))], key.table, noun, columns=(key,), figures=True)
        unit = self._unit(noun, key)
        if unit is not None:
            return Item([Span(as_column(key), unit, unit in PARTS)], key.table, noun, None, (key,))
        if isinstance(age := age_of(self.resolver, noun, key), Elapsed):
            return Item([age], key.table, noun, None, (key,))
        names = self.catalog.names(key.table)
        whole = noun.ref is not None and self._is_whole_name(noun, key)
        columns = names if whole and key in names else (key,)
        rows = (key in names and not self.catalog.is_shared_name(key)) or key == self.catalog.key(key.table)
        entity = key.table if rows else None
        return Item([as_column(one) for one in columns], key.table, noun, entity, tuple(columns))

    def _is_whole_name(self, noun: Noun, key: ColumnKey) -> bool:
        """Return whether `name`, or whoever plays a part, is asked for where there are a first and a last name."""
        if noun.ref is None or len(self.catalog.names(key.table)) < 2:
            return False
        said = set(self.resolver.cut.linked.words(noun.ref.first, noun.ref.last))
        plays = any(one.how == ROLE and one.column == key for one in noun.ref.columns)
        return (plays or "name" in said) and not said & {
            "first",
            "last",
            "family",
            "given",
            "give",
            "fname",
            "lname",
            "sur",
            "forename",
        }

    def target(self, noun: Noun) -> str | ColumnKey | None:
        """The table or the column that a noun stands for."""
        resolver, ref = self.resolver, noun.ref
        if ref is None:
            return None
        options = resolver.column_options(noun)
        best = max(options.values(), default=-9.0)
        table = resolver.table(ref) if may_be_table(ref) else None
        if table is None:
            return resolver.column(noun)
        score = next((one.score for one in ref.tables if one.table == table), 0.0)
        owner = resolver.table(noun.owner)
        if owner is not None:
            # `the department of each employee`: a column of the owner, or the name of what it refers to.
            held = {key: value for key, value in options.items() if key.table == owner}
            tied = {key for key in held if (tie := self.catalog.reference(key)) is not None and tie.to == table}
            if tied and not self._says_key(noun):
                return table
            if held and max(held.values()) >= score + 0.1:
                return resolver.column(noun)
            if owner == table:
                return resolver.column(noun) if options else table
            return table if resolver.catalog.distance(owner, table) < FAR else resolver.column(noun) or table
        if not options or self._is_one_of_its_rows(noun, table, options):
            return table
        if score < LOOSE_TABLE:
            own = [one.column for one in ref.columns if one.score > score - 0.05 and one.column in options]
            if any(key.table == table and self.catalog.is_measure(key) for key in own if key is not None):
                return resolver.column(noun, "number")
        if score + (0.3 if score > 0.85 else 0.1) >= best:
            return table
        column = resolver.column(noun)
        tie = self.catalog.reference(column) if column is not None else None
        if tie is not None and tie.to == table and self.catalog.names(table) and not self._says_key(noun):
            return table  # the country of origin, where only its code stands here
        return column

    def names_rows(self, noun: Noun) -> bool:
        """Return whether the most of something are rows, though a number of theirs is called as they are."""
        table = self.resolver.table(noun.ref)
        options = self.resolver.column_options(noun) if table is not None else {}
        return table is not None and self._is_one_of_its_rows(replace(noun, count=True), table, options)

    def _is_one_of_its_rows(self, noun: Noun, table: str, options: Mapping[ColumnKey, float]) -> bool:
        """Return whether rows are counted, though a number or time of theirs is called as they are: the `flight` of
        flights.

        A column in the singular says of each row which one it is, or what it comes to: how many there are, the rows
        tell, as they do where the column says when (`visited_on`). One in the plural may hold how many.
        """
        ref = noun.ref
        if ref is None or not noun.count or noun.distinct or noun.aggregates or noun.wh == "much":
            return False
        token = self.resolver.cut.linked.tokens[ref.last - 1]
        if token.is_lemma:
            return False  # how many staff
        called = self.catalog.table_words(table)
        own = [key for key in options if key.table == table]
        if any(map(self.catalog.is_moment_like, own)):
            return True
        alike = [key for key in own if self.catalog.words(key) == called]
        return any(self.catalog.is_measure(key) and tokens_of(key.column)[-1:] == [called[-1]] for key in alike)

    def _says_key(self, noun: Noun) -> bool:
        ref = noun.ref
        return ref is not None and bool(
            set(self.resolver.cut.linked.words(ref.first, ref.last)) & {"id", "code", "number", "key"}
        )

    def _worth(self, table: str, noun: Noun) -> Item | None:
        """`how much does ... cost`: the amount that another word of the question speaks of."""
        mentions = [one for one in self.resolver.cut.linked.mentions if one.kind is MentionKind.COLUMN]
        deeds = places_of_deeds(self.resolver)  # refunded, of a column that tells the amount of a refund
        for one in sorted(mentions, key=lambda one: (one.first not in deeds, -one.score * (one.last - one.first))):
            column = one.column
            if column is not None and column.table == table and one.score >= 0.65 and self.catalog.is_measure(column):
                self.resolver.used.add((one.first, one.last))
                loose = self.resolver.frame.loose
                loose[:] = [words for words in loose if words != (one.first, one.last)]
                return self._column(column, noun)
        told = measured_by_verb(self.resolver, table)
        return self._column(told, noun) if told is not None else None

    def _only_amount(self, table: str, noun: Noun) -> Item | None:
        """`how much grain did we get`: the total of the only number of rows called as what there is much of."""
        ref = noun.ref
        if ref is None or not self.resolver.cut.linked.tokens[ref.last - 1].is_lemma:
            return None
        sizes = [
            key for key in self.catalog.of(table) if self.catalog.is_measure(key) and not self.catalog.is_year(key)
        ]
        if len(sizes) != 1:
            return None
        self.resolver.doubt("the only number of what there is much of is taken", 0.15)
        return Item([Figure(Aggregate.SUM, as_column(sizes[0]))], table, noun, columns=(sizes[0],), figures=True)

    def together(self) -> bool:
        """`cost together`, `in total`: all amounts as one."""
        tokens = self.resolver.cut.linked.tokens
        said = {token.text.lower() for token in tokens}
        return (
            bool(said & {"together", "altogether", "overall"})
            or is_of_all(self.resolver)
            or any(
                one.text.lower() == "in" and other.text.lower() in ("total", "all", "sum")
                for one, other in pairwise(tokens)
            )
        )

    def _place(self, table: str, noun: Noun) -> Item | None:
        """Where a row is: of several places the one whose name says what the question does."""
        words_said = set(self.resolver.cut.linked.words())
        said = {root_of(word) for word in words_said | of_life(words_said)}
        told: list[tuple[int, int, int, ColumnKey]] = []
        for key in self.catalog.of(table):
            words = self.catalog.words(key)
            rank = next((at for at, place in enumerate(_PLACES) if place in words), None)
            if rank is not None and self.catalog.is_text(key):
                beside = {root_of(one) for one in words if one not in _PLACES}
                told.append((-len(beside & said), len(beside - said), rank, key))
        return self._column(min(told, key=lambda one: one[:3])[3], noun) if told else None

    def _told(self, table: str, noun: Noun) -> Item | None:
        """Return what a question word asks of a row beside its name: where it is, or when it was."""
        if noun.wh == "when" and (done := self._done_when(table, noun)) is not None:
            return done
        if noun.wh == "where":
            found = self._place(table, noun)
        else:
            time = self.resolver.time_column([table], hint=self.resolver.cut.linked.words())
            found = self._date(time, noun) if time is not None else None
            lives = of_life(set(self.resolver.cut.linked.words()))
            if time is not None and lives and lives.isdisjoint(self.catalog.words(time)):
                found = None  # when somebody was born is not when anything else happened
            if time is not None and not lives and LIVES & set(self.catalog.words(time)):
                self.resolver.doubt("a time of a life is shown, and another is asked for", _NOT_TOLD)
        if found is None:
            self.resolver.doubt(f"{noun.wh} is asked for, and no column tells it", _NOT_TOLD)
        return found

    def _done_when(self, table: str, noun: Noun) -> Item | None:
        """When something was done to a row, of the rows that tell it: the last time, the first, or each of them."""
        key = done_when(self.resolver, table)
        if key is None:
            return None
        said = {token.text.lower() for token in self.resolver.cut.linked.tokens}
        end = Aggregate.MAX if said & {"last", "lastly", "recently"} else Aggregate.MIN if "first" in said else None
        if end is None:
            return self._date(key, noun)
        return Item([Figure(end, as_column(key))], key.table, noun, columns=(key,), figures=True)

    def _date(self, key: ColumnKey, noun: Noun) -> Item:
        """A moment, or the year, month and day that it is told by in columns of their own."""
        words = self.catalog.words(key)
        if self.catalog.is_time(key) or not set(words) & set(_DATE_PARTS):
            return self._column(key, noun)
        called = [one for one in words if one not in _DATE_PARTS]
        parts = {
            one: self.catalog.words(one)[-1]
            for one in self.catalog.of(key.table)
            if self.catalog.words(one)[-1] in _DATE_PARTS and not self.catalog.is_time(one)
            if list(self.catalog.words(one)[:-1]) == called
        }
        columns = tuple(sorted(parts, key=lambda one: _DATE_PARTS.index(parts[one]))) or (key,)
        return Item([as_column(one) for one in columns], key.table, noun, None, columns)

    def _doing(self, table: str, noun: Noun) -> str:
        """`pitchers` of a table of pitching: the people that its rows refer to, where rows have no name."""
        catalog, ref = self.catalog, noun.ref
        head = self.resolver.cut.linked.tokens[ref.last - 1].lemma if ref is not None else ""
        asks_who = noun.wh == "who" or says_who(head, catalog.table_words(table))
        if not asks_who or (catalog.names(table) and not self._is_had(table, noun)):
            return table
        above = catalog.above.get(table, ())
        people = [one for one in above if catalog.vocabulary.is_person(one) and catalog.names(one)]
        if len(people) != 1:
            return table
        conditions = self.resolver.frame.conditions
        if ref is not None and not any(one.kind == "exists" and one.table is ref for one in conditions):
            conditions.append(Cond("exists", ref.first, noun=noun, table=ref))
        return people[0]

    def _is_had(self, table: str, noun: Noun) -> bool:
        """`who has more than three pets`: what somebody has so many of is not who has them, though it has a name."""
        counted = (one for one in self.resolver.frame.conditions if one.kind == "exists" and one.count is not None)
        return noun.ref is None and any(self.resolver.table(one.table) == table for one in counted)

    def _entity(self, table: str, noun: Noun) -> Item:
        if noun.wh in ("where", "when") and (found := self._told(table, noun)) is not None:
            return found
        table = self._doing(table, noun)
        columns = self.catalog.entity(table)
        preferred = self.catalog.noted.preferred.get(table)
        if preferred is not None and preferred.columns and noun.wh != "who" and not self.resolver.frame.groups:
            self.resolver.memories.add(preferred.memory)
            columns = preferred.columns
        return Item([as_column(key) for key in columns], table, noun, table, columns)

    def _everything(self, table: str, noun: Noun) -> Item:
        columns = tuple(self.catalog.of(table))
        said = self.resolver.cut.linked.words(noun.first, noun.first + 1)
        called = [key for key in columns if said and said[0] in self.catalog.words(key)]
        listed = len(self.resolver.frame.items) > 1 or len(self.resolver.frame.shown) > 1
        if listed and len(called) == 1:
            return self._column(called[0], noun)  # the date and the details, which a column is called by
        return Item([as_column(key) for key in columns], table, noun, table, columns)

    def _unnamed(self, noun: Noun) -> Item | None:
        resolver = self.resolver
        table = resolver.table(noun.owner) or resolver.subject() or next(iter(resolver.mentioned()), None)
        if table is None and (noun.wh or noun.count or noun.degree is not None):
            values = [cond.values[0] for cond in resolver.frame.conditions if cond.values]
            values += [ref for cond in resolver.frame.conditions if cond.nest is not None for ref in cond.nest.said]
            found = next((one for ref in values if (one := resolver.value(ref, ())) is not None), None)
            table = found[0].table if found is not None else None
        if table is None and noun.wh == "much":
            table = rows_of_deed(resolver)
            worth = self._worth(table, replace(noun, aggregates=(Aggregate.SUM,))) if table is not None else None
            if worth is not None:  # how much was invoiced per year
                return self._of_those(worth, replace(noun, aggregates=(Aggregate.SUM,)))
        if noun.wh == "who" and (doer := named_by_deed(resolver)) is not None:
            return self._column(doer, noun)  # who directed it, where a column tells the director
        if noun.wh == "who":
            table = asked_for(resolver, table or self._ranked_by() or self._compared())
        figures: list[Term]
        if noun.degree is not None:
            measured = resolver.measured(noun.degree, [one for one in (table, *resolver.mentioned()) if one])
            age = age_of(resolver, noun, measured[0]) if measured else None
            if measured and isinstance(age, Elapsed):
                figures = [Figure(one, age) for one in noun.aggregates]
                return Item(figures or [age], measured[0].table, noun, columns=(measured[0],), figures=bool(figures))
            if measured and (self.catalog.is_year(measured[0]) or self.catalog.is_time(measured[0])):
                resolver.doubt("an age is asked for, and only a date is known", 0.3)
            if measured and noun.aggregates:
                figures = [Figure(one, as_column(measured[0])) for one in noun.aggregates]
                return Item(figures, measured[0].table, noun, columns=(measured[0],), figures=True)
            return self._column(measured[0], noun) if measured else None
        if noun.wh == DONE:
            found_done = what_done(resolver, table)
            return Item([as_column(key) for key in found_done], found_done[0].table, noun, None, found_done)
        if table is None:
            return None
        if noun.count or noun.aggregates == (Aggregate.COUNT,):
            ranked = next((one for one in resolver.frame.sorts if one.most and one.noun is not None), None)
            if ranked is not None and ranked.noun is not None and (of := resolver.table(ranked.noun.ref)) is not None:
                table = of  # the reserve with the most sightings, and how many there were
            return number_of_rows(table, noun)
        if noun.everything:
            return self._everything(table, noun)
        if noun.wh == "when" and (done := self._done_when(table, noun)) is not None:
            return done
        if noun.wh == "when":
            column = resolver.time_column([table, *resolver.mentioned()], hint=self.resolver.cut.linked.words())
            return self._date(column, noun) if column else None
        if noun.wh == "where":
            return self._place(table, noun)
        if noun.wh == "much":
            worth = self._worth(table, noun) or total_below(resolver, table, noun)
            several = len(resolver.frame.items) > 1 or is_of_all(resolver)
            amount = amount_of(self.catalog, table) if worth is None and several else None
            worth = self._column(amount, noun) if amount is not None else worth  # were sold, and for how much
            return self._of_those(worth, noun) if worth is not None else None
        return self._entity(table, noun) if noun.wh == "who" else None

    def _ranked_by(self) -> str | None:
        """The table of what an order is by, where nothing else is named: who has the most points."""
        nouns = [sort.noun for sort in self.resolver.frame.sorts if sort.noun is not None and sort.noun.ref is not None]
        return next(self.resolver.tables_of_numbers(nouns[:1]), None)

    def _compared(self) -> str | None:
        """The table of what is compared, where nothing else is named: who has more than 500 points."""
        compared = (cond.noun for cond in self.resolver.frame.conditions if cond.kind == "compare")
        return next(self.resolver.tables_of_numbers(compared), None)

    def _count(self, noun: Noun) -> Item | None:
        resolver, catalog = self.resolver, self.catalog
        target = self.target(noun)
        if target is None:
            return None
        part = role_of(resolver, noun.ref, target.table) if isinstance(target, ColumnKey) else None
        if part is not None and noun.ref is not None and (kind := self._of_a_kind_of(part.to, noun.ref)) is not None:
            resolver.frame.conditions.append(Cond("value", noun.ref.first, values=(kind,)))
            return number_of_rows(part.to, noun)  # waiters, of staff whose position says so
        if part is not None and not noun.aggregates:
            column = ColumnKey(part.table, part.columns[0])
            return Item([Figure(Aggregate.COUNT, as_column(column), distinct=True)], part.table, noun, figures=True)
        if isinstance(target, str) and not noun.aggregates and is_per_one(resolver):
            noun.aggregates = (Aggregate.AVG,)
        if isinstance(target, str) and _OF_COUNTS & set(noun.aggregates):
            return per_group(resolver, noun, target)
        if isinstance(target, str):
            return number_of_rows(target, noun)
        if catalog.is_measure(target) and noun.aggregates:
            figures: list[Term] = [Figure(one, as_column(target)) for one in noun.aggregates]
            return Item(figures, target.table, noun, columns=(target,), figures=True)
        if catalog.is_measure(target) and not noun.distinct and not catalog.is_year(target):
            if resolver.frame.groups or noun.wh == "much" or Aggregate.SUM in noun.aggregates:
                return Item(
                    [Figure(Aggregate.SUM, as_column(target))], target.table, noun, columns=(target,), figures=True
                )
            resolver.doubt("a number may be meant or its sum", 0.25)
            return Item([Figure(Aggregate.SUM, as_column(target))], target.table, noun, columns=(target,), figures=True)
        if target == catalog.key(target.table) and not noun.distinct:
            return number_of_rows(target.table, noun)
        if target in catalog.names(target.table) and not noun.distinct:
            return number_of_rows(target.table, noun)
        if not noun.distinct and self._is_said_of_rows(noun, target):
            return number_of_rows(target.table, noun)
        rows_of = target.table if not noun.distinct and self._happens(noun, target) else None
        if rows_of is not None:
            return number_of_rows(rows_of, noun)
        figure = Figure(Aggregate.COUNT, as_column(target), distinct=True)
        return Item([figure], target.table, noun, columns=(target,), figures=True)

    def _of_a_kind_of(self, table: str, ref: Ref) -> Ref | None:
        """Words that are a value of a table, where they may as well be the part that its rows play elsewhere."""
        mentions = self.resolver.cut.linked.over(ref.first, ref.last, MentionKind.VALUE)
        held = [one for one in mentions if one.column is not None and one.column.table == table and one.score >= 0.85]
        whole = tuple(one for one in held if (one.first, one.last) == (ref.first, ref.last))
        return Ref(ref.first, ref.last, whole) if whole else None

    def _happens(self, noun: Noun, key: ColumnKey) -> bool:
        """`number of arrivals`: what is counted happens when a column tells, rather than being dates."""
        ref = noun.ref
        said = set(self.resolver.cut.linked.words(ref.first, ref.last)) if ref is not None else set()
        return self.catalog.is_time(key) and not said & {*UNITS, "date", "time"}

    def _is_figure_of(self, column: ColumnKey | None, table: str, noun: Noun) -> bool:
        """Return whether a column of the rows that a noun names may have what is asked for: bills have no sum
        of days.
        """
        if column is None or self.catalog.is_key(column) or column.table != table:
            return False
        return Aggregate.SUM not in noun.aggregates or not self.catalog.is_moment_like(column)

    def _aggregated(self, noun: Noun) -> Item | None:
        resolver = self.resolver
        column = resolver.column(noun, "number")
        table = resolver.table(noun.ref)
        counts = noun.aggregates == (Aggregate.COUNT,)
        named = noun.ref is not None and may_be_table(noun.ref) and not counts
        if table is not None and named and not self._is_figure_of(column, table, noun):
            column = amount_in(resolver, table, noun)
        if column is None:
            if table is not None and noun.aggregates == (Aggregate.SUM,):
                resolver.doubt("a total of rows is taken for their number", 0.15)
                return number_of_rows(table, noun)
            return None
        age = age_of(resolver, noun, column)
        for aggregate in noun.aggregates if not isinstance(age, Elapsed) else ():
            if aggregate in OF_NUMBERS and not self.catalog.is_number(column):
                resolver.doubt(
                    "an average of what is no number", 0.3 if not self.catalog.is_numeric_text(column) else 0.1
                )
            if aggregate is Aggregate.SUM and is_of_one(resolver, column, noun):
                resolver.doubt("what one costs is summed", 0.3)
            if aggregate in OF_NUMBERS and self.catalog.is_key(column):
                resolver.doubt("an average of identifiers", 0.4)
        terms: list[Term] = [Figure(one, age, noun.distinct) for one in noun.aggregates]
        return Item(terms, column.table, noun, columns=(column,), figures=True)


__all__ = ["Item", "Items", "Share"]
