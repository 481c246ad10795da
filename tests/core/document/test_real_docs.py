"""Properties P1–P4 over the bundled sample docs, which use every construct, and the real JAX docs.

The latter need JAX_DOCS_UPSTREAM. By default a sample is read, which takes seconds. Every blob of
the history and every page of five releases, which takes some minutes:

    JAX_DOCS_UPSTREAM=... JAX_DOCS_WHOLE=1 pytest tests/core/document/test_real_docs.py -n 2 -rP
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from corpus import (
    HOSTILE,
    SAMPLE,
    assert_joins,
    assert_only_prose_changed,
    documents_of,
    hostile,
    msgids,
    rendered,
    translated,
)
from repositories import PAGES, Repository

from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document, read_document
from pipeline.errors import InputError

T = TypeVar("T")
WHOLE = bool(os.environ.get("JAX_DOCS_WHOLE"))
RELEASES = ("jax-v0.2.11", "jax-v0.4.30", "jax-v0.6.0", "jax-v0.8.0", "jax-v0.10.2")
LATEST = RELEASES[-1]
PARTS = 8  # of a long test, so that it can be spread over processes
ROTATIONS = 6 if WHOLE else 1  # how many hostile translations each message gets

# Blobs of the history that are no valid JSON, each with the reason.
REFUSED = {
    "0ebdd505da66": "Invalid control character",
    "657f48bbd459": "Expecting value",
    "7d5eba62c22d": "Expecting ',' delimiter",
}


FILES = sorted(path for path in SAMPLE.rglob("*") if path.suffix in PAGES)


in_parts = pytest.mark.parametrize("part", range(PARTS))


def sample(items: list[T], part: int, stride: int) -> list[T]:
    """One of ``PARTS`` parts of every ``stride``-th item.

    If the whole is asked for, of all items.
    """
    return (items if WHOLE else items[::stride])[part::PARTS]


def documents(repository: Repository, ref: str, part: int, *, stride: int) -> Iterator[Document]:
    pages = sample(sorted(repository.pages_at(ref).items()), part, stride)
    return documents_of(repository, pages)


def assert_renders_the_same(document: Document) -> int:
    """Fail unless a page of identical translations is rendered as upstream's is."""
    merged = merge(document, translated(document, str))
    assert merged.rejected == (), document.path
    again = read_document(document.path, merged.data)
    assert again.code == document.code
    for ours, theirs in zip(again.units, document.units, strict=True):
        assert rendered(ours.split.text) == rendered(theirs.split.text), document.path
    return merged.translated


def assert_translated(document: Document) -> int:
    """Fail unless all pseudo-translations of a page are taken, and change only prose."""
    merged = merge(document, translated(document))
    assert [(one.place, one.refusal.text) for one in merged.rejected] == []
    assert_only_prose_changed(document, merged.data)
    return merged.translated


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SAMPLE).as_posix())
def test_the_properties_hold_for_the_sample(path: Path) -> None:
    data = path.read_bytes()
    document = read_document(path.relative_to(SAMPLE).as_posix(), data)
    count = assert_joins(document, data)
    assert count > 0
    assert assert_renders_the_same(document) == assert_translated(document) == count


@in_parts
def test_every_blob_of_the_history_is_joined_again_or_refused(
    repository: Repository, part: int
) -> None:
    paths = repository.pages_ever()
    blobs = sample(sorted(paths), part, 40)
    refused: dict[str, str] = {}
    messages = 0
    for blob, data in repository.read(blobs):
        try:
            document = read_document(paths[blob], data)
        except InputError as error:
            refused[blob[:12]] = error.what
            continue
        messages += assert_joins(document, data)
    print(f"{len(blobs)} blobs, {messages} messages, refused: {refused}")
    expected = {blob[:12] for blob in blobs} & set(REFUSED)
    assert set(refused) == expected
    assert all(REFUSED[blob] in what for blob, what in refused.items())


@in_parts
def test_identity_translations_render_the_same(repository: Repository, part: int) -> None:
    pages = documents(repository, LATEST, part, stride=4)
    messages = sum(assert_renders_the_same(document) for document in pages)
    print(f"{LATEST}: {messages} messages")


@in_parts
@pytest.mark.parametrize("release", RELEASES if WHOLE else (LATEST,))
def test_honest_translations_are_taken_and_change_only_prose(
    repository: Repository, release: str, part: int
) -> None:
    pages = documents(repository, release, part, stride=4)
    counts = [assert_translated(document) for document in pages]
    print(f"{release}: {len(counts)} pages, {sum(counts)} messages")


@in_parts
@pytest.mark.parametrize("release", RELEASES if WHOLE else (LATEST,))
def test_hostile_translations_change_only_prose(
    repository: Repository, release: str, part: int
) -> None:
    kinds = list(HOSTILE)
    counts: Counter[str] = Counter()
    for number, document in enumerate(documents(repository, release, part, stride=12)):
        for rotation in range(ROTATIONS):
            first = number * 31 + rotation * 17
            chosen = {
                msgid: hostile(kinds[(first + index) % len(kinds)], msgid)
                for index, msgid in enumerate(dict.fromkeys(msgids(document)))
            }
            merged = merge(document, chosen)
            assert_only_prose_changed(document, merged.data)
            assert read_document(document.path, merged.data).code == document.code
            counts.update(one.refusal.code for one in merged.rejected)
            counts["kept"] += merged.translated
    print(f"{release}: {dict(counts)}")
