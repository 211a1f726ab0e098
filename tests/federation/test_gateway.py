"""Six servers, one for each service, behind a real gateway, beside one server that has everything."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from auth.issuer import DevelopmentIssuer
from rest_compat.app import SERVICES
from tests.support.postgres import PostgresServer
from tests.support.server import Server, stoa, until
from tests.support.supergraph import Gateway, ask, compose, node

NAMES = [service.name for service in SERVICES]
KEY = "a-secret-that-only-the-services-share"

pytestmark = pytest.mark.long  # starts six services and a gateway; composition and subgraphs are quick


@dataclass
class Deployment:
    """What runs, and who asks."""

    folder: Path
    apart: dict[str, Server]
    together: Server
    gateway: Gateway
    shop: str = ""
    uri: str = ""

    def headers(self, user: str = "olga", *, org: str = "acme", project: str | None = None) -> dict[str, str]:
        """The headers of a user."""
        token = DevelopmentIssuer(self.folder / "data").issue(user, org, ttl=timedelta(hours=1))
        here = project or self.shop
        return {"Authorization": f"Bearer {token}"} | ({"X-Project-ID": here} if here else {})

    def rest(self, service: str, method: str, path: str, **how: Any) -> httpx.Response:
        """A request to a service."""
        headers = self.headers() | how.pop("headers", {})
        return httpx.request(method, self.apart[service].address + path, headers=headers, timeout=120, **how)

    def made(self, service: str, path: str, **how: Any) -> dict[str, Any]:
        """Return what a POST to a service made."""
        answer = self.rest(service, "POST", path, **how)
        assert answer.is_success, f"{service} {path}: {answer.status_code} {answer.text}"
        found: dict[str, Any] = answer.json()
        return found

    def both(self, query: str, headers: dict[str, str], **variables: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the gateway answers, and what the one server does."""
        return (
            ask(self.gateway.address, query, headers, **variables),
            ask(self.together.address, query, headers, **variables),
        )


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer) -> Iterator[Deployment]:
    node()
    folder = tmp_path_factory.mktemp("apart")
    common = {
        "database_url": postgres_server.create_database(),
        "service_key": KEY,
        "in_process_worker": False,  # so that a run that is triggered stays as it is
        "database_pool": 3,
    }
    done = stoa(folder, "bootstrap", "--org", "acme", "--owner", "olga", settings=common)
    assert done.returncode == 0, done.stderr
    done = stoa(folder, "bootstrap", "--org", "globex", "--owner", "otto", settings=common)
    assert done.returncode == 0, done.stderr
    common["migrate_on_start"] = False
    with ExitStack() as running:
        governance = Server(folder, "--service", "governance", settings=common)
        running.enter_context(governance)
        asking = common | {"governance_url": governance.address}
        apart = {"governance": governance}
        for name in NAMES[1:]:
            apart[name] = running.enter_context(Server(folder, "--service", name, settings=asking))
        together = running.enter_context(Server(folder, settings=common))
        for server in (*apart.values(), together):  # one after the other: looking costs what they need to start
            until(lambda s=server: s.status("/readyz") == 200 or s.process.poll() is not None, "a server", 300)  # type: ignore[misc]
            assert server.process.poll() is None, server.text[-3000:]
        query = {"query": "{ _service { sdl } }"}
        token = DevelopmentIssuer(folder / "data").issue("olga", "acme", ttl=timedelta(hours=1))
        subgraphs = {}
        for name, server in apart.items():
            said = httpx.post(
                f"{server.address}/graphql", json=query, headers={"Authorization": f"Bearer {token}"}, timeout=120
            )
            subgraphs[name] = (f"{server.address}/graphql", said.json()["data"]["_service"]["sdl"])
        composed = compose(subgraphs)
        assert (composed.errors, composed.hints) == ([], [])
        gateway = running.enter_context(Gateway(folder / "gateway", composed.supergraph)).ready()
        whole = Deployment(folder, apart, together, gateway)
        _fill(whole)
        yield whole


def _fill(deployment: Deployment) -> None:
    """Something in every service, each written through the service that it belongs to."""
    for name in ("shop", "lab"):
        project = deployment.made("governance", "/governance/projects", json={"name": name})
        deployment.shop = deployment.shop or project["id"]
        here = {"X-Project-ID": project["id"]}
        for number in range(2):
            connection = deployment.made(
                "assets",
                "/assets/data",
                headers=here,
                json={
                    "name": f"{name} {number}",
                    "connection_type": "postgres",
                    "database_config": {"host": "db.test", "port": 5432, "database": "shop"},
                    "credentials": {"username": "u", "password": "p"},
                },
            )
            uri = connection["resource_uri"]
            deployment.uri = deployment.uri or uri
            service = uri.rsplit("/", 1)[-1].rsplit(":", 1)[-1]
            for type_, parts in (("database", "d"), ("database_schema", "d.s"), ("table", "d.s.t")):
                deployment.made(
                    "utils",
                    f"/utils/data_connection/{uri}/metadata",
                    headers=here,
                    json={"type": type_, "fully_qualified_name": f"{service}.{parts}"},
                )
        configuration = deployment.made(
            "data-readiness",
            "/data-readiness/workflows",
            headers=here,
            json={"name": "Profile", "workflow_type": "profiling"},
        )
        deployment.made(
            "data-readiness",
            f"/data-readiness/workflows/{configuration['id']}/runs",
            headers=here,
            json={"asset_fqn": "s.d"},
        )


ACROSS = """
query Across($org: String!) {
  organization(orgId: $org) {
    id
    nodeId
    projects {
      id
      name
      createdAt
      dataConnections {
        resourceUri
        name
        connectionType
        databaseConfig
        secretNames
        createdAt
        catalog { total items { id fullyQualifiedName type createdAt members { total items { name } } } }
      }
      workflowConfigurations {
        id
        nodeId
        workflowType
        category
        runs { id status assetFqn input tasks { id name } }
      }
    }
  }
}
"""


def test_a_query_across_four_services_answers_what_one_server_answers(deployment: Deployment) -> None:
    apart, together = deployment.both(ACROSS, deployment.headers(), org="acme")
    assert "errors" not in together, json.dumps(together)[:2000]
    assert apart["data"] == together["data"]
    projects = together["data"]["organization"]["projects"]
    assert len(projects) == 2
    for project in projects:
        assert [connection["catalog"]["total"] for connection in project["dataConnections"]] == [1, 1]
        assert [len(configuration["runs"]) for configuration in project["workflowConfigurations"]] == [1]


def codes(answer: dict[str, Any]) -> list[tuple[list[str | int] | None, str, int]]:
    """Where and why an answer failed."""
    return [(e.get("path"), e["extensions"]["code"], e["extensions"]["status"]) for e in answer["errors"]]


@pytest.mark.parametrize(
    ("query", "code", "status"),
    [
        ('{ dataConnection(resourceUri: "data:acme::nothing") { name } }', "RESOURCE_NOT_FOUND", 404),
        ('{ project(projectId: "nothing") { name } }', "RESOURCE_NOT_FOUND", 404),
        ("{ dataConnections(limit: 101) { total } }", "INVALID_PARAMETER", 400),
        ('mutation { deleteMetadata(resourceType: "data_connection", resourceUri: "x", fqn: "a.b") { __typename } }',
         "RESOURCE_NOT_FOUND", 404),
    ],
)  # fmt: skip
def test_a_refusal_reads_the_same_through_the_gateway(
    deployment: Deployment, query: str, code: str, status: int
) -> None:
    apart, together = deployment.both(query, deployment.headers())
    assert [found[1:] for found in codes(together)] == [(code, status)]
    assert codes(apart) == codes(together)
    assert apart["errors"][0]["message"] == together["errors"][0]["message"]


def test_a_user_sees_through_the_gateway_what_he_may_and_nothing_else(deployment: Deployment) -> None:
    stranger, foreigner = deployment.headers("nobody"), deployment.headers("otto", org="globex")
    for headers in (stranger, foreigner):
        del headers["X-Project-ID"]
        apart, together = deployment.both(ACROSS, headers, org="acme")
        assert codes(apart) == codes(together)
        assert apart["data"] is together["data"] is None
    apart, together = deployment.both("{ projects { total items { name } } }", stranger)
    assert apart["data"] == together["data"] == {"projects": {"total": 0, "items": []}}


def test_a_mutation_through_the_gateway_writes_relations_that_every_service_sees(deployment: Deployment) -> None:
    create = """mutation ($connection: DataConnectionCreate!) {
      createDataConnection(connection: $connection) { resourceUri status }
    }"""
    config = {"host": "db.test", "port": 5432, "database": "x"}
    made = ask(
        deployment.gateway.address,
        create,
        deployment.headers(),
        connection={"name": "Through the gateway", "connectionType": "POSTGRES", "databaseConfig": config},
    )
    uri = made["data"]["createDataConnection"]["resourceUri"]
    query = "query ($uri: String!) { dataConnection(resourceUri: $uri) { name } }"
    apart, together = deployment.both(query, deployment.headers(), uri=uri)
    assert apart["data"] == together["data"] == {"dataConnection": {"name": "Through the gateway"}}


def test_a_request_without_a_token_is_refused_by_the_services_not_by_the_gateway(deployment: Deployment) -> None:
    apart, together = deployment.both("{ projects { total } }", {})
    assert [(code, status) for _, code, status in codes(apart)] == [("UNAUTHENTICATED", 401)]
    assert apart["errors"][0]["message"] == together["error"]["message"]


def test_assets_and_utils_answer_403_while_governance_is_down_and_as_before_when_it_is_back(
    deployment: Deployment,
) -> None:
    governance = deployment.apart["governance"]
    asked = {
        "assets": ("/assets/data", "{ dataConnections { total } }"),
        "utils": ("/utils/search/metadata", "{ searchMetadata { total } }"),
    }

    def answers() -> dict[str, list[Any]]:
        found = {}
        for service, (path, query) in asked.items():
            rest = deployment.rest(service, "GET", path)
            graph = ask(deployment.apart[service].address, query, deployment.headers())
            code = rest.json().get("error", {}).get("code")
            graph_codes = [error["extensions"]["code"] for error in graph.get("errors", ())]
            found[service] = [rest.status_code, code, *graph_codes]
        return found

    fine = {service: [200, None] for service in asked}
    assert answers() == fine
    governance.kill()
    assert answers() == {service: [403, "FORBIDDEN", "FORBIDDEN"] for service in asked}
    told = deployment.rest("assets", "GET", "/assets/data").json()["error"]
    assert told["message"] == (
        "The governance service is not available, so no permission can be checked. Retry shortly."
    )
    assert deployment.apart["assets"].status("/readyz") == 200
    create = {"name": "Never", "connection_type": "postgres", "database_config": {"host": "h", "database": "d"}}
    assert deployment.rest("assets", "POST", "/assets/data", json=create).status_code == 403
    with governance.again() as back:
        until(lambda: back.status("/readyz") == 200, "governance", 300)
        assert answers() == fine
        names = [item["name"] for item in deployment.rest("assets", "GET", "/assets/data").json()["data"]]
        assert "Never" not in names
