"""Processes that tests fork are told from those that they start by nothing but their price."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import forked

PROGRAM = """
import os, sys
print(os.getcwd(), sorted(os.environ), sys.argv[1:], flush=True)
print("an error", file=sys.stderr)
raise SystemExit(int(sys.argv[1]))
"""


@pytest.fixture(autouse=True, params=[False, True], ids=["started", "forked"])
def _how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked.Chosen, "forked", request.param)


def test_it_has_its_own_folder_environment_arguments_output_and_status(tmp_path: Path) -> None:
    ran = forked.run(
        [sys.executable, "-c", PROGRAM, "3"], cwd=tmp_path, env={"ONE": "1", "LC_CTYPE": "C.UTF-8"}, timeout=60
    )
    assert (ran.returncode, ran.stderr) == (3, "an error\n")
    assert ran.stdout == f"{tmp_path} ['LC_CTYPE', 'ONE'] ['3']\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_signal_ends_it_and_is_its_status(tmp_path: Path, number: int) -> None:
    with (tmp_path / "said").open("wb") as said:
        process = forked.start(
            [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"],
            cwd=tmp_path,
            stdout=said.fileno(),
            stderr=said.fileno(),
        )
    while "up" not in (tmp_path / "said").read_text():
        assert process.poll() is None
        time.sleep(0.01)
    assert process.pid != os.getpid()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.send_signal(number)
    assert process.wait(60) == process.returncode == -number
    process.send_signal(number)  # of one that has ended, nothing


def test_a_module_runs_as_the_main_one_and_its_failure_is_told(tmp_path: Path) -> None:
    ran = forked.run([sys.executable, "-m", "no.such.module"], cwd=tmp_path, env=dict(os.environ), timeout=60)
    assert ran.returncode == 1
    assert "No module named" in ran.stderr


def test_what_it_used_is_counted(tmp_path: Path) -> None:
    before = forked.cpu_seconds()
    burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    assert forked.run([sys.executable, "-c", burn], cwd=tmp_path, env=dict(os.environ), timeout=60).returncode == 0
    if forked.Chosen.forked:
        assert forked.cpu_seconds() >= before + 0.25
