"""Manifest of a site: ``freshness.json`` says of every page what it was made of and how it stands.

Records of pages, the lock and the history come in. The manifest has a digest of each file that
``verify-site`` checks. Its keys are a contract (docs/site-files.md). A record and the files of a
page are read again only if they were written since the last time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.adapters import files
from pipeline.adapters.memo import Memo
from pipeline.adapters.version_control import whole_commit
from pipeline.core.word_diff import Part
from pipeline.site.memo import digest_of_stamps
from pipeline.site.names import DOWNLOADS, RECORDS, Standing
from pipeline.site.plan import Site

SCHEMA = 1
MANIFEST = "freshness.json"
_OLD, _NEW = (Part.KEPT, Part.REMOVED), (Part.KEPT, Part.ADDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Digest:
    """The digest of a file that was written when its ``stamp`` says."""

    stamp: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What the record of a page says of it, and the digests of its files by path in the site."""

    source: str
    blob: str
    standing: dict[str, Any]
    downloads: tuple[str, ...]
    included: list[dict[str, str]]
    digests: dict[str, _Digest]


def freshness_of_site(
    site: Site, rows: Sequence[Mapping[str, Any]], history: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The content of the file. ``rows`` are those of ``progress.json``, in its order.

    ``history`` has the last change of each page that has one (``history.last_changes``).
    """
    changes = {change["page"]: change for change in history}
    memo = Memo(site.paths.memo(site.locale, "freshness"), _Told)
    pages: list[dict[str, Any]] = []
    for row in rows:
        name = row["page"]
        told = _told(site, name, memo)
        # A page that could not be read has no record; the run has told of it.
        if told is None:
            continue
        digests = {path: digest.digest for path, digest in told.digests.items()}
        pages.append(
            {
                "page": name,
                "title": row["title"],
                "url": row["url"],
                "source": told.source,
                "blob": told.blob,
                **told.standing,
                "changed": _without_page(changes.get(name)),
                "files": _of_page(digests, told, name),
                "included": [
                    {**one, "files": _of_page(digests, told, one["page"])}
                    for one in told.included
                ],
            }
        )
    memo.keep_only([page["page"] for page in pages])
    memo.save()
    return {
        "schema": SCHEMA,
        "title": site.policy.title or site.upstream.name,
        "locale": site.locale,
        "project": whole_commit(site.paths.root),
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


def _told(site: Site, page: str, memo: Memo[_Told]) -> _Told | None:
    """What there is to tell of a page, as far as it is known from the last time; None: nothing."""
    path = site.sources / RECORDS / "pages" / f"{page}.json"
    key = digest_of_stamps(path)
    told = memo.recall(page, key)
    if told is None:
        if not path.is_file():
            return None
        told = _read_record(json.loads(files.read_bytes(path)))
    # The files of a page may be others though its record is as it was.
    told = replace(told, digests=_digests(site, page, told))
    memo.keep(page, key, told)
    return told


def _read_record(record: Mapping[str, Any]) -> _Told:
    """What of a page's record programs are told; nothing is known of its files yet."""
    return _Told(
        source=record["source"],
        blob=record["blob"],
        standing=_standing(record["since"]),
        downloads=tuple(path for _, path in record["downloads"]),
        included=record["included"],
        digests={},
    )


def _standing(since: Mapping[str, Any]) -> dict[str, Any]:
    """How the translation of a page stands: a word for it, counts, authors, blocks."""
    return {
        "state": state_of(since["counts"]),
        "counts": since["counts"],
        "authors": since["authors"],
        "blocks": [_block(row) for row in since["blocks"]],
    }


def state_of(counts: Mapping[str, int]) -> str:
    """A page in one word: ``english``, ``stale``, ``partial`` or ``translated``.

    The first that fits: nothing is translated, English has changed since, or blocks are missing.
    """
    if not counts[Standing.TRANSLATED]:
        return "english"
    if counts[Standing.STALE]:
        return "stale"
    if sum(counts.values()) > counts[Standing.TRANSLATED]:
        return "partial"
    return "translated"


def _block(row: Mapping[str, Any]) -> dict[str, Any]:
    """A block that is not as it should be: its digest and state; of a stale one both versions."""
    block: dict[str, Any] = {"id": row["id"], "state": row["state"]}
    if "diff" in row:
        block["was"] = _joined(row["diff"], _OLD)
        block["now"] = _joined(row["diff"], _NEW)
    return block


def _joined(pieces: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
    """One version of a text, from the pieces of both."""
    return "".join(words for part, words in pieces if part in parts)


def _without_page(change: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A page's last change without its name, which stands there already."""
    if change is None:
        return None
    return {key: value for key, value in change.items() if key != "page"}


def _digests(site: Site, page: str, told: _Told) -> dict[str, _Digest]:
    """The digests of the files that a proof is made from, by path in the site."""
    digests: dict[str, _Digest] = {}
    for name in (*told.downloads, *_text_files(page), *_texts_included(told)):
        path = site.target / name
        if not path.is_file():
            continue
        stamp = digest_of_stamps(path)
        known = told.digests.get(name)
        if known is None or known.stamp != stamp:
            known = _Digest(stamp=stamp, digest=digest_of_file(files.read_bytes(path)))
        digests[name] = known
    return digests


def _text_files(page: str) -> tuple[str, str]:
    """Where the document of a page may lie, as Markdown or reST."""
    return f"{page}.md", source_name(page)


def _texts_included(told: _Told) -> Iterator[str]:
    """Where the documents may lie that a page includes."""
    for one in told.included:
        yield from _text_files(one["page"])


def _of_page(digests: Mapping[str, str], told: _Told, page: str) -> dict[str, str]:
    """Those of the digests that are of a page itself, or of one that it includes."""
    included = set(_texts_included(told))
    if page in {one["page"] for one in told.included}:
        return {path: digests[path] for path in _text_files(page) if path in digests}
    return {path: digest for path, digest in digests.items() if path not in included}


def source_name(page: str) -> str:
    """Where the source of a page in reST lies in a site: its Markdown twin is words alone."""
    return f"{DOWNLOADS}/source/{page}.rst"


def digest_of_file(data: bytes) -> str:
    """What tells whether a file is as it was built: ``sha256:…``."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
