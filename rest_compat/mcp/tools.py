"""The tools: a short table shaped for what agents set out to do, and three that reach every operation.

A tool of the table is one operation with the arguments that a task needs, so its permission, bounds, charge and hints
are the operation's. The list stays small on purpose: a client reads it before the first question.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from auth.rate_limit import CallKind
from resolvers.context import Context
from resolvers.operation import Operation
from rest_compat.mcp.bounded import cut_list, cut_value
from rest_compat.mcp.following import following_tools
from rest_compat.mcp.operations import Calls, Catalog, hints_of, line_of, schema_of, shown
from rest_compat.mcp.tool import HOW, IF_MATCH, KEYED, Answer, Tool, object_schema
from schema.errors import InvalidFormat, InvalidParameter, MissingRequiredField

_KEPT: Final = ("type", "enum", "items", "anyOf", "format", "properties", "required")


@dataclass(frozen=True, slots=True)
class Counted:
    """A list whose length a tool tells beside its answer, with how to read it."""

    name: str
    operation: str
    shares: Sequence[str]
    """The arguments of the tool that it takes as well."""
    fixed: Mapping[str, Any]
    unless: str
    """An argument of the tool with which the list, which tells of now, says nothing."""

    def of(
        self, catalog: Catalog, calls: Calls, given: Mapping[str, Any]
    ) -> Callable[[Context], Awaitable[dict[str, Any]]] | None:
        """Return what tells the length, where the catalog has the list and the call is about now."""
        route = catalog.routes.get(self.operation)
        if route is None or given.get(self.unless) is not None:
            return None
        shared = {name: given[name] for name in self.shares if given.get(name) is not None}

        async def tell(ctx: Context) -> dict[str, Any]:
            found = await calls.called(ctx, route, {**self.fixed, **shared, "limit": 1})
            # What was given is not repeated, for it may be long.
            same = [f"the same {name}" for name in shared]
            how = " and ".join([*same, *(f"{name} {value}" for name, value in self.fixed.items())])
            return {
                self.name: {
                    "total": found.total,
                    "operation": self.operation,
                    "listed_by": f"call_operation, with {how} as arguments",
                }
            }

        return tell


@dataclass(frozen=True, slots=True)
class Task:
    """A line of the table: a tool that is one operation, and which of its arguments it takes."""

    name: str
    operation: str
    about: str
    takes: Sequence[str]
    fixed: Mapping[str, Any]
    beside: Counted | None = None

    def tool(self, catalog: Catalog) -> Tool | None:
        """The tool, where the catalog has its operation."""
        route = catalog.routes.get(self.operation)
        if route is None:
            return None
        op = route.operation
        properties, required = _arguments_of(op, self.takes)

        async def run(calls: Calls, given: Mapping[str, Any]) -> Answer:
            plain, how = _apart(given, properties)
            told = None if self.beside is None else self.beside.of(catalog, calls, plain)
            return await calls.answer(route, _nested(op, {**self.fixed, **plain}), how, told)

        writes = {} if op.kind is CallKind.READ else KEYED
        return Tool(
            self.name, self.about, object_schema({**properties, **HOW, **writes}, required), hints_of(route), run
        )


def _task(name: str, operation: str, about: str, *takes: str, beside: Counted | None = None, **fixed: Any) -> Task:
    return Task(name, operation, about, takes, fixed, beside)


SUSPECTS: Final = Counted(
    "suspect_cells", "list_suspect_cells", ("asset_fqn",), {"probability_at_least": 0.5}, unless="as_of"
)
"""The cells that are probably wrong; what people call fine is less probable."""


TASKS: Final = (
    _task(
        "find",
        "search_metadata",
        "Find tables, columns and other assets of the catalog by words or fields, those of fitting names first.",
        *("q", "asset_type", "fqn_prefix", "limit"),
        sort_by="relevance",
    ),
    _task(
        "describe",
        "get_metadata",
        "What is known of one asset: type, description, tags, keys, relationships. Take fqn and resource_uri from "
        "`find`.",
        *("resource_uri", "fqn", "include_children"),
        resource_type="data_connection",
    ),
    _task(
        "sample",
        "get_table_profile",
        "What was measured of a table: rows, and of each column its statistics and frequent values, personal ones "
        "masked. Single rows come by `ask`, through the guard.",
        "asset_fqn",
    ),
    _task(
        "quality",
        "get_scorecard",
        "Quality scores of an asset, or of the project, down to the metrics that they are made of, with the run and "
        "moment that measured each, and how many cells are probably wrong, with how to list them.",
        *("asset_fqn", "assessment_type", "as_of"),
        beside=SUSPECTS,
    ),
    _task(
        "violations",
        "list_violations",
        "What is wrong with the data: broken rules, where, how many values, how bad.",
        *("asset_fqn", "status", "severity", "assets_like", "limit"),
    ),
    _task(
        "rows",
        "preview_artifact",
        "The rows of an answer, page by page. The artifact's URI stands in the answer of `ask`.",
        *("resource_uri", "limit", "offset"),
    ),
    _task(
        "proposals",
        "list_run_proposals",
        "What a run proposes to change: descriptions, tags, rules, each beside what stands now.",
        *("run_id", "state", "kind", "under", "limit"),
    ),
    _task(
        "decide",
        "decide_run",
        "Approve or reject proposals of a run: the named ones, or all that are undecided. Approving carries them out.",
        *("run_id", "decision", "proposal_ids", "notes"),
    ),
    _task(
        "explain_permission",
        "explain_permission",
        "Why a user may or may not do something, and the smallest grant that would change a no.",
        *("permission", "resource_type", "resource_id", "user"),
    ),
)


def tools_of(catalog: Catalog) -> dict[str, Tool]:
    """The tools of an address, in the order in which they are listed."""
    made = [tool for task in TASKS if (tool := task.tool(catalog)) is not None]
    made += following_tools(catalog)
    made += [_searching(catalog), _showing(catalog), _calling(catalog)]
    return {tool.name: tool for tool in made}


_READS: Final = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def _searching(catalog: Catalog) -> Tool:
    async def run(calls: Calls, given: Mapping[str, Any]) -> Answer:
        words = given.get("words", "")
        if not isinstance(words, str) or len(words) > 500:
            raise InvalidFormat("words must be a text of at most 500 characters.", field="words")
        ctx = await calls.received(CallKind.READ, given)
        cursors, place = calls.place(ctx, "search_operations", {"words": words}, given)
        lines = [line_of(route) for route in catalog.found(words)]
        return cut_list("search_operations", lines, place, cursors, most=calls.most)

    about = "Search all operations of the platform by words; without words it lists them."
    return Tool("search_operations", about, object_schema({"words": {"type": "string"}, **HOW}), _READS, run)


def _showing(catalog: Catalog) -> Tool:
    async def run(calls: Calls, given: Mapping[str, Any]) -> Answer:
        ctx = await calls.received(CallKind.READ, given)
        route = catalog.route(given.get("operation"))
        cursors, place = calls.place(ctx, "show_operation", {"operation": route.operation.name}, given)
        return cut_value("show_operation", shown(route), place, cursors, most=calls.most)

    about = "Show one operation: what it does and needs, and the JSON schema of its arguments."
    return Tool(
        "show_operation", about, object_schema({"operation": {"type": "string"}, **HOW}, ["operation"]), _READS, run
    )


def _calling(catalog: Catalog) -> Tool:
    async def run(calls: Calls, given: Mapping[str, Any]) -> Answer:
        arguments = given.get("arguments", {})
        if not isinstance(arguments, dict):
            raise InvalidFormat("arguments must be an object.", field="arguments")
        if "operation" not in given:
            raise MissingRequiredField("Name the operation to call.", field="operation")
        name = given["operation"]
        route = catalog.routes.get(name) if isinstance(name, str) else None
        if route is None:
            await calls.received(CallKind.READ, given)  # a guess at a name is charged too
            route = catalog.route(name)  # which raises
        return await calls.answer(route, arguments, given)

    properties = {
        "operation": {"type": "string"},
        "arguments": {"type": "object", "description": "As show_operation has them."},
        **HOW,
        **({} if catalog.reads_only else KEYED | IF_MATCH),
    }
    anything = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}
    # Among the operations is one that calls the registered servers of others.
    hints = _READS if catalog.reads_only else {**_READS, **anything, "openWorldHint": True}
    about = "Call any operation by its name." + (" Here only those that read." if catalog.reads_only else "")
    return Tool("call_operation", about, object_schema(properties, ["operation"]), hints, run)


def known_arguments(tool: Tool, given: Mapping[str, Any]) -> None:
    """Raise InvalidParameter for an argument that the tool does not have."""
    for name in given:
        if name not in tool.schema["properties"]:
            raise InvalidParameter(
                f"{tool.name} has no argument {name[:100]!r}. It takes: {', '.join(tool.schema['properties'])}.",
                field=name[:100],
            )


def _apart(given: Mapping[str, Any], properties: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments of the operation, and how it is called."""
    plain = {name: value for name, value in given.items() if name in properties}
    return plain, {name: value for name, value in given.items() if name not in properties}


def _nested(op: Operation[..., Any], flat: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an operation, those of its body put into it."""
    if op.body is None:
        return dict(flat)
    outer = {name: value for name, value in flat.items() if name in op.arguments.model_fields}
    return outer | {op.body.name: {name: value for name, value in flat.items() if name not in outer}}


@cache
def _arguments_of(op: Operation[..., Any], takes: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The arguments that a tool takes, in a short schema: the operation checks the rest of the bounds."""
    schema = schema_of(op)
    definitions = schema.get("$defs", {})
    properties, required = dict(schema["properties"]), list(schema["required"])
    if op.body is not None:
        body = _resolved(properties.pop(op.body.name), definitions)
        properties |= body.get("properties", {})
        required = [*required, *body.get("required", ())]
    return (
        {name: _short(properties[name], definitions) for name in takes},
        [name for name in takes if name in required],
    )


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema without the reference, or the null beside it, that it begins with."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) == 1:
        return _resolved({**schema, **options[0], "anyOf": ()}, definitions)
    reference = schema.get("$ref")
    if reference is None:
        return schema
    return {**definitions[reference.rpartition("/")[2]], **{k: v for k, v in schema.items() if k != "$ref"}}


def _short(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a caller needs to fill an argument in."""
    found = _resolved(schema, definitions)
    short = {name: found[name] for name in _KEPT if found.get(name) not in (None, ())}
    if "items" in short:
        short["items"] = _short(short["items"], definitions)
    if "enum" not in short and "description" in found:
        short["description"] = found["description"]
    return short
