"""The end of `stoa demo`: questions in words over what was just ingested, with their events as they stream."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

import orjson
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from starlette.types import ASGIApp, Message

SHOWN_ROWS: Final = 5


@dataclass(frozen=True)
class Questions:
    """Holds what the demo asks of a source."""

    answered: tuple[str, ...]
    unanswerable: str
    meant: str = "The first one"
    """What is said when a question comes back: which of the readings is meant."""
    forbidden: tuple[str, str] | None = None
    """A column by its dotted name below the database, and a question about it."""


SAMPLE: Final = Questions(
    (
        "Which ten birth countries have the most people?",
        "What is the average salary for each year, in order of the year?",
        "Which schools are in Texas?",
        "Which player has the most strikeouts?",
    ),
    "Which players have the most followers on Instagram?",
    meant="of the pitching",
    forbidden=("salaries.salary", "What is the highest salary?"),
)
"""What is asked of the baseball data."""

OWN: Final = Questions((), "How many followers on Instagram are there?")
"""What is asked of a source of the user's own, beside what the platform proposes."""
OWN_ASKED: Final = 4
"""How many of the proposed questions are asked."""
COUNTED: Final = "What tables are there?"
"""What is asked where none is proposed."""

PACK: Final = "Demo policies"


async def ask_all(api: Any, app: ASGIApp, headers: Mapping[str, str], uri: str, asked: Questions, out: Console) -> None:
    """Ask every question in one session; print what streams, and where rows and charts lie."""
    out.print("14. Questions in words; the planner answers them without a language model. Each line below is one event")
    out.print(
        "    of the answer's stream, as it comes: the steps, the query, the rows, charts, and what is said at last."
    )
    folder = Path(tempfile.mkdtemp(prefix="stoa-answers-"))  # stays when the demo ends
    session = (await api("POST", "/talk2data/chat/sessions", json={"title": "Demo"}))["session_id"]
    for number, question in enumerate((*asked.answered, asked.unanswerable), 1):
        picture = folder / f"chart-{number}.png"
        if await _ask(api, app, headers, session, uri, question, out, picture) == "clarification":
            out.print("\n   A question back is answered by its number, or in words.")
            await _ask(api, app, headers, session, uri, asked.meant, out, picture)
    if asked.forbidden is not None:
        column, question = asked.forbidden
        policy = await _forbid(api, column)
        out.print(f"\n   From here on a policy lets nobody read [cyan]{column}[/].")
        try:
            await _ask(api, app, headers, session, uri, question, out, folder / "chart.png")
        finally:
            await api("DELETE", f"/utils/memories/{policy}")
        out.print("   That policy is taken away again.")


async def _forbid(api: Any, column: str) -> str:
    """Forbid a column to everybody; the id of the policy."""
    found = (await api("GET", "/utils/context-packs", params={"page_size": 100}))["data"]
    pack = next((one for one in found if one["name"] == PACK), None)
    pack = pack or await api("POST", "/utils/context-packs", json={"name": PACK, "pack_type": "project"})
    content = {"effect": "forbid", "columns": [column], "reason": "Salaries are nobody's business."}
    memory = {"context_pack_id": pack["id"], "name": f"No {column}", "memory_type": "policy", "content": content}
    return str((await api("POST", "/utils/memories", json=memory))["id"])


async def _ask(
    api: Any,
    app: ASGIApp,
    headers: Mapping[str, str],
    session: str,
    uri: str,
    question: str,
    out: Console,
    picture: Path,
) -> str:
    """Ask one question and print its events; what kind of answer came."""
    out.print(f"\n   [bold]{question}[/]", highlight=False)
    body = {"message": question, "context": {"datasources": [uri]}}
    turn = await api("POST", f"/talk2data/chat/sessions/{session}/turns", json=body)
    path = f"/talk2data/chat/messages/sessions/{session}/turns/{turn['turn_id']}/stream"
    text, kind = "", ""
    async with _events(app, path, headers) as events:
        async for name, data in events:
            if name == "message_delta":
                text += data["delta"]
            elif (show := _SHOWN.get(name)) is not None:
                show(data, out)
            if name == "artifact" and data["artifact_type"] in ("chart", "image"):
                await _chart(api, data, picture, out)
            elif name in ("done", "error"):
                said = (text or data["message"] or "").replace("\n\n", "\n").replace("\n", "\n      ")
                kind = str(data.get("kind") or data["state"])
                out.print(f"   [dim]{name}[/] [bold]{kind}[/]: {escape(said)}")
    return kind


def _update(data: dict[str, Any], out: Console) -> None:
    if data["agent"] is not None:
        out.print(f"   [dim]task_update[/] {escape(data['message'])}")


def _sql(data: dict[str, Any], out: Console) -> None:
    out.print(f"   [dim]sql[/] {escape(' '.join(data['drafted'].split()))}", highlight=False, soft_wrap=True)


def _result(data: dict[str, Any], out: Console) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in data["columns"]:
        table.add_column(column["name"])
    for row in data["rows"][:SHOWN_ROWS]:
        table.add_row(*map(_cell, row))
    first = f", of which the first {SHOWN_ROWS} are" if data["row_count"] > SHOWN_ROWS else ""
    out.print(f"   [dim]result[/] {data['row_count']} rows{first}:")
    out.print(Padding(table, (0, 0, 0, 6)))


def _cell(cell: Any) -> str:
    """A cell as it is read at a glance: figures with two decimals."""
    try:
        exact = Decimal(str(cell))
    except InvalidOperation:
        return "" if cell is None else escape(str(cell))
    return str(cell) if exact == exact.to_integral_value() else f"{exact:,.2f}"


_SHOWN: Final[dict[str, Callable[[dict[str, Any], Console], None]]] = {
    "task_update": _update,
    "sql": _sql,
    "result": _result,
}


async def _chart(api: Any, data: dict[str, Any], picture: Path, out: Console) -> None:
    address = f"/assets/artifacts/{data['resource_uri']}/download"
    what = "the chart's specification" if data["artifact_type"] == "chart" else "the chart as a picture"
    out.print(f"   [dim]artifact[/] {what}, by REST: [cyan]GET {address}[/]", soft_wrap=True)
    if data["artifact_type"] == "image":
        await asyncio.to_thread(picture.write_bytes, await api.bytes_of(address))
        out.print(f"      to open at once: file://{picture}", soft_wrap=True)


@asynccontextmanager
async def _events(
    app: ASGIApp, path: str, headers: Mapping[str, str]
) -> AsyncIterator[AsyncIterator[tuple[str, dict[str, Any]]]]:
    """The events of a stream as they are sent: a client in the same process would hold them back until the end."""
    sent: asyncio.Queue[Message | None] = asyncio.Queue()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 0),
        "server": ("stoa", 80),
    }
    asked = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if asked:
            return asked.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def serve() -> None:
        try:
            await app(scope, receive, sent.put)
        finally:
            await sent.put(None)

    async def read() -> AsyncIterator[tuple[str, dict[str, Any]]]:
        text = b""
        while (message := await sent.get()) is not None:
            text += message.get("body", b"")
            while b"\n\n" in text:
                block, _, text = text.partition(b"\n\n")
                fields = dict(line.split(b": ", 1) for line in block.splitlines() if b": " in line[1:])
                if b"event" in fields:
                    yield fields[b"event"].decode(), orjson.loads(fields[b"data"])["data"]

    serving = asyncio.create_task(serve())
    try:
        yield read()
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
