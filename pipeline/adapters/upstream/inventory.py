"""The list of objects that another Sphinx site documents (``objects.inv``).

With it, names of the API lead to that site. A site can do without: whatever goes wrong, there is no
list and no error.
"""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

MOST = 16 << 20  # bytes; that of JAX takes 100 kB
_MAGIC = b"# Sphinx inventory version 2\n"


def fetch_inventory(site: str, *, timeout: float = 10.0) -> bytes | None:
    """The inventory of the Sphinx site at ``site`` (an URL that ends with a slash).

    None if it cannot be had, for whatever reason.
    """
    from urllib.request import Request, urlopen

    try:
        # "file:" would read this machine.
        if urlsplit(site).scheme not in ("http", "https"):
            return None
        request = Request(  # noqa: S310 - the scheme is looked at above
            f"{site}objects.inv", headers={"User-Agent": "jax-docs-zh"}
        )
        with urlopen(request, timeout=timeout) as answer:  # noqa: S310
            data: bytes = answer.read(MOST + 1)
    except (OSError, ValueError, http.client.HTTPException):
        return None
    if len(data) > MOST or not data.startswith(_MAGIC):
        return None
    return data
