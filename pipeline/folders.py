"""The docs folders of an upstream, and the names of pages in them.

Most docs lie in one folder, and a page is named by its path in it. If there are several folders, a
page is named by its path from their common parent. ``docs`` and ``examples`` give ``docs/index``
and ``examples/mnist``, so that relative links between the trees stay valid.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.filenames import fault_of_path

ALL = "."  # the folder of the whole repository
# Folder in the checkout for included files from outside of the docs folders.
OUTSIDE = "_outside"
# First line of a file that git stores elsewhere, by git-lfs: it has the name of the content only.
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"


@dataclass(frozen=True, slots=True)
class Folders:
    """One or several folders inside a repository (POSIX), in the order of the configuration.

    They never overlap; ``fault_in`` validates that.
    """

    names: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.names)

    @property
    def has_several(self) -> bool:
        """Return whether page names include their docs folder."""
        return len(self.names) > 1

    @property
    def root(self) -> str:
        """Return the folder that page paths are relative to: the only one, or the common parent."""
        return posixpath.commonpath(self.names) or ALL

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Return each folder's path prefix: ``docs/`` and ``examples/``; "" for a single folder."""
        if not self.has_several:
            return ("",)
        inside = f"{self.root}/"
        return tuple(f"{name.removeprefix(inside)}/" for name in self.names)

    @property
    def placed(self) -> tuple[tuple[str, str], ...]:
        """Return each folder with its prefix."""
        return tuple(zip(self.names, self.prefixes, strict=True))

    def path_of(self, place: str) -> str | None:
        """Return the path in the checkout for a file at ``place`` in the repository.

        Return None for a file outside of the docs folders. With ``docs`` alone, ``docs/a.md``
        becomes ``a.md``; with ``docs`` and ``examples`` it is unchanged.
        """
        for name, prefix in self.placed:
            if name == ALL:
                return place
            if place.startswith(f"{name}/"):
                return f"{prefix}{place.removeprefix(f'{name}/')}"
        return None

    def pulled_path_of(self, place: str) -> str:
        """Return the path in the checkout of any file in the repository.

        Files from outside of the docs folders are in ``_outside``.
        """
        return self.path_of(place) or f"{OUTSIDE}/{place}"

    def place_of(self, path: str) -> str:
        """Return the place in the repository of a file in the checkout: ``docs/a.md``."""
        if is_outside(path):
            return path.removeprefix(f"{OUTSIDE}/")
        return path if self.root == ALL else f"{self.root}/{path}"

    def shown(self, path: str) -> str:
        """Return a path for display, relative to the docs folder: ``../NEWS.md``."""
        if not is_outside(path):
            return path
        return posixpath.relpath(self.place_of(path), self.root)

    def resolve_target(self, target: str, path: str) -> str:
        """Return the place in the repository that ``target`` means in the document ``path``.

        A leading slash means the top of the document's own docs folder. Return an empty string if
        the target is not a valid path, or leaves the repository.
        """
        start = posixpath.dirname(self.place_of(path))
        if target.startswith("/"):
            tops = (name for name, top in self.placed if path.startswith(top))
            start = next(tops, self.root)
        place = posixpath.normpath(posixpath.join(start, target.lstrip("/")))
        return "" if fault_of_path(place) else place

    def names_of(self, page: str) -> tuple[str, ...]:
        """Return the possible names of ``page`` if other docs folders were configured before.

        Its own name comes first. With ``docs`` and ``examples``, the old page ``index`` may now be
        ``docs/index`` or ``examples/index``. With ``docs`` alone, ``docs/index`` may now be
        ``index``.
        """
        inside = f"{self.root}/"
        names = [page, *(f"{prefix}{page}" for prefix in self.prefixes)]
        if page.startswith(inside):
            names.append(page.removeprefix(inside))
        return tuple(dict.fromkeys(names))


WHOLE = Folders((ALL,))


def is_outside(path: str) -> bool:
    """Return whether a file of the checkout lies outside of upstream's docs folders."""
    return path.startswith(f"{OUTSIDE}/")


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem with configured folders, and how to solve it."""

    what: str
    hint: str


def fault_in(names: Sequence[str]) -> Fault | None:
    """Return the first problem that makes ``names`` invalid as ``Folders``, or None."""
    if not names:
        return Fault("it is empty", 'Name one, like "docs", or "." for all of it.')
    for name in names:
        # "../docs" would read, or write, outside of the repository.
        if name != ALL and not is_safe_path(name):
            return Fault(
                f"{name!r} is not a folder inside the repository",
                'Write a folder inside it like "docs" or "a/docs", without a slash at the end.',
            )
    for number, name in enumerate(names):
        for other in names[:number]:
            # Either of the two may contain the other.
            fault = _overlap(name, other) or _overlap(other, name)
            if fault is not None:
                return fault
    return None


def _overlap(name: str, other: str) -> Fault | None:
    """Return the problem if folder ``name`` equals ``other`` or lies in it, or None.

    The pages of the inner folder would exist twice.
    """
    # Some file systems ignore case.
    inner, outer = name.casefold(), other.casefold()
    if name == other:
        return Fault(f"{name!r} is there twice", "Leave it out once.")
    if inner == outer:
        return Fault(
            f"{other!r} and {name!r} differ only by case, and are one folder on some systems",
            "Leave one of them out.",
        )
    if other == ALL or inner.startswith(f"{outer}/"):
        return Fault(
            f"{name!r} lies in {other!r}",
            f"Leave {name!r} out, which {other!r} brings with it, or name folders beside it.",
        )
    return None


def is_safe_path(path: str) -> bool:
    """Return whether ``path`` is a relative POSIX path that stays in its folder, on any system.

    ``fault_of_path`` has the rules for names that systems reject.
    """
    return not fault_of_path(path)
