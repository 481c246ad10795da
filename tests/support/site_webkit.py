"""WebKitGTK's MiniBrowser on a virtual screen, driven by WebDriver.

It has the methods of ``Firefox``. But WebDriver has no access to console messages, and cannot run
scripts before those of a page. The look of focused elements is different as well.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.request import ProxyHandler, Request, build_opener

import pytest
from processes import until
from servers import HOST
from site_firefox import CLICK, SECONDS, in_time, keys_pressed, middle_of

DRIVER = shutil.which("WebKitWebDriver") or ""
SCREEN = shutil.which("Xvfb") or ""
MINI = next(map(str, Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")), "")
IS_HERE = DRIVER and SCREEN and MINI
NO_WEBKIT = "" if IS_HERE else "no WebKitGTK here: webkit2gtk-driver and xvfb"
# The driver is on this machine, whatever proxy others are behind.
_OPENER = build_opener(ProxyHandler({}))
NARROWEST = 500  # pixels: the bar above the page needs its room


class WebKit:
    """One window of a MiniBrowser."""

    hears: ClassVar[bool] = False  # what pages say on the console
    is_in_front: ClassVar[bool] = False  # nothing on its screen gives windows the focus

    def __init__(self, address: str) -> None:
        """Open the window. ``address`` is that of the driver."""
        self.said: list[str] = []
        self._address = address
        options = {"binary": MINI, "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        made = self._call("/session", capabilities=wanted)
        self._address = f"{address}/session/{made['sessionId']}"

    def open(self, address: str) -> None:
        """Go to ``address``, and wait until the page is loaded."""
        self._call("/url", url=address)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window, or the least possible width."""
        width = max(width, NARROWEST)
        self._call("/window/rect", width=width, height=height)
        self.wait_for(f"innerWidth === {width}")

    def before_each(self, script: str) -> AbstractContextManager[None]:
        """Skip the test, because WebDriver does not support this."""
        pytest.skip("WebDriver runs no script before those of a page")

    def ask(self, expression: str) -> Any:
        """Return the JSON value of a JavaScript expression. Promises are awaited."""
        script = f"""
          const done = arguments[arguments.length - 1];
          (async () => JSON.stringify(await ({expression}) ?? null))().then(
            (found) => done([found, ""]), (problem) => done(["", String(problem)]));"""
        found, problem = self._call("/execute/async", script=script, args=[])
        assert not problem, problem
        return json.loads(found)

    def wait_for(self, expression: str) -> Any:
        """Wait until an expression is true, and return its value. Raises AssertionError."""
        return self.ask(in_time(expression))

    def press(self, *keys: str, holding: str = "") -> None:
        """Press keys, one after the other: letters, or WebDriver's code points."""
        self._act("key", *keys_pressed(*keys, holding=holding))

    def click(self, selector: str) -> None:
        """Click the middle of the first visible match of ``selector``."""
        move = {"type": "pointerMove", **self.wait_for(middle_of(selector))}
        self._act("pointer", move, *CLICK)

    def close(self) -> None:
        """Close the window."""
        self._send("", "DELETE", None)

    def _act(self, device: str, *actions: dict[str, Any]) -> None:
        """Perform actions of the mouse ("pointer") or the keyboard ("key")."""
        source = {"type": device, "id": device, "actions": actions}
        self._call("/actions", actions=[source])

    def _call(self, path: str, **values: Any) -> Any:
        """Return the result of a command. Raises HTTPError if WebKit reports an error."""
        return self._send(path, "POST", json.dumps(values).encode())

    def _send(self, path: str, method: str, data: bytes | None) -> Any:
        request = Request(self._address + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        with _OPENER.open(request, timeout=2 * SECONDS) as answer:
            return json.load(answer)["value"]


@contextmanager
def webkit(home: Path) -> Iterator[WebKit]:
    """Yield a WebKit whose home is the empty folder ``home``."""
    home.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(
        [SCREEN, "-displayfd", "1", "-screen", "0", "1600x1000x24"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as screen:
        assert screen.stdout is not None
        # It says which number it took when it is there.
        display = f":{screen.stdout.readline().strip()}"
        try:
            with _driver(home, display) as address:
                browser = WebKit(address)
                yield browser
                browser.close()
        finally:
            screen.terminate()


@contextmanager
def _driver(home: Path, display: str) -> Iterator[str]:
    """Yield the address of a driver whose browsers use the screen ``display``."""
    port = _free_port()
    environment = {
        **os.environ,
        "HOME": str(home),
        "DISPLAY": display,
        "GDK_BACKEND": "x11",
        # There is no graphics card.
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
    }
    quiet: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    command = [DRIVER, f"--port={port}"]
    with subprocess.Popen(command, env=environment, **quiet) as process:
        try:
            _wait_until_open(port)
            yield f"http://{HOST}:{port}"
        finally:
            process.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_open(port: int) -> None:
    """Wait until a server listens on ``port``. Raises AssertionError after a while."""

    def is_open() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((HOST, port)) == 0

    assert until(is_open, seconds=SECONDS), f"nobody listens on port {port}"
