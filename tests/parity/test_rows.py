"""The rows of a twin: every change is noticed, and every one is put back, on both stores."""

import pytest

from tests.parity.conftest import ON_POSTGRESQL, require_stock
from tests.parity.inputs import Step
from tests.parity.test_parity import require_same
from tests.parity.twin import Twin

AFTER_ONE_ANOTHER = ("create_project", "create_metadata", "update_metadata", "create_glossary_term", "delete_memory")
"""Rows that come, change and go, relations, and words of the index."""


@pytest.mark.parametrize("operation", AFTER_ONE_ANOTHER)
@pytest.mark.parametrize("store", ["twin", pytest.param("postgres_twin", marks=[ON_POSTGRESQL, pytest.mark.long])])
def test_what_was_noted_is_all_that_changed(store: str, operation: str, request: pytest.FixtureRequest) -> None:
    twin: Twin = request.getfixturevalue(store)
    twin.restore()
    require_same(twin, Step(operation))
    assert twin.rows.differences().keys() == twin.rows.all_differences().keys()
    assert twin.rows.differences()
    require_stock(twin)


def test_what_stood_between_two_calls_is_put_back(twin: Twin) -> None:
    """With the words of an index among what changed first, or not, and among what changed then, or not."""
    for first in AFTER_ONE_ANOTHER:
        for then in AFTER_ONE_ANOTHER:
            twin.restore()
            require_same(twin, Step(first))
            between = twin.rows.copy()
            stood = twin.rows.all_differences()
            require_same(twin, Step(then, key="another"))
            twin.rows.put_back(between)
            assert twin.rows.all_differences() == stood
            twin.standing = None
    require_stock(twin)
