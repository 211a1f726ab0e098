"""The console as files: its documents fit the published graph, its page is strict, all of it is small and served."""

import gzip
import re

import httpx
import pytest
from graphql import NoDeprecatedCustomRule, build_schema, parse, specified_rules, validate
from starlette.applications import Starlette

from rest_compat.pages import CONSOLE_FILES, STATIC_FOLDER, missing_files, page_routes
from tests.support.needs import missing

FOLDER = STATIC_FOLDER / "console"
SCHEMA = STATIC_FOLDER.parents[1] / "schema" / "schema.graphql"
DOCUMENT = re.compile(r"export const (\w+) = `([^`]*)`;")
MODULES = sorted(FOLDER.glob("*.js"))
DOCUMENTS = sorted(FOLDER.glob("*documents.js"))
TEXTS = sorted((FOLDER / "texts").glob("*.js"))
MOST_COMPRESSED = 200_000
"""Bytes that the first page may take, all scripts together."""


def test_every_document_of_the_console_fits_the_published_graph_and_nothing_of_it_is_deprecated() -> None:
    text = "".join(file.read_text("utf-8") for file in DOCUMENTS)
    documents = dict(DOCUMENT.findall(text))
    graph = build_schema(SCHEMA.read_text("utf-8"))

    assert len(documents) == text.count("export const")
    for name, document in documents.items():
        assert "${" not in document, f"{name} is put together from pieces"
        assert validate(graph, parse(document), [*specified_rules, NoDeprecatedCustomRule]) == [], name


def test_nothing_is_asked_but_those_documents_and_nothing_is_kept_or_written_as_markup() -> None:
    for module in MODULES:
        text = module.read_text("utf-8")
        if module.name not in ("graph.js", "sign-in.js"):  # the latter asks the provider that signs people in
            assert not re.search(r"\bfetch\(|graphqlSse|XMLHttpRequest|WebSocket", text), module.name
        if module not in DOCUMENTS:
            assert not re.search(r"`\s*(query|mutation|subscription)\b", text), module.name
        assert not re.search(r"localStorage|indexedDB|document\.cookie", text), module.name
        assert not re.search(r"innerHTML|dangerouslySet|insertAdjacent|\beval\(|style=", text), module.name


def test_every_module_that_is_imported_is_there_or_fetched() -> None:
    for module in [*MODULES, *TEXTS]:
        for named in re.findall(r'from "([^"]+)"', module.read_text("utf-8")):
            place = (module.parent / named).resolve().relative_to(STATIC_FOLDER.resolve()).as_posix()
            assert place in CONSOLE_FILES or (STATIC_FOLDER / place).is_file(), (module.name, named)


def test_the_scripts_of_the_first_page_are_small_and_name_no_package() -> None:
    if missing_files(CONSOLE_FILES):
        missing("The third-party code of the pages", "run `make setup`, which fetches it.")
    scripts = [*MODULES, *TEXTS, STATIC_FOLDER / "session.js", *(STATIC_FOLDER / name for name in CONSOLE_FILES)]

    assert sum(len(gzip.compress(script.read_bytes(), 5)) for script in scripts) < MOST_COMPRESSED
    for script in scripts:
        # A browser cannot look up a bare name, and the table that could is an inline script, which is forbidden.
        assert not re.search(r"""(?:^|[;}])(?:import|export)\b[^;]*?\bfrom\s*["'][^./]""", script.read_text("utf-8")), (
            script
        )


@pytest.mark.anyio
async def test_the_page_forbids_inline_styles_as_well_and_all_its_files_are_served() -> None:
    if missing_files(CONSOLE_FILES):
        missing("The third-party code of the pages", "run `make setup`, which fetches it.")
    transport = httpx.ASGITransport(app=Starlette(routes=page_routes([])))
    async with httpx.AsyncClient(transport=transport, base_url="http://stoa.test") as client:
        page = await client.get("/console")
        assert page.status_code == 200
        assert "style-src 'self';" in page.headers["content-security-policy"]
        assert not re.search(r"<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=", page.text)

        links = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
        assert {f"/static/console/{module.name}" for module in MODULES} <= {link.partition("?")[0] for link in links}
        for link in links:
            file = await client.get(link)
            assert file.status_code == 200, link
            if ".js" in link:
                assert file.headers["content-type"].startswith("text/javascript"), link
                assert file.headers["x-content-type-options"] == "nosniff"
