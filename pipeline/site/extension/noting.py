"""What a part of the extension notes of each page while Sphinx reads it.

Notes are kept with what Sphinx remembers of the site: a page that is not read again has those of
the last time. The notes of a page that is read again, or gone, are dropped.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

Note = TypeVar("Note")


@dataclass(frozen=True, slots=True)
class Notes(Generic[Note]):
    """The notes of one kind, a value for each page that has one."""

    attribute: str  # of Sphinx's environment, which is kept from build to build

    def by_page(self, env: BuildEnvironment) -> dict[str, Note]:
        """The notes that there are. A change of the dictionary is a change of them."""
        notes: dict[str, Note] = env.__dict__.setdefault(self.attribute, {})
        return notes

    def setup(self, app: Sphinx) -> None:
        """Let Sphinx say which pages are read again, and by which process."""
        app.connect("env-purge-doc", self._forget)
        app.connect("env-merge-info", self._merge)

    def _forget(self, app: Sphinx, env: BuildEnvironment, page: str) -> None:
        """Drop the note of a page, if there is one."""
        self.by_page(env).pop(page, None)

    def _merge(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        pages: Collection[str],
        other: BuildEnvironment,
    ) -> None:
        """Take over the notes of ``pages``, which another process has read."""
        theirs = self.by_page(other)
        # It began with a copy of all notes, which may be older than ours.
        read_there = {page: theirs[page] for page in theirs if page in pages}
        self.by_page(env).update(read_there)
