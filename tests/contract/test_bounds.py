"""Every bound that is published is held on both sides, at both doors, with the code, status and field of the contract.

What is published is what the table of the contract says (`test_table.py`); so every bound of the contract is tried
here, and every one that the platform sets beside it.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from rest_compat.app import SERVICES
from rest_compat.transfer import UploadRoute
from tests.contract.published import Described, line
from tests.contract.stage import Stage
from tests.contract.table.kinds import SILENT
from tests.contract.test_permission_matrix import MATRIX
from tests.contract.variants import Variant, changed, of_body, of_param, of_value, sample
from tests.doors import QUERIES, ROUTES, Door, Refused
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

CASES = {case.operation: case for case in reversed(MATRIX)}
BY_SERVICE = pytest.mark.parametrize("service", [s.name for s in SERVICES])


def operations_of(service: str) -> list[str]:
    """The operations of a service."""
    prefix = next(s.door.prefix for s in SERVICES if s.name == service)
    return [name for name, route in ROUTES.items() if route.path.removeprefix("/api").startswith(f"{prefix}/")]


def plain(value: Any) -> Any:
    """An argument as JSON, with what was given."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value if hasattr(value, "sent") else TypeAdapter(Any).dump_python(value, mode="json")


class Calls:
    """Calls of one operation that are taken as they are, each a little different."""

    def __init__(self, stage: Stage, door: Door, operation: str) -> None:
        self.stage, self.door, self.route = stage, door, ROUTES[operation]
        self.op, self.case = self.route.operation, CASES[operation]
        self.described = Described.at(line(self.route))
        self.arguments: dict[str, Any] | None = None

    async def base(self) -> dict[str, Any]:
        """Arguments that are taken; new ones after a call that may have used them up."""
        if self.arguments is None:
            made = await self.case.makes(self.stage, self.stage.places["own"])
            self.arguments = {name: plain(value) for name, value in made.items()}
        return dict(self.arguments)

    async def call(self, **arguments: Any) -> Any:
        """Call it as the owner of the project."""
        place = self.stage.places["own"]
        token = self.stage.tokens["project operator"] if self.case.on == "own session" else self.stage.owners["own"]
        headers = {"X-Project-ID": place.project} if self.case.header else {}
        answer = await self.door(self.op, token, headers, **arguments)
        if self.op.kind.value != "reads" and not isinstance(answer, Refused):
            self.arguments = None
        return answer

    def variants(self) -> Iterator[Variant]:
        """Return what is tried."""
        for name, field in self.described.params.items():
            if name in self.op.arguments.model_fields:
                yield from of_param(name, field, in_path="{%s}" % name in self.route.path)
        body = self.described.body
        if body is None:
            return
        if isinstance(self.route, UploadRoute):  # a form knows texts only
            yield from (v for v in of_body(body.fields or {}) if v.where[0] != "file" and v.what not in NOT_IN_A_FORM)
        elif body.items is not None:
            yield from of_value(body.items, (0,))
        else:
            yield from of_body(body.fields or {})

    async def with_(self, variant: Variant) -> dict[str, Any]:
        """The arguments, one thing changed."""
        arguments = await self.base()
        if variant.where[0] in self.op.arguments.model_fields and len(variant.where) == 1:
            (name,) = variant.where
            if variant.left_out:
                arguments.pop(str(name), None)
            else:
                arguments[str(name)] = variant.value
            return arguments
        assert self.op.body is not None
        kind = self.described.body
        assert kind is not None
        given = arguments.get(self.op.body.name)
        arguments[self.op.body.name] = changed(sample(kind) if given is None else given, kind, variant)
        return arguments


NOT_IN_A_FORM = ("wrong type", "null", "unknown")


RULES = {
    ("create_data_connection", "connection_type", "choice"): "each type takes a configuration of its own",
    ("create_data_connection", "filesystem_config", "null"): "the one that a network file system needs",
    ("update_data_connection", "filesystem_config", "null"): "the one that a network file system needs",
    ("set_chat_settings", "drafter", "choice"): "a model that drafts has a name",
    ("create_metadata", "type", "choice"): "a type fixes of how many parts the name is",
    ("create_metadata", "fully_qualified_name", "shortest"): "a type fixes of how many parts the name is",
    ("create_metadata", "fully_qualified_name", "longest"): "a type fixes of how many parts the name is",
    ("create_metadata", "name", "shortest"): "it is the last part of the dotted name",
    ("create_metadata", "name", "longest"): "it is the last part of the dotted name",
}
"""Where a rule about two fields refuses what the bounds of the one take."""


OF_OTHER_TYPES = ("database_config", "storage_config")
"""The sections that a connection of the stage's type, a network file system, takes none of, whatever is in them."""


def judged(answer: Any, variant: Variant, operation: str) -> str | None:
    """Return what is wrong with the answer to a variant."""
    said = f"{operation} {variant.field} {variant.what} ({str(variant.value)[:30]})"
    if variant.code is None:
        # What the field means may still be refused, by a rule that lists no problems: a state, a name of nothing.
        refused = isinstance(answer, Refused) and (
            answer.status in (413, 429, 500) or "problems" in answer.details or answer == "INVALID_FORMAT"
        )
        explained = (operation, variant.field, variant.what) in RULES and refused and answer.status < 500
        return f"{said}: {answer}, not taken" if refused and not explained else None
    if not isinstance(answer, Refused):
        return f"{said}: taken, not {variant.status} {variant.code}"
    told = (answer.status, answer.code, answer.details.get("field"))
    if told[2] == "variables" and variant.what == "too long":
        return None  # what is too long for a list may be too much for a request of the graph before that
    if told[2] in OF_OTHER_TYPES and variant.field.startswith(f"{told[2]}.") and answer.status == 422:
        return None
    if told != (variant.status, variant.code, variant.field):
        return f"{said}: {told}, not {variant.status} {variant.code}: {answer.message[:100]}"
    return None


@BY_SERVICE
async def test_every_bound_holds_on_both_sides(world: World, door: Door, service: str) -> None:
    stage, wrong = await Stage.set(world), []
    for operation in operations_of(service):
        calls = Calls(stage, door, operation)
        for variant in calls.variants():
            arguments = await calls.with_(variant)
            wrong.append(judged(await calls.call(**arguments), variant, operation))
    assert not any(wrong), "\n".join(filter(None, wrong))


@BY_SERVICE
async def test_leaving_a_parameter_out_is_giving_its_default(world: World, door: Door, service: str) -> None:
    stage, wrong = await Stage.set(world), []
    for operation in operations_of(service):
        if operation not in QUERIES:
            continue
        calls = Calls(stage, door, operation)
        known = calls.op.arguments.model_fields
        defaults = {
            name: field.default
            for name, field in calls.described.params.items()
            if field.default is not SILENT and field.default is not None and name in known
        }
        if not defaults:
            continue
        arguments = await calls.base()
        left_out = {name: value for name, value in arguments.items() if name not in defaults}
        without, given = await calls.call(**left_out), await calls.call(**left_out | defaults)
        if without != given or isinstance(without, Refused):
            wrong.append(f"{operation} {defaults}: {without} | {given}")
    assert not wrong, "\n".join(wrong)
