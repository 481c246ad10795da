"""Merged files of earlier runs: verifies them by digest, and updates their attribution.

The attribution is a line in a merged document that names its source and upstream's commit. If only
the commit has changed, only this line is edited. This module imports no Markdown parser, so a run
without changes starts quickly.
"""

from __future__ import annotations

import json
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.adapters.memo import digest_of_stamps
from pipeline.core.document.attribution import attribution
from pipeline.core.pin.lock import Lock, blob_id
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.run import Run
from pipeline.site.credits import credits_of_page


class MergedDocument(Struct, frozen=True, kw_only=True):
    """A merged document, for the memo."""

    path: str
    blob: str  # git blob id of the document
    blocks: str  # git blob id of the file in ``blocks/``
    attribution: str  # "" if nothing in the document is translated
    stamps: str  # digest of sizes and times of both files, after they were written


class MergedPage(Struct, frozen=True, kw_only=True):
    """Result of merging one page, for the memo."""

    row: PageResult  # row of the report, with findings of this stage only
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
        # Join the path once, because a run looks at thousands of files.
        self._merged = run.paths.merged(locale)
        self._blocks = run.paths.blocks(locale)

    def reuse(self, last: MergedPage) -> MergedPage | None:
        """Return the ``last`` result of a page, with the attribution of this commit.

        Return None if the page must be merged again: its files differ from the last result, or the
        attribution cannot be replaced.
        """
        if all(map(self._is_untouched, last.documents)):
            return last
        documents: list[MergedDocument] = []
        edits: list[tuple[Path, bytes]] = []
        for document in last.documents:
            # Somebody may have edited or removed a file, or a run may have been killed.
            data = _read_if_unchanged(self.merged(document.path), document.blob)
            blocks = _read_if_unchanged(self.blocks(document.path), document.blocks)
            if data is None or blocks is None:
                return None
            # A document without an attribution does not depend on the commit.
            wanted = document.attribution and self.attribution(document.path)
            if document.attribution == wanted:
                documents.append(document)
                continue
            edited = _with_attribution(document.path, data, document.attribution, wanted)
            if edited is None:
                return None
            edits.append((self.merged(document.path), edited))
            documents.append(replace(document, blob=blob_id(edited), attribution=wanted))
        # Write only when all documents of the page can be updated. Otherwise all are merged again.
        for path, edited in edits:
            self.write(path, edited)
        stamped = (replace(one, stamps=self.stamps(one.path)) for one in documents)
        return replace(last, documents=tuple(stamped))

    def _is_untouched(self, document: MergedDocument) -> bool:
        """Return whether nobody has written a document's files, and its attribution is right."""
        wanted = document.attribution and self.attribution(document.path)
        is_right = document.attribution == wanted
        return is_right and document.stamps == self.stamps(document.path)

    def stamps(self, path: str) -> str:
        """Return the digest of sizes and times of the files of a document."""
        return digest_of_stamps(self.merged(path), self.blocks(path))

    def merged(self, path: str) -> Path:
        """Return the path of a merged document."""
        return self._merged / path

    def blocks(self, path: str) -> Path:
        """Return the path of the JSON file with the positions of a document's messages."""
        return self._blocks / f"{path}.json"

    def write(self, path: Path, data: bytes) -> None:
        """Write a file if its content changes, unless the run is dry.

        The file need not be flushed to disk: if a crash leaves it empty, the next run compares it
        with the memo and writes it again.
        """
        if write_if_changed(path, data, dry=self.run.dry, flush=False):
            self.changes.append(self.run.shown(path))

    def attribution(self, path: str) -> str:
        """Return the line that names the source of the document ``path``."""
        return attribution(
            locale=self.locale,
            path=path,
            lock=self.lock,
            page_url=self.run.upstream.page_url,
            license_name=self.run.upstream.license,
            adopted=credits_of_page(self.run.paths, self.locale, path),
        )


def _read_if_unchanged(path: Path, blob: str) -> bytes | None:
    """Return the content of a file with the git blob id ``blob``; otherwise None."""
    try:
        data = read_bytes(path)
    except InputError:
        return None
    return data if blob_id(data) == blob else None


def _with_attribution(path: str, data: bytes, old: str, new: str) -> bytes | None:
    """Return a merged document with its attribution replaced; None if the line is not unique.

    The guard need not check the document again, because only the commit in this line changes.
    """
    for before, after in zip(_written(path, old), _written(path, new), strict=True):
        # If the line occurs twice, the page itself quotes it. Then it is unknown which of the two
        # is the attribution.
        if data.count(before) == 1:
            return data.replace(before, after)
    return None


def _written(path: str, line: str) -> tuple[bytes, ...]:
    """Return the bytes that an attribution may have in the document ``path``.

    In a notebook, the attribution is part of a JSON string, in which Chinese may be escaped.
    """
    if path.endswith(".ipynb"):
        escaped = (json.dumps(line, ensure_ascii=False), json.dumps(line))
        return tuple(text[1:-1].encode("utf-8") for text in escaped)
    if path.endswith(".rst"):
        from pipeline.core.document.rst.inline import spaced  # docutils loads slowly

        # reST needs white space around a link, even after Chinese.
        line = spaced(line)
    return (line.encode("utf-8"),)
