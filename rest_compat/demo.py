"""The demo: the platform's main job on real data, through its own API, step by step.

Everything goes through the documented REST paths, in this process; then the same data folder is served.
"""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx
import orjson
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.tree import Tree

from auth.issuer import DevelopmentIssuer
from persistence.samples import baseball
from persistence.samples.postgres import NoPostgres, running_postgres
from rest_compat.app import create_app
from rest_compat.demo_questions import COUNTED, OWN, OWN_ASKED, SAMPLE, Questions, ask_all
from rest_compat.demo_receiver import DemoReceiver, receiving
from rest_compat.demo_server import allowing
from rest_compat.demo_tools import TOOL, DemoTools, serving_tools
from rest_compat.logs import set_up_logs
from rest_compat.server import run_server
from rest_compat.settings import Settings
from rest_compat.setup import bootstrap_organization

ORGANIZATION, USER, PROJECT = "demo", "ada", "Sandbox"
MOST_BRANCHES = 12
"""Tables shown per schema; the rest is counted."""

console = Console(highlight=False)


@dataclass(frozen=True, slots=True)
class DemoSource:
    """Holds what the demo connects to: the body that registers it, and what the deployment must allow for it."""

    body: dict[str, Any]
    settings: dict[str, Any]
    searches: tuple[str, str]
    questions: Questions = OWN


def run_demo(*, source: str | None, serve: bool, port: int, data: Path | None) -> int:
    """Run the demo; the exit status."""
    with contextlib.ExitStack() as closing:
        folder = data or Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="stoa-demo-")))
        console.print(
            "[bold]Stoa demo[/]: connect, verify, ingest, search, enrich, measure, ask" + (", serve" if serve else "")
        )
        chosen = closing.enter_context(_own(source) if source else _sample(folder))
        settings = Settings(data=folder, port=port, log_level="WARNING", **chosen.settings)
        set_up_logs(settings.log_format, settings.log_level)
        with receiving() as receiver, serving_tools() as tools:  # what is served afterwards may send to neither
            allowed = allowing(settings, receiver.port, tools.port)
            failure, project = asyncio.run(_main_job(allowed, chosen, receiver, tools))
        if failure is not None:
            console.print(f"[bold red]The demo stopped:[/] {failure}")
            return 1
        if not serve:
            console.print("[bold green]Done.[/] Run without --no-serve to explore it in a browser.")
            return 0
        return run_server(
            settings, on_ready=lambda address: _announce(settings, address, project, is_kept=data is not None)
        )


@contextlib.contextmanager
def _sample(folder: Path) -> Iterator[DemoSource]:
    """The baseball database in a private PostgreSQL, or as files where there is no server to be had."""
    files = baseball.source_files()
    searches = ("columns.name:HR AND type:table", "salary")
    with contextlib.ExitStack() as closing:
        try:
            with console.status("Starting a private PostgreSQL …"):
                server = closing.enter_context(running_postgres())
        except (NoPostgres, OSError) as reason:
            console.print(f"1. No PostgreSQL to be had here ({reason}); using the {len(files)} files themselves.")
            baseball.copy_files(folder / "baseball")
            body = {
                "name": "Baseball files",
                "connection_type": "nfs",
                "filesystem_config": {"path": str(folder.resolve() / "baseball")},
                "description": "The Lahman baseball data set as Parquet files.",
            }
            yield DemoSource(body, {"filesystem_roots": (str(folder.resolve()),)}, searches, SAMPLE)
            return
        server.execute("create database baseball")
        url = server.url("baseball")
        started = time.perf_counter()
        with _progress() as bar:
            task = bar.add_task("1. Loading baseball since 1871 into PostgreSQL", total=len(files))

            def loaded(_table: str, _rows: int) -> None:
                bar.advance(task)

            baseball.load(url, loaded)
        console.print(f"   {len(files)} tables, a view and their keys in {time.perf_counter() - started:.1f} s")
        yield replace(_database_source("Lahman", url, ("columns.name:HR AND type:table", "salary")), questions=SAMPLE)


@contextlib.contextmanager
def _own(source: str) -> Iterator[DemoSource]:
    """A database or folder of the user's own."""
    console.print("1. Using your own source")
    if "://" in source:
        yield _database_source("My database", source, ("type:table", "type:column"))
        return
    folder = Path(source).expanduser().resolve()
    if not folder.is_dir():
        raise ValueError(f"{source} is neither an address such as postgresql://user:password@host/name nor a folder.")
    body = {"name": folder.name, "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
    yield DemoSource(body, {"filesystem_roots": (str(folder),)}, ("type:table", "type:column"))


def _database_source(name: str, url: str, searches: tuple[str, str]) -> DemoSource:
    parts = urlsplit(url)
    kinds = {"postgresql": ("postgres", 5432), "postgres": ("postgres", 5432), "mysql": ("mysql", 3306)}
    if parts.scheme not in kinds or not parts.hostname:
        raise ValueError(
            "--source takes postgresql://user:password@host/name, mysql://… of the same form, or a folder."
        )
    kind, usual_port = kinds[parts.scheme]
    port = parts.port or usual_port
    body = {
        "name": name,
        "connection_type": kind,
        "database_config": {"host": parts.hostname, "port": port, "database": unquote(parts.path.lstrip("/"))},
        "credentials": {"username": unquote(parts.username or ""), "password": unquote(parts.password or "")},
    }
    return DemoSource(body, {"outbound_allow": f"{parts.hostname}:{port}"}, searches)


async def _main_job(
    settings: Settings, source: DemoSource, receiver: DemoReceiver, tools: DemoTools
) -> tuple[str | None, str]:
    """Register, verify, ingest, search; a sentence when something stopped it, and the project's id."""
    await bootstrap_organization(settings, ORGANIZATION, USER, "Demo")
    app = create_app(settings)
    await app.open()
    try:
        transport = httpx.ASGITransport(app)
        headers = {"Authorization": f"Bearer {_token(settings)}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://stoa", headers=headers) as client:
            api = Api(client)
            project = await _project(api)
            client.headers["X-Project-ID"] = project
            try:
                uri = await _steps(api, source)
                asked = source.questions if source.questions.answered else await _about(api, uri, source.questions)
                await ask_all(api, app, dict(client.headers), uri, asked, console)
                await _as_an_agent(api, uri, asked.answered[0])
                await _an_event(api, receiver)
                await _a_tool(api, tools)
            except StepRefused as refused:
                return str(refused), project
            return None, project
    finally:
        await app.close()


class StepRefused(Exception):
    """A step that the platform refused, in its own words."""


class Api:
    """The documented REST paths."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def __call__(self, method: str, path: str, **how: Any) -> Any:
        """One call; its JSON. Raises Refused with the message of the envelope."""
        for _ in range(10):
            answer = await self._client.request(method, path, **how)
            if answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                break
            await asyncio.sleep(int(answer.headers["Retry-After"]))
        if answer.is_error:
            raise StepRefused(answer.json()["error"]["message"])
        return answer.json()

    async def bytes_of(self, path: str) -> bytes:
        """Return what a path answers with, as it is."""
        answer = await self._client.get(path)
        if answer.is_error:
            raise StepRefused(answer.json()["error"]["message"])
        return answer.content


async def _project(api: Api) -> str:
    """The demo's project, made when a data folder is used for the first time."""
    found = (await api("GET", "/governance/projects"))["data"]
    own = next((project for project in found if project["name"] == PROJECT), None)
    own = own or await api("POST", "/governance/projects", json={"name": PROJECT, "description": "The demo's project."})
    project_id: str = own["id"]
    return project_id


async def _steps(api: Api, source: DemoSource) -> str:
    """Register, verify, ingest, search, enrich and measure; the URI of the connection."""
    connection = await api("POST", "/assets/data", json=source.body)
    uri = connection["resource_uri"]
    console.print(f"2. Registered   [cyan]{uri}[/]")
    with console.status("Verifying …"):
        verified = await api("POST", f"/assets/data/{uri}/verify")
    if not verified["success"]:
        raise StepRefused(verified["message"])
    console.print(f"3. Verified     {verified['message']} ({verified['latency_ms']:.0f} ms)")
    await _ingest(api, uri)
    await _show_catalog(api, uri)
    await _show_lineage(api, uri)
    for number, query in enumerate(source.searches, 1):
        await _search(api, number, query)
    await _ready(api, uri.rpartition(":")[2])
    return str(uri)


async def _about(api: Api, uri: str, questions: Questions) -> Questions:
    """Questions about a source of the user's own, as the platform itself proposes them."""
    told = (await _asked(api, uri, "What can I ask?"))["answer"] or ""
    proposed = [line.removeprefix("- ") for line in told.splitlines() if line.startswith("- ")]
    return replace(questions, answered=tuple(proposed[:OWN_ASKED]) or (COUNTED,))


async def _asked(api: Api, uri: str, question: str) -> dict[str, Any]:
    """Return what the tool `ask` answers an agent's client."""
    params = {"name": "ask", "arguments": {"question": question, "datasources": [uri]}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    with console.status("Asking as an agent …"):
        result = (await api("POST", "/mcp", json=message))["result"]
    if result["isError"]:
        raise StepRefused(result["structuredContent"]["error"]["message"])
    told: dict[str, Any] = result["structuredContent"]["data"]
    return told


async def _as_an_agent(api: Api, uri: str, question: str) -> None:
    """Ask once more as an agent's client does."""
    told = await _asked(api, uri, question)
    console.print(f"\n15. As an agent, at [cyan]/mcp[/] by the tool [cyan]ask[/]: {escape(question)}", highlight=False)
    console.print(f"    {escape(told['answer'] or told['state'])}", highlight=False, soft_wrap=True)


async def _an_event(api: Api, receiver: DemoReceiver) -> None:
    """Have what has happened sent to a webhook, and show one event as its receiver gets and verifies it."""
    hook = {"name": "Demo receiver", "url": receiver.url, "types": ["run.ended"]}
    made = await api("POST", "/utils/webhooks", json=hook)
    path = f"/utils/webhooks/{made['webhook']['id']}"
    try:
        since = datetime.now(UTC) - timedelta(days=1)
        await api("POST", f"{path}/replay", json={"since": since.isoformat()})
        with console.status("Waiting for an event …"):
            came = await receiver.first()
    finally:
        await api("DELETE", path)
    if came is None or not came.is_signed_by(made["secret"]):
        raise StepRefused("No event with a good signature came to the demo's webhook.")
    event = orjson.loads(came.body)
    told = f"the {event['data']['workflow_type']} {event['data']['status']}, at {event['time']}"
    console.print(f"\n16. An event, by a webhook: [cyan]{event['type']}[/], {told}", highlight=False, soft_wrap=True)
    signature = came.headers["webhook-signature"].partition(" ")[0]
    console.print(f"    {event['id']}, signature {signature[:16]}… verified", highlight=False, soft_wrap=True)


async def _a_tool(api: Api, tools: DemoTools) -> None:
    """Register a server of tools, approve the list that it has, and call one; nothing where the extra is missing."""
    if find_spec("mcp") is None or find_spec("jsonschema") is None:
        return
    made = await api("POST", "/assets/servers", json={"name": "Demo tickets", "kind": "mcp", "url": tools.url})
    path = f"/assets/servers/{made['resource_uri']}"
    try:
        found = await api("POST", f"{path}/verify")
        await api("PUT", f"{path}/approval", json={"sha256": found["sha256"]})
        given = {"about": "the first rows of the demo"}
        called = await api("POST", f"{path}/calls", json={"tool": TOOL, "arguments": given})
    finally:
        await api("DELETE", path)
    console.print(f"\n17. A registered server [cyan]{escape(made['resource_uri'])}[/], its tools approved as they are")
    console.print(f"    {TOOL}: {called['outcome']}, {escape(_text_of(called['content']['content']))}", soft_wrap=True)


def _text_of(content: Any) -> str:
    """The texts of what a tool answered."""
    return " ".join(one["text"] for one in content if one.get("type") == "text")


async def _ready(api: Api, service: str) -> None:
    """Enrich everything, measure it, and show how good it is, what is worst, and where the report lies."""
    about = {"asset_fqn": service, "save_all": True}
    enriched = await _run(api, "8. Profiling, tagging, describing", "run-all-enrichment", about)
    pipeline = await api("GET", f"/data-readiness/workflows/pipelines/{enriched['output']['pipeline_id']}")
    approval = await api("GET", f"/data-readiness/workflows/runs/{enriched['id']}/approval")
    console.print(
        f"   {pipeline['completed_tables']} of {pipeline['total_tables']} taggings of tables and "
        f"{pipeline['completed_schemas']} of {pipeline['total_schemas']} schemas in "
        f"{enriched['duration_seconds']:.1f} s; {approval['approved']} proposals approved"
    )
    await _run(api, "9. Measuring the metadata", "metadata-assessment", {"asset_fqn": service})
    assessed = await _run(api, "10. Measuring the data", "dq-assessment", {"asset_fqn": service})
    card = await api("POST", "/data-readiness/metrics/scorecard", json={"asset_fqn": service})
    scores = f"data {card['data_quality']['score']}, description {card['metadata']['score']}"
    table = Table(title=f"11. Scorecard of {service}: {scores}", title_justify="left")
    for heading in ("dimension", "good of all", "score"):
        table.add_column(heading, justify="right" if heading != "dimension" else "left")
    for one in card["dimensions"]:
        if one["score"] is not None:
            table.add_row(
                one["display_name"] or one["name"], f"{one['numerator']:,} / {one['denominator']:,}", one["score"]
            )
    console.print(table)
    await _worst(api, service)
    report = assessed["output"]["report_uri"]
    page = Path(tempfile.mkdtemp(prefix="stoa-report-")) / "report.html"  # stays when the demo ends
    page.write_bytes(await api.bytes_of(f"/assets/artifacts/{report}/download"))
    console.print(f"13. The report  [cyan]{report}[/], kept as an artifact and as")
    console.print(f"    file://{page}", soft_wrap=True)


async def _worst(api: Api, service: str) -> None:
    found = await api(
        "GET",
        "/data-readiness/violations",
        # Of equally severe ones the data's, which were measured last, come before those of its description.
        params={"asset_fqn": service, "status": "open", "sort": "severity:desc,created_at:desc", "limit": 3},
    )
    number = found["pagination"]["total_items"]
    table = Table(title=f"12. Three of the worst of {number:,} open violations", title_justify="left")
    for heading in ("severity", "rule or finding", "where"):
        table.add_column(heading, overflow="fold")
    for one in found["data"]:
        table.add_row(one["severity"], one["display_name"] or one["name"], one["asset_fqn"])
    console.print(table)


async def _show_lineage(api: Api, uri: str) -> None:
    """Return what the values of the first view are made of; nothing, where the source has no view that
    was understood.
    """
    lineage = f"/utils/data_connection/{uri}/lineage"
    views = await api("GET", f"{lineage}/statements", params={"source": "view", "with_gaps": False, "limit": 1})
    for view in views["data"]:
        params = {"fqn": view["target_fqn"], "direct_only": True, "limit": 8}
        found = await api("GET", lineage, params=params)
        names = ", ".join(one["fqn"].rpartition(one["table_fqn"].rpartition(".")[0] + ".")[2] for one in found["items"])
        console.print(f"   The values of the view [cyan]{escape(view['target_fqn'])}[/] come from {escape(names)}")


async def _ingest(api: Api, uri: str) -> None:
    state = await _run(api, "4. Ingesting", "service-ingestion", {}, {"resource_uri": uri})
    counts = state["output"]
    console.print(
        f"   {counts.get('created', 0)} assets created, {counts.get('updated', 0)} updated, "
        f"{counts.get('unchanged', 0)} unchanged, {counts.get('vanished', 0)} vanished, "
        f"in {state['duration_seconds']:.1f} s"
    )


async def _run(
    api: Api, label: str, workflow_type: str, body: dict[str, Any], config: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Run a workflow to its end, with a bar of its tasks. Raises Refused when it does not complete."""
    configuration = await api(
        "POST",
        "/data-readiness/workflows",
        json={"name": workflow_type, "workflow_type": workflow_type, "config": config or {}},
    )
    runs = f"/data-readiness/workflows/{configuration['id']}/runs"
    run = await api("POST", runs, json=body)
    with _progress() as bar:
        task, pause = bar.add_task(label, total=None), 0.2
        while True:
            state: dict[str, Any] = await api("GET", f"{runs}/{run['id']}")
            total = (await api("GET", f"{runs}/{run['id']}/tasks", params={"per_page": 1}))["pagination"]["total"]
            done = await api("GET", f"{runs}/{run['id']}/tasks", params={"per_page": 1, "status": "completed"})
            bar.update(task, total=total or None, completed=done["pagination"]["total"])
            if state["status"] not in ("pending", "running"):
                break
            await asyncio.sleep(pause)
            pause = min(pause * 1.2, 2.0)
    if state["status"] != "completed":
        raise StepRefused(f"The run {state['status']}: {state['error_message']}")
    return state


async def _show_catalog(api: Api, uri: str) -> None:
    service = uri.rpartition(":")[2]
    tree = Tree(f"[bold]5. The catalog of {service}[/]")
    for database in await _children(api, service):
        branch = tree.add(f"[magenta]{database['name']}[/]  {_count(database, 'schema')}")
        for schema in await _children(api, database["fully_qualified_name"]):
            leaf = branch.add(f"[blue]{schema['name']}[/]  {_count(schema, 'table')}")
            tables = await _children(api, schema["fully_qualified_name"])
            for table in tables[:MOST_BRANCHES]:
                rows = "" if table["row_count"] is None else f", about {table['row_count']:,} rows"
                leaf.add(f"{table['name']}  [dim]{_count(table, 'column')}{rows}[/]")
            if (schema["children_total"] or 0) > MOST_BRANCHES:
                leaf.add(f"[dim]… and {schema['children_total'] - MOST_BRANCHES} more[/]")
    console.print(tree)


def _count(asset: dict[str, Any], noun: str) -> str:
    number = asset["children_total"] or 0
    return f"{number} {noun}{'' if number == 1 else 's'}"


async def _children(api: Api, prefix: str) -> list[dict[str, Any]]:
    found = await api("GET", "/utils/search/metadata", params={"fqn_prefix": prefix, "limit": 200})
    items: list[dict[str, Any]] = found["results"]
    return items


async def _search(api: Api, number: int, query: str) -> None:
    found = await api("GET", "/utils/search/metadata", params={"q": query, "limit": 6})
    table = Table(title=f"{5 + number}. Search: {query}  ({found['pagination']['total']} found)", title_justify="left")
    for heading in ("asset", "type", "description"):
        table.add_column(heading, overflow="fold")
    for asset in found["results"]:
        table.add_row(asset["fully_qualified_name"], asset["type"], asset["description"] or "")
    console.print(table)


def _announce(settings: Settings, address: str, project: str, *, is_kept: bool) -> None:
    token = _token(settings, project)
    console.print(f"\n[bold green]Stoa is serving[/] at {address}")
    console.print("\nOpen this link; it signs you in:", soft_wrap=True)
    console.print(f"  {address}/#token={token}", soft_wrap=True)
    console.print("\nElsewhere:")
    console.print(f"  GraphQL explorer    {address}/explorer#token={token}", soft_wrap=True)
    console.print(f"  API documentation   {address}/docs")
    console.print(f"  project             {project}")
    console.print("  token (one day)")
    console.print(token, soft_wrap=True)
    console.print("\nTry it:")
    console.print(
        f"  curl -H 'Authorization: Bearer {token}' -H 'X-Project-ID: {project}' "
        f"'{address}/utils/search/metadata?q=type:table&limit=3'",
        soft_wrap=True,
    )
    folder = escape(str(settings.data.resolve()))
    if is_kept:
        console.print(f"\nCtrl-C stops it. What the catalog holds stays in its data folder, {folder}:", soft_wrap=True)
        console.print(f"  stoa serve --data '{folder}'", soft_wrap=True)
        console.print(f"  stoa token --data '{folder}' --user {USER} --org {ORGANIZATION}", soft_wrap=True)
        return
    console.print(f"\nCtrl-C stops it and removes its data folder, which is temporary: {folder}", soft_wrap=True)
    console.print(
        "To keep what is done here, start it with a folder: make demo ARGS='--data stoa-demo'", soft_wrap=True
    )


def _token(settings: Settings, project: str | None = None) -> str:
    issuer = DevelopmentIssuer(settings.data)
    return issuer.issue(USER, ORGANIZATION, project=project, ttl=timedelta(days=1))


def _progress() -> Progress:
    return Progress(
        SpinnerColumn(finished_text="[green]✓"),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    )
