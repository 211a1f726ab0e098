"""Every path under /data-readiness, which /api/data-readiness serves alike. Additions to the contract are marked."""

from resolvers.data_readiness import runs, workflows
from rest_compat.door import Door
from rest_compat.envelopes import PageLimitList, PerPageList

data_readiness = Door("/data-readiness", tag="Data Readiness", also=("/api/data-readiness",))

_configuration, _run = "/workflows/{configuration_id}", "/workflows/{configuration_id}/runs/{run_id}"
data_readiness.get("/workflows", workflows.list_workflow_configurations, envelope=PageLimitList)
data_readiness.post("/workflows", workflows.create_workflow_configuration)
data_readiness.get(_configuration, workflows.get_workflow_configuration)
data_readiness.post(f"{_configuration}/runs", runs.trigger_run, status=202)
data_readiness.get(f"{_configuration}/runs", runs.list_workflow_runs, envelope=PageLimitList)
data_readiness.get(_run, runs.get_workflow_run)
data_readiness.get(f"{_run}/tasks", runs.list_run_tasks, envelope=PerPageList)
data_readiness.post(f"{_run}/cancel", runs.cancel_run, status=200)  # addition
