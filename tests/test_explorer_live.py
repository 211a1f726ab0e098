"""The explorer of a live platform in a real browser: examples, documentation, subscriptions, links, and refusals."""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from auth.issuer import DevelopmentIssuer
from rest_compat.explorer import ExplorerExample
from tests.support.browser import Browser, Page
from tests.support.chat_server import LEISURELY, WORDS
from tests.support.examples import Walk
from tests.support.server import Client, Server, stoa
from tests.test_explorer_browser import browser, write_query

__all__ = ["browser"]

# The walk through every example takes a while on a busy machine.
pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(900)]

RESULT = "(document.querySelector('.result-window .CodeMirror')?.CodeMirror.getValue() ?? '')"
RUNS = "document.querySelector('button.graphiql-execute-button').getAttribute('aria-label').startsWith('Stop')"
EARLIER = f"JSON.parse({RESULT} || '{{}}').earlier?.length"
FOLLOW_TURN = "subscription Follow($s: UUID!, $t: UUID!) { turnEvents(sessionId: $s, turnId: $t) { sequence final } }"


class Platform(Server):
    """A server whose questions are answered, word by word."""

    command = (sys.executable, "-m", "tests.support.chat_server")

    def __init__(self, folder: Path, settings: dict[str, Any] | None = None) -> None:
        stoa(folder, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
        self.folder = folder
        super().__init__(folder, settings=settings)

    def token(self, user: str, *, ago: timedelta = timedelta()) -> str:
        """A token that this platform issued some time ago, for an hour."""
        issuer = DevelopmentIssuer(self.folder / "data", clock=lambda: datetime.now(UTC) - ago)
        return issuer.issue(user, "acme", ttl=timedelta(hours=1))


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with Platform(tmp_path_factory.mktemp("platform")) as platform:
        yield platform.ready()


@pytest.fixture(scope="module")
def client(platform: Platform) -> Iterator[Client]:
    with Client(platform.folder, platform) as client:
        yield client


@pytest.fixture
def anyhow(browser: Browser, platform: Platform) -> Iterator[Page]:
    """A fresh tab that must ask nobody but the platform, whatever that answers."""
    page = browser.new_page()
    yield page
    page.evaluate("1")
    assert [one for one in page.requests if not one.startswith(("http://127.0.0.1:", "data:", "blob:"))] == []


@pytest.fixture
def page(anyhow: Page) -> Iterator[Page]:
    """A fresh tab that must stay free of errors as well."""
    yield anyhow
    assert anyhow.console == []
    assert anyhow.failures == []


def opened(page: Page, platform: Platform, client: Client, **link: str) -> None:
    """Open the explorer as the owner, signed in."""
    page.open(f"{platform.address}/graphql?{urlencode(link)}#token={client.token}&project={client.project}")
    page.wait_for_element(".graphiql-query-editor .CodeMirror-code .cm-keyword")
    page.click("button[aria-label='Show Documentation Explorer']")
    page.wait_for("document.querySelector('.graphiql-doc-explorer')?.innerText.includes('Query')")


def answered(page: Page, script: str = RESULT) -> Any:
    """Return what the result shows once the request is over."""
    page.wait_for(f"{script} && !{RUNS}")
    return json.loads(page.evaluate(RESULT))


def tried(page: Page, example: ExplorerExample, variables: dict[str, Any]) -> Any:
    """Open an example from the list, fill in its variables and run it; what is shown at the end."""
    title = json.dumps(example.title)
    page.evaluate(
        f"[...document.querySelectorAll('.examples button')]"
        f".find((one) => one.firstChild.innerText === {title}).click()"
    )
    editor = "document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.getValue()"
    page.wait_for(f"{editor} === {json.dumps(example.query)}")
    assert page.evaluate(RESULT) == "", "an example does not run by itself"
    name = example.query.split("(")[0].split("{")[0].split()[-1]
    page.wait_for(f"localStorage.getItem('graphiql:operationName') === {json.dumps(name)}")
    if variables:
        field = "document.querySelector('.graphiql-editor-tool .CodeMirror').CodeMirror"
        assert json.loads(page.evaluate(f"{field}.getValue()")) == example.variables
        page.evaluate(f"{field}.setValue({json.dumps(json.dumps(variables))})")
    page.click("button.graphiql-execute-button")
    return answered(page)


def events_of(shown: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """The events of a stream in the order in which they came, of which the newest is shown first."""
    return [data[field] for data in reversed([shown["data"], *shown.get("earlier", [])])]


def test_every_example_runs_from_the_list_and_both_streams_are_followed_to_their_end(
    page: Page, platform: Platform, client: Client
) -> None:
    opened(page, platform, client)
    page.click("button[aria-label='Show Examples']")
    page.wait_for_element(".examples button")
    walk = Walk(projectId=client.project, organizationId="acme")
    shown: dict[str, Any] = {}
    for example in walk:
        answer = tried(page, example, walk.variables(example))
        assert "errors" not in answer, (example.title, answer)
        walk.learn(answer["data"])
        shown[example.title] = answer

    told = events_of(shown["Follow an answer as it is given"], "turnEvents")
    assert [event["sequence"] for event in told] == list(range(1, len(told) + 1))
    assert len([event for event in told if event["event"] == "MESSAGE_DELTA"]) == WORDS
    assert (told[-1]["event"], told[-1]["final"]) == ("DONE", True)
    assert events_of(shown["Follow a run to its end"], "runProgress")[-1]["status"] == "FAILED"
    assert shown["Create a project"]["data"]["createProject"]["createdBy"] == "olga"


def asked(client: Client, message: str = "How many?") -> dict[str, str]:
    """A question that is being answered; the variables that name it."""
    session = client("POST", "/talk2data/chat/sessions", json={})["session_id"]
    turn = client("POST", f"/talk2data/chat/sessions/{session}/turns", json={"message": message})
    return {"s": session, "t": turn["turn_id"]}


def test_events_are_shown_as_they_come_and_a_stream_can_be_left(page: Page, platform: Platform, client: Client) -> None:
    opened(page, platform, client, query=FOLLOW_TURN, variables=json.dumps(asked(client, LEISURELY)))
    page.wait_for("localStorage.getItem('graphiql:operationName') === 'Follow'")
    page.click("button.graphiql-execute-button")
    page.wait_for(f"{RUNS} && {EARLIER} >= 2")
    page.click("button.graphiql-execute-button")
    page.wait_for(f"!{RUNS}")

    left = page.evaluate(RESULT)
    seen = events_of(json.loads(left), "turnEvents")
    assert [event["sequence"] for event in seen] == list(range(1, len(seen) + 1))
    assert not any(event["final"] for event in seen), "the end was told before the stream was left"
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))")
    assert page.evaluate(RESULT) == left


def test_a_link_opens_filled_in_and_nothing_runs_before_somebody_asks_for_it(
    page: Page, platform: Platform, client: Client
) -> None:
    query = "query Tables($q: String!) { searchMetadata(q: $q) { total } }"
    opened(page, platform, client, query=query, variables='{"q": "*"}', operationName="Tables")

    assert page.evaluate("document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.getValue()") == query
    assert page.evaluate(RESULT) == ""
    page.click("button.graphiql-execute-button")
    assert answered(page)["data"] == {"searchMetadata": {"total": 0}}


def test_a_link_to_several_operations_runs_the_one_that_it_names_until_the_text_is_another(
    page: Page, platform: Platform, client: Client
) -> None:
    query = "query First { projects { total } } query Second { organizations { total } }"
    opened(page, platform, client, query=query, operationName="Second")

    page.click("button.graphiql-execute-button")
    assert answered(page)["data"] == {"organizations": {"total": 1}}

    write_query(page, "Third", "{ me: organizations { total } } query Fourth { organizations { total } }")
    choices = "[...document.querySelectorAll('[role=menuitem]')].map((one) => one.innerText).join()"
    page.click("button.graphiql-execute-button")
    page.wait_for(f"{choices} === 'Third,Fourth'")
    page.evaluate("document.querySelector('[role=menuitem]').click()")
    page.wait_for(f"{RESULT}.includes('\"me\"')")
    assert answered(page)["data"] == {"me": {"total": 1}}


def test_the_documentation_describes_a_type(page: Page, platform: Platform, client: Client) -> None:
    opened(page, platform, client)
    page.evaluate(
        "[...document.querySelectorAll('.graphiql-doc-explorer a')].find((one) => one.innerText === 'Query').click()"
    )
    page.wait_for("document.querySelector('.graphiql-doc-explorer').innerText.includes('dataConnectionsConnection')")
    page.evaluate(
        "[...document.querySelectorAll('.graphiql-doc-explorer a')]"
        ".find((one) => one.innerText === 'DataConnectionConnection').click()"
    )
    page.wait_for("document.querySelector('.graphiql-doc-explorer').innerText.includes('totalCount')")


def test_an_expired_token_is_named_in_the_bar_and_with_its_code(anyhow: Page, platform: Platform) -> None:
    token = platform.token("olga", ago=timedelta(days=1))
    anyhow.open(f"{platform.address}/graphql#token={token}")

    assert anyhow.text("#who") == "the token of olga at acme has expired"
    anyhow.wait_for("document.getElementById('notice').innerText.includes('(TOKEN_EXPIRED)')")
    anyhow.wait_for_element(".cm-keyword")
    anyhow.click("button.graphiql-execute-button")
    anyhow.wait_for(f"{RESULT}.includes('TOKEN_EXPIRED')")


def test_who_is_not_signed_in_is_told_how_and_is_then_served(anyhow: Page, platform: Platform) -> None:
    anyhow.open(f"{platform.address}/graphql")
    anyhow.wait_for("document.getElementById('notice').innerText.startsWith('You are not signed in. Paste a token')")
    anyhow.click("#token")
    anyhow.type(platform.token("olga"))
    anyhow.evaluate("document.activeElement.blur()")
    anyhow.wait_for("document.getElementById('notice').hidden")
    assert anyhow.text("#who").startswith("olga at acme")


def test_a_stream_that_is_refused_shows_the_code(anyhow: Page, platform: Platform, client: Client) -> None:
    stranger = platform.token("nobody")
    link = urlencode({"query": FOLLOW_TURN, "variables": json.dumps(asked(client))})
    anyhow.open(f"{platform.address}/graphql?{link}#token={stranger}&project={client.project}")
    anyhow.wait_for("document.querySelector('.graphiql-query-editor')?.innerText.includes('turnEvents')")
    anyhow.wait_for("localStorage.getItem('graphiql:operationName') === 'Follow'")
    anyhow.click("button.graphiql-execute-button")

    (error,) = answered(anyhow)["errors"]
    assert error["extensions"]["code"] == "PROJECT_ACCESS_DENIED"


@pytest.mark.long  # needs a server of its own
def test_without_introspection_the_page_says_so_and_still_runs_queries(anyhow: Page, tmp_path: Path) -> None:
    with Platform(tmp_path, {"graphql_introspection": False}).ready() as closed, Client(tmp_path, closed) as owner:
        anyhow.open(f"{closed.address}/graphql#token={owner.token}")
        anyhow.wait_for("document.getElementById('notice').innerText.includes('introspection')")
        assert anyhow.text("#notice").startswith("No documentation and no completion here, because")

        anyhow.click("button[aria-label='Show Documentation Explorer']")
        anyhow.wait_for("document.querySelector('.graphiql-doc-explorer')?.innerText.includes('Error fetching schema')")
        write_query(anyhow, "Mine", "{ projects { total } }")
        anyhow.click("button.graphiql-execute-button")
        anyhow.wait_for(f"{RESULT}.includes('\"total\": 1')")
        assert anyhow.failures == []
