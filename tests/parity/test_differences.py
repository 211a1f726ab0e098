"""Where the two protocols cannot be alike: the whole list, each with its reason, and each shown.

Everything else is compared in `test_parity.py`; whoever finds another difference has found a bug.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.doors import ROUTES
from tests.parity.doors import Answer, Call, by_graph, by_rest
from tests.parity.inputs import BODY, Edit, Step
from tests.parity.twin import Twin

Told = tuple[Any, Any]


def both(twin: Twin, step: Step, change: Callable[[Call], Call] = lambda call: call) -> tuple[Answer, Answer]:
    """The answers of both doors to one call."""
    twin.restore()
    rest, graph = twin.twice(change(step.call(twin)))
    return rest.answer, graph.answer


def code(answer: Answer) -> Any:
    """The code of a refusal, or None."""
    return answer.told["code"] if answer.refused else None


def a_lone_value(twin: Twin) -> Told:
    """GraphQL takes one value where a list of it is asked for; the specification wants it so. JSON has types."""
    rest, graph = both(twin, Step("create_glossary_term", edits=(Edit((BODY, "tags"), "x"),)))
    assert graph.told["tags"] == ["x"]
    return code(rest), code(graph)


def a_number_as_text(twin: Twin) -> Told:
    """A query string holds nothing but text, so REST reads numbers from it. A GraphQL Int is a number."""
    rest, graph = both(twin, Step("list_files", edits=(Edit(("limit",), "5"),)))
    assert rest.told["limit"] == 5
    return code(rest), code(graph)


def no_project_header(twin: Twin) -> Told:
    """Where a path demands the header REST refuses without it; one GraphQL request may call many operations."""

    def without(call: Call) -> Call:
        return replace(call, headers={n: v for n, v in call.headers.items() if n != "X-Project-ID"})

    rest, graph = both(twin, Step("list_project_secrets"), without)
    return code(rest), code(graph)


def a_slash_in_a_segment(twin: Twin) -> Told:
    """A segment of a path holds neither a slash nor nothing at all: there REST has another path, or none."""
    for text in ("a/b", ""):
        rest, graph = both(twin, Step("get_data_connection", edits=(Edit(("resource_uri",), text),)))
        assert (rest.refused, graph.refused) == (True, True)
        assert rest.told["details"] == {"resource_type": "path", "resource_id": f"/assets/data/{text}"}
    rest, graph = both(twin, Step("get_data_connection", edits=(Edit(("resource_uri",), "a/b"),)))
    assert graph.told["details"] == {"resource_type": "data_connection", "resource_id": "a/b"}
    return code(rest), code(graph)


def no_json(twin: Twin) -> Told:
    """Return what cannot be read names no operation, so that the graph charges a read where REST charges what the path
    is.
    """
    headers = Step("create_project").call(twin).headers | {"Content-Type": "application/json"}
    windows = twin.world.app.parts.context_factory.limiter._memory._windows
    found = []
    for path in ("/governance/projects", "/graphql"):
        windows.clear()
        answer = twin.run(twin.world.client.post(path, headers=headers, content=b'{"name": "\\ud800"}'))
        [(key, charged)] = windows.items()
        found.append((answer.json()["error"]["code"], key.split("/")[1], len(charged)))
    assert found == [("INVALID_FORMAT", "writes", 1), ("INVALID_FORMAT", "reads", 1)]
    return found[0][0], found[1][0]


def who_may_not_upload(twin: Twin) -> Told:
    """REST refuses an upload before it reads the form; the graph reads its inputs before it calls anything."""

    def wrong(call: Call) -> Call:
        return replace(call, body=call.body | {"name": ""})

    rest, graph = both(twin, Step("upload_file", caller="viewer"), wrong)
    return code(rest), code(graph)


def null_for_a_default(twin: Twin) -> Told:
    """A query string has no null: left out is all that it can say. In the graph null is no number."""
    rest, graph = both(twin, Step("list_files", edits=(Edit(("page",), None),)))
    return code(rest), code(graph)


def an_unknown_parameter(twin: Twin) -> Told:
    """A document with an argument that nobody knows does not fit the schema, and calls no operation."""
    headers = Step("list_files").call(twin).headers
    rest = twin.run(twin.world.client.get("/assets/files", headers=headers, params={"no_such": "x"}))
    query = orjson.dumps({"query": "{files(noSuch:1){total}}"})
    graph = twin.run(
        twin.world.client.post("/graphql", headers=headers | {"Content-Type": "application/json"}, content=query)
    )
    return rest.json()["error"]["code"], graph.json()["errors"][0]["extensions"]["code"]


def a_wrong_literal(twin: Twin) -> Told:
    """A value that stands in the document is part of it, and no operation is called by a document that does not fit."""
    headers = Step("list_files").call(twin).headers
    rest = twin.run(twin.world.client.get("/assets/files", headers=headers, params={"page": "x"}))
    query = orjson.dumps({"query": '{files(page:"x"){total}}'})
    graph = twin.run(
        twin.world.client.post("/graphql", headers=headers | {"Content-Type": "application/json"}, content=query)
    )
    return rest.json()["error"]["code"], graph.json()["errors"][0]["extensions"]["code"]


def nothing_to_say(twin: Twin) -> Told:
    """The contract wants `{}` from some deletions; a field of the graph has a type."""
    emptied = [name for name, route in ROUTES.items() if route.empty]
    assert emptied == ["delete_chat_session"]
    call = Step("delete_chat_session", base=1).call(twin)
    twin.restore()
    rest = twin.run(by_rest(twin.world.client, call))
    twin.standing = None
    twin.restore()
    graph = twin.run(by_graph(twin.world.client, call))
    twin.standing = None
    assert rest.raw == "{}"
    assert '"message"' in graph.raw
    return code(rest), code(graph)


DIFFERENCES: dict[Callable[[Twin], Told], Told] = {
    a_lone_value: ("INVALID_FORMAT", None),
    a_number_as_text: (None, "VALIDATION_ERROR"),
    no_project_header: ("MISSING_REQUIRED_FIELD", None),
    a_slash_in_a_segment: ("RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"),
    no_json: ("INVALID_FORMAT", "INVALID_FORMAT"),
    who_may_not_upload: ("FORBIDDEN", "VALIDATION_ERROR"),
    null_for_a_default: (None, "VALIDATION_ERROR"),
    an_unknown_parameter: ("INVALID_PARAMETER", "VALIDATION_ERROR"),
    a_wrong_literal: ("INVALID_PARAMETER", "VALIDATION_ERROR"),
    nothing_to_say: (None, None),
}
"""Each difference with the code that REST and the graph answer with; None for a value.

Besides: a form spells a list as one text with commas; `ETag` is a header of REST alone; a stream of the graph begins
before its charge, so its headers show no window; and the operations of `ONE_DOOR` (`test_parity.py`) are no paths.
"""


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference.__name__)
def test_a_difference_of_the_protocols_is_as_it_is_written_down(difference: Callable[[Twin], Told], twin: Twin) -> None:
    assert difference(twin) == DIFFERENCES[difference]
