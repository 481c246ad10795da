"""Who may ask the workbench: only the person at this machine, by the address that was printed."""

from __future__ import annotations

import socket
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from starlette.testclient import TestClient

from pipeline.adapters import web
from pipeline.adapters.web import HOST, Site, application
from pipeline.errors import ConfigError, InputError
from pipeline.limits import REQUEST_BYTES

TOKEN = "a-secret"
BASE = f"http://{HOST}:8000"
OURS = {"origin": BASE}


class Asked:
    """A site that remembers what it was asked."""

    def __init__(self) -> None:
        self.words: list[Any] = []

    def write(self, words: Any) -> Any:
        self.words.append(words)
        return {"told": words}

    def fails(self, _: Any) -> Any:
        raise InputError("is malformed", where="page.po:3", hint="Mend it.")


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def client(asked: Asked, tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "index.html").write_text("<p>editor</p>")

    def frame(page: str) -> str:
        if page == "broken":
            raise InputError("is malformed", where="page.po:3")
        return f"<p>{page}</p>"

    actions = {"write": asked.write, "fail": asked.fails}
    site = Site(frame=frame, actions=actions, chinese=lambda text: f"（{text}）")
    app = application(tmp_path, lambda: site, port=8000, token=TOKEN)
    with TestClient(app, base_url=BASE) as client:
        yield client


def test_who_has_the_address_is_answered(client: TestClient, asked: Asked) -> None:
    assert client.get(f"/{TOKEN}/").text == "<p>editor</p>"
    assert client.get(f"/{TOKEN}/frame/a/b").text == "<p>a/b</p>"
    # Half a character is what a catalogue may hold.
    words = b'{"a": "\\ud83d"}'
    answer = client.post(f"/{TOKEN}/api/write", content=words, headers=OURS)
    assert answer.json() == {"told": {"a": "\ud83d"}}
    assert len(asked.words) == 1


STRANGERS: tuple[tuple[dict[str, str], int], ...] = (
    # A name that somebody points at 127.0.0.1 (DNS rebinding).
    *(({"host": host}, 421) for host in ("evil.example:8000", "evil.example", "")),
    *(({"host": host}, 421) for host in ("127.0.0.1", "127.0.0.1:8001")),
    *(({"origin": url}, 403) for url in ("https://evil.example", "null")),
    ({"origin": f"http://{HOST}:8001"}, 403),
    *(({"sec-fetch-site": site}, 403) for site in ("cross-site", "same-site")),
)


@pytest.mark.parametrize(("headers", "status"), STRANGERS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_others_are_refused_though_they_know_the_token(
    client: TestClient, asked: Asked, headers: dict[str, str], status: int, method: str
) -> None:
    words = {**OURS, **headers}
    path = "api/write" if method == "POST" else ""
    answer = client.request(method, f"/{TOKEN}/{path}", headers=words, content=b"{}")
    assert answer.status_code == status
    # What may change something must say where it comes from.
    assert client.post(f"/{TOKEN}/api/write", json={}).status_code == 403
    assert asked.words == []


@pytest.mark.parametrize(
    "path",
    f"/ /index.html /api/write /wrong/api/write /{TOKEN}x/api/write /{TOKEN} "
    f"//{TOKEN}/api/write /é/".split(),
)
def test_nothing_without_the_token(client: TestClient, asked: Asked, path: str) -> None:
    assert client.post(path, json={}, headers=OURS).status_code == 404
    assert client.get(path).status_code == 404
    assert asked.words == []


@pytest.mark.parametrize(
    "path", "../../../etc/passwd %2e%2e/%2e%2e/a.toml /etc/passwd ..%2fa.toml".split()
)
def test_files_elsewhere_cannot_be_read(client: TestClient, path: str) -> None:
    assert client.get(f"/{TOKEN}/static/{path}").status_code == 404


def test_every_answer_says_what_may_run(client: TestClient) -> None:
    for path in (f"/{TOKEN}/", f"/{TOKEN}/frame/a", "/", f"/{TOKEN}/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe-eval" not in policy
        assert "script-src 'unsafe-inline'" not in policy
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
    frame = client.get(f"/{TOKEN}/frame/a").headers["content-security-policy"]
    assert "sandbox allow-same-origin" in frame
    assert "script-src" not in frame


def test_sockets_of_pages_are_closed(client: TestClient) -> None:
    from starlette.websockets import WebSocketDisconnect

    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(f"/{TOKEN}/api/write", headers=OURS),
    ):
        pass


@pytest.mark.parametrize(
    ("name", "content", "status", "told"),
    [
        ("none", b"{}", 404, "no such action"),
        ("write", b"{", 400, "not JSON"),
        ("write", b"\xff", 400, "not JSON"),
        ("write", b"[" * 100_000, 400, "not JSON"),
        ("fail", b"{}", 422, "is malformed"),
        ("write", b" " * (REQUEST_BYTES + 1), 413, "too long"),
    ],
)
def test_bad_questions_have_an_answer(
    client: TestClient, name: str, content: bytes, status: int, told: str
) -> None:
    answer = client.post(f"/{TOKEN}/api/{name}", content=content, headers=OURS)
    assert answer.status_code == status
    assert told in answer.text


def test_errors_are_told_in_both_languages(client: TestClient) -> None:
    told = client.post(f"/{TOKEN}/api/fail", content=b"{}", headers=OURS).json()
    assert (told["where"], told["error"]) == ("page.po:3", "is malformed")
    assert told["chinese"] == {"error": "（is malformed）", "hint": "（Mend it.）"}


def test_a_long_question_that_does_not_say_so_is_refused(client: TestClient) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            yield b" " * (REQUEST_BYTES // 2)

    answer = client.post(f"/{TOKEN}/api/write", content=pieces(), headers=OURS)
    assert answer.status_code == 413


def test_an_error_of_a_page_names_the_place(client: TestClient) -> None:
    answer = client.get(f"/{TOKEN}/frame/broken")
    assert answer.status_code == 422
    assert answer.json()["where"] == "page.po:3"


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port {port} cannot be used"):
            web.bind(port)


def test_only_this_machine_can_connect() -> None:
    with web.bind(0) as listener:
        assert listener.getsockname()[0] == HOST


def test_without_a_screen_no_browser_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_it(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", open_it)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not web.open_browser(BASE)
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":0")
    assert web.open_browser(BASE)
    assert opened == [BASE]


def test_files_that_change_are_told(tmp_path: Path) -> None:
    told: list[Path] = []
    came = Event()

    def tell(paths: Any) -> None:
        told.extend(paths)
        came.set()

    with web.watched([tmp_path], tell):
        for _ in range(50):  # until the watch has begun
            (tmp_path / "page.po").write_text(str(_))
            if came.wait(0.2):
                break
    assert told[0].name == "page.po"
