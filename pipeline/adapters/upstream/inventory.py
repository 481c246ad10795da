"""The list of objects that another Sphinx site documents (``objects.inv``), so that names of the API lead there."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

MOST = 16 << 20  # bytes; that of JAX takes 100 kB
_MAGIC = b"# Sphinx inventory version 2\n"


def fetch_inventory(site: str, *, timeout: float = 10.0) -> bytes | None:
    """The inventory of the Sphinx site at ``site`` (an URL that ends with a slash); None if it cannot be had, for whatever reason."""
    from urllib.request import Request, urlopen

    try:
        if urlsplit(site).scheme not in ("http", "https"):
            return None
        request = Request(f"{site}objects.inv", headers={"User-Agent": "jax-docs-zh"})  # noqa: S310 - the scheme is looked at above
        with urlopen(request, timeout=timeout) as answer:  # noqa: S310
            data: bytes = answer.read(MOST + 1)
    except (OSError, ValueError, http.client.HTTPException):
        return None
    return data if data.startswith(_MAGIC) and len(data) <= MOST else None
