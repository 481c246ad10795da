"""Private repository for objects fetched from upstream, and errors about upstream.

``Store`` fetches a commit in the cheapest way that the server supports. The cheapest way transfers
neither older commits nor the content of files. The next one also transfers the files of the commit,
and the last one everything. Before it fetches, ``Store`` removes leftovers of an interrupted run.

``UpstreamErrors`` turns git's messages, which are for experts, into errors with advice. Passwords
in web addresses are removed from every error.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from msgspec import Struct

from pipeline.adapters.files import WriteError
from pipeline.adapters.upstream import address
from pipeline.adapters.upstream.address import Kind
from pipeline.adapters.upstream.program import Program, Progress
from pipeline.errors import PipelineError, UpstreamError

NO_ANSWER = 60.0  # seconds that a server may take to list its refs

_WRITE_HINT = (
    "Free some space or fix the permissions, and run again; what was pulled before is untouched."
)
_DISK = re.compile(r"No space left on device|Disk quota exceeded|Read-only file system")
_NO_COMMIT = re.compile(
    r"not our ref|unadvertised|not a valid object|bad object|couldn't find remote ref"
)
_NO_ACCESS = re.compile(
    r"could not read (Username|Password)|Authentication failed|Permission denied"
)
# Lines of git's messages that do not contain the reason.
_NOISE = re.compile(
    r"""
    \s* $
    | warning: | From\ | fatal:\ Could\ not\ read\ from\ remote
    | Please\ make\ sure\ you\ have | and\ the\ repository\ exists
    """,
    re.VERBOSE,
)


class UpstreamErrors(Struct, frozen=True, kw_only=True):
    """Factory of errors about one upstream."""

    where: str  # the address, without a password
    kind: Kind
    store: Path  # the private repository
    unreachable_hint: str  # hint for an unreachable server

    def failure(self, complaint: str) -> PipelineError:
        """Return the error for a failed git command with the messages ``complaint``."""
        reason = reason_of(complaint)
        # Check for a full disk first, because on a full disk git also reports network errors.
        if _DISK.search(complaint):
            return self.unwritable(reason)
        if _NO_COMMIT.search(complaint):
            hint = (
                "Check the ref; a full commit id has 40 digits. If the lock names the commit, "
                "another copy of upstream may have had it: run pull to write a new lock."
            )
            return self._error(f"has no such commit: {reason}", hint=hint)
        # Check for a bundle before passwords, because a bundle needs none.
        if self.kind is Kind.BUNDLE:
            hint = "Copy it again, or make a new one with: git bundle create FILE --all"
            return self._error(f"is a damaged or incomplete bundle: {reason}", hint=hint)
        if _NO_ACCESS.search(complaint):
            what = "does not exist, or requires a password; git cannot ask for one here"
            return self._error(what, hint=self.unreachable_hint)
        if complaint.startswith("Timeout:"):
            reason = f"no answer within {NO_ANSWER:g} s"
        return self._error(f"cannot be reached: {reason}", hint=self.unreachable_hint)

    def unwritable(self, reason: str | None) -> WriteError:
        """Return the error for a private repository that cannot be written."""
        return WriteError(f"cannot be written: {reason}", where=str(self.store), hint=_WRITE_HINT)

    def damaged(self, what: str) -> UpstreamError:
        """Return the error for a repository with missing or unreadable objects."""
        if self.kind is Kind.LOCAL:
            return self._error(what, hint="Mend that repository, or use another.")
        return self._error(what, hint=f"Delete {self.store} and pull again.")

    def bad_ref(self, ref: str) -> UpstreamError:
        """Return the error for a ``ref`` that cannot be the name of a ref."""
        hint = "Give a tag, a branch or a commit, e.g. --ref main"
        return self._error(f"{ref!r} is not a ref", hint=hint)

    def unknown_ref(self, ref: str, refs: Mapping[str, str]) -> UpstreamError:
        """Return the error for a ``ref`` that is not in the listing ``refs``."""
        if ref:
            what = f"has no tag, branch or commit {ref!r}"
        else:
            what = "is empty: it has no HEAD; name a ref"
        return self._error(what, hint=self._hint_for_ref(ref, refs))

    def _hint_for_ref(self, ref: str, refs: Mapping[str, str]) -> str:
        """Return the hint for a ref that is not in the listing ``refs``."""
        # The likeliest reason comes first: a typing error. Next is a short commit, which a server
        # cannot find.
        near = address.near_names(ref, refs)
        if near:
            return f"Did you mean {' or '.join(map(repr, near))}?"
        if address.SHORT_COMMIT.fullmatch(ref) and self.kind is Kind.REMOTE:
            return "A server finds a commit only by its full id: give all 40 digits."
        names = address.short_names(refs)
        if names:
            return f"Known: {', '.join(names[-5:])}."
        return "Check the ref and run again."

    def no_folder(self, folder: str, commit: str, *, folders: list[str]) -> UpstreamError:
        """Return the error for a ``folder`` that ``commit`` does not have.

        ``folders`` are the existing folders, for the hint.
        """
        there = f"Folders there: {', '.join(folders[:8])}." if folders else "It has no folders."
        return self._error(
            f"has no folder {folder!r} at commit {commit[:12]}",
            hint=f"{there} Set 'docs' in the configuration.",
        )

    def _error(self, what: str, *, hint: str) -> UpstreamError:
        return UpstreamError(what, where=self.where, hint=hint)


def reason_of(complaint: str) -> str:
    """Return the first line of git's messages that contains the reason."""
    for line in complaint.split("\n"):
        if not _NOISE.match(line):
            return address.without_password(re.sub(r"^(fatal|error): ", "", line.strip()))
    return "git gives no reason"


_WHOLE = ("--no-filter",)
_WAYS = (  # cheapest first: one commit without its files, one commit with its files, everything
    ("--depth=1", "--filter=blob:none"),
    ("--depth=1", "--no-filter"),
    _WHOLE,
)
# Words in git's message if the server does not support a way of ``_WAYS``. In that case, the next
# way is tried.
_NOT_ABLE = re.compile(r"shallow|--depth|filter")
_NO_SINGLE_OBJECTS = re.compile(r"not our ref|unadvertised|does not allow")


class Store:
    """Fetcher of objects from upstream into the folder ``errors.store``.

    Objects that a local repository lacks are an error, because there is no server to ask.
    """

    def __init__(self, program: Program, errors: UpstreamErrors) -> None:
        self._program = program
        self._errors = errors
        self._folder: Path = errors.store
        self._kind: Kind = errors.kind

    def fetch_commit(self, commit: str, progress: Progress | None = None) -> None:
        """Fetch ``commit``, without its files if the server supports that."""
        self._fetch_commit(commit, progress, ways=_WAYS)

    def fetch_history(self, commit: str) -> None:
        """Fetch all ancestors of ``commit``, without files if the server supports that."""
        complaint = ""
        for way in (("--filter=blob:none",), _WHOLE):
            complaint = self._program.fetch(
                *way,
                "--unshallow",
                "origin",
                f"+{commit}:refs/pulled/{commit}",
            )
            if not complaint:
                return
        raise self._errors.failure(complaint)

    def fetch_blobs(
        self, blobs: Sequence[str], commit: str, progress: Progress | None = None
    ) -> None:
        """Fetch the ``blobs`` of ``commit`` that a filtered fetch left out."""
        if self._kind is Kind.LOCAL:
            what = f"{len(blobs)} files of the docs folder are missing (is it a partial clone?)"
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
            # An old server does not send single objects. Fetch the commit again with all its files.
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
            ways = (_WHOLE,)  # git cannot filter a bundle
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
            # The attempt has marked the store as partial. Older versions of git would try to fetch
            # the missing objects again and again, so delete the store.
            shutil.rmtree(self._folder)
        raise self._errors.failure(complaint)

    def _prepare(self) -> None:
        """Create the private repository if necessary, and remove leftovers of a killed run."""
        self._program.clear_cache()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # git refuses to work beside a lock file, and never removes an incomplete pack.
            for path in [*self._folder.rglob("*.lock"), *self._folder.rglob("tmp_*")]:
                if path.is_file():
                    path.unlink()
        except OSError as error:
            raise self._errors.unwritable(error.strerror) from error
        # Use no template, because a template could contain hooks.
        answer = self._program.call("init", "--quiet", "--bare", "--template=")
        if answer.status:
            raise self._errors.failure(answer.complaint)
