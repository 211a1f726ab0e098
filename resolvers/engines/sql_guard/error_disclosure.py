"""Defines what may fail for the value of a row. A failure tells that there is such a row, also where no row may be
seen.
"""

from collections.abc import Callable
from typing import Final

from sqlglot import exp

_CLAUSES: Final = (
    exp.Select, exp.SetOperation, exp.From, exp.Join, exp.Where, exp.Group, exp.Rollup, exp.Cube, exp.GroupingSets,
    exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.LimitOptions, exp.Fetch, exp.Offset, exp.With, exp.CTE,
    exp.Table, exp.TableAlias, exp.Window, exp.WindowSpec, exp.Qualify, exp.Exists, exp.Any, exp.All,
)  # fmt: skip
_COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.In, exp.Between)
_NEVER_FAILS: Final = (
    exp.Column, exp.Identifier, exp.Literal, exp.National, exp.Null, exp.Boolean, exp.Paren, exp.Alias, exp.Star,
    exp.Var, exp.DataType, exp.DataTypeParam, exp.Interval, exp.Tuple, exp.And, exp.Or, exp.Not, exp.Is, exp.Case,
    exp.If, exp.Coalesce, exp.Nullif, exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.Concat, exp.DPipe, exp.TryCast,
    exp.Extract, exp.Year, exp.Month, exp.Quarter, exp.Week, exp.Day, exp.DayOfWeek, exp.DayOfYear, exp.Hour,
    exp.DateTrunc, exp.TimestampTrunc, exp.Count, exp.Min, exp.Max, exp.Avg, exp.Sum, exp.Stddev, exp.StddevPop,
    exp.StddevSamp, exp.Variance, exp.VariancePop, exp.Distinct, exp.RowNumber, exp.Rank, exp.DenseRank,
)  # fmt: skip
"""Beside these, only what holds no column: a constant fails whatever the rows are."""
_SETS: Final = (
    exp.In, exp.Exists, exp.Any, exp.All, exp.From, exp.Join, exp.SetOperation, exp.Subquery, exp.CTE,
)  # fmt: skip
_TEXTS: Final = (exp.DType.TEXT, exp.DType.VARCHAR)

KindOf = Callable[[exp.Column], str | None]
"""The neutral type of a column, when it is known."""


def may_fail(root: exp.Expr, dialect: str, kind_of: KindOf) -> bool:
    """Return whether something in an expression or a query may fail."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if _fails(node, dialect, kind_of):
            return True
        waiting += node.iter_expressions()
    return False


def _fails(node: exp.Expr, dialect: str, kind_of: KindOf) -> bool:
    if isinstance(node, exp.Subquery):
        return not isinstance(node.parent, _SETS) and not _is_one_row(node)
    if isinstance(node, _COMPARISONS):
        return dialect not in ("postgres", "mysql") and _casts(node, kind_of)
    if isinstance(node, (*_NEVER_FAILS, *_CLAUSES)):
        return False
    if isinstance(node, exp.Like | exp.ILike) and isinstance(node.expression, exp.Literal):
        return False
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        # Of columns of the catalog it does not overflow; a constant could be chosen so that it does.
        plain = all(
            isinstance(one, exp.Column) and _family(one, kind_of) == "number" for one in node.iter_expressions()
        )
        return not plain and node.find(exp.Column) is not None
    if isinstance(node, exp.Cast) and node.to.this in _TEXTS and not node.to.expressions:
        return False
    return node.find(exp.Column) is not None


def _is_one_row(node: exp.Subquery) -> bool:
    """Return whether a query in the place of a value has one row, or none, whatever the tables hold."""
    query = node.unnest()
    if not isinstance(query, exp.Select) or query.args.get("group"):
        return False
    return all(isinstance(one.unalias(), exp.AggFunc) for one in query.expressions)


def _casts(node: exp.Expr, kind_of: KindOf) -> bool:
    """Return whether what is compared is of several families, so that a database that casts texts to numbers may
    fail.
    """
    families: set[str] = set()
    for one in node.iter_expressions():
        family = _family(one, kind_of)
        if family is not None:
            families.add(family)
    return len(families) > 1 or families == {"unknown"}


def _family(node: exp.Expr, kind_of: KindOf) -> str | None:
    """The family of the type of a value; None for a constant text, which is read as what it is compared with."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Literal):
        return None if node.is_string else "number"
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Column):
        return family_of(kind_of(node))
    if isinstance(node, exp.Lower | exp.Upper | exp.Trim | exp.Concat | exp.DPipe):
        return "text"
    if isinstance(node, exp.Extract | exp.Year | exp.Month | exp.Day | exp.Length | exp.Count | exp.Neg):
        return "number"
    if isinstance(node, exp.Cast):
        return family_of(node.to.this.name)
    return "unknown"


def family_of(kind: str | None) -> str:
    """The family of a neutral type."""
    base = (kind or "").upper().partition("(")[0].strip()
    if base in ("VARCHAR", "TEXT", "CHAR", "STRING", "NVARCHAR", "NCHAR"):
        return "text"
    if base.startswith(("INT", "DECIMAL", "NUMERIC", "FLOAT", "DOUBLE", "REAL")) and base != "INTERVAL":
        return "number"
    if base.endswith("INT") or base == "NUMBER":
        return "number"
    if base == "DATE" or base.startswith(("TIMESTAMP", "DATETIME")):
        return "moment"
    return base.lower() or "unknown"
