"""Processes are killed with SIGKILL while events are delivered: none is lost, and each comes in order under one id."""

from pathlib import Path

import pytest

from benchmarks.deliveries import measured
from benchmarks.killing import Place, receiving

WORKERS = {"sqlite": 1, "postgresql": 2}
"""A file takes one that works."""
KILLS = 8


@pytest.mark.long  # some thirty processes
@pytest.mark.timeout(600)
def test_of_events_delivered_while_processes_are_killed_none_is_lost(
    store_kind: str, store_url: str | None, tmp_path: Path
) -> None:
    with receiving() as receiver:
        place = Place(tmp_path, store_url, receiver)
        found = measured(place, kills=KILLS, workers=WORKERS[store_kind])
    assert dict(found.kills) == {"worker": KILLS, "server": 1}
    assert found.events >= 50, found
    assert found.is_right, found
