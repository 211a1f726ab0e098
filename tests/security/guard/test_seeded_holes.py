"""The suite has teeth: with any one of the guard's checks taken out, its drafts find the hole."""

from collections.abc import Callable
from typing import Any, Final

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.generator import Generator

from resolvers.engines.sql_guard import Table, binding, compiling, guard, guard_sql, judging, naming, resolving
from resolvers.engines.sql_guard.lineage import NOTHING
from tests.security.guard import trial
from tests.security.guard.engines import Engine, engine
from tests.security.guard.hostile import drafts_of
from tests.security.guard.trial import at_one_place, judge, leaks

Patch = pytest.MonkeyPatch


def _blind_to(clause: str) -> Callable[[Patch], None]:
    """The columns of a clause are not looked at."""

    def cut(patch: Patch) -> None:
        whole = binding.Binder._clause

        def without(self: Any, node: Any, block: Any, where: str) -> Any:
            return NOTHING if where == clause else whole(self, node, block, where)

        patch.setattr(binding.Binder, "_clause", without)

    return cut


def _answers_only(patch: Patch) -> None:
    """Forbidden columns are refused where they are shown, not where they filter, join or sort."""

    def refuse(bound: Any, forbidden: Any) -> None:
        shown = {key for key, clauses in bound.reads.items() if "output" in clauses}
        if shown & forbidden:
            raise guard.QueryRefused("columns", "It shows a forbidden column.")

    patch.setattr(guard, "refuse_forbidden", refuse)


def _outermost_only(patch: Patch) -> None:
    """Return what queries inside of the query read is not written down."""
    whole = resolving.NameResolver._mark

    def mark(self: Any, origin: Any, clause: str, scope: Any) -> None:
        if scope.top:
            whole(self, origin, clause, scope)

    patch.setattr(resolving.NameResolver, "_mark", mark)


def _using_as_written(patch: Patch) -> None:
    """USING is not taken for a condition over columns."""
    patch.setattr(binding.Binder, "_using", lambda *_: None)


def _natural_joins(patch: Patch) -> None:
    """NATURAL JOIN is let through, with whatever columns it means."""
    patch.setattr(judging, "_verdicts", {})
    patch.setattr(judging, "_LOOKED_AT", tuple(kind for kind in judging._LOOKED_AT if kind is not exp.Join))
    patch.setitem(judging.SHAPES, exp.Join, judging.SHAPES[exp.Join] | {"method"})


def _whole_rows(patch: Patch) -> None:
    """The name of a table is let through in the place of a column."""
    whole = resolving.NameResolver._column

    def column(self: Any, node: Any, block: Any) -> Any:
        if not node.args.get("table") and self._is_table(node, block):
            return NOTHING
        return whole(self, node, block)

    patch.setattr(resolving.NameResolver, "_column", column)


def _stars(patch: Patch) -> None:
    """The columns that a star stands for are not looked at."""
    whole = binding.Binder._star

    def star(self: Any, one: Any, inner: Any, block: Any) -> Any:
        read = {key: set(clauses) for key, clauses in self.bound.reads.items()}
        used = [(source, set(source.used)) for source in block.sources]
        found = whole(self, one, inner, block)
        self.bound.reads = read
        for source, names in used:
            source.used = names
        return found

    patch.setattr(binding.Binder, "_star", star)


def _any_function(patch: Patch) -> None:
    """Functions that the parser does not know are let through."""

    class Everything:
        def __contains__(self, name: object) -> bool:
            return True

    patch.setattr(judging, "ANONYMOUS", Everything())


def _any_table(patch: Patch) -> None:
    """A table that is not in the catalog is taken for one without columns."""
    whole = naming.TableIndex.find

    def find(self: Any, node: Any) -> Table:
        try:
            return whole(self, node)
        except guard.QueryRefused:
            return Table("elsewhere", "live", node.db or "sales", node.name, ("id",))

    patch.setattr(naming.TableIndex, "find", find)


def _first_statement(patch: Patch) -> None:
    """Only the first statement of a text is judged, and the text is sent as it came."""

    def careless(text: str, **how: Any) -> Any:
        try:
            first = next((one for one in sqlglot.parse(text, dialect=how["dialect"]) if one is not None), exp.Null())
        except SqlglotError:
            raise guard.QueryRefused("syntax", "It cannot be read.") from None
        judged = guard_sql(first.sql(dialect=how["dialect"]), **how)
        judged.query.sql = lambda **_: text  # type: ignore[method-assign]
        return judged

    patch.setattr(trial, "guard_sql", careless)


def _no_row_filter(patch: Patch) -> None:
    """The condition of a row filter is left out."""
    patch.setattr(compiling, "_condition", lambda *_: exp.true())


def _no_mask(patch: Patch) -> None:
    """A value is shown in the place of its mask."""
    patch.setattr(compiling, "masked", lambda value, *_: value)


def _no_fence(patch: Patch) -> None:
    """Conditions of the query may be tried on rows that a row filter hides."""
    patch.setattr(compiling, "_may_fail", lambda *_: False)


def _no_policy_forbids(patch: Patch) -> None:
    """The columns that a policy forbids are not looked for."""
    patch.setattr(compiling, "_forbid", lambda *_: None)


def _open_quotes(patch: Patch) -> None:
    """A quote within a text is written as it is."""
    patch.setattr(Generator, "escape_str", lambda self, text, *_, **__: text)


HOLES: Final[dict[str, tuple[Callable[[Patch], None], str, tuple[str, ...]]]] = {
    "filters are not looked at": (_blind_to("filter"), "mysql", ("column in filter",)),
    "conditions of joins are not looked at": (_blind_to("join"), "postgres", ("column in join",)),
    "groups are not looked at": (_blind_to("group"), "duckdb", ("column in group",)),
    "having is not looked at": (_blind_to("having"), "mysql", ("column in having",)),
    "the order is not looked at": (_blind_to("order"), "postgres", ("column in order",)),
    "forbidden columns are kept out of answers only": (_answers_only, "postgres", ("column in subquery",)),
    "queries inside are not looked at": (_outermost_only, "duckdb", ("column in subquery", "column in aggregate")),
    "using is not looked at": (_using_as_written, "mysql", ("whole rows", "hidden names")),
    "natural joins are let through": (_natural_joins, "postgres", ("whole rows", "hidden names")),
    "whole rows are let through": (_whole_rows, "duckdb", ("whole rows",)),
    "stars are let through": (_stars, "mysql", ("whole rows",)),
    "any function may be called": (_any_function, "postgres", ("function that reaches out",)),
    "any table may be read": (_any_table, "duckdb", ("table elsewhere",)),
    "the first statement is judged and the text sent": (_first_statement, "duckdb", ("write",)),
    "row filters are left out": (_no_row_filter, "mysql", ("hidden names",)),
    "masks are left out": (_no_mask, "postgres", ("hidden names",)),
    "hidden rows can be told from errors": (_no_fence, "postgres", ("hidden names",)),
    "columns that a policy forbids are let through": (_no_policy_forbids, "duckdb", ("column in output",)),
    "quotes in texts are not doubled": (_open_quotes, "postgres", ("text that ends early",)),
}
"""What is taken out of the guard, on which engine that is tried, and with which classes of drafts."""


@pytest.mark.parametrize(
    "hole",
    [
        pytest.param(
            name,
            marks=[at_one_place(dialect), *([pytest.mark.long] if at % 4 else [])],
        )
        for at, (name, (_, dialect, _)) in enumerate(HOLES.items())
    ],
)
def test_a_hole_in_the_guard_is_found(
    hole: str,
    engine_of: Callable[[str], Engine],
    monkeypatch: pytest.MonkeyPatch,
    measured: Callable[[str, object], None],
) -> None:
    _, dialect, _ = HOLES[hole]
    if dialect == "duckdb":
        # A hole may be so wide that the shop is not fit for other tests afterwards.
        with engine(dialect) as fresh:
            _find(hole, fresh, monkeypatch, measured)
    else:
        _find(hole, engine_of(dialect), monkeypatch, measured)


def _find(hole: str, shop: Engine, patch: Patch, measured: Callable[[str, object], None]) -> None:
    cut, dialect, attacks = HOLES[hole]
    drafts = [draft for attack in attacks for draft in drafts_of(attack, dialect)]
    cut(patch)  # that they find nothing before is what test_hostile_drafts shows
    passed = judge(drafts, dialect).passed
    found, _ = leaks(passed, shop)
    assert found, f"{len(passed)} drafts came through the hole, and none was noticed"
    shortest = min(found, key=lambda leak: len(leak.draft.text))
    measured(
        "figures",
        f"seeded hole, {hole} ({dialect}): {len(found)} of {len(drafts)} drafts found it, such as\n{shortest}",
    )
