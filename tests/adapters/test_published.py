"""Published sites: in folders, and on web servers that do all that servers may do."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import write_tree
from servers import FileHandler, served

from pipeline.adapters import published
from pipeline.adapters.published import open_published
from pipeline.errors import ConfigError, SiteError
from pipeline.limits import Limit

FILES: dict[str, bytes | str] = {
    "a b/中.md": "words",
    "index.html": "<p>",
    "big": b"x" * 5000,
}


ANSWERS: dict[str, dict[str, Any]] = {
    "moved": {"status": 302, "location": "/index.html"},
    "round": {"status": 302, "location": "/round"},
    "away": {"status": 302, "location": "ftp://example.org/"},
    **{str(status): {"status": status} for status in (204, 403, 404, 410, 500)},
    # Less than the limit on its way, and more when it is unpacked.
    "packed": {"data": gzip.compress(b"x" * 3_000_000), "encoding": "gzip"},
    "broken": {"data": b"no gzip at all", "encoding": "gzip"},
    "cut": {"length": 100},
    "slow": {"length": 100, "seconds": 2.0},
}


class _Server(FileHandler):
    """Serves files, and has a path for each thing that may go wrong."""

    def do_GET(self) -> None:  # noqa: N802 - http.server calls it so
        name = self.path.strip("/")
        if name in ANSWERS:
            self._answer(**ANSWERS[name])
        elif name == "drip":
            self._drip()
        else:
            super().do_GET()

    def _answer(
        self,
        *,
        status: int = 200,
        data: bytes = b"x",
        length: int = 0,
        seconds: float = 0.0,
        location: str = "",
        encoding: str = "identity",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Encoding", encoding)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(length or len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
        time.sleep(seconds)
        self.close_connection = True

    def _drip(self) -> None:
        """Send a byte now and then: each is in time, and all together are not."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        try:
            for _ in range(1000):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            self.close_connection = True  # nobody reads it any more


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tree(tmp_path / "site", FILES)
    return tmp_path / "site"


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    with served(folder, _Server) as found:
        yield found


def test_files_of_a_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (folder / "out").symlink_to(tmp_path / "secret")
    with open_published(str(folder)) as site:
        assert site.name == str(folder)
        assert site.read("a b/中.md") == b"words"
        for path in ("gone", "out", "a b", "../secret", str(tmp_path / "secret")):
            assert site.read(path) is None


def test_files_of_a_server(address: str) -> None:
    for name in (address, address[:-1], f"{address}index.html?x=1#y"):
        with open_published(name) as site:
            assert site.name == address
            assert site.read("a b/中.md") == b"words"
            assert site.read("moved") == b"<p>"
            for path in ("gone", "404", "410"):
                assert site.read(path) is None


WRONG = {
    "403": "answers 403", "500": "answers 500", "204": "answers 204", "round": "redirects",
    "away": "cannot be read", "broken": "cannot be read", "cut": "cannot be read",
    "slow": "cannot be read", "packed": "is larger than 2 MiB", "drip": "takes longer than",
}  # fmt: skip


@pytest.mark.parametrize(("path", "told"), WRONG.items())
def test_what_a_server_does_wrong_is_told(
    address: str, path: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "PUBLISHED_BYTES", Limit(2 << 20, "bytes"))
    monkeypatch.setattr(published, "SECONDS", 0.5)
    wrong = pytest.raises(SiteError, match=told)
    with open_published(address) as site, wrong as error:
        site.read(path)
    assert error.value.where == f"{address}{path}"
    assert error.value.exit_code == 3


def test_a_server_that_is_not_there(folder: Path) -> None:
    with served(folder) as gone:
        pass
    with open_published(gone) as site, pytest.raises(SiteError, match="cannot be read"):
        site.read("index.html")


@pytest.mark.parametrize("address", ["http://", "https://[", "http://a\x00b/"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises((SiteError, ConfigError)), open_published(address) as site:
        site.read("index.html")


@pytest.mark.parametrize("address", ["", "gone", "ftp://example.org/", "file:///tmp"])
def test_what_is_neither_folder_nor_address(address: str) -> None:
    neither = pytest.raises(ConfigError, match="neither a folder nor")
    with neither, open_published(f"{address}/nowhere"):
        pass
