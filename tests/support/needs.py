"""A part that cannot be had on this machine is named, never silently skipped; on CI it fails."""

import os
from collections.abc import Iterator
from typing import NoReturn

import pytest


def missing(what: str, how: str) -> NoReturn:
    """Skip the test with the name of what is missing and how to get it, or fail where everything is required."""
    sentence = f"{what} is not available here: {how}"
    if os.environ.get("STOA_TEST_REQUIRE_ALL") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)


def absent() -> Iterator[tuple[str, str]]:
    """The servers that this machine lacks, each with the way to get it."""
    from tests.support import ferretdb, openfga, redis

    servers = (("OpenFGA", openfga.openfga_binary), ("Redis", redis.binary), ("FerretDB", ferretdb.ferretdb_binary))
    for what, find in servers:
        try:
            find()
        except (pytest.skip.Exception, pytest.fail.Exception) as reason:
            yield what, str(reason.msg)
