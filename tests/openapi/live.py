"""A platform on a free port of this machine, in a thread of the test, with everything embedded."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import httpx
import uvicorn
from starlette.types import Receive, Scope, Send

from auth.issuer import DevelopmentIssuer
from persistence.jobs.port import InlineJobs
from rest_compat.app import Application, create_app
from rest_compat.setup import bootstrap_organization
from tests.world import ORG, settings_for


class Live(NamedTuple):
    """A server, and the owner of a project on it."""

    address: str
    token: str
    project: str


SECONDS = 5.0
"""For how long a request waits for work that was begun before it."""


class AtRest:
    """Lets each request wait for the jobs of those before it: what one has made stands when the next one asks."""

    def __init__(self, app: Application, jobs: InlineJobs) -> None:
        self._app, self._jobs = app, jobs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SECONDS):
                    await self._jobs.settle()
        await self._app(scope, receive, send)


@contextmanager
def live_server(folder: Path) -> Iterator[Live]:
    """A server whose jobs are done at once, and that calls no other machine."""
    settings = settings_for(folder, outbound_private=False, connect_timeout=1)
    settings.data.mkdir(parents=True)
    asyncio.run(bootstrap_organization(settings, ORG, "olga", "Acme"))
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    jobs = InlineJobs()
    app = AtRest(create_app(settings, jobs=jobs), jobs)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        while httpx.get(f"{address}/readyz", timeout=120).status_code != 200:
            time.sleep(0.05)
        issuer = DevelopmentIssuer(settings.data)
        headers = {"Authorization": f"Bearer {issuer.issue('olga', ORG)}"}
        made = httpx.post(f"{address}/governance/projects", json={"name": "shop"}, headers=headers, timeout=120)
        project = made.json()["id"]
        yield Live(address, issuer.issue("olga", ORG, project=project, ttl=timedelta(hours=2)), project)
    finally:
        server.should_exit = True
        thread.join()
