"""Cells of the most sensitive columns are masked in answers until a policy or a setting shows them."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

from persistence.repository import Scope
from resolvers.assets.artifacts import download_artifact, preview_artifact
from resolvers.engines.nl2sql.model import ColumnKey, Unanswerable
from resolvers.talk2data.provenance import get_turn_provenance
from resolvers.utils.metadata import update_metadata
from schema.assets.artifact import TableFormat
from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.doors import Door, RestDoor
from tests.support.ingestion import Bench, Source, body_of, connected
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import ORG, World

__all__ = ["drafter", "source", "world"]

pytestmark = pytest.mark.anyio

CLINIC = """
    drop schema if exists sales cascade;
    create schema sales;
    create table sales.patients (
        id integer primary key, name text, ward text, chart text unique, access_code integer, password text,
        password_set_on date
    );
    create table sales.visits (id integer primary key, chart text references sales.patients (chart) on update cascade);
    insert into sales.patients values
        (1, 'Ada', 'A', 'ZEBRA1', 4711, 'hunter2', '2024-01-05'), (2, 'Ben', 'A', 'ZEBRA2', 4712, null, null),
        (3, 'Cy', 'B', 'ZEBRA3', 4713, 'swordfish', '2024-01-06');
    insert into sales.visits values (1, 'ZEBRA1');
    analyze;
"""
TOLD = (
    "The values of {} in patients are private, so they are shown as ****. Somebody who may write to this project can "
    "have them shown by a policy with the effect show."
)
Tagging = Callable[[str, str], Awaitable[None]]


@pytest.fixture
async def clinic(world: World, source: Source) -> Bench:
    """Patients, with a column that nobody can tell by its name, and one whose name says what it is."""
    source.run(CLINIC)
    source.may_read("sales")
    bench = await connected(world, RestDoor(world.client), body_of(source))
    await bench.ingest()
    return bench


@pytest.fixture
def tag(world: World, clinic: Bench, source: Source) -> Tagging:
    """Put a tag on a column of the patients by hand."""

    async def put(column: str, tag_fqn: str) -> None:
        category, name = tag_fqn.split(".")
        tags = [{"tag_id": tag_fqn, "tag_fqn": tag_fqn, "category_name": category, "tag_name": name}]
        await RestDoor(world.client)(
            update_metadata,
            world.owner,
            resource_type="data_connection",
            resource_uri=clinic.uri,
            fqn=f"shop.{source.database}.sales.patients.{column}",
            changes=MetadataAssetUpdate(tags=tags),
        )

    return put


async def found_by_engines(
    world: World, bench: Bench, source: Source, column: str, tag_fqn: str, state: ClassificationState
) -> None:
    """Let an engine have found what a column holds."""
    now, kind = world.clock(), ClassificationKind.PII if tag_fqn.startswith("PII") else ClassificationKind.SENSITIVITY
    found = Classification(
        id=str(uuid4()), asset_fqn=f"shop.{source.database}.sales.patients.{column}", resource_uri=bench.uri,
        kind=kind, tag_fqn=tag_fqn, state=state, confidence=0.9, evidence=[], recognizer_version="1",
        data_fingerprint="x", workflow_run_id=str(uuid4()), decided_by=None, decided_at=None, created_at=now,
        updated_at=now,
    )  # fmt: skip
    scope = Scope(ORG, world.shop)
    await world.app.parts.services.store.write(lambda uow: uow.classifications.put(scope, [found]))


async def test_cells_of_the_highest_level_are_in_no_part_of_an_answer(
    world: World, door: Door, clinic: Bench, source: Source, tag: Tagging, drafter: ScriptedDrafter
) -> None:
    await tag("chart", "Sensitivity.Restricted")
    drafter.script |= {
        "Charts?": draft("select name, chart from patients order by id"),
        "Whose?": draft("select chart from patients where name = 'Ada'"),
        "Greatest?": draft("select ward, max(chart) as most from patients group by ward order by ward"),
        "Hidden?": draft("with c as (select upper(chart) as x from patients) select substr(x, 2) as y from c limit 1"),
        "Visits?": draft("select chart from visits"),
        "Either?": draft("select name as one from patients union all select chart from patients order by one"),
    }
    got = await ask(world, "Charts?")
    assert got.result["rows"] == [["Ada", "****"], ["Ben", "****"], ["Cy", "****"]]
    assert got.done["warnings"] == [TOLD.format("chart")]
    assert got.text.startswith("3 rows. The first: name: Ada; chart: ****.")
    (artifact,) = got.of("artifact")
    shown = await door(preview_artifact, world.owner, resource_uri=artifact["resource_uri"])
    assert shown["rows"][0] == ["Ada", "****"]
    found = await door(get_turn_provenance, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"])
    assert "ZEBRA" not in str(got.events) + str(found)
    for question in ("Whose?", "Greatest?", "Hidden?", "Visits?", "Either?"):
        got = await ask(world, question)
        assert "****" in str(got.result["rows"]), question
        assert "EBRA" not in str(got.events), question
    assert ColumnKey(f"shop.{source.database}.sales.patients", "chart") in drafter.known[-1].private


async def test_no_format_of_the_rows_shows_them(
    world: World, door: Door, clinic: Bench, tag: Tagging, drafter: ScriptedDrafter
) -> None:
    await tag("chart", "Sensitivity.Restricted")
    drafter.script["Charts?"] = draft(
        "select name, chart, access_code / 100.0 as code from patients order by id limit 1"
    )
    (artifact,) = (await ask(world, "Charts?")).of("artifact")
    for form, expected in {
        TableFormat.CSV: b"name,chart,code\nAda,****,47.1100000000000000\n",
        TableFormat.JSON: b'[\n{"name":"Ada","chart":"****","code":47.1100000000000000}\n]\n',
    }.items():
        offer = await door(download_artifact, world.owner, resource_uri=artifact["resource_uri"], format=form)
        got = await world.request("GET", offer["url"], token=world.owner)
        assert got.content == expected
        other = await world.request("GET", offer["url"], token=await world.member("operator"))
        assert other.status_code == 403


async def test_what_is_counted_compared_and_joined_is_the_value_itself(
    world: World, clinic: Bench, tag: Tagging, drafter: ScriptedDrafter
) -> None:
    await tag("chart", "PII.HealthId")
    drafter.script |= {
        "How many?": draft("select count(distinct chart) as charts from patients"),
        "Who?": draft("select name from patients where chart = 'ZEBRA2'"),
        "Twins?": draft("select count(*) as n from patients a join patients b on a.chart = b.chart"),
        "Filled?": draft("select name, chart is null as missing from patients where id = 1"),
        "By ward?": draft(
            "select w, n from (select ward as w, count(chart) as n from patients group by 1) t order by w"
        ),
    }
    for question, rows in {
        "How many?": [[3]],
        "Who?": [["Ben"]],
        "Twins?": [[3]],
        "Filled?": [["Ada", False]],
        "By ward?": [["A", 2], ["B", 1]],
    }.items():
        got = await ask(world, question)
        assert got.result["rows"] == rows, question
        assert got.done["warnings"] == [], question


async def test_no_word_of_a_question_is_looked_for_in_them(
    world: World, clinic: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    fqn = f"shop.{source.database}.sales.patients"
    seen: list[list[str]] = []

    def looking(asked: Any, known: Any, lookup: Any) -> Any:
        found = lookup([ColumnKey(fqn, "password"), ColumnKey(fqn, "name")], ["hunter2", "Ada"])
        seen.append([one.value for one in found])
        return Unanswerable("No.")

    drafter.script["Who?"] = looking
    await ask(world, "Who?")
    await remembered(world, {"effect": "show", "columns": ["patients.password"]})
    await ask(world, "Who?")
    assert [sorted(found) for found in seen] == [["Ada"], ["Ada", "hunter2"]]


async def test_what_is_recognised_is_masked_before_anybody_approves_it_and_shown_when_somebody_rejects_it(
    world: World, clinic: Bench, source: Source, tag: Tagging, drafter: ScriptedDrafter
) -> None:
    given: dict[str, Any] = {"world": world, "bench": clinic, "source": source}
    drafter.script["All?"] = draft(
        "select chart, access_code, name, password, password_set_on from patients where id = 1"
    )
    # A name that can mean nothing else is enough.
    assert (await ask(world, "All?")).result["rows"] == [["ZEBRA1", 4711, "Ada", "****", "2024-01-05"]]
    await found_by_engines(**given, column="chart", tag_fqn="PII.HealthId", state=ClassificationState.SUGGESTED)
    await found_by_engines(
        **given, column="access_code", tag_fqn="Sensitivity.Restricted", state=ClassificationState.SUGGESTED
    )
    await found_by_engines(**given, column="name", tag_fqn="PII.PersonName", state=ClassificationState.SUGGESTED)
    await found_by_engines(**given, column="password", tag_fqn="PII.Secret", state=ClassificationState.REJECTED)
    got = await ask(world, "All?")
    assert got.result["rows"] == [["****", "****", "Ada", "hunter2", "2024-01-05"]]
    assert got.done["warnings"] == [TOLD.format("access_code and chart")]
    # A level that people have given counts for more than what was found.
    await tag("access_code", "Sensitivity.Confidential")
    assert (await ask(world, "All?")).result["rows"] == [["****", 4711, "Ada", "hunter2", "2024-01-05"]]


async def test_a_policy_shows_them_to_whom_it_names(
    world: World, door: Door, clinic: Bench, tag: Tagging, drafter: ScriptedDrafter
) -> None:
    await tag("chart", "PII.HealthId")
    operator = await world.member("operator")
    opened = await remembered(
        world, {"effect": "show", "columns": ["patients.chart"], "users": ["operator-of-project"]}, name="Doctors"
    )
    drafter.script["Charts?"] = draft("select chart from patients where id = 1")
    assert (await ask(world, "Charts?")).result["rows"] == [["****"]]
    got = await ask(world, "Charts?", token=operator)
    assert (got.result["rows"], got.done["warnings"]) == ([["ZEBRA1"]], [])
    path = f"/talk2data/chat/sessions/{got.turn['session_id']}/turns/{got.turn['turn_id']}"
    found = (await world.request("GET", f"{path}/provenance", token=operator)).json()
    assert [one["id"] for one in found["policies"]] == [opened["id"]]
    # It shows nothing that another policy hides.
    await remembered(world, {"effect": "mask", "columns": ["patients.chart"]}, pack="More", name="Nobody")
    assert (await ask(world, "Charts?", token=operator)).result["rows"] == [["****"]]


async def test_a_policy_that_says_how_to_show_them_stands_in_the_place_of_the_mask(
    world: World, clinic: Bench, source: Source, tag: Tagging, drafter: ScriptedDrafter
) -> None:
    await tag("chart", "PII.HealthId")
    source.run("update sales.patients set chart = 'ZEBRA-00-12' where id = 1")
    await remembered(world, {"effect": "mask", "mask": "last4", "columns": ["patients.chart"]})
    drafter.script["Charts?"] = draft("select chart from patients where id = 1")
    got = await ask(world, "Charts?")
    assert got.result["rows"] == [["****0-12"]]
    assert got.done["warnings"] == ["A policy masks chart of patients; what is compared or counted is the mask."]


class TestShownByTheDeployment:
    """A deployment may show them to everybody."""

    @pytest.fixture
    def setting_overrides(self) -> dict[str, Any]:
        """Mask nothing."""
        return {"turn_mask_restricted": False}

    async def test_a_setting_shows_them(self, world: World, clinic: Bench, drafter: ScriptedDrafter) -> None:
        drafter.script["Passwords?"] = draft("select password from patients where id = 1")
        got = await ask(world, "Passwords?")
        assert (got.result["rows"], got.done["warnings"]) == ([["hunter2"]], [])


async def test_a_ranking_does_not_show_a_secret_that_it_goes_by(
    world: World, clinic: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    source.run("update sales.patients set password = 'same'")
    drafter.script |= {
        "Last?": draft("select name from patients order by password desc limit 1"),
        "Which?": draft("select name, password from patients order by password desc limit 1"),
    }
    last = await ask(world, "Last?")
    assert [one["name"] for one in last.result["columns"]] == ["name"]
    assert "At least" not in last.text
    which = await ask(world, "Which?")
    assert which.result["rows"][0][1] == "****"
    assert "At least" not in which.text, "that two have the same is not told either"
