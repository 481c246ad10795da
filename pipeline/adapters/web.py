"""Local web server for one person, based on starlette, uvicorn and watchfiles.

The command ``serve`` runs this server. Actions receive and return JSON; pages are HTML. If an
action raises a ``PipelineError``, the server returns the error as its response.

Invariant: only the person who started the server can use it.

- The address contains a secret.
- A request must name this machine as its host, which prevents DNS rebinding.
- Requests from pages of other sites are refused.
- A policy in the headers lets browsers run the server's own script only, so that texts from a
  catalogue cannot run code.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from pipeline.errors import ConfigError, PipelineError
from pipeline.limits import REQUEST_BYTES

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"

_EVERYWHERE = {
    "cache-control": "no-store",  # keeps the secret and the texts out of caches
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",  # links must not reveal the address
    "x-content-type-options": "nosniff",
}
_EDITOR = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# Policy for pages of the docs: they need their styles, but their HTML is not trusted.
_PAGE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-same-origin"
)
# Allowed values of the header Sec-Fetch-Site, which old browsers do not send.
_SAME = (None, "same-origin", "none")
_UNPROCESSABLE = 422
_PATIENCE = 2  # seconds that a stopping server waits for requests in progress
# Modules that a server would import only when it needs them; see ``load``.
_NEEDED = (
    "starlette.applications",
    "starlette.staticfiles",
    "uvicorn.protocols.http.auto",
    "watchfiles",
)
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


class Guard:
    """Middleware that only accepts requests from the person who started the server.

    ``port`` and ``token`` (the secret) are parts of the server's address. The application ``app``
    receives paths without the token.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it to the application. An ASGI server calls this method."""
        if scope["type"] == "websocket":  # the application has none
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        path: str = scope["path"]
        is_page = path.startswith(f"/{self._token}/frame/")

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                policy = _PAGE if is_page else _EDITOR
                headers = {**_EVERYWHERE, "content-security-policy": policy}
                for name, value in headers.items():
                    message["headers"].append((name.encode(), value.encode()))
            await send(message)

        if refusal:
            await _refuse(guarded, *refusal)
            return
        inner = path.removeprefix(f"/{self._token}")
        await self._app({**scope, "path": inner, "raw_path": None}, receive, guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the HTTP status and the reason for refusing a request, or None to accept it."""
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        asked = {name: value.decode("latin-1") for name, value in headers.items()}
        if asked.get("host") not in self._hosts:
            return 421, "This server answers to 127.0.0.1 and localhost only."
        if not self._is_of_this_site(scope["method"], asked):
            return 403, "Requests from other sites are refused."
        _, token, *rest = [*scope["path"].split("/"), ""][:3]
        if not secrets.compare_digest(token.encode(), self._token.encode()) or not rest:
            return (
                404,
                "Open the address that the terminal shows: it changes each time.",
            )
        if int(asked.get("content-length", "0") or 0) > REQUEST_BYTES:
            return 413, "The request is too long."
        return None

    def _is_of_this_site(self, method: str, headers: Mapping[str, str]) -> bool:
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            return False
        # Browsers send the origin with every request that may change something.
        if method not in ("GET", "HEAD") and origin is None:
            return False
        return headers.get("sec-fetch-site") in _SAME


async def _refuse(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


class Site(Struct, frozen=True, kw_only=True):
    """Content of a server: pages of the docs, and actions."""

    frame: Callable[[str], str]  # returns the HTML of the page with this name
    actions: Mapping[str, Callable[[Any], Any]]  # functions from JSON to JSON, by name
    # Returns the Chinese version of a sentence in an error, if there is one.
    chinese: Callable[[str], str]


def application(static: Path, site: Callable[[], Site], *, port: int, token: str) -> Guard:
    """Return the guarded application, which only answers requests below ``/TOKEN/``.

    ``static`` is the folder with the editor's HTML page and its files. ``site`` returns the content
    and is called for each request. Its first call may be slow; the files of ``static`` are served
    meanwhile.
    """
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import FileResponse, HTMLResponse, JSONResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    async def index(_: Request) -> Response:
        return FileResponse(static / "index.html")

    async def frame(request: Request) -> Response:
        made = await run_in_threadpool(site)
        try:
            name = request.path_params["page"]
            return HTMLResponse(await run_in_threadpool(made.frame, name))
        except PipelineError as error:
            return JSONResponse(_error_json(error, made.chinese), _UNPROCESSABLE)

    async def action(request: Request) -> Response:
        made = await run_in_threadpool(site)
        function = made.actions.get(request.path_params["name"])
        if function is None:
            return JSONResponse({"error": "there is no such action"}, 404)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > REQUEST_BYTES:  # the content-length header may be wrong
                return JSONResponse({"error": "the request is too long"}, 413)
        try:
            words = json.loads(body)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the request is not JSON"}, 400)
        try:
            answer = await run_in_threadpool(function, words)
        except PipelineError as error:
            return JSONResponse(_error_json(error, made.chinese), _UNPROCESSABLE)
        # json.dumps escapes lone surrogates ("\ud83d"), which a catalogue may contain.
        return HTMLResponse(json.dumps(answer), media_type="application/json")

    routes = [
        Route("/", index),
        Route("/frame/{page:path}", frame),
        Route("/api/{name}", action, methods=["POST"]),
        Mount("/static", StaticFiles(directory=static)),
    ]
    return Guard(Starlette(routes=routes), port=port, token=token)


def _error_json(error: PipelineError, chinese: Callable[[str], str]) -> dict[str, Any]:
    """Return an error as JSON in both languages: what happened, where, what to do."""
    return {
        "error": error.what,
        "where": error.where,
        "hint": error.hint,
        "chinese": {"error": chinese(error.what), "hint": chinese(error.hint)},
    }


def bind(port: int) -> socket.socket:
    """Return a socket on ``port`` of this machine; 0 means any free port. Raises ConfigError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise ConfigError(
            f"port {port} cannot be used: {getattr(error, 'strerror', None) or error}",
            hint="Another program may use this port. Give another one, or leave --port out.",
        ) from error
    return listener


def load() -> None:
    """Import the modules that a server needs. Call this before other threads slow imports down."""
    for module in _NEEDED:
        import_module(module)


def serve_on(listener: socket.socket, app: ASGIApp) -> None:
    """Serve ``app`` until the process is interrupted, then shut down gracefully."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,  # the log would contain the token
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def open_browser(address: str) -> bool:
    """Open ``address`` in a browser if this machine has a screen; return whether it was opened."""
    # Without a screen, Python would start a text browser in the terminal.
    has_screen = not sys.platform.startswith("linux") or any(map(os.environ.get, _DISPLAYS))
    return has_screen and webbrowser.open(address)


@contextmanager
def watched(folders: Sequence[Path], report: Callable[[Sequence[Path]], None]) -> Iterator[None]:
    """Inside the context, call ``report`` with the files below ``folders`` that change.

    Changes at about the same time are reported together. The calls come from another thread.
    """
    from watchfiles import watch

    stop = threading.Event()

    def look() -> None:
        for changes in watch(*folders, stop_event=stop, debounce=200, step=50):
            report([Path(path) for _, path in changes])

    thread = threading.Thread(target=look, name="watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_PATIENCE)
