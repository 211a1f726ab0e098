"""A question that builds on the one before: "and by month?", "only the top three", "what about France?".

It is read in three steps: clear signals say whether it leans on the earlier question at all; the fragment is made a
whole question about the same things ("show the customers in France") and parsed as any other; what was found there is
put into the earlier plan. A question that says itself what it is about stands alone, and None is the answer.
"""

import re
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.followup.fragments import Parse
from resolvers.engines.nl2sql.followup.refinements import RefinementReader, count_of
from resolvers.engines.nl2sql.followup.revising import (
    added,
    answer_of,
    conditions_of,
    counted,
    denied,
    grouped_by,
    is_single,
    is_time,
    leaves,
    refocused,
    replaced,
    restricted,
    shown,
)
from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.language.followup_patterns import (
    ABOUT,
    AGGREGATES,
    ASKS,
    BESIDE,
    COUNT,
    EXCLUDE,
    FIGURE,
    GOES_ON,
    GROUP,
    LOW,
    MOST,
    NARROW,
    ONLY,
    PART,
    PRONOUN,
    REVERSE,
    SHOW,
    SINGLE,
    SORT,
    SUBJECT,
    TOP,
    UNITS,
    WITHIN,
)
from resolvers.engines.nl2sql.model import Asked, Knowledge, Lookup, no_lookup
from resolvers.engines.nl2sql.paraphrase import called, called_many
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Column,
    Figure,
    Order,
    Plan,
    Span,
)
from resolvers.engines.nl2sql.sql_writing.uses import aggregates, columns_in, figures_in


def followed(asked: Asked, known: Knowledge, parse: Parse, lookup: Lookup = no_lookup) -> Plan | None:
    """The plan of a question that builds on the last one; None when it stands alone or cannot be built on it.

    Where it leans (`leans`) and None comes back, it is better to ask than to answer it as if it stood alone.
    """
    if not asked.earlier or asked.earlier[-1].plan is None:
        return None
    reader = _Reader(asked, known, parse, asked.earlier[-1].plan, lookup)
    return reader.read() if reader.leans() else None


def leans(asked: Asked, known: Knowledge) -> bool:
    """Return whether a question can only be understood with the one before it."""
    if not asked.earlier:
        return False
    plan = asked.earlier[-1].plan or Plan(known.tables[0].fqn if known.tables else "", ())
    return _Reader(asked, known, lambda text: None, plan).leans()


_FEW: Final = (TOP, MOST)
_SORTS: Final = (SORT, REVERSE)


def may_stand(asked: Asked, known: Knowledge) -> bool:
    """Return whether a question that is read with the one before it may as well be meant by itself."""
    plan = asked.earlier[-1].plan if asked.earlier else None
    return plan is not None and _Reader(asked, known, lambda text: None, plan).may_stand()


def cannot_stand(asked: Asked, known: Knowledge) -> bool:
    """Return whether a question has no meaning without the one before it, so that it must not be read as if it stood
    alone.
    """
    plan = Plan(known.tables[0].fqn if known.tables else "", ())
    return bool(asked.earlier) and _Reader(asked, known, lambda text: None, plan).must()


class _Reader(RefinementReader):
    # Whether it leans.

    def leans(self) -> bool:
        """Return whether the question needs the one before it to be understood."""
        text = self.text
        if not text:
            return False
        if any(one.match(text) for one in (COUNT, TOP, MOST, REVERSE)) or self.turns():
            return True
        if (group := GROUP.match(text)) is not None:  # not: for each country, show ...
            return "," not in text and len(group["by"].split()) <= 5 and not WITHIN.search(group["by"])
        if (sort := SORT.match(text)) is not None:  # `order` may be a table, too
            return not self._names_table(sort["by"] or "")
        if self._refers(text):
            return True
        named = self._names_table(text)
        if self.may_stand():
            return True
        if ASKS.match(text) and GOES_ON.match(text) is None:
            goes_on = self.marked or self.also or SINGLE.search(text) or ONLY.match(text)
            return not named and bool(goes_on)
        if GOES_ON.match(text) or ONLY.match(text) or EXCLUDE.match(text):
            return True
        is_short = len(text.split()) <= 4
        if named:
            return self.marked and is_short
        return self.marked or is_short or bool(NARROW.match(text) or ABOUT.match(text))

    def must(self) -> bool:
        """Return whether nothing but an earlier question gives it a meaning."""
        return bool(
            self._refers(self.text)
            or GOES_ON.match(self.text)
            or any(one.match(self.text) for one in (COUNT, PART))
            or self.turns()
        )

    def _refers(self, text: str) -> bool:
        """Return whether a pronoun stands for what was asked before, and not for what the question itself names
        first.
        """
        tables = self._tables_named(text)
        asked = SUBJECT.search(text)
        if asked is not None and len(tables) <= 1:
            return True
        for match in PRONOUN.finditer(text):
            before = [place for place in tables if place[0] < match.start()]
            behind = next((place for place in tables if place[0] == match.end() + 1), None)
            defined = behind is not None and NARROW.match(text[behind[1] :].strip()) is not None
            if not before and not defined:
                return True
        return False

    # What it asks for.

    def read(self) -> Plan | None:
        """The earlier plan with what the fragment says; the clearest way of reading goes first."""
        for clear, way in ((_FEW, self._first_few), (_SORTS, self._order), ((COUNT,), self._count)):
            if any(one.match(self.text) for one in clear):
                return way()
        before = self.plan
        for way in (
            self._dropped,
            self._sized,
            self._percent,
            self._best,
            self._first_in_order,
            self._who_is_that,
            self._one_row,
            self._told_of,
            self._part,
            self._pronoun,
            self._group,
            self._figure,
            self._exclude,
            self._show,
            self._included,
            self._only,
            self._about,
            self._more,
        ):
            if (found := way()) is not None:
                return found if found != before else None  # what changes nothing was not understood
        return None

    def _first_few(self) -> Plan | None:
        match = TOP.match(self.text) or MOST.match(self.text)
        if match is None or not self._back_to_list():
            return self._figure()  # and the lowest
        said = match.groupdict()
        side = (said.get("side") or said.get("side2") or "top").lower()
        many = said.get("many") or said.get("many2")
        limit = (
            count_of(many) if many else 1 if side not in ("top", "first", "last", "bottom") or _one(self.text) else None
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

    def _back_to_list(self) -> bool:
        """Return whether there are several rows to put in order: of a single figure, those that it was made of
        before.
        """
        if not is_single(self.plan):
            return True
        before = [one.plan for one in self.asked.earlier[:-1] if one.plan is not None]
        if before and not is_single(before[-1]) and before[-1].main == self.plan.main:
            self.plan = before[-1]
            return True
        return False

    def _order(self) -> Plan | None:
        if not self._back_to_list():
            return None
        if REVERSE.match(self.text) and self.plan.orders:
            low = self.text.lower()
            way = True if "descending" in low else False if "ascending" in low else None
            turned = tuple(
                replace(one, descending=not one.descending if way is None else way) for one in self.plan.orders
            )
            return replace(self.plan, orders=turned)
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
        """Return what a phrase behind `by` orders by: an output that is called so, or what the question's words lead
        to.
        """
        low = re.sub(r"^(?:the|that|this|its|their)\s+", "", by.lower()).strip(" ,")
        computed = [one.term for one in self.plan.outputs if aggregates(one.term)]
        if low in ("count", "number", "amount", "total", "sum", "average", "figure") and len(computed) == 1:
            return (Order(computed[0]),)
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
        orders = found.orders if found is not None else ()
        if computed and not all(aggregates(one.term) or one.term in self.plan.groups for one in orders):
            return ()  # what groups are put in order by is theirs
        return orders

    def _count(self) -> Plan | None:
        return counted(self.plan, joins_of(self.known)) if COUNT.match(self.text) else None

    def _pronoun(self) -> Plan | None:
        """A whole question in which `them` stands for the earlier answer."""
        if not (self._refers(self.text) or (ASKS.match(self.text) and SINGLE.search(self.text))):
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
        if found is None or self._says_nothing(found):
            return None
        if found.main == self.plan.main and self.marked and (other := self._fits(conditions_of(found))) is not None:
            return other  # and those in Oslo
        return restricted(found, self.plan, joins_of(self.known))

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
        """Return whether a group is a key beside what is shown."""
        rows = [one.term for one in plan.outputs if isinstance(one.term, Column | Span)]
        return bool(rows) and term not in rows

    def _figure(self) -> Plan | None:
        match = FIGURE.match(re.sub(r"\s+(?:instead|rather)(?: (?:of|than) .+)?$", "", self.text, flags=re.IGNORECASE))
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
            if not terms and not any(aggregates(one.term) for one in self.plan.outputs):
                numbers = [one.term for one in self.plan.outputs if self._is_number(one.term)]
                terms = [Figure(aggregate, numbers[0])] if len(numbers) == 1 else []
                before = next(iter(self.earlier_plans()), None) if not numbers else None
                if before is not None and is_single(before) and not self.also:
                    self.plan = before  # the average, when it was asked who has the highest
                    return self._figure()
        return refocused(self.plan, terms, add=self.also) if terms else None

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
        if match is None:
            return None
        tables = self._names_table(self.text)
        if tables and (_OWNED.match(match["what"]) is None or self._is_computed()):
            return None
        what = BESIDE.sub("", match["what"]).strip()
        what = re.sub(r"^(?:(?:their|its|his|her|the|all|also|only|just)\s+)+", "", what, flags=re.IGNORECASE)
        if not what or NARROW.match(what):
            return None
        found = self.parse(f"show the {what}" if tables else f"show the {what} of the {self.things}")
        terms = [one for one in found.outputs if not aggregates(one.term)] if found else []
        if found is None or not terms or found.where is not None:
            return None
        only = match["only"] is not None or ONLY.match(self.text) is not None
        return shown(self.plan, terms, joins_of(self.known), instead=only and not self.also)

    def _only(self) -> Plan | None:
        match = ONLY.match(self.text)
        if match is None:
            return None
        conditions = self._figures_of(match["what"]) or self._conditions(match["what"])
        if conditions:
            return added(self.plan, conditions, joins_of(self.known))
        found = None if NARROW.match(match["what"]) else self.parse(f"show the {match['what']} of the {self.things}")
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
        if (other := self._another_figure(what)) is not None:
            return other
        word = match[0].strip().lower() if match else ""
        whole = f"{word} {what}" if word in ("in", "from", "for", "of", "with", "on", "at", "during") else what
        conditions = self._conditions(whole, what)
        return replaced(self.plan, conditions) if conditions else None

    def _another_figure(self, what: str) -> Plan | None:
        """`What about their average pay?`: the same groups with another figure."""
        plan = self.plan
        computed = [one for one in plan.outputs if aggregates(one.term)]
        if _OWNED.match(what) is None or len(computed) != 1 or plan.having is not None or plan.limit is not None:
            return None
        found = self.parse(f"what is the {_OWNED.sub('', what)} of the {self._counted()}")
        if found is None or found.where is not None or found.groups or len(found.outputs) != 1:
            return None
        figure = found.outputs[0]
        if not aggregates(figure.term):
            return None
        outputs = tuple(figure if one in computed else one for one in plan.outputs)
        return replace(plan, outputs=outputs, orders=tuple(one for one in plan.orders if not aggregates(one.term)))

    def _more(self) -> Plan | None:
        """A fragment that says more of what was asked for: `older than 30`, `with more than 5`, `since 2010`."""
        conditions = self._figures_of(self.text) or self._conditions(self.text)
        if not conditions:
            return None
        if NARROW.match(self.text) and not all(is_time(leaf) for one in conditions for leaf in leaves(one)):
            return added(self.plan, conditions, joins_of(self.known))
        return replaced(self.plan, conditions)


_OWNED: Final = re.compile(r"^(?:their|its|his|her)\s+", re.IGNORECASE)


def _one(text: str) -> bool:
    return text.lower().rstrip().endswith("one")
