"""What a steward does by hand in the console, beside what engines propose."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from auth.issuer import DevelopmentIssuer
from tests.support.browser import Browser, Page
from tests.support.http_stub import Asked
from tests.support.server import Client, Server, stoa
from tests.support.tool_server import scripted_server
from tests.test_console_browser import browser, run, tab

__all__ = ["browser", "tab"]

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(600)]

PEOPLE = "id,contact,country\n" + "".join(f"{at},p{at}@example.org,{'NO' if at % 3 else 'PE'}\n" for at in range(1, 41))
VISITS = "id,person\n" + "".join(f"{at},{at % 40 + 1}\n" for at in range(1, 81))
COUNT = "document.querySelector('.count')?.innerText"


@contextmanager
def catalog(place: Path) -> Iterator[tuple[Server, Client, str]]:
    """A server with two tables in its catalog, and the address of their source."""
    folder = place / "files" / "north"
    folder.mkdir(parents=True)
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "visits.csv").write_text(VISITS)
    stoa(place, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    settings = {"filesystem_roots": f"acme={place / 'files'}"}
    with Server(place, settings=settings).ready() as server, Client(place, server) as client:
        source = {"name": "North", "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
        uri = client("POST", "/assets/data", json=source)["resource_uri"]
        run(client, "service-ingestion", resource_uri=uri)
        yield server, client, uri


def signed_in(page: Page, server: Server, place: Path, to: str, user: str = "olga") -> None:
    """Open a place of the console as somebody."""
    token = DevelopmentIssuer(place / "data").issue(user, "acme", ttl=timedelta(hours=1))
    page.open(f"{server.address}/console{to}{'&' if '?' in to else '?'}token={token}")


def filled(page: Page, within: str, **values: str) -> None:
    """Fill the fields of a form by their names, as typing or choosing does."""
    for name, value in values.items():
        page.wait_for(
            f"((field) => {{ if (!field) return false; field.value = {value!r};"
            " for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));"
            " return true })"
            f"(document.querySelector('{within} [name={name}]'))"
        )


def test_a_tag_is_found_by_its_words_by_a_choice_and_from_a_table(tab: Page, tmp_path: Path) -> None:
    with catalog(tmp_path) as (server, client, uri):
        at = f"/utils/data_connection/{uri}/metadata?fqn=north.north.root.people.contact"
        tag = {"tag_id": "PII.Email", "tag_fqn": "PII.Email", "tag_name": "Email", "tag_description": ""}
        level = tag | {"tag_id": "Sensitivity.Internal", "tag_fqn": "Sensitivity.Internal", "tag_name": "Internal"}
        client("PUT", at, json={"tags": [tag, level], "is_pii_tagged": True})
        client("PUT", at.removesuffix(".contact"), json={"tags": [level]})

        signed_in(tab, server, tmp_path, "#/find?q=email")
        tab.wait_for(f"{COUNT} === '1 result' && document.querySelector('.hit').innerText.includes('PII.Email')")
        tab.evaluate("location.hash = '#/find?kind=TABLE'")
        tab.wait_for(f"{COUNT} === '2 results'")
        tab.evaluate(
            "((select) => { select.value = 'PII.Email'; select.dispatchEvent(new Event('change', {bubbles: true})) })"
            "(document.querySelector('.filter select'))"
        )
        tab.wait_for(f"{COUNT} === '1 result' && document.querySelector('.hit strong').innerText === 'people'")
        tab.click(".hit")
        tab.wait_for_element(".columns .tag")
        told = tab.evaluate("[...document.querySelectorAll('.columns .tag')].map((one) => one.innerText)")
        assert told == ["PII.Email"], "the level is that of the table"
        tab.wait_for("document.querySelector('main').innerText.includes('Not assessed yet')")  # what moves the columns
        tab.click("td .tag, th .tag")
        tab.wait_for(f"{COUNT} === '1 result' && document.querySelector('.hit strong').innerText === 'contact'")
        tab.open("about:blank")


def test_a_rule_is_tried_written_rejected_and_taken_back_and_a_reference_is_said(tab: Page, tmp_path: Path) -> None:
    table = "#/asset?fqn=north.north.root.visits"
    rules = "document.querySelector('[aria-label=Rules]')"
    with catalog(tmp_path) as (server, client, uri):
        signed_in(tab, server, tmp_path, table)
        tab.wait_for(f"!!{rules}?.querySelector('summary')")
        tab.evaluate(f"{rules}.querySelector('details').open = true")
        filled(tab, ".rule-form", kind="range")
        filled(tab, ".rule-form", column="person", maximum="30", name="few people")
        tab.evaluate("document.querySelector('.rule-form .quiet-button').click()")
        tab.wait_for("document.querySelector('.trial')?.innerText.includes('20 of 80 break it.')")
        assert client("GET", "/data-readiness/quality-rules")["data"] == []
        tab.evaluate("document.querySelector('.rule-form [type=submit]').click()")
        tab.wait_for(f"{rules}.querySelector('.outcome')?.innerText.includes('“few people” is written')")
        [rule] = client("GET", "/data-readiness/quality-rules")["data"]
        assert (rule["arguments"], rule["asset_fqn"].split(".")[-1]) == ({"maximum": "30"}, "person")

        for now, then in (("active", "disabled"), ("disabled", "rejected"), ("rejected", "active")):
            tab.wait_for(f"{rules}.querySelector('.kind')?.textContent === '{now}'")
            verb = {"disabled": "Switch off", "rejected": "Reject", "active": "Take back"}[then]
            tab.evaluate(
                f"[...{rules}.querySelectorAll('.row-acts button')].find((one) => one.textContent === '{verb}').click()"
            )
        tab.wait_for(f"{rules}.querySelector('.kind')?.textContent === 'active'")

        keys = "document.querySelector('[aria-label=\"Keys and references\"]')"
        tab.evaluate(f"{keys}.querySelector('details').open = true")
        filled(tab, ".references", column="north.north.root.visits.person", table="north.north.root.people")
        tab.wait_for("document.querySelector('.references [name=target]').options.length === 3")
        filled(tab, ".references", target="north.north.root.people.id")
        tab.evaluate("document.querySelector('.references [type=submit]').click()")
        tab.wait_for(f"{keys}.innerText.includes('person refers to people (id, said by hand)')")
        at = f"/utils/data_connection/{uri}/metadata?fqn=north.north.root.visits.person"
        assert client("GET", at)["column_relationships"][0]["table"] == "people"
        tab.evaluate(f"{keys}.querySelector('li .quiet-button').click()")
        tab.wait_for(f"{keys}.innerText.includes('The reference is removed.')")
        tab.wait_for(f"!{keys}.innerText.includes('said by hand')")
        tab.open("about:blank")


def test_a_source_is_renamed_and_led_to_another_folder(tab: Page, tmp_path: Path) -> None:
    with catalog(tmp_path) as (server, client, uri):
        (tmp_path / "files" / "south").mkdir()
        signed_in(tab, server, tmp_path, "#/sources")
        tab.click(".card details summary")
        filled(tab, ".card form", name="Southern", path=str(tmp_path / "files" / "south"))
        tab.evaluate("document.querySelector('.card form [type=submit]').click()")
        tab.wait_for("document.querySelector('.card strong')?.innerText === 'Southern'")
        tab.wait_for("document.querySelector('.card code')?.innerText.endsWith('/south')")
        stands = client("GET", f"/assets/data/{uri}")
        assert (stands["name"], stands["status"]) == ("Southern", "ACTIVE")
        tab.open("about:blank")


MODEL = """
cubes:
  - name: people
    sql_table: people
    measures:
      - {name: middle, sql: id, type: avg}
      - {name: gone, sql: nowhere, type: sum}
"""
CHOSEN = """(() => {
  const form = document.querySelector('form.take'), files = new DataTransfer();
  files.items.add(new File([%s], 'people.yml'));
  [form.format.value, form.file.files] = ['CUBE', files.files];
  form.requestSubmit();
})()"""


def test_terms_memories_and_webhooks_are_looked_after_by_hand(tab: Page, tmp_path: Path) -> None:
    card = "document.querySelector('.card')"
    press = "[...document.querySelectorAll('.card button')].find((one) => one.textContent === '{}').click()"

    def submit(**values: str) -> None:
        filled(tab, "main", **values)
        tab.evaluate("document.querySelector('main .part form [type=submit]').click()")

    with catalog(tmp_path) as (server, client, _):
        signed_in(tab, server, tmp_path, "#/find?of=glossary")
        tab.wait_for_element(".empty")
        submit(name="visitor", definition="Who comes.", synonyms="guest, caller")
        tab.wait_for(f"{card}?.innerText.includes('guest and caller')")
        tab.evaluate(press.format("Approve"))
        tab.wait_for("document.querySelector('.outcome')?.innerText === 'Approve: visitor.'")
        assert client("GET", "/data-readiness/glossary/terms")["data"][0]["status"] == "approved"

        tab.evaluate("location.hash = '#/ask?of=memories'")
        tab.wait_for_element(".empty")
        submit(name="visits", text="A visit lasts a day.")
        tab.wait_for(f"{card}?.innerText.includes('A visit lasts a day.')")
        tab.evaluate(press.format("It is right"))
        tab.wait_for(f"{card}.querySelector('.status').textContent === 'checked'")
        tab.evaluate(press.format("Delete"))
        tab.click("dialog [type=submit]")
        tab.wait_for_element(".empty")
        tab.evaluate(CHOSEN % json.dumps(MODEL))
        tab.wait_for("document.querySelector('#models .outcome')?.innerText.startsWith('1 memory new')")
        assert "gone" not in tab.text(".hits")
        assert "no column 'nowhere'" in tab.text("#models .why"), "what was left out, and why"
        tab.wait_for("document.querySelector('.hits')?.innerText.includes('expression: AVG(id)')")
        tab.evaluate("document.querySelector('form.write').requestSubmit()")
        tab.wait_for("document.querySelector('#models .outcome')?.innerText === 'The file holds 1 memory.'")

        tab.evaluate("location.hash = '#/access?of=webhooks'")
        tab.wait_for_element(".empty")
        submit(name="desk", url=f"{server.address}/nowhere")
        assert str(tab.wait_for("document.querySelector('.secret')?.textContent")).startswith("whsec_")
        tab.wait_for_element(".card .acts")
        tab.evaluate(press.format("Send a test"))
        tab.wait_for(f"{card}.querySelector('.outcome')?.innerText.startsWith('A test is on its way')")
        tab.click(".card details summary")
        tab.wait_for(f"{card}.querySelector('.rows')?.innerText.includes('A test')")
        tools_are_read_approved_called_and_looked_at_again(tab)

        tab.evaluate("location.hash = '#/access?of=tokens'")
        tab.wait_for("document.querySelector('pre')?.innerText.includes('Authorization: Bearer $TOKEN')")
        assert "eyJ" not in str(tab.evaluate("document.documentElement.innerHTML")), "a token is copied, never shown"
        tab.open("about:blank")


def tools_are_read_approved_called_and_looked_at_again(tab: Page) -> None:
    """A server is registered; when its tools change nothing is called, and what changed is shown."""
    card = "document.querySelector('.card')"
    press = f"[...{card}.querySelectorAll('button')].find((one) => one.textContent === '{{}}').click()"
    about = ["Looks for words."]

    def says(method: str, given: dict[str, Any], _: Asked) -> Any:
        if method == "tools/call":
            return {"content": [{"type": "text", "text": f"found {given['arguments']}"}]}
        schema = {"type": "object", "properties": {"most": {"type": "integer"}, "words": {"type": "array"}}}
        tool = {"name": "search", "description": about[-1], "inputSchema": schema}
        return {"tools": [tool]} if method == "tools/list" else None

    with scripted_server(says) as server:
        tab.evaluate("location.hash = '#/sources?of=servers'")
        tab.wait_for_element(".empty")
        filled(tab, "main form", name="desk", url=f"{server.url}/mcp", bearerToken="open-sesame")
        tab.evaluate("document.querySelector('main .part form [type=submit]').click()")
        tab.wait_for(f"{card}?.querySelector('.tools')?.innerText.includes('Looks for words.')")
        assert "sesame" not in str(tab.evaluate("document.documentElement.innerHTML"))
        tab.evaluate(press.format("Approve these tools"))
        tab.wait_for(f"{card}.querySelector('.outcome')?.innerText === '1 tool can be called now.'")
        tab.evaluate(f"{card}.querySelector('details').open = true")
        tab.wait_for(f"!!{card}.querySelector('.tools .row-acts button')")
        tab.evaluate(press.format("Call"))
        filled(tab, ".tools", most="2", words='["late"]')
        send = f"{card}.querySelector('.tools form').requestSubmit()"
        tab.evaluate(send)
        told = tab.wait_for(f"{card}.querySelector('.tools pre')?.textContent")
        assert told == "found {'most': 2, 'words': ['late']}"
        about.append("Looks for words, and closes what it finds.")
        tab.evaluate(send)
        tab.wait_for(f"{card}.querySelector('.compared .come')?.innerText === {about[-1]!r}")
        assert "nothing was called" in tab.text(".card .outcome")
        log = "[...document.querySelectorAll('.card details')].find((one) => one.innerText.startsWith('Calls'))"
        tab.evaluate(f"{log}.open = true")
        tab.wait_for(f"{log}.querySelectorAll('li').length === 1")


def test_what_the_platform_says_in_english_is_marked_where_the_console_speaks_german(
    browser: Browser, tmp_path: Path
) -> None:
    with catalog(tmp_path) as (server, client, _):
        about = "north.north.root.people.contact"
        rule = {"name": "filled", "type": "library", "metric": "nullValues", "asset_fqn": about}
        client("POST", "/data-readiness/quality-rules", json=rule)
        client("POST", "/data-readiness/quality-rules", json=rule | {"metric": "rowCount", "name": "rows"})
        page = browser.new_page()
        agent = {"userAgent": "a browser", "acceptLanguage": "de"}
        page.browser.call("Emulation.setUserAgentOverride", agent, page.session)
        signed_in(page, server, tmp_path, "#/asset?fqn=north.north.root.people")
        rules = "[...document.querySelectorAll('[aria-label=Regeln] li strong')].map((one) => one.firstChild)"
        page.wait_for(f"{rules}.length === 2")
        told = page.evaluate(f"{rules}.map((one) => [one.lang, one.innerText])")
        assert ["", "Keine Zeile darf in contact ohne Wert sein."] in told
        assert [lang for lang, _ in told].count("en") == 1
        page.open("about:blank")
