"""A part that cannot be had on this machine is named, never silently skipped; on CI it fails."""

import os
from typing import NoReturn

import pytest


def missing(what: str, how: str) -> NoReturn:
    """Skip the test with the name of what is missing and how to get it, or fail where everything is required."""
    sentence = f"{what} is not available here: {how}"
    if os.environ.get("STOA_TEST_REQUIRE_ALL") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)
