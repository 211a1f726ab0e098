"""The door for agents is the same platform: the same value or error, effects and charge as REST."""

from typing import Any

import pytest
from hypothesis import given, settings

from rest_compat.events import StreamRoute
from rest_compat.transfer import UploadRoute
from tests.doors import ROUTES
from tests.parity.conftest import OF_AGENTS
from tests.parity.doors import by_agents
from tests.parity.inputs import BASES, Step, steps
from tests.parity.test_parity import OPERATIONS, SEARCH, _parts
from tests.parity.twin import Seen, Twin
from tests.support import tiers

CALLED = [name for name in OPERATIONS if not isinstance(ROUTES[name], StreamRoute | UploadRoute)]
"""A stream, and a form with a file, fit into no message; the door says so."""


def require_same(twin: Twin, step: Step) -> Seen:
    """Make one call through REST and as an agent. Raises AssertionError that shows both answers when they differ."""
    rest, agents = twin.twice(step.call(twin), by_agents)
    if isinstance(rest.answer.told, dict) and {"items", "total", "limit", "offset"} == set(rest.answer.told):
        rest.answer.told = {name: rest.answer.told[name] for name in ("items", "total")}
    told = [
        f"  {name}\n    REST   {one!r}\n    agents {other!r}"
        for name, one, other in _parts(rest, agents)
        if one != other
    ]
    assert not told, "\n".join([str(step), *told])
    return rest


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("cases", [1, pytest.param(OF_AGENTS, marks=tiers.LONG)])
@pytest.mark.parametrize("operation", CALLED)
def test_a_call_does_the_same_for_an_agent(operation: str, cases: int, twin: Twin, measured: Any) -> None:
    counted = 0

    def one(step: Step) -> None:
        nonlocal counted
        counted += 1
        twin.restore()
        require_same(twin, step)

    for base in range(BASES[operation]):
        one(Step(operation, base))
    settings(SEARCH, max_examples=cases)(given(step=steps(operation))(one))()
    measured("parity_cases", counted)
