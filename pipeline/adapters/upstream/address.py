"""Addresses of upstreams: what they lead to, which are refused, and how they may be shown.

In goes what a person wrote in the configuration or in a variable. Out comes an address that git can
be given without risk: git reads some texts as options, and some as programs to run.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pipeline.errors import UpstreamError

SCHEMES = ("https", "http", "ssh", "git", "file")

# "https://", or "ext::", which has no name here: what follows it is a program that git would run.
_SCHEME = re.compile(r"[^/:]*::|(?P<name>[^/:]+)://")
# The scheme, and "user:password@".
_BEFORE_HOST = re.compile(r"\A(?:[^/:]+://)?(?:[^/@]*@)?")
_BUNDLE = re.compile(rb"# v[23] git bundle\n")
_HINT = "Give a URL, a bundle, a repository or a folder."
_NO_ADDRESS = "git would not read it as an address"


class Kind(StrEnum):
    """What an upstream's address leads to."""

    REMOTE = "remote repository"
    LOCAL = "local repository"
    BUNDLE = "bundle"
    FOLDER = "plain folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A checked address: a URL, or the absolute path of something that exists."""

    url: str
    kind: Kind


def read_address(url: str, *, base: Path) -> Address:
    """Find out what ``url`` leads to; a relative path starts at ``base``. Runs no git.

    A folder counts as a repository only if it is the root of one: a plain folder inside a work tree
    stays one. Raises UpstreamError.
    """
    if not url or url.startswith("-") or re.search(r"[\x00-\x1f\x7f]", url):
        raise _refused(url, _NO_ADDRESS)
    # Not resolved: the address is shown and locked as the person knows it, links included.
    path = Path(os.path.abspath(base / url.removeprefix("file://")))
    try:
        if path.is_file():
            return _read_bundle_address(path)
        # "file://" makes a server of a folder: git fetches from it, instead of reading in place.
        if path.is_dir() and "://" not in url:
            is_repository = git_folder(path) is not None
            return Address(
                url=str(path), kind=Kind.LOCAL if is_repository else Kind.FOLDER
            )
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise UpstreamError(what, where=str(path), hint=_HINT) from error
    _check_url(url)
    return Address(url=url, kind=Kind.REMOTE)


def git_folder(path: Path) -> Path | None:
    """Where the repository whose root is ``path`` keeps its objects; None if it is no such root."""
    if (path / ".git").exists():
        return path / ".git"
    # What git itself takes for a bare repository.
    parts = (
        (path / "HEAD").is_file(),
        (path / "objects").is_dir(),
        (path / "refs").is_dir(),
    )
    return path if all(parts) else None


def without_password(text: str) -> str:
    """``text`` as it may be shown and committed: web addresses in it lose user and password."""
    return re.sub(r"(https?://)[^/\s]*@", r"\1", text)


def _check_url(url: str) -> None:
    """Raise UpstreamError unless ``url`` is an address on another machine that git may go to.

    https://a.b/c.git    git@a.b:c.git        may be
    ext::sh -c date      ssh://-oProxy=x      are refused
    ./no/such/folder                          does not exist
    """
    scheme = _SCHEME.match(url)
    if scheme and scheme["name"] not in SCHEMES:
        raise _refused(url, f"only {', '.join(SCHEMES)} are allowed")
    host_and_path = _BEFORE_HOST.sub("", url)
    # A program may take a host for an option: "ssh://-oProxyCommand=…" would run a command.
    if host_and_path.startswith("-") or re.search(r"\s", url):
        raise _refused(url, _NO_ADDRESS)
    # Without a scheme only "host:path" is an address on another machine; the rest is a path here.
    if scheme is None and not re.match(r"[^/:]+:", url):
        raise UpstreamError("does not exist", where=url, hint=_HINT)


def _read_bundle_address(path: Path) -> Address:
    """The address of a file. Raises UpstreamError unless it begins as git's bundles do."""
    with path.open("rb") as file:
        is_bundle = _BUNDLE.match(file.read(16))
    if not is_bundle:
        hint = "Make one with: git bundle create FILE --all"
        raise UpstreamError(
            "is a file, but not a git bundle", where=str(path), hint=hint
        )
    return Address(url=str(path), kind=Kind.BUNDLE)


def _refused(url: str, reason: str) -> UpstreamError:
    """The error for an address that git is not given; a password in it is not shown."""
    what = f"{without_password(url)!r} is refused as an upstream: {reason}"
    return UpstreamError(what, hint=_HINT)
