"""Site on a port of this machine, and a Chromium that cannot reach other addresses."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from servers import HOST

if TYPE_CHECKING:
    from playwright import sync_api

CHROMIUM = (
    os.environ.get("JAX_DOCS_CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or ""
)
REASON = "" if CHROMIUM else "no Chromium on this machine"  # why there is no browser
for package in ("playwright", "axe_playwright_python"):
    if find_spec(package) is None:
        REASON = f"not installed: {package}"
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE = 30_000  # milliseconds to wait for anything on a page: machines may be busy
_ARGUMENTS = [
    *"--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync".split(),
    *"--disable-extensions --disable-background-networking".split(),
    "--disable-component-update",
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",
]
_TYPESET = "window.MathJax?.startup?.promise.then(() => true) ?? true"


@contextmanager
def chromium() -> Iterator[sync_api.Browser]:
    """Yield a Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launch = playwright.chromium.launch
        browser = launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        yield browser
        browser.close()


@cache
def _axe() -> str:
    package = resources.files("axe_playwright_python")
    return package.joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page: sync_api.Page, within: str = "html") -> list[tuple[str, str, str]]:
    """Return what axe finds wrong, now, in the element ``within``: rule, HTML, explanation.

    All of axe's rules are applied, also those that are only advice.
    """
    page.evaluate(_axe())
    # By default, axe also describes thousands of elements that are in order.
    options = '{ iframes: false, resultTypes: ["violations"] }'
    found = page.evaluate(f"axe.run({json.dumps(within)}, {options})")["violations"]
    return [
        (rule["id"], node["html"][:300], node["failureSummary"])
        for rule in found
        for node in rule["nodes"]
    ]


class Reader:
    """Browser page with the site at ``address``.

    ``said`` has the console messages of pages, ``asked`` the addresses that they request.
    """

    def __init__(self, browser: sync_api.Browser, address: str, **options: Any) -> None:
        # Playwright runs strings in the page, which its policy does not allow.
        usual = {"viewport": DESKTOP, "color_scheme": "light", "bypass_csp": True}
        self.context: sync_api.BrowserContext = browser.new_context(**{**usual, **options})
        self.context.set_default_timeout(PATIENCE)
        self.address = address
        self.said: list[str] = []
        self.asked: list[str] = []
        self.refused: list[str] = []
        self.page: sync_api.Page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfailed", self._refused)
        self.page.on("response", self._answered)

    def _heard(self, message: sync_api.ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.said.append(f"{message.text} ({message.location.get('url', '')})")

    def _refused(self, request: sync_api.Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the reader went on to another page
            self.refused.append(request.url)

    def _answered(self, response: sync_api.Response) -> None:
        if response.status >= 400:
            self.refused.append(response.url)

    def open(self, path: str) -> sync_api.Page:
        """Open the page at ``path``. Return it when its formulas are rendered."""
        for found in (self.said, self.asked, self.refused):
            found.clear()
        self.page.goto(self.address + path)
        self.page.evaluate(_TYPESET)
        return self.page

    def foreign(self) -> list[str]:
        """Return the requested addresses that are not in the site."""
        known = (self.address, "data:", "blob:")
        return [url for url in self.asked if not url.startswith(known)]

    def files(self) -> list[str]:
        """Return the requested paths in the site."""
        ours = (url for url in self.asked if url.startswith(self.address))
        return sorted({unquote(urlsplit(url).path).lstrip("/") for url in ours})

    def close(self) -> None:
        """Close the browser page."""
        self.context.close()


Open = Callable[..., Reader]


@contextmanager
def readers(browser: sync_api.Browser, address: str) -> Iterator[Open]:
    """Yield a function that makes readers of the site, with options of Playwright's contexts."""
    with ExitStack() as made:

        def new(**options: Any) -> Reader:
            reader = Reader(browser, address, **options)
            made.callback(reader.close)
            return reader

        yield new
