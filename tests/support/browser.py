"""A real browser for tests: headless Chromium, driven through the DevTools protocol over a pipe.

The pipe needs no port, no second program and no library: messages are JSON texts, each ended by a zero byte. The
browser is started without any of its own traffic, and every request, console message and uncaught error of a page is
recorded, so that a test can state that a page works and asks nobody else for anything.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.needs import missing

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--metrics-recording-only",
    "--mute-audio",
    "--remote-debugging-pipe",
    "--window-size=1280,800",
    # Names that are not of this machine are answered with "not found" inside the browser.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
)
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120.0


def chromium() -> str:
    """Return the path of Chromium, or end the test with how to get it."""
    named = os.environ.get("STOA_CHROMIUM", "")
    found = next(filter(None, map(shutil.which, filter(None, (named, *PROGRAMS)))), None)
    if found is None:
        missing("Chromium", "install the package chromium, or name the program in STOA_CHROMIUM.")
    return found


@dataclass
class Page:
    """One open tab.

    Attributes:
        console: Every warning and error that the page or the browser wrote to the console, uncaught errors included.
        requests: The address of every request that left the page, in order.
        failures: Address and status or reason of every request that failed or was answered with 400 or above.
    """

    browser: "Browser"
    session: str
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def open(self, address: str) -> None:
        """Go to an address and wait until the page and its scripts have loaded."""
        arrived = self.browser.call("Page.navigate", {"url": address}, self.session)
        if arrived.get("errorText"):
            raise AssertionError(f"{address} could not be opened: {arrived['errorText']}")
        self.wait_for("document.readyState === 'complete'")

    def before_each_load(self, script: str) -> None:
        """Run a script in every page that opens here from now on, before the page's own ones."""
        self.browser.call("Page.addScriptToEvaluateOnNewDocument", {"source": script}, self.session)

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, awaited when it is a promise."""
        answer = self.browser.call(
            "Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True}, self.session
        )
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression!r} failed: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression: str, patience: float = PATIENCE) -> Any:
        """Return the first truthy value of an expression; fail with what the page says when none comes in time."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            try:
                if value := self.evaluate(expression):
                    return value
            except AssertionError:
                if time.monotonic() + 1 > until:
                    raise
            time.sleep(0.05)
        text = self.evaluate("document.body ? document.body.innerText.slice(0, 2000) : ''")
        raise AssertionError(f"never true: {expression}\nconsole: {self.console}\nthe page says: {text}")

    def wait_for_element(self, selector: str, patience: float = PATIENCE) -> None:
        """Wait until an element that matches is in the page."""
        self.wait_for(f"!!document.querySelector({json.dumps(selector)})", patience)

    def text(self, selector: str = "body") -> str:
        """Return the visible text of the first element that matches."""
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def click(self, selector: str) -> None:
        """Click the middle of the first element that matches, as a mouse does, once it is there and rests.

        Nothing may be drawn over it, and what is still being drawn above it moves it: a click would miss it then.
        """
        place = self.wait_for(
            "(async () => {"
            f" const element = document.querySelector({json.dumps(selector)}); if (!element) return null;"
            " const middle = () => { element.scrollIntoView({block: 'center', behavior: 'instant'});"
            " const b = element.getBoundingClientRect(); return {x: b.x + b.width / 2, y: b.y + b.height / 2} };"
            " const before = middle(); await new Promise((done) => setTimeout(done, 50)); const {x, y} = middle();"
            " const rests = x === before.x && y === before.y && element.contains(document.elementFromPoint(x, y));"
            " return rests ? {x, y} : null })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "button": "left", "clickCount": 1, **place}
            self.browser.call("Input.dispatchMouseEvent", event, self.session)

    def type(self, text: str) -> None:
        """Insert text where the cursor is, as a keyboard or a paste does."""
        self.browser.call("Input.insertText", {"text": text}, self.session)

    def press(self, key: str, *, code: int, control: bool = False, shift: bool = False) -> None:
        """Press and release one key, named as in the DOM with its virtual key code."""
        modifiers = 2 * control + 8 * shift
        event = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        # Enter does what it does, such as pressing a button, by the character that it makes.
        down = {"type": "keyDown", "text": "\r"} if key == "Enter" and not control else {"type": "rawKeyDown"}
        self.browser.call("Input.dispatchKeyEvent", {**down, **event}, self.session)
        self.browser.call("Input.dispatchKeyEvent", {"type": "keyUp", **event}, self.session)

    def prefer(self, scheme: str) -> None:
        """Ask pages for the `light` or the `dark` colour scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.call("Emulation.setEmulatedMedia", {"features": features}, self.session)

    def screenshot(self, path: Path) -> Path:
        """Write what the window shows to a PNG file."""
        shot = self.browser.call("Page.captureScreenshot", {"format": "png"}, self.session)
        path.write_bytes(base64.b64decode(shot["data"]))
        return path

    def _heard(self, method: str, data: dict[str, Any]) -> None:
        """Keep what the protocol reports about this tab."""
        if method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            words = [str(part.get("value", part.get("description", ""))) for part in data["args"]]
            self.console.append(f"{data['type']}: {' '.join(words)}")
        elif method == "Runtime.exceptionThrown":
            details = data["exceptionDetails"]
            self.console.append(f"uncaught: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            entry = data["entry"]
            self.console.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}".strip())
        elif method == "Network.requestWillBeSent":
            self.requests.append(data["request"]["url"])
        elif method == "Network.responseReceived" and data["response"]["status"] >= 400:
            self.failures.append(f"{data['response']['status']} {data['response']['url']}")
        elif method == "Network.loadingFailed" and not data.get("canceled"):
            self.failures.append(f"{data.get('blockedReason') or data['errorText']} (request {data['requestId']})")


class Browser:
    """One running Chromium; `pages()` are its tabs."""

    def __init__(self, program: str, profile: str) -> None:
        # The browser reads commands from file descriptor 3 and writes answers to 4.
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 64) for end in (to_read, to_write)]
        quiet = os.open(os.devnull, os.O_RDWR)
        home = {**os.environ, "HOME": profile, "XDG_CONFIG_HOME": profile, "XDG_CACHE_HOME": profile}
        actions = [(os.POSIX_SPAWN_DUP2, quiet, stream) for stream in (0, 1, 2)]
        actions += [(os.POSIX_SPAWN_DUP2, end, number) for end, number in zip(ends, (3, 4), strict=True)]
        self._process = os.posix_spawn(
            program, [program, *FLAGS, f"--user-data-dir={profile}"], home, file_actions=actions, setpgroup=0
        )
        for end in (*ends, to_read, to_write, quiet):
            os.close(end)
        self._last = 0
        self._rest = b""
        self._pages: dict[str, Page] = {}

    def new_page(self) -> Page:
        """Open a tab of its own, with no storage shared with others, and record what happens in it."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", {"url": "about:blank", "browserContextId": context})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self._pages[session] = Page(self, session)
        for area in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{area}.enable", {}, session)
        return page

    def call(self, method: str, parameters: dict[str, Any] | None = None, session: str | None = None) -> dict[str, Any]:
        """Send one command and return its result; events that arrive meanwhile go to their pages."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        for answer in self._messages(time.monotonic() + PATIENCE):
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])
            if page := self._pages.get(answer.get("sessionId", "")):
                page._heard(answer["method"], answer["params"])
        raise AssertionError(f"{method} was not answered")

    def _messages(self, until: float) -> Iterator[dict[str, Any]]:
        while True:
            head, found, rest = self._rest.partition(b"\0")
            if found:
                self._rest = rest
                yield json.loads(head)
                continue
            ready, _, _ = select.select([self._from], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise AssertionError("Chromium did not answer in time.")
            got = os.read(self._from, 1 << 20)
            if not got:
                raise AssertionError("Chromium ended by itself.")
            self._rest += got

    def close(self) -> None:
        """End the browser and every process it started."""
        for end in (self._to, self._from):
            os.close(end)
        with suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Run Chromium with a profile folder of its own, which is gone afterwards."""
    program = chromium()
    with tempfile.TemporaryDirectory(prefix="stoa-browser-", ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            yield browser
        finally:
            browser.close()


def wait_until(true: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
    """Wait until a condition of the test holds."""
    until = time.monotonic() + patience
    while not true():
        if time.monotonic() > until:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.05)
