"""Defines what a run says of its tasks as it ends: what could not be read, what failed, and whether anything was
done.
"""

from typing import Any, Final

from persistence.store import UnitOfWork
from schema.data_readiness.workflow_run import RunStatus, TaskStatus

FAILURES_TOLD: Final = 10
"""How many failed tasks a run's error message names."""

UNREAD_TOLD: Final = 20
"""How many of the assets that could not be read a run's output names."""


def achieved(uow: UnitOfWork, run_id: str) -> bool:
    """Return whether any task is done that does more than build on the others."""
    done = uow.run_tasks.planned(run_id, RunStatus.COMPLETED)
    return any(not arguments.get("follows") for _, arguments in done)


def unread(uow: UnitOfWork, run_id: str, skipped: int) -> dict[str, Any]:
    """Return what the output says of skipped tasks: how many, about how many assets, and the first of these by name."""
    told = [arguments["skipped"] for _, arguments in uow.run_tasks.planned(run_id, TaskStatus.SKIPPED)]
    reasons = {one["asset_fqn"]: one for one in reversed(told)}
    named = [reasons[fqn] for fqn in sorted(reasons)[:UNREAD_TOLD]]
    return {"skipped_tasks": skipped, "assets_not_read": len(reasons), "not_read": named}


def failure(uow: UnitOfWork, run_id: str, failed: int, of: int, others: str) -> str:
    """A sentence that names the tasks that failed, each with its reason; or, of none, why tasks were skipped.

    `others` says what the failed tasks mean for those that are done.
    """
    status = RunStatus.FAILED if failed else TaskStatus.SKIPPED
    number = failed or uow.run_tasks.counts(run_id).get(status, 0)
    told = [
        f"{name}: {message or 'It was cut off.'}"
        for name, message in uow.run_tasks.messages(run_id, status, FAILURES_TOLD)
    ]
    more = f" And {number - FAILURES_TOLD} more." if number > FAILURES_TOLD else ""
    lead = f"{failed} of {of} tasks failed{others}." if failed else "Nothing could be read."
    return f"{lead} {' '.join(told)}{more}"
