"""Access to the files of a published site, in a folder or on a web server.

``open_published`` yields a site. Its method ``read`` returns the bytes of a file, or None if the
file is missing; any other failure is an error. Answers of a server are limited in size and time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from pipeline.adapters.files import read_bytes
from pipeline.errors import ConfigError, SiteError
from pipeline.limits import PUBLISHED_BYTES

if TYPE_CHECKING:
    import httpx

SECONDS = 60.0  # per file
_CONNECT_SECONDS = 10.0
_MOST_REDIRECTS = 5
_GONE = (404, 410)
_HINT = "Check the address and the network, and run again."


class Published(Protocol):
    """A published site. ``name`` is its folder or address, for messages."""

    name: str

    def read(self, path: str) -> bytes | None:
        """Return the content of the file ``path``, or None if it is missing. Raises SiteError."""


@contextmanager
def open_published(address: str) -> Iterator[Published]:
    """Yield the site at ``address``. Raises ConfigError unless it is a web address or a folder.

    A server may send at most ``PUBLISHED_BYTES`` for a file, and take at most ``SECONDS``.
    """
    if address.lower().startswith(("http://", "https://")):
        import httpx

        # httpx respects NO_PROXY, so that a local server can be reached without a proxy.
        with httpx.Client(
            follow_redirects=True,
            max_redirects=_MOST_REDIRECTS,
            timeout=httpx.Timeout(SECONDS, connect=_CONNECT_SECONDS),
            headers={"User-Agent": "jax-docs-zh"},
        ) as client:
            yield _OnServer(client, address)
        return
    if not Path(address).is_dir():
        raise ConfigError(
            "is neither a folder nor a web address",
            where=address,
            hint="Name the root of the site: https://… or build/site/NAME",
        )
    yield _InFolder(Path(address))


class _InFolder:
    """A site in a folder."""

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._folder = folder.resolve()

    def read(self, path: str) -> bytes | None:
        """Return the content of a file. A link that leads out of the folder counts as missing."""
        file = (self._folder / path).resolve()
        if not file.is_file() or not file.is_relative_to(self._folder):
            return None
        return read_bytes(file, limit=PUBLISHED_BYTES)


class _OnServer:
    """A site on a web server."""

    def __init__(self, client: httpx.Client, address: str) -> None:
        # People may copy the address of the home page from their browser.
        root = address.partition("#")[0].partition("?")[0].removesuffix("index.html")
        self.name = root if root.endswith("/") else f"{root}/"
        self._client = client

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, or None if the server answers 404 or 410.

        Follow up to ``_MOST_REDIRECTS`` redirects. Raises SiteError for any other answer.
        """
        import httpx

        url = f"{self.name}{quote(path)}"
        try:
            with self._client.stream("GET", url) as response:
                if response.status_code in _GONE:
                    return None
                if response.status_code != httpx.codes.OK:
                    raise _error(url, f"answers {response.status_code}")
                return self._body(response, url)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise _error(url, f"cannot be read: {reason}") from None

    def _body(self, response: httpx.Response, url: str) -> bytes:
        """Return the decompressed content. Raises SiteError if it is too large or too slow."""
        deadline = time.monotonic() + SECONDS
        data = bytearray()
        for chunk in response.iter_bytes():
            data += chunk
            if len(data) > PUBLISHED_BYTES.most:
                raise _error(url, f"is larger than {PUBLISHED_BYTES.most >> 20} MiB")
            if time.monotonic() > deadline:
                raise _error(url, f"takes longer than {SECONDS:.0f} seconds")
        return bytes(data)


def _error(url: str, what: str) -> SiteError:
    return SiteError(what, where=url, hint=_HINT)
