"""No door and no secret without attacks: what is new fails here until it is named beside the tests that attack it."""

import logging
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.routing import Mount, Route, WebSocketRoute

from rest_compat.app import Application, Parts
from rest_compat.events import StreamRoute
from rest_compat.route import OperationRoute
from rest_compat.settings import Settings
from rest_compat.transfer import DownloadRoute, UploadRoute
from tests.contract.cases.events import NOWHERE
from tests.contract.published import documents
from tests.contract.stage import Stage
from tests.contract.test_bounds import Calls
from tests.doors import ROUTES, Door, Refused
from tests.world import World

TESTS = Path(__file__).parents[1]

EVERY_OPERATION = (
    "contract/test_permission_matrix.py",
    "contract/test_bounds.py",
    "security/test_texts.py",
    "security/test_coverage.py",
)
"""Tests that take each operation there is, at both doors, so that a new one is attacked without being named."""

DOORS: Mapping[str, tuple[str, ...]] = {
    "OperationRoute": EVERY_OPERATION,
    "StreamRoute": (*EVERY_OPERATION, "security/test_slow_callers.py"),
    "UploadRoute": (*EVERY_OPERATION, "test_large_upload.py", "test_transfer.py"),
    "DownloadRoute": (*EVERY_OPERATION, "test_transfer.py"),
    "/graphql": ("security/test_graph_cost.py", "security/test_numbers.py", "graph/test_graphql_http_audits.py"),
    "websocket /graphql": ("security/test_slow_callers.py", "security/test_numbers.py", "graph/test_subscriptions.py"),
    "/mcp": ("mcp/test_mcp.py", "mcp/test_asking.py", "parity/test_agents.py"),
    "/mcp/read": ("mcp/test_mcp.py",),
    "/.well-known/oauth-protected-resource": ("mcp/test_mcp.py",),
    "/.well-known/oauth-protected-resource/mcp": ("mcp/test_mcp.py",),
    "/.well-known/oauth-protected-resource/mcp/read": ("mcp/test_mcp.py",),
    "/governance/internal/relations/": ("federation/test_remote.py",),
    "/metrics": ("test_metrics_page.py",),
    "/openapi.json": ("openapi/test_documents.py",),
    "/": ("test_pages.py",),
    "/console": ("test_pages.py",),
    "/explorer": ("test_pages.py",),
    "/docs": ("test_pages.py",),
    "/docs/{service}": ("test_pages.py",),
    "/docs/guide": ("test_guide.py",),
    "/static": ("test_pages.py",),
    "/healthz": ("test_http.py",),
    "/readyz": ("test_http.py",),
}
"""Every way in, and the tests that go at it."""

SETTINGS: Mapping[str, tuple[str, ...]] = {
    "metrics_token": ("test_metrics_page.py",),
    "service_key": ("federation/test_remote.py",),
    "secret_keys": ("persistence/test_keyring.py", "governance/test_secrets.py"),
    "openfga_api_token": ("auth/test_relations_openfga.py",),
    "redis_url": ("auth/test_rate_limit.py",),
    "blobs_url": ("persistence/test_blobs.py",),
    "blobs_options": ("persistence/test_blobs.py",),
    "database_url": ("test_cli.py",),
    "job_database_url": ("persistence/test_jobs.py",),
    "smtp_password": ("utils/test_mail.py",),
}
"""Every secret that an operator sets, and the tests of what it opens."""

CANARY = "c4n4ry-must-not-sing"
KEY = f"-----BEGIN PRIVATE KEY-----\\n{CANARY}\\n-----END PRIVATE KEY-----"
SEALING_KEY = b64encode(b"32 bytes that seal what is kept.").decode()
STORE = {"host": "127.0.0.1", "port": 1, "database": "d"}
LOGIN = {"username": "reader", "password": CANARY}

PLANTED: Mapping[str, Mapping[str, Any]] = {
    "create_data_connection": {
        "connection": {"name": "n", "connection_type": "postgres", "database_config": STORE, "credentials": LOGIN}
    },
    "update_data_connection": {"changes": {"database_config": STORE, "credentials": LOGIN}},
    "create_project_secret": {"secret": {"name": "n", "value": CANARY}},
    "update_project_secret": {"changes": {"value": CANARY}},
    "create_resource_secret": {"secret": {"name": "n", "value": CANARY}},
    "update_resource_secret": {"changes": {"value": CANARY}},
    "create_webhook": {"webhook": {"name": "n", "url": NOWHERE, "headers": [{"name": "X-Key", "value": CANARY}]}},
    "update_webhook": {"changes": {"headers": [{"name": "X-Key", "value": CANARY}]}},
    "create_registered_server": {
        "server": {"kind": "mcp", "name": "n", "url": NOWHERE, "credentials": {"bearer_token": CANARY}}
    },
    "update_registered_server": {"changes": {"credentials": {"headers": [{"name": "X-Key", "value": CANARY}]}}},
    "verify_model": {"model": {"llm_model": "openai/x", "credentials": {"api_key": CANARY}}},
}
"""Every operation that takes a secret, and a body that holds one."""

REVEALS = {"get_project_secret", "get_resource_secret", "get_data_connection_secret"}
"""What answers with a secret, to who may read it. Nothing else does."""

LIKE_A_SECRET = re.compile(r"secret|passw|passphrase|token|credential|private_key|api_key|access_key|service_account")
HARMLESS = {"credentials_secret": "the name of a secret, not its value"}


def doors(app: Application) -> Iterator[str]:
    """The kinds of ways in that an application has."""
    kinds = (StreamRoute, UploadRoute, DownloadRoute, OperationRoute)
    for route in app.http.router.routes:
        if isinstance(route, OperationRoute):
            yield next(kind.__name__ for kind in kinds if isinstance(route, kind))
            continue
        assert isinstance(route, Route | WebSocketRoute | Mount), route
        at = re.sub(r"^/[a-z0-9-]+(/openapi.json)$", r"\1", route.path)
        at = re.sub(r"(/internal/relations/)[a-z_]+$", r"\1", at)
        yield f"websocket {at}" if isinstance(route, WebSocketRoute) else at


def bodies() -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
    """Operation, media type, schema of its body, and all schemas of its document."""
    for operation, route in ROUTES.items():
        for document in documents().values():
            for method in route.methods or ():
                body = document["paths"].get(route.path, {}).get(method.lower(), {}).get("requestBody")
                for media, content in (body or {"content": {}})["content"].items():
                    yield operation, media, content["schema"], document["components"]["schemas"]


def fields(
    schema: Mapping[str, Any], schemas: Mapping[str, Any], seen: tuple[str, ...] = ()
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The names and schemas of all fields below a schema, at any depth."""
    ref = schema.get("$ref")
    if ref is not None and ref not in seen:
        yield from fields(schemas[ref.rpartition("/")[2]], schemas, (*seen, ref))
    for part in ("allOf", "anyOf", "oneOf"):
        for inner in schema.get(part, ()):
            yield from fields(inner, schemas, seen)
    if isinstance(schema.get("items"), Mapping):
        yield from fields(schema["items"], schemas, seen)
    for name, inner in schema.get("properties", {}).items():
        yield name, inner
        yield from fields(inner, schemas, seen)


def says_it_is_written_only(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> bool:
    """Return whether a field, or everything that it is made of, is never answered with."""
    if schema.get("writeOnly"):
        return True
    if "$ref" in schema:
        made_of = schemas[schema["$ref"].rpartition("/")[2]]
        inner = [*made_of.get("properties", {}).items()]
        return all(says_it_is_written_only(one, schemas) for name, one in inner if LIKE_A_SECRET.search(name))
    parts = [one for part in ("allOf", "anyOf", "oneOf") for one in schema.get(part, ()) if one.get("type") != "null"]
    return bool(parts) and all(says_it_is_written_only(one, schemas) for one in parts)


def test_every_way_in_is_attacked_somewhere(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, metrics_token=SecretStr("m" * 40), service_key=SecretStr("s" * 40))
    assert set(doors(Application(Parts(settings)))) == DOORS.keys()


def test_every_secret_of_the_operator_is_known() -> None:
    assert {name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)} == (
        SETTINGS.keys()
    )
    suspects = {name for name in Settings.model_fields if re.search("(secret|password|token|keys?|_url)$", name)}
    assert suspects - SETTINGS.keys() == {"openfga_url", "governance_url", "jwks_url", "mcp_url", "public_url"}, (
        "addresses without a password"
    )


@pytest.mark.parametrize("file", sorted({file for files in (*DOORS.values(), *SETTINGS.values()) for file in files}))
def test_the_tests_that_are_named_are_there(file: str) -> None:
    assert re.search(r"^(async )?def test_", (TESTS / file).read_text(), re.MULTILINE), file


def test_no_secret_of_the_operator_is_shown(tmp_path: Path) -> None:
    values: dict[str, Any] = dict.fromkeys(SETTINGS, CANARY * 2)
    values |= {"database_url": f"postgresql://u:{CANARY}@h/d", "job_database_url": f"postgresql://u:{CANARY}@h/j"}
    values |= {"blobs_url": f"s3://u:{CANARY}@bucket", "blobs_options": {"secret_access_key": CANARY}}
    values |= {"secret_keys": f"k1:{SEALING_KEY}", "redis_url": f"redis://u:{CANARY}@h/0", "smtp_user": "stoa"}
    settings = Settings(data=tmp_path, **values)
    assert CANARY in str(settings.metrics_token and settings.metrics_token.get_secret_value())
    for shown in (repr(settings), str(settings), settings.model_dump_json(), repr(settings.model_dump())):
        assert CANARY not in shown
        assert SEALING_KEY not in shown


def test_every_secret_that_comes_in_says_so() -> None:
    taking = set()
    for operation, media, schema, schemas in bodies():
        for name, field in fields(schema, schemas):
            if field.get("writeOnly"):
                taking.add(operation)
            if LIKE_A_SECRET.search(name) and name not in HARMLESS:
                assert says_it_is_written_only(field, schemas), (operation, media, name)
    assert taking == PLANTED.keys()


@pytest.mark.anyio
@pytest.mark.timeout(900)
async def test_a_secret_comes_back_from_no_operation_and_stands_in_no_log(
    world: World, door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    stage, sung = await Stage.set(world), []
    where: dict[str, dict[str, Any]] = {}

    async def call(operation: str, **given: Any) -> Any:
        calls = Calls(stage, door, operation)
        answer = await calls.call(**await calls.base() | given)
        assert door.last is not None
        sung.extend([operation] * (CANARY in door.last.text))
        return answer

    with caplog.at_level(logging.DEBUG):
        uri = (await call("create_data_connection", **PLANTED["create_data_connection"]))["resource_uri"]
        there = {"resource_type": "data_connection", "resource_id": uri}
        own, key = {"resource_uri": uri}, {"name": "n"}
        where |= {"update_data_connection": own, "get_data_connection": own, "get_data_connection_secret": own}
        where |= {"update_project_secret": key, "get_project_secret": key}
        where |= {"create_resource_secret": there, "list_resource_secrets": there}
        where |= {"update_resource_secret": there | key, "get_resource_secret": there | key}
        for operation, body in PLANTED.items():
            answer = await call(operation, **where.get(operation, {}), **body)
            assert not isinstance(answer, Refused) or operation in ("verify_model", "create_data_connection"), answer
            # Each slip beside a secret: the answer says which field is wrong, and shows no other.
            (name,) = body
            for field in body[name]:
                await call(operation, **where.get(operation, {}), **{name: {**body[name], field: [[]]}})
        for operation, route in sorted(ROUTES.items(), key=lambda item: item[1].operation.kind.value != "reads"):
            await call(operation, **where.get(operation, {}) if route.operation.kind.value == "reads" else {})
    assert set(sung) == REVEALS
    assert CANARY not in caplog.text
    assert CANARY not in repr(await world.dump())
