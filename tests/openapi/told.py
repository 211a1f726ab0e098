"""A check of Schemathesis: what fits the document is taken, or refused by a rule that the document itself tells.

Schemathesis loads this file by its path, so it stands on its own. It takes the place of `positive_data_acceptance`,
which knows statuses only: here the code and the field of the refusal must be those of a note, too.
"""

from fnmatch import fnmatchcase
from typing import Any
from uuid import uuid4

import schemathesis

EXTENSION = "x-stoa-also-refused"
ALWAYS = {401, 403, 404, 409}
"""May not, does not stand, or conflicts: no schema tells that."""


def excuse(notes: list[dict[str, Any]], status: int, error: dict[str, Any]) -> dict[str, Any] | None:
    """The note that explains a refusal."""
    field = str((error.get("details") or {}).get("field", ""))
    for note in notes:
        about = any(fnmatchcase(field, pattern) for pattern in note["fields"])
        if about and (note["status"], note["code"]) == (status, error.get("code")):
            return note
    return None


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Give each write of a scenario a key of its own.

    Schemathesis uses a few keys again and again, and a write under a key that was used is answered without being done:
    what it then takes for deleted still stands.
    """
    if case.meta is None or case.meta.phase.name != "stateful" or not case.meta.generation.mode.is_positive:
        return
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid4())


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """Leave out forms with a null in the place of a text: a form has no null, and the word `null` is a text."""
    is_form = case.media_type == "multipart/form-data" and isinstance(case.body, dict)
    return not (is_form and any(value is None for value in case.body.values()))


@schemathesis.check
def refused_only_as_told(ctx: Any, response: Any, case: Any) -> bool | None:
    """What fits the schema is refused by no rule but those that stand beside it."""
    status = response.status_code
    if case.meta is None or not case.meta.generation.mode.is_positive or status < 400 or status in ALWAYS:
        return None
    if getattr(case.meta.phase.data, "scenario", None) is not None and str(case.meta.phase.data.scenario).endswith(
        "UNSPECIFIED_HTTP_METHOD"
    ):
        return None
    if status == 429 and case.operation.path.endswith("/rate-limits"):
        return None  # it sets the very limit, lower than the number of requests that Schemathesis makes in a minute
    error = response.json()["error"]
    notes = case.operation.definition.raw.get(EXTENSION, [])
    if excuse(notes, status, error) is None:
        raise AssertionError(f"Refused, and no note explains it: {status} {error['code']} {error['message']}")
    return None
