"""A benchmark asks a customer's own questions, and tells which of them are answered as they should be."""

from enum import StrEnum

from schema.base import Resource, choice, resource


@choice
class MissRule(StrEnum):
    """In which way the rows of an answer are other ones than the right rows."""

    MISSING_ROWS = "missing_rows"
    """Rows of the right answer are not there."""
    EXTRA_ROWS = "extra_rows"
    """Rows are there that the right answer does not have."""
    MISSING_COLUMNS = "missing_columns"
    """It shows fewer columns than the right answer."""
    EXTRA_COLUMNS = "extra_columns"
    """It shows more columns than the right answer, where that counts as a miss."""
    OTHER_ORDER = "other_order"
    """The rows are right, and come in another order than the one that was asked for."""
    OTHER_VALUES = "other_values"
    """The rows are right as to some of their columns, and hold other values in the rest."""


@resource
class MissReason(Resource):
    """One way in which an answer misses."""

    rule: MissRule
    count: int
    """How many rows or columns it concerns."""
    message: str
    """A sentence about it. It quotes no value of the data."""
