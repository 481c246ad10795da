"""Runner of the git program for one repository.

git starts without hooks, prompts and pagers, and checks nothing out. It reads the user's
configuration (proxies, credentials, ``insteadOf``), but never writes it. The caller chooses the
command and interprets its status, output and messages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct

from pipeline.adapters.upstream.address import SCHEMES
from pipeline.errors import UpstreamError, check_limit
from pipeline.limits import UPSTREAM_BYTES

if TYPE_CHECKING:
    from git import Git

# Function that is called with the number of finished units and the total. Both start again with
# each phase of a command.
Progress = Callable[[float, float], None]

_OPTIONS = (
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "protocol.version=2"),
    # Give up if a server sends less than 1000 bytes per second for a minute.
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


class Answer(Struct, frozen=True, kw_only=True):
    """Result of a git command: exit status, output and error messages."""

    status: int
    output: bytes
    complaint: str

    @property
    def text(self) -> str:
        """Return the output as text, with U+FFFD for bytes that are not UTF-8."""
        return self.output.decode("utf-8", "replace")


@contextmanager
def run_git(folder: Path, url: str, *, in_place: bool) -> Iterator[Program]:
    """Yield the git program for the repository in ``folder``, with ``url`` as its remote.

    With ``in_place``, git reads the repository and cannot contact any server. Raises UpstreamError
    if git is not installed.
    """
    try:
        import git
    except ImportError as error:  # raised by GitPython if there is no git program
        hint = "Install git, or put it on PATH, and run again."
        raise UpstreamError("git cannot be run", hint=hint) from error
    # ``read_address`` has checked the URL. GitPython checks it again.
    git.Git.check_unsafe_protocols(url)
    handle = git.Git()
    transports = "none" if in_place else ":".join(SCHEMES)
    handle.update_environment(**_environment(folder, transports=transports))
    try:
        yield Program(handle, url)
    finally:
        handle.clear_cache()  # end the processes that read objects


class Program:
    """The git program for one repository.

    If a command fails, ``call`` and ``fetch`` return git's message instead of raising an error.
    """

    def __init__(self, git: Git, url: str) -> None:
        self._git = git
        self._url = url

    def call(self, *arguments: str, timeout: float | None = None) -> Answer:
        """Run git with ``arguments`` and return the result.

        If git takes more than ``timeout`` seconds, it is killed, and ``complaint`` says so.
        """
        status, output, complaint = self._git.execute(
            ("git", *_OPTIONS, *arguments),
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
            kill_after_timeout=timeout,
        )
        return Answer(status=status, output=output, complaint=complaint)

    def read_object(self, name: str, *, where: str) -> bytes:
        """Return the content of the object ``name``. Raises ValueError or OSError if it is missing.

        A git process keeps running between calls, which makes many small reads fast. Raises
        InputError, which names ``where``, if the object is too large: git may have compressed it to
        a thousandth.
        """
        _, _, size, content = self._git.stream_object_data(name)
        if size > UPSTREAM_BYTES.most:
            self.clear_cache()  # the process would write all of it
        check_limit(size, UPSTREAM_BYTES, where=where)
        return content.read(size)

    def clear_cache(self) -> None:
        """End the processes that read objects. Call this before the folder is changed."""
        self._git.clear_cache()

    def fetch(
        self,
        *arguments: str,
        progress: Progress | None = None,
        stdin: BinaryIO | None = None,
    ) -> str:
        """Run ``git fetch`` from the remote; return the error message, or "" on success."""
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
        # Configure the remote for this command only, so that no other command can contact it.
        options = [*_OPTIONS, "-c", f"remote.origin.url={self._url}"]
        # ``stdin`` has the names of single objects. git can only negotiate about commits, so tell
        # it not to negotiate.
        if stdin:
            options += ["-c", "fetch.negotiationAlgorithm=noop"]
        command = ("git", *options, *_FETCH, *arguments)
        process = self._git.execute(
            command, istream=stdin, as_process=True, universal_newlines=True
        )
        handle_process_output(process, None, listener.new_message_handler(), decode_streams=False)
        try:
            process.wait()
        except GitCommandError:
            lines = [*listener.error_lines, *listener.other_lines]
            return "\n".join(lines) or "git fetch failed"
        return ""


def _environment(folder: Path, *, transports: str) -> dict[str, str]:
    # Our GIT_DIR replaces the one that is set if the pipeline runs in a git hook. It also keeps git
    # from searching parent folders, and from checking who owns the folder. To skip this check is
    # safe, because our commands never run a program that a repository's configuration names.
    return {
        "GIT_DIR": str(folder),
        "GIT_ALLOW_PROTOCOL": transports,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        # ssh runs the program "false" for every question, instead of asking in the terminal.
        "SSH_ASKPASS": "false",
        "SSH_ASKPASS_REQUIRE": "force",
        "GCM_INTERACTIVE": "never",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
