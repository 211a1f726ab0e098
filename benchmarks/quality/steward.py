"""What a steward has to decide: proposals and violations of a database after one enrichment and both assessments.

Everything goes through the documented REST paths, over databases that others made, in a private PostgreSQL.
"""

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpx
from rich.console import Console
from rich.table import Table

from auth.issuer import DevelopmentIssuer
from benchmarks.quality import loading
from benchmarks.quality.false_claims import Data, Judged, judged
from persistence.samples.postgres import NoPostgres, running_postgres
from rest_compat.app import create_app
from rest_compat.logs import set_up_logs
from rest_compat.settings import Settings
from rest_compat.setup import bootstrap_organization
from schema.identifiers import Fqn, join_fqn

ORGANIZATION, USER = "quality", "ada"
AT_ONCE: Final = 100
"""How many of a list are asked for at once."""

SEVERE: Final = ("high", "critical")

GOAL: Final = 5.0
"""Proposals a table that a steward is asked to decide, at most."""


@dataclass
class Asked:
    """Holds what was found about one database, and so what is asked of its steward."""

    name: str
    address: str
    tables: int = 0
    proposals: list[dict[str, Any]] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    violations: list[dict[str, Any]] = field(default_factory=list)
    later: list[dict[str, Any]] = field(default_factory=list)
    """The open violations of the data once all is accepted, and concluded from two profiles."""
    claims: list[Judged] = field(default_factory=list)
    """All that was claimed of its data, held against it."""

    @property
    def severe(self) -> list[dict[str, Any]]:
        """The later violations of high severity."""
        return [seen for seen in self.later if seen["severity"] in SEVERE]


def report(console: Console, folder: str | None = None, only: Sequence[str] = ()) -> None:
    """Print what a steward has to decide, for every database in a folder."""
    if folder is None:
        console.print("steward: no databases; name the folder that holds them with --databases.")
        return
    try:
        found = measured(Path(folder), only)
    except NoPostgres as reason:
        console.print(f"steward: no PostgreSQL to be had ({reason}).")
        return
    console.print(_decisions(found))
    console.print(_kinds(found))
    console.print(_claimed(found))
    for one in found:
        for seen in one.severe:  # whether it is real, a reader says: what is wrong is not in the data alone
            console.print(f"{seen['severity']}: {seen['fqn']}: {json.dumps(seen['details'])[:400]}", markup=False)
    for one in found:
        for claim in one.claims:
            if claim.is_false:
                console.print(f"false: {claim.source} of {claim.asset_fqn}: {claim.said} ({claim.claim})", markup=False)


def measured(folder: Path, only: Sequence[str] = ()) -> list[Asked]:
    """Enrich and assess every database. Raises NoPostgres."""
    with tempfile.TemporaryDirectory(prefix="stoa-steward-") as data, running_postgres() as server:
        loaded = [
            Asked(name, loading.load(server, name, file))
            for name, file in loading.found_in(folder)
            if not only or name in only
        ]
        settings = Settings(data=Path(data), log_level="ERROR", outbound_allow=f"{server.host}:{server.port}")
        asyncio.run(_all(settings, loaded))
        return loaded


async def _all(settings: Settings, loaded: Sequence[Asked]) -> None:
    set_up_logs(settings.log_format, settings.log_level)
    await bootstrap_organization(settings, ORGANIZATION, USER, "Quality")
    app = create_app(settings)
    await app.open()
    try:
        headers = {"Authorization": f"Bearer {DevelopmentIssuer(settings.data).issue(USER, ORGANIZATION)}"}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://stoa", headers=headers, timeout=60
        ) as client:
            api = Paths(client)
            made = await api("POST", "/governance/projects", json={"name": "Quality", "description": "Measured."})
            client.headers["X-Project-ID"] = made["id"]
            for one in loaded:
                await _one(api, one)
    finally:
        await app.close()


async def _one(api: "Paths", one: Asked) -> None:
    parts = urlsplit(one.address)
    body = {
        "name": one.name,
        "connection_type": "postgres",
        "database_config": {"host": parts.hostname, "port": parts.port, "database": unquote(parts.path.lstrip("/"))},
        "credentials": {"username": unquote(parts.username or ""), "password": unquote(parts.password or "")},
    }
    uri = (await api("POST", "/assets/data", json=body))["resource_uri"]
    await api.run("service-ingestion", {}, {"resource_uri": uri})
    about = {"asset_fqn": uri.rpartition(":")[2]}
    enriched = await api.run("run-all-enrichment", about)
    await api.run("metadata-assessment", about)
    await api.run("dq-assessment", about)
    runs = f"/data-readiness/workflows/runs/{enriched['id']}"
    one.proposals = await api.listed(f"{runs}/proposals")
    parts = await api.listed(f"{runs}/proposals", joined="false")
    one.claims = await asyncio.to_thread(_claims, one.address, parts, await _profiles(api, parts))
    one.groups = await api.listed(f"{runs}/proposals/groups")
    one.violations = await api.listed("/data-readiness/violations", **about, status="open")
    pipeline = await api("GET", f"/data-readiness/workflows/pipelines/{enriched['output']['pipeline_id']}")
    one.tables = pipeline["total_tables"] // 2  # each is tagged twice
    # A severity is earned by rules that held in two profiles.
    await api.run("run-all-enrichment", {**about, "save_all": True})
    await api.run("dq-assessment", about)
    one.later = _of_data(await api.listed("/data-readiness/violations", **about, status="open"))


async def _profiles(api: "Paths", parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The profiles of all tables that anything is proposed about."""
    names = {Fqn.parse(one["asset_fqn"]).parts[:4] for one in parts}
    tables = sorted(join_fqn(name) for name in names if len(name) == 4)
    return [await api("GET", "/data-readiness/profiles/table", params={"asset_fqn": table}) for table in tables]


def _claims(address: str, parts: Sequence[dict[str, Any]], profiles: Sequence[dict[str, Any]]) -> list[Judged]:
    data = Data(address)
    try:
        return judged(data, parts, profiles)
    finally:
        data.close()


class Paths:
    """The documented REST paths."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def __call__(self, method: str, path: str, **how: Any) -> Any:
        """One call; its JSON. Waits where too much was asked. Raises httpx.HTTPStatusError."""
        while True:
            answer = await self._client.request(method, path, **how)
            if answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                answer.raise_for_status()
                return answer.json()
            await asyncio.sleep(int(answer.headers["Retry-After"]))

    async def listed(self, path: str, **params: Any) -> list[dict[str, Any]]:
        """All of a list."""
        found: list[dict[str, Any]] = []
        while True:
            page = 1 + len(found) // AT_ONCE
            answer = await self("GET", path, params={**params, "limit": AT_ONCE, "page": page})
            found += answer["data"]
            if len(answer["data"]) < AT_ONCE:
                return found

    async def run(
        self, workflow_type: str, body: dict[str, Any], config: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run a workflow to its end. Raises RuntimeError where it does not complete."""
        wanted = {"name": workflow_type, "workflow_type": workflow_type, "config": config or {}}
        configuration = await self("POST", "/data-readiness/workflows", json=wanted)
        runs = f"/data-readiness/workflows/{configuration['id']}/runs"
        run = await self("POST", runs, json=body)
        while True:
            state: dict[str, Any] = await self("GET", f"{runs}/{run['id']}")
            if state["status"] not in ("pending", "running"):
                break
            await asyncio.sleep(0.5)
        if state["status"] != "completed":
            raise RuntimeError(f"{workflow_type} {state['status']}: {state['error_message']}")
        return state


def _decisions(found: Sequence[Asked]) -> Table:
    table = Table(title=f"What a steward has to decide (goal: {GOAL:g} proposals a table)", title_justify="left")
    later = tuple(f"{name} later" for name in ("high", "medium", "low"))
    for heading in ("database", "tables", "proposals", "a table", "groups", "violations", "of data", *later):
        table.add_column(heading, justify="right" if heading != "database" else "left")
    for one in found:
        number = Counter(seen["severity"] for seen in one.later)
        severities = (len(one.severe), number["medium"], number["low"])
        figures = (one.tables, len(one.proposals), f"{len(one.proposals) / max(1, one.tables):.1f}", len(one.groups))
        table.add_row(
            one.name,
            *map(str, figures),
            str(len(one.violations)),
            str(len(_of_data(one.violations))),
            *map(str, severities),
        )
    return table


def _of_data(violations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [seen for seen in violations if seen["dimension"]["assessment_type"] == "data_quality"]


def _claimed(found: Sequence[Asked]) -> Table:
    table = Table(title="Claims, evaluated again in SQL (goal: none false)", title_justify="left")
    sources = ("description", "rule", "profile")
    for heading in ("database", *(f"{source}s" for source in sources), "all", "false"):
        table.add_column(heading, justify="right" if heading != "database" else "left")
    every = [*found, Asked("all", "", claims=[claim for one in found for claim in one.claims])]
    for one in every:
        number = Counter(claim.source for claim in one.claims)
        false = sum(claim.is_false for claim in one.claims)
        table.add_row(one.name, *(str(number[source]) for source in sources), str(len(one.claims)), str(false))
    return table


def _kinds(found: Sequence[Asked]) -> Table:
    table = Table(title="Proposals by kind", title_justify="left")
    kinds = sorted({seen["kind"] for one in found for seen in one.proposals})
    for heading in ("database", *kinds):
        table.add_column(heading, justify="right" if heading != "database" else "left")
    for one in found:
        number = Counter(seen["kind"] for seen in one.proposals)
        table.add_row(one.name, *(str(number[kind]) for kind in kinds))
    return table
