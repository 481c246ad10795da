"""What programs are told of every page: ``freshness.json`` at the root of a site.

The records of the pages, the lock and the history come in. It says what each page was made of and
how its translation stands, and has a digest of each file that ``verify-site`` looks at. The keys
are a contract (docs/site-files.md): what is added later gets new ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.adapters import files
from pipeline.core.word_diff import Part
from pipeline.site.blocks import Standing
from pipeline.site.plan import DOWNLOADS, RECORDS, Site

SCHEMA = 1
NAME = "freshness.json"
_OLD, _NEW = (Part.KEPT, Part.REMOVED), (Part.KEPT, Part.ADDED)


def freshness_of_site(
    site: Site, rows: Sequence[Mapping[str, Any]], history: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The content of the file. ``rows`` are those of ``progress.json``, in its order.

    ``history`` has the last change of each page that has one (``history.last_changes``).
    """
    changes = {change["page"]: change for change in history}
    pages: list[dict[str, Any]] = []
    for row in rows:
        name = row["page"]
        record = _record(site, name)
        # A page that could not be read has none; the run has told of it.
        if record:
            pages.append(
                {
                    "page": name,
                    "title": row["title"],
                    "url": row["url"],
                    "source": record["source"],
                    "blob": record["blob"],
                    **_standing(record["since"]),
                    "changed": _without_page(changes.get(name)),
                    "files": dict(_digests(site, name, record)),
                }
            )
    return {
        "schema": SCHEMA,
        "title": site.policy.title or site.upstream.name,
        "locale": site.locale,
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


def _record(site: Site, page: str) -> dict[str, Any]:
    """What Sphinx was told of a page; empty if there is nothing."""
    path = site.sources / RECORDS / "pages" / f"{page}.json"
    if not path.is_file():
        return {}
    record: dict[str, Any] = json.loads(files.read_bytes(path))
    return record


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


def _digests(
    site: Site, page: str, record: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """The files of a page that a proof is made from, each with its digest."""
    downloads = [path for _, path in record["downloads"]]
    for name in (*downloads, f"{page}.md", source_name(page)):
        path = site.target / name
        if path.is_file():
            yield name, digest_of_file(files.read_bytes(path))


def source_name(page: str) -> str:
    """Where the source of a page in reST lies in a site: its Markdown twin is words alone."""
    return f"{DOWNLOADS}/source/{page}.rst"


def digest_of_file(data: bytes) -> str:
    """What tells whether a file is as it was built: ``sha256:…``."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
