"""The list of objects that another Sphinx site documents (``objects.inv``), as bytes.

With it, names of the API lead to that site. A site can do without: if it cannot be had, there is no
list and no error. What is in it is read by ``core.inventories``.
"""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

MOST = 16 << 20  # bytes; that of Python takes 140 kB


def fetch_inventory(site: str, *, timeout: float = 10.0) -> bytes | None:
    """What is at the address of an inventory of ``site`` (an URL that ends with a slash).

    None if it cannot be had, for whatever reason; of a large one no more than ``MOST`` bytes.
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
            data: bytes = answer.read(MOST)
    except (OSError, ValueError, http.client.HTTPException):
        return None
    return data
