"""A check of Schemathesis: what fits the document is taken, or refused by a rule that the document itself tells.

Schemathesis loads this file by its path, so it stands on its own. It takes the place of `positive_data_acceptance`,
which knows statuses only: here the code and the field of the refusal must be those of a note, too. And it calls
`negative_data_rejection` for all cases but one kind.
"""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from uuid import uuid4

import schemathesis
from hypothesis.configuration import set_hypothesis_home_dir
from schemathesis.specs.openapi.checks import negative_data_rejection

EXTENSION = "x-stoa-also-refused"
UNNAMED = "x-schemathesis-unknown-property"
"""A header of Schemathesis' own making."""
SETTLED = ("X-Project-ID", "If-Match")
"""Headers that the settings of the run hold, whatever a case makes of them."""
ALWAYS = {401, 403, 404, 409}
"""May not, does not stand, or conflicts: no schema tells that."""

# It works out which characters a text may have, a second of a core, unless it finds them where an earlier run put them.
set_hypothesis_home_dir(Path(__file__).parents[2] / ".hypothesis")


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
    """Return what fits the schema is refused by no rule but those that stand beside it."""
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


@schemathesis.check
def what_is_wrong_is_refused(ctx: Any, response: Any, case: Any) -> bool | None:
    """Return what does not fit the schema is refused, as Schemathesis checks it itself, but for headers that are not
    sent so.

    One that nobody names is passed over by HTTP, and one of the settings takes the place of a wrong one. Schemathesis
    knows both, and forgets it where another header holds a number, which is a text on its way.
    """
    data = case.meta.phase.data if case.meta is not None else None
    location = getattr(data, "parameter_location", None)
    sent_otherwise = UNNAMED in (case.headers or {}) or getattr(data, "parameter", None) in SETTLED
    if location is not None and location.name == "HEADER" and sent_otherwise:
        return None
    refused: bool | None = negative_data_rejection(ctx, response, case)
    return refused
