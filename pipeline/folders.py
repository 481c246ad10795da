"""The docs folders of an upstream, and what pages are called by them.

Most docs lie in one folder, and a page is called by its path in that. Of several folders, pages
keep their path from the folder that holds all of these: of ``docs`` and ``examples`` there are
``docs/index`` and ``examples/mnist``, so that what leads from one tree to the other still does.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.filenames import fault_of_path

ALL = "."  # the folder of the whole repository
# Where files lie among what is pulled that pages include from outside of the docs folders.
OUTSIDE = "_outside"


@dataclass(frozen=True, slots=True)
class Folders:
    """One or several folders inside a repository, POSIX, in the order of the configuration.

    None of them is, or lies in, another one: see ``fault_in``.
    """

    names: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.names)

    @property
    def are_several(self) -> bool:
        """Whether pages are called by the folder that they lie in, too."""
        return len(self.names) > 1

    @property
    def root(self) -> str:
        """The folder that paths count from: the one there is, or the one that holds all."""
        return posixpath.commonpath(self.names) or ALL

    @property
    def prefixes(self) -> tuple[str, ...]:
        """What paths of each folder begin with: ``docs/`` and ``examples/``; of a single one ""."""
        if not self.are_several:
            return ("",)
        inside = f"{self.root}/"
        return tuple(f"{name.removeprefix(inside)}/" for name in self.names)

    @property
    def placed(self) -> tuple[tuple[str, str], ...]:
        """Each folder with its prefix."""
        return tuple(zip(self.names, self.prefixes, strict=True))

    def path_of(self, place: str) -> str | None:
        """The path of a file that lies at ``place`` in the repository; None for one outside.

        Of ``docs`` alone ``docs/a.md`` is ``a.md``, of ``docs`` and ``examples`` it stays so.
        """
        for name, prefix in self.placed:
            if name == ALL:
                return place
            if place.startswith(f"{name}/"):
                return f"{prefix}{place.removeprefix(f'{name}/')}"
        return None

    def pulled_path_of(self, place: str) -> str:
        """Return where a file at a place of the repository lies in the checkout, if it is there."""
        return self.path_of(place) or f"{OUTSIDE}/{place}"

    def place_of(self, path: str) -> str:
        """Return where a file of the checkout lies in the repository: ``docs/a.md``."""
        if is_outside(path):
            return path.removeprefix(f"{OUTSIDE}/")
        return path if self.root == ALL else f"{self.root}/{path}"

    def shown(self, path: str) -> str:
        """Return the path of a file as people read it, from the docs folder: ``../NEWS.md``."""
        if not is_outside(path):
            return path
        return posixpath.relpath(self.place_of(path), self.root)

    def place_meant(self, target: str, path: str) -> str:
        """Return the place in the repository that the document ``path`` calls ``target``.

        A slash in front stands for the top of the document's own docs folder. Empty if the target
        is no path, or leads out of the repository.
        """
        start = posixpath.dirname(self.place_of(path))
        if target.startswith("/"):
            tops = (name for name, top in self.placed if path.startswith(top))
            start = next(tops, self.root)
        place = posixpath.normpath(posixpath.join(start, target.lstrip("/")))
        return "" if fault_of_path(place) else place

    def names_of(self, page: str) -> tuple[str, ...]:
        """What a page may be called that was ``page`` when other folders were configured.

        Its own name comes first. Of ``docs`` and ``examples`` the page ``index`` may now be
        ``docs/index`` or ``examples/index``; of ``docs`` alone ``docs/index`` may be ``index``.
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
    """What is wrong with folders that somebody wrote, and what to do."""

    what: str
    hint: str


def fault_in(names: Sequence[str]) -> Fault | None:
    """The first thing that keeps ``names`` from being ``Folders``; None if nothing does."""
    if not names:
        return Fault("it is empty", 'Name one, like "docs", or "." for all of it.')
    for name in names:
        # "../docs" would read, or write, beside the repository.
        if name != ALL and not is_safe_path(name):
            return Fault(
                f"{name!r} is not a folder inside the repository",
                'Write a folder inside it like "docs" or "a/docs", without a slash at the end.',
            )
    for number, name in enumerate(names):
        for other in names[:number]:
            fault = _overlap(name, other) or _overlap(other, name)
            if fault is not None:
                return fault
    return None


def _overlap(name: str, other: str) -> Fault | None:
    """What is wrong if a folder is ``other``, or lies in it: its pages would be there twice."""
    # Names are alike on some systems whatever their case.
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
    """Whether ``path`` is a relative POSIX path that stays in its folder, on any system.

    It must be possible to write it down, too: ``fault_of_path`` knows the rules.
    """
    return not fault_of_path(path)
