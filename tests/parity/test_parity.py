"""REST and GraphQL are one platform: same caller, data and input give the same value, error, effects and charge."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings

from tests.contract.test_permission_matrix import MATRIX
from tests.doors import FIELDS, ROUTES, SUBSCRIPTIONS
from tests.parity.conftest import CASES, FEW, ON_POSTGRESQL, QUICK
from tests.parity.inputs import BASES, GROUPS, Step, sequences, steps
from tests.parity.twin import Seen, Twin
from tests.support import tiers

OPERATIONS = sorted(set(ROUTES) & set(FIELDS))
ONE_DOOR = {"run_progress": "the contract has no path for it; the graph adds it as a subscription"}

by_tier = pytest.mark.parametrize("cases", [QUICK, pytest.param(CASES, marks=tiers.LONG)])

OWN_SESSION = {case.operation for case in MATRIX if case.on == "own session"}
"""The owner's own are those of the second place."""


def test_every_operation_of_both_doors_is_compared() -> None:
    assert set(ROUTES) ^ set(FIELDS) == set(ONE_DOOR)
    assert len(OPERATIONS) * CASES >= 10_000


SEARCH = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.timeout(1200)
@by_tier
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_call_does_the_same_through_both_doors(operation: str, cases: int, twin: Twin, measured: Any) -> None:
    counted, accepted = 0, []

    def one(step: Step) -> None:
        nonlocal counted
        counted += 1
        twin.restore()
        seen = require_same(twin, step)
        accepted.append(not seen.answer.refused)

    for base in range(BASES[operation]):  # as they are, by the owner: what has to work
        one(Step(operation, base))
    settings(SEARCH, max_examples=cases)(given(step=steps(operation))(one))()
    assert counted >= cases
    assert any(accepted)
    if cases > QUICK:  # a few may well all be fitting ones
        assert not all(accepted)
    measured("parity_cases", counted)


@pytest.mark.timeout(1200)
@by_tier
@pytest.mark.parametrize("group", GROUPS)
def test_calls_after_one_another_do_the_same(group: str, cases: int, twin: Twin, measured: Any) -> None:
    counted = 0

    @settings(SEARCH, max_examples=max(cases // 2, 1))
    @given(sequence=sequences(group))
    def compare(sequence: tuple[Step, ...]) -> None:
        nonlocal counted
        twin.restore()
        for step in sequence:
            counted += 1
            require_same(twin, step)

    compare()
    measured("parity_cases", counted)


@pytest.mark.parametrize("operation", [name for name in OPERATIONS if ROUTES[name].operation.kind != "reads"])
def test_what_one_door_did_under_a_key_the_other_answers_again(operation: str, twin: Twin) -> None:
    """The same request is the same at both doors, down to the fingerprint that the key is kept with."""
    twin.restore()
    step = Step(operation, base=int(operation in OWN_SESSION), key="one key")
    rest, graph = twin.after_one_another(step.call(twin))
    assert not rest.answer.refused
    assert graph.answer.told == rest.answer.told
    assert graph.changes == rest.changes
    assert graph.charged == rest.charged  # being told again is charged too


@pytest.mark.long  # asks every operation
@ON_POSTGRESQL
@pytest.mark.timeout(900)
def test_a_call_does_the_same_through_both_doors_on_postgresql(postgres_twin: Twin, measured: Any) -> None:
    """Fewer cases: what the doors make of a call does not depend on the store, and what the store refuses may."""
    counted, changing = 0, set()
    for operation in OPERATIONS:

        @settings(SEARCH, max_examples=FEW)
        @given(step=steps(operation))
        @example(step=Step(operation, base=int(operation in OWN_SESSION)))
        def one(step: Step) -> None:
            nonlocal counted
            counted += 1
            postgres_twin.restore()
            if require_same(postgres_twin, step).changes:
                changing.add(step.operation)

        one()
    assert counted > len(OPERATIONS) * FEW
    assert changing >= {operation for operation in OPERATIONS if operation.startswith(("create_", "delete_"))}
    measured("parity_cases", counted)


def require_same(twin: Twin, step: Step) -> Seen:
    """Make one call through both doors. Raises AssertionError that shows both answers when they differ."""
    rest, graph = twin.twice(step.call(twin))
    if step.operation in SUBSCRIPTIONS:  # the graph begins a stream before it knows what to charge
        rest.answer.window = graph.answer.window = {}
    different = [name for name, one, other in _parts(rest, graph) if one != other]
    told = [
        f"  {name}\n    REST  {one!r}\n    graph {other!r}" for name, one, other in _parts(rest, graph) if one != other
    ]
    assert not different, "\n".join([str(step), f"differ in {', '.join(different)}", *told])
    return rest


def _parts(rest: Seen, graph: Seen) -> list[tuple[str, Any, Any]]:
    return [
        ("answer", (rest.answer.refused, rest.answer.told), (graph.answer.refused, graph.answer.told)),
        ("charge", rest.charged, graph.charged),
        ("window", rest.answer.window, graph.answer.window),
        ("changes", rest.changes, graph.changes),
    ]
