"""Names of commits: refs, as a person gives them and as a repository lists them.

A listing is a mapping from full names ("refs/tags/v1", "HEAD") to commits. An annotated tag has a
commit of its own there, and a second name, "refs/tags/v1^{}", for the commit that it stands for.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

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
