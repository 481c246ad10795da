"""A server on this machine that answers as a model's endpoint does, with pseudo-translations.

``--stub`` starts it. It is a real HTTP server, so that all of the loop is real but the model.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "127.0.0.1"
_POLL = 0.05  # seconds until the server sees that it shall stop
_LONGEST = 16 << 20  # bytes of a request

Answer = Callable[[Mapping[str, Any]], str]
Count = Callable[[str], int]


@dataclass(slots=True)
class Stub:
    """A running server: where it is, and what it has done so far."""

    url: str
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cpu_seconds: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, *, prompt: int, reply: int, seconds: float) -> None:
        """Count one answered request."""
        with self.lock:
            self.calls += 1
            self.prompt_tokens += prompt
            self.reply_tokens += reply
            self.cpu_seconds += seconds


@contextmanager
def stub_model(answer: Answer, count: Count) -> Iterator[Stub]:
    """A server while the body runs: ``answer`` makes replies, ``count`` counts their tokens."""

    class Handler(BaseHTTPRequestHandler):
        """Answers one connection."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Answer a request."""
            began = time.thread_time()
            length = min(int(self.headers.get("Content-Length", 0)), _LONGEST)
            try:
                request = json.loads(self.rfile.read(length))
                text = answer(request)
            except ValueError as error:
                self._send(400, {"error": {"message": str(error)}})
                return
            prompt = sum(count(message["content"]) for message in request["messages"])
            reply = count(text)
            self._send(200, _completion(request, text, prompt=prompt, reply=reply))
            seconds = time.thread_time() - began
            stub.count(prompt=prompt, reply=reply, seconds=seconds)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _send(self, status: int, value: Mapping[str, Any]) -> None:
            data = json.dumps(value).encode("ascii")
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    stub = Stub(url=f"http://{HOST}:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(_POLL,), daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _completion(
    request: Mapping[str, Any], text: str, *, prompt: int, reply: int
) -> dict[str, Any]:
    """A reply as OpenAI's API has it."""
    message = {"role": "assistant", "content": text}
    return {
        "object": "chat.completion",
        "model": request.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": reply,
            "total_tokens": prompt + reply,
        },
    }
