"""The inputs of the comparison: what one step is made of is not changed by another."""

from copy import deepcopy

from tests.parity.inputs import BODY, JSONS, Edit, Step
from tests.parity.twin import Twin


def test_edits_leave_the_values_that_all_steps_share_as_they_are(twin: Twin) -> None:
    before = deepcopy(JSONS)
    into = (BODY, "update", "custom_properties")
    call = Step("update_metadata", edits=(Edit(into, JSONS[0]), Edit((*into, "a"), JSONS[0]))).call(twin)
    assert before == JSONS
    assert "{'a': {}}" in str(call.body)
