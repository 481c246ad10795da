"""git itself, run for one repository.

Nothing is checked out, and no hook, prompt or pager can start.
The user's own configuration is read (proxies, credentials, ``insteadOf``) but never written.
In go arguments, out come status, output and complaints; nothing here decides what they mean.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pipeline.adapters.upstream.address import SCHEMES
from pipeline.errors import UpstreamError

if TYPE_CHECKING:
    from git import Git

# Units done, units in all; starts again with every phase.
Progress = Callable[[float, float], None]

_OPTIONS = (
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "protocol.version=2"),
    # A server that sends next to nothing for a minute is given up.
    *("-c", "http.lowSpeedLimit=1000"),
    *("-c", "http.lowSpeedTime=60"),
)
_FETCH = (
    "fetch",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--recurse-submodules=no",
    "--progress",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command of git's came to: its exit status, what it printed, what it complained of."""

    status: int
    output: bytes
    complaint: str

    @property
    def text(self) -> str:
        """The output; names of refs and folders may be in any encoding."""
        return self.output.decode("utf-8", "replace")


@contextmanager
def run_git(folder: Path, url: str, *, in_place: bool) -> Iterator[Program]:
    """git for the repository in ``folder``, whose other side is ``url``.

    ``in_place`` keeps git from any transport: the repository is read where it is.
    Raises UpstreamError where there is no git.
    """
    try:
        import git
    except ImportError as error:  # GitPython raises it when there is no git program
        hint = "Install git, or put it on PATH, and run again."
        raise UpstreamError("git cannot be run", hint=hint) from error
    git.Git.check_unsafe_protocols(url)  # a second fence behind ours
    handle = git.Git()
    transports = "none" if in_place else ":".join(SCHEMES)
    handle.update_environment(**_environment(folder, transports=transports))
    try:
        yield Program(handle, url)
    finally:
        handle.clear_cache()  # ends the processes that it keeps for reading


class Program:
    """git with a repository to work on. Failures of its commands are told, not raised."""

    def __init__(self, git: Git, url: str) -> None:
        self._git = git
        self._url = url

    def call(self, *arguments: str, timeout: float | None = None) -> Answer:
        """Run git with ``arguments``; after ``timeout`` seconds it is ended, with a complaint."""
        status, output, complaint = self._git.execute(
            ("git", *_OPTIONS, *arguments),
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
            kill_after_timeout=timeout,
        )
        return Answer(status=status, output=output, complaint=complaint)

    def read_object(self, name: str) -> bytes:
        """The content of the object ``name``. Raises ValueError or OSError if it is not there."""
        return self._git.get_object_data(name)[3]

    def forget(self) -> None:
        """Know nothing of the repository any more: it is about to change behind git's back."""
        self._git.clear_cache()

    def fetch(
        self, *arguments: str, progress: Progress | None, stdin: BinaryIO | None = None
    ) -> str:
        """Run ``git fetch`` from the other side; the complaint if it failed, else empty."""
        from git import GitCommandError
        from git.cmd import handle_process_output
        from git.remote import to_progress_instance

        def report(
            _phase: int,
            done: float | str,
            total: float | str | None = None,
            _text: str = "",
        ) -> None:
            if progress and total:
                progress(float(done), float(total))

        listener = to_progress_instance(report)
        # The address is given for this run only: nothing else may go there on its own.
        options = [*_OPTIONS, "-c", f"remote.origin.url={self._url}"]
        if stdin:  # names of single objects, which cannot be negotiated
            options += ["-c", "fetch.negotiationAlgorithm=noop"]
        command = ("git", *options, *_FETCH, *arguments)
        process = self._git.execute(
            command, istream=stdin, as_process=True, universal_newlines=True
        )
        handle_process_output(
            process, None, listener.new_message_handler(), decode_streams=False
        )
        try:
            process.wait()
        except GitCommandError:
            lines = [*listener.error_lines, *listener.other_lines]
            return "\n".join(lines) or "git fetch failed"
        return ""


def _environment(folder: Path, *, transports: str) -> dict[str, str]:
    # Naming the folder spares git the search through parent folders, and a surrounding hook's
    # GIT_DIR does no harm. A foreign owner does not matter: the commands used here run nothing that
    # a repository's configuration names.
    return {
        "GIT_DIR": str(folder),
        "GIT_ALLOW_PROTOCOL": transports,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        # "false" answers every question of ssh, so that none reaches the terminal.
        "SSH_ASKPASS": "false",
        "SSH_ASKPASS_REQUIRE": "force",
        "GCM_INTERACTIVE": "never",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
