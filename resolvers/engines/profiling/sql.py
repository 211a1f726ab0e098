"""The parts that queries for figures are made of, in the words that each dialect has."""

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from resolvers.engines.profiling.kinds import is_plain_text, type_of
from resolvers.engines.profiling.values import BLANKS, LONGEST_VALUE
from schema.data_readiness.profile import ValueKind
from schema.data_readiness.source import ColumnFacts

_AS_TEXT: Final = ("postgres", "redshift", "mysql", "duckdb")
"""The dialects that write a moment as ISO 8601 when it is cast, whatever the session is set to."""


def column(name: str) -> exp.Column:
    """A column by its name, quoted."""
    return exp.column(name, quoted=True)


def number(of: exp.Expr, dialect: str) -> exp.Expr:
    """A number to be averaged: as a floating one, which is faster than decimals and cannot overflow whole ones."""
    return of if dialect == "mysql" else exp.cast(of, "double")


def text(of: ColumnFacts, dialect: str) -> exp.Expr:
    """A column of texts, made one where the source has another type for it."""
    return column(of.name) if is_plain_text(of) else spelled(column(of.name), type_of(of), dialect)


def spelled(of: exp.Expr, kind: str, dialect: str, text_type: str = "text") -> exp.Expr:
    """A value as the text that the source hands out for it, so that what was read can be asked for again.

    PostgreSQL casts an address to a text with its mask, and hands it out without.
    """
    if kind == "INET" and dialect == "postgres":
        handed_out = exp.Anonymous(this="CONCAT", expressions=[of])
        return exp.Nullif(this=handed_out, expression=exp.Literal.string(""))
    return exp.cast(of, text_type)


@dataclass(frozen=True, slots=True)
class Terms:
    """Holds what stands for a column in an aggregate: its value, its value as a text, and the text's length."""

    value: exp.Expr
    text: exp.Expr
    length: exp.Expr

    @classmethod
    def plain(cls, of: ColumnFacts, dialect: str) -> "Terms":
        """A column of the table itself."""
        return cls(column(of.name), text(of, dialect), exp.Length(this=text(of, dialect)))


def compared(of: exp.Expr, dialect: str) -> exp.Expr:
    """Texts as they are to be sorted: by code point where it can be said, which is faster too."""
    if dialect != "postgres":
        return of
    return exp.Collate(this=of, expression=exp.to_identifier("C", quoted=True))


def extreme(terms: Terms, kind: ValueKind, function: type[exp.Min] | type[exp.Max], dialect: str) -> exp.Expr:
    """The smallest or greatest value, in a form that every driver can hand over."""
    if kind is ValueKind.TEXT:
        found = function(this=compared(terms.text, dialect))
        return exp.Substring(this=found, start=exp.Literal.number(1), length=exp.Literal.number(LONGEST_VALUE + 1))
    found = function(this=terms.value)
    # Days before Christ, infinity and 0000-00-00 are no moments to Python.
    return exp.cast(found, "text") if kind is ValueKind.TEMPORAL and dialect in _AS_TEXT else found


def counted_if(condition: exp.Expr) -> exp.Expr:
    """Return how many rows keep to a condition."""
    return exp.Sum(this=exp.Case().when(condition, exp.Literal.number(1)).else_(exp.Literal.number(0)))


def sorts_by_code_point(dialect: str) -> bool:
    """Return whether the least text tells that none is blank: every blank sorts before the exclamation mark."""
    return dialect in ("postgres", "duckdb")


def blank(of: exp.Expr, dialect: str) -> exp.Expr:
    """Return whether nothing of a text can be seen. Oracle's empty text is null and so never blank."""
    if sorts_by_code_point(dialect):
        trimmed = exp.Trim(this=of.copy(), expression=exp.Literal.string(BLANKS))
        # To compare is far cheaper than to trim.
        first = exp.LT(this=compared(of.copy(), dialect), expression=exp.Literal.string("!"))
        return exp.and_(first, exp.EQ(this=trimmed, expression=exp.Literal.string("")))
    spaced = of.copy()
    for sign in BLANKS[1:]:
        spaced = exp.Anonymous(
            this="REPLACE",
            expressions=[
                spaced,
                exp.Chr(expressions=[exp.Literal.number(ord(sign))]),
                exp.Literal.string(" "),
            ],
        )
    length = exp.Coalesce(this=exp.Length(this=exp.Trim(this=spaced)), expressions=[exp.Literal.number(0)])
    there = exp.Not(this=exp.Is(this=of.copy(), expression=exp.Null()))
    return exp.and_(there, exp.EQ(this=length, expression=exp.Literal.number(0)))
