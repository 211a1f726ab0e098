"""Rules of conditions: what is said of rows, before it is known of which."""

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


@RULES.rule("Condition", "?link null Attribute", "Attribute ?link null", "no Attribute")
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


@RULES.rule("Condition", "Attribute ?link Number", "Attribute ?link Compare Number")
def equals(_: Ground, attribute: Attribute, *found: object) -> Built:
    """`the model year is 2010`."""
    if len(found) == 1 and isinstance(found[0], Literal):
        yield Compares(attribute, Quantity(Operator.EQUAL, (found[0],))), {}


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


@RULES.rule("Condition", "Attribute ?link Compare Aggregate ?Attribute", "Attribute ?link Compare Aggregate")
def above_average(_: Ground, attribute: Attribute, operator: Operator, aggregate: Aggregate, *of: Attribute) -> Built:
    """`a salary above the average`."""
    yield Surpasses(attribute, operator, aggregate, *of), {"nested": 1.0}


@RULES.rule("Condition", "Compare Aggregate Attribute")
def above_average_of(_: Ground, operator: Operator, aggregate: Aggregate, attribute: Attribute) -> Built:
    """`earn more than the average salary`."""
    yield Surpasses(attribute, operator, aggregate), {"nested": 1.0}


@RULES.rule("Condition", "Comparative Aggregate ?Attribute")
def older_than_average(_: Ground, degree: Degree, aggregate: Aggregate, *of: Attribute) -> Built:
    """`older than the average age`."""
    yield Surpasses(of[0] if of else degree, _FROM_DEGREE[degree.descending], aggregate), {"nested": 1.0}


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
