"""The private repository that fetched objects go to, and how they come there.

A commit is asked for in the cheapest way that the other side allows. What a killed run left in the
store is cleared before it is used again.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

from pipeline.adapters.upstream.address import Kind
from pipeline.adapters.upstream.errors import UpstreamErrors
from pipeline.adapters.upstream.program import Program, Progress

_WHOLE = ("--no-filter",)
_WAYS = (  # the cheapest first: without files and history, without history, with all
    ("--depth=1", "--filter=blob:none"),
    ("--depth=1", "--no-filter"),
    _WHOLE,
)
# The server cannot do it that way: try the next.
_NOT_ABLE = re.compile(r"shallow|--depth|filter")
_NO_SINGLE_OBJECTS = re.compile(r"not our ref|unadvertised|does not allow")


class Store:
    """Brings objects from the other side into the folder ``errors.store``.

    A local repository is read in place: what is not there cannot be brought.
    """

    def __init__(self, program: Program, errors: UpstreamErrors) -> None:
        self._program = program
        self._errors = errors
        self._folder: Path = errors.store
        self._kind: Kind = errors.kind

    def fetch_commit(self, commit: str, progress: Progress | None) -> None:
        """Get ``commit``, without its files if the other side can leave them out."""
        self._fetch_commit(commit, progress, ways=_WAYS)

    def fetch_history(self, commit: str, progress: Progress | None) -> None:
        """Get all that came before ``commit``, without files if the other side can do that."""
        complaint = ""
        for way in (("--filter=blob:none",), _WHOLE):
            complaint = self._program.fetch(
                *way,
                "--unshallow",
                "origin",
                f"+{commit}:refs/pulled/{commit}",
                progress=progress,
            )
            if not complaint:
                return
        raise self._errors.failure(complaint)

    def fetch_blobs(
        self, blobs: Sequence[str], commit: str, progress: Progress | None
    ) -> None:
        """Get the ``blobs`` of ``commit`` that a filtered fetch left out, by their names."""
        if self._kind is Kind.LOCAL:
            what = f"{len(blobs)} files of the docs folder are not there (is it a partial clone?)"
            raise self._errors.damaged(what)
        with tempfile.TemporaryFile() as names:
            names.write("".join(f"{blob}\n" for blob in blobs).encode("ascii"))
            names.seek(0)
            complaint = self._program.fetch(
                "--filter=blob:none",
                "--stdin",
                "origin",
                progress=progress,
                stdin=cast(BinaryIO, names),
            )
        if _NO_SINGLE_OBJECTS.search(complaint):
            # An old server: take the commit with all its files.
            shutil.rmtree(self._folder)
            self._fetch_commit(commit, progress, ways=_WAYS[1:])
        elif complaint:
            raise self._errors.failure(complaint)

    def _fetch_commit(
        self, commit: str, progress: Progress | None, *, ways: Sequence[tuple[str, ...]]
    ) -> None:
        if self._kind is Kind.LOCAL:
            raise self._errors.damaged(f"commit {commit} is not there")
        if self._kind is Kind.BUNDLE:
            ways = (_WHOLE,)  # git filters nothing out of a bundle
        complaint = ""
        for way in ways:
            self._prepare()
            complaint = self._program.fetch(
                *way, "origin", f"+{commit}:refs/pulled/{commit}", progress=progress
            )
            if not complaint:
                return
            if way == _WHOLE or not _NOT_ABLE.search(complaint):
                break
            # The store is marked as partial by now: older gits would go after what is missing in
            # it, without end.
            shutil.rmtree(self._folder)
        raise self._errors.failure(complaint)

    def _prepare(self) -> None:
        """Make sure of the private repository, and clear what a killed run left in it."""
        self._program.forget()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # Git refuses to work beside a lock, and never removes a half-written pack.
            for path in [*self._folder.rglob("*.lock"), *self._folder.rglob("tmp_*")]:
                if path.is_file():
                    path.unlink()
        except OSError as error:
            raise self._errors.unwritable(error.strerror) from error
        # No template: it may hold hooks.
        answer = self._program.call("init", "--quiet", "--bare", "--template=")
        if answer.status:
            raise self._errors.failure(answer.complaint)
