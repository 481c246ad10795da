"""An OpenAI-compatible chat endpoint: one request, one reply, or an error that says what to do.

It tries nothing twice: whoever calls decides that, for each try may cost. Whatever the endpoint
sends, a reply is bounded in size and in time, no redirect is followed, and the key goes to the
configured host and nowhere else: it is taken out of all that comes back.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pipeline.errors import ConfigError, EndpointError

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 4 << 20  # of a reply: a batch takes some ten thousand
_CONNECT_SECONDS = 20.0
_QUOTED = 200  # characters of an endpoint's own words that are told
_CHECK_URL = "Check url in [tool.pipeline.draft]; it ends before /chat/completions."
# Statuses that may be others the next time; 408, 425 and 529 say that the endpoint is busy.
_PASSING = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529))
_FORBIDDEN = (401, 403)
_UNHELPFUL = (400, 413, 422)  # of this request; another one may do


class PassingError(EndpointError):
    """A request failed in a way that may be another one the next time.

    ``wait`` are the seconds that the endpoint asks for. ``may_cost`` says that it may have written
    a reply which did not arrive.
    """

    def __init__(
        self, what: str, *, hint: str = "", wait: float = 0.0, may_cost: bool = False
    ) -> None:
        super().__init__(what, hint=hint)
        self.wait = wait
        self.may_cost = may_cost


class RequestError(EndpointError):
    """The endpoint does not take this request; it may take others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is, and how long to wait for it. The key is never shown."""

    url: str
    key: str = field(default="", repr=False)
    timeout: float = 180.0

    @property
    def address(self) -> str:
        """What requests are sent to."""
        return f"{self.url.rstrip('/')}/chat/completions"

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model said. Tokens are None where the endpoint does not count them."""

    text: str
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    is_cut: bool = False  # it came to the bound of its length


class ChatClient:
    """Asks one endpoint. Several threads may use it at a time."""

    def __init__(
        self, endpoint: Endpoint, *, transport: httpx.BaseTransport | None = None
    ) -> None:
        """Raises ConfigError for a key that cannot be sent, or not be sent there."""
        import httpx

        _check_key(endpoint)
        self._endpoint = endpoint
        headers = {
            "Accept": "application/json",
            # Nothing that unpacks to more than what was counted.
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "jax-docs-zh",
        }
        if endpoint.key:
            headers["Authorization"] = f"Bearer {endpoint.key}"
        self._client = httpx.Client(
            headers=headers,
            follow_redirects=False,
            timeout=httpx.Timeout(endpoint.timeout, connect=_CONNECT_SECONDS),
            # What is on this machine must not go through a proxy of another one.
            trust_env=not endpoint.is_local,
            transport=transport,
        )

    def close(self) -> None:
        """Give up all connections."""
        self._client.close()

    def ask(self, body: bytes) -> Reply:
        """Send one request and read its reply.

        Raises PassingError, RequestError, EndpointError if the endpoint is of no use at all, and
        ConfigError if what is configured is wrong.
        """
        import httpx

        try:
            data = self._exchange(body)
        except httpx.TransportError as error:
            raise self._transport_error(error) from None
        except httpx.HTTPError as error:
            what = f"no request can be made: {self._quoted(str(error))}"
            raise EndpointError(what, hint=_CHECK_URL) from None
        return _reply_of(data)

    def _exchange(self, body: bytes) -> Any:
        """The JSON of a reply with status 200."""
        deadline = time.monotonic() + self._endpoint.timeout
        request = self._client.stream("POST", self._endpoint.address, content=body)
        with request as response:
            is_good = response.status_code == 200
            text = _read(response, deadline, is_good=is_good)
            # Whoever has the key may say it: nothing of that may come into a catalogue or a log.
            if self._endpoint.key:
                text = text.replace(self._endpoint.key, "[key]")
            if not is_good:
                raise self._status_error(response, text)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            kind = response.headers.get("content-type", "no type")
            raise PassingError(
                f"answers with something that is no JSON ({self._quoted(kind)}):"
                f" {self._quoted(text)}",
                hint=_CHECK_URL,
                may_cost=True,
            ) from None

    def _status_error(self, response: httpx.Response, text: str) -> Exception:
        """What to raise for a status that is not 200."""
        status = response.status_code
        said = self._quoted(_message_of(text))
        what = f"answers {status} {response.reason_phrase}".rstrip()
        if said:
            what = f"{what}: {said}"
        if status in _PASSING:
            return PassingError(
                what,
                hint="Wait some time and run again; what was answered is kept.",
                wait=_seconds(response.headers),
            )
        if status in _UNHELPFUL:
            return RequestError(
                what,
                hint="Look at model, parameters and reply-field in [tool.pipeline.draft].",
            )
        where = self._endpoint.address
        if status in _FORBIDDEN:
            hint = "Check the key in the variable that key-variable names."
            return ConfigError(what, where=where, hint=hint)
        if 300 <= status < 400:
            target = self._quoted(response.headers.get("location", "nowhere"))
            return ConfigError(
                f"leads elsewhere, to {target}; the key is sent to no other place",
                where=where,
                hint="If that is where the model is, write it into [tool.pipeline.draft].",
            )
        if status == 404:
            hint = "Check url and model in [tool.pipeline.draft]: one of them is not there."
            return ConfigError(what, where=where, hint=hint)
        return EndpointError(what, where=where, hint=_CHECK_URL)

    def _transport_error(self, error: httpx.TransportError) -> EndpointError:
        """What to raise for a connection that failed."""
        import httpx

        text = self._quoted(str(error)) or type(error).__name__
        where = self._endpoint.address
        if isinstance(error, httpx.UnsupportedProtocol | httpx.ProxyError):
            return EndpointError(
                f"cannot be reached: {text}", where=where, hint=_CHECK_URL
            )
        if _is_tls(error):
            return EndpointError(
                f"cannot be trusted: {text}",
                where=where,
                hint="Its certificate is not valid here; SSL_CERT_FILE may name one that is.",
            )
        if isinstance(
            error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout
        ):
            return PassingError(
                f"cannot be reached: {text} ({where})",
                hint="Is there a network, and is the server running?",
            )
        # Something was sent: nobody knows whether it was read, and paid for.
        return PassingError(
            f"broke off: {text}",
            hint="Run again; raise timeout in [tool.pipeline.draft] if it takes longer.",
            may_cost=True,
        )

    def _quoted(self, text: str) -> str:
        """The endpoint's own words, on one line, without the key."""
        if self._endpoint.key:
            text = text.replace(self._endpoint.key, "[key]")
        return " ".join(text.split())[:_QUOTED]


def _check_key(endpoint: Endpoint) -> None:
    """Raise ConfigError for a key that cannot be a header, or that others could read."""
    key = endpoint.key
    if not key:
        return
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(
            "the key of the model has characters that no key has",
            hint="Copy it again into its variable, without spaces and line ends.",
        )
    if urlsplit(endpoint.url).scheme != "https" and not endpoint.is_local:
        raise ConfigError(
            "the key of the model would be sent without encryption",
            where=endpoint.address,
            hint="Use https, or leave out key-variable if the endpoint needs none.",
        )


def _read(response: httpx.Response, deadline: float, *, is_good: bool) -> str:
    """The body of a response, as far as it is bounded in size and time. Raises PassingError."""
    if response.headers.get("content-encoding", "identity") != "identity":
        what = "sends a reply in an encoding that was not asked for"
        raise PassingError(what, hint=_CHECK_URL, may_cost=is_good)
    data = bytearray()
    for chunk in response.iter_raw():
        data += chunk
        if len(data) > MOST_BYTES:
            what = f"sends a reply of more than {MOST_BYTES >> 20} MiB"
            raise PassingError(what, hint=_CHECK_URL, may_cost=is_good)
        if time.monotonic() > deadline:
            raise PassingError(
                "takes too long",
                hint="Raise timeout in [tool.pipeline.draft], or lower batch.",
                may_cost=is_good,
            )
    return data.decode("utf-8", "replace")


def _reply_of(data: Any) -> Reply:
    """The reply in the JSON of a response. Raises PassingError."""
    try:
        choice = data["choices"][0]
        text = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        text = None
        choice = {}
    if not isinstance(text, str):
        what = "answers with JSON that holds no reply"
        raise PassingError(what, hint=_CHECK_URL, may_cost=True)
    usage = data.get("usage")
    if not isinstance(usage, Mapping):
        usage = {}
    return Reply(
        # JSON may hold half of a surrogate pair, which no file can: it stays an escape.
        text=text.encode("utf-8", "backslashreplace").decode("utf-8"),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        reply_tokens=_count(usage.get("completion_tokens")),
        is_cut=choice.get("finish_reason") == "length",
    )


def _count(value: object) -> int | None:
    """A number of tokens, if it is one."""
    is_count = type(value) is int and 0 <= value < 1 << 40
    return value if is_count else None  # type: ignore[return-value]


def _message_of(text: str) -> str:
    """What an endpoint says of an error: its JSON has a place for that, most of the time."""
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return text
    if isinstance(error, Mapping):
        error = error.get("message", text)
    return str(error)


def _seconds(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float:
    """How long an endpoint wants us to wait: ``Retry-After`` of RFC 9110, seconds or a date."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    # "nan" and "inf" are numbers to float().
    return min(max(seconds, 0.0), 86_400.0) if seconds == seconds else 0.0


def _is_tls(error: BaseException | None) -> bool:
    """Whether a certificate, or what encrypts, is behind an error."""
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return "CERTIFICATE_VERIFY_FAILED" in str(error)
