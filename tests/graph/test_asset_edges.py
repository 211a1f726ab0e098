"""What a table of the catalog leads to, for 31 tables in as many statements as for one."""

from typing import Any
from uuid import uuid4

import pytest

from persistence.queries.rules import Executed
from persistence.tables.talk2data import chat_sessions, turn_provenance, turns
from resolvers.engines.rules.draft import RuleDraft, measured_by
from rest_compat.explorer import examples
from schema.data_readiness.rule import RuleOperator, RuleOutcome, RuleState, RuleType, RuleUnit
from schema.data_readiness.violation import Severity
from tests.conftest import Statements
from tests.data_readiness.enrichment import profiled_columns
from tests.data_readiness.quality import find, finding, measure, scope_of
from tests.data_readiness.workflows import cataloged, proposed, run_in, written
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

PAGE = next(one.query for one in examples() if one.title == "The tables, with their scores")
TABLES = [f"svc.db.sch.t{number:02}" for number in range(31)]


async def ask(world: World, query: str, token: str | None = None, **variables: Any) -> Any:
    """The answer of the graph."""
    body = {"query": query, "variables": variables}
    answer = await world.request("POST", "/graphql", token=token or world.owner, json=body)
    return answer.json()


async def told(world: World, query: str, token: str | None = None, **variables: Any) -> Any:
    """The data of an answer without errors."""
    answer = await ask(world, query, token, **variables)
    assert "errors" not in answer, answer
    return answer["data"]


async def configured(world: World) -> Any:
    """A workflow configuration that stands."""
    body = {"name": "Work", "workflow_type": "profiling"}
    return (await world.request("POST", "/data-readiness/workflows", token=world.owner, json=body)).json()


async def ruled(world: World, run: str, tables: list[str]) -> None:
    """A rule about a column of each table, which a run found broken."""
    dimension, metric = measured_by("nullValues")
    drafts = [
        RuleDraft(
            name="amount is there", description=None, asset_fqn=f"{table}.amount", resource_uri="data:x",
            type=RuleType.LIBRARY, metric="nullValues", operator=RuleOperator.MUST_BE, threshold=(0.0,),
            unit=RuleUnit.ROWS, dimension_id=dimension, metric_definition_id=metric, severity=Severity.LOW,
        )
        for table in tables
    ]  # fmt: skip

    def work(uow: Any) -> dict[str, str]:
        kept = uow.quality_rules.put_drafts(
            scope_of(world), drafts, run_id=None, actor="olga", at=world.clock(), state=RuleState.ACTIVE
        )
        done = [Executed(one.rule, RuleOutcome.FAILED, 1, 2) for one in kept]
        found: dict[str, str] = uow.rule_executions.record(scope_of(world), run, done, at=world.clock())
        return found

    executions = await written(world, work)
    found = [
        finding(asset=f"{table}.amount", dq_rule_execution_id=execution)
        for table, execution in zip(tables, executions.values(), strict=True)
    ]
    await find(world, *found, run=run)


async def asked(world: World, tables: list[str], user: str = "olga") -> str:
    """A question whose answer read each of the tables; the id of its turn."""
    session, turn, now = str(uuid4()), str(uuid4()), world.clock()
    tenant = {"organization_id": ORG, "project_id": world.shop}
    kept = {"tables": [{"fqn": table} for table in tables]}

    def work(uow: Any) -> None:
        uow.connection.execute(
            chat_sessions.insert().values(
                **tenant,
                session_id=session,
                created_by=user,
                title=None,
                turn_count=1,
                message_count=0,
                artifact_count=0,
                created_at=now,
                updated_at=now,
                revision=1,
            )
        )
        uow.connection.execute(
            turns.insert().values(
                **tenant,
                turn_id=turn,
                session_id=session,
                task_id=str(uuid4()),
                position=0,
                state="completed",
                caller={},
                last_sequence=0,
                created_at=now,
                updated_at=now,
            )
        )
        uow.connection.execute(turn_provenance.insert().values(
            **tenant, turn_id=turn, kind="answer", provenance=kept, created_at=now
        ))  # fmt: skip

    await written(world, work)
    return turn


async def stocked(world: World, tables: list[str]) -> str:
    """Tables with everything that runs leave, measured twice; the second run."""
    await cataloged(world, *[f"{table}.amount" for table in tables])
    configuration = await configured(world)
    first, second = [await run_in(world, configuration, "completed", asset_fqn="svc.db.sch") for _ in range(2)]
    for run, good in ((first, 1), (second, 3)):
        figures = [("non_null_values", f"{table}.amount", good, 4) for table in tables]
        await measure(world, *figures, *[("described_assets", table, good - 1, 4) for table in tables], run=run)
    await ruled(world, second, tables)
    await proposed(world, second, *[{"asset_fqn": table} for table in tables])
    for table in tables:
        await profiled_columns(world, table, {"amount": "9"})
    body = {"name": "Revenue", "definition": "What was sold."}
    term = await world.request("POST", "/data-readiness/glossary/terms", token=world.owner, json=body)
    path = f"/data-readiness/glossary/terms/{term.json()['id']}/assets"
    for table in tables:
        assert (await world.request("POST", path, token=world.owner, json={"asset_fqn": table})).is_success
    return second


async def test_one_query_gives_the_page_of_31_tables_for_as_many_statements_as_of_one(
    world: World, statements: Statements
) -> None:
    await stocked(world, TABLES)
    assert len(PAGE.strip().splitlines()) <= 60
    await told(world, PAGE)  # what a process reads once is read
    costs = {}
    for number in (1, 31):
        await statements.anew()
        answer = await ask(world, PAGE.replace("first: 31", f"first: {number}"))
        assert "errors" not in answer, answer
        costs[number] = statements.counted()
        found = answer["data"]["searchMetadataConnection"]
        assert ([one["fullyQualifiedName"] for one in found["nodes"]], found["totalCount"]) == (TABLES[:number], 31)
        for one in found["nodes"]:
            assert one["scorecard"] == {
                "dataQuality": {"score": "0.7500", "change": {"difference": "0.5000"}},
                "metadata": {"score": "0.5000", "change": {"difference": "0.5000"}},
            }
            assert one["dataAsset"]["readiness"] == "PROFILED"
            assert one["profile"]["measuredAt"]
            assert one["runs"]["nodes"][0]["status"] == "COMPLETED"
            assert one["violations"]["totalCount"] == 1
            assert [each["name"] for each in one["violations"]["nodes"]] == ["null_values"]
            assert one["proposals"]["totalCount"] == 1
            assert one["glossaryTerms"]["nodes"] == [{"name": "Revenue"}]
    assert costs[1] == costs[31]
    cost = answer["extensions"]["cost"]
    assert cost["requested"] < cost["limit"] / 50, cost
    wide = "".join(f"v{at}: violations(first: 100) {{ nodes {{ name }} }} " for at in range(10))
    many = PAGE.replace("first: 31", "first: 100").replace("profile {", f"{wide} profile {{")
    answer = await ask(world, many)
    assert answer["errors"][0]["extensions"]["details"] == {
        "nodes": answer["extensions"]["cost"]["nodes"],
        "limit": 100_000,
    }


ALL = """query($limit: Int!) { searchMetadata(assetType: TABLE, limit: $limit) { items {
  fullyQualifiedName project { name } parent { name }
  membersConnection { totalCount nodes { name parent { name } columnProfile { name } } }
  rules { totalCount nodes { name asset { name } project { name } executions { totalCount nodes {
    outcome rule { name } run { id } } } } }
  violations { nodes { rule { name } run { configuration { name } } asset { name } project { name }
    historyConnection { totalCount } } }
  proposals { nodes { run { id } asset { name } standingValue } }
  classificationsConnection { totalCount }
  glossaryTerms { nodes { name parent { name } children { totalCount } project { name }
    assetsConnection(first: 1) { totalCount nodes { asset { name } } } } }
  runs { totalCount nodes { configuration { name runsConnection { totalCount } } project { name }
    tasksConnection { totalCount } proposals(first: 1) { totalCount } violations(first: 1) { totalCount }
    ruleExecutions(first: 1) { totalCount } metricResults(first: 1) { totalCount nodes { score } }
    profiles { totalCount } classifications { totalCount } } }
  questions { totalCount nodes { turnId session { sessionId turnsConnection { totalCount } } } }
  references { toFqn } referencedBy { fromFqn } dataAsset { metadataAsset { name } }
  scorecard { overallScore change { difference }
    dimensions { name score metrics { name change { difference } } } } } } }
"""


async def test_every_edge_costs_as_many_statements_for_ten_tables_as_for_one(
    world: World, statements: Statements
) -> None:
    run = await stocked(world, TABLES[:10])
    await told(world, ALL, limit=1)  # what a process reads once is read
    mine, other = await asked(world, TABLES[:10]), await asked(world, TABLES[:10], user="somebody")
    costs = {}
    for number in (1, 10):
        await statements.anew()
        items = (await told(world, ALL, limit=number))["searchMetadata"]["items"]
        costs[number] = statements.counted().total()
        assert len(items) == number
        for item in items:
            name = item["fullyQualifiedName"].rpartition(".")[2]
            assert (item["project"], item["parent"]) == ({"name": "shop"}, {"name": "sch"})
            members = item["membersConnection"]
            assert members == {
                "totalCount": 1,
                "nodes": [{"name": "amount", "parent": {"name": name}, "columnProfile": {"name": "amount"}}],
            }
            (rule,) = item["rules"]["nodes"]
            assert (rule["asset"], rule["project"]) == ({"name": "amount"}, {"name": "shop"})
            assert rule["executions"]["nodes"] == [
                {"outcome": "FAILED", "rule": {"name": "amount is there"}, "run": {"id": run}}
            ]
            (violation,) = item["violations"]["nodes"]
            assert violation == {
                "rule": {"name": "amount is there"}, "run": {"configuration": {"name": "Work"}},
                "asset": {"name": "amount"}, "project": {"name": "shop"}, "historyConnection": {"totalCount": 1},
            }  # fmt: skip
            assert item["proposals"]["nodes"] == [{"run": {"id": run}, "asset": {"name": name}, "standingValue": None}]
            (term,) = item["glossaryTerms"]["nodes"]
            assert (term["parent"], term["children"]["totalCount"]) == (None, 0)
            assert term["assetsConnection"] == {"totalCount": 10, "nodes": [{"asset": {"name": "t00"}}]}
            assert item["runs"]["totalCount"] == 2
            latest = item["runs"]["nodes"][0]
            assert latest["configuration"] == {"name": "Work", "runsConnection": {"totalCount": 2}}
            assert [latest[one]["totalCount"] for one in ("proposals", "violations", "ruleExecutions")] == [10] * 3
            assert (latest["metricResults"]["totalCount"], latest["tasksConnection"]["totalCount"]) == (20, 0)
            assert [one["turnId"] for one in item["questions"]["nodes"]] == [mine]
            assert mine != other
            assert item["dataAsset"]["metadataAsset"] == {"name": name}
            assert item["scorecard"]["change"] == {"difference": "0.5000"}
    # Which edges of one kind meet in a batch depends on how long the reads before them take, not on how many tables
    # there are.
    assert abs(costs[10] - costs[1]) <= 3, costs


async def test_a_card_of_an_edge_is_the_card_of_the_root(world: World) -> None:
    await stocked(world, TABLES[:2])
    fields = """overallScore scope entity { service databaseName schemaName tableName } asOf workflowRunId
      change { score scoreBefore difference workflowRunId measuredAt } dataQuality { score change { difference } }
      metadata { score change { difference } }
      dimensions { name weight score numerator denominator change { difference } metrics {
        name score numerator denominator assetCount change { difference } results { assetFqn score }
        violations { name } ruleExecutions { ruleName } } }"""
    query = f"query($fqn: String!) {{ scorecard(request: {{assetFqn: $fqn}}) {{ {fields} }} }}"
    edge = f"{{ searchMetadata(assetType: TABLE) {{ items {{ scorecard {{ {fields} }} }} }} }}"
    items = (await told(world, edge))["searchMetadata"]["items"]
    for table, item in zip(TABLES, items, strict=False):
        assert item["scorecard"] == (await told(world, query, fqn=table))["scorecard"]
    columns = "{ searchMetadata(assetType: COLUMN) { items { scorecard { overallScore } } } }"
    assert (await told(world, columns))["searchMetadata"]["items"] == [{"scorecard": None}] * 2
    project = f'{{ project(projectId: "{world.shop}") {{ scorecard {{ {fields} }} organization {{ id }} }} }}'
    whole = (await told(world, project))["project"]
    assert whole["organization"] == {"id": ORG}
    assert whole["scorecard"] == (await told(world, f"{{ scorecard {{ {fields} }} }}"))["scorecard"]


async def test_lists_inside_are_walked_by_cursors_in_both_directions(world: World) -> None:
    await cataloged(world, "svc.db.sch.t.a")
    kinds = ("null_values", "implausible_values", "stale_data", "invalid_values", "missing_tags")
    for kind in kinds:
        await find(world, finding(kind, asset="svc.db.sch.t.a"))
    query = """query($first: Int, $after: String, $last: Int, $before: String, $order: ViolationOrder) {
      searchMetadata(assetType: TABLE) { items { violations(
        first: $first, after: $after, last: $last, before: $before, order: $order) {
          totalCount nodes { name } edges { cursor node { name } }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }"""

    async def part(**given: Any) -> Any:
        (item,) = (await told(world, query, order="NEWEST_FIRST", **given))["searchMetadata"]["items"]
        assert item["violations"]["totalCount"] == len(kinds) + given.pop("more", 0)
        return item["violations"]

    whole = await part()
    names = [one["name"] for one in whole["nodes"]]
    assert names == list(reversed(kinds))
    assert [one["node"] for one in whole["edges"]] == whole["nodes"]
    seen, cursor = [], None
    while True:
        found = await part(first=2, after=cursor)
        seen += [one["name"] for one in found["nodes"]]
        assert found["pageInfo"]["hasPreviousPage"] is (cursor is not None)
        cursor = found["pageInfo"]["endCursor"]
        if not found["pageInfo"]["hasNextPage"]:
            break
    assert seen == names
    assert [one["name"] for one in (await part(last=2))["nodes"]] == names[3:]
    back = await part(last=2, before=whole["edges"][3]["cursor"])
    assert [one["name"] for one in back["nodes"]] == names[1:3]
    assert (back["pageInfo"]["hasPreviousPage"], back["pageInfo"]["hasNextPage"]) == (True, True)
    assert (await part(first=2, after=whole["edges"][4]["cursor"]))["nodes"] == []

    await find(world, finding("missing_values", asset="svc.db.sch.t.a"))
    (item,) = (await told(world, query, order="NEWEST_FIRST", first=2, after=whole["edges"][1]["cursor"]))[
        "searchMetadata"
    ]["items"]
    assert [one["name"] for one in item["violations"]["nodes"]] == names[2:4], "the walk goes on where it was"


async def test_bounds_and_cursors_that_do_not_hold_are_refused_by_their_names(world: World) -> None:
    await stocked(world, TABLES[:2])
    query = """query($first: Int, $last: Int, $after: String) { searchMetadata(assetType: TABLE) { items {
      violations(first: $first, last: $last, after: $after) { edges { cursor } } } } }"""
    for given, field in (
        ({"first": 0}, "first"), ({"first": 101}, "first"), ({"first": 1, "last": 1}, "last"),
        ({"after": "nonsense"}, "after"),
    ):  # fmt: skip
        answer = await ask(world, query, **given)
        (error, *_) = answer["errors"]
        assert error["extensions"]["code"] == "INVALID_PARAMETER", answer
        assert error["extensions"]["details"]["field"] == field
    first, second = (await told(world, query))["searchMetadata"]["items"]
    cursor = first["violations"]["edges"][0]["cursor"]
    assert cursor != second["violations"]["edges"][0]["cursor"], "a cursor is of one list"
    answer = await ask(world, query, after=cursor)
    assert [one["path"][2] for one in answer["errors"]] == [1], answer


async def test_an_edge_shows_what_the_caller_may_read_and_nothing_else(world: World) -> None:
    await stocked(world, TABLES[:1])
    viewer = await world.member("viewer")
    assert (await told(world, ALL, viewer, limit=1))["searchMetadata"]["items"][0]["violations"]["nodes"]
    assert await told(world, ALL, world.foreign_owner, limit=1) == {"searchMetadata": {"items": []}}
    lab = world.token("olga", project=world.lab)
    assert await told(world, ALL, lab, limit=1) == {"searchMetadata": {"items": []}}


async def test_relationships_lead_both_ways(world: World) -> None:
    await cataloged(world, "svc.db.sch.customers.id")
    relation = {"type": "FOREIGN_KEY", "schema": "sch", "table": "customers", "column": "id"}
    await cataloged(world, "svc.db.sch.orders.customer_id", column_relationships=[relation])
    query = """{ searchMetadata(assetType: TABLE) { items { name
      references { fromFqn toFqn toAsset { name parent { name } } } referencedBy { fromFqn fromAsset { name } } } } }"""
    customers, orders = (await told(world, query))["searchMetadata"]["items"]
    origin, target = "svc.db.sch.orders.customer_id", "svc.db.sch.customers.id"
    assert orders["references"] == [
        {"fromFqn": origin, "toFqn": target, "toAsset": {"name": "id", "parent": {"name": "customers"}}}
    ]
    assert customers["referencedBy"] == [{"fromFqn": origin, "fromAsset": {"name": "customer_id"}}]
    assert (customers["references"], orders["referencedBy"]) == ([], [])
