"""Upstream's repository: resolves a ref, fetches one commit, lists and reads its files.

A local repository is read in place. Of any other, what is needed is fetched into a private store as
cheaply as the other side allows, and what is there already is not fetched again. ``open_upstream``
opens the one that the configuration names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain
from pathlib import Path
from typing import NoReturn

from pipeline.adapters.upstream.address import (
    FULL_COMMIT,
    SHORT_COMMIT,
    Address,
    Kind,
    git_folder,
    is_ref,
    match_ref,
    parse_listing,
    read_address,
    tag_names,
    without_password,
)
from pipeline.adapters.upstream.history import (
    DATES,
    LOG,
    PEELED_TAGS,
    DocsCommit,
    Tag,
    commits_of_tags,
    dated_tags,
    parse_log,
)
from pipeline.adapters.upstream.program import Program, Progress, run_git
from pipeline.adapters.upstream.store import NO_ANSWER, Store, UpstreamErrors, reason_of
from pipeline.config import Settings, Upstream, upstream_variable
from pipeline.folders import ALL, Folders
from pipeline.packages import how_to_run
from pipeline.paths import Paths

_TREE = "040000"  # the mode of a folder
# The line of a commit that says when it was made: "committer A <a@b> 1700000000 +0800".
_COMMITTER = re.compile(rb"^committer .*> (\d+) ([+-])(\d\d)(\d\d)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """One file of a tree. ``path`` is one of the docs (``Folders.path_of``).

    Bytes of the path that are not UTF-8 are surrogates.
    """

    mode: str  # "100644", "120000" (symbolic link), "160000" (submodule)
    blob: str
    path: str


@contextmanager
def open_repository(
    address: Address, *, store: Path, way_out: str
) -> Iterator[Repository]:
    """Read the repository at ``address``. ``store`` is the folder that fetched objects go to.

    ``way_out`` tells what to do when the other side cannot be reached. Raises UpstreamError.
    """
    folder = store
    in_place = address.kind is Kind.LOCAL
    if in_place:
        folder = git_folder(Path(address.url)) or store
    errors = UpstreamErrors(
        where=without_password(address.url),
        kind=address.kind,
        store=store,
        way_out=way_out,
    )
    with run_git(folder, address.url, in_place=in_place) as program:
        yield Repository(address, program, errors)


class Repository:
    """One upstream repository.

    Every method raises UpstreamError, or WriteError where the disk is full.
    """

    def __init__(
        self, address: Address, program: Program, errors: UpstreamErrors
    ) -> None:
        """``program`` runs git in the folder that has, or is to get, the objects."""
        self._kind = address.kind
        self._url = address.url
        self._program = program
        self._errors = errors
        self._store = Store(program, errors)

    def resolve(self, ref: str, progress: Progress | None = None) -> str:
        """The commit (40 hex digits) that ``ref`` names.

        It is a tag, a branch, a full or a short commit; "" is HEAD. Asks the other side once, and
        not at all for a full commit that is here already.
        """
        if ref == "HEAD":
            ref = ""
        if not is_ref(ref):
            raise self._errors.bad_ref(ref)
        refs: dict[str, str] = {}
        if self._kind is Kind.LOCAL:
            commit = self._peel(ref or "HEAD")
            if commit is None:
                refs = self._local_refs()
        elif FULL_COMMIT.fullmatch(ref):
            commit = self._peel(ref) or self._fetch_and_peel(ref, progress)
        else:
            refs = self._advertised(ref)
            commit = self._find(ref, refs, progress)
        if commit is None:
            raise self._errors.unknown_ref(ref, refs)
        return commit

    def fetch(
        self,
        commit: str,
        docs: Folders,
        progress: Progress | None = None,
        *,
        needs_all: bool = True,
    ) -> tuple[TreeEntry, ...]:
        """The files of the folders ``docs`` at ``commit``, which can then be read.

        Transfers only what is not here yet, all blobs in one go. Unless it ``needs_all``, one of
        several folders will do: an older commit may not have had the others yet.
        """
        if self._peel(commit) is None:
            self._store.fetch_commit(commit, progress)
        listed = self._list(commit, docs)
        absent = [name for name in docs.names if name not in listed]
        if absent and (needs_all or not listed):
            self._refuse_folder(commit, absent[0])
        missing = self._missing(commit, listed)
        if missing:
            self._store.fetch_blobs(missing, commit, progress)
        return tuple(chain.from_iterable(listed.values()))

    def fetch_places(
        self, commit: str, places: Sequence[str], progress: Progress | None = None
    ) -> tuple[TreeEntry, ...]:
        """The files at ``places`` of the repository, as ``fetch`` gives those of folders.

        What ``commit`` does not have is left out, and what a partial clone lacks. The paths of
        what is found are the places.
        """
        answer = self._program.call("ls-tree", "-z", commit, "--", *places)
        listed = _entries(answer.output)
        entries = tuple(entry for entry in listed if entry.mode != _TREE)
        missing = set(self._missing(commit, [ALL])) if entries else set()
        wanted = [entry.blob for entry in entries if entry.blob in missing]
        if wanted and self._kind is Kind.LOCAL:
            return tuple(entry for entry in entries if entry.blob not in missing)
        if wanted:
            self._store.fetch_blobs(wanted, commit, progress)
        return entries

    def read(self, blob: str) -> bytes:
        """The content of an object."""
        try:
            return self._program.read_object(blob)
        except (ValueError, OSError) as error:
            raise self._errors.damaged(f"object {blob} cannot be read") from error

    def date(self, commit: str) -> str:
        """When ``commit`` was committed, ISO 8601 with offset; empty if it does not say so."""
        # Behind the first blank line stands the message, which may say anything.
        head, _, _ = self.read(commit).partition(b"\n\n")
        committer = _COMMITTER.search(head)
        if committer is None:
            return ""
        seconds, sign, hours, minutes = committer.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        if sign == b"-":
            offset = -offset
        try:
            zone = timezone(offset) if offset else UTC
            return datetime.fromtimestamp(int(seconds), zone).isoformat()
        except (ValueError, OverflowError, OSError):
            return ""  # the number may be of a year that no calendar has

    def distance(self, old: str, new: str) -> tuple[int, int] | None:
        """How many commits lead to ``new`` only, and to ``old`` only.

        None if the history between them is not here.
        """
        if self._is_shallow():
            return None
        counts = self._program.call(
            "rev-list", "--left-right", "--count", f"{old}...{new}"
        )
        if counts.status:
            return None
        behind, ahead = counts.output.split()
        return int(ahead), int(behind)

    def history(
        self, commit: str, docs: Folders, progress: Progress | None = None
    ) -> tuple[DocsCommit, ...]:
        """What every commit up to ``commit`` did with the files of ``docs``, the newest first.

        Brings the history here if only the commit is, but not the files (see ``bring``).
        """
        if self._peel(commit) is None:
            self._store.fetch_commit(commit, progress)
        if self._is_shallow() and self._kind is Kind.REMOTE:
            self._store.fetch_history(commit, progress)
        answer = self._program.call(*LOG, commit, "--", *docs.names)
        if answer.status:
            raise self._errors.damaged(reason_of(answer.complaint))
        return parse_log(answer.output, docs)

    def tree(self, commit: str, docs: Folders) -> tuple[TreeEntry, ...]:
        """The files of ``docs`` at a commit that is here; none of folders that it does not have."""
        return tuple(chain.from_iterable(self._list(commit, docs).values()))

    def bring(
        self,
        blobs: Collection[str],
        commit: str,
        docs: Folders,
        progress: Progress | None = None,
    ) -> None:
        """Make sure that ``blobs`` of the history of ``docs`` can be read, all in one go.

        Only of a remote repository files are left out: see ``history``.
        """
        if self._kind is not Kind.REMOTE:
            return
        answer = self._program.call(
            "rev-list",
            "--objects",
            "--no-object-names",
            "--missing=print",
            commit,
            "--",
            *docs.names,
        )
        if answer.status:
            raise self._errors.damaged(reason_of(answer.complaint))
        lines = answer.output.decode("ascii").split("\n")
        absent = {line.removeprefix("?") for line in lines if line.startswith("?")}
        missing = [blob for blob in blobs if blob in absent]
        if missing:
            self._store.fetch_blobs(missing, commit, progress)

    def dated_tags(self) -> tuple[Tag, ...]:
        """The tags whose commits are here, each with its date. Asks the other side once."""
        if self._kind is Kind.LOCAL:
            listed = self._program.call("for-each-ref", PEELED_TAGS, "refs/tags")
            tags = parse_listing(listed.text)
        else:
            advertised = commits_of_tags(self._advertised("refs/tags"))
            tags = self._peeled(advertised)
        answer = self._program.call(
            "log", "--no-walk=unsorted", "--ignore-missing", DATES, *set(tags.values())
        )
        return dated_tags(tags, answer.output)

    def tags(self) -> frozenset[str]:
        """The names of all tags. Asks the other side once, and transfers nothing else."""
        if self._kind is Kind.LOCAL:
            return tag_names(self._local_refs())
        return tag_names(self._advertised("refs/tags"))

    def _peeled(self, tags: dict[str, str]) -> dict[str, str]:
        """The tags with their commits: a bundle does not say what an annotated one stands for."""
        if self._kind is not Kind.BUNDLE:
            return tags
        peeled = {name: self._peel(commit) for name, commit in tags.items()}
        return {name: commit for name, commit in peeled.items() if commit}

    def _is_shallow(self) -> bool:
        """Whether some of the history is not here; also where git cannot say."""
        answer = self._program.call("rev-parse", "--is-shallow-repository")
        return bool(answer.status) or answer.output.strip() != b"false"

    def _find(
        self, ref: str, refs: dict[str, str], progress: Progress | None
    ) -> str | None:
        """The commit of ``ref``, where ``refs`` are those that the other side has.

        None if it has no such ref, and no such short commit is here or in the bundle.
        """
        commit = match_ref(ref, refs)
        if commit is None:
            return self._find_short(ref, refs, progress)
        if self._kind is Kind.REMOTE:
            return commit
        # A bundle does not say what an annotated tag stands for.
        return self._peel(commit) or self._fetch_and_peel(commit, progress)

    def _find_short(
        self, digits: str, refs: dict[str, str], progress: Progress | None
    ) -> str | None:
        """The commit that begins with ``digits`` and that no ref names; None if there is none."""
        if not SHORT_COMMIT.fullmatch(digits):
            return None
        peeled = self._peel(digits)
        # Another server looks for no part of a name; any ref of a bundle brings all that is in it.
        if peeled is None and refs and self._kind is Kind.BUNDLE:
            self._store.fetch_commit(next(iter(refs.values())), progress)
            peeled = self._peel(digits)
        return peeled

    def _advertised(self, ref: str) -> dict[str, str]:
        """The refs that the other side has: name → commit."""
        if not ref:
            arguments = ["--", self._url, "HEAD"]
        elif self._kind is Kind.REMOTE:
            # This spares the list of all pull requests. HEAD is outside of both.
            arguments = ["--heads", "--tags", "--", self._url]
        else:
            arguments = ["--", self._url]
        answer = self._program.call("ls-remote", *arguments, timeout=NO_ANSWER)
        if answer.status:
            raise self._errors.failure(answer.complaint)
        return parse_listing(answer.text)

    def _local_refs(self) -> dict[str, str]:
        """The tags and branches of a repository that is read in place: name → commit."""
        as_ls_remote = "--format=%(objectname)%09%(refname)"
        answer = self._program.call(
            "for-each-ref", as_ls_remote, "refs/tags", "refs/heads"
        )
        return parse_listing(answer.text)

    def _peel(self, name: str) -> str | None:
        """The commit that ``name`` leads to, if it is here."""
        answer = self._program.call(
            "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"
        )
        if answer.status:
            return None
        return answer.output.decode("ascii").strip()

    def _fetch_and_peel(self, commit: str, progress: Progress | None) -> str | None:
        """The commit that ``commit`` leads to, which may be a tag, once it is here."""
        self._store.fetch_commit(commit, progress)
        return self._peel(commit)

    def names(self, commit: str, docs: Folders) -> frozenset[str]:
        """The names of what lies at the top of ``commit``, and at the top of each of ``docs``.

        All are here once ``fetch`` has been called. What holds all of several counts as well.
        """
        names: set[str] = set()
        for folder in {ALL, docs.root, *docs.names}:
            tree = _tree(commit, folder)
            answer = self._program.call("ls-tree", "-z", "--name-only", tree)
            names.update(answer.text.split("\0"))
        return frozenset(names)

    def _list(self, commit: str, docs: Folders) -> dict[str, list[TreeEntry]]:
        """The files of those of ``docs`` that ``commit`` has, in git's order. Trees are here."""
        listed: dict[str, list[TreeEntry]] = {}
        for folder, prefix in docs.placed:
            answer = self._program.call("ls-tree", "-r", "-z", _tree(commit, folder))
            if answer.status:
                continue
            listed[folder] = list(_entries(answer.output, prefix))
        return listed

    def _refuse_folder(self, commit: str, folder: str) -> NoReturn:
        """Raise UpstreamError: there is no ``folder``, or the commit itself cannot be read.

        The error names the folders that are there: ``folder`` may have another name.
        """
        answer = self._program.call("ls-tree", "-d", "-z", "--name-only", commit)
        if answer.status:
            raise self._errors.damaged(reason_of(answer.complaint))
        folders = [name for name in answer.text.split("\0") if name]
        raise self._errors.no_folder(folder, commit, folders=folders)

    def _missing(self, commit: str, folders: Iterable[str]) -> list[str]:
        """The blobs under ``folders`` that a filtered fetch has left out."""
        answer = self._program.call(
            "rev-list",
            "--objects",
            "--no-object-names",
            "--missing=print",
            *(_tree(commit, folder) for folder in folders),
        )
        if answer.status:
            raise self._errors.damaged(reason_of(answer.complaint))
        lines = answer.output.decode("ascii").split("\n")
        return [line.removeprefix("?") for line in lines if line.startswith("?")]


def _entries(output: bytes, prefix: str = "") -> Iterator[TreeEntry]:
    """The files that ``git ls-tree -z`` has listed."""
    for row in output.decode("utf-8", "surrogateescape").split("\0"):
        if row:  # "100644 blob 1f2e…<TAB>path/of/file.md"
            facts, path = row.split("\t", 1)
            mode, _kind, blob = facts.split(" ")
            yield TreeEntry(mode=mode, blob=blob, path=f"{prefix}{path}")


def _tree(commit: str, folder: str) -> str:
    """How git names ``folder`` at ``commit``; that of the whole repository has an empty name."""
    return f"{commit}:{'' if folder == ALL else folder}"


CHECK_ADDRESS = "Check the address and the network, and run again."


def address_of(settings: Settings, upstream: Upstream) -> Address:
    """Where ``upstream`` is; runs no git. Raises UpstreamError if that is no address.

    A relative path in the configuration starts at the project; one in the variable that replaces it
    starts where the person is who has set it.
    """
    base = Path.cwd() if upstream.url_replaced else settings.root
    return read_address(upstream.url, base=base)


@contextmanager
def open_upstream(
    settings: Settings, upstream: Upstream, *, way_out: str = ""
) -> Iterator[Repository | None]:
    """Open ``upstream`` for reading; None stands for a plain folder, which has no history.

    ``way_out`` tells what to do when it cannot be reached; empty: what fits this upstream.
    Raises UpstreamError.
    """
    address = address_of(settings, upstream)
    if address.kind is Kind.FOLDER:
        yield None
        return
    cache = Paths(settings.root, upstream.name).cache
    # Resolved: the build folder may be a link, and git is told the folder by its name.
    store = (cache / "git" / f"{upstream.name}.git").resolve()
    with open_repository(
        address, store=store, way_out=way_out or _advice(settings, upstream)
    ) as repository:
        yield repository


def _advice(settings: Settings, upstream: Upstream) -> str:
    variable = upstream_variable(upstream.name)
    way_out = f"Set {variable} to a clone, a bundle or a mirror of it"
    if "sample" in settings.upstreams:
        return f"{way_out}, or run the sample: {how_to_run('sync', 'sample')}"
    return f"{CHECK_ADDRESS} Or: {way_out}."
