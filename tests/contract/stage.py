"""What the matrix of permissions is played on: the roles, and in every place whatever can be asked for."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from persistence.store import UnitOfWork
from persistence.tables.data_readiness import run_targets, workflow_runs
from schema.assets.data_connection import ConnectionType, DataConnectionChange, DataConnectionCreate
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.governance.organization import RateLimitsChange
from schema.governance.permission import GovernedResource, Grant, ParentLink, Relation, ResourceType
from schema.governance.project import ProjectCreate
from schema.governance.secret import SecretChange, SecretCreate
from schema.utils.metadata_asset import AssetType, MetadataAssetCreate, MetadataAssetUpdate
from tests.world import ORG, OTHER_ORG, World

MARK = "quagga"
"""Stands in every value that a resource of the stage holds; a refusal must never show it."""

ORGANIZATION_ROLES = ("owner", "admin", "member")
PROJECT_ROLES = ("owner", "admin", "developer", "operator", "viewer")
CONNECTION_ROLES = ("owner", "developer", "operator", "viewer")
ROLES = (
    *(f"organization {role}" for role in ORGANIZATION_ROLES),
    *(f"project {role}" for role in PROJECT_ROLES),
    *(f"connection {role}" for role in CONNECTION_ROLES),
    "service worker",
    "nobody",
    "anonymous",
)


@dataclass(frozen=True)
class Place:
    """Where a target lies: `own` is the project of the roles, `sibling` another of the same organization."""

    name: str
    organization: str
    project: str


@dataclass
class Stage:
    """A world with a token for every role."""

    world: World
    places: dict[str, Place] = field(default_factory=dict)
    tokens: dict[str, str | None] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    """The token of every place's owner, issued once: the world's clock hardly moves, a token's does."""

    @classmethod
    async def set(cls, world: World) -> "Stage":
        """Give every role to a user of its own."""
        stage = cls(world)
        for name, organization, project in (
            ("own", ORG, world.shop),
            ("sibling", ORG, world.lab),
            ("other", OTHER_ORG, world.theirs),
        ):
            stage.places[name] = Place(name, organization, project)
            user = "olga" if organization == ORG else "otto"
            stage.owners[name] = world.token(user, org=organization, project=project)
        for role in ORGANIZATION_ROLES:
            stage.tokens[f"organization {role}"] = await world.member(role, type_="organization", id_=ORG)
        for role in PROJECT_ROLES:
            stage.tokens[f"project {role}"] = await world.member(role)
        for role in CONNECTION_ROLES:
            stage.tokens[f"connection {role}"] = world.token(f"{role}-of-data_connection", project=world.shop)
        stage.tokens["service worker"] = await world.member("service_worker")
        stage.tokens["nobody"] = world.token("nobody", project=world.shop)
        stage.tokens["anonymous"] = None
        return stage

    async def relations_apart(self) -> list[list[str]]:
        """Who holds what, in both organizations, where a server of its own keeps it; nothing where the store does."""
        if self.world.app.parts.settings.openfga_url is None:
            return []
        relations = self.world.app.parts.services.relations
        return [sorted(map(str, await relations.read(org, limit=10_000))) for org in (ORG, OTHER_ORG)]

    async def made(self, place: Place, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Make something as the owner of the place."""
        headers = {"X-Project-ID": place.project}
        answer = await self.world.request(method, path, token=self.owners[place.name], json=body, headers=headers)
        assert answer.is_success, answer.text
        value: dict[str, Any] = answer.json()
        return value

    async def connection(self, place: Place) -> str:
        """A data connection; in the roles' own project the connection roles hold theirs on it."""
        made = await self.made(
            place,
            "POST",
            "/assets/data",
            {
                "name": f"{MARK} store",
                "description": f"{MARK} words",
                "tags": [f"{MARK}-tag"],
                "connection_type": "nfs",
                "filesystem_config": {"path": f"/{MARK}"},
                "resource_uri": f"c-{uuid4().hex}",
            },
        )
        uri: str = made["resource_uri"]
        if place.name == "own":
            await self.world.grant_all(
                (f"{role}-of-data_connection", role, "data_connection", uri) for role in CONNECTION_ROLES
            )
        return uri

    async def configuration(self, place: Place) -> str:
        """A workflow configuration."""
        body = {"name": f"{MARK} work", "workflow_type": "profiling", "config": {"note": f"{MARK} note"}}
        return str((await self.made(place, "POST", "/data-readiness/workflows", body))["id"])

    async def run(self, place: Place, status: str = "pending", target: str = f"{MARK}-elsewhere") -> dict[str, Any]:
        """A run that waits, or stands elsewhere, and its configuration; it works on no connection of the stage's."""
        configuration, run = await self.configuration(place), str(uuid4())
        now = self.world.clock()
        row = {
            "id": run,
            "organization_id": place.organization,
            "project_id": place.project,
            "configuration_id": configuration,
            "status": status,
            "workflow_name": f"{MARK} work",
            "workflow_type": "profiling",
            "save_all": False,
            "created_at": now,
            "started_at": now,
            "input": {"note": MARK},
            "output": {},
            "caller": {},
            "revision": 1,
        }
        works_on = {name: row[name] for name in ("organization_id", "project_id")}
        works_on |= {"run_id": run, "target_fqn": target}

        def work(uow: UnitOfWork) -> None:
            uow.connection.execute(workflow_runs.insert().values(**row))
            uow.connection.execute(run_targets.insert().values(**works_on))

        await self.world.app.parts.services.store.write(work)
        return {"configuration_id": configuration, "run_id": run}

    async def project_secret(self, place: Place) -> str:
        """The name of a secret of the place's project."""
        name = f"s-{uuid4().hex}"
        body = {"name": name, "value": f"{MARK} value", "description": f"{MARK} words"}
        await self.made(place, "POST", "/governance/resources/projects/secrets", body)
        return name

    async def connection_secret(self, place: Place) -> dict[str, Any]:
        """A secret of a data connection."""
        uri, name = await self.connection(place), f"s-{uuid4().hex}"
        body = {"name": name, "value": f"{MARK} value", "description": f"{MARK} words"}
        await self.made(place, "POST", f"/governance/resources/data_connection/{uri}/secrets", body)
        return {"resource_type": "data_connection", "resource_id": uri, "name": name}

    async def asset(self, place: Place) -> dict[str, Any]:
        """An asset in the catalog of a data connection."""
        uri = await self.connection(place)
        fqn = f"svc.db{uuid4().hex}"
        body = {"fully_qualified_name": fqn, "type": "database", "description": f"{MARK} words"}
        await self.made(place, "POST", f"/utils/data_connection/{uri}/metadata", body)
        return {"resource_type": "data_connection", "resource_uri": uri, "fqn": fqn}


Prepare = Callable[[Stage, Place], Awaitable[dict[str, Any]]]


def _secret() -> SecretCreate:
    return SecretCreate(name=f"n-{uuid4().hex}", value="v")


async def nothing(stage: Stage, place: Place) -> dict[str, Any]:
    """No arguments."""
    return {}


async def organization(stage: Stage, place: Place) -> dict[str, Any]:
    """The place's organization."""
    return {"org_id": place.organization}


async def limits(stage: Stage, place: Place) -> dict[str, Any]:
    """The place's organization with limits that a test can live with."""
    return {"org_id": place.organization, "limits": RateLimitsChange(bulk=99_999)}


async def new_project(stage: Stage, place: Place) -> dict[str, Any]:
    """A project that is not there yet."""
    return {"project": ProjectCreate(name=f"p-{uuid4().hex}")}


async def project(stage: Stage, place: Place) -> dict[str, Any]:
    """The place's project."""
    return {"project_id": place.project}


async def question(stage: Stage, place: Place) -> dict[str, Any]:
    """A question about oneself."""
    return {"permission": "can_read", "resource_type": "project", "resource_id": place.project}


async def question_about_another(stage: Stage, place: Place) -> dict[str, Any]:
    """A question about somebody else."""
    return await question(stage, place) | {"user": "somebody"}


async def grant(stage: Stage, place: Place) -> dict[str, Any]:
    """A relation that does not stand."""
    uri = await stage.connection(place)
    return {
        "grant": Grant(
            user_or_group=f"u-{uuid4().hex}",
            relation=Relation.VIEWER,
            resource_type=ResourceType.DATA_CONNECTION,
            resource_id=uri,
        )
    }


async def standing_grant(stage: Stage, place: Place) -> dict[str, Any]:
    """A relation that stands."""
    wanted = (await grant(stage, place))["grant"]
    await stage.world.grant(
        wanted.user_or_group, "viewer", "data_connection", wanted.resource_id, org=place.organization
    )
    return {"grant": wanted}


async def parent(stage: Stage, place: Place) -> dict[str, Any]:
    """A connection and the project that it lies in."""
    return {
        "link": ParentLink(
            resource_type=ResourceType.DATA_CONNECTION,
            resource_id=await stage.connection(place),
            parent_type=ResourceType.PROJECT,
            parent_id=place.project,
        )
    }


async def target(stage: Stage, place: Place) -> dict[str, Any]:
    """A connection whose relations are meant."""
    uri = await stage.connection(place)
    return {"target": GovernedResource(resource_type=ResourceType.DATA_CONNECTION, resource_id=uri)}


async def new_secret(stage: Stage, place: Place) -> dict[str, Any]:
    """A secret that is not there yet."""
    return {"secret": _secret()}


async def project_secret(stage: Stage, place: Place) -> dict[str, Any]:
    """A secret of the place's project."""
    return {"name": await stage.project_secret(place)}


async def changed_project_secret(stage: Stage, place: Place) -> dict[str, Any]:
    """A secret of the place's project, and a new value."""
    return await project_secret(stage, place) | {"changes": SecretChange(value="new")}


async def new_connection_secret(stage: Stage, place: Place) -> dict[str, Any]:
    """A secret that a connection does not have yet."""
    uri = await stage.connection(place)
    return {"resource_type": "data_connection", "resource_id": uri, "secret": _secret()}


async def connection_secrets(stage: Stage, place: Place) -> dict[str, Any]:
    """A connection that has a secret."""
    found = await stage.connection_secret(place)
    del found["name"]
    return found


async def connection_secret(stage: Stage, place: Place) -> dict[str, Any]:
    """One secret of a connection."""
    return await stage.connection_secret(place)


async def changed_connection_secret(stage: Stage, place: Place) -> dict[str, Any]:
    """One secret of a connection, and a new value."""
    return await stage.connection_secret(place) | {"changes": SecretChange(value="new")}


async def new_connection(stage: Stage, place: Place) -> dict[str, Any]:
    """A connection to register."""
    made = DataConnectionCreate(
        name="fresh",
        connection_type=ConnectionType.NFS,
        filesystem_config={"path": "/fresh"},
        credentials=None,
        resource_uri=f"n-{uuid4().hex}",
    )
    return {"connection": made}


async def new_wide_connection(stage: Stage, place: Place) -> dict[str, Any]:
    """A connection to register for the whole organization."""
    made = (await new_connection(stage, place))["connection"]
    return {"connection": made.model_copy(update={"organization_wide": True})}


async def connection(stage: Stage, place: Place) -> dict[str, Any]:
    """A data connection."""
    return {"resource_uri": await stage.connection(place)}


async def changed_connection(stage: Stage, place: Place) -> dict[str, Any]:
    """A data connection, and a new description."""
    return await connection(stage, place) | {"changes": DataConnectionChange.model_validate({"description": "new"})}


async def asset(stage: Stage, place: Place) -> dict[str, Any]:
    """An asset of the catalog."""
    return await stage.asset(place)


async def new_asset(stage: Stage, place: Place) -> dict[str, Any]:
    """An asset that the catalog does not know."""
    made = MetadataAssetCreate(fully_qualified_name=f"svc.db{uuid4().hex}", type=AssetType.DATABASE)
    return {
        "resource_type": "data_connection",
        "resource_uri": await stage.connection(place),
        "asset": made,
    }


async def changed_asset(stage: Stage, place: Place) -> dict[str, Any]:
    """An asset of the catalog, and new words."""
    return await stage.asset(place) | {"changes": MetadataAssetUpdate.model_validate({"description": "new"})}


async def new_configuration(stage: Stage, place: Place) -> dict[str, Any]:
    """A configuration to create."""
    return {"configuration": WorkflowConfigurationCreate(name="fresh", workflow_type=WorkflowType.PROFILING)}


async def configuration(stage: Stage, place: Place) -> dict[str, Any]:
    """A workflow configuration."""
    return {"configuration_id": await stage.configuration(place)}


async def new_run(stage: Stage, place: Place) -> dict[str, Any]:
    """A workflow configuration to run."""
    return await configuration(stage, place) | {"run": RunCreate()}


async def run(stage: Stage, place: Place) -> dict[str, Any]:
    """A run that waits."""
    return await stage.run(place)


async def ended_run(stage: Stage, place: Place) -> dict[str, Any]:
    """A run that is over, which is told once to who follows it."""
    return await stage.run(place, "completed")


@dataclass(frozen=True)
class Case:
    """One line of the matrix. `on` names what the permission is asked on; `makes` is what the call is about."""

    operation: str
    on: str
    needs: str
    makes: Prepare
    id: str | None = None
    """The argument that names the target, or None when there is none."""
    header: bool = False
    """Whether the path demands X-Project-ID."""
