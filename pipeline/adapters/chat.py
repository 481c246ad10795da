"""Client of an OpenAI-compatible chat endpoint, within a budget of tokens.

The ``openai`` package retries temporary failures and waits as long as the endpoint asks. It sends
every request through ``ChatClient``, which guards three invariants:

- The key is sent to the configured host only.
- A reply is limited in size and time.
- A request that could exceed the budget is not sent.

A reply costs money, so it is saved as soon as it arrives, unchanged, before it is processed. Its
key is the digest of the request. Damaged files, and files of another ``VERSION``, are ignored.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import msgspec
from msgspec import Struct

from pipeline.adapters.files import read_own, write_atomic
from pipeline.config.settings import DraftPolicy
from pipeline.errors import ConfigError, EndpointError, PipelineError
from pipeline.limits import MEBIBYTE, REPLY_BYTES, Limit

_CONNECT_SECONDS = 20.0
_QUOTED = 200  # maximum number of characters quoted from an endpoint's error
# hosts to which a key may be sent without encryption
_LOCAL = ("localhost", "127.0.0.1", "::1")
_CHECK_KEY = "Check the key in the variable that key-variable names."
# Status codes that point to a mistake in the configuration.
_MISTAKES = {
    401: _CHECK_KEY,
    403: _CHECK_KEY,
    404: "Check url and model in [tool.pipeline.draft]: the endpoint lacks one of them.",
}
# Errors that parsing raises if a response is not a reply of a model.
_NO_REPLY = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class OutOfBudgetError(PipelineError):
    """The request could exceed the budget of tokens."""


class Budget:
    """Budget of tokens for a run, shared by threads; a limit of 0 means no limit.

    Invariant: the tokens spent and the upper bounds of all requests in progress never add up to
    more than the limit.
    """

    def __init__(self, limit: int = 0) -> None:
        self.spent = 0
        self.calls = 0
        # Number of calls whose token count is unknown. ``spent`` contains their upper bounds.
        self.uncounted = 0
        self._limit = limit
        self._under_way = 0
        self._is_closed = False
        self._changed = threading.Condition()

    def reserve(self, bound: int) -> None:
        """Reserve ``bound`` tokens, the most that a request can take; wait until they fit.

        Raises OutOfBudgetError if they do not fit even after all requests in progress have ended.
        """
        with self._changed:
            # A request in progress counts with its upper bound. It usually takes fewer tokens, so
            # there may be room when the request ends.
            while not self._fits(bound) and self._under_way:
                self._changed.wait()
            if not self._fits(bound):
                raise OutOfBudgetError("the budget is used up")
            self._under_way += bound
            self.calls += 1

    def settle(self, bound: int, spent: int | None) -> None:
        """Replace the reserved ``bound`` of a finished request by the tokens that it took.

        If ``spent`` is None, the number is unknown, and the request counts with its bound.
        """
        with self._changed:
            self._under_way -= bound
            self.spent += bound if spent is None else spent
            self.uncounted += spent is None
            self._changed.notify_all()

    def close(self) -> None:
        """Reject all later requests, including retries."""
        self._is_closed = True

    def _fits(self, bound: int) -> bool:
        worst = self.spent + self._under_way + bound
        return not self._is_closed and (not self._limit or worst <= self._limit)


class Reply(Struct, frozen=True, kw_only=True):
    """Reply of a model. ``tokens`` is None if the endpoint does not count them."""

    text: str
    tokens: int | None = None
    is_cut: bool = False  # whether the model stopped at the maximum length of a reply


class ChatClient(httpx2.BaseTransport):
    """Client of one endpoint; several threads may use it.

    A ``ChatClient`` contains a client of the ``openai`` package, which uses it as its transport. So
    every request and response passes through ``handle_request``.
    """

    def __init__(
        self,
        policy: DraftPolicy,
        key: str,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """Create a client. Raises ConfigError if the key is invalid or would be sent unencrypted.

        ``key`` may be empty. Tests pass a ``transport``, which replaces the network.
        """
        _check_key(policy.url, key)
        self.budget = Budget(policy.budget_tokens)
        self._key = key
        self._address = f"{policy.url.rstrip('/')}/chat/completions"
        self._timeout = policy.timeout
        self._transport = transport or httpx2.HTTPTransport(trust_env=False)
        with _without_variables():
            from openai import OpenAI

            self._client = OpenAI(
                api_key=key or "none",  # a placeholder that is never sent
                base_url=policy.url,
                timeout=httpx2.Timeout(policy.timeout, connect=_CONNECT_SECONDS),
                max_retries=policy.tries - 1,
                http_client=httpx2.Client(transport=self, trust_env=False, follow_redirects=False),
            )

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def ask(self, body: bytes) -> Reply:
        """Send a request and return its reply; retry after temporary failures.

        ``body`` is the request in JSON. Raises OutOfBudgetError if the request does not fit into
        the budget, ConfigError if url, model or key is wrong, and EndpointError for any other
        failure.
        """
        from openai import APIConnectionError, APIStatusError

        try:
            response = self._client.post("/chat/completions", cast_to=httpx2.Response, content=body)
        except APIStatusError as error:
            raise self._status_error(error.response, error.message) from None
        except APIConnectionError as error:
            raise self._connection_error(error.__cause__ or error) from None
        reply: Reply = response.extensions["reply"]
        return reply

    def _status_error(self, response: httpx2.Response, text: str) -> PipelineError:
        """Return the error for a response without success; ``text`` is the endpoint's message."""
        status, where = response.status_code, self._address
        if 300 <= status < 400:
            target = self._quoted(response.headers.get("location", "nowhere"))
            return ConfigError(
                f"redirects to {target}; the key is only sent to the configured address",
                where=where,
                hint="If the model is there, write that address into [tool.pipeline.draft].",
            )
        what = self._quoted(text)
        if status in _MISTAKES:
            return ConfigError(what, where=where, hint=_MISTAKES[status])
        return EndpointError(
            what,
            where=where,
            hint="Check url, model and parameters in [tool.pipeline.draft], or wait "
            "some time and run again; answers so far are stored.",
        )

    def _connection_error(self, error: BaseException) -> EndpointError:
        """Return the error for a failed connection or an invalid reply."""
        what = "gives no reply"
        hint = (
            "Check url in [tool.pipeline.draft]: it must end before /chat/completions. "
            "If a reply takes longer, raise timeout or lower batch."
        )
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            what = "cannot be reached"
            hint = "Check that the network works, the server runs and its certificate is valid."
        said = self._quoted(str(error)) or type(error).__name__
        return EndpointError(f"{what}: {said}", where=self._address, hint=hint)

    def _quoted(self, text: str) -> str:
        """Return the endpoint's ``text`` for a message: one line, shortened, without the key."""
        return " ".join(_without(self._key, text).split())[:_QUOTED]

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request once, if the budget permits; return the response, completely read.

        The ``openai`` client calls this for every try. A successful response has its parsed reply
        in ``extensions["reply"]``.
        """
        bound = _most_tokens(request.read())
        self.budget.reserve(bound)
        # Without a reply, nobody knows how many tokens the request took.
        spent: int | None = None
        try:
            response = self._exchange(request)
            reply = response.extensions.get("reply")
            spent = reply.tokens if reply else 0
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            spent = 0  # nothing was sent
            raise
        finally:
            self.budget.settle(bound, spent)
        return response

    def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        headers = {
            "Accept": "application/json",
            # Allow no compression: a small compressed reply could exceed the limit once unpacked.
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "jax-docs-zh",
        }
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        # Replace the headers of ``openai``, because they describe this machine and its Python.
        sent = httpx2.Request(
            "POST",
            request.url,
            headers=headers,
            content=request.content,
            extensions=request.extensions,
        )
        response = self._transport.handle_request(sent)
        try:
            # An endpoint may repeat the key, which must not get into a catalogue or a log.
            text = _without(self._key, self._read(response))
        finally:
            response.close()
        extensions = {"reply": _reply_of(text)} if response.is_success else {}
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            content=text.encode("utf-8"),
            extensions=extensions,
        )

    def _read(self, response: httpx2.Response) -> str:
        """Return the body of a response as text.

        Raises RemoteProtocolError if the body is compressed or too large, and ReadTimeout if it
        takes too long.
        """
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.RemoteProtocolError("the response is compressed, which was not requested")
        deadline = time.monotonic() + self._timeout
        data = bytearray()
        for chunk in response.iter_raw():
            data += chunk
            if len(data) > REPLY_BYTES:
                raise httpx2.RemoteProtocolError(
                    f"the response is larger than {REPLY_BYTES // MEBIBYTE} MiB"
                )
            if time.monotonic() > deadline:
                raise httpx2.ReadTimeout("the response takes too long")
        return data.decode("utf-8", "replace")


class StubClient:
    """Client for ``draft --stub``: answers in this process, without a model or a network.

    ``answer`` returns the text of a reply to a request; ``count`` estimates the tokens of a text.
    """

    def __init__(
        self, answer: Callable[[Mapping[str, Any]], str], count: Callable[[str], float]
    ) -> None:
        self.budget = Budget()
        self._answer = answer
        self._count = count

    def ask(self, body: bytes) -> Reply:
        """Return the reply to a request in JSON; count its tokens and those of the request."""
        request = json.loads(body)
        text = self._answer(request)
        texts = [text, *(message["content"] for message in request["messages"])]
        tokens = round(sum(map(self._count, texts)))
        self.budget.reserve(tokens)
        self.budget.settle(tokens, tokens)
        return Reply(text=text, tokens=tokens)

    def close(self) -> None:
        """Do nothing, because there is no connection."""


@contextmanager
def _without_variables() -> Iterator[None]:
    """Hide ``OPENAI_*`` variables in the context: ``openai`` reads headers and hosts from them."""
    names = [name for name in os.environ if name.startswith("OPENAI_")]
    hidden = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _without(key: str, text: str) -> str:
    return text.replace(key, "[key]") if key else text


def _check_key(url: str, key: str) -> None:
    """Raise ConfigError for a key that an HTTP header cannot contain.

    Also raise ConfigError if the key would be sent to ``url`` without encryption.
    """
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(
            "the key of the model has invalid characters",
            hint="Copy it into its variable again, without spaces and line ends.",
        )
    parts = urlsplit(url)
    if key and parts.scheme != "https" and parts.hostname not in _LOCAL:
        raise ConfigError(
            "the key of the model would be sent without encryption",
            where=url,
            hint="Use https, or leave out key-variable if the endpoint needs none.",
        )


def _most_tokens(body: bytes) -> int:
    """Return the most tokens that a request can take.

    This is the length of the request in bytes, plus the maximum length of the reply in tokens.
    """
    request = json.loads(body)
    most = request.get("max_tokens") or request.get("max_completion_tokens") or 0
    # A token has at least one byte. Endpoints add a few tokens to each message, but the JSON
    # around the texts has more bytes than that.
    return len(body) + int(most)


def _reply_of(text: str) -> Reply:
    """Return the reply in a response's JSON. Raises RemoteProtocolError if there is none."""
    try:
        data = json.loads(text)
        choice = data["choices"][0]
        # JSON may contain a lone surrogate, which UTF-8 cannot encode. Write its escape, "\ud83d".
        content = choice["message"]["content"].encode("utf-8", "backslashreplace")
        tokens = (data.get("usage") or {}).get("total_tokens")
        is_cut = choice.get("finish_reason") == "length"
    except _NO_REPLY:
        what = f"the response is not a model's reply: {text}"
        raise httpx2.RemoteProtocolError(what) from None
    is_count = type(tokens) is int and 0 < tokens < 1 << 40
    return Reply(
        text=content.decode("utf-8"),
        tokens=tokens if is_count else None,
        is_cut=is_cut,
    )


VERSION = 1
# JSON may take six bytes for one byte of the reply.
_LIMIT = Limit(8 * REPLY_BYTES, "bytes")


class KeptReply(Struct, frozen=True, kw_only=True):
    """One stored reply.

    A request asks several questions. ``questions`` maps the short id of each, as the model saw it,
    to the question's key (a digest).
    """

    version: int = VERSION
    attempt: int  # number of the attempt at these questions
    questions: Mapping[str, str]
    text: str


def keep_reply(folder: Path, key: str, reply: KeptReply) -> None:
    """Save the reply to the request ``key`` below ``folder``. Raises WriteError."""
    # Use subfolders, because some systems list thousands of files slowly.
    write_atomic(folder / key[:2] / f"{key}.json", msgspec.json.encode(reply))


def read_replies(folder: Path) -> Iterator[KeptReply]:
    """Yield every valid reply below ``folder``, sorted by key."""
    for path in sorted(folder.glob("*/*.json")):
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            data = read_own(path, _LIMIT)
            reply = msgspec.json.decode(data or b"", type=KeptReply)
            if reply.version == VERSION:
                yield reply
