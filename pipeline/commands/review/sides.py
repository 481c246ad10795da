"""Finder of the two states of the memory that ``review`` compares.

The input is up to two commits. The output is the bytes of the differing files before and after.
Without a second commit, the working tree is the state after, including uncommitted changes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.files import read_bytes
from pipeline.adapters.version_control import (
    commit_of,
    files_at,
    main_branch,
    merge_base,
    read_blobs,
)
from pipeline.commands.check.files import CatalogFile
from pipeline.config.settings import Settings, matches
from pipeline.core.pin.lock import blob_id
from pipeline.errors import ConfigError
from pipeline.paths import Paths

_MAIN_BRANCHES = ("origin/HEAD", "origin/main", "main", "origin/master", "master")
_USAGE = (
    "Give the commit to compare with, and optionally another one: review -- BASE [HEAD]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Memory files before and after, by path relative to the root.

    ``before`` and ``after`` have the contents of the files that differ. ``unchanged`` has the git
    blob ids of the other files.
    """

    base: str  # commit id of the state before
    base_name: str  # the base as the user named it
    head: str  # commit id of the state after, or empty for the working tree
    files: Mapping[str, CatalogFile]  # all files that exist before or after
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    unchanged: Sequence[str]
    root: Path

    def read_unchanged(self) -> Mapping[str, bytes]:
        """Return the contents of the unchanged files, by blob id."""
        return read_blobs(self.root, self.unchanged)


def find_sides(
    settings: Settings,
    words: Sequence[str],
    *,
    locales: Sequence[str],
    pages: tuple[str, ...] = (),
) -> Sides:
    """Return the two sides to compare for the commits in ``words``; ``pages`` are glob patterns.

    The base is the commit where the two branches parted (git's merge base). So later changes on the
    branch that the user compares with do not count. Raises ConfigError for an unknown commit.
    """
    root = settings.root
    if len(words) > 2:
        raise ConfigError(f"two commits at most, not {' '.join(words)}", hint=_USAGE)
    places = _places(settings, locales)
    base_name, base_commit = named_base(settings, words[0] if words else "")
    head = commit_of(root, words[1]) if len(words) == 2 else ""
    parted = head or commit_of(root, "HEAD")
    base = merge_base(root, base_commit, parted)
    # The files in the working tree, if it is the state after.
    here = {} if head else _read_here(root, places)
    old = _blobs_at(root, base, places)
    new = {path: blob_id(data) for path, data in here.items()}
    if head:
        new = _blobs_at(root, head, places)
    files: dict[str, CatalogFile] = {}
    for path in sorted(old.keys() | new.keys()):
        file = _catalog_file(root, path, places)
        if not pages or matches(file.page, pages):
            files[path] = file
    differing = [path for path in files if old.get(path) != new.get(path)]
    after = {path: here[path] for path in differing if path in here}
    if head:
        after = _contents(root, new, differing)
    return Sides(
        base=base,
        base_name=base_name,
        head=head,
        files=files,
        before=_contents(root, old, differing),
        after=after,
        unchanged=[old[path] for path in files if path not in differing],
        root=root,
    )


def named_base(settings: Settings, word: str) -> tuple[str, str]:
    """Return the name and the commit id of ``word``, or of the main branch if it is empty.

    Raises ConfigError for an unknown commit.
    """
    name = word or main_branch(settings.root, _main_branches())
    return name, commit_of(settings.root, name)


def _blobs_at(root: Path, commit: str, places: Mapping[str, str]) -> dict[str, str]:
    """Return the git blob ids of the memory files at a commit, by path."""
    listed: dict[str, str] = {}
    for folder in places:
        listed |= files_at(root, commit, f"{folder}/")
    return {path: blob for path, blob in listed.items() if path.endswith(".po")}


def _contents(
    root: Path, blobs: Mapping[str, str], paths: Sequence[str]
) -> dict[str, bytes]:
    """Return the contents of those ``paths`` that have a blob."""
    wanted = [path for path in paths if path in blobs]
    contents = read_blobs(root, [blobs[path] for path in wanted])
    return {path: contents[blobs[path]] for path in wanted}


def _read_here(root: Path, places: Mapping[str, str]) -> dict[str, bytes]:
    """Return the memory files in the working tree, by path."""
    files: dict[str, bytes] = {}
    for folder in places:
        for path in sorted((root / folder).rglob("*.po")):
            files[path.relative_to(root).as_posix()] = read_bytes(path)
    return files


def _main_branches() -> tuple[str, ...]:
    """Return possible names of the main branch. The target of a GitHub pull request is first."""
    target = os.environ.get("GITHUB_BASE_REF")
    return (f"origin/{target}", *_MAIN_BRANCHES) if target else _MAIN_BRANCHES


def _places(settings: Settings, locales: Sequence[str]) -> dict[str, str]:
    """Return the folders of the memory, relative to the root, and the locale of each."""
    places: dict[str, str] = {}
    for name in settings.upstreams:
        for locale in locales:
            folder = Paths(settings.root, name).memories(locale)
            places[folder.relative_to(settings.root).as_posix()] = locale
    return places


def _catalog_file(root: Path, path: str, places: Mapping[str, str]) -> CatalogFile:
    """Return a memory file with the page and the locale that its path implies."""
    (folder,) = (folder for folder in places if path.startswith(f"{folder}/"))
    return CatalogFile(
        path=root / path,
        name=path,
        page=path.removeprefix(f"{folder}/").removesuffix(".po"),
        locale=places[folder],
        upstream=folder.rpartition("/")[2],
    )
