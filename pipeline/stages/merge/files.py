"""Pages that were merged before, as they lie there.

They are proved to be as they were written, and brought to another commit by editing one line.
Nothing here reads Markdown, so that a run that has nothing to do starts in a moment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.core.document.attribution import attribution
from pipeline.core.pin.lock import Lock, blob_id
from pipeline.core.results import PageResult
from pipeline.run import Run
from pipeline.site.plan import credits_of_page


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedDocument:
    """One document as it was written: the blob ids of its two files, and its attribution."""

    path: str
    blob: str
    blocks: str
    attribution: str  # empty if nothing of the document is translated


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPage:
    """What merge made of one page. ``row`` has merge's own findings only."""

    row: PageResult
    documents: tuple[MergedDocument, ...]


class MergedFiles:
    """The merged files of one locale at one commit.

    ``changes`` are those that this run has written, relative to the root.
    """

    def __init__(self, run: Run, locale: str, lock: Lock) -> None:
        self.run = run
        self.locale = locale
        self.lock = lock
        self.changes: list[str] = []

    def made_again(self, last: MergedPage) -> MergedPage | None:
        """The page as it was made the last time, with the attribution of this commit.

        None if its files are not what was written, or the attribution cannot be found in them.
        """
        documents: list[MergedDocument] = []
        edits: list[tuple[Path, bytes]] = []
        for document in last.documents:
            # Somebody may have edited or removed what was built, or a run was killed.
            data = _intact(self.merged(document.path), document.blob)
            if (
                data is None
                or _intact(self.blocks(document.path), document.blocks) is None
            ):
                return None
            wanted = self.attribution(document.path)
            # Without an attribution nothing in the document tells of a commit.
            if document.attribution in ("", wanted):
                documents.append(document)
                continue
            edited = _readdressed(document.path, data, document.attribution, wanted)
            if edited is None:
                return None
            edits.append((self.merged(document.path), edited))
            documents.append(
                replace(document, blob=blob_id(edited), attribution=wanted)
            )
        # Only now, so that a page is edited as a whole or made anew as a whole.
        for path, edited in edits:
            self.write(path, edited)
        return replace(last, documents=tuple(documents))

    def merged(self, path: str) -> Path:
        """The merged document."""
        return self.run.paths.merged(self.locale) / path

    def blocks(self, path: str) -> Path:
        """Where its messages have landed."""
        return self.run.paths.blocks(self.locale) / f"{path}.json"

    def write(self, path: Path, data: bytes) -> None:
        """Write one of these files, if it changes and the run may.

        They are not flushed: the next run proves them against the memo, and makes again what a
        crash of the machine has left empty.
        """
        if write_if_changed(path, data, dry=self.run.dry, flush=False):
            self.changes.append(self.run.shown(path))

    def attribution(self, path: str) -> str:
        """The line that says where the page comes from."""
        return attribution(
            locale=self.locale,
            path=path,
            lock=self.lock,
            page_url=self.run.upstream.page_url,
            license_name=self.run.upstream.license,
            adopted=credits_of_page(self.run.paths, self.locale, path),
        )


def _intact(path: Path, blob: str) -> bytes | None:
    """The file, if it is what was written."""
    if not path.is_file():
        return None
    data = read_bytes(path)
    return data if blob_id(data) == blob else None


def _readdressed(path: str, data: bytes, old: str, new: str) -> bytes | None:
    """A merged document with the attribution ``new`` in place of ``old``.

    None if it is not plain where that stands.
    A notebook holds the line as a JSON string, in which Chinese may stand as itself or escaped.
    Nothing else in the document can change by this, and the two lines differ by a commit at most:
    the guard's proof of the old document holds for the new one.
    """
    for written in _WRITTEN[PurePosixPath(path).suffix]:
        # Twice would mean that the page quotes the line: which one is ours?
        if data.count(written(old)) == 1:
            return data.replace(written(old), written(new))
    return None


def _as_it_is(text: str) -> bytes:
    return text.encode("utf-8")


def _as_rst(text: str) -> bytes:
    from pipeline.core.document.rst.inline import (
        spaced,  # docutils takes a while to load
    )

    # reST wants white space around markup, also between Chinese and a link.
    return spaced(text).encode("utf-8")


def _as_json(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8")


def _as_ascii_json(text: str) -> bytes:
    return json.dumps(text)[1:-1].encode("ascii")


# How the attribution may stand in a document, by its suffix.
_WRITTEN: Mapping[str, tuple[Callable[[str], bytes], ...]] = {
    ".ipynb": (_as_json, _as_ascii_json),
    ".md": (_as_it_is,),
    ".rst": (_as_rst,),
}
