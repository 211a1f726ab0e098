"""Python processes that begin with the platform imported: each is forked from one that has imported it.

Nearly all of what a start of the platform costs is importing it, and the tests start hundreds. What is forked is a
process like any other: with an id, signals, an environment, a working directory and files of its own, and it may be
killed. Tests that are about starting carry the marker `starts`, and start theirs the way a user does.
"""

import atexit
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import IO, Any

from persistence.samples.postgres import die_with_parent

IMPORTS = "tests.support.imported"


class Chosen:
    """Whether processes that can be forked are; it is told anew before each test."""

    forked = False


class Forked:
    """A process by its command line, with those parts of `subprocess.Popen` that tests use."""

    def __init__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdout: int, stderr: int) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([IMPORTS])
        self.args = list(command)
        self._process = context.Process(target=_Started(self.args, str(cwd), dict(env), (stdout, stderr)), daemon=True)
        self._process.start()
        if _Server.process is None:
            _Server.process = _parent_of(self.pid)

    @property
    def pid(self) -> int:
        """Its id."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit status, the negative number of the signal that ended it, or None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return the exit status without waiting."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit status."""
        self._process.join(timeout)
        status = self._process.exitcode
        if status is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to stop."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def can_be_forked(command: Sequence[str]) -> bool:
    """Return whether a command line is this Python with a program or a module."""
    return command[0] == sys.executable and command[1] in ("-c", "-m")


def start(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, stdout: int, stderr: int
) -> "subprocess.Popen[bytes] | Forked":
    """Start a process that ends with this one, forked where that is chosen and it can be."""
    env = os.environ if env is None else env
    if Chosen.forked and can_be_forked(command):
        return Forked(command, cwd=cwd, env=env, stdout=stdout, stderr=stderr)
    return subprocess.Popen(
        command, cwd=cwd, env=env, stdout=stdout, stderr=stderr, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent
    )


def run(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float
) -> "subprocess.CompletedProcess[str]":
    """Run a process to its end; what it wrote is kept."""
    with tempfile.TemporaryFile("w+b") as output, tempfile.TemporaryFile("w+b") as errors:
        process = start(command, cwd=cwd, env=env, stdout=output.fileno(), stderr=errors.fileno())
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        said = [_all_of(one) for one in (output, errors)]
    return subprocess.CompletedProcess(list(command), status, said[0], said[1])


def _all_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def cpu_seconds() -> float:
    """Return what the process that forks has used, and those that it forked and that have ended.

    To the system they are no children of this one, so what is counted of those leaves them out.
    """
    if _Server.process is None:
        return 0.0
    return sum(map(int, _state_of(_Server.process)[11:15])) / os.sysconf("SC_CLK_TCK")


class _Server:
    """The process that forks, once there is one."""

    process: int | None = None


def _state_of(process: int) -> list[str]:
    """Return the fields of proc(5)'s stat after the name."""
    return Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()


def _parent_of(process: int) -> int:
    return int(_state_of(process)[1])


class _Started:
    """What a forked process does."""

    def __init__(self, command: list[str], cwd: str, env: dict[str, str], files: tuple[int, int]) -> None:
        self._command, self._cwd, self._env = command, cwd, env
        self._files: Any = files

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_files": [DupFd(one) for one in self._files]}  # pickled while the process is made

    def __call__(self) -> None:
        """Become the command."""
        die_with_parent()
        multiprocessing.current_process().daemon = False  # it may have children
        for opened, number in zip(self._files, (1, 2), strict=True):
            os.dup2(opened.detach(), number)
        os.chdir(self._cwd)
        os.environ.clear()
        os.environ.update(self._env)
        _, how, program, *arguments = self._command
        sys.path[0] = self._cwd
        try:
            if how == "-m":
                sys.argv = [program, *arguments]
                runpy.run_module(program, run_name="__main__", alter_sys=True)
            else:
                sys.argv = ["-c", *arguments]
                exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
        finally:
            atexit._run_exitfuncs()
