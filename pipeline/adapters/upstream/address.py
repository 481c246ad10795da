"""Addresses of upstreams and names of their commits, as a person gives them.

What a person wrote in the configuration or in a variable comes in. An address comes out that git
can be given without risk: git reads some texts as options, and some as programs to run. A listing
of refs is a mapping from full names ("refs/tags/v1", "HEAD") to commits. An annotated tag has a
commit of its own there, and a second name, "refs/tags/v1^{}", for the commit that it stands for.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
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


FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
SHORT_COMMIT = re.compile(r"[0-9a-f]{7,39}")
PEELED = "^{}"

# What git does not allow in a name (git-check-ref-format), and what its revision syntax would read.
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
    """What ``git ls-remote`` prints, a line for each ref: the commit, a tab, the name."""
    refs = {}
    for line in text.split("\n"):
        if line:
            commit, _, name = line.partition("\t")
            refs[name] = commit
    return refs


def is_ref(text: str) -> bool:
    """Whether ``text`` can be the name of a ref; the empty one stands for HEAD."""
    return not _BAD_IN_REF.search(text)


def match_ref(ref: str, refs: Mapping[str, str]) -> str | None:
    """The commit of ``ref`` in a listing; tags go before branches, as in git. "" is HEAD.

    ``v1``, ``main``, ``refs/heads/main`` and ``1f2e3d4`` are all found; a short commit only if one
    ref's commit begins so.
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
    """The one commit in the listing that begins with ``digits``; None if there are several."""
    # The same commit often has several names; an annotated tag may be given by its own digits.
    commits = set()
    for name, commit in refs.items():
        if commit.startswith(digits):
            commits.add(refs.get(f"{name}{PEELED}", commit))
    return commits.pop() if len(commits) == 1 else None


def tag_names(refs: Mapping[str, str]) -> frozenset[str]:
    """The tags in a listing, as people write them.

    ``refs/tags/v1`` and ``refs/tags/v1^{}`` are both ``v1``.
    """
    tags = (name for name in refs if name.startswith("refs/tags/"))
    return frozenset(map(_short_name, tags))


def near_names(ref: str, refs: Mapping[str, str]) -> list[str]:
    """Up to three tags and branches that ``ref`` may be meant to be."""
    return difflib.get_close_matches(ref, short_names(refs), n=3, cutoff=0.5)


def short_names(refs: Mapping[str, str]) -> list[str]:
    """The tags and branches in a listing, as people write them, sorted."""
    return sorted(set(map(_short_name, refs)))


def _short_name(name: str) -> str:
    """``v1`` for ``refs/tags/v1^{}``, ``main`` for ``refs/heads/main``, HEAD for itself."""
    return re.sub(r"^refs/(tags|heads)/", "", name.removesuffix(PEELED))
