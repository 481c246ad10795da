"""The panel under a page's title: what has changed since, and who wrote the translation."""

from __future__ import annotations

import re
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document

from pipeline.core.catalog.origins import Copy, Machine
from pipeline.core.document.merge import merge
from pipeline.core.document.message import Kind
from pipeline.core.document.reader import read_document
from pipeline.core.drafting.drafts import Draft, drafted
from pipeline.core.memory.record import digest
from pipeline.entries import Entry
from pipeline.site.blocks import Author, Block, Role, authors_of, blocks_of, since
from pipeline.site.extension.head import (
    CONTEXT,
    LISTED,
    LONGEST_DIFF,
    add_anchors,
    panel,
)
from pipeline.site.names import TranslationState

ENGLISH = """# Title

Call it once.

![A picture](a.png)

Left alone.
"""
COPY = Copy(file="a.md", commit="0" * 40, page="a", author="Wang <w@x.org>", licence="CC0-1.0")
MODEL = Machine(model="m-1", prompt=1, date="2026-05-01")


def blocks(*entries: Entry, english: str = ENGLISH) -> tuple[Block, ...]:
    """The blocks of a page with these entries in its catalogue."""
    finished = {entry.msgid: entry.msgstr for entry in entries if entry.is_translated}
    upstream = read_document("a.md", english.encode())
    return blocks_of(merge(upstream, finished).blocks, entries)


def left(msgstr: str, *, fuzzy: bool = False) -> Entry:
    return Entry(msgid="Left alone.", msgstr=msgstr, fuzzy=fuzzy)


def stale(msgid: str, previous: str) -> Entry:
    return Entry(msgid=msgid, msgstr="译文", fuzzy=True, previous=previous)


def record(found: tuple[Block, ...], *memory: Entry) -> dict[str, Any]:
    """As much of the record of a page as the panel asks for."""
    shown = [block.landed for block in found if block.landed.kind != Kind.IMAGE]
    texts = [{"text": landing.text, "english": landing.english} for landing in shown]
    return {"since": since(found, memory), "blocks": texts}


@pytest.mark.parametrize(
    ("entry", "standing"),
    [
        (None, TranslationState.ENGLISH),
        (left(""), TranslationState.ENGLISH),
        (left("", fuzzy=True), TranslationState.ENGLISH),
        (left("随它去。"), TranslationState.TRANSLATED),
        # A name in Chinese is what it is in English: nobody need do anything.
        (left("Left alone."), TranslationState.TRANSLATED),
        # What the guard refuses is no translation to readers.
        (left("- 一"), TranslationState.ENGLISH),
        (stale("Left alone.", "Left."), TranslationState.STALE),
        # Its English is the same: something else made it wait.
        (stale("Left alone.", "Left alone."), TranslationState.UNREVIEWED),
        (left("随", fuzzy=True), TranslationState.UNREVIEWED),
    ],
)
def test_how_a_translation_stands_to_the_english(
    entry: Entry | None, standing: TranslationState
) -> None:
    assert blocks(*(entry,) if entry else ())[-1].standing is standing


def test_a_draft_is_told_apart_though_its_english_changed() -> None:
    entry = Entry(msgid="Left alone.", notes=("paragraph",))
    draft = drafted(entry, Draft(before=entry, msgstr="随它去。", origin=MODEL))
    assert blocks(draft)[-1].standing is TranslationState.DRAFT


def test_blocks_that_are_not_as_they_should_be_come_with_their_places() -> None:
    waiting = stale("Call it once.", "Call it twice.")
    found = blocks(Entry(msgid="Title", msgstr="标题"), waiting)
    told = since(found, ())
    counts = {"translated": 1, "stale": 1, "unreviewed": 0, "draft": 0, "english": 2}
    assert told["counts"] == counts
    assert told["blocks"] == [
        {
            "id": digest("Call it once."),
            "state": "stale",
            "number": 1,
            "diff": [
                ("kept", "Call it "),
                ("removed", "twice"),
                ("added", "once"),
                ("kept", "."),
            ],
        },
        # An image has no number: the block behind it has the next one.
        {"id": digest("A picture"), "state": "english", "number": None},
        {"id": digest("Left alone."), "state": "english", "number": 2},
    ]


def test_whose_words_they_are() -> None:
    touch = "translator: Li Lei <l@x.org>, 2026-05-01 09:30+0800, Poedit 3.4"
    earlier = "translator: Han Mei <h@x.org>, 2026-04-01 09:30+0800"
    both = Entry(msgid="a", msgstr="甲", notes=(COPY.note(0.9), earlier, touch))
    assert list(authors_of(both)) == [
        Author(Role.ADOPTED, "Wang", "CC0-1.0"),
        Author(Role.PERSON, "Li Lei"),
    ]
    drafted_once = Entry(msgid="b", msgstr="乙", notes=(MODEL.settled_note(), touch))
    assert list(authors_of(drafted_once)) == [
        Author(Role.MODEL, "m-1"),
        Author(Role.PERSON, "Li Lei"),
    ]
    for nobody in (
        Entry(msgid="c", msgstr="丙"),
        Entry(msgid="c", msgstr="丙", notes=("translator: no date",)),
        # What readers do not see has no author to be named.
        Entry(msgid="c", msgstr="丙", fuzzy=True, notes=(touch,)),
        Entry(msgid="c", msgstr="丙", obsolete=True, notes=(touch,)),
    ):
        assert not list(authors_of(nobody))
    told = since((), (both, drafted_once))["authors"]
    assert [(row["name"], row["role"], row["messages"]) for row in told] == [
        ("Li Lei", "person", 2),
        ("Wang", "adopted", 1),
        ("m-1", "model", 1),
    ]


def test_the_panel_shows_the_change_and_leads_to_the_block() -> None:
    found = record(blocks(stale("Call it once.", "Call <it> twice.")))
    html = panel(found, {1}, "zh_CN")
    assert html.startswith(
        '<details class="jz-since"><summary>译文现状：1 段原文已改，3 段英文</summary>'
    )
    assert (
        "Call <del>&lt;</del>it<del>&gt;</del> <del>twice</del><ins>once</ins>."
        '</code> <a href="#jz-1">到这一段</a>'
    ) in html
    # One without an id is named all the same.
    assert '<li><code lang="en">Left alone.</code></li>' in html
    assert "一幅图片的说明文字</li>" in html
    # Nothing is translated: nobody is missing.
    assert "译者" not in html


def test_the_panel_in_another_language_names_who_wrote_it() -> None:
    found = blocks(Entry(msgid="Title", msgstr="Titel"))
    notes = (COPY.note(0.9), "translator: <b>, 2026-05-01 09:30+0800")
    memory = Entry(msgid="x", msgstr="Titel", notes=notes)
    html = panel(record(found, memory), (), "de")
    assert "<summary>State of the translation: translated 1, in English 3<" in html
    assert ("Translated by Wang (1, from an earlier translation, CC0-1.0), &lt;b&gt; (1).") in html
    assert "Translated by" not in panel(record(found), (), "de")


def test_a_page_with_nothing_to_tell_has_no_panel() -> None:
    assert panel(record(()), (), "zh_CN") == ""
    found = blocks(Entry(msgid="Title", msgstr="题"))
    done = TranslationState.TRANSLATED
    translated = tuple(block for block in found if block.standing is done)
    assert translated
    assert panel(record(translated), (), "zh_CN") == ""


def test_lists_are_bounded_and_say_what_they_leave_out() -> None:
    english = "\n\n".join(f"Word {number}. {'x ' * 200}" for number in range(60))
    html = panel(record(blocks(english=english)), (), "zh_CN")
    assert html.count("<li>") == LISTED
    assert f"另有 {60 - LISTED} 段，未列出。" in html
    assert len(html) < 200 * LISTED


def test_a_change_in_a_long_text_comes_with_the_words_around_it() -> None:
    before = [f"w{number}" for number in range(400)]
    after = list(before)
    after[100], after[300] = "one {root}", "two"
    old, new = " ".join(before), " ".join(after)
    html = panel(record(blocks(stale(new, old), english=new)), (), "zh_CN")
    diff = re.sub("<.*?>", "", html[html.index('<code lang="en">') :])
    assert re.match(r" … w.* w99 w100one &#123;root} w101 .* … .* w299 w300two", diff)
    assert len(diff) < 6 * CONTEXT
    # A change itself may be as long as a book.
    other = "y " * 5000 + "w7 "
    html = panel(record(blocks(stale(new, other), english=new)), (), "zh_CN")
    assert len(re.sub("<.*?>", "", html)) < LONGEST_DIFF + 100
    assert html.count("<del>") == html.count("</del>")


def test_only_what_can_hold_an_id_gets_one() -> None:
    document = new_document("a")
    paragraph, term = nodes.paragraph(jz=1), nodes.term(jz=2)
    title = nodes.title(jz=0)
    section = nodes.section("", title)
    document += [section, paragraph, term, nodes.paragraph()]
    found = record(blocks(Entry(msgid="Title", msgstr="标题")))
    assert add_anchors(document, found) == {1}
    assert paragraph["ids"] == ["jz-1"]
    assert term["ids"] == section["ids"] == title["ids"] == []
