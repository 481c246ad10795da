"""Upstream's repository: resolves refs, fetches a commit, lists and reads its files.

A local repository is read in place. Objects of any other repository are fetched into a private
repository below ``build/cache/git`` (see ``store``). ``open_upstream`` opens the configured
upstream.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from pipeline.adapters.upstream import commit_log
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
from pipeline.adapters.upstream.commit_log import DocsCommit, Tag
from pipeline.adapters.upstream.program import Program, Progress, run_git
from pipeline.adapters.upstream.store import NO_ANSWER, Store, UpstreamErrors, reason_of
from pipeline.config.reader import upstream_variable
from pipeline.config.settings import Settings, Upstream
from pipeline.folders import ALL, Folders
from pipeline.packages import how_to_run
from pipeline.paths import Paths

_TREE = "040000"  # mode of a folder
# The line of a commit with its date: "committer A <a@b> 1700000000 +0800".
_COMMITTER = re.compile(rb"^committer .*> (\d+) ([+-])(\d\d)(\d\d)$", re.MULTILINE)


class TreeEntry(Struct, frozen=True, kw_only=True):
    """One file of a commit."""

    mode: str  # "100644", "120000" (symbolic link), "160000" (submodule)
    blob: str  # 40 hex digits
    # Path in the docs (``Folders.path_of``). Bytes that are not UTF-8 are surrogates.
    path: str


@contextmanager
def open_repository(
    address: Address, *, store: Path, unreachable_hint: str
) -> Iterator[Repository]:
    """Yield the repository at ``address``; fetched objects go to the folder ``store``.

    ``unreachable_hint`` is the hint of errors about an unreachable server. Raises UpstreamError.
    """
    folder = store
    in_place = address.kind is Kind.LOCAL
    if in_place:
        folder = git_folder(Path(address.url)) or store
    errors = UpstreamErrors(
        where=without_password(address.url),
        kind=address.kind,
        store=store,
        unreachable_hint=unreachable_hint,
    )
    with run_git(folder, address.url, in_place=in_place) as program:
        yield Repository(address, program, errors)


class Repository:
    """One upstream repository.

    Commits and blobs are given as 40 hex digits. An object is called local if git has it on this
    machine already. Methods raise UpstreamError, and WriteError if the disk is full.
    """

    def __init__(self, address: Address, program: Program, errors: UpstreamErrors) -> None:
        """Create the repository; ``program`` runs git in the folder for its objects."""
        self._kind = address.kind
        self._url = address.url
        self._program = program
        self._errors = errors
        self._store = Store(program, errors)

    def resolve(self, ref: str, progress: Progress | None = None) -> str:
        """Return the commit (40 hex digits) that ``ref`` names.

        ``ref`` is a tag, a branch, or a commit id, full or shortened; "" is HEAD. This method
        contacts the server, except for a full commit id that is local.
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
        """Fetch the folders ``docs`` at ``commit`` and return their files.

        Only missing objects are transferred, all blobs in one request. If ``needs_all`` is true,
        the commit must have all folders. Otherwise it must have at least one folder of ``docs``,
        because an older commit may lack the others.
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

    def fetch_places(self, commit: str, places: Sequence[str]) -> tuple[TreeEntry, ...]:
        """Fetch the files ``places`` at ``commit`` and return the ones that exist.

        ``places`` and the paths of the result start at the top of the repository, not at the docs.
        Files that a local partial clone lacks are left out.
        """
        answer = self._program.call("ls-tree", "-z", commit, "--", *places)
        listed = _entries(answer.output)
        entries = tuple(entry for entry in listed if entry.mode != _TREE)
        missing = set(self._missing(commit, [ALL])) if entries else set()
        wanted = [entry.blob for entry in entries if entry.blob in missing]
        if wanted and self._kind is Kind.LOCAL:
            return tuple(entry for entry in entries if entry.blob not in missing)
        if wanted:
            self._store.fetch_blobs(wanted, commit)
        return entries

    def read(self, blob: str, *, where: str = "") -> bytes:
        """Return the content of an object. ``where`` is its file, for messages."""
        try:
            return self._program.read_object(blob, where=where or f"object {blob}")
        except (ValueError, OSError) as error:
            raise self._errors.damaged(f"object {blob} cannot be read") from error

    def date(self, commit: str) -> str:
        """Return the committer date of ``commit``, ISO 8601 with offset; "" if malformed."""
        # The commit message starts after the first blank line. Search only above it, because the
        # message may contain a similar line.
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
            return ""  # the number may be out of range for a calendar

    def distance(self, old: str, new: str) -> tuple[int, int] | None:
        """Return how many commits only ``new`` has, and how many only ``old`` has.

        Return None if part of the history is not local.
        """
        if self._is_shallow():
            return None
        counts = self._program.call("rev-list", "--left-right", "--count", f"{old}...{new}")
        if counts.status:
            return None
        behind, ahead = counts.output.split()
        return int(ahead), int(behind)

    def history(self, commit: str, docs: Folders) -> tuple[DocsCommit, ...]:
        """Return the ancestors of ``commit`` that changed ``docs``, newest first.

        If the history is not local, fetch it first, without the content of the files if the server
        permits (see ``fetch_blobs``).
        """
        if self._peel(commit) is None:
            self._store.fetch_commit(commit)
        if self._is_shallow() and self._kind is Kind.REMOTE:
            self._store.fetch_history(commit)
        answer = self._program.call(*commit_log.LOG, commit, "--", *docs.names)
        if answer.status:
            raise self._errors.damaged(reason_of(answer.complaint))
        return commit_log.parse_log(answer.output, docs)

    def tree(self, commit: str, docs: Folders) -> tuple[TreeEntry, ...]:
        """Return the files of ``docs`` at a local commit; missing folders are skipped."""
        return tuple(chain.from_iterable(self._list(commit, docs).values()))

    def fetch_blobs(self, blobs: Collection[str], commit: str, docs: Folders) -> None:
        """Fetch those of ``blobs`` that are not local, in one request.

        The blobs must belong to the history of ``docs`` up to ``commit``. Do nothing for a local
        repository or a bundle, because ``history`` leaves out files only if it asks a server.
        """
        if self._kind is not Kind.REMOTE:
            return
        absent = set(self._absent(commit, "--", *docs.names))
        missing = [blob for blob in blobs if blob in absent]
        if missing:
            self._store.fetch_blobs(missing, commit)

    def dated_tags(self) -> tuple[Tag, ...]:
        """Return the tags whose commits are local, with dates. Contacts the server once."""
        if self._kind is Kind.LOCAL:
            tags = self._list_refs(commit_log.PEELED_TAGS, "refs/tags")
        else:
            tags = commit_log.commits_of_tags(self._advertised("refs/tags"))
        if self._kind is Kind.BUNDLE:
            # In a bundle's listing, an annotated tag has its own id, not its commit's.
            peeled = ((name, self._peel(commit)) for name, commit in tags.items())
            tags = {name: commit for name, commit in peeled if commit}
        log = ("log", "--no-walk=unsorted", "--ignore-missing", commit_log.DATES)
        answer = self._program.call(*log, *set(tags.values()))
        return commit_log.dated_tags(tags, answer.output)

    def tags(self) -> frozenset[str]:
        """Return the names of all tags. Contacts the server once and transfers nothing else."""
        if self._kind is Kind.LOCAL:
            return tag_names(self._local_refs())
        return tag_names(self._advertised("refs/tags"))

    def _is_shallow(self) -> bool:
        """Return whether part of the history is missing, or git cannot tell."""
        answer = self._program.call("rev-parse", "--is-shallow-repository")
        return bool(answer.status) or answer.output.strip() != b"false"

    def _find(self, ref: str, refs: dict[str, str], progress: Progress | None) -> str | None:
        """Return the commit of ``ref`` in the listing ``refs`` of the server.

        ``ref`` may also be a short commit that is local or in the bundle. Return None if there is
        no such ref or commit.
        """
        commit = match_ref(ref, refs)
        if commit is None:
            return self._find_short(ref, refs, progress)
        if self._kind is Kind.REMOTE:
            return commit
        # In the listing of a bundle, this may be the id of an annotated tag.
        return self._peel(commit) or self._fetch_and_peel(commit, progress)

    def _find_short(
        self, digits: str, refs: dict[str, str], progress: Progress | None
    ) -> str | None:
        """Return the commit that begins with ``digits``, or None."""
        if not SHORT_COMMIT.fullmatch(digits):
            return None
        peeled = self._peel(digits)
        # A server cannot find a commit by its first digits. We can find it in a bundle that has
        # been fetched. Fetching any ref of a bundle fetches the whole bundle.
        if peeled is None and refs and self._kind is Kind.BUNDLE:
            self._store.fetch_commit(next(iter(refs.values())), progress)
            peeled = self._peel(digits)
        return peeled

    def _advertised(self, ref: str) -> dict[str, str]:
        """Ask the server for its refs and return them: name → commit.

        If ``ref`` is "", ask only for HEAD. Otherwise ask for all refs that ``ref`` may mean.
        """
        if not ref:
            arguments = ["--", self._url, "HEAD"]
        elif self._kind is Kind.REMOTE:
            # Leave out the many refs of pull requests. HEAD is not needed here.
            arguments = ["--heads", "--tags", "--", self._url]
        else:
            arguments = ["--", self._url]
        answer = self._program.call("ls-remote", *arguments, timeout=NO_ANSWER)
        if answer.status:
            raise self._errors.failure(answer.complaint)
        return parse_listing(answer.text)

    def _local_refs(self) -> dict[str, str]:
        """Return the tags and branches of a local repository: name → commit."""
        as_ls_remote = "--format=%(objectname)%09%(refname)"
        return self._list_refs(as_ls_remote, "refs/tags", "refs/heads")

    def _list_refs(self, form: str, *groups: str) -> dict[str, str]:
        """Return the refs of a local repository in ``groups`` (``refs/tags``): name → commit.

        ``form`` is the option ``--format`` of ``git for-each-ref``.
        """
        answer = self._program.call("for-each-ref", form, *groups)
        # For example, git may be unable to read the configuration of the repository.
        if answer.status:
            raise self._errors.damaged(f"cannot be read: {reason_of(answer.complaint)}")
        return parse_listing(answer.text)

    def _peel(self, name: str) -> str | None:
        """Return the commit that the local object or ref ``name`` points to, or None."""
        answer = self._program.call("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if answer.status:
            return None
        return answer.output.decode("ascii").strip()

    def _fetch_and_peel(self, commit: str, progress: Progress | None) -> str | None:
        """Fetch ``commit``, which may be a tag's id, and return the commit that it points to."""
        self._store.fetch_commit(commit, progress)
        return self._peel(commit)

    def names(self, commit: str, docs: Folders) -> frozenset[str]:
        """Return the names of files and folders in some folders of ``commit``.

        These are the top folder, each docs folder, and the common parent of the docs folders. The
        content of their subfolders is left out. Call ``fetch`` before this method.
        """
        names: set[str] = set()
        for folder in {ALL, docs.root, *docs.names}:
            tree = _tree(commit, folder)
            answer = self._program.call("ls-tree", "-z", "--name-only", tree)
            names.update(answer.text.split("\0"))
        return frozenset(names)

    def _list(self, commit: str, docs: Folders) -> dict[str, list[TreeEntry]]:
        """Return the files of each docs folder that ``commit`` has, in git's order.

        The commit must be local; its blobs need not.
        """
        listed: dict[str, list[TreeEntry]] = {}
        for folder, prefix in docs.placed:
            answer = self._program.call("ls-tree", "-r", "-z", _tree(commit, folder))
            if answer.status:
                continue
            listed[folder] = list(_entries(answer.output, prefix))
        return listed

    def _refuse_folder(self, commit: str, folder: str) -> NoReturn:
        """Raise UpstreamError for a missing ``folder``, or an unreadable commit.

        The error lists the folders of ``commit``, because ``folder`` may have another name there.
        """
        answer = self._program.call("ls-tree", "-d", "-z", "--name-only", commit)
        if answer.status:
            raise self._errors.damaged(reason_of(answer.complaint))
        folders = [name for name in answer.text.split("\0") if name]
        raise self._errors.no_folder(folder, commit, folders=folders)

    def _missing(self, commit: str, folders: Iterable[str]) -> list[str]:
        """Return the blobs under ``folders`` that a filtered fetch left out."""
        return self._absent(*(_tree(commit, folder) for folder in folders))

    def _absent(self, *objects: str) -> list[str]:
        """Return the objects that are reachable from ``objects``, but not local."""
        rev_list = "rev-list --objects --no-object-names --missing=print".split()
        answer = self._program.call(*rev_list, *objects)
        if answer.status:
            raise self._errors.damaged(reason_of(answer.complaint))
        lines = answer.output.decode("ascii").split("\n")
        return [line.removeprefix("?") for line in lines if line.startswith("?")]


def _entries(output: bytes, prefix: str = "") -> Iterator[TreeEntry]:
    """Yield the files in the output of ``git ls-tree -z``."""
    for row in output.decode("utf-8", "surrogateescape").split("\0"):
        if row:  # "100644 blob 1f2e…<TAB>path/of/file.md"
            facts, path = row.split("\t", 1)
            mode, _kind, blob = facts.split(" ")
            yield TreeEntry(mode=mode, blob=blob, path=f"{prefix}{path}")


def _tree(commit: str, folder: str) -> str:
    """Return git's name of ``folder`` at ``commit``: ``1f2e…:docs``, or ``1f2e…:`` for ``ALL``."""
    return f"{commit}:{'' if folder == ALL else folder}"


CHECK_ADDRESS = "Check the address and the network, and run again."


def address_of(settings: Settings, upstream: Upstream) -> Address:
    """Return the address of ``upstream``, without running git.

    A relative path in the configuration starts at the project. In an environment variable that
    replaces the address, a relative path starts at the current folder. Raises UpstreamError for an
    invalid address.
    """
    base = Path.cwd() if upstream.url_replaced else settings.root
    return read_address(upstream.url, base=base)


@contextmanager
def open_upstream(
    settings: Settings, upstream: Upstream, *, unreachable_hint: str = ""
) -> Iterator[Repository | None]:
    """Yield the repository of ``upstream``, or None for a plain folder without history.

    ``unreachable_hint`` is the hint of errors about an unreachable server. If it is empty, the hint
    names the environment variable that can replace the address. Raises UpstreamError.
    """
    address = address_of(settings, upstream)
    if address.kind is Kind.FOLDER:
        yield None
        return
    paths = Paths(settings.root, upstream.name)
    # Resolve the path, because the build folder may be a link.
    store = (paths.cache / "git" / f"{paths.upstream}.git").resolve()
    with open_repository(
        address,
        store=store,
        unreachable_hint=unreachable_hint or _advice(settings, upstream),
    ) as repository:
        yield repository


def _advice(settings: Settings, upstream: Upstream) -> str:
    variable = upstream_variable(upstream.name)
    unreachable_hint = f"Set {variable} to a clone, a bundle or a mirror of upstream"
    if "sample" in settings.upstreams:
        return f"{unreachable_hint}, or run the sample: {how_to_run('sync', 'sample')}"
    return f"{CHECK_ADDRESS} Otherwise use a copy. {unreachable_hint}."
