"""Merged files of earlier runs: verifies them by digest, and updates their attribution.

If only upstream's commit has changed, one line of a merged document is edited. This module imports
no Markdown parser, so a run without changes starts quickly.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.core.document.attribution import attribution
from pipeline.core.pin.lock import Lock, blob_id
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.run import Run
from pipeline.site.credits import credits_of_page


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedDocument:
    """A merged document: the blob ids of its two files, and its attribution."""

    path: str
    blob: str
    blocks: str
    attribution: str  # empty if nothing in the document is translated


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPage:
    """The result of merging one page; ``row`` has only the findings of the merge itself."""

    row: PageResult
    documents: tuple[MergedDocument, ...]


class MergedFiles:
    """The merged files of one locale at one commit.

    ``changes`` lists the files written by this run, relative to the root.
    """

    def __init__(self, run: Run, locale: str, lock: Lock) -> None:
        self.run = run
        self.locale = locale
        self.lock = lock
        self.changes: list[str] = []
        # Joined once: a run looks at thousands of files.
        self._merged = run.paths.merged(locale)
        self._blocks = run.paths.blocks(locale)

    def reuse(self, last: MergedPage) -> MergedPage | None:
        """Return the last result of a page, updated to the attribution of this commit.

        Returns None if its files differ from the last result, or if the attribution cannot be
        replaced.
        """
        documents: list[MergedDocument] = []
        edits: list[tuple[Path, bytes]] = []
        for document in last.documents:
            # A file may have been edited or removed, or a run may have been killed.
            data = _read_if_unchanged(self.merged(document.path), document.blob)
            blocks = _read_if_unchanged(self.blocks(document.path), document.blocks)
            if data is None or blocks is None:
                return None
            # A document without an attribution does not depend on the commit.
            wanted = document.attribution and self.attribution(document.path)
            if document.attribution == wanted:
                documents.append(document)
                continue
            edited = _with_attribution(
                document.path, data, document.attribution, wanted
            )
            if edited is None:
                return None
            edits.append((self.merged(document.path), edited))
            documents.append(
                replace(document, blob=blob_id(edited), attribution=wanted)
            )
        # Write only now: a page is updated as a whole, or merged again as a whole.
        for path, edited in edits:
            self.write(path, edited)
        return replace(last, documents=tuple(documents))

    def merged(self, path: str) -> Path:
        """Return the path of a merged document."""
        return self._merged / path

    def blocks(self, path: str) -> Path:
        """Return the path of the JSON file with the positions of its messages."""
        return self._blocks / f"{path}.json"

    def write(self, path: Path, data: bytes) -> None:
        """Write a file if its content changes, unless the run is dry.

        The file is not flushed to disk: the next run verifies it against the memo, and replaces a
        file that a system crash left empty.
        """
        if write_if_changed(path, data, dry=self.run.dry, flush=False):
            self.changes.append(self.run.shown(path))

    def attribution(self, path: str) -> str:
        """Return the line that names the source of a page."""
        return attribution(
            locale=self.locale,
            path=path,
            lock=self.lock,
            page_url=self.run.upstream.page_url,
            license_name=self.run.upstream.license,
            adopted=credits_of_page(self.run.paths, self.locale, path),
        )


def _read_if_unchanged(path: Path, blob: str) -> bytes | None:
    """Return the content of a file; None if it is missing, unreadable or was changed."""
    try:
        data = read_bytes(path)
    except InputError:
        return None
    return data if blob_id(data) == blob else None


def _with_attribution(path: str, data: bytes, old: str, new: str) -> bytes | None:
    """Return a merged document with its attribution replaced; None if the line is not unique.

    In a notebook the line is part of a JSON string, with Chinese either escaped or not. The guard's
    proof stays valid: nothing else changes, and the two lines differ in the commit only.
    """
    for before, after in zip(_written(path, old), _written(path, new), strict=True):
        # Two occurrences mean that the page quotes the line, so the right one is unknown.
        if data.count(before) == 1:
            return data.replace(before, after)
    return None


def _written(path: str, line: str) -> tuple[bytes, ...]:
    """Return how an attribution may be encoded in a document, by its suffix."""
    if path.endswith(".ipynb"):
        escaped = (json.dumps(line, ensure_ascii=False), json.dumps(line))
        return tuple(text[1:-1].encode("utf-8") for text in escaped)
    if path.endswith(".rst"):
        from pipeline.core.document.rst.inline import spaced  # docutils loads slowly

        # reST requires white space around markup, even between Chinese and a link.
        line = spaced(line)
    return (line.encode("utf-8"),)
