"""Who may ask the server, and what browsers may do with its answers.

Only the person who started it: the address has a secret in it, it must be asked for by the name of
this machine (else a name that an attacker points here would do), and not by a page of another site.
What may run is our own script and nothing else, whatever stands in a catalogue.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
LARGEST = 2_000_000  # bytes of a request; no message is that long

_EVERYWHERE = {
    "cache-control": "no-store",  # nothing of the secret or of the texts stays behind
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",  # links must not give the address away
    "x-content-type-options": "nosniff",
}
_EDITOR = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# Upstream's pages bring styles of their own, and HTML that nobody has looked at.
_PAGE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-same-origin"
)
_SAME = (
    None,
    "same-origin",
    "none",
)  # values of Sec-Fetch-Site; old browsers have none


class Guard:
    """Lets through what the person at this machine asks for; ``port`` and ``token`` are in the URL.

    The application behind it sees paths without the token.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before anything is done."""
        if scope["type"] == "websocket":  # nothing here talks that way
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
        """Why a request is refused, with the status; None if it is not."""
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        asked = {name: value.decode("latin-1") for name, value in headers.items()}
        if asked.get("host") not in self._hosts:
            return 421, "This server answers to 127.0.0.1 and localhost only."
        if not self._is_of_this_site(scope["method"], asked):
            return 403, "Another site must not ask this server anything."
        _, token, *rest = [*scope["path"].split("/"), ""][:3]
        if not secrets.compare_digest(token.encode(), self._token.encode()) or not rest:
            return (
                404,
                "Open the address that the terminal shows: it changes each time.",
            )
        if int(asked.get("content-length", "0") or 0) > LARGEST:
            return 413, "That is too long."
        return None

    def _is_of_this_site(self, method: str, headers: Mapping[str, str]) -> bool:
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            return False
        # Browsers name the origin of whatever may change something.
        if method not in ("GET", "HEAD") and origin is None:
            return False
        return headers.get("sec-fetch-site") in _SAME


async def _refuse(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
