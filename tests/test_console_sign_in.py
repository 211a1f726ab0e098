"""Signing in to the console at a real provider of OpenID Connect, by the authorization code flow with PKCE."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from rest_compat.settings import Settings, settings_of
from rest_compat.sign_in import sign_in_of
from tests.support.browser import Browser
from tests.support.needs import missing
from tests.support.node import FOLDER as NODE
from tests.support.server import Server, free_port, stoa
from tests.test_console_browser import browser

__all__ = ["browser"]

pytestmark = [pytest.mark.timeout(600)]


@pytest.fixture
def ports() -> Iterator[tuple[int, int]]:
    """The port of the provider, which runs, and that of the console to which it sends people back."""
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules" / "oidc-provider").is_dir():
        missing("oidc-provider", "install Node.js 20 or later and run `npm ci` in tests/node")
    provider, console = free_port(), free_port()
    program = [node, "provider.mjs", str(provider), f"http://127.0.0.1:{console}/console"]
    with subprocess.Popen(program, cwd=NODE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert any("ready" in line for line in process.stdout), "the provider did not start"
        yield provider, console
        process.kill()


@pytest.mark.xdist_group("browser")
def test_a_person_signs_in_at_the_provider_and_the_token_outlives_nothing(
    browser: Browser, ports: tuple[int, int], tmp_path: Path
) -> None:
    provider, console = ports
    issuer = f"http://127.0.0.1:{provider}"
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    settings = {
        "port": console,
        "issuer": issuer,
        "outbound_allow": f"127.0.0.1:{provider}",
        "sign_in_client": "stoa-console",
        "sign_in_resource": "https://stoa.test/",
    }
    with Server(tmp_path, settings=settings).ready() as server:
        page = browser.new_page()
        page.open(f"http://127.0.0.1:{console}/console#/access")
        page.click(".wide-button")
        page.wait_for(f"location.origin === '{issuer}' && !!document.querySelector('input[name=login]')")
        sent = next(one for one in page.requests if one.startswith(f"{issuer}/auth?"))
        asked = {name: value for name, [value] in parse_qs(urlsplit(sent).query).items()}
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        assert len(asked["code_challenge"]) == 43
        page.click("input[name=login]")
        page.type("olga")
        page.click("input[name=password]")
        page.type("anything")
        page.click("button[type=submit]")
        page.wait_for("document.body.innerText.includes('Authorize') || location.pathname === '/console'")
        if page.evaluate(f"location.origin === '{issuer}'"):
            page.click("button[type=submit]")
        page.wait_for(
            "location.pathname === '/console' && document.querySelector('.person')?.innerText.startsWith('olga')"
        )
        assert page.evaluate("location.search + location.hash") == "#/access", "the code is gone, the place is kept"
        page.wait_for("!!document.querySelector('.picker select') || !!document.querySelector('.empty')")
        assert page.evaluate("JSON.stringify({...localStorage})") == "{}"
        assert [one for one in page.console if "Content Security Policy" in one or "uncaught" in one] == []

        page.open(f"http://127.0.0.1:{console}/console?code=stolen&state=made-up")
        page.evaluate("stoa.signOut()")
        page.open(f"http://127.0.0.1:{console}/console?code=stolen&state=made-up&again=1")
        page.wait_for("document.querySelector('.face.wrong')?.innerText.includes('did not sign you in')")
        assert page.evaluate("'Authorization' in stoa.headers()") is False
        policy = httpx.get(f"{server.address}/console").headers["content-security-policy"]
        assert f"connect-src 'self' {issuer};" in policy
        page.open("about:blank")


def test_a_provider_is_named_once_and_by_its_origin() -> None:
    def of(**given: str) -> Settings:
        return settings_of(given)

    assert sign_in_of(of()) is None
    named = sign_in_of(
        of(issuer="https://login.example/realms/x", sign_in_client="c", sign_in_origins="https://t.example/a, ")
    )
    assert named is not None
    assert named.origins == ("https://login.example", "https://t.example")
    for wrong in (
        {"sign_in_client": "c"},
        {"sign_in_client": "c", "issuer": "https://login.example/{organization}"},
        {"sign_in_client": "c", "issuer": "https://login.example", "sign_in_origins": "https://x; script-src *"},
        {"sign_in_client": "c", "issuer": "https://login.example", "sign_in_origins": "ftp://x"},
    ):
        with pytest.raises(ValueError, match=r"STOA_SIGN_IN_CLIENT needs|is no address of a provider"):
            sign_in_of(of(**wrong))
