"""Guard against network access in tests: refuses connections to other machines.

Python calls its audit hooks for every connection and every look-up of a host. A hook cannot be
removed, so there is one hook, which is active only during ``only_local_sockets``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

_LOCAL_NAMES = ("localhost", "localhost.localdomain", "")


class ElsewhereError(AssertionError):
    """The code has tried to reach another machine."""


class _Watch:
    """Addresses that were reached since the watch began; None while there is no watch."""

    reached: list[str] | None = None
    is_installed = False


def is_local(address: object) -> bool:
    """Return whether a socket's address is on this machine: a loopback address, or a file."""
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
    """Refuse connections to other machines in the body. Yield the list of reached addresses."""
    if not _Watch.is_installed:
        sys.addaudithook(_look)
        _Watch.is_installed = True
    reached: list[str] = []
    _Watch.reached = reached
    try:
        yield reached
    finally:
        _Watch.reached = None
