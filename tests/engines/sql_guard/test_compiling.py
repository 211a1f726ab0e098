"""What policies make of a query: which rows it sees, what it sees of them, and what is refused."""

# ruff: noqa: E501 - one query, one line

import duckdb
import pytest

from resolvers.engines.sql_guard import MaskStyle
from tests.engines.sql_guard.office import guarded, office, policy, refusal, rows

ONLY_D1 = policy("row_filter", tables=("staff",), condition="dept = 'd1'")
SALARY = policy("aggregate_only", columns=("staff.salary",), minimum=3)
SEVEN = policy("minimum_group_size", tables=("staff",), minimum=7)


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    return office()


@pytest.mark.parametrize(
    "text",
    [
        "select count(*) from staff",
        "select count(*) from staff s",
        "select count(*) from staff where id < 100",
        "select sum(n) from (select count(*) n from staff group by dept) x",
        "with s as (select * from staff) select count(*) from s",
        "with staff as (select * from staff) select count(*) from staff",
        "select count(distinct s.id) from staff s join depts d on d.dept = s.dept",
        "select count(distinct s.id) from depts d left join staff s on d.dept = s.dept",
        "select count(s.id) from (staff s join depts using (dept))",
        "select count(*) from (select id from staff union select id from staff) x",
        "select (select count(*) from staff) from depts limit 1",
        "select count(*) from (select 1 from staff where dept <> 'nothing') x",
        "select max(c) from (select count(*) over () as c from staff) x",
        "select count(distinct staff_id) from orders where staff_id in (select id from staff)",
        "select count(distinct staff_id) from orders o where exists (select 1 from staff s where s.id = o.staff_id)",
        "select count(distinct staff_id) from orders where staff_id = any (select id from staff)",
        "select count(*) from staff a where a.id in (select b.id from staff b)",
        "select count(*) from staff group by dept",
    ],
)
def test_a_filtered_row_is_nowhere(text: str, database: duckdb.DuckDBPyConnection) -> None:
    assert rows(database, text, ONLY_D1) == [(7,)]
    assert guarded(text, ONLY_D1).applied == ("row_filter",)


def test_all_filters_hold_together_and_may_name_columns_that_the_query_may_not(
    database: duckdb.DuckDBPyConnection,
) -> None:
    others = (
        policy("row_filter", "salaries", tables=("staff",), condition="salary > 1100 or salary is null"),
        policy("forbid", columns=("staff.salary", "staff.dept")),
    )
    assert rows(database, "select id from staff order by id", ONLY_D1, *others) == [(13,), (16,), (19,)]
    assert refusal("select salary from staff", ONLY_D1, *others) == "policy_forbid"


@pytest.mark.parametrize(
    "condition",
    [
        "region = 'EU'",
        "dept = 'd1') or (1 = 1",
        "dept = 'd1'; drop table staff",
        "dept = 'd1' union select 1",
        "dept in (select dept from depts)",
        "max(salary) > 3",
        "row_number() over () = 1",
        "pg_sleep(1) is null",
        "dept =",
        "dept = 'd1' order by 1",
        "dept = 'd1' limit 1",
        "orders.amount > 1",
    ],
)
def test_a_row_filter_that_is_no_condition_over_the_table_refuses_the_table_and_nothing_else(condition: str) -> None:
    broken = policy("row_filter", tables=("staff",), condition=condition)
    assert refusal("select id from staff", broken) == "policy_unreadable"
    assert refusal("select oid from orders", broken) == ""


def test_a_condition_may_hold_what_any_query_may_and_comments_do_not_end_it(
    database: duckdb.DuckDBPyConnection,
) -> None:
    how = policy("row_filter", tables=("staff",), condition="dept in ('d1') and lower(\"Name\") <> 'n1' -- more")
    assert rows(database, "select count(*) from staff", how) == [(6,)]


@pytest.mark.parametrize(
    ("style", "column", "shown"),
    [
        (MaskStyle.FULL, "email", "****"),
        (MaskStyle.FULL, "salary", None),
        (MaskStyle.FULL, "born", None),
        (MaskStyle.LAST4, "email", "****.com"),
        (MaskStyle.LAST4, "name", "****"),
        (MaskStyle.LAST4, "born", None),
        (MaskStyle.YEAR, "born", 1980),
        (MaskStyle.YEAR, "email", None),
        (MaskStyle.YEAR, "salary", None),
        (MaskStyle.HASH, "dept", "sha256"),
    ],
)
def test_a_masked_column_shows_what_its_style_says(
    style: MaskStyle, column: str, shown: object, database: duckdb.DuckDBPyConnection
) -> None:
    how = policy("mask", columns=(f"staff.{column}",), mask=style)
    found = rows(database, f"select {column} from staff where id = 3", how)
    if style is MaskStyle.HASH:
        shown = database.execute("select sha256('d0')").fetchall()[0][0]
    assert found == [(shown,)]
    (output,) = guarded(f"select {column} as c from staff", how).outputs
    assert output.masked


@pytest.mark.parametrize(
    "text",
    [
        "select id from staff where email = 'user3@example.com'",
        "select id from staff where email like 'user3%'",
        "select a.id from staff a join (select 'user3@example.com' as e from depts limit 1) b on a.email = b.e",
        "select id from staff where email in ('user3@example.com')",
        "select id from staff group by id, email having max(email) = 'user3@example.com'",
        "select id from staff where exists (select 1 from depts where staff.email = 'user3@example.com')",
        "select id from staff where case when email = 'user3@example.com' then 1 end = 1",
        "with s as (select email e, id from staff) select id from s where e = 'user3@example.com'",
    ],
)
def test_nobody_can_ask_for_the_value_behind_a_mask(text: str, database: duckdb.DuckDBPyConnection) -> None:
    assert rows(database, text) == [(3,)]
    for style in MaskStyle:
        assert rows(database, text, policy("mask", columns=("staff.email",), mask=style)) == []


def test_a_salted_hash_can_be_counted_and_joined_by_but_not_made_without_the_salt(
    database: duckdb.DuckDBPyConnection,
) -> None:
    how = policy("mask", columns=("dept",), mask=MaskStyle.HASH, salt="pepper")
    text = "select count(*) from staff join depts using (dept)"
    assert rows(database, text, how) == [(20,)]
    assert len(rows(database, "select dept, count(*) from staff group by dept", how)) == 3
    assert rows(
        database, "select count(*) from staff where dept = sha256('d0')".replace("sha256('d0')", "'x'"), how
    ) == [(0,)]
    ((shown,),) = rows(database, "select dept from staff where id = 3", how)
    assert shown == database.execute("select sha256('pepperd0')").fetchall()[0][0]
    found = guarded("select dept from staff where name <> 'pepper'", how)
    assert "'pepper' || " in found.query.sql("duckdb")
    assert "'pepper' || " not in found.shown("duckdb")
    assert "'****' || " in found.shown("duckdb")
    assert "<> 'pepper'" in found.shown("duckdb")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select avg(salary) from staff", [(1095.0,)]),
        ("select dept, sum(salary), count(*) from staff group by dept order by dept",
         [("d0", 7630, 7), ("d1", 7700, 7), ("d2", 6570, 6)]),
        ("select dept from staff group by dept having avg(salary) >= 1095 order by avg(salary) desc", [("d1",), ("d2",)]),
        ("select round(avg(salary) * 12 / 1000, 1) from staff", [(13.1,)]),
        ("select count(distinct salary), count(salary) from staff where dept = 'd0'", [(7, 7)]),
        ("select d.title, avg(s.salary) from staff s join depts d using (dept) group by d.title order by 1 limit 1",
         [("Title 0", 1090.0)]),
        ("select max(a) from (select dept, avg(salary) a from staff group by dept) x", [(1100.0,)]),
        ("select name from staff where id = 3", [("n3",)]),
        ("select id, avg(salary) from staff group by id", []),
        ("select avg(salary) from staff where id = 3", []),
        ("select avg(salary) from staff where id < 2", []),
        ("select avg(salary) from staff where id < 3", [(1010.0,)]),
        ("select avg(s.salary) from staff s join orders o on o.staff_id = s.id", []),
        ("select avg(s.salary) from staff s, depts d where s.id = 3", []),
        ("select avg(s.salary) from staff s, depts d where s.id < 5", []),
        ("select o.staff_id, (select avg(salary) from staff s where s.id = o.staff_id) from orders o where oid = 3",
         [(3, None)]),
        ("select 1 from staff group by id having 1 / (avg(salary) - 1030) > 0 or true", []),
    ],
)  # fmt: skip
def test_a_protected_column_is_aggregated_over_enough_rows(
    text: str, expected: list[tuple[object, ...]], database: duckdb.DuckDBPyConnection
) -> None:
    assert rows(database, text, SALARY) == expected


@pytest.mark.parametrize(
    "text",
    [
        "select salary from staff",
        "select * from staff",
        "select min(salary) from staff",
        "select max(salary) from staff",
        "select median(salary) from staff",
        "select any_value(salary) from staff",
        "select string_agg(salary, ',') from staff",
        "select mode(salary) from staff",
        "select arg_max(name, salary) from staff",
        "select arg_max(salary, id) from staff",
        "select first(salary) from staff",
        "select percentile_cont(0.0) within group (order by salary) from staff",
        "select id from staff where salary > 1100",
        "select count(*) from staff where salary > 1100",
        "select salary, count(*) from staff group by salary",
        "select salary > 1100, count(*) from staff group by 1",
        "select dept from staff group by dept, salary",
        "select id from staff order by salary",
        "select distinct salary from staff",
        "select avg(salary) over () from staff",
        "select avg(salary) over (partition by id) from staff",
        "select id, rank() over (order by salary) from staff",
        "select id from staff qualify row_number() over (order by salary) = 1",
        "select sum(avg(salary)) over () from staff group by id",
        "select sum(case when id = 3 then salary end) from staff",
        "select sum(if(id = 3, salary, 0)) from staff",
        "select sum(salary) filter (where id = 3) from staff",
        "select sum(salary * (id = 3)) from staff",
        "select sum(salary * cast(id = 3 as int)) from staff",
        "select sum(salary * id) from staff",
        "select sum(salary * 2147483) from staff",
        "select sum(salary * salary) from staff",
        "select sum(power(salary, 9)) from staff",
        "select sum(salary // 1000) from staff",
        "select sum(salary % 1000) from staff",
        "select sum(nullif(salary, 1030)) from staff",
        "select avg(coalesce(salary, 0)) from staff",
        "select count(nullif(salary, 1030)) from staff",
        "select avg(greatest(salary, 1100)) from staff",
        "select avg(x) from (select salary as x from staff) t",
        "select avg(x) from (select distinct salary as x from staff) t",
        "with s as (select salary from staff) select avg(salary) from s",
        "select avg(salary) from (select salary from staff where id = 3) t",
        "select avg(salary) from (select salary from staff union all select 0 from orders) t",
        "select (select s.salary from staff s where s.id = o.staff_id) from orders o",
        "select o.oid from orders o where (select s.salary from staff s where s.id = o.staff_id) > 1100",
        "select o.oid from orders o where exists (select 1 from staff s where s.salary > o.amount)",
        "select count(*) from orders o join staff s on s.id = o.staff_id and s.salary > 1100",
        "select count(*) from staff a join staff b using (salary)",
        "select (select sum(s.salary) from depts) from staff s group by s.id",
        "select (select avg(s.salary + o.amount) from orders o) from staff s",
        "select dept, avg(salary) from staff group by rollup (dept)",
        "select dept, avg(salary) from staff group by cube (dept)",
        "select dept, avg(salary) from staff group by grouping sets ((dept), ())",
        "select distinct on (dept) dept, avg(salary) from staff group by dept",
        "select avg(salary), name from staff",
        "select avg(salary), any_value(name) from staff",
        "select avg(salary) from staff where 1 / (id - 3) > 0",
        "select avg(salary) from staff where cast(name as int) = 3",
        "with o as (select oid, 1 / (oid - 3) as w from orders) select avg(salary) from staff join o on oid = id and w > 0",
        "select id from staff intersect select salary from staff",
        "select avg(salary) from staff having max(id) > 3 and min(salary) > 3",
        "select dept, avg(salary) from staff group by dept order by max(salary)",
    ],
)
def test_a_protected_column_stands_nowhere_else(text: str) -> None:
    assert refusal(text) == ""
    assert refusal(text, SALARY) == "policy_aggregate_only"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select dept, count(*) from staff group by dept order by 1", [("d0", 7), ("d1", 7)]),
        ("select dept, sum(salary) / count(*) as a from staff group by dept order by a", [("d0", 1090.0), ("d1", 1100.0)]),
        ("select count(*) from staff", [(20,)]),
        ("select count(*) from staff where dept = 'd2'", []),
        ("select count(*) from staff where born > date '1980-01-05'", [(15,)]),
        ("select boss_id, count(*) from staff group by boss_id", []),
        ("select s.dept, count(*) from staff s join orders o on o.staff_id = s.id group by s.dept order by 1",
         [("d0", 28), ("d1", 28)]),
        ("select s.id, count(*) from staff s, orders o group by s.id", []),
        ("select d.title, count(s.id) from depts d left join staff s using (dept) group by d.title order by 1",
         [("Title 0", 7), ("Title 1", 7)]),
        ("select count(*) from staff a join staff b on a.id = b.boss_id", [(20 - 1,)]),
        ("select dept, n from (select dept, count(*) n from staff group by dept) x order by n desc, dept limit 1",
         [("d0", 7)]),
        ("with c as (select dept, count(*) n from staff group by dept) select sum(n) from c", [(14,)]),
        ("select title, (select count(*) from staff s where s.dept = d.dept) from depts d order by 1 limit 3",
         [("Title 0", 7), ("Title 1", 7), ("Title 2", None)]),
        ("select upper(dept), count(*) from staff group by upper(dept) order by 1", [("D0", 7), ("D1", 7)]),
        ("select upper(dept) u, avg(salary) from staff group by u having count(*) > 1 order by u",
         [("D0", 1090.0), ("D1", 1100.0)]),
        ("select sum(s.salary * s.id) from staff s", [(214700,)]),
        ("select title from depts order by 1 limit 1", [("Title 0",)]),
    ],
)  # fmt: skip
def test_a_table_is_shown_in_groups_of_a_size(
    text: str, expected: list[tuple[object, ...]], database: duckdb.DuckDBPyConnection
) -> None:
    assert rows(database, text, SEVEN) == expected


@pytest.mark.parametrize(
    "text",
    [
        "select id from staff",
        "select * from staff limit 1",
        "select distinct dept from staff",
        "select dept from staff union select title from depts",
        "select id from staff where exists (select 1 from orders)",
        "select oid from orders where staff_id in (select id from staff)",
        "select oid from orders o where exists (select 1 from staff s where s.id = o.staff_id)",
        "select oid from orders join staff on id = staff_id",
        "select max(salary) from staff",
        "select min(name), count(*) from staff group by dept",
        "select name, count(*) from staff group by dept",
        "select count(*) from staff order by name",
        "select count(*) over () from staff",
        "select count(*), rank() over (order by dept) from staff group by dept",
        "select sum(case when name = 'n3' then 1 else 0 end) from staff",
        "select count(*) filter (where name = 'n3') from staff",
        "select sum(salary * id * id) from staff",
        "select count(*) from (select id from staff) x",
        "select dept, count(*) from staff group by all having max(id) > 3",
        "select dept, count(*) from staff group by rollup (dept)",
        "select (select max(o.amount) from orders o where o.staff_id = s.id), count(*) from staff s group by s.dept",
        "select count(*) from staff where 1 / (salary - 1030) > 0",
        "select count(*) from staff where salary * 2000000 > 5",
        "select count(*) from staff where cast(email as int) = 1",
        "select count(*) from staff where name = 5",
        "select count(*) from staff s where (select o.oid from orders o where o.staff_id = s.id) = 1",
        "select count(*) from staff s join (select oid, 1 / (oid - 3) w from orders) o on o.oid = s.id group by w",
    ],
)
def test_a_table_that_is_shown_in_groups_shows_no_row(text: str) -> None:
    how = {"dialect": "mysql"} if text.startswith("select name, count") else {}
    assert refusal(text, **how) == ""
    assert refusal(text, SEVEN, **how) == "policy_group_size"


def test_the_answer_tells_what_was_applied_and_how_many_rows_stand_behind_it() -> None:
    others = (SALARY, SEVEN, policy("mask", columns=("email",)))
    found = guarded("select avg(salary) from staff join depts using (dept)", *others)
    assert set(found.applied) == {"aggregate_only", "minimum_group_size"}
    assert found.least_rows == 7
    assert guarded("select title from depts", SALARY, SEVEN).applied == ()
    assert guarded("select title from depts", SALARY, SEVEN).least_rows == 0


def test_a_refusal_names_the_policy_and_not_what_it_says() -> None:
    how = policy("row_filter", "Only the north", tables=("staff",), condition="nothing = 'secret'")
    with pytest.raises(Exception, match="Only the north") as refused:
        guarded("select id from staff", how)
    assert "secret" not in str(refused.value)
    with pytest.raises(Exception, match="No pay"):
        guarded("select salary from staff", policy("forbid", "No pay", columns=("staff.salary",)))


def test_rows_that_are_filtered_out_cannot_be_told_from_an_error(database: duckdb.DuckDBPyConnection) -> None:
    # Only one row outside of the filter makes the cast fail.
    text = "select count(*) from staff where cast(replace(name, 'n', case when salary = 1030 then 'x' else '' end) as int) >= 0"
    with pytest.raises(duckdb.ConversionException):
        rows(database, text)
    assert rows(database, text, ONLY_D1) == [(7,)]


@pytest.mark.parametrize(
    ("dialect", "text", "fenced"),
    [
        ("postgres", "select count(*) from staff where lower(name) = 'n3' and salary > 3", False),
        ("postgres", "select count(*) from staff where 1 / (salary - 1030) > 0", True),
        ("postgres", "select count(*) from staff where cast(name as int) > 0", True),
        ("postgres", "select count(*) from staff where name like dept", True),
        ("postgres", "select count(*) from staff where (select oid from orders where staff_id = id) = 1", True),
        ("duckdb", "select count(*) from staff where name > 3", True),
        ("mysql", "select count(*) from staff where name > 3", True),
    ],
)
def test_a_filter_is_applied_before_anything_that_may_fail(dialect: str, text: str, fenced: bool) -> None:
    sent = guarded(text, ONLY_D1, dialect=dialect).query.sql(dialect)
    assert ("LIMIT 9223372036854775807" in sent) is fenced
