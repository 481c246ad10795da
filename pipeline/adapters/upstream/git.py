"""The only user of git. Resolves a ref, fetches one commit as cheaply as the other side allows, reads its files.

Nothing is checked out, no hook, prompt or pager can start, and the user's own configuration is read (proxies,
credentials, ``insteadOf``) but never written.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from pipeline.adapters.files import WriteError
from pipeline.errors import PipelineError, UpstreamError

if TYPE_CHECKING:
    from git import Git

Progress = Callable[[float, float], None]  # units done, units in all; starts again with every phase

_SCHEMES = ("https", "http", "ssh", "git", "file")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_ABBREVIATED = re.compile(r"[0-9a-f]{7,39}")
_BAD_IN_REF = re.compile(r"^[-/.]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|/\.|(/|\.|\.lock)$")
_BUNDLE = re.compile(rb"# v[23] git bundle\n")

_ADDRESS_HINT = "Give a URL, a bundle, a repository or a folder."
_WRITE_HINT = "Free some space or mend the permissions, and run again; what was pulled before is untouched."

_OPTIONS = (
    *("-c", f"core.hooksPath={os.devnull}", "-c", "protocol.version=2"),
    *("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60"),
)
_FETCH = ("fetch", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no", "--progress")
_WHOLE = ("--no-filter",)
_WAYS = (("--depth=1", "--filter=blob:none"), ("--depth=1", "--no-filter"), _WHOLE)  # the cheapest first
_NOT_ABLE = re.compile(r"shallow|--depth|filter")  # the server cannot do it that way: try the next
_NO_ANSWER = 60.0  # seconds that listing the refs may take
_NOISE = re.compile(r"\s*$|warning:|From |fatal: Could not read from remote|Please make sure you have|and the repository exists")


class Kind(StrEnum):
    """What an upstream's address leads to."""

    REMOTE = "remote repository"
    LOCAL = "local repository"
    BUNDLE = "bundle"
    FOLDER = "plain folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """One file of a tree. ``path`` is relative to the docs folder; bytes that are not UTF-8 are surrogates."""

    mode: str  # "100644", "120000" (symbolic link), "160000" (submodule)
    blob: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A checked address: a URL, or the absolute path of something that exists."""

    url: str
    kind: Kind


def read_address(url: str, *, base: Path) -> Address:
    """Find out what ``url`` leads to; a relative path starts at ``base``. Runs no git. Raises UpstreamError.

    A folder counts as a repository only if it is the root of one: a plain folder inside a work tree stays one.
    """
    if not url or url.startswith("-") or re.search(r"[\x00-\x1f\x7f]", url):
        raise _refused(url, "git would not read it as an address")
    path = Path(os.path.abspath(base / url.removeprefix("file://")))
    try:
        if path.is_file():
            return _read_bundle_address(path)
        if path.is_dir() and "://" not in url:
            return Address(url=str(path), kind=Kind.LOCAL if _git_folder(path) else Kind.FOLDER)
    except OSError as error:
        raise UpstreamError(f"cannot be read: {error.strerror}", where=str(path), hint=_ADDRESS_HINT) from error
    _check_url(url)
    return Address(url=url, kind=Kind.REMOTE)


def without_password(text: str) -> str:
    """``text`` as it may be shown and committed: web addresses in it lose user and password."""
    return re.sub(r"(https?://)[^/\s]*@", r"\1", text)


@contextmanager
def open_repository(address: Address, *, store: Path, way_out: str) -> Iterator[Repository]:
    """Read the repository at ``address``. ``store`` is the private repository that fetched objects go to.

    ``way_out`` tells what to do when the other side cannot be reached. A local repository is read in place.
    """
    try:
        import git
    except ImportError as error:  # GitPython raises it when there is no git program
        raise UpstreamError("git cannot be run", hint="Install git, or put it on PATH, and run again.") from error
    git.Git.check_unsafe_protocols(address.url)  # a second fence behind ours
    local = address.kind is Kind.LOCAL
    place = _git_folder(Path(address.url)) if local else store
    program = git.Git()
    program.update_environment(**_environment(cast(Path, place), transports="none" if local else ":".join(_SCHEMES)))
    try:
        yield Repository(address, program, store=store, way_out=way_out)
    finally:
        program.clear_cache()  # ends the processes that it keeps for reading


class Repository:
    """One upstream repository. Every method raises UpstreamError, or WriteError where the disk is full."""

    def __init__(self, address: Address, program: Git, *, store: Path, way_out: str) -> None:
        self._kind = address.kind
        self._url = address.url
        self._where = without_password(address.url)
        self._git = program
        self._store = store
        self._way_out = way_out

    def resolve(self, ref: str, progress: Progress | None = None) -> str:
        """The commit (40 hex digits) that ``ref`` names: a tag, a branch, a full or short commit; "" is HEAD.

        Asks the other side once, and not at all for a full commit that is here already.
        """
        ref = "" if ref == "HEAD" else ref
        if _BAD_IN_REF.search(ref):
            raise UpstreamError(f"{ref!r} is not a ref", where=self._where, hint="Give a tag, a branch or a commit, e.g. --ref main")
        if self._kind is Kind.LOCAL:
            return self._peel(ref or "HEAD") or self._unknown(ref, self._local_refs())
        if _COMMIT.fullmatch(ref):
            return self._peel(ref) or self._peel_fetched(ref, progress) or self._unknown(ref, {})
        refs = self._advertised(ref)
        found = _match(ref, refs)
        if found and self._kind is Kind.REMOTE:
            return found
        if found:  # a bundle does not say what an annotated tag stands for
            return self._peel(found) or self._peel_fetched(found, progress) or self._unknown(ref, refs)
        if _ABBREVIATED.fullmatch(ref):
            unpack = next(iter(refs.values()), None) if self._kind is Kind.BUNDLE else None
            commit = self._peel(ref) or (self._peel_fetched(unpack, progress, name=ref) if unpack else None)
            if commit:
                return commit
        return self._unknown(ref, refs)

    def fetch(self, commit: str, docs: str, progress: Progress | None = None) -> tuple[TreeEntry, ...]:
        """The files of folder ``docs`` ("." is the root) at ``commit``; afterwards all of them can be read.

        Transfers only what is not here yet, all blobs in one go.
        """
        if self._peel(commit) is None:
            self._transfer(commit, progress)
        entries = self._list(commit, docs)
        if missing := self._missing(commit, docs):
            self._complete(commit, missing, progress)
        return entries

    def read(self, blob: str) -> bytes:
        """The content of an object."""
        try:
            return self._git.get_object_data(blob)[3]
        except (ValueError, OSError) as error:
            raise self._damaged(f"object {blob} cannot be read") from error

    def date(self, commit: str) -> str:
        """When ``commit`` was committed, ISO 8601 with offset; empty if it does not say so."""
        match = re.search(rb"^committer .*> (\d+) ([+-])(\d\d)(\d\d)$", self.read(commit).split(b"\n\n")[0], re.MULTILINE)
        if not match:
            return ""
        offset = timedelta(hours=int(match[3]), minutes=int(match[4])) * (-1 if match[2] == b"-" else 1)
        try:
            return datetime.fromtimestamp(int(match[1]), timezone(offset) if offset else UTC).isoformat()
        except (ValueError, OverflowError, OSError):
            return ""

    def distance(self, old: str, new: str) -> tuple[int, int] | None:
        """How many commits lead to ``new`` only, and to ``old`` only; None if the history between them is not here."""
        shallow, out, _ = self._call("rev-parse", "--is-shallow-repository")
        if shallow or out.strip() != b"false":
            return None
        status, out, _ = self._call("rev-list", "--left-right", "--count", f"{old}...{new}")
        if status:
            return None
        behind, ahead = out.split()
        return int(ahead), int(behind)

    def tags(self) -> frozenset[str]:
        """The names of all tags. Asks the other side once, and transfers nothing else."""
        refs = self._local_refs() if self._kind is Kind.LOCAL else self._advertised("refs/tags")
        return frozenset(re.sub(r"^refs/tags/|\^\{\}$", "", name) for name in refs if name.startswith("refs/tags/"))

    def _advertised(self, ref: str) -> dict[str, str]:
        # Asking for heads and tags only spares the list of all pull requests; HEAD is outside of both.
        narrow = ("--heads", "--tags") if ref and self._kind is Kind.REMOTE else ()
        status, out, err = self._call("ls-remote", *narrow, "--", self._url, *([] if ref else ["HEAD"]), timeout=_NO_ANSWER)
        if status:
            raise self._failure(err)
        lines = (line.partition("\t") for line in out.decode("utf-8", "replace").split("\n") if line)
        return {name: commit for commit, _, name in lines}

    def _local_refs(self) -> dict[str, str]:
        _, out, _ = self._call("for-each-ref", "--format=%(refname) %(objectname)", "refs/tags", "refs/heads")
        return dict(line.split(" ") for line in out.decode("utf-8", "replace").split("\n") if line)

    def _peel(self, name: str) -> str | None:
        status, out, _ = self._call("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return None if status else out.decode("ascii").strip()

    def _peel_fetched(self, found: str, progress: Progress | None, *, name: str = "") -> str | None:
        self._transfer(found, progress)
        return self._peel(name or found)

    def _transfer(self, commit: str, progress: Progress | None, *, ways: tuple[tuple[str, ...], ...] = _WAYS) -> None:
        if self._kind is Kind.LOCAL:
            raise self._damaged(f"commit {commit} is not there")
        for way in ways if self._kind is Kind.REMOTE else (_WHOLE,):
            self._prepare_store()
            error = self._fetch(*way, "origin", f"+{commit}:refs/pulled/{commit}", progress=progress)
            if not error:
                return
            if way == _WHOLE or not _NOT_ABLE.search(error):
                break
            shutil.rmtree(self._store)  # marked as partial by now: older gits would go after what is missing, without end
        raise self._failure(error)

    def _complete(self, commit: str, missing: list[str], progress: Progress | None) -> None:
        """Get the blobs that a filtered fetch left out, by their ids."""
        if self._kind is Kind.LOCAL:
            raise self._damaged(f"{len(missing)} files of the docs folder are not there (is it a partial clone?)")
        with tempfile.TemporaryFile() as ids:
            ids.write("".join(f"{blob}\n" for blob in missing).encode("ascii"))
            ids.seek(0)
            error = self._fetch("--filter=blob:none", "--stdin", "origin", progress=progress, stdin=cast(BinaryIO, ids))
        if re.search(r"not our ref|unadvertised|does not allow", error):  # an old server: take the commit with all its files
            shutil.rmtree(self._store)
            self._transfer(commit, progress, ways=_WAYS[1:])
        elif error:
            raise self._failure(error)

    def _fetch(self, *arguments: str, progress: Progress | None, stdin: BinaryIO | None = None) -> str:
        """Run ``git fetch``; the complaint if it failed, else empty."""
        from git import GitCommandError
        from git.cmd import handle_process_output
        from git.remote import to_progress_instance

        def report(_: int, done: float | str, total: float | str | None = None, __: str = "") -> None:
            if progress and total:
                progress(float(done), float(total))

        listener = to_progress_instance(report)
        # The address is given for this run only: nothing else may go there on its own. Single objects cannot be negotiated.
        address = ("-c", f"remote.origin.url={self._url}", *(("-c", "fetch.negotiationAlgorithm=noop") if stdin else ()))
        command = ("git", *_OPTIONS, *address, *_FETCH, *arguments)
        process = self._git.execute(command, istream=stdin, as_process=True, universal_newlines=True)
        handle_process_output(process, None, listener.new_message_handler(), decode_streams=False)
        try:
            process.wait()
        except GitCommandError:
            return "\n".join([*listener.error_lines, *listener.other_lines]) or "git fetch failed"
        return ""

    def _prepare_store(self) -> None:
        """Make sure of the private repository, and clear what a killed run left in it."""
        self._git.clear_cache()
        try:
            self._store.mkdir(parents=True, exist_ok=True)
            for pattern in ("*.lock", "tmp_*"):
                for left in [path for path in self._store.rglob(pattern) if path.is_file()]:
                    left.unlink()
        except OSError as error:
            raise WriteError(f"cannot be written: {error.strerror}", where=str(self._store), hint=_WRITE_HINT) from error
        status, _, err = self._call("init", "--quiet", "--bare", "--template=")
        if status:
            raise self._failure(err)

    def _list(self, commit: str, docs: str) -> tuple[TreeEntry, ...]:
        status, out, _ = self._call("ls-tree", "-r", "-z", f"{commit}:{'' if docs == '.' else docs}")
        if status:
            damaged, folders, err = self._call("ls-tree", "-d", "-z", "--name-only", commit)
            if damaged:
                raise self._damaged(_reason(err))
            names = [name for name in folders.decode("utf-8", "replace").split("\0") if name]
            there = f"Folders there: {', '.join(names[:8])}." if names else "It has no folders."
            hint = f"{there} Set 'docs' in the configuration."
            raise UpstreamError(f"has no folder {docs!r} at commit {commit[:12]}", where=self._where, hint=hint)
        rows = (row.split("\t", 1) for row in out.decode("utf-8", "surrogateescape").split("\0") if row)
        return tuple(TreeEntry(mode=head.split(" ")[0], blob=head.split(" ")[2], path=path) for head, path in rows)

    def _missing(self, commit: str, docs: str) -> list[str]:
        tree = f"{commit}:{'' if docs == '.' else docs}"
        status, out, err = self._call("rev-list", "--objects", "--no-object-names", "--missing=print", tree)
        if status:
            raise self._damaged(_reason(err))
        return [line[1:] for line in out.decode("ascii").split("\n") if line.startswith("?")]

    def _call(self, *arguments: str, timeout: float | None = None) -> tuple[int, bytes, str]:
        """Run git; its status, output and complaints."""
        return self._git.execute(
            ("git", *_OPTIONS, *arguments),
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
            kill_after_timeout=timeout,
        )

    def _unknown(self, ref: str, refs: Mapping[str, str]) -> str:
        names = sorted({re.sub(r"^refs/(tags|heads)/|\^\{\}$", "", re.sub(r"\^\{\}$", "", name)) for name in refs})
        near = difflib.get_close_matches(ref, names, n=3, cutoff=0.5)
        if near:
            hint = f"Did you mean {' or '.join(repr(name) for name in near)}?"
        elif _ABBREVIATED.fullmatch(ref) and self._kind is Kind.REMOTE:
            hint = "Another server's commits can only be named in full: give all 40 digits."
        else:
            hint = f"Known: {', '.join(names[-5:])}." if names else "Check the ref and run again."
        what = f"has no tag, branch or commit {ref!r}" if ref else "is empty: it has no HEAD; name a ref"
        raise UpstreamError(what, where=self._where, hint=hint)

    def _failure(self, err: str) -> PipelineError:
        if re.search(r"No space left on device|Disk quota exceeded|Read-only file system", err):
            return WriteError(f"cannot be written: {_reason(err)}", where=str(self._store), hint=_WRITE_HINT)
        if re.search(r"not our ref|unadvertised|not a valid object|bad object|couldn't find remote ref", err):
            return UpstreamError(f"has no such commit: {_reason(err)}", where=self._where, hint="Check the ref; a commit is 40 digits.")
        if self._kind is Kind.BUNDLE:
            hint = "Copy it again, or make a new one with: git bundle create FILE --all"
            return UpstreamError(f"is a damaged or incomplete bundle: {_reason(err)}", where=self._where, hint=hint)
        if re.search(r"could not read (Username|Password)|Authentication failed|Permission denied", err):
            what = "does not exist, or wants a password, for which nobody is asked here"
            return UpstreamError(what, where=self._where, hint=self._way_out)
        reason = f"no answer within {_NO_ANSWER:g} s" if err.startswith("Timeout:") else _reason(err)
        return UpstreamError(f"cannot be reached: {reason}", where=self._where, hint=self._way_out)

    def _damaged(self, what: str) -> UpstreamError:
        fetched = f"Delete {self._store} and pull again."
        return UpstreamError(what, where=self._where, hint="Mend that repository, or use another." if self._kind is Kind.LOCAL else fetched)


def _match(ref: str, refs: Mapping[str, str]) -> str | None:
    """The commit of ``ref`` among advertised refs; tags go before branches, as in git."""
    for name in (f"refs/tags/{ref}", f"refs/heads/{ref}", ref) if ref else ("HEAD",):
        if found := refs.get(f"{name}^{{}}") or refs.get(name):
            return found
    if _ABBREVIATED.fullmatch(ref):
        tips = {refs.get(f"{name}^{{}}", commit) for name, commit in refs.items() if commit.startswith(ref)}
        return tips.pop() if len(tips) == 1 else None
    return None


def _check_url(url: str) -> None:
    helper = re.match(r"[^/:]*::", url)
    scheme = re.match(r"([^/:]+)://", url)
    if helper or (scheme and scheme[1] not in _SCHEMES):
        raise _refused(url, f"only {', '.join(_SCHEMES)} are allowed")
    host = re.match(r"(?:[^/:]+://)?(?:[^/@]*@)?([^/:]*)", url)
    if re.search(r"\s", url) or (host and host[1].startswith("-")):
        raise _refused(url, "git would not read it as an address")
    if not scheme and not re.match(r"[^/:]+:", url):
        raise UpstreamError("does not exist", where=url, hint=_ADDRESS_HINT)


def _read_bundle_address(path: Path) -> Address:
    with path.open("rb") as file:
        if not _BUNDLE.match(file.read(16)):
            hint = "Make one with: git bundle create FILE --all"
            raise UpstreamError("is a file, but not a git bundle", where=str(path), hint=hint)
    return Address(url=str(path), kind=Kind.BUNDLE)


def _refused(url: str, why: str) -> UpstreamError:
    return UpstreamError(f"{without_password(url)!r} is refused as an upstream: {why}", hint=_ADDRESS_HINT)


def _git_folder(path: Path) -> Path | None:
    if (path / ".git").exists():
        return path / ".git"
    return path if (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir() else None


def _environment(folder: Path, *, transports: str) -> dict[str, str]:
    # Naming the folder spares git the search through parent folders, and a surrounding hook's GIT_DIR does no harm.
    # A foreign owner does not matter: the commands used here run nothing that a repository's configuration names.
    return {
        "GIT_DIR": str(folder),
        "GIT_ALLOW_PROTOCOL": transports,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "false",
        "SSH_ASKPASS_REQUIRE": "force",  # "false" answers every question of ssh, so none reaches the terminal
        "GCM_INTERACTIVE": "never",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }


def _reason(err: str) -> str:
    lines = [line.strip() for line in err.split("\n") if not _NOISE.match(line)]
    return without_password(re.sub(r"^(fatal|error): ", "", lines[0])) if lines else "git gives no reason"
