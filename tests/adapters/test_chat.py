"""One request to a model's endpoint: what may come back, and what is told of it."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from draft_models import DRIP, EXCHANGES, STRANGE_COUNTS, Exchange, model_server

from pipeline.adapters import chat
from pipeline.adapters.chat import (
    ChatClient,
    Endpoint,
    PassingError,
    Reply,
    RequestError,
)
from pipeline.adapters.stub_model import stub_model
from pipeline.core.drafting import pseudo
from pipeline.errors import ConfigError, EndpointError, PipelineError

pytestmark = pytest.mark.usefixtures("only_localhost")

KEY = "sk-test-1234567890"
BODY = json.dumps(
    {"messages": [{"role": "user", "content": '{"text": [{"id": "a", "en": "Hi"}]}'}]}
).encode()
GOOD = {
    "choices": [{"message": {"content": "译"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 3},
}


def ask(
    answer: Callable[[httpx.Request], httpx.Response],
    *,
    url: str = "https://model.example/v1",
    key: str = KEY,
) -> Reply:
    """The reply that ``answer`` gives, without any socket."""

    def stream(request: httpx.Request) -> httpx.Response:
        whole = answer(request)
        # As it comes from a socket: still to be read.
        body = httpx.ByteStream(whole.content)
        return httpx.Response(whole.status_code, headers=whole.headers, stream=body)

    endpoint = Endpoint(url=url, key=key, timeout=5)
    client = ChatClient(endpoint, transport=httpx.MockTransport(stream))
    try:
        return client.ask(BODY)
    finally:
        client.close()


def ask_server(url: str, *, timeout: float = 5.0, body: bytes = BODY) -> Reply:
    client = ChatClient(Endpoint(url=url, key=KEY, timeout=timeout))
    try:
        return client.ask(body)
    finally:
        client.close()


def answering(
    status: int, **content: object
) -> Callable[[httpx.Request], httpx.Response]:
    return lambda _: httpx.Response(status, **content)  # type: ignore[arg-type]


def test_a_reply_is_its_text_and_what_it_took() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, json=GOOD)

    assert ask(answer) == Reply(text="译", prompt_tokens=7, reply_tokens=3)
    (request,) = asked
    assert str(request.url) == "https://model.example/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"
    assert request.content == BODY


def test_without_a_key_none_is_sent() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert "authorization" not in request.headers
        return httpx.Response(200, json=GOOD)

    assert ask(answer, key="").text == "译"


@pytest.mark.parametrize(
    ("change", "reply"),
    [
        ({"usage": None}, Reply(text="译")),
        ({"usage": {"prompt_tokens": True}}, Reply(text="译")),
        ({"usage": {"prompt_tokens": 1e9, "completion_tokens": -1}}, Reply(text="译")),
        (
            {"choices": [{"message": {"content": "译"}, "finish_reason": "length"}]},
            Reply(text="译", prompt_tokens=7, reply_tokens=3, is_cut=True),
        ),
    ],
)
def test_what_else_a_reply_says_may_be_missing(
    change: dict[str, object], reply: Reply
) -> None:
    assert ask(answering(200, json={**GOOD, **change})) == reply


def test_half_of_a_surrogate_pair_stays_an_escape() -> None:
    content = b'{"choices": [{"message": {"content": "{\\"a\\": \\"\\ud800\\"}"}}]}'
    assert ask(answering(200, content=content)).text == '{"a": "\\ud800"}'


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        "text",
        False,
        {"choices": []},
        {"choices": [{}]},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": ["译"]}}]},
        {"choices": {"message": 1}},
    ],
)
def test_json_without_a_reply_is_told(value: object) -> None:
    with pytest.raises(PassingError, match="holds no reply") as raised:
        ask(answering(200, json=value))
    assert raised.value.may_cost


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (400, RequestError, "parameters"),
        (413, RequestError, "parameters"),
        (422, RequestError, "parameters"),
        (401, ConfigError, "Check the key"),
        (403, ConfigError, "Check the key"),
        (404, ConfigError, "url and model"),
        (405, EndpointError, "Check url"),
        (402, EndpointError, "Check url"),
        (201, EndpointError, "Check url"),
        (408, PassingError, "run again"),
        (429, PassingError, "run again"),
        (500, PassingError, "run again"),
        (503, PassingError, "run again"),
        (529, PassingError, "run again"),
    ],
)
def test_each_status_has_its_error(
    status: int, kind: type[PipelineError], words: str
) -> None:
    error = {"error": {"message": "this is why"}}
    with pytest.raises(kind) as raised:
        ask(answering(status, json=error))
    assert type(raised.value) is kind
    assert f"answers {status}" in str(raised.value)
    assert "this is why" in str(raised.value)
    assert words in str(raised.value)
    if isinstance(raised.value, PassingError):
        assert not raised.value.may_cost  # nothing was written


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"plain words", "plain words"),
        (b'{"error": "a text"}', "a text"),
        (b'{"error": {"code": 1}}', '{"error": {"code": 1}}'),
        (b'{"error": {"message": ["x"]}}', "['x']"),
        (b"", "answers 500"),
        ("换行\n\n和空格  ".encode(), "换行 和空格"),
        (b"x" * 5000, "x" * 200),
    ],
)
def test_an_endpoints_own_words_are_told_on_one_line(body: bytes, words: str) -> None:
    with pytest.raises(PassingError) as raised:
        ask(answering(500, content=body))
    assert words in raised.value.what
    assert len(raised.value.what) < 300
    assert "\n" not in raised.value.what


def test_the_key_is_told_nowhere() -> None:
    """An endpoint may repeat it wherever it likes."""
    shown = []
    for status in (200, 400, 401, 404, 418, 500):
        for content in (
            f"your key is {KEY}".encode(),
            f'{{"error": "{KEY}"}}'.encode(),
        ):
            with pytest.raises(PipelineError) as raised:
                ask(answering(status, content=content, headers={"location": KEY}))
            shown.append(f"{raised.value} {raised.value!r} {raised.getrepr()}")
    with pytest.raises(PipelineError) as raised:
        ask(answering(302, headers={"location": f"https://a.example/{KEY}"}))
    shown.append(str(raised.value))

    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(f"no way with {KEY}", request=request)

    with pytest.raises(PassingError) as raised:
        ask(fail)
    shown += [str(raised.value), repr(Endpoint(url="https://a.example", key=KEY))]
    assert [text for text in shown if KEY in text.replace("KEY = ", "")] == []
    reply = ask(
        answering(200, json={"choices": [{"message": {"content": f"用 {KEY}"}}]})
    )
    assert reply.text == "用 [key]"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_refused(status: int) -> None:
    """Also one to the same host: the key goes where the configuration says."""
    hosts = []

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        return httpx.Response(status, headers={"location": "https://evil.example/v1"})

    with pytest.raises(ConfigError, match=r"leads elsewhere, to https://evil\.example"):
        ask(answer)
    assert hosts == ["model.example"]


@pytest.mark.parametrize("key", ["two words", "a\nb", "ключ", "a\x00"])
def test_a_key_that_cannot_be_sent_is_told_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError, match="characters that no key has") as raised:
        ChatClient(Endpoint(url="https://a.example", key=key))
    assert key not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "is_fine"),
    [
        ("https://a.example/v1", True),
        ("http://127.0.0.1:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://localhost:11434/v1", True),
        ("http://a.example/v1", False),
        ("http://192.168.1.2/v1", False),
        ("http://localhost.example/v1", False),
    ],
)
def test_a_key_is_sent_encrypted_or_not_at_all(url: str, is_fine: bool) -> None:
    if is_fine:
        ChatClient(Endpoint(url=url, key=KEY)).close()
    else:
        with pytest.raises(ConfigError, match="without encryption"):
            ChatClient(Endpoint(url=url, key=KEY))
    ChatClient(Endpoint(url=url)).close()


def test_what_is_on_this_machine_goes_through_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The key would be the proxy's to read."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with model_server(lambda exchange: exchange.well()) as server:
        assert ask_server(server.url).text
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("5", 5),
        ("0.5", 0.5),
        ("-3", 0),
        ("nan", 0),
        ("inf", 86_400),
        ("soon", 0),
        ("", 0),
        ("in 90 seconds", 90),
        ("in -90 seconds", 0),
        ("Thu, 99 Foo 2026 99:99:99 GMT", 0),
    ],
)
def test_an_endpoint_may_ask_to_wait(header: str, seconds: float) -> None:
    if header.startswith("in "):
        moment = datetime.now(UTC) + timedelta(seconds=int(header.split()[1]))
        header = format_datetime(moment)
    with pytest.raises(PassingError) as raised:
        ask(answering(429, headers={"Retry-After": header}))
    assert raised.value.wait == pytest.approx(seconds, abs=3)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx.DecodingError, "no request can be made: why"),
        (httpx.ProxyError, "cannot be reached: why"),
        (httpx.UnsupportedProtocol, "cannot be reached: why"),
        (httpx.ConnectTimeout, "cannot be reached: why"),
        (httpx.WriteError, "broke off: why"),
        (httpx.RemoteProtocolError, "broke off: why"),
    ],
)
def test_each_fault_of_a_connection_is_told(
    error: type[httpx.RequestError], words: str
) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise error("why", request=request)

    with pytest.raises(EndpointError) as raised:
        ask(fail)
    assert words in str(raised.value)


# Real connections.


@pytest.mark.parametrize("name", sorted(EXCHANGES))
def test_each_misbehaviour_is_a_passing_error(name: str) -> None:
    with model_server(EXCHANGES[name]) as server, pytest.raises(PassingError) as raised:
        ask_server(server.url)
    assert raised.value.hint
    assert raised.value.exit_code == 3


@pytest.mark.parametrize("name", ["ten megabytes", "gzip bomb"])
def test_a_large_reply_takes_little_memory(name: str) -> None:
    import tracemalloc

    with model_server(EXCHANGES[name]) as server:
        tracemalloc.start()
        with pytest.raises(PassingError):
            ask_server(server.url)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 80 << 20  # the server is in this process as well


def test_a_reply_that_drips_is_given_up() -> None:
    """Each byte comes in time, the reply never does."""
    began = time.monotonic()
    with model_server(DRIP) as server, pytest.raises(PassingError, match="too long"):
        ask_server(server.url, timeout=0.5)
    assert time.monotonic() - began < 5


def test_an_endpoint_that_says_nothing_is_given_up() -> None:
    held = threading.Event()

    def hold(_: Exchange) -> None:
        held.wait(10)

    with model_server(hold) as server:
        with pytest.raises(PassingError, match="broke off") as raised:
            ask_server(server.url, timeout=0.3)
        held.set()
    assert raised.value.may_cost


def test_counts_that_are_none_are_estimated_by_others() -> None:
    with model_server(STRANGE_COUNTS) as server:
        reply = ask_server(server.url)
    assert (reply.prompt_tokens, reply.reply_tokens) == (None, None)


def test_a_server_that_is_not_there_is_told() -> None:
    with model_server(lambda exchange: exchange.well()) as server:
        url = server.url
    with pytest.raises(PassingError, match="cannot be reached") as raised:
        ask_server(url)
    assert not raised.value.may_cost
    assert "running" in raised.value.hint


def test_a_certificate_that_is_not_valid_is_told() -> None:
    """A server that speaks no TLS is the same: nothing was sent."""
    with model_server(lambda exchange: exchange.well()) as server:
        url = server.url.replace("http://", "https://")
        with pytest.raises(EndpointError, match="cannot be trusted") as raised:
            ask_server(url)
    assert not isinstance(raised.value, PassingError)
    assert server.bodies == []


def test_errors_of_tls_are_found_below_others() -> None:
    inner = ssl.SSLCertVerificationError("CERTIFICATE_VERIFY_FAILED")
    outer = httpx.ConnectError("no")
    outer.__cause__ = inner
    assert chat._is_tls(outer)
    assert not chat._is_tls(httpx.ConnectError("no"))


# The stub.


def test_the_stub_answers_and_counts() -> None:
    with stub_model(pseudo.answer, pseudo.count_tokens) as stub:
        reply = ask_server(stub.url)
        with pytest.raises(RequestError, match="no request for drafts"):
            ask_server(stub.url, body=b'{"messages": []}')
    assert json.loads(reply.text) == {"a": pseudo.translate("Hi")}
    assert (stub.calls, stub.prompt_tokens, stub.reply_tokens) == (
        1,
        reply.prompt_tokens,
        reply.reply_tokens,
    )
