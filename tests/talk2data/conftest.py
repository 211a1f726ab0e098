"""A platform whose questions are answered by a script."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat import ScriptedEngine
from tests.world import World, running_world, settings_for


@pytest.fixture
def engine() -> ScriptedEngine:
    """Who answers the questions."""
    return ScriptedEngine()


@pytest.fixture
async def world(
    store_url: str | None,
    tmp_path: Path,
    deployment: dict[str, Any],
    setting_overrides: dict[str, Any],
    engine: ScriptedEngine,
) -> AsyncIterator[World]:
    """The world, with that engine."""
    settings = settings_for(tmp_path, store_url, migrate_on_start=False, **(deployment | setting_overrides))
    async with running_world(settings, turn_engine=engine) as world:
        yield world
