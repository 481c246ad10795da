"""A server on a port of this machine, a browser that is opened on it, folders that are watched."""

from __future__ import annotations

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.adapters.web.guarding import HOST
from pipeline.errors import ConfigError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_PATIENCE = 2  # seconds that answers get which are under way when the server ends
_NEEDED = (
    "starlette.applications",
    "starlette.staticfiles",
    "uvicorn.protocols.http.auto",
    "watchfiles",
)
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def bind(port: int) -> socket.socket:
    """A socket on ``port`` of this machine; 0 is any that is free. Raises ConfigError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise ConfigError(
            f"port {port} cannot be used: {getattr(error, 'strerror', None) or error}",
            hint="Another server may have it. Give another one, or leave --port out.",
        ) from error
    return listener


def load() -> None:
    """Import what a server needs, before another thread wants the interpreter for itself."""
    for module in _NEEDED:
        import_module(module)


def serve_on(listener: socket.socket, app: ASGIApp) -> None:
    """Serve ``app`` until the process is interrupted, which ends it as it should."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,  # it would show the token
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def open_browser(address: str) -> bool:
    """Open a browser with a window, if this machine has one; whether it did."""
    # On a terminal without a screen Python would start a browser for text, in that terminal.
    has_screen = not sys.platform.startswith("linux") or any(
        map(os.environ.get, _DISPLAYS)
    )
    return has_screen and webbrowser.open(address)


@contextmanager
def watched(
    folders: Sequence[Path], tell: Callable[[Sequence[Path]], None]
) -> Iterator[None]:
    """Tell of files below ``folders`` that change while the body is at work."""
    from watchfiles import watch

    stop = threading.Event()

    def look() -> None:
        for changes in watch(*folders, stop_event=stop, debounce=200, step=50):
            tell([Path(path) for _, path in changes])

    thread = threading.Thread(target=look, name="watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_PATIENCE)
