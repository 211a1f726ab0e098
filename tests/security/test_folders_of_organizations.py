"""A folder belongs to one organization unless the operator shares it: nobody reads another one's files."""

import ast
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.tables.governance import organizations
from resolvers.assets.data_connections import (
    create_data_connection,
    update_data_connection,
    verify_data_connection,
)
from resolvers.data_readiness.runs.operations import get_workflow_run, trigger_run
from resolvers.data_readiness.workflows import create_workflow_configuration
from schema.assets.data_connection import ConnectionType, DataConnectionChange, DataConnectionCreate
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from tests.doors import Door, RestDoor
from tests.support.ingestion import Bench, connected, keep_up
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter
from tests.talk2data.asking import world as asking_world
from tests.world import ORG, OTHER_ORG, World

__all__ = ["drafter"]

world = asking_world

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
SECRET = "globex-only-7731"
SETTING = "STOA_FILESYSTEM_ROOTS"


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A folder for each organization, with a file of the same name; the other one's holds its secret."""
    folder = tmp_path / "shares"
    for name, value in ((ORG, "own"), (OTHER_ORG, SECRET)):
        (folder / name).mkdir(parents=True)
        (folder / name / "parts.csv").write_text(f"part,note\nbolt,{value}\n")
    return folder


FORMS = {
    "placeholder": ("{folder}/{{organization}}",),
    "named": ("acme={folder}/acme", "globex={folder}/globex"),
}
"""The two ways in which each organization gets a folder of its own."""


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    """How the setting says whose a folder is."""
    return str(request.param)


@pytest.fixture
def setting_overrides(folders: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    """The setting, in the form that the test names, or the placeholder."""
    form = request.getfixturevalue("form") if "form" in request.fixturenames else "placeholder"
    return {"filesystem_roots": tuple(one.format(folder=folders) for one in FORMS[form])}


def body(path: Path, name: str = "Files") -> dict[str, Any]:
    """The body that registers a folder."""
    return {"name": name, "connection_type": ConnectionType.NFS, "filesystem_config": {"path": str(path)}}


async def verified(door: Door, token: str, path: Path) -> dict[str, Any]:
    """Return what verifying a folder answers."""
    made = await door(create_data_connection, token, connection=DataConnectionCreate(**body(path)))
    found: dict[str, Any] = await door(verify_data_connection, token, resource_uri=made["resource_uri"])
    return found


async def ran(world: World, door: Door, kind: WorkflowType, config: dict[str, Any], **given: Any) -> dict[str, Any]:
    """A run of the first organization, at its end."""
    configuration = await door(
        create_workflow_configuration,
        world.owner,
        configuration=WorkflowConfigurationCreate(name=kind, workflow_type=kind, config=config),
    )
    started = await door(trigger_run, world.owner, configuration_id=configuration["id"], run=RunCreate(**given))
    await world.jobs.settle()
    keep_up(world)
    run: dict[str, Any] = await door(
        get_workflow_run, world.owner, configuration_id=configuration["id"], run_id=started["id"]
    )
    return run


async def test_each_organization_verifies_its_own_folder_and_no_other(
    world: World, door: Door, folders: Path, form: str
) -> None:
    owners = {ORG: world.owner, OTHER_ORG: world.foreign_owner}
    for organization, token in owners.items():
        for name in owners:
            found = await verified(door, token, folders / name)
            assert found["success"] == (name == organization), found
            if name != organization:
                assert found["details"] == {"reason": "permission"}
                assert SETTING in found["message"]


async def test_a_path_around_the_placeholder_leads_nowhere(world: World, door: Door, folders: Path) -> None:
    said = set()
    for path in (folders, folders / "acme.." / "x", folders / "{organization}", folders / "acme-2", Path("/")):
        found = await verified(door, world.owner, path)
        assert not found["success"], path
        said.add(found["message"])
    assert len(said) == 1  # no answer tells what exists


@pytest.fixture
async def ingested(world: World, door: Door, folders: Path) -> Bench:
    """The first organization's own folder, ingested; then its connection is pointed to the other one's."""
    bench = await connected(world, door, body(folders / ORG))
    await bench.ingest()
    changes = DataConnectionChange(filesystem_config={"path": str(folders / OTHER_ORG)})
    await bench.call(update_data_connection, resource_uri=bench.uri, changes=changes)
    return bench


async def test_the_folder_of_another_is_neither_ingested_nor_profiled_nor_asked(
    world: World, door: Door, ingested: Bench, drafter: ScriptedDrafter
) -> None:
    refused = await ingested.ingest("failed")
    assert SETTING in refused["error_message"]
    profiled = await ran(world, door, WorkflowType.PROFILING, {}, asset_fqn="files")
    assert profiled["status"] == "failed"
    assert SETTING in profiled["error_message"]
    drafter.script["Which notes?"] = draft("select note from parts")
    got = await ask(world, "Which notes?")
    assert (got.events[-1]["event"], SETTING in got.done["message"]) == ("error", True), got.events
    assert SECRET not in str(got.events)
    assert SECRET not in str(await world.dump())


async def test_questions_about_ones_own_folder_are_answered(
    world: World, folders: Path, drafter: ScriptedDrafter
) -> None:
    bench = await connected(world, RestDoor(world.client), body(folders / ORG))
    await bench.ingest()
    drafter.script["Which notes?"] = draft("select note from parts")
    got = await ask(world, "Which notes?")
    assert got.result["rows"] == [["own"]]


async def test_links_into_the_folder_of_another_are_refused(world: World, door: Door, folders: Path) -> None:
    own = folders / ORG
    (own / "linked.csv").symlink_to(folders / OTHER_ORG / "parts.csv")
    (own / "linked").symlink_to(folders / OTHER_ORG)
    assert not (await verified(door, world.owner, own / "linked"))["success"]
    bench = await connected(world, door, body(own, "Own"))
    await bench.ingest()
    names = await bench.names("table")
    assert {name.rpartition(".")[2] for name in names} == {"parts"}
    assert SECRET not in str(await world.dump())


class TestBelowThePlaceholder:
    """Of `/folder/{organization}/in` the organization itself may own what lies above `in`, and so replace it."""

    @pytest.fixture
    def setting_overrides(self, folders: Path) -> dict[str, Any]:
        """A folder within each organization's own."""
        for name in (ORG, OTHER_ORG):
            (folders / name / "in").mkdir()
            shutil.move(folders / name / "parts.csv", folders / name / "in")
        return {"filesystem_roots": f"{folders}/{{organization}}/in"}

    async def test_a_link_in_place_of_the_folder_leads_nowhere(self, world: World, door: Door, folders: Path) -> None:
        inner = folders / ORG / "in"
        assert (await verified(door, world.owner, inner))["success"]
        shutil.rmtree(inner)
        inner.symlink_to(folders / OTHER_ORG / "in")
        assert not (await verified(door, world.owner, inner))["success"]
        assert not (await verified(door, world.owner, folders / OTHER_ORG / "in"))["success"]


class TestShared:
    """A folder that the operator shares, beside one that is one organization's alone."""

    @pytest.fixture
    def setting_overrides(self, folders: Path) -> dict[str, Any]:
        """One of each."""
        return {"filesystem_roots": f"*={folders}/acme, globex={folders}/globex"}

    async def test_all_read_what_is_shared(self, world: World, door: Door, folders: Path) -> None:
        assert (await verified(door, world.owner, folders / ORG))["success"]
        assert (await verified(door, world.foreign_owner, folders / ORG))["success"]
        assert (await verified(door, world.foreign_owner, folders / OTHER_ORG))["success"]
        assert not (await verified(door, world.owner, folders / OTHER_ORG))["success"]


class TestPlain:
    """A folder of which the setting does not say whose it is."""

    @pytest.fixture
    def setting_overrides(self, folders: Path) -> dict[str, Any]:
        """The folder of the first."""
        return {"filesystem_roots": str(folders / ORG)}

    @pytest.fixture
    async def alone(self, world: World) -> World:
        """The world before its second organization stood in the store."""
        await world.app.parts.services.store.write(
            lambda uow: uow.connection.execute(sa.text("delete from projects where organization_id = 'globex'"))
        )
        gone = organizations.delete().where(organizations.c.id == OTHER_ORG)
        await world.app.parts.services.store.write(lambda uow: uow.connection.execute(gone))
        return world

    async def test_it_counts_for_nobody_while_there_are_two_organizations(
        self, world: World, door: Door, folders: Path
    ) -> None:
        said = set()
        for token, organization in ((world.owner, ORG), (world.foreign_owner, OTHER_ORG)):
            for path in (folders / ORG, folders / "missing"):
                found = await verified(door, token, path)
                assert not found["success"]
                for words in (SETTING, f"{organization}=/", "/{organization}", "*=/"):
                    assert words in found["message"]
                assert str(folders) not in found["message"]
                said.add(found["message"])
        assert len(said) == 2

    async def test_it_counts_while_one_organization_stands_alone(self, alone: World, door: Door, folders: Path) -> None:
        assert (await verified(door, alone.owner, folders / ORG))["success"]


def test_nothing_goes_around_the_gateway() -> None:
    """Folders are opened by one connector, which is opened in one place, which is told whose connection it is."""
    allowed = {
        "open_connector": {"persistence/connectors/core/gateway.py", "benchmarks/profiling.py", "benchmarks/asking.py"},
        "LocalFiles": {"persistence/connectors/files/nfs.py"},
        "NfsConnector": set[str](),
        "filesystem_roots": {"persistence/connectors/core/gateway.py"},
    }
    found: dict[str, set[str]] = {name: set() for name in allowed}
    for house in ("auth", "persistence", "resolvers", "rest_compat", "schema", "benchmarks"):
        for file in (ROOT / house).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                name = getattr(node, "attr", None) or (node.id if isinstance(node, ast.Name) else None)
                if name in found and not isinstance(getattr(node, "ctx", None), ast.Store):
                    found[name].add(os.fspath(file.relative_to(ROOT)))
    assert found["filesystem_roots"]
    for name, files in found.items():
        assert files <= allowed[name], name
