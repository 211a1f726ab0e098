"""A person's way in: a real server, a real browser, a query typed by hand, and the documentation tried out."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from auth.issuer import DevelopmentIssuer
from tests.support.browser import Browser, Page
from tests.support.server import Client, Server, stoa
from tests.test_explorer_browser import browser, write_query

__all__ = ["browser"]

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A fresh tab that must stay free of errors."""
    page = browser.new_page()
    yield page
    page.evaluate("1")
    assert page.console == []
    assert page.failures == []


def test_a_query_typed_into_the_explorer_is_answered_by_the_platform(tab: Page, tmp_path: Path) -> None:
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    with Server(tmp_path).ready() as server, Client(tmp_path, server) as client:
        token = DevelopmentIssuer(tmp_path / "data").issue("olga", "acme", ttl=timedelta(hours=1))

        tab.open(f"{server.address}/graphql#token={token}&project={client.project}")
        write_query(tab, "Mine", "{ projects { items { name organizationId } } }")
        tab.click("button.graphiql-execute-button")
        tab.wait_for("document.querySelector('.result-window')?.innerText.includes('\"organizationId\": \"acme\"')")

        tab.open(f"{server.address}/docs/governance")
        tab.wait_for("document.body.innerText.includes('/governance/permissions/explain')")
        assert [request for request in tab.requests if not request.startswith((server.address, "data:", "blob:"))] == []
        tab.open("about:blank")  # a request of the page's that is under way would find no server any more


def test_what_the_platform_refuses_is_shown_with_its_code(tab: Page, tmp_path: Path) -> None:
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    with Server(tmp_path).ready() as server, Client(tmp_path, server) as client:
        token = DevelopmentIssuer(tmp_path / "data").issue("nobody", "acme", ttl=timedelta(hours=1))

        tab.open(f"{server.address}/graphql#token={token}")
        write_query(tab, "Other", '{ project(projectId: "%s") { name } }' % client.project)
        tab.click("button.graphiql-execute-button")
        tab.wait_for("document.querySelector('.result-window')?.innerText.includes('FORBIDDEN')")
        tab.open("about:blank")
