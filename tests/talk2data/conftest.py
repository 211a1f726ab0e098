"""A platform whose questions are answered by a script."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat import ScriptedEngine
from tests.world import StockedStore, World, running_world, settings_for


@pytest.fixture
def engine() -> ScriptedEngine:
    """Who answers the questions."""
    return ScriptedEngine()


@pytest.fixture
async def world(
    stocked_store: StockedStore,
    tmp_path: Path,
    deployment: dict[str, Any],
    setting_overrides: dict[str, Any],
    engine: ScriptedEngine,
) -> AsyncIterator[World]:
    """The world, with that engine."""
    settings = settings_for(tmp_path, stocked_store.url, migrate_on_start=False, **(deployment | setting_overrides))
    async with running_world(settings, stock=stocked_store.stock, turn_engine=engine) as world:
        yield world
