"""The docs folders of an upstream, and the names of pages in them.

Most upstreams have one docs folder, and a page is named by its path in that folder. If there are
several folders, a page is named by its path from their common parent: ``docs/index`` and
``examples/mnist``. So relative links between the folders remain valid.

In this module, a *place* is a path in upstream's repository. A *path* is a path in the checkout,
which is our copy of the docs.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from msgspec import Struct

from pipeline.limits import FOLDER_DEPTH, NAME_LENGTH, PATH_LENGTH

ALL = "."  # the folder of the whole repository
# Folder in the checkout for included files that are outside the docs folders.
OUTSIDE = "_outside"
# First line of a file that has only a reference to its content, which git-lfs stores elsewhere.
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"


class Folders(Struct, frozen=True):
    """One or several folders in a repository, in the order of the configuration.

    The names are relative POSIX paths. The folders do not overlap, as ``fault_in`` ensures.
    """

    names: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.names)

    @property
    def has_several(self) -> bool:
        """Return whether there are several folders, so that page names include the folder."""
        return len(self.names) > 1

    @property
    def root(self) -> str:
        """Return the folder that page names are relative to.

        This is the only docs folder, or the common parent of several.
        """
        return posixpath.commonpath(self.names) or ALL

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Return the prefix of page names for each folder: ``docs/``; "" for a single folder."""
        if not self.has_several:
            return ("",)
        inside = f"{self.root}/"
        return tuple(f"{name.removeprefix(inside)}/" for name in self.names)

    @property
    def placed(self) -> tuple[tuple[str, str], ...]:
        """Return each folder with the prefix of its page names."""
        return tuple(zip(self.names, self.prefixes, strict=True))

    def path_of(self, place: str) -> str | None:
        """Return the path in the checkout for a file at ``place`` in the repository.

        If ``docs`` is the only folder, the path of ``docs/a.md`` is ``a.md``. With ``docs`` and
        ``examples`` it is ``docs/a.md``. Return None for a file outside the docs folders.
        """
        for name, prefix in self.placed:
            if name == ALL:
                return place
            if place.startswith(f"{name}/"):
                return f"{prefix}{place.removeprefix(f'{name}/')}"
        return None

    def pulled_path_of(self, place: str) -> str:
        """Return the path in the checkout for any file of the repository that is pulled.

        Files outside the docs folders are in ``_outside``.
        """
        return self.path_of(place) or f"{OUTSIDE}/{place}"

    def place_of(self, path: str) -> str:
        """Return the place in the repository of a file in the checkout, such as ``docs/a.md``."""
        if is_outside(path):
            return path.removeprefix(f"{OUTSIDE}/")
        return path if self.root == ALL else f"{self.root}/{path}"

    def shown(self, path: str) -> str:
        """Return a path of the checkout for display: ``_outside/NEWS.md`` → ``../NEWS.md``."""
        if not is_outside(path):
            return path
        return posixpath.relpath(self.place_of(path), self.root)

    def resolve_target(self, target: str, path: str) -> str:
        """Return the place in the repository that a link to ``target`` in ``path`` leads to.

        A target with a leading slash starts at the docs folder of ``path``. Return an empty string
        if the target is not a valid path, or leaves the repository.
        """
        start = posixpath.dirname(self.place_of(path))
        if target.startswith("/"):
            tops = (name for name, top in self.placed if path.startswith(top))
            start = next(tops, self.root)
        place = posixpath.normpath(posixpath.join(start, target.lstrip("/")))
        return "" if fault_of_path(place) else place

    def names_of(self, page: str) -> tuple[str, ...]:
        """Return the names that ``page`` may have now; the unchanged name comes first.

        The translation memory may contain names from before a change of the docs folders in the
        configuration. If the folders are now ``docs`` and ``examples``, the page ``index`` may be
        ``docs/index`` or ``examples/index``. If ``docs`` is now the only folder, ``docs/index`` may
        be ``index``.
        """
        inside = f"{self.root}/"
        names = [page, *(f"{prefix}{page}" for prefix in self.prefixes)]
        if page.startswith(inside):
            names.append(page.removeprefix(inside))
        return tuple(dict.fromkeys(names))


WHOLE = Folders((ALL,))


def is_outside(path: str) -> bool:
    """Return whether a path of the checkout belongs to a file outside the docs folders."""
    return path.startswith(f"{OUTSIDE}/")


class Fault(Struct, frozen=True):
    """A problem with configured folders, and how to solve it."""

    what: str
    hint: str


def fault_in(names: Sequence[str]) -> Fault | None:
    """Return the first problem with the folders ``names``, or None if they are valid."""
    if not names:
        return Fault("it is empty", 'Name one, like "docs", or "." for all of it.')
    for name in names:
        # "../docs" would read or write outside the repository.
        if name != ALL and not is_safe_path(name):
            return Fault(
                f"{name!r} is not a folder inside the repository",
                'Write a folder inside it like "docs" or "a/docs", without a slash at the end.',
            )
    for number, name in enumerate(names):
        for other in names[:number]:
            # Either folder may contain the other.
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
        return Fault(f"{name!r} is listed twice", "Remove one of them.")
    if inner == outer:
        return Fault(
            f"{other!r} and {name!r} differ only by case, and are one folder on some systems",
            "Leave one of them out.",
        )
    if other == ALL or inner.startswith(f"{outer}/"):
        return Fault(
            f"{name!r} lies in {other!r}",
            f"Remove {name!r}, which {other!r} includes, or name folders that do not overlap.",
        )
    return None


def is_safe_path(path: str) -> bool:
    """Return whether ``path`` is a relative POSIX path that is valid on every system.

    A valid path does not lead out of its folder. ``fault_of_path`` has the rules.
    """
    return not fault_of_path(path)


# Rules for names of files and folders from upstream, catalogues and configuration. Windows has the
# strictest rules (https://learn.microsoft.com/windows/win32/fileio/naming-a-file), macOS the
# shortest paths.

# Control characters, line separators, and lone surrogates. Python uses lone surrogates for bytes
# that are not UTF-8.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# On Windows, a colon separates a drive or a stream of the file, and a backslash separates folders.
_RESERVED = re.compile(r'[<>:"|?*\\]')
_IGNORED_END = re.compile(r"[. ]\Z")
# Windows ignores the part after the first dot: "nul.tar.gz" and "nul .md" are the device "nul".
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\ *(?:\..*)?",
    re.IGNORECASE,
)
# "git~1" is the short name of ".git" on Windows.
_GIT = re.compile(r"\.git|git~1", re.IGNORECASE)
# The rules for one name, and the text for a name that violates a rule.
_RULES = (
    (_UNPRINTABLE.search, "contains a control character, or bytes that are not UTF-8"),
    (_GIT.fullmatch, "is the folder of git"),
    (_RESERVED.search, 'contains one of < > : " | ? * \\, which Windows reserves'),
    (_IGNORED_END.search, "ends with a dot or a space, which Windows drops"),
    (_DEVICE.fullmatch, "is the name of a device on Windows"),
)


def fault_of_path(path: str) -> str:
    """Return the rule that ``path`` violates on some system, or an empty string.

    ``guide/aux.md`` → ``the name 'aux.md' is the name of a device on Windows``.
    """
    fault = fault_of_extent(path)
    if fault:
        return fault
    for name in path.split("/"):
        # An empty name means that the path is absolute, or contains "//".
        if name in ("", ".", ".."):
            return "the path is absolute, or leads out of its folder"
        for is_broken, rule in _RULES:
            if is_broken(name):
                return f"the name {name!r} {rule}"
        if len(name.encode("utf-8")) > NAME_LENGTH:
            return f"the name {shortened(name)!r} is longer than {NAME_LENGTH} bytes"
    return ""


def fault_of_extent(path: str) -> str:
    """Return why ``path`` as a whole is too deep or too long, or an empty string."""
    if path.count("/") > FOLDER_DEPTH:
        return f"it lies more than {FOLDER_DEPTH} folders deep"
    if len(path.encode("utf-8", "surrogatepass")) > PATH_LENGTH:
        return f"the path is longer than {PATH_LENGTH} bytes"
    return ""


def shortened(text: str, *, length: int = 120) -> str:
    """Return ``text``, with its middle replaced by ``…`` if it is longer than ``length``."""
    if len(text) <= length:
        return text
    half = length // 2
    return f"{text[:half]}…{text[-half:]}"
