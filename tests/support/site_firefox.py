"""Debian's Firefox without a window, driven by WebDriver BiDi.

Playwright only drives a Firefox of its own. The tests need only a few functions: open a page,
evaluate JavaScript, press keys and buttons.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

FIREFOX = (
    os.environ.get("JAX_DOCS_FIREFOX")
    or shutil.which("firefox-esr")
    or shutil.which("firefox")
    or ""
)
NO_FIREFOX = ""  # why there is none
if find_spec("websockets") is None:
    NO_FIREFOX = "not installed: websockets"
elif not FIREFOX:
    NO_FIREFOX = "no Firefox on this machine"

CLICK = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
TAB, CONTROL = "\ue004", "\ue009"  # as WebDriver names keys
SECONDS = 30  # that one answer may take
_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_PREFERENCES = Path(__file__).with_suffix(".prefs")


def in_time(expression: str) -> str:
    """Return a JavaScript expression that waits until ``expression`` is true."""
    return f"""(async () => {{
      const end = Date.now() + {SECONDS * 500};
      while (Date.now() < end) {{
        const found = await ({expression});
        if (found) return found;
        await new Promise((go) => setTimeout(go, 30));
      }}
      throw new Error({json.dumps(f"in vain: {expression}")});
    }})()"""


def middle_of(selector: str) -> str:
    """Return a JavaScript expression for the middle of the first visible match of ``selector``."""
    return f"""(() => {{
      const shown = [...document.querySelectorAll({json.dumps(selector)})].find(
        (element) => element.checkVisibility());
      if (!shown) return null;
      shown.scrollIntoView({{ block: "center", behavior: "instant" }});
      const box = shown.getBoundingClientRect();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2].map(Math.round);
      return {{ x, y }};
    }})()"""


def keys_pressed(*keys: str, holding: str) -> list[dict[str, str]]:
    """Return the keyboard actions that press keys one after the other, while ``holding`` one."""
    down, up = "keyDown", "keyUp"
    pressed = [*product(keys, (down, up))]
    if holding:
        pressed = [(holding, down), *pressed, (holding, up)]
    return [{"type": kind, "value": key} for key, kind in pressed]


class Firefox:
    """One tab of a Firefox. ``said`` has the console messages of its pages."""

    hears: ClassVar[bool] = True
    is_in_front: ClassVar[bool] = True

    def __init__(self, connection: ClientConnection) -> None:
        """Open the tab."""
        self._connection = connection
        self._numbers = count(1)
        self.said: list[str] = []
        self._call("session.new", capabilities={})
        self._call("session.subscribe", events=["log.entryAdded"])
        self._tab = self._call("browsingContext.create", type="tab")["context"]
        # Only in the tab in front things get the focus.
        self._call("browsingContext.activate", context=self._tab)

    def open(self, address: str) -> None:
        """Go to ``address``, and wait until the page is loaded."""
        self.said.clear()
        self._call("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window, in pixels."""
        viewport = {"width": width, "height": height}
        self._call("browsingContext.setViewport", context=self._tab, viewport=viewport)

    @contextmanager
    def before_each(self, script: str) -> Iterator[None]:
        """During the body, run a function in every opened page before the page's own scripts."""
        added = self._call(
            "script.addPreloadScript", functionDeclaration=script, contexts=[self._tab]
        )
        yield
        self._call("script.removePreloadScript", script=added["script"])

    def ask(self, expression: str) -> Any:
        """Return the JSON value of a JavaScript expression. Promises are awaited."""
        result = self._call(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression}) ?? null))()",
            target={"context": self._tab},
            awaitPromise=True,
        )
        if result["type"] == "exception":
            raise AssertionError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def wait_for(self, expression: str) -> Any:
        """Wait until an expression is true, and return its value. Raises AssertionError."""
        return self.ask(in_time(expression))

    def press(self, *keys: str, holding: str = "") -> None:
        """Press keys, one after the other: letters, or WebDriver's code points."""
        self._act("key", *keys_pressed(*keys, holding=holding))

    def point_at(self, selector: str) -> None:
        """Move the mouse to the middle of the first visible match of ``selector``."""
        middle = self.wait_for(middle_of(selector))
        self._act("pointer", {"type": "pointerMove", **middle})

    def click(self, selector: str) -> None:
        """Click the middle of the first visible match of ``selector``."""
        self.point_at(selector)
        self._act("pointer", *CLICK)

    def _act(self, device: str, *actions: dict[str, Any]) -> None:
        """Perform actions of the mouse ("pointer") or the keyboard ("key")."""
        source = {"type": device, "id": device, "actions": actions}
        self._call("input.performActions", context=self._tab, actions=[source])

    def _call(self, method: str, **params: Any) -> Any:
        """Return the result of a command. Raises AssertionError with Firefox's error message."""
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": params}
        self._connection.send(json.dumps(command))
        while True:
            answer = json.loads(self._connection.recv(timeout=SECONDS))
            if answer.get("method") == "log.entryAdded":
                self._hear(answer["params"])
            elif answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def _hear(self, entry: dict[str, Any]) -> None:
        if entry["level"] in ("error", "warn"):
            self.said.append(entry["text"])


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """Yield a Firefox whose profile is the empty folder ``profile``."""
    from websockets.sync.client import connect

    profile.mkdir(parents=True, exist_ok=True)
    shutil.copy(_PREFERENCES, profile / "user.js")
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(profile)]
    with subprocess.Popen(
        [*command, "--remote-debugging-port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(profile)},
    ) as process:
        try:
            assert process.stderr is not None
            found = filter(None, map(_LISTENING.search, process.stderr))
            address = f"{next(found)[1]}/session"
            with connect(address, max_size=None, proxy=None) as connection:
                yield Firefox(connection)
        finally:
            process.terminate()
