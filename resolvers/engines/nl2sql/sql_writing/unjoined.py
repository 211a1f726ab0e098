"""Join elimination: a table that is joined only for a column that another one refers to.

`models.model` beside `cars.model`, which refers to it, says what `cars.model` says by itself. The join costs time,
leaves out rows whose reference is broken, and shows rows twice where the column referred to holds doubles.
"""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from resolvers.engines.nl2sql.joining.joins import Joins
from resolvers.engines.nl2sql.sql_writing.uses import nodes_of


def without_needless_joins(query: exp.Expr, joins: Joins) -> None:
    """Leave needless joins out of a query and of all queries in it, in place.

    A join goes when it is an inner one along a single column, the other table refers to the one that goes, and of that
    one nothing else is used. Rows that refer to nothing stay left out by a condition of their own.
    """
    for node in nodes_of(query):
        if isinstance(node, exp.Select):
            while _shortened(node, joins):
                pass


def _shortened(select: exp.Select, joins: Joins) -> bool:
    """Return whether one table could be left out."""
    source, steps = select.args.get("from_") or select.args.get("from"), select.args.get("joins") or []
    if source is None or not steps or any(one.args.get("side") or one.args.get("kind") for one in steps):
        return False
    tables = [source.this, *(one.this for one in steps)]
    if not all(isinstance(one, exp.Table) for one in tables):
        return False
    fqns = {one.alias_or_name: found[0].fqn for one in tables if len(found := joins.finder.called(one.name)) == 1}
    used: dict[str, set[str]] = {}
    for node in nodes_of(select):
        if isinstance(node, exp.Column):
            used.setdefault(node.table, set()).add(node.name)
    return any(_left_out(select, source, step, fqns, used, joins) for step in steps)


def _left_out(
    select: exp.Select,
    source: exp.Expr,
    step: exp.Expr,
    fqns: Mapping[str, str],
    used: Mapping[str, set[str]],
    joins: Joins,
) -> bool:
    """Leave out one side of a step, when nothing but the column of the step is used of it."""
    on = step.args.get("on")
    if not isinstance(on, exp.EQ) or not all(isinstance(one, exp.Column) for one in (on.this, on.expression)):
        return False
    for gone, kept in ((on.this, on.expression), (on.expression, on.this)):
        if gone.table not in fqns or kept.table not in fqns or used.get(gone.table) != {gone.name}:
            continue
        refers = joins.refers(fqns[kept.table], kept.name)
        if refers is None or refers.to != fqns[gone.table] or refers.to_columns != (gone.name,):
            continue
        is_first = source.this.alias_or_name == gone.table
        if not is_first and step.this.alias_or_name != gone.table:
            continue  # joined before by another step
        if is_first and (step is not select.args["joins"][0] or step.this.alias_or_name != kept.table):
            continue
        _take_out(select, source if is_first else None, step, gone.copy(), kept.copy())
        if joins.finder.columns[fqns[kept.table]][kept.name].nullable is not False:
            select.where(exp.Not(this=exp.Is(this=kept.copy(), expression=exp.Null())), copy=False)
        return True
    return False


def _take_out(select: exp.Select, source: exp.Expr | None, step: exp.Expr, gone: exp.Column, kept: exp.Column) -> None:
    """Take a step out, with the table that it began at where a source is given."""
    if source is not None:
        source.set("this", step.this)
    select.set("joins", [one for one in select.args["joins"] if one is not step])
    shown: Sequence[exp.Expr] = () if isinstance(select.parent, exp.In) else select.expressions
    for column in nodes_of(select):
        if isinstance(column, exp.Column) and column.table == gone.table:
            held = any(column is one for one in shown) and gone.name != kept.name
            new = kept.copy()
            column.replace(exp.alias_(new, gone.name, quoted=True) if held else new)
