"""The scenario with the generated client. Needs STOA_URL and STOA_TOKEN; `../serve.sh` prints both."""

import os
import time
from io import BytesIO
from pathlib import Path
from typing import TypeVar
from uuid import UUID, uuid4

from stoa_client import AuthenticatedClient
from stoa_client.api.assets import (
    create_data_connection,
    download_file,
    get_data_connection,
    upload_file,
    verify_data_connection,
)
from stoa_client.api.data_readiness import create_workflow_configuration, get_workflow_run, trigger_run
from stoa_client.api.governance import create_project, list_organizations
from stoa_client.api.utils import create_context_pack, create_memory, list_memories, search_metadata
from stoa_client.models import (
    ContextPackCreate,
    DataReadinessErrorEnvelope,
    ErrorEnvelope,
    MemoryCreate,
    MemoryCreateContent,
    NfsConfig,
    NfsConnectionCreate,
    ProjectCreate,
    RunCreate,
    UploadFileBody,
    WorkflowConfigurationCreate,
    WorkflowConfigurationCreateConfig,
)
from stoa_client.types import File

T = TypeVar("T")
URL = os.environ.get("STOA_URL", "http://127.0.0.1:8000")
TOKEN = os.environ["STOA_TOKEN"]
FOLDER = Path(os.environ.get("STOA_EXAMPLE_FOLDER", Path(__file__).parents[1] / "shop")).resolve()


class Refused(Exception):
    """An answer that is one of the documented errors."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def got(answer: T | ErrorEnvelope | DataReadinessErrorEnvelope | None) -> T:
    """What was asked for. Raises Refused with the code of the error otherwise."""
    if isinstance(answer, ErrorEnvelope | DataReadinessErrorEnvelope):
        raise Refused(answer.error.code, answer.error.message)
    if answer is None:
        raise Refused("UNDOCUMENTED", "The answer has a status that the document does not have.")
    return answer


def new_project(client: AuthenticatedClient) -> str:
    """The id of a project of our own."""
    print("organization:", got(list_organizations.sync(client=client)).data[0].id)

    # The same Idempotency-Key twice: the second request answers what the first one did.
    key = str(uuid4())
    wanted = ProjectCreate(name=f"Shop {key}")
    project = got(create_project.sync(client=client, body=wanted, idempotency_key=key))
    assert got(create_project.sync(client=client, body=wanted, idempotency_key=key)).id == project.id
    print("project: created once by two requests")
    return project.id


def work(client: AuthenticatedClient, project: str) -> None:
    """Fill the project and search it."""
    connection = got(
        create_data_connection.sync(
            client=client,
            body=NfsConnectionCreate(
                name="Shop files", connection_type="nfs", filesystem_config=NfsConfig(path=str(FOLDER))
            ),
        )
    )
    got(verify_data_connection.sync(connection.resource_uri, client=client))
    print("connection: Shop files,", got(get_data_connection.sync(connection.resource_uri, client=client)).status)

    pack = got(create_context_pack.sync(client=client, body=ContextPackCreate(name="Shop", pack_type="project")))
    memory = MemoryCreate(
        context_pack_id=UUID(pack.id),
        name="Totals",
        memory_type="fact",
        content=MemoryCreateContent.from_dict({"type": "text", "text": "Totals are in euros."}),
    )
    first = got(create_memory.sync(client=client, body=memory))
    assert got(create_memory.sync(client=client, body=memory)).id == first.id
    stored = got(list_memories.sync(client=client, context_pack_id=UUID(pack.id))).pagination.total_items
    print(f"memory: Totals, added twice, stored {stored} time")

    orders = (FOLDER / "orders.csv").read_bytes()

    def upload() -> str:
        file = File(payload=BytesIO(orders), file_name="orders.csv", mime_type="text/csv")
        body = UploadFileBody(key="orders.csv", name="Orders", file=file)
        return got(upload_file.sync(client=client, body=body)).resource_uri

    down = download_file.sync_detailed(upload(), client=client).content
    assert down == orders
    print(f"file: orders.csv, {len(down)} bytes up and the same bytes down")

    configuration = got(
        create_workflow_configuration.sync(
            client=client,
            body=WorkflowConfigurationCreate(
                name="Read the shop",
                workflow_type="service-ingestion",
                config=WorkflowConfigurationCreateConfig.from_dict({"resource_uri": connection.resource_uri}),
            ),
        )
    )
    started = got(trigger_run.sync(configuration.id, client=client, body=RunCreate()))
    run = got(get_workflow_run.sync(configuration.id, started.id, client=client))
    while run.status in ("pending", "running"):
        time.sleep(0.2)
        run = got(get_workflow_run.sync(configuration.id, started.id, client=client))
    print("run:", run.status)

    found = got(search_metadata.sync(client=client, x_project_id=project, q="orders", asset_type="table"))
    table = found.results[0]
    print(f"search: {found.pagination.total} table, {table.name} with {table.column_count} columns")

    try:
        upload()
    except Refused as error:
        print("error:", error.code)


def main() -> None:
    """Run it."""
    with AuthenticatedClient(base_url=URL, token=TOKEN) as client:
        project = new_project(client)
    with AuthenticatedClient(base_url=URL, token=TOKEN, headers={"X-Project-ID": project}) as client:
        work(client, project)


if __name__ == "__main__":
    main()
