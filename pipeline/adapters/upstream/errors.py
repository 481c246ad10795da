"""What goes wrong with an upstream, as people are told.

In goes what git writes, which is for people who know git. Out comes an error of ours, which says
what can be done. Passwords in what git writes are not repeated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.files import WriteError
from pipeline.adapters.upstream.address import Kind, without_password
from pipeline.adapters.upstream.refs import SHORT_COMMIT, near_names, short_names
from pipeline.errors import PipelineError, UpstreamError

NO_ANSWER = 60.0  # seconds that listing the refs may take

_WRITE_HINT = (
    "Free some space or mend the permissions, and run again; "
    "what was pulled before is untouched."
)
_DISK = re.compile(r"No space left on device|Disk quota exceeded|Read-only file system")
_NO_COMMIT = re.compile(
    r"not our ref|unadvertised|not a valid object|bad object|couldn't find remote ref"
)
_NO_ACCESS = re.compile(
    r"could not read (Username|Password)|Authentication failed|Permission denied"
)
# Lines of git's that do not say why.
_NOISE = re.compile(
    r"""
    \s* $
    | warning: | From\ | fatal:\ Could\ not\ read\ from\ remote
    | Please\ make\ sure\ you\ have | and\ the\ repository\ exists
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamErrors:
    """Makes the errors about one upstream.

    ``way_out`` tells what to do when the other side cannot be reached.
    """

    where: str  # the address, without a password
    kind: Kind
    store: Path
    way_out: str

    def failure(self, complaint: str) -> PipelineError:
        """Why git failed, by what it wrote.

        The order matters: a full disk comes first, since git then complains of the other side as
        well; and nothing that a bundle lacks can be had by asking for a password.
        """
        reason = reason_of(complaint)
        if _DISK.search(complaint):
            return self.unwritable(reason)
        if _NO_COMMIT.search(complaint):
            hint = (
                "Check the ref; a commit is 40 digits. If it is that of the lock, which another "
                "upstream has written, pull from this one first."
            )
            return self._error(f"has no such commit: {reason}", hint=hint)
        if self.kind is Kind.BUNDLE:
            hint = "Copy it again, or make a new one with: git bundle create FILE --all"
            return self._error(
                f"is a damaged or incomplete bundle: {reason}", hint=hint
            )
        if _NO_ACCESS.search(complaint):
            what = "does not exist, or wants a password, for which nobody is asked here"
            return self._error(what, hint=self.way_out)
        if complaint.startswith("Timeout:"):
            reason = f"no answer within {NO_ANSWER:g} s"
        return self._error(f"cannot be reached: {reason}", hint=self.way_out)

    def unwritable(self, reason: str | None) -> WriteError:
        """The private repository cannot be written."""
        return WriteError(
            f"cannot be written: {reason}", where=str(self.store), hint=_WRITE_HINT
        )

    def damaged(self, what: str) -> UpstreamError:
        """Objects are missing that must be there."""
        if self.kind is Kind.LOCAL:
            return self._error(what, hint="Mend that repository, or use another.")
        return self._error(what, hint=f"Delete {self.store} and pull again.")

    def bad_ref(self, ref: str) -> UpstreamError:
        """``ref`` cannot be the name of anything."""
        hint = "Give a tag, a branch or a commit, e.g. --ref main"
        return self._error(f"{ref!r} is not a ref", hint=hint)

    def unknown_ref(self, ref: str, refs: Mapping[str, str]) -> UpstreamError:
        """``ref`` is not in the listing ``refs``."""
        if ref:
            what = f"has no tag, branch or commit {ref!r}"
        else:
            what = "is empty: it has no HEAD; name a ref"
        return self._error(what, hint=self._hint_for_ref(ref, refs))

    def _hint_for_ref(self, ref: str, refs: Mapping[str, str]) -> str:
        """What to do about a ref that is not in the listing ``refs``."""
        # The likeliest first: a slip of the pen, then what the other side cannot tell.
        near = near_names(ref, refs)
        if near:
            return f"Did you mean {' or '.join(map(repr, near))}?"
        if SHORT_COMMIT.fullmatch(ref) and self.kind is Kind.REMOTE:
            return "Another server's commits can only be named in full: give all 40 digits."
        names = short_names(refs)
        if names:
            return f"Known: {', '.join(names[-5:])}."
        return "Check the ref and run again."

    def no_folder(
        self, folder: str, commit: str, *, folders: list[str]
    ) -> UpstreamError:
        """There is no ``folder`` at ``commit``, only ``folders``."""
        there = (
            f"Folders there: {', '.join(folders[:8])}."
            if folders
            else "It has no folders."
        )
        return self._error(
            f"has no folder {folder!r} at commit {commit[:12]}",
            hint=f"{there} Set 'docs' in the configuration.",
        )

    def _error(self, what: str, *, hint: str) -> UpstreamError:
        return UpstreamError(what, where=self.where, hint=hint)


def reason_of(complaint: str) -> str:
    """The first line of what git wrote that says why."""
    for line in complaint.split("\n"):
        if not _NOISE.match(line):
            return without_password(re.sub(r"^(fatal|error): ", "", line.strip()))
    return "git gives no reason"
