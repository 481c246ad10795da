"""Sockets to other machines, refused: what tests must not need.

Python tells every connection and every look-up of a name to its audit hooks. A hook cannot be taken
out again, so that there is one, and it looks only while somebody wants it to.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

_LOCAL_NAMES = ("localhost", "localhost.localdomain", "")


class ElsewhereError(AssertionError):
    """Something wanted to reach another machine."""


class _Watch:
    """What was reached since somebody began to look; None while nobody does."""

    reached: list[str] | None = None
    is_installed = False


def is_local(address: object) -> bool:
    """Whether an address of a socket is on this machine: a loopback one, or a file."""
    if not isinstance(address, tuple):
        return True  # a socket in a file
    host = str(address[0])
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in _LOCAL_NAMES


def _look(event: str, arguments: tuple[object, ...]) -> None:
    if _Watch.reached is None:
        return
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
    elif event == "socket.getaddrinfo":
        address = (arguments[0] or "", 0)
    else:
        return
    _Watch.reached.append(str(address))
    if not is_local(address):
        raise ElsewhereError(f"{event} {address}")


@contextmanager
def only_local_sockets() -> Iterator[list[str]]:
    """Refuse all others while the body runs; the addresses that were reached."""
    if not _Watch.is_installed:
        sys.addaudithook(_look)
        _Watch.is_installed = True
    reached: list[str] = []
    _Watch.reached = reached
    try:
        yield reached
    finally:
        _Watch.reached = None
