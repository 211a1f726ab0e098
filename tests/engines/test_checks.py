"""Checks pushed down into real stores: every metric with exact figures on PostgreSQL, MariaDB and Parquet alike."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from benchmarks.quality.twins import drafts_for, loaded
from persistence.connectors.core.base import ConnectorError
from resolvers.engines.checks.builtin import builtin_checks, uncovered
from resolvers.engines.checks.evaluate import evaluate
from resolvers.engines.checks.examples import ExampleStyle, key_of
from resolvers.engines.checks.model import Check, CheckResult, Evaluation
from resolvers.engines.profiling import Header, profile_table
from resolvers.engines.rules.generate import draft_rules
from resolvers.engines.rules.trial import tried
from schema.data_readiness.rule import RuleOperator, RuleOutcome, RuleUnit
from schema.data_readiness.source import ColumnFacts, Sample, TableFacts
from tests.support.mariadb import mariadb_server
from tests.support.postgres import PostgresServer, database_name
from tests.support.profiles import facts_from
from tests.support.sources import opened

__all__ = ["mariadb_server"]

NOW = datetime(2026, 1, 3, tzinfo=UTC)
ROWS = """
    (1, 'a@x.io', 20, 'Rome', '1', null, '2026-01-01 00:00:00'), (2, 'b@x.io', 30, 'Rome', '1', 1, '2026-01-02 12:00:00'),
    (3, null, 999, 'Oslo', '2', 1, null), (4, 'nope', -1, 'Olso', '2', 77, null),
    (5, ' ', 5, 'Oslo', '2', 3, null), (6, 'A@x.io', null, 'N/A', null, 3, null), (7, 'a@x.io', 7, 'ROME', '3', 2, null)
"""  # noqa: E501
CREATE = "create table people (id int primary key, email varchar(40), age int, city varchar(40), zip varchar(9), boss int, seen timestamp null)"  # noqa: E501
COLUMNS = {
    "id": "INTEGER", "email": "VARCHAR", "age": "INTEGER", "city": "VARCHAR", "zip": "VARCHAR", "boss": "INTEGER",
    "seen": "TIMESTAMP",
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """A table to be made in a store."""

    name: str
    create: str
    rows: str
    columns: dict[str, str]


PEOPLE = Shape("people", CREATE, ROWS, COLUMNS)


@dataclass
class Store:
    """A real store with the table in it."""

    source: Any
    table: TableFacts

    def run(self, *checks: Check, how: ExampleStyle | None = None) -> Evaluation:
        """Evaluate checks of the table."""
        how = how or ExampleStyle(key_of(self.table))
        return evaluate(self.source, self.table, checks, now=NOW, how=how)

    def check(self, metric: str | None, column: str | None = None, /, key: str = "", **given: Any) -> Check:
        """A check of the table or of a column."""
        named = {name: given.pop(name) for name in ("operator", "threshold", "unit", "query") if name in given}
        fqn = f"{self.table.fqn}.{column}" if column else self.table.fqn
        return Check(key or f"{metric} {column} {given}", metric, fqn, metric or "sql", given, **named)

    def one(self, metric: str | None, column: str | None = None, /, **given: Any) -> CheckResult:
        """Return what one check comes to."""
        check = self.check(metric, column, **given)
        return self.run(check).results[check.key]


def facts(database: str, schema: str, shape: Shape = PEOPLE) -> TableFacts:
    fqn = f"svc.{database}.{schema}.{shape.name}"
    columns = tuple(
        ColumnFacts(f"{fqn}.{name}", name, place, kind, is_primary_key=name == "id")
        for place, (name, kind) in enumerate(shape.columns.items(), start=1)
    )
    return TableFacts(fqn, "data:x", database, schema, shape.name, columns)


@contextmanager
def on_postgres(request: pytest.FixtureRequest, tmp_path: Path, shape: Shape = PEOPLE) -> Iterator[Store]:
    server: PostgresServer = request.getfixturevalue("postgres_server")
    url = server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"{shape.create}; insert into {shape.name} values {shape.rows}".encode())
    place = {"host": server.host, "port": server.port, "database": database_name(url)}
    login = {"username": server.user, "password": server.password}
    with opened("postgres", place, login) as connector, connector.source() as source:
        yield Store(source, facts(database_name(url), "public", shape))
    server.drop_database(url)


@contextmanager
def on_mariadb(request: pytest.FixtureRequest, tmp_path: Path, shape: Shape = PEOPLE) -> Iterator[Store]:
    server = request.getfixturevalue("mariadb_server")
    name = server.create_database()
    server.execute(shape.create, f"insert into {shape.name} values {shape.rows}", database=name)
    place = {"host": server.host, "port": server.port, "database": name}
    with opened("mysql", place, {"username": server.user, "password": server.password}) as connector:
        (schema,) = connector.schemas()
        with connector.source() as source:
            yield Store(source, facts(schema.database, schema.name, shape))
    server.drop_database(name)


@contextmanager
def on_parquet(request: pytest.FixtureRequest, tmp_path: Path, shape: Shape = PEOPLE) -> Iterator[Store]:
    folder = tmp_path / "lake"
    folder.mkdir()
    with duckdb.connect() as connection:
        connection.execute(f"{shape.create}; insert into {shape.name} values {shape.rows}")
        connection.execute(f"copy {shape.name} to '{folder / shape.name}.parquet' (format parquet)")
    with opened("nfs", {"path": str(folder)}, roots=(str(tmp_path),)) as connector:
        (schema,) = connector.schemas()
        with connector.source() as source:
            yield Store(source, facts(schema.database, schema.name, shape))


STORES: dict[str, Callable[..., Any]] = {"postgres": on_postgres, "mariadb": on_mariadb, "parquet": on_parquet}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with STORES[request.param](request, tmp_path) as made:
        yield made


PASSED, FAILED, UNKNOWN = RuleOutcome.PASSED, RuleOutcome.FAILED, RuleOutcome.NOT_EVALUATED
AT_LEAST, AT_MOST = RuleOperator.MUST_BE_GREATER_OR_EQUAL_TO, RuleOperator.MUST_BE_LESS_OR_EQUAL_TO
BETWEEN = RuleOperator.MUST_BE_BETWEEN


def test_every_metric_counts_the_same_in_every_store(store: Store) -> None:
    fqn = store.table.fqn
    wanted: dict[str, tuple[Check, tuple[int, int]]] = {
        "nulls": (store.check("nullValues", "email"), (6, 7)),
        "no nulls": (store.check("nullValues", "id"), (7, 7)),
        "missing": (store.check("missingValues", "email"), (5, 7)),
        "stand-ins": (store.check("missingValues", "city", missingValues=["N/A", "?"]), (6, 7)),
        "numbers cannot be blank": (store.check("missingValues", "age"), (6, 7)),
        "pattern, case and all": (store.check("invalidValues", "email", pattern="^[a-z]+@x[.]io$"), (3, 6)),
        "format": (store.check("invalidValues", "email", format="email"), (4, 6)),
        "texts, case and all": (store.check("invalidValues", "city", validValues=["Rome", "Oslo"]), (4, 7)),
        "numbers": (store.check("invalidValues", "age", validValues=[20, "30", 5.0]), (3, 6)),
        "range": (store.check("invalidValues", "age", minimum="0", maximum="120"), (4, 6)),
        "moments": (store.check("invalidValues", "seen", minimum="2026-01-02"), (1, 2)),
        "outliers": (store.check("outlierValues", "age", maximum=100), (5, 6)),
        "pair": (store.check("duplicateValues", properties=["city", "zip"]), (2, 6)),
        "key": (store.check("duplicateValues", "id"), (7, 7)),
        "self": (
            store.check("brokenReferences", "boss", columns=["boss"], targetFqn=fqn, targetColumns=["id"]), (5, 6)
        ),
        "zip decides city": (store.check("inconsistentRows", determinant=["zip"], dependent="city"), (5, 6)),
        "fresh": (store.check("staleData", column="seen", maxAgeSeconds=43200), (1, 1)),
        "stale": (store.check("staleData", column="seen", maxAgeSeconds=43199), (0, 1)),
        "sql rows": (store.check(None, query="select * from people where age > 100 or age < 0", key="a"), (5, 7)),
        "sql count": (store.check(None, query="select count(*) from people where age < 0", key="b"), (6, 7)),
    }  # fmt: skip
    if store.source.dialect == "mysql":  # what a key is follows the column's collation, as a key of its own would
        wanted["pair"] = (wanted["pair"][0], (2, 6))
    done = store.run(*(check for check, _ in wanted.values()))
    found = {
        name: (done.results[check.key].numerator, done.results[check.key].denominator)
        for name, (check, _) in wanted.items()
    }
    assert found == {name: figures for name, (_, figures) in wanted.items()}, [
        one.reason for one in done.results.values() if one.reason
    ]


@pytest.mark.parametrize(
    ("operator", "threshold", "outcome", "figures"),
    [
        (AT_LEAST, (7,), PASSED, (7, 7)),
        (AT_LEAST, (8,), FAILED, (7, 8)),
        (AT_MOST, (6,), FAILED, (6, 7)),
        (RuleOperator.MUST_BE_GREATER_THAN, (7,), FAILED, (7, 8)),
        (RuleOperator.MUST_BE_LESS_THAN, (7,), FAILED, (6, 7)),
        (BETWEEN, (7, 9), PASSED, (7, 7)),
        (BETWEEN, (8, 9), FAILED, (7, 8)),
        (BETWEEN, (1, 2), FAILED, (2, 7)),
        (RuleOperator.MUST_NOT_BE, (7,), FAILED, (0, 7)),
        (RuleOperator.MUST_NOT_BE_BETWEEN, (1, 9), FAILED, (0, 7)),
        (RuleOperator.MUST_NOT_BE_BETWEEN, (8, 9), PASSED, (7, 7)),
        (BETWEEN, (8,), UNKNOWN, (None, None)),
    ],
)
def test_the_number_of_rows_is_compared_as_the_operator_says(
    tmp_path: Path, request: pytest.FixtureRequest, operator: Any, threshold: Any, outcome: RuleOutcome, figures: Any
) -> None:
    with on_parquet(request, tmp_path) as store:
        result = store.one("rowCount", operator=operator, threshold=threshold)
    assert (result.outcome, (result.numerator, result.denominator)) == (outcome, figures)


def test_percent_is_of_what_was_looked_at(store: Store) -> None:
    allowed = store.one("nullValues", "email", unit=RuleUnit.PERCENT, operator=AT_MOST, threshold=(14.2858,))
    assert (allowed.outcome, allowed.value) == (PASSED, "14.2857")
    assert (
        store.one("nullValues", "email", unit=RuleUnit.PERCENT, operator=AT_MOST, threshold=(14.28,)).outcome is FAILED
    )


def test_one_scan_counts_many_checks(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    ask = store.source.ask
    monkeypatch.setattr(store.source, "ask", lambda query: asked.append(query) or ask(query))
    checks = [
        store.check("nullValues", name) for name in COLUMNS if name not in ("email", "age", "boss", "zip", "seen")
    ]
    checks += [
        store.check("invalidValues", "id", minimum=0),
        store.check("rowCount", operator=AT_LEAST, threshold=(1,)),
    ]
    assert {one.outcome for one in store.run(*checks).results.values()} == {PASSED}
    assert len(asked) == 1


def test_a_row_that_breaks_two_checks_of_a_metric_counts_once(store: Store) -> None:
    low = store.check("invalidValues", "age", minimum=6, key="low")
    odd = store.check("invalidValues", "age", maximum=900, key="high")
    also = store.check("invalidValues", "age", minimum=0, key="also")
    (counted,) = store.run(low, odd, also).counted
    assert (counted.numerator, counted.denominator, counted.checks) == (3, 6, ("low", "high", "also"))


def test_one_bad_check_takes_no_other_down(store: Store) -> None:
    good = store.check("nullValues", "email")
    gone = store.check("nullValues", "gone")
    bad = store.check("invalidValues", "email", pattern="[")
    odd = store.check("invalidValues", "city", minimum="2")
    refused = store.check(None, query="delete from people", key="sql")
    done = store.run(good, gone, bad, odd, refused).results
    assert (done[good.key].outcome, done[good.key].numerator) == (FAILED, 6)
    assert {done[one.key].outcome for one in (gone, bad, odd, refused)} == {UNKNOWN}
    assert "no column 'gone'" in str(done[gone.key].reason)
    assert "no regular expression" in str(done[bad.key].reason)
    assert "(rule: no_writes)" in str(done[refused.key].reason)


def test_a_figure_that_counts_no_rows_is_told_without_it(store: Store) -> None:
    good = store.check("nullValues", "email")
    odd = [
        store.check(None, query=f"select {figure} from people", key=figure)
        for figure in ("max(email)", "max(seen)", "0.5 * count(*)", "0 - count(*)", "avg(age) / 7")
    ]
    done = store.run(good, *odd).results
    assert done[good.key].outcome is FAILED
    for check in odd:
        assert done[check.key].outcome is UNKNOWN, check.key
        assert "counts rows" in str(done[check.key].reason)
        assert "@" not in str(done[check.key].reason)


def test_a_figure_over_personal_data_is_a_count(store: Store) -> None:
    how = ExampleStyle(key_of(store.table), masked=frozenset({"age", "email"}))
    for query, told in (
        ("select count(*) from people where age < 0", True),
        ("select count(distinct email) as n from people", True),
        ("select sum(age) from people where id = 1", False),
        ("select count(*) + max(age) from people", False),
        ("select max(a) from (select age as a from people) as q", False),
    ):
        check = store.check(None, query=query, key=query)
        result = store.run(check, how=how).results[query]
        assert (result.outcome is not UNKNOWN) is told, query
        if not told:
            assert result.value is None
            assert "COUNT" in str(result.reason)


def test_a_column_that_the_store_no_longer_has_is_told_and_the_rest_is_counted(store: Store) -> None:
    gone = ColumnFacts(f"{store.table.fqn}.ghost", "ghost", 9, "VARCHAR")
    columns = (*store.table.columns, gone)
    store.table = TableFacts(store.table.fqn, "data:x", store.table.database, store.table.schema, "people", columns)
    ghost, real = store.check("nullValues", "ghost"), store.check("nullValues", "email")
    done = store.run(ghost, real)
    assert done.results[ghost.key].outcome is UNKNOWN
    assert "ghost" in str(done.results[ghost.key].reason)
    assert [(one.asset_fqn, one.numerator) for one in done.counted] == [(f"{store.table.fqn}.email", 6)]


def test_examples_have_the_key_and_hide_what_is_personal(store: Store) -> None:
    found = store.one("invalidValues", "age", minimum=0, maximum=120).examples
    assert found == (
        {"key": {"id": "3"}, "values": {"age": "999"}}, {"key": {"id": "4"}, "values": {"age": "-1"}},
    )  # fmt: skip
    check = store.check("invalidValues", "email", format="email")
    hidden = store.run(check, how=ExampleStyle(("id",), frozenset({"email"}))).results[check.key]
    assert hidden.examples[0] == {"key": {"id": "4"}, "values": {"email": "***"}}
    whole = store.run(check, how=ExampleStyle(("id",), None)).results[check.key]
    assert whole.examples[0] == {"key": {"id": "***"}, "values": {"email": "***"}}
    (apart,) = store.one("inconsistentRows", determinant=["zip"], dependent="city").examples
    values = [{"value": "Oslo", "rows": 2}, {"value": "Olso", "rows": 1}]
    assert apart == {"values": {"zip": "2"}, "dependent": "city", "different": 2, "rows": 3, "beside": values}
    keyless = store.run(check, how=ExampleStyle()).results[check.key]
    assert {"values": {"email": "nope"}, "rows": 1} in keyless.examples


class Failing:
    """A source whose every question ends the same way."""

    dialect = "duckdb"

    def __init__(self, kind: str) -> None:
        self.kind, self.asked = kind, 0

    def relation(self, database: str, schema: str, table: str) -> Any:
        """A table."""
        from sqlglot import exp

        return exp.table_(table, quoted=True)

    def ask(self, query: Any) -> Any:
        """Fail."""
        self.asked += 1
        raise ConnectorError(self.kind, "It may not be read.")


def test_what_may_not_be_read_is_not_evaluated_and_what_cannot_be_reached_goes_on() -> None:
    table = facts("db", "s")
    checks = [Check(str(n), "nullValues", f"{table.fqn}.{name}", "m") for n, name in enumerate(COLUMNS)]
    done = evaluate(Failing("permission"), table, checks, now=NOW, how=ExampleStyle())  # type: ignore[arg-type]
    assert {(one.outcome, one.reason) for one in done.results.values()} == {(UNKNOWN, "It may not be read.")}
    assert done.counted == ()
    slow = Failing("timeout")
    late = evaluate(slow, table, checks, now=NOW, how=ExampleStyle())  # type: ignore[arg-type]
    assert {one.outcome for one in late.results.values()} == {UNKNOWN}
    assert slow.asked == 3
    with pytest.raises(ConnectorError):
        evaluate(Failing("unreachable"), table, checks, now=NOW, how=ExampleStyle())  # type: ignore[arg-type]


def test_built_in_checks_give_way_to_rules(store: Store) -> None:
    rule = store.check("nullValues", "email", key="rule")
    own = [one.check for one in builtin_checks(store.table, None, None)]
    rule = Check("rule", "nullValues", rule.asset_fqn, own[0].counts_in)
    done = store.run(rule, *own)
    about = [one for one in done.counted if one.asset_fqn == rule.asset_fqn and one.counts_in == rule.counts_in]
    assert [(one.numerator, one.denominator, one.checks) for one in about] == [(6, 7, ("rule",))]
    assert len({(one.counts_in, one.asset_fqn) for one in done.counted}) == len(done.counted)


def test_moments_measures_and_names_that_hardly_repeat_are_no_keys_without_a_reason() -> None:
    start = date(2020, 1, 1)
    rows = [
        (n, f"c{n % 996}", n % 996, f"Ann {chr(97 + n % 26)}{chr(97 + n % 996 // 26)}o", n % 996 / 7, f"K-{n % 996}",
         (start + timedelta(days=n % 996)).isoformat(), (start + timedelta(days=n)).isoformat())
        for n in range(1000)
    ]  # fmt: skip
    columns = ("number", "sku", "paid", "name", "ratio", "order_no", "joined", "born")
    with loaded(columns, rows) as table:
        profile = profile_table(table.source, table.facts, Header(id="", workflow_run_id="", now=NOW))
    near = [one.columns for one in profile.candidate_keys if len(one.columns) == 1]
    assert ["joined"] in near
    made = builtin_checks(table.facts, profile, None)
    keys = {one.check.columns for one in made if one.check.metric == "duplicateValues"}
    assert ("number",) in keys
    assert keys <= {("number",), ("sku",), ("order_no",)}


def test_infinity_is_no_repeat_of_a_key(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    with on_postgres(request, tmp_path) as store:
        name = store.table.database
        server: PostgresServer = request.getfixturevalue("postgres_server")
        with psycopg.connect(server.url(name), autocommit=True) as connection:
            connection.execute(
                "alter table people add joined date, add ratio real; update people set joined ="
                " case when id < 4 then 'infinity' when id < 6 then '-infinity' else '2026-01-01'::date end,"
                " ratio = case when id < 3 then 'NaN' when id < 5 then '-Infinity' else id::real end"
            )
        place = len(store.table.columns)
        more = [ColumnFacts(f"{store.table.fqn}.{one}", one, place, kind)
                for one, kind in (("joined", "DATE"), ("ratio", "REAL"))]  # fmt: skip
        store.table = replace(store.table, columns=(*store.table.columns, *more))
        joined, ratio = (store.one("duplicateValues", one.name) for one in more)
        assert (joined.numerator, joined.denominator) == (0, 2)
        assert [one["values"] for one in joined.examples] == [{"joined": "2026-01-01"}]
        assert (ratio.numerator, ratio.denominator) == (3, 3)
        pair = store.one("duplicateValues", properties=["joined", "ratio"])
        assert (pair.numerator, pair.denominator) == (5, 7)


def test_values_are_checked_as_they_were_read(request: pytest.FixtureRequest) -> None:
    server: PostgresServer = request.getfixturevalue("postgres_server")
    url = server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            """
            create type mood as enum ('glad', 'sad', 'n/a', 'never used');
            create table odd as select n as id, ('10.0.' || n % 200 || '.' || n % 250)::inet as ip,
                ('10.' || n % 200 || '.0.0/16')::cidr as net, ('::ffff:1.2.3.' || n % 200)::inet as six,
                (array['glad', 'sad', 'n/a'])[1 + n % 3]::mood as mood, md5(n::text)::uuid as tag,
                ('A-' || n % 90 + 10)::char(8) as code
            from generate_series(1, 400) n
            """
        )
    place = {"host": server.host, "port": server.port, "database": database_name(url)}
    login = {"username": server.user, "password": server.password}
    with opened("postgres", place, login) as connector, connector.source() as source:
        table = facts_from(connector, database_name(url), "public", "odd")["odd"]
        profile = profile_table(source, table, Header(id="", workflow_run_id="", now=NOW))
        sample = source.sample(
            source.relation(table.database, "public", "odd"), [one.name for one in table.columns], 1000
        )
        drafts = [one for one in draft_rules(table, profile, sample) if one.metric != "suspectValues"]
        checks = [
            Check(one.name, one.metric, one.asset_fqn, "x", one.arguments, one.operator, one.threshold, one.unit)
            for one in drafts
        ]
        found = evaluate(source, table, checks, now=NOW, how=ExampleStyle()).results
    server.drop_database(url)
    assert {"ip.format_ipv4", "net.pattern", "mood.known_values", "tag.format_uuid"} <= set(found)
    wrong = {name: one for name, one in found.items() if one.outcome is not PASSED}
    assert wrong == {}
    (ip,) = (one for one in profile.columns if one.name == "ip")
    assert {ip.minimum, ip.maximum} <= {one.value for one in ip.top_values} | {str(row[1]) for row in sample.rows}


@pytest.mark.parametrize("is_whole", [True, False])
def test_rules_that_the_store_does_not_confirm_are_not_offered(is_whole: bool) -> None:
    rows = [(f"K-{n:04d}", ("open", "done")[n % 2], n) for n in range(200)]
    with loaded(("code", "state", "paid"), rows) as table:
        made = {one.name: one for one in drafts_for(table, NOW)}
        code, other = made["code.pattern"], made["not_empty"]
        drafts = [
            code,
            other,
            replace(code, arguments={"pattern": "^K-[0-9]{4}/32$"}),  # as another spelling would be
            replace(code, arguments={"format": "no such"}),
            replace(made["paid.not_negative"], arguments={"maximum": "185"}),  # 7 % more than it says
            replace(made["paid.not_negative"], arguments={"maximum": "50"}),
        ]
        drafts = [replace(one, name=str(at)) for at, one in enumerate(drafts)]
        sample = Sample(("code", "state", "paid"), tuple(rows), is_whole)
        kept = [one.name for one in tried(table.source, table.facts, drafts, sample)]
    assert kept == (["0", "1"] if is_whole else ["0", "1", "4"])


def test_a_form_is_expected_of_texts_that_nearly_all_have_it() -> None:
    table = facts("db", "s")
    rows = (*((f"m{n}@x.io",) for n in range(40)), ("nope",))
    made = builtin_checks(table, None, Sample(("email",), rows, True))
    assert [one.check.arguments for one in made if one.check.metric == "invalidValues"] == [{"format": "email"}]
    few = builtin_checks(table, None, Sample(("email",), rows[:10], True))
    assert [one for one in few if one.check.metric == "invalidValues"] == []


def test_what_a_rule_says_of_the_same_columns_is_not_said_twice() -> None:
    columns = (
        ColumnFacts("s.d.p.orders.id", "id", 1, "INTEGER", is_primary_key=True),
        ColumnFacts("s.d.p.orders.buyer", "buyer", 2, "INTEGER", references=("s.d.p.people", "id")),
    )
    keys = ({"type": "PRIMARY_KEY", "columns": ["id"]},)
    table = TableFacts("s.d.p.orders", "data:a:b:s", "d", "p", "orders", columns, keys=keys)
    builtins = builtin_checks(table, None, None)
    said = {(one.check.metric, one.check.asset_fqn) for one in builtins}
    assert {("brokenReferences", "s.d.p.orders.buyer"), ("duplicateValues", "s.d.p.orders.id")} < said
    told = {"columns": ["buyer"], "targetFqn": "s.d.p.people", "targetColumns": ["id"]}
    rules = [
        Check("1", "brokenReferences", "s.d.p.orders", "x", told),  # of the table, about the column
        Check("2", "duplicateValues", "s.d.p.orders", "x", {"properties": ["id", "buyer"]}),  # another key
        Check("3", "nullValues", "s.d.p.orders.id", "x", {}),
        Check("4", "nullValues", "s.d.p.others.buyer", "x", {}),  # another table
    ]
    left = {(one.check.metric, one.check.asset_fqn) for one in uncovered(builtins, rules)}
    assert said - left == {("brokenReferences", "s.d.p.orders.buyer"), ("nullValues", "s.d.p.orders.id")}
