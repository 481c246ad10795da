"""Validation of upstream addresses, and lookup of refs (tags and branches) in a listing.

An address is text from the configuration or an environment variable. git reads some texts as
options, or as programs to run; a validated address is safe to pass to git.

A listing is the output of ``git ls-remote`` as a dict. It maps full names of refs ("refs/tags/v1",
"HEAD") to commits. An annotated tag is two entries: "refs/tags/v1" is the id of the tag itself, and
"refs/tags/v1^{}" the commit that it points to.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from pipeline.errors import UpstreamError

SCHEMES = ("https", "http", "ssh", "git", "file")

# Matches "https://"; the group ``name`` is "https". Also matches "ext::", with an empty group: git
# would run the text after "ext::" as a command.
_SCHEME = re.compile(r"[^/:]*::|(?P<name>[^/:]+)://")
# The scheme, and "user:password@".
_BEFORE_HOST = re.compile(r"\A(?:[^/:]+://)?(?:[^/@]*@)?")
# "https://", and the user and password that follow. The user and the password may contain "@".
_WEB_USER = re.compile(r"(https?://)[^/\s]*@", re.IGNORECASE)
# "ssh://user", and ":password@"; but not "ssh://host:22/".
_PASSWORD = re.compile(r"(://[^/\s:]*):[^/\s]*@")
_BUNDLE = re.compile(rb"# v[23] git bundle\n")
_HINT = "Give a URL, a bundle, a repository or a folder."
_NO_ADDRESS = "git would not read it as an address"


class Kind(StrEnum):
    """Kind of an upstream, by its address."""

    REMOTE = "remote repository"
    LOCAL = "local repository"
    BUNDLE = "bundle"
    FOLDER = "plain folder"


class Address(Struct, frozen=True, kw_only=True):
    """A validated address: a URL, or the absolute path of something that exists."""

    url: str
    kind: Kind


def read_address(url: str, *, base: Path) -> Address:
    """Validate ``url`` and return its address, without running git.

    A relative path starts at ``base``. A folder is a repository only if it is the root of one; a
    folder inside a work tree is a plain folder. Raises UpstreamError if ``url`` is refused or does
    not exist.
    """
    if not url or url.startswith("-") or re.search(r"[\x00-\x1f\x7f]", url):
        raise _refused(url, _NO_ADDRESS)
    # Do not resolve symbolic links: messages and the lock show the path as a person wrote it.
    path = Path(os.path.abspath(base / url.removeprefix("file://")))
    try:
        if path.is_file():
            return _read_bundle_address(path)
        # "file://" makes a folder a remote: git fetches from it as from a server.
        if path.is_dir() and "://" not in url:
            is_repository = git_folder(path) is not None
            return Address(url=str(path), kind=Kind.LOCAL if is_repository else Kind.FOLDER)
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise UpstreamError(what, where=str(path), hint=_HINT) from error
    _check_url(url)
    return Address(url=url, kind=Kind.REMOTE)


def git_folder(path: Path) -> Path | None:
    """Return the git folder of the repository whose root is ``path``; None if there is none."""
    if (path / ".git").exists():
        return path / ".git"
    # These parts make a folder a bare repository for git.
    parts = (
        (path / "HEAD").is_file(),
        (path / "objects").is_dir(),
        (path / "refs").is_dir(),
    )
    return path if all(parts) else None


def without_password(text: str) -> str:
    """Return ``text`` without the passwords of addresses in it, for display and commits.

    The user of a web address is removed too, because it may be a token. Other addresses keep their
    user: ``ssh://git@host/x`` would not work without it.
    """
    return _PASSWORD.sub(r"\1@", _WEB_USER.sub(r"\1", text))


def _check_url(url: str) -> None:
    """Raise UpstreamError unless ``url`` is an allowed address on another machine.

    https://a.b/c.git    git@a.b:c.git        are allowed
    ext::sh -c date      ssh://-oProxy=x      are refused
    ./no/such/folder                          does not exist
    """
    scheme = _SCHEME.match(url)
    if scheme and scheme["name"] not in SCHEMES:
        raise _refused(url, f"only {', '.join(SCHEMES)} are allowed")
    host_and_path = _BEFORE_HOST.sub("", url)
    # ssh would read a host with "-" as an option: "ssh://-oProxyCommand=…" would run a command.
    if host_and_path.startswith("-") or re.search(r"\s", url):
        raise _refused(url, _NO_ADDRESS)
    # Without a scheme, "host:path" is on another machine, and any other text is a local path.
    if scheme is None and not re.match(r"[^/:]+:", url):
        raise UpstreamError("does not exist", where=url, hint=_HINT)


def _read_bundle_address(path: Path) -> Address:
    """Return the address of a git bundle. Raises UpstreamError for any other file."""
    with path.open("rb") as file:
        is_bundle = _BUNDLE.match(file.read(16))
    if not is_bundle:
        hint = "Make one with: git bundle create FILE --all"
        raise UpstreamError("is a file, but not a git bundle", where=str(path), hint=hint)
    return Address(url=str(path), kind=Kind.BUNDLE)


def _refused(url: str, reason: str) -> UpstreamError:
    """Return the error for a refused address, without its password."""
    what = f"{without_password(url)!r} is refused as an upstream: {reason}"
    return UpstreamError(what, hint=_HINT)


FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
SHORT_COMMIT = re.compile(r"[0-9a-f]{7,39}")
PEELED = "^{}"

# What git forbids in the name of a ref (git-check-ref-format), or reads as revision syntax.
_BAD_IN_REF = re.compile(
    r"""
    ^ [-/.]                          # "-" would be an option
    | [\x00-\x20\x7f~^:?*\[\\]
    | \.\. | // | @\{ | /\.          # "a..b" is a range, "@{1}" the one before
    | (/|\.|\.lock) $
    """,
    re.VERBOSE,
)


def parse_listing(text: str) -> dict[str, str]:
    """Return the refs that ``git ls-remote`` prints, one per line: commit, tab, name."""
    refs = {}
    for line in text.split("\n"):
        if line:
            commit, _, name = line.partition("\t")
            refs[name] = commit
    return refs


def is_ref(text: str) -> bool:
    """Return whether ``text`` can be the name of a ref; "" stands for HEAD."""
    return not _BAD_IN_REF.search(text)


def match_ref(ref: str, refs: Mapping[str, str]) -> str | None:
    """Return the commit of ``ref`` in the listing ``refs``, or None. "" is HEAD.

    ``ref`` may be ``v1``, ``main``, ``refs/heads/main`` or a short commit, ``1f2e3d4``. As in git,
    tags take precedence over branches. A short commit must match only one commit of the listing.
    """
    names = (f"refs/tags/{ref}", f"refs/heads/{ref}", ref) if ref else ("HEAD",)
    for name in names:
        commit = refs.get(f"{name}{PEELED}") or refs.get(name)
        if commit:
            return commit
    if SHORT_COMMIT.fullmatch(ref):
        return _match_short_commit(ref, refs)
    return None


def _match_short_commit(digits: str, refs: Mapping[str, str]) -> str | None:
    """Return the only commit in the listing that begins with ``digits``, or None."""
    # Several refs may name one commit, and ``digits`` may be the id of an annotated tag.
    commits = set()
    for name, commit in refs.items():
        if commit.startswith(digits):
            commits.add(refs.get(f"{name}{PEELED}", commit))
    return commits.pop() if len(commits) == 1 else None


def tag_names(refs: Mapping[str, str]) -> frozenset[str]:
    """Return the short names of the tags in a listing.

    ``refs/tags/v1`` and ``refs/tags/v1^{}`` are both ``v1``.
    """
    tags = (name for name in refs if name.startswith("refs/tags/"))
    return frozenset(map(_short_name, tags))


def near_names(ref: str, refs: Mapping[str, str]) -> list[str]:
    """Return up to three tags and branches of the listing with names similar to ``ref``."""
    return difflib.get_close_matches(ref, short_names(refs), n=3, cutoff=0.5)


def short_names(refs: Mapping[str, str]) -> list[str]:
    """Return the short names of tags and branches in a listing, sorted."""
    return sorted(set(map(_short_name, refs)))


def _short_name(name: str) -> str:
    """Return ``v1`` for ``refs/tags/v1^{}``, ``main`` for ``refs/heads/main``.

    Other names, such as HEAD, are returned unchanged.
    """
    return re.sub(r"^refs/(tags|heads)/", "", name.removesuffix(PEELED))
