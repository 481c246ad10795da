"""The upstream that the configuration names: where it is, and how it is opened.

Here alone is decided from which folder a relative address counts, where the private repository of
an upstream lies, and what to tell when it cannot be reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.adapters.upstream.address import Address, Kind, read_address
from pipeline.adapters.upstream.repository import Repository, open_repository
from pipeline.config import Settings, Upstream, upstream_variable
from pipeline.packages import how_to_run
from pipeline.paths import Paths

CHECK_ADDRESS = "Check the address and the network, and run again."


def address_of(settings: Settings, upstream: Upstream) -> Address:
    """Where ``upstream`` is; runs no git. Raises UpstreamError if that is no address.

    A relative path in the configuration starts at the project; one in the variable that replaces it
    starts where the person is who has set it.
    """
    base = Path.cwd() if upstream.url_replaced else settings.root
    return read_address(upstream.url, base=base)


@contextmanager
def open_upstream(
    settings: Settings, upstream: Upstream, *, way_out: str = ""
) -> Iterator[Repository | None]:
    """Open ``upstream`` for reading; None stands for a plain folder, which has no history.

    ``way_out`` tells what to do when it cannot be reached; empty: what fits this upstream.
    Raises UpstreamError.
    """
    address = address_of(settings, upstream)
    if address.kind is Kind.FOLDER:
        yield None
        return
    cache = Paths(settings.root, upstream.name).cache
    # Resolved: the build folder may be a link, and git is told the folder by its name.
    store = (cache / "git" / f"{upstream.name}.git").resolve()
    with open_repository(
        address, store=store, way_out=way_out or _way_out(settings, upstream)
    ) as repository:
        yield repository


def _way_out(settings: Settings, upstream: Upstream) -> str:
    variable = upstream_variable(upstream.name)
    way_out = f"Set {variable} to a clone, a bundle or a mirror of it"
    if "sample" in settings.upstreams:
        return f"{way_out}, or run the sample: {how_to_run('sync', 'sample')}"
    return f"{CHECK_ADDRESS} Or: {way_out}."
