"""Fixtures that every test may use."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the server does."""
    return "asyncio"
