"""Views made up by chance, of rich shapes, in the words of three dialects."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from benchmarks.quality.lineage_oracle import View

SHAPE: Final = {
    "t": {"id": "int", "code": "text", "g": "int", "a": "int", "b": "int", "s": "text"},
    "u": {"id": "int", "code": "text", "g": "int", "c": "int", "d": "int", "s": "text"},
    "w": {"id": "int", "code": "text", "x": "int", "y": "int", "z": "text"},
}
"""The tables that the views are over."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column that a query can name."""

    name: str
    kind: str
    key: str | None = None
    """`table.column` of the base column whose values tell rows apart, where it is one."""
    of: str = ""
    """The alias of what it stands in."""
    worked_out: bool = False
    """Whether its values are none of the few that the tables hold."""

    def within(self, alias: str) -> "_Column":
        """The same under an alias of FROM."""
        return replace(self, of=alias)

    @property
    def sql(self) -> str:
        return f"{self.of}.{self.name}" if self.of else self.name


@dataclass(slots=True)
class _Query:
    sql: str
    columns: list[_Column]
    ordered: tuple[int, ...] = ()


@dataclass(slots=True)
class Maker:
    """Makes views up."""

    rng: random.Random
    dialect: str
    _names: int = 0
    _views: dict[str, list[_Column]] = field(default_factory=dict)
    _statements: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def view(self) -> View:
        """Another view, now and then over earlier ones."""
        self._names += 1
        name = f"v{self._names}"
        reads: list[str] = []
        made = self._query(self.rng.choice((1, 2, 2, 3)), reads, top=True)
        needed: list[str] = []
        for one in reads:
            needed += [statement for statement in self._statements[one] if statement not in needed]
        statements = (*needed, f"create view {name} as {made.sql}")
        self._statements[name], self._views[name] = statements, made.columns
        keys = {at: column.key for at, column in enumerate(made.columns) if column.key}
        return View(name, statements, made.ordered, keys)

    def forget(self, view: View) -> None:
        """Build no further views over one, since it answers with nothing, or is built over enough already."""
        self._views.pop(view.name, None)

    # Queries

    def _query(self, depth: int, reads: list[str], *, top: bool = False) -> _Query:
        shapes: list[Callable[[int, list[str]], _Query]] = [self._plain, self._plain, self._grouped, self._windowed]
        if depth > 1:
            shapes += [self._set, self._common, self._distinct, self._limited, self._star, self._plain]
            shapes += [self._recursive] if top else []
            shapes += [self._lateral, self._first] if self.dialect != "sqlite" else []
        made = self.rng.choice(shapes)(depth, reads)
        if top and not made.ordered and self.rng.random() < 0.2 and " limit " not in made.sql[-12:]:
            places = self.rng.sample(range(len(made.columns)), k=min(2, len(made.columns)))
            made.sql += " order by " + ", ".join(str(at + 1) for at in places)
            made.ordered = tuple(places)
        return made

    def _from(self, depth: int, reads: list[str], common: Sequence[tuple[str, list[_Column]]] = ()) -> _Query:
        """FROM with one to three things in it, and the columns that can be named."""
        sql, columns = self._item(depth, reads, common)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            further, more = self._item(depth - 1, reads, common)
            left, right = self._met(columns), self._met(more)
            if left is None or right is None:
                break
            kinds = ["join", "left join", "left join", "join"] + (["right join"] if self.rng.random() < 0.3 else [])
            kinds += ["full join"] if self.rng.random() < 0.3 else []
            kind = self.rng.choice(kinds)
            on = f"{left.sql} = {right.sql}"
            if kind in ("join", "left join") and self.rng.random() < 0.3:
                on += f" and {self._condition([*columns, *more], 0, reads)}"
            if self.rng.random() < 0.1:
                sql += f" cross join {further}"
            else:
                sql += f" {kind} {further} on {on}"
            if kind != "join":  # what may be missing tells no rows apart
                columns = [replace(one, key=None) for one in columns] if "left" not in kind else columns
            more = [replace(one, key=None) for one in more]
            columns = [*columns, *more]
        return _Query(sql, columns)

    def _item(
        self, depth: int, reads: list[str], common: Sequence[tuple[str, list[_Column]]]
    ) -> tuple[str, list[_Column]]:
        self._names += 1
        alias = f"q{self._names}"
        if common and self.rng.random() < 0.6:
            name, columns = self.rng.choice(common)
            return f"{name} as {alias}", [one.within(alias) for one in columns]
        if self._views and self.rng.random() < 0.12:
            name = self.rng.choice(list(self._views))
            if len(self._statements[name]) < 3 and _has_int(self._views[name]):
                reads.append(name)
                return f"{name} as {alias}", [one.within(alias) for one in self._views[name]]
        if depth > 1 and self.rng.random() < 0.4:
            inner = self._query(depth - 1, reads)
            if _has_int(inner.columns):
                return f"({inner.sql}) as {alias}", [one.within(alias) for one in inner.columns]
        table = self.rng.choice(list(SHAPE))
        columns = [
            _Column(name, kind, f"{table}.{name}" if name in ("id", "code") else None, alias)
            for name, kind in SHAPE[table].items()
        ]
        return f"{table} as {alias}", columns

    def _plain(self, depth: int, reads: list[str], common: Sequence[tuple[str, list[_Column]]] = ()) -> _Query:
        start = self._from(depth, reads, common)
        sql, columns = self._outputs(start.columns, depth, reads)
        return _Query(f"select {sql} from {start.sql}{self._where(start.columns, depth, reads)}", columns)

    def _outputs(self, scope: list[_Column], depth: int, reads: list[str]) -> tuple[str, list[_Column]]:
        parts: list[str] = []
        columns: list[_Column] = []
        keys = [one for one in scope if one.key]
        for at in range(self.rng.choice((2, 3, 3, 4))):
            name = self._name()
            if at == 0 and keys and self.rng.random() < 0.8:
                one = self.rng.choice(keys)
                parts.append(f"{one.sql} as {name}")
                columns.append(_Column(name, one.kind, one.key))
                continue
            kind = "int" if at == 1 else self.rng.choice(("int", "int", "text"))
            value = self._value(scope, kind, depth, reads)
            parts.append(f"{value} as {name}")
            columns.append(_Column(name, kind, worked_out=_is_worked_out(value)))
        return ", ".join(parts), columns

    def _grouped(self, depth: int, reads: list[str]) -> _Query:
        start = self._from(depth, reads)
        keys = self.rng.sample(start.columns, k=self.rng.choice((0, 1, 1, 1, 2)))
        parts: list[str] = []
        columns: list[_Column] = []
        for one in keys:
            name = self._name()
            if self.rng.random() < 0.85:
                parts.append(f"{one.sql} as {name}")
                columns.append(_Column(name, one.kind, f"group of {one.sql}" if len(keys) == 1 else None))
        for _ in range(self.rng.choice((1, 2))):
            name = self._name()
            parts.append(f"{self._aggregate(start.columns, depth, reads)} as {name}")
            columns.append(_Column(name, "int", worked_out=True))
        sql = f"select {', '.join(parts)} from {start.sql}{self._where(start.columns, depth, reads)}"
        if keys:
            sql += " group by " + ", ".join(one.sql for one in keys)
            if self.rng.random() < 0.3:
                sql += f" having {self._aggregate(start.columns, 0, reads)} > {self.rng.choice((1, 2))}"
        return _Query(sql, columns)

    def _aggregate(self, scope: list[_Column], depth: int, reads: list[str]) -> str:
        value = self._value(scope, "int", 0, reads)
        call = self.rng.choice(
            (
                *(f"sum({value})", f"max({value})", f"min({value})", f"count({value})"),
                *(f"count(distinct {value})", "count(*)", f"sum({value})"),
            )
        )
        if call != "count(*)" and self.rng.random() < 0.2:
            call += f" filter (where {self._condition(scope, 0, reads)})"
        return call

    def _windowed(self, depth: int, reads: list[str]) -> _Query:
        start = self._from(depth, reads)
        sql, columns = self._outputs(start.columns, 0, reads)
        name = self._name()
        by = self.rng.choice(start.columns).sql
        order = self._column(start.columns, "int")
        value = self._column(start.columns, "int")
        call = self.rng.choice(
            (
                f"sum({value}) over (partition by {by})",
                f"rank() over (order by {order})",
                f"dense_rank() over (partition by {by} order by {order})",
                f"sum({value}) over (order by {order})",
                f"count({value}) over (partition by {by} order by {order})",
                f"max({value}) over (partition by {by} order by {order} desc)",
            )
        )
        made = _Query(f"select {sql}, {call} as {name} from {start.sql}", [*columns, _Column(name, "int")])
        made.sql += self._where(start.columns, 0, reads)
        return made

    def _set(self, depth: int, reads: list[str]) -> _Query:
        word = self.rng.choice(("union all", "union", "union", "except", "intersect"))
        kinds = [self.rng.choice(("int", "text")) for _ in range(self.rng.choice((1, 2)))] + ["int"]
        parts = []
        for _ in range(2):
            start = self._from(depth - 1, reads)
            values = ", ".join(f"{self._near(start.columns, kind)} as k{at}" for at, kind in enumerate(kinds))
            parts.append(f"select {values} from {start.sql}{self._where(start.columns, 0, reads)}")
        return _Query(f" {word} ".join(parts), [_Column(f"k{at}", kind) for at, kind in enumerate(kinds)])

    def _common(self, depth: int, reads: list[str]) -> _Query:
        common: list[tuple[str, list[_Column]]] = []
        parts = []
        for _ in range(self.rng.choice((1, 2))):
            self._names += 1
            made = self._query(depth - 1, reads)
            if not _has_int(made.columns):
                continue
            name = f"c{self._names}"
            parts.append(f"{name} as ({made.sql})")
            common.append((name, made.columns))
        made = self._plain(depth - 1, reads, common)
        return _Query(f"with {', '.join(parts)} {made.sql}" if parts else made.sql, made.columns)

    def _recursive(self, depth: int, reads: list[str]) -> _Query:
        kept = self.rng.choice(("a", "b", "s"))
        carried = f"r.v + {self._literal('int')}" if kept != "s" and self.rng.random() < 0.4 else "r.v"
        where = self.rng.choice(("", " where t.b > 1", " where t.s = 'p'"))
        further = self.rng.choice(("", " and t.a < 4"))
        sql = (
            f"with recursive r(n, v, depth) as (select t.id, t.{kept}, 1 from t{where} union all "
            f"select t.id, {carried}, r.depth + 1 from t join r on t.g = r.n where r.depth < 3{further}) "
            "select n, v, depth from r"
        )
        return _Query(
            sql, [_Column("n", "int"), _Column("v", "text" if kept == "s" else "int"), _Column("depth", "int")]
        )

    def _distinct(self, depth: int, reads: list[str]) -> _Query:
        made = self._plain(depth - 1, reads)
        return _Query(made.sql.replace("select ", "select distinct ", 1), made.columns)

    def _limited(self, depth: int, reads: list[str]) -> _Query:
        made = self._plain(depth - 1, reads)
        places = list(range(len(made.columns)))
        self.rng.shuffle(places)
        order = ", ".join(f"{at + 1}{self.rng.choice(('', ' desc'))}" for at in places)
        inner = f"{made.sql} order by {order} limit {self.rng.choice((2, 3, 4))}"
        return _Query(f"select * from ({inner}) as l", made.columns)

    def _star(self, depth: int, reads: list[str]) -> _Query:
        inner = self._query(depth - 1, reads)
        where = self._where([one.within("x") for one in inner.columns], 0, reads)
        return _Query(f"select x.* from ({inner.sql}) as x{where}", inner.columns)

    def _lateral(self, depth: int, reads: list[str]) -> _Query:
        start = self._from(depth - 1, reads)
        near = self._column(start.columns, "int")
        call = self.rng.choice(("max(m.c)", "sum(m.d)", "count(m.c)"))
        sql, columns = self._outputs(start.columns, 0, reads)
        name = self._name()
        inner = f"select {call} as n from u as m where m.g = {near}"
        join = self.rng.choice((f"cross join lateral ({inner}) as la", f"left join lateral ({inner}) as la on true"))
        where = self._where(start.columns, 0, reads)
        return _Query(f"select {sql}, la.n as {name} from {start.sql} {join}{where}", [*columns, _Column(name, "int")])

    def _first(self, depth: int, reads: list[str]) -> _Query:
        table = self.rng.choice(("t", "u"))
        value = "a" if table == "t" else "c"
        sql = f"select distinct on (g) g as k, {value} as v, s as x from {table} order by g, {value}, s"
        return _Query(f"select * from ({sql}) as f", [_Column("k", "int"), _Column("v", "int"), _Column("x", "text")])

    # Expressions

    def _name(self) -> str:
        self._names += 1
        return f"o{self._names}"

    def _met(self, scope: list[_Column]) -> _Column | None:
        """A column by which tables are joined."""
        fits = [one for one in scope if one.kind == "int" and not one.worked_out]
        return self.rng.choice(fits) if fits else None

    def _column(self, scope: list[_Column], kind: str, *, compared: bool = False) -> str:
        fits = [one for one in scope if one.kind == kind and not (compared and one.worked_out)]
        return self.rng.choice(fits).sql if fits else self._literal(kind)

    def _literal(self, kind: str) -> str:
        return str(self.rng.choice((1, 2, 3))) if kind == "int" else self.rng.choice(("'p'", "'q'", "'r'"))

    def _value(self, scope: list[_Column], kind: str, depth: int, reads: list[str]) -> str:
        one, two = self._column(scope, kind), self._column(scope, kind)
        if one == two:
            two = self._literal(kind)
        pick = self.rng.random()
        if pick < 0.4:
            return one
        if pick < 0.55:
            return f"coalesce({one}, {two})"
        if pick < 0.7:
            return f"case when {self._condition(scope, 0, reads)} then {one} else {two} end"
        if kind == "text":
            return self.rng.choice((f"upper({one})", f"{one} || {two}", f"{one} || 'x'"))
        if pick < 0.8 and depth > 0:
            return self._scalar(scope)
        return self.rng.choice((f"{one} + {self._literal('int')}", f"{one} * 10 + {two}", f"abs({one} - 2)"))

    def _near(self, scope: list[_Column], kind: str) -> str:
        """A value that may be equal to one of another query."""
        one, two = (self._column(scope, kind, compared=True) for _ in range(2))
        if one != two and self.rng.random() < 0.3:
            return self.rng.choice(
                (f"coalesce({one}, {two})", f"case when {one} = {self._literal(kind)} then {two} end")
            )
        return one

    def _scalar(self, scope: list[_Column]) -> str:
        call = self.rng.choice(("max(k.x)", "sum(k.y)", "count(*)", "min(k.id)"))
        near = self._column(scope, "int")
        return f"(select {call} from w as k{self.rng.choice((f' where k.x = {near}', ' where k.y > 1', ''))})"

    def _where(self, scope: list[_Column], depth: int, reads: list[str]) -> str:
        return f" where {self._condition(scope, depth, reads)}" if self.rng.random() < 0.4 else ""

    def _condition(self, scope: list[_Column], depth: int, reads: list[str]) -> str:
        one = self._column(scope, "int", compared=True)
        if one.isdigit():
            return "1 = 1"
        pick = self.rng.random()
        if depth > 0 and pick < 0.3:
            return self.rng.choice(
                (
                    f"exists (select 1 from w as e where e.x = {one})",
                    f"not exists (select 1 from w as e where e.x = {one} and e.y > 1)",
                    f"{one} in (select i.y from w as i)",
                    f"{one} in (select i.y from w as i where i.x < 3)",
                    f"{one} > (select min(i.x) from w as i)",
                )
            )
        if pick < 0.4:
            return f"({one} > 1 or {self._column(scope, 'text', compared=True)} = 'p')"
        if pick < 0.5:
            return f"{one} is not null"
        if pick < 0.6:
            return f"{self._column(scope, 'text', compared=True)} in ('p', 'q')"
        return f"{one} {self.rng.choice(('>', '<', '<>', '='))} {self._literal('int')}"


def _has_int(columns: Sequence[_Column]) -> bool:
    return any(one.kind == "int" for one in columns)


def _is_worked_out(value: str) -> bool:
    return any(sign in value for sign in (" + ", " * ", "abs(", "upper(", "||", "(select"))
