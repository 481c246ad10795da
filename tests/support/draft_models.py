"""Misbehaving endpoints of language models, and answers that no translator would give.

``TEXTS`` has hostile replies: functions that take a request and return the text of a reply.
``model_server`` is a real web server on this machine. ``EXCHANGES`` are the ways in which it fails.
"""

from __future__ import annotations

import json
import random
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from servers import HOST, POLL, running

from pipeline.core.drafting import stub

Request = Mapping[str, Any]
Answers = dict[str, str]
Behave = Callable[["Exchange"], None]


def items_of(request: Request) -> list[dict[str, str]]:
    """Return the messages that a request asks to translate, as ``{"id": …, "en": …}``."""
    batch = json.loads(request["messages"][-1]["content"])
    return [item for item in batch["text"] if "id" in item]


def good(request: Request) -> Answers:
    return dict(json.loads(stub.answer(request)))


def text_of(answers: object) -> str:
    return json.dumps(answers, ensure_ascii=False)


# Texts. Each spoils some or all answers of a good reply.

Spoil = Callable[[Answers, Request, random.Random], object]


def _each(change: Callable[[str, random.Random], str]) -> Spoil:
    """Return a spoiler that changes about every second answer."""

    def spoil(answers: Answers, _: Request, chance: random.Random) -> object:
        for name, answer in answers.items():
            if chance.random() < 0.5:
                answers[name] = change(answer, chance)
        return answers

    return spoil


def _insert(*texts: str) -> Spoil:
    def change(answer: str, chance: random.Random) -> str:
        at = chance.randrange(len(answer) + 1)
        return answer[:at] + chance.choice(texts) + answer[at:]

    return _each(change)


def _replace(*texts: str) -> Spoil:
    return _each(lambda _, chance: chance.choice(texts))


def _around(*pairs: tuple[str, str]) -> Spoil:
    def change(answer: str, chance: random.Random) -> str:
        before, behind = chance.choice(pairs)
        return f"{before}{answer}{behind}"

    return _each(change)


def _without_marks(answer: str, chance: random.Random) -> str:
    mark = f"⟦{chance.randint(1, 3)}⟧"
    return answer.replace(mark, "")


def _other_marks(answer: str, chance: random.Random) -> str:
    return answer.replace(f"⟦{chance.randint(1, 3)}⟧", f"⟦{chance.randint(0, 9999)}⟧")


def _shuffled(answers: Answers, _: Request, chance: random.Random) -> object:
    values = list(answers.values())
    chance.shuffle(values)
    return dict(zip(answers, values, strict=True))


def _shifted(answers: Answers, _: Request, __: random.Random) -> object:
    values = list(answers.values())
    return dict(zip(answers, [*values[1:], values[0]], strict=True))


def _fewer(answers: Answers, _: Request, chance: random.Random) -> object:
    del answers[chance.choice(list(answers))]
    return answers


def _more(answers: Answers, _: Request, __: random.Random) -> object:
    return {**answers, "ffff": "多出来的一条", "__proto__": "x"}


def _english(answers: Answers, request: Request, _: random.Random) -> object:
    return {item["id"]: item["en"] for item in items_of(request)}


def _other_values(answers: Answers, _: Request, chance: random.Random) -> object:
    values: list[object] = [None, 1, True, ["文"], {"zh": "文"}, 1e308, ""]
    return {name: chance.choice(values) for name in answers}


def _obeys(answers: Answers, request: Request, _: random.Random) -> object:
    """Answer with the end of the instructions, as a model does that obeys the page."""
    told = request["messages"][0]["content"]
    return dict.fromkeys(answers, told[-200:])


def _one_for_all(answers: Answers, _: Request, __: random.Random) -> object:
    return dict.fromkeys(answers, "这是一句与原文毫无关系的话，放在哪里都一样。")


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SPOILERS: dict[str, Spoil] = {
    **{name: _insert(*texts) for name, texts in _TABLE["insert"].items()},
    **{name: _replace(*texts) for name, texts in _TABLE["replace"].items()},
    **{name: _around(*pairs) for name, pairs in _TABLE["around"].items()},
    "marks lost": _each(_without_marks),
    "marks invented": _each(_other_marks),
    "marks doubled": _each(lambda answer, _: answer + "⟦1⟧"),
    "controls": _insert("\0", "\x1b[31m", *"\u202e\u2028\ud800\ufeff\x85"),
    "english": _english,
    "obeys": _obeys,
    "long": _each(lambda answer, _: answer + "很长的废话" * 400),
    "sentences": _each(lambda answer, _: f"{answer}。这里还有一句话。以及另一句话。"),
    "shuffled": _shuffled,
    "shifted": _shifted,
    "one for all": _one_for_all,
    "fewer": _fewer,
    "more": _more,
    "other values": _other_values,
}


def _twice(answers: Answers) -> str:
    first = next(iter(answers))
    return text_of(answers)[:-1] + f', {text_of(first)}: "另一个"}}'


# What spoils the reply as a whole.
WHOLES: dict[str, Callable[[Answers], str]] = {
    "twice": _twice,
    "prose": lambda answers: "\n".join(answers.values()),
    "list": lambda answers: text_of(list(answers.values())),
    "cut": lambda answers: text_of(answers)[: len(text_of(answers)) // 2],
    "nothing": lambda _: "",
    "null": lambda _: "null",
    "deep": lambda _: "[" * 100_000,
    "digits": lambda _: "9" * 10_000,
    "two objects": lambda answers: text_of(answers) * 2,
    "comment": lambda answers: f"{text_of(answers)}\n// done",
    "nested": lambda answers: text_of({"translations": answers}),
    "fenced": lambda answers: f"```json\n{text_of(answers)}\n```",
    "thoughts": lambda answers: f"<think>well…\n{{}}</think>\n{text_of(answers)}",
}


def hostile_text(request: Request, chance: random.Random) -> str:
    """Return the text of a reply that is wrong in one or several ways."""
    answers: object = good(request)
    for name in chance.sample(sorted(SPOILERS), k=chance.choice((1, 1, 1, 2, 3))):
        if not isinstance(answers, dict) or not answers:
            break
        texts = {key: value for key, value in answers.items() if isinstance(value, str)}
        answers = SPOILERS[name](texts, request, chance) if texts else answers
    if chance.random() < 0.1 and isinstance(answers, dict) and answers:
        spoil = WHOLES[chance.choice(sorted(WHOLES))]
        return spoil({key: str(value) for key, value in answers.items()})
    return text_of(answers)


# Exchanges over HTTP.


class Exchange(Struct):
    """One request to the server, and the means to reply to it."""

    handler: BaseHTTPRequestHandler
    number: int  # from 1
    body: bytes
    request: Request
    headers: Mapping[str, str]

    def begin(self, status: int = 200, /, **headers: str) -> None:
        """Send the head of a reply. Underscores in names become dashes."""
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()

    def send(self, status: int, data: bytes, /, **headers: str) -> None:
        headers.setdefault("Content_Type", "application/json")
        self.begin(status, Content_Length=str(len(data)), **headers)
        self.handler.wfile.write(data)

    def break_off(self, data: bytes, **headers: str) -> None:
        """Send the beginning of a reply, and close the connection."""
        self.begin(**headers)
        self.handler.wfile.write(data)
        self.handler.close_connection = True

    def reply(self, text: str, *, tokens: int | None = 150) -> None:
        """Send a reply with this text, in the format of OpenAI's API."""
        choice = {"index": 0, "message": {"role": "assistant", "content": text}}
        value: dict[str, Any] = {"choices": [{**choice, "finish_reason": "stop"}]}
        if tokens:
            value["usage"] = {"total_tokens": tokens}
        self.send(200, json.dumps(value).encode())

    def fail(self, status: int, message: str = "", **headers: str) -> None:
        error = json.dumps({"error": {"message": message}})
        self.send(status, error.encode(), **headers)

    def well(self) -> None:
        """Reply with correct answers, those of the stub."""
        self.reply(stub.answer(self.request))


class Server(Struct):
    """Running server, with all requests that it has received."""

    url: str
    bodies: list[bytes] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    # Bodies whose reply went out whole.
    answered: list[bytes] = field(default_factory=list)

    def wait_for_answers(self, count: int, seconds: float = 30) -> int:
        """Wait until the server has sent ``count`` replies. Return how many it has sent.

        This is needed because the client may have a complete reply before the server's thread has
        recorded it.
        """
        end = time.monotonic() + seconds
        while len(self.answered) < count and time.monotonic() < end:
            time.sleep(POLL)
        return len(self.answered)


@contextmanager
def model_server(behave: Behave) -> Iterator[Server]:
    """Yield a running server. For each request it calls ``behave``."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with lock:
                server.bodies.append(body)
                server.headers.append(headers)
                number = len(server.bodies)
            exchange = Exchange(self, number, body, json.loads(body), headers)
            with suppress(BrokenPipeError, ConnectionResetError):
                behave(exchange)
                server.answered.append(body)

        def log_message(self, *_: Any) -> None:
            """Do not print anything."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """Ignore errors: some clients close the connection early."""

    http = Quiet((HOST, 0), Handler)
    with running(http) as address:
        server = Server(url=f"{address}/v1")
        yield server


def _html(exchange: Exchange) -> None:
    page = b"<!doctype html><title>Sign in</title>"
    exchange.send(200, page, Content_Type="text/html")


def _cut_off(exchange: Exchange) -> None:
    exchange.break_off(b'{"choices": [', Content_Length="100000")


def _cut_chunks(exchange: Exchange) -> None:
    exchange.break_off(b'5\r\n{"cho\r\n', Transfer_Encoding="chunked")


def _ten_megabytes(exchange: Exchange) -> None:
    exchange.send(200, b'{"x": "' + b"x" * (10 << 20) + b'"}')


def _drip(exchange: Exchange) -> None:
    """Send a byte now and then, as long as the client reads."""
    exchange.begin(Content_Length="100000")
    for _ in range(600):
        exchange.handler.wfile.write(b" ")
        exchange.handler.wfile.flush()
        time.sleep(0.05)


def _gzip_bomb(exchange: Exchange) -> None:
    import gzip

    data = gzip.compress(b" " * (32 << 20))
    exchange.send(200, data, Content_Encoding="gzip")


def _closes(exchange: Exchange) -> None:
    exchange.handler.close_connection = True
    exchange.handler.connection.close()


def _no_choices(exchange: Exchange) -> None:
    exchange.send(200, b'{"choices": []}')


def _strange_counts(exchange: Exchange) -> None:
    text = stub.answer(exchange.request)
    value = {
        "choices": [{"message": {"content": text}}],
        "usage": {"prompt_tokens": -5, "total_tokens": "many"},
    }
    exchange.send(200, json.dumps(value).encode())


# By name, with whether the run goes on behind it once it is over.
EXCHANGES: dict[str, Behave] = {
    "html": _html,
    "cut off": _cut_off,
    "cut chunks": _cut_chunks,
    "ten megabytes": _ten_megabytes,
    "gzip bomb": _gzip_bomb,
    "closes": _closes,
    "no choices": _no_choices,
    "too many requests": lambda one: one.fail(429, "slow down", Retry_After="0"),
    "server error": lambda exchange: exchange.fail(500, "oops"),
    "overloaded": lambda exchange: exchange.fail(529, "overloaded"),
}
DRIP, STRANGE_COUNTS = _drip, _strange_counts
