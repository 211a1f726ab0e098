"""What is known of a guarded query: where its columns come from, and how each column of a table is used."""

import pytest

from resolvers.engines.nl2sql.model import ColumnKey
from tests.engines.sql_guard.office import guarded, refusal


def outputs(text: str, dialect: str = "postgres") -> list[tuple[str, set[str], bool]]:
    found = guarded(text, dialect=dialect).outputs
    return [
        (one.name, {f"{fqn.rpartition('.')[2]}.{name}" for fqn, name in one.columns}, one.aggregated) for one in found
    ]


def reads(text: str, dialect: str = "postgres") -> dict[str, set[str]]:
    found = guarded(text, dialect=dialect).reads
    return {f"{fqn.rpartition('.')[2]}.{name}": set(clauses) for (fqn, name), clauses in found.items()}


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "duckdb"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select id from staff", [("id", {"staff.id"}, False)]),
        ("select count(*) from staff", [("count", set(), True)]),
        ("select count(*) n, sum(salary) / count(id) r from staff",
         [("n", set(), True), ("r", {"staff.salary", "staff.id"}, True)]),
        ("select title t, 1 as one from depts", [("t", {"depts.title"}, False), ("one", set(), False)]),
        ("select * from depts", [("dept", {"depts.dept"}, False), ("title", {"depts.title"}, False)]),
        ("select x.a from (select salary as a from staff) x", [("a", {"staff.salary"}, False)]),
        ("with c as (select dept, max(salary) m from staff group by dept) select m, dept from c",
         [("m", {"staff.salary"}, True), ("dept", {"staff.dept"}, False)]),
        ("with c(p) as (select email from staff), d as (select p as q from c) select upper(q) as r from d",
         [("r", {"staff.email"}, False)]),
        ("select id from staff union select oid from orders", [("id", {"staff.id", "orders.oid"}, False)]),
        ("select (select max(amount) from orders o where o.staff_id = s.id) as top from staff s",
         [("top", {"orders.amount"}, True)]),
        ("select case when salary > 3 then dept else 'x' end as c from staff",
         [("c", {"staff.salary", "staff.dept"}, False)]),
        ("select dept from staff join depts using (dept)", [("dept", {"staff.dept"}, False)]),
        ("select row_number() over (partition by dept order by salary) as r from staff",
         [("r", {"staff.dept", "staff.salary"}, False)]),
    ],
)  # fmt: skip
def test_every_column_of_the_answer_is_traced_to_where_it_comes_from(
    text: str, expected: list[tuple[str, set[str], bool]], dialect: str
) -> None:
    found = outputs(text, dialect)
    if "row_number" in text:  # a window is one value for each row, though it looks at several
        found = [(name, columns, False) for name, columns, _ in found]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select id from staff where salary > 3", {"staff.id": {"output"}, "staff.salary": {"filter"}}),
        ("select count(*) from staff group by dept having max(salary) > 1 order by min(born)",
         {"staff.dept": {"group"}, "staff.salary": {"having"}, "staff.born": {"order"}}),
        ("select dept, count(*) from staff group by 1 order by 1", {"staff.dept": {"output", "group", "order"}}),
        ("select dept as d from staff group by d order by d", {"staff.dept": {"output", "group", "order"}}),
        ("select distinct dept from staff", {"staff.dept": {"output", "group"}}),
        ("select s.id from staff s join orders o on o.staff_id = s.id",
         {"staff.id": {"output", "join"}, "orders.staff_id": {"join"}}),
        ("select title from staff join depts using (dept)",
         {"depts.title": {"output"}, "staff.dept": {"join"}, "depts.dept": {"join"}}),
        ("select count(*) from (select salary, id from staff) x", {"staff.salary": set(), "staff.id": set()}),
        ("select id from (select salary as v, id from staff) x where v > 3",
         {"staff.salary": {"filter"}, "staff.id": {"output"}}),
        ("select id from staff where exists (select 1 from orders where staff_id = staff.id)",
         {"staff.id": {"output", "filter"}, "orders.staff_id": {"filter"}}),
        ("select id from staff where id in (select staff_id from orders)",
         {"staff.id": {"output", "filter"}, "orders.staff_id": {"filter"}}),
        ("select id, rank() over (partition by dept order by salary) from staff",
         {"staff.id": {"output"}, "staff.dept": {"output", "window"}, "staff.salary": {"output", "window"}}),
        ("select id, sum(id) over w from staff window w as (order by born)",
         {"staff.id": {"output", "window"}, "staff.born": {"window"}}),
        ("select exists(select * from orders) from staff", {}),
        ("select 1 from staff order by (select max(amount) from orders)", {"orders.amount": {"order"}}),
        ("select staff_id from orders union select id from staff",
         {"orders.staff_id": {"output", "group"}, "staff.id": {"output", "group"}}),
        ("with c as (select salary from staff) select 1 from c join depts on c.salary = 3",
         {"staff.salary": {"join"}}),
    ],
)  # fmt: skip
def test_every_use_of_a_column_is_known_by_the_clause_it_stands_in(text: str, expected: dict[str, set[str]]) -> None:
    assert reads(text) == expected


POSITIONS = [
    "select salary from staff",
    "select * from staff",
    "select staff.* from staff",
    "select s.salary from staff s",
    "select SALARY from STAFF",
    'select "salary" from staff',
    "select id from staff where salary > 3",
    "select id from staff where (select salary) > 3",
    "select id from staff where not (salary is null)",
    "select id from staff order by salary",
    "select id from staff order by (case when salary > 3 then 1 else 2 end)",
    "select count(*) from staff group by salary",
    "select salary > 3 from staff group by 1",
    "select count(*) from staff having max(salary) > 3",
    "select count(salary) from staff",
    "select count(distinct salary) from staff",
    "select sum(id) filter (where salary > 3) from staff",
    "select row_number() over (order by salary) from staff",
    "select sum(id) over (partition by salary) from staff",
    "select sum(id) over w from staff w0 window w as (order by salary)",
    "select s.id from staff s join depts d on s.salary = 3",
    "select s.id from depts d left join staff s on s.dept = d.dept and s.salary between 1 and 2",
    "select a.id from staff a join staff b using (salary)",
    "select d.title from depts d where exists (select 1 from staff where salary = 3)",
    "select d.title from depts d where exists (select salary from staff)",
    "select d.title from depts d where d.dept in (select dept from staff where salary > 1)",
    "select d.title from depts d where 3 = any (select salary from staff)",
    "select d.title, (select max(salary) from staff s where s.dept = d.dept) from depts d",
    "select s.id from staff s where exists (select 1 from orders o where o.amount > s.salary)",
    "select s.id from staff s order by (select max(o.amount) from orders o where o.amount > s.salary)",
    "with x as (select salary from staff) select 1 from depts",
    "with x as (select * from staff) select id from x",
    "with x as (select salary as harmless from staff) select harmless from x",
    "with x(a) as (select salary from staff) select 1 from depts where exists (select a from x)",
    "select x.b from (select id as b, salary as c from staff) x",
    "select x.b from (select y.a as b from (select salary as a from staff) y) x",
    "select id from staff union select salary from staff",
    "select id from staff except select salary from staff",
    "select id from staff union all (select salary from staff limit 1)",
    "select case when salary > 3 then 1 end from staff",
    "select coalesce(null, salary) from staff",
    "select cast(salary as varchar) from staff",
    "select id + salary from staff",
    "select least(id, salary) from staff",
    "select salary as id from staff",
    "select id as salary from staff where salary = 1",
    "select max(s.salary) over () from staff s",
    "select 1 from staff s, (select 1 as one) t where s.salary = t.one",
    "select id from staff where id between 1 and salary",
    "select id from staff where (id, salary) = (1, 2)",
    "select id from staff where id in (1, salary)",
    "select substring(email, salary, 1) from staff",
    "select id from staff where email like cast(salary as varchar)",
    "select extract(year from cast(salary as date)) from staff",
    "select count(*) from staff group by rollup (salary)",
    "select count(*) from staff group by grouping sets ((salary), ())",
    "select id from (staff join depts on staff.salary > 2)",
]


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "duckdb"])
@pytest.mark.parametrize("text", POSITIONS)
def test_a_forbidden_column_is_refused_wherever_it_stands(text: str, dialect: str) -> None:
    text = text.replace('"', "`") if dialect == "mysql" else text
    assert refusal(text, dialect=dialect, forbidden={("s.memory.main.staff", "salary")}) == "columns", text
    assert refusal(text, dialect=dialect) == "", text


def test_columns_may_be_forbidden_as_drafters_name_them() -> None:
    assert refusal("select salary from staff", forbidden={ColumnKey("s.memory.main.staff", "salary")}) == "columns"
    assert refusal("select id from staff", forbidden={ColumnKey("s.memory.main.staff", "salary")}) == ""


@pytest.mark.parametrize(
    "text",
    [
        "select id, count(*) from staff group by id",
        "select exists (select * from staff) from depts",
        "select count(*) from staff",
        "select amount as salary from orders order by salary",
        "with staff as (select amount as salary from orders) select salary from staff",
        "select x.salary from (select 1 as salary, id from staff) x",
    ],
)
def test_what_only_bears_the_name_of_a_forbidden_column_is_let_through(text: str) -> None:
    assert refusal(text, dialect="postgres", forbidden={("s.memory.main.staff", "salary")}) == ""


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        # The same name inside and outside means two tables, and is sent as two.
        ("select id from staff where exists (select 1 from staff where boss_id = 1)",
         'SELECT "staff"."id" AS "id" FROM "memory"."main"."staff" AS "staff" WHERE EXISTS(SELECT 1 AS "_col_0" '
         'FROM "memory"."main"."staff" AS "staff_2" WHERE "staff_2"."boss_id" = 1)'),
        ("with a as (select id from staff), b as (with a as (select oid from orders) select oid from a) "
         "select a.id from a join b on a.id = b.oid",
         'WITH "a" AS (SELECT "staff"."id" AS "id" FROM "memory"."main"."staff" AS "staff"), "b" AS (WITH "a_2" AS '
         '(SELECT "orders"."oid" AS "oid" FROM "memory"."main"."orders" AS "orders") SELECT "a"."oid" AS "oid" FROM '
         '"a_2" AS "a") SELECT "a"."id" AS "id" FROM "a" AS "a" JOIN "b" AS "b" ON "a"."id" = "b"."oid"'),
        ("select dept, count(*) as n from staff group by dept having n > 1 order by n",
         'SELECT "staff"."dept" AS "dept", COUNT(*) AS "n" FROM "memory"."main"."staff" AS "staff" '
         'GROUP BY "staff"."dept" HAVING COUNT(*) > 1 ORDER BY "n"'),
        ("(select id from staff order by salary limit 9) limit 3",
         'SELECT "_q_0"."id" AS "id" FROM (SELECT "staff"."id" AS "id" FROM "memory"."main"."staff" AS "staff" '
         'ORDER BY "staff"."salary" LIMIT 9) AS "_q_0" LIMIT 3'),
    ],
)  # fmt: skip
def test_what_is_sent_leaves_nothing_to_the_rules_of_a_database(text: str, sent: str) -> None:
    assert guarded(text, dialect="duckdb").query.sql("duckdb") == sent


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("select salary from staff", {"salary"}),
        ("select count(distinct salary) from staff", set()),
        ("select count(*) filter (where salary > 3) from staff", set()),
        ("select salary is null as x, not salary is not null as y from staff", set()),
        ("select case when salary is null then dept end as x from staff", {"dept"}),
        ("select salary = 3 as x from staff", {"salary"}),
        ("select avg(salary), max(salary) from staff", {"salary"}),
        ("select count(salary) over (partition by dept) as x from staff", {"dept"}),
        ("with c as (select count(salary) as n, dept from staff group by dept) select n from c", set()),
        ("with c(s) as (select salary from staff) select upper(s) from c", {"salary"}),
        ("select id from staff union select salary from staff", {"id", "salary"}),
        ("select (select max(salary) from staff) as x, exists (select salary from staff) as y", {"salary"}),
        ("select title from depts join staff using (dept) where salary > 3 order by salary", {"title"}),
    ],
)
def test_what_is_only_counted_is_not_told(text: str, told: set[str]) -> None:
    assert {name for one in guarded(text).outputs for _, name in one.told} == told
