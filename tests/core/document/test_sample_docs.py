"""Properties P1–P4 over the bundled sample docs, which use every construct of the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import (
    SAMPLE,
    assert_joins,
    assert_only_prose_changed,
    rendered,
    translated,
)
from repositories import PAGES

from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document, read_document

FILES = sorted(path for path in SAMPLE.rglob("*") if path.suffix in PAGES)
each_file = pytest.mark.parametrize(
    "path", FILES, ids=lambda path: path.relative_to(SAMPLE).as_posix()
)


def document_of(path: Path) -> Document:
    return read_document(path.relative_to(SAMPLE).as_posix(), path.read_bytes())


def test_samples_are_found() -> None:
    assert len(FILES) >= 8


@each_file
def test_every_sample_is_joined_again(path: Path) -> None:
    assert assert_joins(document_of(path), path.read_bytes()) > 0


@each_file
def test_identity_translations_render_the_same(path: Path) -> None:
    document = document_of(path)
    merged = merge(document, translated(document, str))
    assert merged.rejected == ()
    again = read_document(document.path, merged.data)
    for ours, theirs in zip(again.units, document.units, strict=True):
        assert rendered(ours.split.text) == rendered(theirs.split.text)


@each_file
def test_honest_translations_are_taken(path: Path) -> None:
    document = document_of(path)
    merged = merge(document, translated(document))
    assert [(one.place, one.refusal.text) for one in merged.rejected] == []
    assert_only_prose_changed(document, merged.data)
