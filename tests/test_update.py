"""core/update: which translation each message gets, and that none is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.document import read_document
from pipeline.core.update import count_catalog, pool_translations, translations_of, update_catalog, wanted_entries
from pipeline.model import Catalog, Entry, PageResult

HEADER = {"Language": "zh_CN"}
LONG = "Every shard keeps a part of the weights and sends its gradients to the others."
EDITED = "Every shard keeps a part of the weights and sends its gradients to all others."


def wanted(*msgids: str) -> tuple[Entry, ...]:
    return tuple(Entry(msgid=msgid, notes=("paragraph",), references=("page",)) for msgid in msgids)


def catalog(*entries: Entry) -> Catalog:
    return Catalog(header=HEADER, entries=entries)


def test_equal_text_keeps_its_translation_wherever_it_moved() -> None:
    old = catalog(Entry(msgid="One thing.", msgstr="一件事。"), Entry(msgid="Another.", msgstr="另一件。"))
    result = update_catalog(old, wanted("Another.", "One thing."))
    assert [(entry.msgid, entry.msgstr) for entry in result.catalog.entries] == [("Another.", "另一件。"), ("One thing.", "一件事。")]
    assert (result.kept, result.fuzzy, result.new, result.obsolete) == (2, 0, 0, 0)


def test_text_that_changed_a_little_is_fuzzy_with_the_english_it_was_written_for() -> None:
    result = update_catalog(catalog(Entry(msgid=LONG, msgstr="每个分片……", comments=("seen",))), wanted(EDITED))
    (entry,) = result.catalog.entries
    assert (entry.msgid, entry.msgstr, entry.fuzzy, entry.previous) == (EDITED, "每个分片……", True, LONG)
    assert entry.comments == ("seen",)
    assert entry.notes[-1].startswith("fuzzy: 9")
    assert not entry.is_translated


def test_a_fuzzy_entry_that_changes_again_remembers_the_first_english() -> None:
    once = update_catalog(catalog(Entry(msgid=LONG, msgstr="每个分片……")), wanted(EDITED)).catalog
    twice = update_catalog(once, wanted(EDITED + " Always.")).catalog
    assert twice.entries[0].previous == LONG
    assert len(twice.entries) == 1


def test_other_text_starts_empty_and_what_vanished_is_obsolete() -> None:
    old = catalog(Entry(msgid=LONG, msgstr="每个分片……", notes=("paragraph",), references=("page",)), Entry(msgid="Never translated."))
    result = update_catalog(old, wanted("Install the package first."))
    fresh, gone = result.catalog.entries
    assert (fresh.msgstr, fresh.fuzzy) == ("", False)
    assert (gone.msgid, gone.msgstr, gone.obsolete, gone.references) == (LONG, "每个分片……", True, ())
    assert result.obsolete == 1


def test_obsolete_text_that_returns_is_finished_again() -> None:
    gone = update_catalog(catalog(Entry(msgid=LONG, msgstr="每个分片……")), wanted("Quite another sentence.")).catalog
    back = update_catalog(gone, wanted(LONG)).catalog
    assert [(entry.msgid, entry.obsolete, entry.is_translated) for entry in back.entries] == [(LONG, False, True)]


def test_short_texts_need_to_be_much_alike() -> None:
    assert update_catalog(catalog(Entry(msgid="Arrays", msgstr="数组")), wanted("Errors")).fuzzy == 0
    assert update_catalog(catalog(Entry(msgid="Vectorization", msgstr="向量化")), wanted("Vectorisation")).fuzzy == 1


def test_a_long_text_that_another_page_has_is_taken_over_as_finished() -> None:
    pool = pool_translations([("there", catalog(Entry(msgid=LONG, msgstr="每个分片……")))])
    result = update_catalog(Catalog(), wanted(LONG), pool=pool, header=HEADER)
    (entry,) = result.catalog.entries
    assert entry.is_translated
    assert entry.notes == ("paragraph", "carried over: the same text in there")
    assert result.carried == 1


def test_a_short_text_or_one_that_pages_translate_differently_is_only_offered() -> None:
    first, second = (
        catalog(Entry(msgid="Setup", msgstr="准备")),
        catalog(Entry(msgid="Setup", msgstr="设置"), Entry(msgid=LONG, msgstr="乙")),
    )
    pool = pool_translations([("a", first), ("b", second), ("c", catalog(Entry(msgid=LONG, msgstr="甲")))])
    setup, long = update_catalog(Catalog(), wanted("Setup", LONG), pool=pool, header=HEADER).catalog.entries
    assert (setup.fuzzy, setup.previous, setup.msgstr) == (True, "Setup", "设置")
    assert (long.fuzzy, long.previous) == (True, LONG)
    assert "other pages differ" in long.notes[-1]
    alone = pool_translations([("a", first)])
    (short,) = update_catalog(Catalog(), wanted("Setup"), pool=alone, header=HEADER).catalog.entries
    assert short.fuzzy
    assert "too short" in short.notes[-1]


def test_fuzzy_and_split_entries_of_other_pages_are_no_source() -> None:
    other = catalog(Entry(msgid=LONG, msgstr="x", fuzzy=True, previous="y"), Entry(msgid=EDITED, msgstr="z", context="one"))
    assert pool_translations([("a", other)]) == {}


def test_a_text_translated_twice_in_a_page_by_context_stays_so() -> None:
    old = catalog(Entry(msgid="State", msgstr="状态", context="noun"), Entry(msgid="State", msgstr="说明", context="verb"))
    result = update_catalog(old, wanted("State"))
    assert [(entry.context, entry.msgstr) for entry in result.catalog.entries] == [("noun", "状态"), ("verb", "说明")]


def test_an_update_without_change_returns_the_catalogue_itself() -> None:
    first = update_catalog(catalog(Entry(msgid=LONG, msgstr="每个分片……")), wanted(EDITED, "New."), header={"Language": "zh_CN"})
    again = update_catalog(first.catalog, wanted(EDITED, "New."), header={"Language": "zh_CN", "POT-Creation-Date": "later"})
    assert again.catalog is first.catalog


def test_the_notes_of_a_state_go_when_the_state_does() -> None:
    fuzzy = update_catalog(catalog(Entry(msgid=LONG, msgstr="每个分片……")), wanted(EDITED)).catalog.entries[0]
    confirmed = Entry(msgid=EDITED, msgstr="改好了", notes=fuzzy.notes, references=fuzzy.references)
    (entry,) = update_catalog(catalog(confirmed), wanted(EDITED)).catalog.entries
    assert entry.notes == ("paragraph",)
    assert entry.previous is None
    emptied = Entry(msgid=EDITED, msgstr="", fuzzy=True, previous=LONG)
    assert update_catalog(catalog(emptied), wanted(EDITED)).new == 1


def test_wanted_entries_are_one_list_for_a_pair() -> None:
    page = read_document("p.md", b"# Title\n\nShared text.\n\nOnly in Markdown.\n")
    notebook = b'{"cells":[{"cell_type":"markdown","metadata":{},"source":["# Title\\n","\\n","Shared text."]}],"metadata":{},"nbformat":4}'
    entries = wanted_entries("p", [read_document("p.ipynb", notebook), page])
    assert [entry.msgid for entry in entries] == ["Title", "Shared text.", "Only in Markdown."]
    assert [entry.notes for entry in entries] == [("heading",), ("paragraph · Title",), ("paragraph · Title",)]
    assert {entry.references for entry in entries} == {("p",)}


def test_counting_tells_states_apart() -> None:
    mixed = catalog(
        Entry(msgid="Two words", msgstr="两词"),
        Entry(msgid="Three more words", msgstr="三词", fuzzy=True, previous="x"),
        Entry(msgid="Nothing yet"),
        Entry(msgid="Old", msgstr="旧", obsolete=True),
    )
    counted = count_catalog(PageResult(page="p"), mixed)
    assert (counted.messages, counted.words, counted.translated, counted.translated_words) == (3, 7, 1, 2)
    assert (counted.fuzzy, counted.untranslated, counted.obsolete) == (1, 1, 1)
    assert translations_of(mixed) == {"Two words": "两词"}


_WORDS = st.lists(st.sampled_from("array shape trace grad jit shard mesh key loss step state pure".split()), min_size=1, max_size=12)
_MSGIDS = st.lists(_WORDS.map(" ".join), unique=True, max_size=8)


@given(st.lists(_MSGIDS, min_size=2, max_size=5))
def test_no_chain_of_updates_loses_or_mixes_translations(releases: list[list[str]]) -> None:
    """P6: each msgstr ever written is live, fuzzy or obsolete; a finished one is its own msgid's."""
    current = Catalog()
    written: dict[str, str] = {}
    for number, msgids in enumerate(releases):
        current = update_catalog(current, wanted(*msgids), header=HEADER).catalog
        filled = []
        for entry in current.entries:
            if not entry.msgstr:
                written[entry.msgid] = f"{entry.msgid} by {number}"
                filled.append(Entry(msgid=entry.msgid, msgstr=written[entry.msgid], notes=entry.notes, references=entry.references))
            else:
                filled.append(entry)
        current = Catalog(header=HEADER, entries=tuple(filled))
        assert set(written.values()) == {entry.msgstr for entry in current.entries}
        for entry in current.entries:
            if entry.is_translated:
                assert entry.msgstr == written[entry.msgid]
            elif entry.fuzzy:
                assert entry.previous is not None
                assert entry.msgstr == written[entry.previous]
