"""Access to the files of a published site, in a folder or on a web server.

``open_published`` yields a site. Its function ``read`` returns the bytes of a file, or None if the
file is missing; any other failure is an error. Answers of a server are limited in size and time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct

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


class Published(Struct, frozen=True, kw_only=True):
    """A published site. ``name`` is its folder or address, for messages."""

    name: str
    # Returns the content of the file with a path, or None if it is missing. Raises SiteError.
    read: Callable[[str], bytes | None]


@contextmanager
def open_published(address: str) -> Iterator[Published]:
    """Yield the site at ``address``. Raises ConfigError unless it is a web address or a folder.

    A server may send at most ``PUBLISHED_BYTES`` for a file, and take at most ``SECONDS``.
    """
    if address.lower().startswith(("http://", "https://")):
        import httpx

        # People may copy the address of the home page from their browser.
        root = address.partition("#")[0].partition("?")[0].removesuffix("index.html")
        name = root if root.endswith("/") else f"{root}/"
        # httpx respects NO_PROXY, so that a local server can be reached without a proxy.
        with httpx.Client(
            follow_redirects=True,
            max_redirects=_MOST_REDIRECTS,
            timeout=httpx.Timeout(SECONDS, connect=_CONNECT_SECONDS),
            headers={"User-Agent": "jax-docs-zh"},
        ) as client:
            yield Published(name=name, read=partial(_fetched, client, name))
        return
    folder = Path(address)
    if not folder.is_dir():
        raise ConfigError(
            "is neither a folder nor a web address",
            where=address,
            hint="Name the root of the site: https://… or build/site/NAME",
        )
    yield Published(name=str(folder), read=partial(_read, folder.resolve()))


def _read(folder: Path, path: str) -> bytes | None:
    """Return the content of a file. A link that leads out of the folder counts as missing."""
    file = (folder / path).resolve()
    if not file.is_file() or not file.is_relative_to(folder):
        return None
    return read_bytes(file, limit=PUBLISHED_BYTES)


def _fetched(client: httpx.Client, root: str, path: str) -> bytes | None:
    """Return the content of a file, or None if the server answers 404 or 410.

    Follow up to ``_MOST_REDIRECTS`` redirects. Raises SiteError for any other answer.
    """
    import httpx

    url = f"{root}{quote(path)}"
    try:
        with client.stream("GET", url) as response:
            if response.status_code in _GONE:
                return None
            if response.status_code != httpx.codes.OK:
                raise _error(url, f"answers {response.status_code}")
            return _body(response, url)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise _error(url, f"cannot be read: {reason}") from None


def _body(response: httpx.Response, url: str) -> bytes:
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
