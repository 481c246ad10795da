"""One request to a model's endpoint: what may come back, and what is told of it."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import httpx2
import pytest
from draft_models import DRIP, EXCHANGES, STRANGE_COUNTS, Exchange, model_server
from hypothesis import given
from hypothesis import strategies as st

from pipeline.adapters.chat import Budget, ChatClient, OutOfBudgetError, Reply
from pipeline.config.settings import DraftPolicy
from pipeline.errors import ConfigError, EndpointError, PipelineError

pytestmark = [pytest.mark.usefixtures("only_localhost", "no_waiting")]

Answer = Callable[[httpx2.Request], httpx2.Response]

KEY = "sk-test-1234567890"
URL = "https://model.example/v1"
ASKED = {"role": "user", "content": '{"text": [{"id": "a", "en": "Hi"}]}'}
BODY = json.dumps({"messages": [ASKED], "max_tokens": 50}).encode()
BOUND = len(BODY) + 50
CHOICE = {"message": {"content": "译"}, "finish_reason": "stop"}
GOOD = {"choices": [CHOICE], "usage": {"prompt_tokens": 7, "total_tokens": 10}}


@contextmanager
def client_of(
    answer: Answer | None = None,
    *,
    url: str = URL,
    key: str = KEY,
    timeout: int = 5,
    limit: int = 0,
) -> Iterator[ChatClient]:
    """A client that ``answer`` answers, without any socket, or else the server at ``url``."""

    def stream(request: httpx2.Request) -> httpx2.Response:
        assert answer
        whole = answer(request)
        # As it comes from a socket: still to be read.
        body = httpx2.ByteStream(whole.content)
        return httpx2.Response(whole.status_code, headers=whole.headers, stream=body)

    policy = DraftPolicy(url=url, model="m", timeout=timeout, tries=2, budget_tokens=limit)
    transport = httpx2.MockTransport(stream) if answer else None
    with closing(ChatClient(policy, key, transport)) as client:
        yield client


def ask(answer: Answer | None = None, **options: Any) -> Reply:
    with client_of(answer, **options) as client:
        return client.ask(BODY)


def answering(status: int, **content: object) -> Answer:
    return lambda _: httpx2.Response(status, **content)  # type: ignore[arg-type]


def test_a_request_has_our_headers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the client of OpenAI looks for variables of its own."""
    for name in ("API_KEY", "ADMIN_KEY", "BASE_URL", "ORG_ID", "PROJECT_ID", "LOG"):
        monkeypatch.setenv(f"OPENAI_{name}", "https://evil.example")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Evil: yes\nAuthorization: evil")
    before = dict(os.environ)
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(200, json=GOOD)

    assert ask(answer) == Reply(text="译", tokens=10)
    assert ask(answer, key="").text == "译"
    with_key, without = asked
    assert str(with_key.url) == f"{URL}/chat/completions"
    assert dict(with_key.headers) == {
        "host": "model.example",
        "content-length": str(len(BODY)),
        "accept": "application/json",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "user-agent": "jax-docs-zh",
        "authorization": f"Bearer {KEY}",
    }
    assert "authorization" not in without.headers
    assert with_key.content == BODY
    assert dict(os.environ) == before


CUT = {"choices": [{**CHOICE, "finish_reason": "length"}]}
REPLIES: tuple[tuple[Mapping[str, object], Reply], ...] = (
    *(({"usage": {"total_tokens": n}}, Reply(text="译")) for n in (True, 1e9, -1)),
    ({"usage": None}, Reply(text="译")),
    (CUT, Reply(text="译", tokens=10, is_cut=True)),
)


@pytest.mark.parametrize(("change", "reply"), REPLIES)
def test_a_reply_may_lack_its_counts(change: Mapping[str, object], reply: Reply) -> None:
    assert ask(answering(200, json={**GOOD, **change})) == reply


def test_half_of_a_surrogate_pair_stays_an_escape() -> None:
    content = b'{"choices": [{"message": {"content": "{\\"a\\": \\"\\ud800\\"}"}}]}'
    assert ask(answering(200, content=content)).text == '{"a": "\\ud800"}'


NO_REPLIES: tuple[object, ...] = (
    [], {}, "text", False, {"choices": []}, {"choices": [{}]}, {"choices": {"message": 1}},
    {"choices": [{"message": {"content": None}}]}, {"choices": [{"message": {"content": ["译"]}}]},
)  # fmt: skip


@pytest.mark.parametrize("value", NO_REPLIES)
def test_json_without_a_reply_is_tried_again_and_told(value: object) -> None:
    with client_of(answering(200, json=value)) as client:
        with pytest.raises(EndpointError, match="not a model's reply"):
            client.ask(BODY)
        budget = client.budget
    # Both may have cost as much as they could.
    assert (budget.calls, budget.spent, budget.uncounted) == (2, 2 * BOUND, 2)


@pytest.mark.parametrize(
    ("status", "kind", "words", "calls"),
    [
        (400, EndpointError, "parameters", 1),
        (413, EndpointError, "parameters", 1),
        (422, EndpointError, "parameters", 1),
        (401, ConfigError, "Check the key", 1),
        (403, ConfigError, "Check the key", 1),
        (404, ConfigError, "url and model", 1),
        (405, EndpointError, "Check url", 1),
        (402, EndpointError, "run again", 1),
        (408, EndpointError, "run again", 2),
        (429, EndpointError, "run again", 2),
        (500, EndpointError, "run again", 2),
        (529, EndpointError, "run again", 2),
    ],
)
def test_each_status_has_its_error(
    status: int, kind: type[PipelineError], words: str, calls: int
) -> None:
    error = {"error": {"message": f"this\nis why, {KEY}"}}
    with client_of(answering(status, json=error)) as client:
        with pytest.raises(kind) as raised:
            client.ask(BODY)
        budget = client.budget
    assert type(raised.value) is kind
    for expected in (str(status), "this is why, [key]", words):
        assert expected in str(raised.value)
    assert (budget.calls, budget.spent) == (calls, 0)  # nothing was written


def test_an_endpoints_own_words_are_cut() -> None:
    error = {"error": {"message": "x" * 5000}}
    with pytest.raises(EndpointError) as raised:
        ask(answering(500, json=error))
    assert len(raised.value.what) < 300


def test_the_key_is_told_nowhere() -> None:
    """An endpoint may repeat it wherever it likes."""
    shown, location = [], {"location": f"https://a.example/{KEY}"}
    for status in (200, 302, 400, 401, 404, 418, 500):
        for content in (f"your key is {KEY}", f'{{"error": "{KEY}"}}'):
            with pytest.raises(PipelineError) as raised:
                ask(answering(status, content=content, headers=location))
            shown.append(f"{raised.value} {raised.value!r} {raised.getrepr()}")

    def fail(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError(f"no way with {KEY}", request=request)

    with pytest.raises(EndpointError) as raised:
        ask(fail)
    shown.append(str(raised.value))
    assert [text for text in shown if KEY in text.replace("KEY = ", "")] == []
    choice = {"message": {"content": f"用 {KEY}"}}
    assert ask(answering(200, json={"choices": [choice]})).text == "用 [key]"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_refused(status: int) -> None:
    """Also one to the same host: the key goes where the configuration says."""
    hosts = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        hosts.append(request.url.host)
        return httpx2.Response(status, headers={"location": "https://evil.example/v1"})

    with pytest.raises(ConfigError, match=r"redirects to https://evil\.example"):
        ask(answer)
    assert hosts == ["model.example"]


@pytest.mark.parametrize("key", ["two words", "a\nb", "ключ", "a\x00"])
def test_a_key_that_cannot_be_sent_is_told_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError, match="invalid characters") as raised:
        ask(answering(200, json=GOOD), key=key)
    assert key not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/v1",
        "http://127.0.0.1:8000/v1",
        "http://[::1]:8000/v1",
        "http://localhost:11434/v1",
    ],
)
def test_a_key_is_sent_encrypted_or_to_this_machine(url: str) -> None:
    assert ask(answering(200, json=GOOD), url=url).text


@pytest.mark.parametrize("host", ["a.example", "192.168.1.2", "localhost.example"])
def test_a_key_is_not_sent_without_encryption(host: str) -> None:
    good, url = answering(200, json=GOOD), f"http://{host}/v1"
    with pytest.raises(ConfigError, match="without encryption"):
        ask(good, url=url)
    assert ask(good, url=url, key="").text


@pytest.mark.parametrize(
    ("error", "words", "spent"),
    [
        (httpx2.ConnectTimeout, "cannot be reached: why", 0),
        (httpx2.ConnectError, "cannot be reached: why", 0),
        (httpx2.WriteError, "gives no reply: why", 2 * BOUND),
        (httpx2.ReadTimeout, "gives no reply: why", 2 * BOUND),
    ],
)
def test_each_fault_of_a_connection_is_told(
    error: type[httpx2.RequestError], words: str, spent: int
) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise error("why", request=request)

    with client_of(fail) as client, pytest.raises(EndpointError, match=words):
        client.ask(BODY)
    assert (client.budget.calls, client.budget.spent) == (2, spent)


# Real connections.


@pytest.mark.parametrize("name", sorted(EXCHANGES))
def test_each_misbehaviour_is_tried_again_and_told(name: str) -> None:
    """A fault that stays is an error after all tries; behind one that passes is a reply."""

    def pass_by(exchange: Exchange) -> None:
        if exchange.number > 2:
            exchange.well()
        else:
            EXCHANGES[name](exchange)

    with model_server(pass_by) as server:
        with pytest.raises(EndpointError) as raised:
            ask(url=server.url)
        assert len(server.bodies) == 2
        assert raised.value.hint
        assert ask(url=server.url).text


@pytest.mark.parametrize("name", ["ten megabytes", "gzip bomb"])
def test_a_large_reply_takes_little_memory(name: str) -> None:
    import tracemalloc

    with model_server(EXCHANGES[name]) as server:
        tracemalloc.start()
        with pytest.raises(EndpointError):
            ask(url=server.url)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 80 << 20  # the server is in this process as well


def say_nothing(_: Exchange) -> None:
    time.sleep(4)


@pytest.mark.parametrize(("behave", "words"), [(DRIP, "too long"), (say_nothing, "gives no reply")])
def test_a_reply_that_does_not_come_in_time_is_given_up(
    behave: Callable[[Exchange], None], words: str
) -> None:
    """Also if each byte of it comes in time."""
    began = time.monotonic()
    with model_server(behave) as server, client_of(url=server.url, timeout=1) as client:
        with pytest.raises(EndpointError, match=words):
            client.ask(BODY)
        assert time.monotonic() - began < 20
    assert client.budget.uncounted == 2


def test_counts_that_are_none_are_taken_at_their_bound() -> None:
    with model_server(STRANGE_COUNTS) as server, client_of(url=server.url) as client:
        assert client.ask(BODY).tokens is None
    assert (client.budget.spent, client.budget.uncounted) == (BOUND, 1)


def test_a_missing_server_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    # No proxy is asked: the key would be its to read.
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with model_server(lambda exchange: exchange.well()) as server:
        assert ask(url=server.url).text
        with pytest.raises(EndpointError, match=r"cannot be reached: .*SSL"):
            ask(url=server.url.replace("http://", "https://"))
        assert len(server.bodies) == 1
    with pytest.raises(EndpointError, match="cannot be reached") as raised:
        ask(url=server.url)
    assert "server run" in raised.value.hint


def test_an_endpoint_that_asks_to_wait_is_waited_for() -> None:
    moments: list[float] = []

    def answer(_: httpx2.Request) -> httpx2.Response:
        moments.append(time.monotonic())
        if len(moments) == 1:
            return httpx2.Response(429, headers={"Retry-After": "0.3"})
        return httpx2.Response(200, json=GOOD)

    assert ask(answer).text == "译"
    assert moments[1] - moments[0] >= 0.3
    with pytest.raises(EndpointError):
        ask(answering(429, headers={"Retry-After": "7200"}))


# The budget.


def test_a_request_that_may_not_fit_is_not_sent() -> None:
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(200, content=b"cut")

    # One try fits, and nobody says what it took.
    with pytest.raises(OutOfBudgetError):
        ask(answer, limit=2 * BOUND - 1)
    assert len(asked) == 1
    with pytest.raises(OutOfBudgetError):
        ask(answer, limit=BOUND - 1)
    with client_of(answer) as closed, pytest.raises(OutOfBudgetError):
        closed.budget.close()
        closed.ask(BODY)
    assert len(asked) == 1


def test_a_request_waits_for_what_is_under_way() -> None:
    """That takes less than its bound, and then there is room."""
    budget = Budget(100)
    budget.reserve(60)
    waiting = threading.Thread(target=budget.reserve, args=(60,))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    budget.settle(60, 30)
    waiting.join(5)
    assert (budget.calls, budget.spent) == (2, 30)


@given(
    st.integers(1, 2000),
    st.lists(st.tuples(st.integers(0, 800), st.floats(0, 1)), max_size=30),
)
def test_no_budget_is_overrun(limit: int, requests: list[tuple[int, float]]) -> None:
    budget = Budget(limit)
    for bound, share in requests:
        try:
            budget.reserve(bound)
        except OutOfBudgetError:
            assert budget.spent + bound > limit
        else:
            budget.settle(bound, int(bound * share) if share < 0.9 else None)
    assert budget.spent <= limit
