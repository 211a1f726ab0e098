"""Defines what a run and a configuration may be told: the names that a type of workflow knows, and what stands under
them.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Final

import orjson
from pydantic import ConfigDict, Field
from pydantic import ValidationError as PydanticError

from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_definition import DEFINITIONS
from schema.data_readiness.workflow_run import RunParameters, Sampling, WorkflowRun
from schema.errors import ValidationError
from schema.problems import SHOWN_PROBLEMS, body_problems, meant, problems_of

_BESIDE: Final[Mapping[WorkflowType, frozenset[str]]] = {
    WorkflowType.RUN_ALL_ENRICHMENT: frozenset({"max_profile_age_seconds", "tier"}),
}
"""What a type is told for the sake of another whose work it does, beside what its definition names."""

_OPTIONS: Final = frozenset({"context_pack_id", "industry_info", "use_validation"})
"""What a configuration may say for all of its runs."""


class _Told(RunParameters):
    """The parameters of every type, with their bounds."""

    model_config = ConfigDict(extra="allow")

    max_profile_age_seconds: Annotated[float, Field(ge=0, le=1_000_000_000)] | None = None
    fresh_within_seconds: Annotated[int, Field(ge=1)] | None = None


def checked_parameters(kind: WorkflowType, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as they were sent.

    Raises 400 for a name that is nearly one that runs of the type know, and 400 or 422 for a value that is not what it
    should be. The parameters that every engine understands alike are known to every type, whether it has a use for them
    or not; others may be sent along, and are kept.
    """
    own = DEFINITIONS[kind.value].parameters_schema["properties"].keys() | _BESIDE.get(kind, frozenset())
    _refuse_slips(parameters, own | RunParameters.model_fields.keys(), own, "parameters", f"A run of {kind.value}")
    if isinstance(parameters.get("sampling"), dict):
        inner = Sampling.model_fields.keys()
        _refuse_slips(parameters["sampling"], inner, inner, "parameters.sampling", "Sampling")
    try:
        _Told.model_validate_json(orjson.dumps(parameters), strict=True)
    except PydanticError as error:
        raise body_problems(problems_of(error, "parameters")) from None
    return dict(parameters)


def check_config(kind: WorkflowType, config: Mapping[str, Any]) -> None:
    """Raise 400 for a name in a configuration's config that is nearly, but not quite, one that is known.

    It may hold whatever else its clients want to find there again.
    """
    known = DEFINITIONS[kind.value].config_schema["properties"].keys() | _OPTIONS
    _refuse_slips(config, known, known, "config", kind.value)


def _refuse_slips(given: Mapping[str, Any], known: Collection[str], told: Iterable[str], path: str, who: str) -> None:
    """Refuse names that would be passed over silently, though somebody meant one that is known."""
    slips = {name: meant(name, known) for name in given if name not in known}
    problems = [
        {"field": f"{path}.{name[:100]}", "message": f"It is not known. Did you mean {near!r}?"}
        for name, near in slips.items()
        if near
    ][:SHOWN_PROBLEMS]
    if not problems:
        return
    names = sorted(told)
    raise ValidationError(
        f"{problems[0]['field']}: {problems[0]['message']} {who} takes {', '.join(names)}.",
        field=problems[0]["field"],
        known=names,
        problems=problems,
    )


def parameters_of(run: WorkflowRun) -> RunParameters:
    """The parameters that every engine understands alike, with those besides as its extras."""
    return RunParameters.model_validate(run.input.get("parameters") or {})
