"""Site on a port of this machine, and a Chromium that cannot reach other addresses."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from servers import HOST

if TYPE_CHECKING:
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Page,
        Request,
    )

CHROMIUM = (
    os.environ.get("JAX_DOCS_CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or ""
)
LACKING = [
    name for name in ("playwright", "axe_playwright_python") if find_spec(name) is None
]
REASON = (
    f"not installed: {', '.join(LACKING)}"
    if LACKING
    else ""
    if CHROMIUM
    else "no Chromium on this machine"
)  # why there is no browser
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE = 30_000  # milliseconds to wait for anything on a page: machines may be busy
_ARGUMENTS = (
    *(
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-extensions",
    ),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ),
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",
)
_TYPESET = "window.MathJax?.startup?.promise.then(() => true) ?? true"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(_ARGUMENTS)
        )
        yield browser
        browser.close()


@cache
def _axe() -> str:
    package = resources.files("axe_playwright_python")
    return package.joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, within: str = "html") -> list[tuple[str, str, str]]:
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

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(
            # Playwright runs strings in the page, which its policy does not allow.
            **{
                "viewport": DESKTOP,
                "color_scheme": "light",
                "bypass_csp": True,
                **options,
            }
        )
        self.context.set_default_timeout(PATIENCE)
        self.address = address
        self.said: list[str] = []
        self.asked: list[str] = []
        self.refused: list[str] = []
        self.page: Page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfailed", self._refused)
        self.page.on(
            "response",
            lambda response: (
                self.refused.append(response.url) if response.status >= 400 else None
            ),
        )

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.said.append(f"{message.text} ({message.location.get('url', '')})")

    def _refused(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the reader went on to another page
            self.refused.append(request.url)

    def open(self, path: str) -> Page:
        """Open the page at ``path``. Return it when its formulas are rendered."""
        for found in (self.said, self.asked, self.refused):
            found.clear()
        self.page.goto(self.address + path)
        self.page.evaluate(_TYPESET)
        return self.page

    def foreign(self) -> list[str]:
        """Return the requested addresses that are not in the site."""
        return [
            url
            for url in self.asked
            if not url.startswith((self.address, "data:", "blob:"))
        ]

    def files(self) -> list[str]:
        """Return the requested paths in the site."""
        return sorted(
            {
                unquote(urlsplit(url).path).lstrip("/")
                for url in self.asked
                if url.startswith(self.address)
            }
        )

    def close(self) -> None:
        """Close the browser page."""
        self.context.close()
