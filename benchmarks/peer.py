"""PostGraphile, the fastest graph over PostgreSQL that comes ready-made, on the very tables of the platform's store.

It is a peer where the baseline is a bound: a whole GraphQL server, which parses, validates and plans any query, yet
without tokens, permissions, windows or log. npm brings it with a Node.js of its own into `.cache/postgraphile`, in the
versions of `benchmarks/postgraphile/package-lock.json`; nothing that is installed runs a script.
"""

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import psycopg
from psycopg import sql

from benchmarks.baseline import CONNECTIONS, GRAPH_FIELDS, Place

FILES = Path(__file__).with_name("postgraphile")
INSTALLED = Path(__file__).parents[1] / ".cache" / "postgraphile"
COMMAND = ("node_modules/postgraphile/dist/cli-run.js", "-C", "config.mjs")
MOMENTS = ("createdAt", "updatedAt")
SAID = {
    "table metadata_assets": (
        "@foreignKey (organization_id, project_id, parent_fqn) "
        "references metadata_assets (organization_id, project_id, fully_qualified_name)"
        "|@fieldName parent|@foreignFieldName children"
    ),
    "column metadata_assets.deleted_at": "@behavior +filterBy",
    "column metadata_assets.ordinal_position": "@behavior +orderBy",
    "column metadata_assets.name": "@behavior +orderBy",
}
"""Comments that it reads: which rows are a row's children, and by what they may be chosen and sorted."""


class NoPeer(Exception):
    """There is no PostGraphile to be had here; the message says why."""


def installed() -> Path:
    """Return the Node.js that runs it, after fetching what the lock file names unless it is there. Raises NoPeer."""
    wanted = (FILES / "package-lock.json").read_bytes()
    stamp = INSTALLED / "node_modules" / ".installed-from"
    INSTALLED.mkdir(parents=True, exist_ok=True)
    shutil.copy(FILES / "config.mjs", INSTALLED)
    if not stamp.is_file() or stamp.read_bytes() != wanted:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(FILES / name, INSTALLED)
        _fetch()
        stamp.write_bytes(wanted)
    for node in sorted(INSTALLED.glob("node_modules/node-*/bin/node")):
        return node
    raise NoPeer("npm has no Node.js 22 for this machine")


def _fetch() -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NoPeer("there is no npm on this machine")
    quiet = ("--no-audit", "--no-fund", "--loglevel=error")
    try:
        subprocess.run(
            [npm, "ci", "--ignore-scripts", *quiet], cwd=INSTALLED, capture_output=True, timeout=600, check=True
        )
    except subprocess.TimeoutExpired:
        raise NoPeer("npm did not bring it within ten minutes") from None
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().splitlines()[:1]
        raise NoPeer(f"npm could not bring it ({''.join(last) or f'status {error.returncode}'})") from None


def related(url: str) -> None:
    """Tell by comments, as PostGraphile reads them, how the catalog's rows hang together."""
    with psycopg.connect(url.replace("postgresql+psycopg://", "postgresql://"), autocommit=True) as connection:
        for what, words in SAID.items():
            connection.execute(sql.SQL("comment on {} is {}").format(sql.SQL(what), words))


def environment(place: Place, port: int) -> dict[str, str]:
    """The environment of its process."""
    production = dict.fromkeys(("NODE_ENV", "GRAPHILE_ENV"), "production")
    return {name: value for name, value in os.environ.items() if not name.startswith("STOA_")} | {
        "DATABASE_URL": place.url.replace("postgresql+psycopg://", "postgresql://"),
        "PORT": str(port),
        "CONNECTIONS": str(CONNECTIONS),
        **production,
    }


def asked(place: Place, *, children: bool) -> bytes:
    """The body of the request for one asset, with or without its children: as many fields as Stoa is asked for."""
    # Node ids are called `id` here, and no column holds the version whole: another number is asked for in its place.
    fields = " ".join({"id": "id: rowId", "version": "version: revision"}.get(name, name) for name in GRAPH_FIELDS)
    below = (
        f"children(first: 500, condition: {{deletedAt: null}}, orderBy: [ORDINAL_POSITION_ASC, NAME_ASC]) "
        f"{{ nodes {{ {fields} }} }}"
        if children
        else ""
    )
    query = (
        "query Wide($organization: String!, $project: String!, $fqn: String!) { "
        "metadata: metadataAssetByOrganizationIdAndProjectIdAndFullyQualifiedName("
        f"organizationId: $organization, projectId: $project, fullyQualifiedName: $fqn) {{ {fields} {below} }} }}"
    )
    variables = {"organization": place.organization, "project": place.project, "fqn": place.fqn}
    return orjson.dumps({"query": query, "variables": variables})


def translated(answer: Any) -> Any:
    """Its answer in Stoa's words: the same values, where the two write one value differently."""
    asset = answer["data"]["metadata"]
    said = _translated(asset)
    if "children" in asset:
        said["children"] = [_translated(child) for child in asset["children"]["nodes"]]
    return {"data": {"metadata": said}}


def _translated(asset: dict[str, Any]) -> dict[str, Any]:
    moments = {name: datetime.fromisoformat(asset[name]).astimezone(UTC) for name in MOMENTS}
    return {
        **{name: asset[name] for name in GRAPH_FIELDS},
        **{name: value.strftime("%Y-%m-%dT%H:%M:%S.%fZ") for name, value in moments.items()},
        "type": asset["type"].upper(),
        "version": f"{asset['versionMajor']}.{asset['versionMinor']}",
    }
