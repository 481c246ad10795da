"""Manifest of a site, ``freshness.json``: written after a build, read by ``verify-site``.

The manifest has the inputs, the state and the file digests of every page. They come from the
records of the pages, the lock and the history. Other programs rely on the keys, which
docs/site-files.md documents. Records and files of a page are read again only if they have changed
since the last run.

A manifest that ``verify-site`` reads is untrusted, because it may come from any web site.
``read_manifest`` rejects a manifest with a path that leaves the site.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.adapters import files
from pipeline.adapters.memo import Memo, digest_of_stamps
from pipeline.adapters.version_control import clean_commit
from pipeline.core.pin.lock import DOCSTRING_SUFFIX
from pipeline.core.word_diff import Part
from pipeline.errors import InputError
from pipeline.folders import is_safe_path
from pipeline.site.names import DOWNLOADS, RECORDS, TranslationState
from pipeline.site.plan import Site

SCHEMA = 1
MANIFEST = "freshness.json"
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_HINT = (
    "Name the root of a site that this project has built: the folder or address "
    "that has freshness.json in it."
)
# The parts of a word diff that together are the old text, and those that together are the new text.
_OLD, _NEW = (Part.KEPT, Part.REMOVED), (Part.KEPT, Part.ADDED)


class _PageMemo(Struct, frozen=True, kw_only=True):
    """Memo of one page: values of its record, and stamp and digest of each of its files, by path.

    A stamp is a digest of size and modification time.
    """

    facts: dict[str, Any]  # values copied into the manifest
    downloads: tuple[str, ...]
    included: list[dict[str, str]]
    digests: dict[str, tuple[str, str]] = field(default_factory=dict)


def freshness_of_site(
    site: Site, rows: Sequence[Mapping[str, Any]], history: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the content of ``freshness.json``. ``rows`` are the pages of ``progress.json``.

    ``history`` are the last changes of pages (``last_changes.last_changes``), as dictionaries.
    """
    changes = {
        change["page"]: {key: change[key] for key in change if key != "page"} for change in history
    }
    memo = Memo(site.paths.memo(site.locale, "freshness"), _PageMemo)
    pages: list[dict[str, Any]] = []
    for row in rows:
        name = row["page"]
        known = _known_of(site, name, memo)
        # Skip a page that could not be read: it has no record, and the run has reported it.
        if known is None:
            continue
        pages.append(
            {
                "page": name,
                "title": row["title"],
                "url": row["url"],
                **known.facts,
                "changed": changes.get(name),
                "files": _listed(known, (*known.downloads, *_text_files(name))),
                "included": [
                    {**one, "files": _listed(known, _files_of_included(one))}
                    for one in known.included
                ],
            }
        )
    memo.keep_only([page["page"] for page in pages])
    memo.save()
    return {
        "schema": SCHEMA,
        "title": site.policy.title or site.upstream.name,
        "locale": site.locale,
        "project": clean_commit(site.paths.root),
        "upstream": {
            "name": site.upstream.name,
            "ref": site.lock.ref,
            "commit": site.lock.commit,
            "date": site.lock.date,
            "package": site.lock.package,
            "version": site.lock.version,
        },
        "pages": pages,
    }


def _known_of(site: Site, page: str, memo: Memo[_PageMemo]) -> _PageMemo | None:
    """Update and return the memo of a page; None if the page has no record."""
    path = site.sources / RECORDS / "pages" / f"{page}.json"
    key = digest_of_stamps(path)
    known = memo.get(page, key)
    if known is None:
        if not path.is_file():
            return None
        record = json.loads(files.read_bytes(path))
        known = _PageMemo(
            facts=_facts_of(record),
            downloads=tuple(path for _, path in record["downloads"]),
            included=record["included"],
        )
    # Digest the files again: they may have changed although the record has not.
    known = replace(known, digests=_digests(site, page, known))
    memo.put(page, key, known)
    return known


def _facts_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that the manifest copies from a record."""
    since = record["since"]
    return {
        "source": record["source"],
        "blob": record["blob"],
        "state": state_of(since["counts"]),
        "counts": since["counts"],
        "authors": since["authors"],
        "blocks": [_block(row) for row in since["blocks"]],
    }


def state_of(counts: Mapping[str, int]) -> str:
    """Return the state of a page, the first of these that applies.

    ``english``: no block is translated. ``stale``: the English of a translation has changed.
    ``partial``: some blocks are not translated. ``translated``: all blocks are.
    """
    if not counts[TranslationState.TRANSLATED]:
        return "english"
    if counts[TranslationState.STALE]:
        return "stale"
    if sum(counts.values()) > counts[TranslationState.TRANSLATED]:
        return "partial"
    return "translated"


def _block(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return digest and state of a block; of changed English, also the old and the new text."""
    block: dict[str, Any] = {"id": row["id"], "state": row["state"]}
    if "diff" in row:
        for key, parts in (("was", _OLD), ("now", _NEW)):
            block[key] = "".join(words for part, words in row["diff"] if part in parts)
    return block


def _digests(site: Site, page: str, known: _PageMemo) -> dict[str, tuple[str, str]]:
    """Return stamp and digest of the files that ``verify-site`` checks, by path in the site."""
    digests: dict[str, tuple[str, str]] = {}
    included = chain.from_iterable(map(_files_of_included, known.included))
    for name in (*known.downloads, *_text_files(page), *included):
        path = site.target / name
        if not path.is_file():
            continue
        # Hash a file only if its size or time has changed.
        stamp = digest_of_stamps(path)
        before, digest = known.digests.get(name, ("", ""))
        if before != stamp:
            digest = digest_of_file(files.read_bytes(path))
        digests[name] = (stamp, digest)
    return digests


def _text_files(page: str) -> tuple[str, str]:
    """Return the paths that the text of a page may have in the site, as Markdown and as reST."""
    return f"{page}.md", source_name(page)


def _files_of_included(one: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths that the files of one included document may have."""
    source = one["source"]
    if source.endswith(DOCSTRING_SUFFIX):
        # All docstrings of a page have the page's name, so include their paths.
        return (docstring_name(source),)
    return _text_files(one["page"])


def _listed(known: _PageMemo, paths: Iterable[str]) -> dict[str, str]:
    there = known.digests.keys() & set(paths)
    return {path: known.digests[path][1] for path in sorted(there)}


def docstring_name(path: str) -> str:
    """Return the path of a merged docstring in the site."""
    return f"{DOWNLOADS}/source/{path}"


def source_name(page: str) -> str:
    """Return the path of a reST page's source in the site."""
    return f"{DOWNLOADS}/source/{page}.rst"


def digest_of_file(data: bytes) -> str:
    """Return the digest of a file for the manifest: ``sha256:…``."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class UpstreamOfSite(Struct, frozen=True):
    """The upstream repository and the commit that a site was built from."""

    name: str
    ref: str
    commit: str


class PublishedPage(Struct, frozen=True):
    """One page of a site."""

    page: str
    source: str  # path of the document upstream
    blob: str  # git's blob id of the document
    files: dict[str, str]  # digests by path in the site: "sha256:…"
    # Documents that the page includes and that are not pages of the site.
    included: list[PublishedPage] = []

    @property
    def document(self) -> str:
        """Return the path of the page's translated document, or "" if the site does not have it."""
        path = f"{self.page}.md"
        if self.source.endswith(".rst"):
            path = f"_downloads/source/{self.page}.rst"
        elif self.source.endswith(".ipynb"):
            path = f"_downloads/clean/{self.page}.ipynb"
        elif self.source.endswith(DOCSTRING_SUFFIX):
            path = f"_downloads/source/{self.source}"
        return path if path in self.files else ""


class Manifest(Struct, frozen=True):
    """Manifest of a site: its locale, the commits that it was built from, and its pages."""

    schema: int
    locale: str
    project: str  # commit of the translation project; empty if there is none
    upstream: UpstreamOfSite
    pages: list[PublishedPage]


def read_manifest(data: bytes, *, where: str) -> Manifest:
    """Parse the manifest of a site. Raises InputError if it is invalid.

    ``where`` is the address of the manifest for the error.
    """
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"is not the manifest of a site that this project built: {error}",
            where=where,
            hint=_HINT,
        ) from error
    if manifest.schema != SCHEMA:
        raise InputError(
            f"has schema {manifest.schema}, but this version reads schema {SCHEMA}",
            where=where,
            hint="Use the version of the pipeline that built the site.",
        )
    if manifest.project and not _COMMIT.fullmatch(manifest.project):
        raise InputError(f"names no commit: {manifest.project[:40]!r}", where=where, hint=_HINT)
    pages = chain.from_iterable((page, *page.included) for page in manifest.pages)
    for page in pages:
        for path in (page.page, page.source, *page.files):
            if not is_safe_path(path):
                raise InputError(
                    f"names a file outside the site: {path!r}", where=where, hint=_HINT
                )
    return manifest
