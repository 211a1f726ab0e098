"""Rules of conditions: what is said of rows, before it is known of which."""

from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.chart.binding import Ground
from resolvers.engines.nl2sql.chart.pieces import (
    Attribute,
    Compares,
    Denied,
    Happens,
    Has,
    Holds,
    Joint,
    Lacks,
    Matches,
    Open,
    Outdoes,
    Quantity,
    Rows,
    Surpasses,
    Time,
    Value,
)
from resolvers.engines.nl2sql.chart.rules import Built, RuleSet
from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.plan import Aggregate, Literal, Operator

RULES: Final = RuleSet()


@RULES.rule("Attribute", "Property")
def attribute(_: Ground, found: Attribute) -> Built:
    """A property as it was named."""
    yield found, {}


# Values.


@RULES.rule("Condition", "Value")
def holds(_: Ground, value: Value) -> Built:
    """`... Captain`."""
    yield Holds(value), {}


@RULES.rule("Condition", "Attribute ?link Value", "Attribute ?link same Value", named_values=1.0)
def is_value(_: Ground, attribute: Attribute, value: Value) -> Built:
    """`the rank title is Captain`."""
    yield Holds(value, attribute), {}


@RULES.rule("Condition", "Value Property", named_values=1.0)
def value_of(_: Ground, value: Value, attribute: Attribute) -> Built:
    """`in the Docks district`."""
    yield Holds(value, attribute), {}


@RULES.rule("Condition", "Attribute ?link Text", named_values=1.0)
def is_text(_: Ground, attribute: Attribute, text: str) -> Built:
    """`named "Lucy"`."""
    yield Matches(attribute, "is", text), {}


@RULES.rule("Condition", "Attribute ?link Match Text")
def matches(_: Ground, attribute: Attribute, how: str, text: str) -> Built:
    """`whose name contains "an"`."""
    yield Matches(attribute, how, text), {}  # type: ignore[arg-type]


@RULES.rule("Condition", "?link null Attribute", "Attribute ?link null", "no Attribute", "not ?link Attribute")
def lacks(_: Ground, attribute: Attribute) -> Built:
    """`no damage cost`."""
    yield Lacks(attribute), {}


# Numbers.


@RULES.rule("Quantity", "Compare Number")
def compared(_: Ground, operator: Operator, number: Literal) -> Built:
    """`at least 2`."""
    yield Quantity(operator, (number,)), {}


@RULES.rule("Quantity", "Number Compare")
def compared_behind(_: Ground, number: Literal, operator: Operator) -> Built:
    """`2 or more`."""
    if operator in (Operator.AT_LEAST, Operator.AT_MOST):
        yield Quantity(operator, (number,)), {}


@RULES.rule("Quantity", "Range", "between Range")
def ranging(_: Ground, found: Quantity) -> Built:
    """`between 2 and 5`."""
    yield found, {}


@RULES.rule("Condition", "Attribute ?link Quantity", "Attribute ?link Quantity Unit")
def compares(_: Ground, attribute: Attribute, quantity: Quantity, *_unit: object) -> Built:
    """`a salary of more than 40000`."""
    yield Compares(attribute, quantity), {}


@RULES.rule("Condition", "Quantity Property", "Quantity link Property")
def compares_behind(_: Ground, quantity: Quantity, attribute: Attribute) -> Built:
    """`more than 10 rangers`, where a column tells how many."""
    yield Compares(attribute, quantity), {}


@RULES.rule("Condition", "Attribute ?link Number")
def equals(_: Ground, attribute: Attribute, number: Literal) -> Built:
    """`the model year is 2010`."""
    yield Compares(attribute, Quantity(Operator.EQUAL, (number,))), {}


@RULES.rule("Condition", "Attribute ?link When Number")
def numbered_after(ground: Ground, attribute: Attribute, operator: Operator, number: Literal) -> Built:
    """`first light after 1980`, where years are numbers."""
    if attribute.options and not ground.catalog.kind(attribute.options[0][0]).is_temporal:
        yield Compares(attribute, Quantity(operator, (number,))), {}


@RULES.rule("Condition", "Number Property")
def so_many(_: Ground, number: Literal, attribute: Attribute) -> Built:
    """`4 doors`."""
    yield Compares(attribute, Quantity(Operator.EQUAL, (number,))), {}


_FROM_DEGREE: Final = {True: Operator.MORE, False: Operator.LESS}


@RULES.rule("Condition", "Comparative Number", "Comparative Number Unit")
def older(ground: Ground, degree: Degree, number: Literal, *_unit: object) -> Built:
    """`older than 20`."""
    yield Compares(degree, Quantity(_FROM_DEGREE[degree.descending], (number,))), {}


@RULES.rule("Condition", "Comparative Number Property", "Attribute ?link Comparative Number")
def older_property(_: Ground, *found: object) -> Built:
    """`salary higher than 40000`."""
    attribute = next(one for one in found if isinstance(one, Attribute))
    degree = next(one for one in found if isinstance(one, Degree))
    number = next(one for one in found if isinstance(one, Literal))
    yield Compares(attribute, Quantity(_FROM_DEGREE[degree.descending], (number,))), {}


@RULES.rule("Condition", "Quantity", "Quantity Unit", open_columns=1.0)
def compares_alone(_: Ground, quantity: Quantity, *_unit: object) -> Built:
    """`that took more than 20 minutes`, where only one column may be meant."""
    yield Compares(None, quantity), {}


@RULES.rule("Surpassing", "Attribute ?link Compare Aggregate ?Attribute")
def above_average(_: Ground, attribute: Attribute, operator: Operator, aggregate: Aggregate, *of: Attribute) -> Built:
    """`a salary above the average`."""
    yield Surpasses(attribute, operator, aggregate, of[0] if of else None), {"nested": 1.0}


@RULES.rule("Surpassing", "Compare Aggregate Attribute")
def above_average_of(_: Ground, operator: Operator, aggregate: Aggregate, attribute: Attribute) -> Built:
    """`earn more than the average salary`."""
    yield Surpasses(attribute, operator, aggregate), {"nested": 1.0}


@RULES.rule("Surpassing", "Attribute ?link Comparative Aggregate ?Attribute")
def higher_than_average(_: Ground, attribute: Attribute, degree: Degree, aggregate: Aggregate, *of: Attribute) -> Built:
    """`a rent higher than the average`."""
    yield Surpasses(attribute, _FROM_DEGREE[degree.descending], aggregate, of[0] if of else None), {"nested": 1.0}


@RULES.rule("Surpassing", "Deed Compare Aggregate ?Attribute")
def earns_more_than_average(
    _: Ground, degree: Degree, operator: Operator, aggregate: Aggregate, *of: Attribute
) -> Built:
    """`earn more than the average`."""
    yield Surpasses(of[0] if of else degree, operator, aggregate), {"nested": 1.0}


@RULES.rule("Condition", "Deed Quantity", "Deed Quantity Unit")
def earns(_: Ground, degree: Degree, quantity: Quantity, *_unit: object) -> Built:
    """`earn more than 40000`."""
    yield Compares(degree, quantity), {}


@RULES.rule("Condition", "Deed Compare Rows")
def earns_more(_: Ground, degree: Degree, operator: Operator, rows: Rows) -> Built:
    """`earn less than Lucy`."""
    yield Outdoes(degree, operator, rows), {}


@RULES.rule("Condition", "Deed Compare all Rows", "Deed Compare each Rows")
def earns_more_than_all(_: Ground, degree: Degree, operator: Operator, rows: Rows) -> Built:
    """`earn more than all captains`."""
    yield Outdoes(degree, operator, rows, every=True), {}


@RULES.rule("Surpassing", "Comparative Aggregate ?Attribute")
def older_than_average(_: Ground, degree: Degree, aggregate: Aggregate, *of: Attribute) -> Built:
    """`older than the average age`."""
    yield Surpasses(of[0] if of else degree, _FROM_DEGREE[degree.descending], aggregate), {"nested": 1.0}


@RULES.rule("Surpassing", "Comparative Aggregate Rows", "Deed Compare Aggregate Rows")
def older_than_the_average_one(_: Ground, degree: Degree, *found: object) -> Built:
    """`older than the average guest from Marlow`."""
    *operator, aggregate, rows = found
    if isinstance(aggregate, Aggregate) and isinstance(rows, Rows):
        said = next((one for one in operator if isinstance(one, Operator)), _FROM_DEGREE[degree.descending])
        yield Surpasses(degree, said, aggregate, rows=rows), {"nested": 1.0}


@RULES.rule("Surpassing", "More Attribute than Aggregate ?Rows|Attribute")
def more_than_average(_: Ground, operator: Operator, attribute: Attribute, how: Aggregate, *of: object) -> Built:
    """`more seats than the average pub`."""
    rows = next((one for one in of if isinstance(one, Rows)), None)
    yield Surpasses(attribute, operator, how, rows=rows), {"nested": 1.0}


@RULES.rule("Surpassing", "Surpassing link ?all Rows")
def surpassing_rows(_: Ground, found: Surpasses, rows: Rows) -> Built:
    """`... the average strength of all beers`."""
    if found.rows is None:
        yield replace(found, rows=rows), {}


@RULES.rule("Condition", "Surpassing")
def surpasses(_: Ground, found: Surpasses) -> Built:
    """A comparison with a figure, as a condition."""
    yield found, {}


# Other rows of the same table.


@RULES.rule("Condition", "Comparative Rows", "Attribute ?link Comparative Rows")
def outdoes(_: Ground, *found: object) -> Built:
    """`older than Lucy`."""
    *by, degree, rows = found
    if isinstance(degree, Degree) and isinstance(rows, Rows):
        named = [one for one in by if isinstance(one, Attribute)]
        yield Outdoes(named[0] if named else degree, _FROM_DEGREE[degree.descending], rows), {}


@RULES.rule("Condition", "Comparative all Rows", "Comparative each Rows")
def outdoes_all(_: Ground, degree: Degree, rows: Rows) -> Built:
    """`older than all captains`."""
    yield Outdoes(degree, _FROM_DEGREE[degree.descending], rows, every=True), {}


@RULES.rule("Condition", "Attribute ?link Compare Rows", "More Attribute than Rows")
def outdoes_in(_: Ground, one: Attribute | Operator, other: Attribute | Operator, rows: Rows) -> Built:
    """`more seats than the Plough`, `a salary above that of Lucy`."""
    by, operator = (one, other) if isinstance(one, Attribute) else (other, one)
    if isinstance(by, Attribute) and isinstance(operator, Operator):
        yield Outdoes(by, operator, rows), {}


@RULES.rule("Condition", "Attribute ?link Compare all Rows", "More Attribute than all Rows")
def outdoes_all_in(_: Ground, one: Attribute | Operator, other: Attribute | Operator, rows: Rows) -> Built:
    """`more seats than all pubs of Marlow`."""
    by, operator = (one, other) if isinstance(one, Attribute) else (other, one)
    if isinstance(by, Attribute) and isinstance(operator, Operator):
        yield Outdoes(by, operator, rows, every=True), {}


@RULES.rule("Condition", "When Rows", open_columns=1.0)
def earlier(_: Ground, operator: Operator, rows: Rows) -> Built:
    """`earlier than Lucy`."""
    yield Outdoes(None, operator, rows, timed=True), {}


@RULES.rule("Condition", "Attribute ?link When Rows")
def done_earlier(_: Ground, attribute: Attribute, operator: Operator, rows: Rows) -> Built:
    """`born earlier than Lucy`."""
    yield Outdoes(attribute, operator, rows, timed=True), {}


# Times.


@RULES.rule("Condition", "Time", open_columns=1.0)
def happens(_: Ground, time: Time) -> Built:
    """`in 2022`."""
    yield Happens(None, Operator.EQUAL, time), {}


@RULES.rule("Condition", "When Time", "Compare Time", open_columns=1.0)
def happens_before(_: Ground, operator: Operator, time: Time) -> Built:
    """`before 2002`."""
    yield Happens(None, operator, time), {}


@RULES.rule("Condition", "Attribute ?link Time")
def done_in(_: Ground, attribute: Attribute, time: Time) -> Built:
    """`hired in 2019`."""
    yield Happens(attribute, Operator.EQUAL, time), {}


@RULES.rule("Condition", "Attribute ?link When Time", "Attribute ?link Compare Time")
def done_before(_: Ground, attribute: Attribute, operator: Operator, time: Time) -> Built:
    """`hired before 2002`."""
    yield Happens(attribute, operator, time), {}


# Rows of other tables.


@RULES.rule("Condition", "link Rows", "link all Rows")
def has(_: Ground, rows: Rows) -> Built:
    """`... at stations in the Docks district`."""
    if not rows.orders or rows.limit is not None:
        yield Has(rows), {"bare_rows": float(rows.is_bare)}


@RULES.rule("Condition", "no Rows", "not ?link Rows", "neither Rows")
def has_none(_: Ground, rows: Rows) -> Built:
    """`without any engine`."""
    if not rows.orders:
        yield Has(rows, True), {"denied": 1.0}


@RULES.rule("Condition", "Quantity Rows", "link Quantity Rows", "Quantity link Rows")
def has_many(_: Ground, quantity: Quantity, rows: Rows) -> Built:
    """`with at least two certificates`."""
    yield Has(rows, False, quantity), {}


@RULES.rule("Condition", "link Number Rows")
def has_number(_: Ground, number: Literal, rows: Rows) -> Built:
    """`with 2 certificates`."""
    yield Has(rows, False, Quantity(Operator.EQUAL, (number,))), {}


# Conditions together.


@RULES.rule("Condition", "not ?link Condition")
def denied(_: Ground, cond: Open) -> Built:
    """`not a chief`."""
    if not isinstance(cond, Denied):
        yield Denied(cond), {}


@RULES.rule("Condition", "Condition ?comma and ?link Condition", "Condition but ?link Condition", joint=1.0)
def together(_: Ground, one: Open, other: Open) -> Built:
    """`... and hired before 2002`."""
    yield Joint(parts_of(one, False) + parts_of(other, False)), {}


@RULES.rule("Condition", "Condition ?comma or ?link Condition", "either Condition or ?link Condition", joint=1.0)
def either(_: Ground, one: Open, other: Open) -> Built:
    """`less than 20 or more than 120`. What is missing of the second is that of the first."""
    yield Joint(parts_of(one, True) + parts_of(_alike(one, other), True), either=True), {}


@RULES.rule("Condition", "Condition comma Condition", joint=1.0)
def listed(_: Ground, one: Open, other: Open) -> Built:
    """The beginning of a list, whose last two are joined by a word."""
    if isinstance(other, Joint) and (other.either or isinstance(one, Holds)):
        yield Joint(parts_of(one, other.either) + other.parts, other.either, other.both), {}


@RULES.rule("Condition", "both Condition and ?link Condition", joint=1.0)
def at_once(_: Ground, one: Open, other: Open) -> Built:
    """`both a bow line and a stern line`."""
    yield Joint((one, other), both=True), {}


def parts_of(cond: Open, is_either: bool) -> tuple[Open, ...]:
    """The parts of a condition that is joined in the same way; itself otherwise."""
    return cond.parts if isinstance(cond, Joint) and cond.either == is_either and not cond.both else (cond,)


def _alike(one: Open, other: Open) -> Open:
    """A condition with the property of the one before it where it names none."""
    if isinstance(one, Compares) and isinstance(other, Compares) and other.by is None:
        return Compares(one.by, other.quantity)
    if isinstance(one, Happens) and isinstance(other, Happens) and other.by is None:
        return Happens(one.by, other.operator, other.time)
    if isinstance(one, Holds) and isinstance(other, Holds) and other.attribute is None:
        return Holds(other.value, one.attribute)
    return other
