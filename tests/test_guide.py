"""The guide: it builds from `docs/`, a broken link fails, and a server shows it under the rules of all its pages."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from rest_compat import guide
from tests.openapi.live import Live, live_server
from tests.support.browser import Browser
from tests.support.needs import missing
from tests.support.server import ROOT
from tests.test_explorer_browser import browser

__all__ = ["browser"]

pytestmark = pytest.mark.xdist_group("browser")

DOCS = ROOT / "docs"
LOADED = re.compile(r'<(?:script|img|iframe)[^>]*\ssrc="([^"]+)"|<link(?![^>]*rel="canonical")[^>]*\shref="([^"]+)"')
LUMINANCE = """(() => {
  const shades = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number);
  return (shades[0] + shades[1] + shades[2]) / 765;
})()"""


def build(docs: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Return what `make docs` does, into a folder of the test."""
    if find_spec("sphinx") is None:
        missing("Sphinx", "run `make setup`, or install the extra `docs`.")
    options = ("-q", "-W", "--keep-going", "-d", str(folder / "read"))
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(docs), str(folder / "built")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guide, built from the pages as they are now."""
    folder = tmp_path_factory.mktemp("guide")
    done = build(DOCS, folder)
    assert done.returncode == 0, done.stderr
    return folder / "built"


@pytest.fixture(scope="module")
def live(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server with the guide."""
    with pytest.MonkeyPatch.context() as patch, live_server(tmp_path_factory.mktemp("served")) as live:
        patch.setattr(guide, "GUIDE_FOLDER", built)
        yield live


def pages(built: Path) -> list[str]:
    """The addresses of all pages below the guide's own."""
    return sorted(page.relative_to(built).as_posix() for page in built.rglob("*.html"))


def test_every_page_of_the_docs_is_in_it(built: Path) -> None:
    written = {page.relative_to(DOCS).with_suffix(".html").as_posix() for page in DOCS.rglob("*.md")}
    assert written <= set(pages(built))


def test_a_page_holds_no_script_and_loads_nothing_from_elsewhere(built: Path) -> None:
    for page in pages(built):
        html = (built / page).read_text()
        assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=\"|=\"javascript:", html), page
        for found in LOADED.finditer(html):
            address = (found[1] or found[2]).partition("?")[0].partition("#")[0]
            assert "//" not in address, page
            assert ((built / page).parent / address).exists(), (page, address)
    for sheet in built.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(?:https?:)?//|@import", sheet.read_text()), sheet


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[gone](gone.md)", "gone.md"),
        ("[gone](settings.md#no-such-part)", "no-such-part"),
        ("[gone](#no-such-part)", "no-such-part"),
        ("[gone](../no-such-folder/file.py)", "no-such-folder"),
    ],
)
def test_a_broken_link_or_anchor_fails_the_build_by_name(tmp_path: Path, line: str, said: str) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "rest_compat" / "static").mkdir(parents=True)
    shutil.copy(ROOT / "rest_compat" / "static" / "stoa.svg", tmp_path / "rest_compat" / "static")
    shutil.copy(DOCS / "conf.py", docs)
    (docs / "settings.md").write_text("# Settings\n\n## A part\n")
    good = "# Stoa\n\n[part](settings.md#a-part), [file](../docs/conf.py)\n\n```{toctree}\nsettings\n```\n"
    (docs / "index.md").write_text(good)
    assert build(docs, tmp_path / "good").returncode == 0

    (docs / "index.md").write_text(f"{good}\n{line}\n")
    done = build(docs, tmp_path / "broken")
    assert done.returncode != 0
    assert said in done.stderr
    assert "index.md" in done.stderr


def test_a_server_shows_every_page_with_the_headers_of_all_pages(live: Live, built: Path) -> None:
    with httpx.Client(base_url=live.address, timeout=60) as client:
        entry = client.get("/docs/guide")
        assert (entry.status_code, entry.headers["location"]) == (308, "/docs/guide/")
        assert client.get("/docs/guide/").text == (built / "index.html").read_text()
        for page in pages(built):
            answer = client.get(f"/docs/guide/{page}")
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            for name, value in client.get("/docs").headers.items():
                if name in ("content-security-policy", "cache-control", "referrer-policy", "x-frame-options"):
                    assert answer.headers[name] == value
        assert client.head("/docs/guide/index.html").status_code == 200
        assert client.post("/docs/guide/").status_code == 405
        for path in ("/docs/guide/gone.html", "/docs/guide/decisions", "/docs/guide/../app.py", "/docs/guide/%2e%2e/a"):
            assert client.get(path).status_code == 404
        told = client.get("/docs/guide/gone.html").json()["error"]
        assert (told["code"], told["message"]) == (
            "RESOURCE_NOT_FOUND",
            "The guide has no page 'gone.html'. Its first page is /docs/guide/.",
        )


def test_a_server_without_it_says_how_to_build_it(live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guide, "GUIDE_FOLDER", tmp_path / "guide")
    for path in ("/docs/guide", "/docs/guide/", "/docs/guide/api.html"):
        page = httpx.get(live.address + path, headers={"Accept": "text/html,*/*;q=0.8"}, timeout=60)
        assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "<code>make docs</code>" in page.text
        answer = httpx.get(live.address + path, timeout=60)
        error = answer.json()["error"]
        assert (answer.status_code, error["status"], error["code"]) == (404, 404, "RESOURCE_NOT_FOUND")
        assert "`make docs`" in error["message"]
        assert error["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(("scheme", "least", "most"), [("light", 0.9, 1.0), ("dark", 0.0, 0.3)])
def test_it_can_be_read_in_light_and_dark_and_asks_no_other_machine(
    browser: Browser, live: Live, scheme: str, least: float, most: float, tmp_path: Path
) -> None:
    tab = browser.new_page()
    tab.prefer(scheme)
    tab.open(f"{live.address}/docs/guide/settings.html")
    tab.wait_for("document.body.dataset.theme === 'auto'")  # the page's own script ran
    assert least <= tab.evaluate(LUMINANCE) <= most
    assert "STOA_PORT" in tab.text("article")
    tab.screenshot(tmp_path / f"{scheme}.png")
    tab.click(".sidebar-tree a[href='api.html']")
    tab.wait_for("location.pathname.endsWith('/api.html') && document.readyState === 'complete'")
    assert (tab.console, tab.failures) == ([], [])
    assert [request for request in tab.requests if not request.startswith((live.address, "data:"))] == []


def test_its_search_finds_a_setting(browser: Browser, live: Live) -> None:
    tab = browser.new_page()
    tab.open(f"{live.address}/docs/guide/search.html?q=STOA_OUTBOUND_ALLOW")
    tab.wait_for_element("#search-results ul.search li a")
    assert "Settings" in tab.text("#search-results")
    assert (tab.console, tab.failures) == ([], [])
