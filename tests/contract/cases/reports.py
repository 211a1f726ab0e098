"""Reports."""

from typing import Any

from schema.data_readiness.report import ReportCreate
from tests.contract.cases.profiles import profiled_table
from tests.contract.stage import Case, Place, Stage


async def report_on_a_table(stage: Stage, place: Place) -> dict[str, Any]:
    """A table that was measured, to be reported on."""
    return {"report": ReportCreate(asset_fqn=(await profiled_table(stage, place))["asset_fqn"])}


CASES = [Case("create_report", "project", "can_create_resources", report_on_a_table)]
