"""Tricks of dialects, each of which would read a column past its name, or something that is no table."""

import logging

import pytest

from tests.engines.sql_guard.office import guarded, refusal

FORBIDDEN = frozenset({("s.memory.main.staff", "salary")})
ALL = ("postgres", "mysql", "duckdb")


@pytest.mark.parametrize(
    ("dialects", "rule", "text"),
    [
        # Whole rows
        (ALL, "columns", "select staff from staff"),
        (ALL, "columns", "select s from staff as s"),
        (ALL, "columns", "select count(s) from staff s"),
        (ALL, "columns", "select id from staff s where s is not null"),
        (ALL, "columns", "select id from staff s order by s"),
        (("postgres", "duckdb"), "columns", "select s::text from staff s"),
        (ALL, "columns", "select cast(s as char) from staff s"),
        (("postgres", "duckdb"), "functions", "select (s).salary from staff s where (s).id = 1 or s.nothing = 1"),
        (("postgres", "duckdb"), "functions", "select to_json(s) from staff s"),
        (("postgres", "duckdb"), "functions", "select row_to_json(s) from staff s"),
        (("postgres",), "functions", "select hstore(s) from staff s"),
        (("postgres", "duckdb"), "columns", "select concat(s) from staff s"),
        (ALL, "columns", "select count(s.*) from staff s"),
        (ALL, "columns", "select coalesce(s.*) from staff s"),
        (("duckdb",), "columns", "select id from staff where staff = (select s from staff s limit 1)"),
        (("postgres",), "functions", "select json_agg(s) from staff s"),
        # Columns that no catalog lists
        *((("postgres",), "columns", f"select {name} from staff") for name in
          ("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "oid")),
        (("postgres",), "columns", "select id from staff where ctid = '(0,1)'"),
        *((("duckdb",), "columns", f"select {name} from staff") for name in ("rowid", "_rowid_")),
        (("mysql",), "columns", "select _rowid from staff"),
        (("postgres",), "columns", "select staff.upper from staff"),
        # Columns by their place or by a pattern
        (("duckdb",), "constructs", "select #4 from staff"),
        (("duckdb",), "functions", "select columns(*) from staff"),
        (("duckdb",), "functions", "select columns('sal.*') from staff"),
        (("duckdb",), "constructs", "select * replace (id as salary) from staff"),
        (("duckdb",), "columns", "select * like 'sal%' from staff"),
        # Joins by whatever is called alike
        (ALL, "natural_join", "select id from staff natural join orders"),
        (ALL, "natural_join", "select id from staff natural left join orders"),
        (("duckdb",), "natural_join", "select id from staff positional join orders"),
        (("duckdb",), "natural_join", "select id from staff asof join orders on id >= oid"),
        # Files, functions and what else can stand in FROM
        *((("duckdb",), "tables", f"select * from {name}") for name in
          ("'people.csv'", "'/etc/passwd'", "'s3://bucket/x.parquet'", "'https://example.com/x.json'",
           '"people.parquet"', "duckdb_settings", "sqlite_master", "information_schema.columns")),
        *((("duckdb",), "no_table_functions", f"select * from {name}") for name in
          ("read_csv('x')", "read_parquet('x')", "read_text('x')", "read_blob('x')", "glob('*')", "sniff_csv('x')",
           "duckdb_tables()", "query('select 1')", "query_table('staff')", "postgres_scan('x','y','z')")),
        (("postgres",), "no_table_functions", "select * from pg_ls_dir('.')"),
        (("postgres",), "no_table_functions", "select * from rows from (pg_ls_dir('.'))"),
        (("postgres",), "no_table_functions", "select * from staff, lateral (select salary) x"),
        (("postgres",), "no_table_functions", "select * from xmltable('/x' passing 'y' columns a text)"),
        (("postgres",), "no_table_functions", "select * from json_to_recordset('[]') as x(a text)"),
        (("postgres", "duckdb"), "no_table_functions", "select * from unnest(array[1])"),
        (("postgres", "duckdb"), "no_row_generators", "select * from generate_series(1, 1000000000)"),
        (ALL, "constructs", "select * from (values (1)) t(a), staff"),
        (("duckdb",), "no_row_generators", "pivot staff on dept using sum(salary)"),
        (("duckdb",), "no_row_generators", "select * from staff pivot (sum(salary) for dept in ('d1'))"),
        (("duckdb",), "no_row_generators", "select * from staff unpivot (v for k in (id, salary))"),
        (("duckdb",), "no_commands", "describe staff"),
        (("postgres",), "constructs", "select * from only staff"),
        (("postgres", "duckdb"), "constructs", "select id from staff tablesample bernoulli (1)"),
        (ALL, "constructs", "select x.b from staff as x(a, b, c, d)"),
        # Settings, variables, hints and what runs in comments
        (("mysql",), "no_parameters", "select @@datadir from staff"),
        (("mysql",), "no_parameters", "select @x from staff"),
        (("mysql",), "no_parameters", "select id from staff where id = ?"),
        (("mysql",), "no_parameters", "select @x := salary from staff"),
        (("postgres",), "no_parameters", "select id from staff where id = :id"),
        (("mysql",), "no_hints", "select /*+ SET_VAR(max_execution_time=0) */ id from staff"),
        (("mysql",), "no_hints", "select id from staff use index (x)"),
        (("mysql",), "constructs", "select sql_calc_found_rows id from staff"),
        (("mysql",), "syntax", "select id from staff procedure analyse()"),
        (ALL, "no_writes", "select id into copied from staff"),
        (("mysql",), "syntax", "select id from staff into outfile '/tmp/x'"),
        # Functions by other names
        (("postgres",), "functions", "select pg_catalog.pg_read_file('x') from staff"),
        (("postgres",), "functions", "select public.upper(email) from staff"),
        (("postgres",), "functions", 'select "pg_sleep"(1) from staff'),
        (("mysql",), "functions", "select `load_file`('x') from staff"),
        (("mysql",), "functions", "select mysql.load_file('x') from staff"),
        (("duckdb",), "functions", "select getenv('HOME') from staff"),
        (("duckdb",), "functions", "select current_setting('x') from staff"),
        (ALL, "functions", "select version() from staff"),
        (("mysql",), "functions", "select database() from staff"),
        (("postgres", "duckdb"), "syntax", "select database() from staff"),
        (("postgres", "duckdb"), "types", "select 'staff'::regclass from staff"),
        (("postgres",), "types", "select cast('1' as my_type) from staff"),
        # A query where a number belongs
        (ALL, "constructs", "select id from staff limit (select max(salary) from staff)"),
        (ALL, "constructs", "select id from staff limit 1 offset (select max(salary) from staff)"),
        (("duckdb",), "constructs", "select id from staff order by all"),
        (("postgres",), "columns", "select id from staff order by all"),
        # Structures and lists
        (("duckdb",), "no_parameters", "select {'a': salary} from staff"),
        (("duckdb",), "functions", "select [salary] from staff"),
        (("postgres",), "functions", "select array[salary] from staff"),
        (("duckdb",), "constructs", "select email[1] from staff"),
        (("duckdb",), "columns", "select staff.email.domain from staff"),
        (("duckdb",), "no_parameters", "select struct_pack(a := salary) from staff"),
        (("duckdb",), "no_lambdas", "select list_transform([1], x -> x + 1) from staff"),
        (("postgres",), "functions", "select row(staff.*) from staff"),
        # Texts that another parser may read differently
        (("postgres",), "constructs", "select E'it\\'s' from staff"),
        (("postgres",), "constructs", "select $$text$$ from staff"),
        # Names
        (ALL, "size", f"select {'x' * 61}.id from staff as {'x' * 61}"),
        (("postgres",), "columns", 'select "Salary" from staff'),
        (("postgres",), "columns", 'select U&"s\\0061lary" from staff'),
    ],
)  # fmt: skip
def test_a_trick_is_refused(dialects: tuple[str, ...], rule: str, text: str) -> None:
    for dialect in dialects:
        assert refusal(text, dialect=dialect, forbidden=FORBIDDEN) == rule, dialect


@pytest.mark.parametrize(
    ("dialect", "text", "sent"),
    [
        ("mysql", "select /*!50000 salary, */ id from staff", "salary"),
        ("mysql", "select id /*!40000 , salary */ from staff", "salary"),
        ("mysql", "select id -- , salary\nfrom staff", "salary"),
        ("postgres", "select id /* /* salary */ salary */ from staff", "salary"),
        ("duckdb", "select id from staff -- where salary", "salary"),
    ],
)
def test_what_stands_in_a_comment_is_not_sent(dialect: str, text: str, sent: str) -> None:
    assert sent not in guarded(text, dialect=dialect, forbidden=FORBIDDEN).query.sql(dialect).casefold()


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", "table depts"),
        ("duckdb", "from depts"),
        ("duckdb", "from depts select title"),
        ("mysql", 'select `id` from `staff` where `Name` = "x" limit 5, 10'),
        ("mysql", "select concat('a', \"b\") from staff"),
    ],
)
def test_what_only_looks_odd_is_let_through(dialect: str, text: str) -> None:
    assert refusal(text, dialect=dialect) == ""


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize("text", ["it''s", "a\\\\", "\\\\''; drop table staff; --", "`", '"', "%", "$$"])
def test_a_text_stays_a_text(dialect: str, text: str) -> None:
    sent = guarded(f"select id from staff where email = '{text}'", dialect=dialect).query.sql(dialect)
    again = guarded(sent.replace('"memory".', "").replace("`memory`.", ""), dialect=dialect).query.sql(dialect)
    assert again == sent


def test_the_order_and_the_figures_of_a_query_survive_its_bound() -> None:
    sent = guarded("select id from staff order by salary desc limit 50 offset 3", most_rows=10).query.sql("duckdb")
    assert sent.endswith('ORDER BY "staff"."salary" DESC LIMIT 10 OFFSET 3')
    union = guarded("select id from staff union select oid from orders order by 1", most_rows=10).query.sql("duckdb")
    assert union.endswith("ORDER BY 1 LIMIT 10")
    sent = guarded("select id from staff limit 5, 100", dialect="mysql", most_rows=10).query.sql("mysql")
    assert sent.endswith("LIMIT 10 OFFSET 5")


def test_long_chains_are_read_and_deep_nests_are_not() -> None:
    chain = " or ".join(f"id = {number}" for number in range(800))
    assert refusal(f"select id from staff where {chain}") == ""
    unions = " union all ".join(["select id from staff"] * 150)
    assert refusal(unions) == ""
    nested = "select id from staff"
    for _ in range(60):
        nested = f"select id from ({nested}) x"
    assert refusal(nested) in {"size", "syntax"}


def test_stars_that_stand_for_ever_more_columns_end() -> None:
    assert refusal(f"select {', '.join(['s.*'] * 700)} from staff s") == ""
    assert refusal(f"select {', '.join(['s.*'] * 800)} from staff s") == "size"
    levels = ["a0 as (select * from staff)"]
    levels += [f"a{level} as (select x.*, y.* from a{level - 1} x, a{level - 1} y)" for level in range(1, 40)]
    assert refusal(f"with {', '.join(levels)} select 1 from a39") == "columns"


def test_a_query_of_with_never_takes_the_name_of_a_table() -> None:
    sent = guarded("with depts as (select * from staff) select id from depts where id in (select 1 from main.depts)")
    assert 'WITH "depts_2"' in sent.query.sql("duckdb")
    assert 'FROM "depts_2" AS "depts"' in sent.query.sql("duckdb")
    assert {table.name for table in sent.tables} == {"staff", "depts"}


def test_what_was_asked_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        assert refusal("call pay('Ada Lovelace')", dialect="mysql")
        assert refusal("vacuum 'Ada Lovelace'", dialect="postgres")
    assert "Lovelace" not in caplog.text


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("bigquery", "select upper(dept) /* sqlglot.meta bigquery_name=external_query */ from staff"),
        ("clickhouse", "select upper(dept) /* sqlglot.meta clickhouse_name=url */ from staff"),
        *((dialect, "select id from staff where dept = 'd1' -- sqlglot.meta unshown=1") for dialect in ALL),
    ],
)
def test_comments_tell_the_writer_of_a_query_nothing(dialect: str, text: str) -> None:
    assert refusal(text, dialect=dialect) == "no_hints"
