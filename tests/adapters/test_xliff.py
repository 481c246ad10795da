"""XLIFF 2: what it holds comes back, by our reader and by that of translate-toolkit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.storage.xliff2 import Xliff2File

from pipeline.adapters.xliff import format_xliff, is_writable, read_xliff
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError

_TEXTS = st.text(
    st.sampled_from("<&>\"' \n\t`灯lamp\u2028]\u0301🪔"), min_size=1
).filter(str.strip)
_ENTRIES = st.builds(
    Entry,
    msgid=_TEXTS,
    msgstr=st.just("") | _TEXTS,
    fuzzy=st.booleans(),
    comments=st.lists(_TEXTS, max_size=2).map(tuple),
    notes=st.lists(_TEXTS, max_size=2).map(tuple),
    context=st.none() | _TEXTS,
)


def test_a_unit_as_other_tools_read_it() -> None:
    entries = (
        Entry(msgid="A lamp  &\n<b>", msgstr="灯", notes=("heading",), comments=("?",)),
        Entry(msgid="A saw", msgstr="锯", fuzzy=True, previous="Saws"),
        Entry(msgid="Glue"),
        Entry(msgid="Gone", msgstr="走了", obsolete=True),
    )
    data = format_xliff(Catalog(entries=entries), page="a/b", locale="zh_CN")
    toolkit: Any = Xliff2File
    lamp, saw, glue = toolkit.parsestring(data).units
    assert (lamp.source, lamp.target) == ("A lamp  &\n<b>", "灯")
    assert lamp.istranslated()
    assert saw.isfuzzy()
    assert not glue.target
    # The schema has notes before segments, and none in them.
    assert data.index(b"<notes>") < data.index(b"<segment")
    read = read_xliff(data, where="b.xlf")
    assert (read.page, read.locale) == ("a/b", "zh_CN")
    assert read.entries[1].previous == "Saws"
    assert read.entries[0].line == 4


@given(entry=_ENTRIES)
def test_all_of_an_entry_comes_back(entry: Entry) -> None:
    catalog = Catalog(entries=(entry,))
    (back,) = read_xliff(
        format_xliff(catalog, page="guide", locale="zh_CN"), where="x"
    ).entries
    # An empty entry has no state.
    fuzzy = entry.fuzzy and bool(entry.msgstr)
    assert (back.msgid, back.msgstr, back.fuzzy) == (entry.msgid, entry.msgstr, fuzzy)
    assert (back.comments, back.notes) == (entry.comments, entry.notes)
    assert back.context == entry.context


def test_what_xml_cannot_hold_is_left_out() -> None:
    catalog = Catalog(entries=(Entry(msgid="a\x1bb"), Entry(msgid="fine")))
    assert [is_writable(entry) for entry in catalog.entries] == [False, True]
    data = format_xliff(catalog, page="guide", locale="zh_CN")
    assert [entry.msgid for entry in read_xliff(data, where="x").entries] == ["fine"]


def test_notes_that_an_editor_puts_elsewhere_are_read() -> None:
    data = format_xliff(
        Catalog(entries=(Entry(msgid="Glue"),)), page="guide", locale="zh_CN"
    )
    toolkit: Any = Xliff2File
    store = toolkit.parsestring(data)
    store.units[0].addnote("which?", "translator")
    (entry,) = read_xliff(bytes(store), where="x").entries
    assert entry.comments == ("which?",)


# What Weblate 2026.10.1 writes into a segment: its own state stands on the target, and the
# segment says "translated" even of what needs editing.
_WEBLATE = """<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"
 trgLang="zh-CN"><file id="f1" original="guide"><unit id="a" xml:space="preserve">
<segment state="{segment}" xml:space="preserve"><source>Glue</source>
<target state="{target}">{text}</target></segment></unit></file></xliff>
"""


@pytest.mark.parametrize(
    ("segment", "target", "text", "fuzzy"),
    [
        ("translated", "needs-translation", "胶水", True),
        ("translated", "new", "胶水", True),
        ("translated", "translated", "胶水", False),
        ("reviewed", "final", "胶水", False),
        ("initial", "", "胶水", True),
        ("translated", "needs-translation", "", False),
    ],
)
def test_the_states_that_weblate_writes_are_read(
    segment: str, target: str, text: str, fuzzy: bool
) -> None:
    data = _WEBLATE.format(segment=segment, target=target, text=text)
    (entry,) = read_xliff(data.encode(), where="x").entries
    assert (entry.msgid, entry.msgstr, entry.fuzzy) == ("Glue", text, fuzzy)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not xml",
        b"\xff\xfe",
        b"<xliff version='1.2' xmlns='urn:oasis:names:tc:xliff:document:1.2'/>",
        b"<html/>",
        b"<xliff xmlns='urn:oasis:names:tc:xliff:document:2.0' version='2.0'>",
        b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><xliff>&a;</xliff>",
    ],
)
def test_what_is_no_xliff_is_refused(data: bytes) -> None:
    with pytest.raises(InputError) as error:
        read_xliff(data, where="guide.xlf")
    assert error.value.where.startswith("guide.xlf:")
