"""The lineage of one statement: which columns depend on which, and in which way."""

import pytest

from resolvers.engines.lineage import Kind, StatementLineage, lineage_of, reach
from resolvers.engines.sql_guard.tables import Table

TABLES = [
    Table("s.d.m.t", "d", "m", "t", ("id", "g", "a", "b")),
    Table("s.d.m.u", "d", "m", "u", ("id", "x", "c", "d")),
    Table("s.d.m.k", "d", "m", "k", ("id", "word"), key="id"),
]


def read(text: str, dialect: str = "postgres", **more: object) -> StatementLineage:
    return lineage_of(text, dialect=dialect, tables=TABLES, **more)  # type: ignore[arg-type]


def told(text: str, dialect: str = "postgres", **more: object) -> dict[str, set[str]]:
    """Each column with what it depends on, `t.a IDENTITY`; what all depend on under `*`, without the rows of tables."""
    lineage = read(text, dialect, **more)
    assert lineage.gaps == ()
    found: dict[str, set[str]] = {column: set() for column in lineage.columns}
    for edge in lineage.edges:
        if edge.subtype is not Kind.ROWS:
            name = f"{edge.from_table.rsplit('.', 1)[1]}.{edge.from_column} {edge.subtype.value}"
            found.setdefault(edge.to_column or "*", set()).add(name)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select a, a + b as c from t", {"a": {"t.a IDENTITY"}, "c": {"t.a TRANSFORMATION", "t.b TRANSFORMATION"}}),
        ("select sum(a) as n from t where b > 1", {"n": {"t.a AGGREGATION", "t.b FILTER"}}),
        (
            "select g, sum(a) as n from t group by g",
            {"g": {"t.g IDENTITY"}, "n": {"t.a AGGREGATION", "t.g GROUP_BY"}, "*": {"t.g GROUP_BY"}},
        ),
        ("select t.a from t join u on u.x = t.g", {"a": {"t.a IDENTITY"}, "*": {"u.x JOIN", "t.g JOIN"}}),
        (
            "select case when a > 1 then b else 0 end as c from t",
            {"c": {"t.a CONDITIONAL", "t.b TRANSFORMATION"}},
        ),
        ("select rank() over (partition by g order by a) as r from t", {"r": {"t.g WINDOW", "t.a WINDOW"}}),
        (
            "select sum(a) over w as r from t window w as (partition by g)",
            {"r": {"t.a AGGREGATION", "t.g WINDOW"}},
        ),
        ("select a from t union all select c from u", {"a": {"t.a IDENTITY", "u.c IDENTITY"}}),
        (
            "select a from t except select c from u",
            {"a": {"t.a IDENTITY"}, "*": {"t.a FILTER", "u.c FILTER", "t.a GROUP_BY"}},
        ),
        ("select distinct a, b from t", {
            "a": {"t.a IDENTITY"}, "b": {"t.b IDENTITY"}, "*": {"t.a GROUP_BY", "t.b GROUP_BY"},
        }),
        (
            "select a from t where exists (select 1 from u where u.x = t.g and u.c > 1)",
            {"a": {"t.a IDENTITY"}, "*": {"t.g FILTER", "u.x FILTER", "u.c FILTER"}},
        ),
        (
            "select a, (select max(c) from u where u.x = t.g) as m from t",
            {"a": {"t.a IDENTITY"}, "m": {"u.c AGGREGATION", "u.x FILTER", "t.g FILTER"}},
        ),
        (
            "with s as (select x, sum(c) as n from u group by x) select a, s.n from t left join s on s.x = t.g",
            {"a": {"t.a IDENTITY"}, "n": {"u.c AGGREGATION", "u.x GROUP_BY", "u.x JOIN", "t.g JOIN"}},
        ),
        (
            "select a, word from t left join k on k.id = t.g",
            {"a": {"t.a IDENTITY"}, "word": {"k.word IDENTITY", "k.id JOIN", "t.g JOIN"}},
        ),
        (
            "with recursive r(n, top) as (select id, a from t union all "
            "select t.id, r.top from t join r on t.g = r.n) select n, top from r",
            {"n": {"t.id IDENTITY"}, "top": {"t.a IDENTITY"}, "*": {"t.g JOIN", "t.id JOIN"}},
        ),
        (
            "select t.a, l.n from t cross join lateral (select count(*) as n from u where u.x = t.g) l",
            {"a": {"t.a IDENTITY"}, "n": {"u.x FILTER", "t.g FILTER"}},
        ),
        ("select p from t as r(o, p, q, s)", {"p": {"t.g IDENTITY"}}),
        ("select * from t natural join k", {
            "id": {"t.id IDENTITY"}, "g": {"t.g IDENTITY"}, "a": {"t.a IDENTITY"}, "b": {"t.b IDENTITY"},
            "word": {"k.word IDENTITY"}, "*": {"t.id JOIN", "k.id JOIN"},
        }),
        ("select v.n, t.a from (values (1)) as v(n) join t on t.id = v.n", {
            "n": set(), "a": {"t.a IDENTITY"}, "*": {"t.id JOIN"},
        }),
        ("select w from t, unnest(array[t.a]) as q(w)", {"w": {"t.a TRANSFORMATION"}, "*": {"t.a FILTER"}}),
        ("select a, b from t order by a", {"a": {"t.a IDENTITY"}, "b": {"t.b IDENTITY", "t.a SORT"}}),
        ("select distinct on (g) g, a from t order by g, b", {
            "g": {"t.g IDENTITY"}, "a": {"t.a IDENTITY", "t.g GROUP_BY", "t.g SORT", "t.b SORT"}, "*": {"t.g GROUP_BY"},
        }),
        ("select distinct on (g) g, a, b from t order by g, a, b", {
            "g": {"t.g IDENTITY"}, "a": {"t.a IDENTITY", "t.g GROUP_BY", "t.g SORT"},
            "b": {"t.b IDENTITY", "t.g GROUP_BY", "t.g SORT", "t.a SORT"}, "*": {"t.g GROUP_BY"},
        }),
        ("select 'x' as w, (select max(c) from u) as m, a from t order by b limit 3", {
            "w": set(), "m": {"u.c AGGREGATION"}, "a": {"t.a IDENTITY", "t.b SORT"},
        }),
        ("select (select max(c) from u where u.x = t.g) as m, a from t order by a", {
            "m": {"u.c AGGREGATION", "u.x FILTER", "t.g FILTER", "t.a SORT"}, "a": {"t.a IDENTITY"},
        }),
        ("select random() as r, a from t order by a", {"r": {"t.a SORT"}, "a": {"t.a IDENTITY"}}),
        ("select count(*) as n from t left join u on u.x = t.g", {"n": {"u.x JOIN", "t.g JOIN"}}),
        ("select max(a) as n from t left join u on u.x = t.g", {"n": {"t.a AGGREGATION"}}),
    ],
)  # fmt: skip
def test_each_column_depends_on_what_can_change_it(text: str, expected: dict[str, set[str]]) -> None:
    assert told(text) == expected


def _of(text: str, column: str, dialect: str = "postgres") -> set[str]:
    """Return what one column depends on, as names of columns."""
    return {one.split()[0] for one in told(text, dialect)[column]}


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("from t where a > 1", {"t.a"}),
        ("from t where a is not null", {"t.a"}),
        ("from t where not (a is null)", {"t.a"}),
        ("from t where not (a is not null)", {"t.a", "t.b"}),
        ("from t where a between 1 and 2", {"t.a"}),
        ("from t where a in (select x from u)", {"t.a"}),
        ("from t where a + g = 2", {"t.a"}),
        ("from t join u on u.x = t.a", {"t.a"}),
        ("from t left join u on u.x = t.a where u.c > 1", {"t.a"}),
        ("from t", {"t.a", "t.b"}),
        ("from t where not (a > 1 and g > 1)", {"t.a", "t.b"}),
        ("from t where a > 1 or g > 1", {"t.a", "t.b"}),
        ("from t where a <> all (select x from u)", {"t.a", "t.b"}),
        ("from t where a is null", {"t.a", "t.b"}),
        ("from t left join u on u.x = t.a", {"t.a", "t.b"}),
        ("from t full join u on u.x = t.a", {"t.a", "t.b", "u.x"}),
        ("from t right join k on k.id = t.g join u on u.x = t.a", {"t.a", "t.g", "k.id"}),
        ("from t join u on u.x = t.a right join k on k.id = t.g", {"t.a", "t.b", "t.g", "k.id", "u.x"}),
        ("from t where a > 1 group by rollup (a, b)", {"t.a", "t.b"}),
    ],
)
def test_coalesce_never_goes_beyond_what_is_not_null_in_any_row_that_is_left(rest: str, expected: set[str]) -> None:
    assert _of(f"select coalesce(t.a, t.b) as c {rest}", "c") == expected


@pytest.mark.parametrize(("join", "is_asked"), [("join", False), ("left join", True)])
def test_a_count_that_a_left_join_may_miss_is_null_at_times(join: str, is_asked: bool) -> None:
    counts = "(select x, count(*) as n from u group by x) k on k.x = t.g"
    found = _of(f"select coalesce(k.n, t.b) as c from t {join} {counts}", "c")
    assert ("t.b" in found) is is_asked


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("postgres", "from t join u on u.x = t.g", {"t.g", "u.x"}),
        ("postgres", "from t, u where u.x = t.g", {"t.g", "u.x"}),
        ("postgres", "from t left join u on u.x = t.g where u.c > 1", {"t.g", "u.x"}),
        ("postgres", "from t left join u on u.x = t.g", {"t.g", "u.x", "t.b"}),
        ("mysql", "from t join u on u.x = t.g", {"t.g", "u.x", "t.b"}),
    ],
)
def test_case_between_columns_that_are_held_equal_decides_nothing(dialect: str, text: str, expected: set[str]) -> None:
    assert _of(f"select case when t.b > 1 then t.g else u.x end as c {text}", "c", dialect) == expected


_NUMBERED = "(select g, a, b, row_number() over (partition by g order by a, b) as n from t) x"


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", f"select g, a, b from {_NUMBERED} where x.n = 1"),
        ("postgres", f"with w as {_NUMBERED.removesuffix(' x')} select g, a, b from w as y where 1 = 1 and y.n = 1"),
        ("duckdb", "select g, a, b from t qualify row_number() over (partition by g order by a, b) = 1"),
        ("postgres", "select distinct on (g) g, a, b from t order by g, a, b"),
    ],
)
def test_the_first_row_of_each_group_is_taken_alike_however_it_is_asked_for(dialect: str, text: str) -> None:
    found = told(text, dialect)
    assert (found["g"], found["*"]) == ({"t.g IDENTITY"}, {"t.g GROUP_BY"})
    assert found["a"] - {"t.g SORT"} == {"t.a IDENTITY", "t.g GROUP_BY"}
    assert found["b"] - {"t.g SORT"} == {"t.b IDENTITY", "t.g GROUP_BY", "t.a SORT"}


def test_any_other_number_of_a_row_decides_by_all_that_it_is_counted_by() -> None:
    assert {"t.a WINDOW", "t.b WINDOW", "t.g WINDOW"} <= told(f"select g from {_NUMBERED} where x.n = 2")["*"]
    cut = "(select g, row_number() over (partition by g order by a) as n from t limit 3) x"
    assert "t.a WINDOW" in told(f"select g from {cut} where x.n = 1")["*"]


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("select rank() over (partition by g order by g) as r from t", "r", set()),
        ("select rank() over (order by a) as r from t where a = 2", "r", set()),
        ("select row_number() over (partition by g order by g) as r from t", "r", {"t.g"}),
        ("select a from t where g = 1 order by g", "a", {"t.a"}),
        ("select a, g from t where g = 1 order by g, b", "a", {"t.a", "t.b"}),
        ("select a from t order by a + 1, b limit 3", "a", {"t.a"}),
        ("select a from t order by a * b, b limit 3", "a", {"t.a", "t.b"}),
        ("select a, (select max(c) from u) as m from t order by 2, 1", "a", {"t.a"}),
    ],
)
def test_what_is_equal_in_all_rows_neither_orders_nor_ranks_them(text: str, column: str, expected: set[str]) -> None:
    assert _of(text, column) == expected


def test_statements_that_fill_a_table_name_it_and_its_columns() -> None:
    view = read("create materialized view m.v (p, q) as select a, b from t")
    assert (view.target, view.columns, view.reads) == (("m", "v"), ("p", "q"), ("s.d.m.t",))
    filled = read("insert into u (c, d) select a, b from t")
    assert (filled.target, filled.columns) == (("u",), ("c", "d"))
    by_place = read("insert into u select * from t", target_columns=("id", "x", "c", "d"))
    assert {(edge.from_column, edge.to_column) for edge in by_place.edges if edge.subtype is Kind.IDENTITY} == {
        ("id", "id"), ("g", "x"), ("a", "c"), ("b", "d"),
    }  # fmt: skip
    assert read("create table n as select a as x from t").columns == ("x",)


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("select nothing from t", "columns"),
        ("select a from unknown", "tables"),
        ("selec a from", "syntax"),
        ("select a from t; select b from t", "one_query"),
        ("", "length"),
        ("select " + "a, " * 80_000 + "a from t", "length"),
        ("select " + "(" * 400 + "a" + ")" * 400 + " from t", "size"),
        ("select 1 from t a0 " + " ".join(f"cross join t a{at}" for at in range(1, 1001)), "size"),
        ("delete from t", "statement"),
        ("update t set a = b", "statement"),
        ("drop table t", "statement"),
        ("insert into u select a from t", "target"),
        ("insert into u (c) select a from t on conflict (id) do update set c = 1", "statement"),
        ("with r as (delete from t returning a) select a from r", "statement"),
        ("with recursive r as (select x from r union all select a from t) select x from r", "tables"),
        ("select id from t join u on t.id = u.id", "columns"),
        ("\x00", "length"),
        ("{{ ref('t') }}", "statement"),
    ],
)
def test_what_is_not_understood_is_a_named_gap_and_never_an_edge(text: str, gap: str) -> None:
    lineage = read(text)
    assert [one.name for one in lineage.gaps] == [gap]
    assert lineage.gaps[0].reason
    assert lineage.edges == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select a from t where b > 1 or 1 = 1", {"a": {"t.a IDENTITY"}}),
        ("select a from t where b > 1 and (g = 2 or 'p' <> 'q')", {"a": {"t.a IDENTITY"}, "*": {"t.b FILTER"}}),
        ("select case when 1 = 2 then g when true then a when b = 1 then id end as c from t", {
            "c": {"t.a TRANSFORMATION"},
        }),
        ("select case when b = 1 then a when 'x' = 'x' then id end as c from t", {
            "c": {"t.b CONDITIONAL", "t.a TRANSFORMATION", "t.id TRANSFORMATION"},
        }),
        ("select case when 'e' = 'é' then a else b end as c from t", {
            "c": {"t.a TRANSFORMATION", "t.b TRANSFORMATION"},
        }),
        ("select distinct g, (select max(c) from u) as m from t", {
            "g": {"t.g IDENTITY"}, "m": {"u.c AGGREGATION"}, "*": {"t.g GROUP_BY"},
        }),
        ("select rank() over (partition by m order by m) as r from (select max(a) as m from t) as s", {"r": set()}),
    ],
)  # fmt: skip
def test_what_is_settled_in_the_text_decides_nothing(text: str, expected: dict[str, set[str]]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("condition", "rest", "is_taken"),
    [
        ("g = 3", "from t where g = 1", False),
        ("g = 3 and b = 2", "from t where 1 = g", False),
        ("t.g = 3", "from u left join t on u.id = t.id and t.g = 1", False),
        ("t.g > 3", "from t join u on u.x = t.g where u.x < 3", False),
        ("g >= 3", "from t where g <= 3", True),
        ("g = 3", "from t where g <> 1", True),
        ("g > 5 and g < 5", "from t", False),
        ("g = 'a'", "from t where g = 'b'", False),
        ("g = 'a'", "from t where g = 'A'", True),
        ("g = 'true'", "from t where g = 't'", True),
        ("g = '1'", "from t where g = '01'", True),
        ("t.g = 3", "from u right join t on u.id = t.id and t.g = 1", True),
        ("t.g = 3", "from t left join u on u.id = t.id and t.g = 1", True),
        ("g = 3", "from t where g = 1 or b = 2", True),
        ("g is null", "from t where g = 1", True),
    ],
)
def test_a_branch_that_goes_with_no_row_is_not_taken(condition: str, rest: str, is_taken: bool) -> None:
    found = told(f"select case when {condition} then t.a else 1 end as c {rest}")
    assert ("t.a TRANSFORMATION" in found["c"]) is is_taken


@pytest.mark.parametrize(
    ("inner", "is_asked"),
    [
        ("select id, word from k where word <> 'x'", False),
        ("select word, id from k order by word limit 3", False),
        ("select id + 1 as id, word from k", True),
        ("select k.id, k.word from k join u on u.x = k.id", True),
        ("select id, unnest(string_to_array(word, ',')) as word from k", True),
        ("select id, word from k union all select id, word from k", True),
    ],
)
def test_a_query_from_a_table_with_a_key_has_that_key(inner: str, is_asked: bool) -> None:
    found = told(f"with c as ({inner}) select t.a from t left join c on c.id = t.g")
    assert any(one.startswith("k.id ") for one in found.get("*", ())) is is_asked


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("select k.id, k.word, count(*) as n from k join t on t.g = k.id group by k.id, k.word", {"k.id"}),
        ("select k.word, count(*) as n from k join t on t.g = k.id group by k.word", {"k.word"}),
        ("select t.id, k.word, count(*) as n from t left join k on t.g = k.id group by t.id, k.id, k.word", {
            "t.id", "k.id", "k.word",
        }),
        ("select k.id, k.word, count(*) as n from k group by cube (k.id, k.word)", {"k.id", "k.word"}),
    ],
)  # fmt: skip
def test_a_name_that_stands_beside_its_key_makes_no_groups(text: str, by: set[str]) -> None:
    assert {one.removesuffix(" GROUP_BY") for one in told(text)["n"] if one.endswith("GROUP_BY")} == by


@pytest.mark.parametrize("join", ["full join m{at} on m{at}.a = m{before}.b", "full join m{at} using (a, b)"])
def test_a_statement_in_which_all_depends_on_all_is_a_gap(join: str) -> None:
    tables = tuple(Table(f"s.d.m.m{at}", "d", "m", f"m{at}", tuple("abcdefgh")) for at in range(500))
    joins = " ".join(join.format(at=at, before=at - 1) for at in range(1, 500))
    lineage = lineage_of(f"select m0.c from m0 {joins}", dialect="postgres", tables=tables)
    assert ([one.name for one in lineage.gaps], lineage.edges) == (["size"], ())


def test_what_is_written_often_is_looked_into_once() -> None:
    numbers = ", ".join(f"row_number() over (partition by g order by a) as r{at}" for at in range(500))
    assert len(read(f"select {numbers} from t").edges) == 1001
    nested = "coalesce(" * 30 + "a" + ", b)" * 30
    found = told(f"select {nested} as c from t where a > 1")
    assert found == {"c": {"t.a TRANSFORMATION"}, "*": {"t.a FILTER"}}


def test_a_walk_ends_where_views_go_round_in_a_circle() -> None:
    edges = {("a", "x"): [("b", "x")], ("b", "x"): [("c", "x")], ("c", "x"): [("a", "x"), ("b", "x")]}
    found = reach(("a", "x"), lambda node: edges.get(node, ()), deepest=50)
    assert found.nodes == {("b", "x"): 1, ("c", "x"): 2}
    assert found.complete
    assert not reach(("a", "x"), lambda node: edges.get(node, ()), deepest=1).complete
