"""Detection of files of the project that a page changes, on systems that cannot prevent it.

After each cell, times and sizes of the files are compared, because digests would take too long.
Only files directly in the project and below ``translations/`` and ``upstream/`` are watched. Files
in ``build/`` are not watched, because the pipeline itself writes to it meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_FOLDERS = ("translations", "upstream")


class ProjectChanges:
    """Record of the files that a page changes in the folder ``project``.

    If ``project`` is None, the record stays empty.
    """

    def __init__(self, project: Path | None) -> None:
        self._project = project
        self._stamps = self._look()
        # Pairs of the number of a code cell and the changed paths in the project.
        self.by_cell: list[tuple[int, tuple[str, ...]]] = []

    def end_cell(self, number: int) -> None:
        """Record the files that have changed since the last call as changes of cell ``number``."""
        before, self._stamps = self._stamps, self._look()
        changed = {path for path, _ in before.items() ^ self._stamps.items()}
        if changed:
            self.by_cell.append((number, tuple(sorted(changed))))

    def _look(self) -> dict[str, tuple[int, int, int]]:
        """Return size, mode and time of change of every file, by its path in the project."""
        stamps: dict[str, tuple[int, int, int]] = {}
        if self._project is None:
            return stamps
        for entry in _entries(self._project):
            with suppress(OSError):  # removed meanwhile
                facts = entry.stat(follow_symlinks=False)
                path = Path(entry.path).relative_to(self._project).as_posix()
                stamps[path] = (facts.st_size, facts.st_mode, facts.st_ctime_ns)
        return stamps


def _entries(project: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the files of ``project`` itself, and those anywhere in the watched folders."""
    folders = [os.fspath(project), *(str(project / name) for name in _FOLDERS)]
    while folders:
        folder = folders.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    yield entry
                elif folder != os.fspath(project):
                    folders.append(entry.path)
