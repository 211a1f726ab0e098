"""The table of routes finds what a scan of them finds: the same route, the same parameters, the same refusals."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette._utils import get_route_path
from starlette.routing import Match

from rest_compat import route
from rest_compat.app import create_app
from rest_compat.routing import TableRouter
from tests.world import settings_for


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> TableRouter:
    """The routes of the whole platform."""
    folder: Path = tmp_path_factory.mktemp("routes")
    made = create_app(settings_for(folder)).http.router
    assert isinstance(made, TableRouter)
    return made


_PARTS = st.sampled_from(["", "x", "a b", "data", "search", "metadata", "projects", "v2", "openapi.json", "..", "%2F"])


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_every_path_is_tried_on_the_routes_that_fit_it(router: TableRouter, data: st.DataObject) -> None:
    paths = sorted({getattr(route, "path", "") for route in router.routes})
    for path in data.draw(st.lists(st.sampled_from(paths), min_size=20, max_size=20)):
        filled = re.sub(r"{[^}]*}", lambda _: data.draw(_PARTS), path) + data.draw(st.sampled_from(["", "", "/", "/x"]))
        for method in ("GET", "POST", "DELETE"):
            scope = {"type": "http", "path": filled, "method": method, "headers": []}
            few = router._of(get_route_path(scope)).routes
            fits = [route for route in router.routes if route.matches(scope)[0] is not Match.NONE]
            assert [route for route in few if route.matches(scope)[0] is not Match.NONE] == fits


def test_a_request_is_tried_on_few_routes(router: TableRouter) -> None:
    assert len(router.routes) > 200
    for path in ("/graphql", "/healthz", "/utils/data_connection/x/metadata", "/governance/projects", "/nowhere"):
        assert len(router._of(path).routes) <= 40, path


@given(st.text(alphabet="ab=&;%+2\xff", max_size=30))
def test_a_query_string_is_read_as_the_library_reads_it(text: str) -> None:
    assert route._pairs(text) == dict(parse_qsl(text, keep_blank_values=True))
