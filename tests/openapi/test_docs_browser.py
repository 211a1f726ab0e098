"""The documentation page of each service in a real browser, with the network cut off."""

from collections.abc import Iterator

import pytest

from rest_compat.app import SERVICES, Service, openapi_of
from tests.openapi.live import Live, live_server
from tests.support.browser import Browser
from tests.test_explorer_browser import browser

__all__ = ["browser"]

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live_server(tmp_path_factory.mktemp("docs")) as live:
        yield live


@pytest.mark.parametrize("service", SERVICES, ids=[s.name for s in SERVICES])
def test_the_page_shows_every_operation_and_asks_no_other_machine(
    service: Service, browser: Browser, live: Live
) -> None:
    operations = [op for methods in openapi_of(service)["paths"].values() for op in methods.values()]
    tab = browser.new_page()
    tab.open(f"{live.address}/docs/{service.name}")

    tab.wait_for(f"document.querySelectorAll('.opblock').length === {len(operations)}")
    assert tab.text(".title").startswith(f"Stoa {service.title}")
    tab.click(".opblock-summary-control")
    tab.wait_for_element(".opblock-body .responses-inner")
    assert tab.console == []
    assert tab.failures == []
    assert [request for request in tab.requests if not request.startswith((live.address, "data:", "blob:"))] == []
