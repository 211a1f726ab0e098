"""The two tiers of the suite, and what each costs: hooks of pytest that `tests/conftest.py` takes in.

`make test` runs what is not marked `long`. A test on both stores and through both doors runs there once instead of
four times, the tests of a file in turn on SQLite through the graph and on PostgreSQL through REST: so each feature
meets each store and each door. The others are in the long tier, as are the further variants of a test that kills
processes, and all that compile clients in TypeScript. PostgreSQL through the graph is in neither (`left_out`).
"""

from __future__ import annotations

import resource
from collections import defaultdict
from collections.abc import Generator, Iterable
from typing import Any

import pytest
from hypothesis import settings

from tests.doors import GraphDoor, RestDoor
from tests.support import forked
from tests.support.forked import Chosen

MARKERS = {
    "long": "in `make test-all` and on CI, not in `make test`",
    "crash": "kills processes and looks at what is left",
    "browser": "drives a headless browser",
    "clients": "generates or compiles clients of the API",
    "starts": "starts its processes as a user does, where others fork them",
}
IN_TURN = (
    {"store_kind": "sqlite", "door": GraphDoor, "half": "first"},
    {"store_kind": "postgresql", "door": RestDoor, "half": "second"},
)
"""What the quick tier tries one test with and what the next one of its file; both meet each store and each door."""

EVERY_WAY = "--every-way"
"""The option that runs tests on PostgreSQL through the graph, too."""

OPENFGA = ("tests/auth/", "tests/contract/test_permission_matrix.py")
"""Where the quick tier asks an OpenFGA server."""

FEW = 10
"""Examples of a property that the quick tier tries at most; the long tier tries all that the property asks for."""

LONG = pytest.mark.long

DEAREST = 10


def a_fourth_is_quick(cases: Iterable[Any]) -> list[Any]:
    """Each case as a parameter; of a family that is dear the quick tier takes the first of each four."""
    return [pytest.param(case, marks=[LONG] if at % 4 else []) for at, case in enumerate(cases)]


class Examples:
    """Gives a property the number of examples of its tier.

    One that asks for more than a few runs twice: with few in the quick tier, with all that it asks for in the long one.
    """

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make two tests of it."""
        asked = _asked_examples(metafunc.function)
        if asked > FEW:
            metafunc.fixturenames.append("examples")
            chosen = [pytest.param(FEW, id="quick"), pytest.param(asked, id="full", marks=LONG)]
            metafunc.parametrize("examples", chosen, scope="session")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Set the number for the call alone."""
        function: Any = getattr(item, "obj", None)
        asked = _asked_examples(function)
        given = getattr(getattr(item, "callspec", None), "params", {})
        if "examples" not in given or not asked:
            assert asked <= FEW, f"It asks for {asked} examples, and no tier has a number for it."
            return (yield)
        own = function._hypothesis_internal_use_settings
        function._hypothesis_internal_use_settings = settings(own, max_examples=given["examples"])
        try:
            return (yield)
        finally:
            function._hypothesis_internal_use_settings = own


def _asked_examples(function: Any) -> int:
    """How many examples a property asks for; 0 of what is none."""
    if not getattr(function, "is_hypothesis_test", False):
        return 0
    return int(getattr(function, "_hypothesis_internal_use_settings", settings.default).max_examples)


def mark(items: list[pytest.Item]) -> None:
    """Mark each test with what it needs and with the tier that it is in."""
    killed: set[str] = set()
    turns: defaultdict[str, dict[Any, int]] = defaultdict(dict)
    for item in items:
        file = item.nodeid.partition("::")[0]
        fixtures = set(getattr(item, "fixturenames", ()))
        if "crash" in file.rpartition("/")[2]:
            item.add_marker("crash")
            function = item.nodeid.partition("[")[0]
            if function in killed:
                item.add_marker("long")
            killed.add(function)
        if "browser" in fixtures:
            item.add_marker("browser")
        if "node_packages" in fixtures or file.endswith("_clients.py"):
            item.add_marker("clients")
            item.add_marker("long")
        if not _has_its_turn(item, turns[file]):
            item.add_marker("long")


def left_out(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests on PostgreSQL through the graph, which neither tier runs.

    Each of them runs on SQLite through both doors and on PostgreSQL through REST. That the graph does what REST does is
    shown for every operation by `tests/parity`, on both stores.
    """
    return [
        item
        for item in items
        if (given := getattr(getattr(item, "callspec", None), "params", {})).get("store_kind") == "postgresql"
        and given.get("door") is GraphDoor
    ]


def _has_its_turn(item: Any, turns: dict[Any, int]) -> bool:
    """Return whether a test's store and door are those of its turn; one without a choice of them always has it.

    The cases of a test, and the tests of a file, take turns in the order in which they stand.
    """
    call = getattr(item, "callspec", None)
    chosen = set() if call is None else IN_TURN[0].keys() & call.params.keys()
    if not chosen:
        return True
    case = item.nodeid.partition("[")[0], frozenset((k, v) for k, v in call.indices.items() if k not in chosen)
    turn = IN_TURN[turns.setdefault(case, len(turns)) % len(IN_TURN)]
    if "half" in chosen:  # two halves of one test, each with its own turn
        turn = next(one for one in IN_TURN if one["half"] == call.params["half"])
    return all(call.params[name] == turn[name] for name in chosen)


def asks_openfga(item: Any) -> bool:
    """Return whether a test on PostgreSQL asks an OpenFGA server: in the long tier, and where permissions are what is
    tested.

    Each question to it costs a request of HTTP; that it answers as the platform's own evaluator is what those show.
    """
    return item.nodeid.startswith(OPENFGA) or item.get_closest_marker("long") is not None


def own_seconds() -> float:
    """Of this process alone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def cpu_seconds() -> float:
    """Of this process and of those that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used) + forked.cpu_seconds()


class CpuTime:
    """Counts the CPU seconds of a run, in all and by file, and prints them at its end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._of_workers = 0.0
        self._by_file: defaultdict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Keep what a test had used before it began."""
        Chosen.forked = item.get_closest_marker("starts") is None
        item.stash[BEFORE] = cpu_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Send what a phase of a test used along with its report."""
        report: Any = yield
        used = cpu_seconds()
        report.cpu_seconds = used - item.stash[BEFORE]
        item.stash[BEFORE] = used
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a report's seconds to those of its file."""
        self._by_file[report.nodeid.partition("::")[0]] += getattr(report, "cpu_seconds", 0.0)

    def pytest_sessionfinish(self) -> None:
        """Hand what a process of the run used to the one that started it."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output["cpu_seconds"] = cpu_seconds()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take it."""
        self._of_workers += getattr(node, "workeroutput", {}).get("cpu_seconds", 0.0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the seconds of all processes, and the dearest files."""
        if sum(self._by_file.values()) < 60:
            return
        by_cost = sorted(self._by_file.items(), key=lambda item: -item[1])
        dearest = ", ".join(f"{file} {seconds:.0f}" for file, seconds in by_cost[:DEAREST])
        # What workers used is in what their parent has waited for, too.
        used = self._of_workers + own_seconds() if self._of_workers else cpu_seconds()
        terminalreporter.write_line(f"CPU seconds of the test processes: {used:,.0f}")
        terminalreporter.write_line(f"the dearest: {dearest}")


BEFORE = pytest.StashKey[float]()
