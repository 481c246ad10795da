"""The part of a page around a message: it reads there as it does on its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT

from pipeline.core.document.merge import merge
from pipeline.core.document.message import Split
from pipeline.core.document.reader import read_document
from pipeline.core.workbench import blocks
from pipeline.core.workbench.blocks import excerpt_of
from pipeline.errors import InputError
from pipeline.reading import Dialect, Reading

SAMPLES = sorted(
    path
    for suffix in ("md", "rst", "ipynb")
    for path in (ROOT / "upstream" / "sample").rglob(f"*.{suffix}")
)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_message_of_the_sample_is_read_alike(path: Path) -> None:
    document = read_document(path.name, path.read_bytes())
    for unit, message in document.messages():
        part = excerpt_of(document, unit, message)
        found = part.document.units[0].split.messages[part.index]
        assert (found.msgid, found.kind) == (message.msgid, message.kind)
        merged = merge(part.document, {message.msgid: message.msgid})
        assert merged.rejected == ()


def excerpt_text(source: str, msgid: str, path: str = "page.md") -> str:
    document = read_document(path, source.encode())
    for unit, message in document.messages():
        if message.msgid == msgid:
            return excerpt_of(document, unit, message).document.raw
    raise AssertionError(msgid)


def test_other_blocks_are_left_out_and_definitions_are_not() -> None:
    definitions = "[p]: pot.md 'A pot'\n\n[^n]: A note.\n"
    source = (
        f"# Tea\n\nSee [the pot][p] and a note[^n].\n\nMore words.\n\n{definitions}"
    )
    text = excerpt_text(source, "See [the pot][p] and a note[^n].")
    assert "See [the pot]" in text
    assert "More words" not in text
    assert '[P]: <pot.md> "A pot"' in text
    assert "[^n]: ." in text


def test_definitions_of_rest_are_kept() -> None:
    source = (
        "Tea\n===\n\nSee `pot`_ now.\n\nMore words.\n\n.. _pot: https://example.org\n"
    )
    text = excerpt_text(source, "See `pot`_ now.", "page.rst")
    assert "More words" not in text
    assert ".. _pot: https://example.org" in text


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (Dialect.COMMONMARK, "---\ntitle: Lamps\n---\n\nLight it now.\n"),
        (Dialect.MKDOCS, '# Lamps\n\n!!! note "Mind it"\n\n    Light it now.\n'),
    ],
)
def test_excerpts_are_read_as_their_page_is(dialect: Dialect, text: str) -> None:
    document = read_document("a.md", text.encode(), Reading(dialect=dialect))
    for unit, message in document.messages():
        found = excerpt_of(document, unit, message)
        read = found.document.units[0].split.messages[found.index]
        assert (read.msgid, read.kind) == (message.msgid, message.kind)
        translation = message.msgid.replace("Light", "点亮").replace("Lamps", "灯")
        merged = merge(found.document, {message.msgid: f"{translation}。"})
        assert merged.rejected == ()


def test_what_reads_differently_alone_takes_the_whole_page() -> None:
    # The term of a glossary is none without its directive, which a blank line parts from it.
    source = ".. glossary::\n\n   tea\n     Hot water with leaves.\n"
    assert excerpt_text(source, "tea", "page.rst").strip() == source.strip()


def test_a_term_that_is_one_in_its_glossary_only_takes_the_whole_page() -> None:
    # Alone, the block begins at a blank line within the glossary.
    source = ".. glossary::\n\n   tea\n     Water.\n\nPot\n===\n\nUse it.\n"
    assert "glossary" in excerpt_text(source, "tea", "page.rst")


def _fails(*_: object, **__: object) -> Split:
    raise InputError("nested too deeply")


def _reads_other_words(*_: object, **__: object) -> Split:
    return read_document("page.md", b"Other words.\n").units[0].split


@pytest.mark.parametrize("reading", [_fails, _reads_other_words])
def test_an_excerpt_that_reads_otherwise_is_none(
    reading: Callable[..., Split], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "# Tea\n\nUse it.\n\nMore words.\n"
    document = read_document("page.md", source.encode())
    unit, message = list(document.messages())[1]
    monkeypatch.setattr(blocks, "split_text", reading)
    assert excerpt_of(document, unit, message).document.raw == source


def test_a_message_outside_of_all_blocks_takes_the_whole_page() -> None:
    # The caption stands in the front of a directive that is no block of the parser's own.
    source = "```{toctree}\n:caption: Getting started\n\na\n```\n"
    assert "Getting started" in excerpt_text(source, "Getting started")
