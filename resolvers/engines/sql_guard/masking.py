"""Defines what is shown in the place of a value that a policy masks. None of it can fail, whatever the value is."""

from typing import Final

from sqlglot import exp

from resolvers.engines.sql_guard.policies import MaskStyle

HIDDEN: Final = "****"
UNSHOWN: Final = "unshown"
"""Marks a node that nobody is shown."""
LONG_ENOUGH: Final = 8
"""Signs that a value has of which the last four are shown."""
_ISO_DATE: Final = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"

_TEXT: Final = frozenset({"VARCHAR", "TEXT", "CHAR", "STRING", "NVARCHAR", "NCHAR", "CHARACTER VARYING", "CLOB"})
_DATES: Final = frozenset(
    {"DATE", "TIMESTAMP", "DATETIME", "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITHOUT TIME ZONE"}
)
_NULLS: Final[dict[str, exp.DType]] = {
    "INTEGER": exp.DType.INT,
    "INT": exp.DType.INT,
    "SMALLINT": exp.DType.INT,
    "TINYINT": exp.DType.INT,
    "BIGINT": exp.DType.BIGINT,
    "NUMERIC": exp.DType.DECIMAL,
    "DECIMAL": exp.DType.DECIMAL,
    "REAL": exp.DType.DOUBLE,
    "FLOAT": exp.DType.DOUBLE,
    "DOUBLE": exp.DType.DOUBLE,
    "DATE": exp.DType.DATE,
}


def masked(value: exp.Expr, style: MaskStyle, salt: str, kind: str | None, dialect: str) -> exp.Expr:
    """A value as it is shown. `kind` is the neutral type of its column."""
    base = (kind or "").upper().partition("(")[0].strip()
    match style:
        case MaskStyle.LAST4 if base not in _DATES:
            return _last4(_text(value))
        case MaskStyle.HASH:
            return _hash(_text(value), salt, dialect)
        case MaskStyle.YEAR if base in _DATES:
            return exp.Extract(this=exp.Var(this="YEAR"), expression=value)
        case MaskStyle.YEAR if base in _TEXT or not base:
            return _year_of_text(_text(value))
    return _hidden(base)


def _hidden(base: str) -> exp.Expr:
    """The same for every value, and for none: not even whether there is one is shown."""
    if base in _NULLS:
        return exp.Cast(this=exp.Null(), to=exp.DataType(this=_NULLS[base], nested=False))
    if base in _TEXT or not base:
        return exp.Literal.string(HIDDEN)
    return exp.Null()


def _text(value: exp.Expr) -> exp.Expr:
    return exp.Cast(this=value, to=exp.DataType(this=exp.DType.TEXT, nested=False))


def _last4(text: exp.Expr) -> exp.Expr:
    shown = exp.Concat(
        expressions=[exp.Literal.string(HIDDEN), exp.Right(this=text.copy(), expression=exp.Literal.number(4))],
        safe=False,
        coalesce=False,
    )
    long = exp.GTE(this=exp.Length(this=text), expression=exp.Literal.number(LONG_ENOUGH))
    return exp.Case(ifs=[exp.If(this=long, true=shown)], default=exp.Literal.string(HIDDEN))


def _hash(text: exp.Expr, salt: str, dialect: str) -> exp.Expr:
    """The same for the same value, so that it can be counted and joined by."""
    salted: exp.Expr = text
    if salt:
        secret = exp.Literal.string(salt)
        secret.meta[UNSHOWN] = True
        salted = exp.Concat(expressions=[secret, text], safe=False, coalesce=False)
    if dialect == "postgres":
        octets = exp.Anonymous(this="convert_to", expressions=[salted, exp.Literal.string("UTF8")])
        digest = exp.Anonymous(this="sha256", expressions=[octets])
        return exp.Anonymous(this="encode", expressions=[digest, exp.Literal.string("hex")])
    if dialect == "duckdb":
        return exp.Anonymous(this="sha256", expressions=[salted])
    return exp.SHA2(this=salted, length=exp.Literal.number(256))


def _year_of_text(text: exp.Expr) -> exp.Expr:
    dated = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(_ISO_DATE))
    year = exp.Substring(this=text, start=exp.Literal.number(1), length=exp.Literal.number(4))
    return exp.Case(ifs=[exp.If(this=dated, true=year)], default=exp.Null())
