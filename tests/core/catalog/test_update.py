"""core/update and what it stands on: which translation each message gets, and that none is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from notebooks import notebook
from report_results import LOCK
from runs import run_at

from pipeline.adapters.po import format_catalog
from pipeline.core.catalog.counts import count_catalog
from pipeline.core.catalog.lineage import read_redirects
from pipeline.core.catalog.origins import fuzzy_class, states_of
from pipeline.core.catalog.update import (
    CODE,
    Updated,
    update_catalogs,
    wanted_entries,
)
from pipeline.core.document.reader import read_document
from pipeline.core.pin.lock import SourceFile
from pipeline.core.results import PageResult, UpdateCounts
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.paths import Paths
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.stage import update_catalog_files

HEADER = {"Language": "zh_CN"}
LONG = "Every shard keeps a part of the weights and sends its gradients to the others."
EDITED = "Every shard keeps a part of the weights and sends its gradients to all others."
KEYS = "A key that was split must never be used for anything else again."
STEPS = "The number of steps is counted from the first call of the outer loop."
LOSS = "The loss is averaged over all examples before it is written to the log."


def wanted(*msgids: str) -> tuple[Entry, ...]:
    return tuple(Entry(msgid=msgid, notes=("paragraph",), references=("page",)) for msgid in msgids)


def catalog(*entries: Entry) -> Catalog:
    return Catalog(header=HEADER, entries=entries)


def written(*msgids: str, by: str = "") -> Catalog:
    """A catalogue in which each message has a translation that names it."""
    return catalog(*(replace(entry, msgstr=said(entry.msgid, by)) for entry in wanted(*msgids)))


def said(msgid: str, by: str = "") -> str:
    return f"译：{msgid}{by}"


def header(page: str, existing: Mapping[str, str]) -> Mapping[str, str]:
    return existing or HEADER


def update(old: Catalog, *msgids: str) -> Updated:
    """The update of one page that is alone in its locale."""
    return update_all({"page": old}, {"page": msgids})["page"]


def update_all(
    old: Mapping[str, Catalog],
    pages: Mapping[str, Sequence[str]],
    *gone: str,
    redirects: Mapping[str, str] | None = None,
) -> dict[str, Updated]:
    entries = {page: wanted(*msgids) for page, msgids in pages.items()}
    return update_catalogs(old, entries, header=header, gone=gone, redirects=redirects)


def with_first(old: Catalog, **fields: object) -> Catalog:
    """The catalogue with other fields of its first entry."""
    first, *others = old.entries
    changed = replace(first, **fields)
    return replace(old, entries=(changed, *others))


def states(updated: Updated) -> dict[str, str]:
    """What became of each live entry: its msgstr, with ``?`` in front while it waits."""
    return {
        entry.msgid: "?" * entry.fuzzy + entry.msgstr
        for entry in updated.catalog.entries
        if not entry.obsolete
    }


def test_equal_text_keeps_its_translation_wherever_it_moved() -> None:
    result = update(written("One thing.", "Another."), "Another.", "One thing.")
    expected = {"Another.": said("Another."), "One thing.": said("One thing.")}
    assert list(states(result).items()) == list(expected.items())
    assert result.counts == UpdateCounts(kept=2)


def test_a_remark_on_an_entry_without_translation_stays() -> None:
    old = catalog(Entry(msgid=LONG, comments=("ask upstream",)))
    (entry,) = update(old, LONG).catalog.entries
    assert (entry.msgstr, entry.comments) == ("", ("ask upstream",))


def test_text_that_changed_a_little_is_fuzzy_with_its_old_english() -> None:
    old = Entry(msgid=LONG, msgstr="每个分片……", comments=("seen",))
    result = update(catalog(old), EDITED)
    note = "fuzzy: rewording: … its gradients to [-the-]{+all+} others."
    waiting = replace(
        old,
        msgid=EDITED,
        fuzzy=True,
        previous=LONG,
        notes=("paragraph", note),
        references=("page",),
    )
    assert result.catalog.entries == (waiting, replace(old, obsolete=True))
    assert fuzzy_class(waiting) == "rewording"
    assert result.counts == UpdateCounts(fuzzy={"rewording": 1})


def test_a_fuzzy_entry_that_changes_again_remembers_the_first_english() -> None:
    twice = update(update(written(LONG), EDITED).catalog, f"{EDITED} Always.").catalog
    found = [(entry.previous, entry.msgid, entry.obsolete) for entry in twice.entries]
    assert found == [(LONG, f"{EDITED} Always.", False), (None, LONG, True)]


@pytest.mark.parametrize("meanwhile", [EDITED, "Quite another sentence."])
def test_text_that_returns_is_finished_whatever_happened(meanwhile: str) -> None:
    back = update(update(written(LONG), meanwhile).catalog, LONG).catalog
    found = [(entry.msgid, entry.is_translated) for entry in back.entries]
    assert found == [(LONG, True)]


def test_fuzzy_work_of_someone_is_kept_when_its_message_goes() -> None:
    once = update(written(LONG), EDITED).catalog
    live, kept = update(with_first(once, msgstr="改了一半"), LONG).catalog.entries
    assert (live.msgid, live.msgstr, live.is_translated) == (LONG, said(LONG), True)
    assert (kept.msgid, kept.msgstr) == (EDITED, "改了一半")
    assert (kept.fuzzy, kept.obsolete) == (True, True)
    noted = with_first(once, comments=("ask upstream",))
    assert update(noted, LONG).catalog.entries[1].comments == ("ask upstream",)


def test_a_suggestion_that_was_cleared_is_not_made_again() -> None:
    once = update(written(LONG), EDITED).catalog
    cleared = with_first(once, msgstr="", fuzzy=False, previous=None)
    assert states(update(cleared, EDITED)) == {EDITED: ""}


def test_other_text_starts_empty_and_what_vanished_is_obsolete() -> None:
    old = (*written(LONG).entries, Entry(msgid="Never translated."))
    result = update(catalog(*old), "Install the package first.")
    fresh, gone = result.catalog.entries
    assert (fresh.msgstr, fresh.fuzzy) == ("", False)
    assert gone == Entry(msgid=LONG, msgstr=said(LONG), obsolete=True)
    assert result.counts == UpdateCounts(new=1, obsolete=1)
    again = update(result.catalog, "Install the package first.")
    assert again.counts.obsolete == 0


def test_short_texts_need_to_be_much_alike() -> None:
    assert not update(written("Arrays"), "Errors").counts.fuzzy
    found = update(written("Vectorization"), "Vectorisation").counts.fuzzy
    assert found == {"case or typo": 1}


def test_the_best_match_wins_in_whatever_order_the_messages_stand() -> None:
    first, second = EDITED + " This holds always.", EDITED
    for order in ((first, second), (second, first)):
        found = states(update(written(LONG), *order))
        assert found == {first: "", second: "?" + said(LONG)}


def test_words_that_all_texts_share_do_not_hide_the_one_that_fits() -> None:
    row = "The value of word{} is printed in {} column of the table."
    old = written(*(row.format(number, "this") for number in range(200)))
    new = row.format(77, "the first")
    assert states(update(old, new)) == {new: "?" + old.entries[77].msgstr}


def test_paragraphs_that_share_one_sentence_are_alike_only_as_a_whole() -> None:
    rest = (
        "Of all that was said about the rest of it nothing is left in here by now, and that is "
        "how it should be."
    )
    old, alike, other = f"{STEPS} {LOSS}", f"{STEPS} {KEYS}", f"{rest} {STEPS}"
    assert states(update(written(old), alike)) == {alike: "?" + said(old)}
    assert states(update(written(old), other)) == {other: ""}


def test_a_change_of_mark_up_alone_is_recognized_behind_long_targets() -> None:
    old = "Call `go` and then `stop`."
    new = "Call {func}`go <package.of.some.module.go>` and then [`stop`](https://example.org/a/very/long/page.html#stop)."
    before = catalog(Entry(msgid=old, msgstr="先开始，再停止。"))
    (entry, _) = update(before, new).catalog.entries
    assert (entry.msgstr, fuzzy_class(entry)) == ("先开始，再停止。", "mark-up")


def test_white_space_and_hosts_are_carried_over_as_finished() -> None:
    old = "Read  [the guide](http://guide.example/page) before you start."
    new = "Read [the guide](https://guide.example/page) before you start."
    before = Entry(msgid=old, msgstr="先读[指南](http://guide.example/page)。")
    result = update(catalog(before), new)
    assert states(result) == {new: "先读[指南](https://guide.example/page)。"}
    (note,) = states_of(result.catalog.entries[0])
    assert note.startswith("carried over: mark-up: Read [the [-guide]")
    assert result.counts == UpdateCounts(carried=1)


def test_other_code_is_filled_in_and_kept_on_the_way_back() -> None:
    old, new = "Call `go` and then stop it.", "Call `tea.go` and then stop it."
    before = catalog(Entry(msgid=old, msgstr="先调用 `go`，再停止。"))
    forth = update(before, new).catalog
    (entry, spare) = forth.entries
    assert (entry.msgstr, entry.previous) == ("先调用 `tea.go`，再停止。", old)
    assert fuzzy_class(entry) == "code"
    assert spare.msgstr == "先调用 `go`，再停止。"
    back = update(forth, old).catalog
    assert [item.msgstr for item in back.entries] == [spare.msgstr, entry.msgstr]
    assert [item.is_translated for item in back.entries] == [True, False]


def test_carried_text_serves_every_page_and_no_second_run_adds_any() -> None:
    old = "Read  this page before you start to write a kernel."
    new = "Read this page before you start to write a kernel."
    pages = {"page": [new], "other": [new]}
    result = update_all({"page": written(old)}, pages)
    assert all(states(updated) == {new: said(old)} for updated in result.values())
    assert_settled(result, pages)


def assert_settled(result: Mapping[str, Updated], pages: Mapping[str, Sequence[str]]) -> None:
    """A second update returns the very catalogues of the first."""
    again = update_all({page: one.catalog for page, one in result.items()}, pages)
    assert all(again[page].catalog is result[page].catalog for page in pages)


def test_merged_paragraphs_are_offered_joined() -> None:
    old = catalog(
        Entry(msgid=STEPS, msgstr="数步数。"),
        Entry(msgid=LOSS, msgstr="记损失"),
        Entry(msgid=KEYS, msgstr="不重用键。"),
    )
    merged = f"{LOSS} {STEPS}"
    entry = update(old, merged, KEYS).catalog.entries[0]
    assert (entry.msgstr, entry.fuzzy) == ("记损失 数步数。", True)
    assert (entry.previous, fuzzy_class(entry)) == (merged, "merged")
    backward = update(old, f"{STEPS} {LOSS}", KEYS).catalog.entries[0]
    assert backward.msgstr == "数步数。记损失"


def test_text_that_stands_twice_is_merged_once() -> None:
    both = {"a": written(STEPS, LOSS), "b": written(STEPS, LOSS)}
    new = f"{STEPS} {LOSS} And more."
    result = update_all(both, {"a": [new], "b": [KEYS]})
    assert states(result["a"]) == {new: f"?{said(STEPS)} {said(LOSS)}"}


def test_a_paragraph_cut_into_several_is_offered_to_each() -> None:
    old, parts = f"{STEPS} {LOSS} {KEYS}", (STEPS, f"{LOSS} {KEYS}")
    result = update(written(old), *parts)
    assert states(result) == dict.fromkeys(parts, "?" + said(old))
    assert result.counts.fuzzy == {"split": 2}


def test_a_paragraph_inside_a_much_longer_one_is_offered_if_nothing_better_is() -> None:
    longer = (
        f"{STEPS} What follows was added later, and says nothing of the kind; yet readers wanted "
        f"to know that as well."
    )
    assert states(update(written(STEPS), longer)) == {longer: "?" + said(STEPS)}
    assert states(update(written(longer), STEPS)) == {STEPS: "?" + said(longer)}


def test_a_long_text_that_another_page_has_is_taken_over_as_finished() -> None:
    result = update_all({"there": written(LONG)}, {"page": [LONG]})["page"]
    (entry,) = result.catalog.entries
    assert entry.is_translated
    assert entry.notes == ("paragraph", "carried over: the same text in there")
    assert result.counts.carried == 1


def test_a_short_text_or_one_that_pages_translate_differently_is_only_offered() -> None:
    pages = {
        "a": written("Setup", by="甲"),
        "b": written("Setup", LONG, by="乙"),
        "c": written(LONG, by="丙"),
    }
    setup, long = update_all(pages, {"page": ["Setup", LONG]})["page"].catalog.entries
    assert (setup.fuzzy, setup.previous) == (True, "Setup")
    assert setup.msgstr == said("Setup", "甲")
    assert (long.fuzzy, long.previous, fuzzy_class(long)) == (True, LONG, "moved")
    assert "other pages differ" in long.notes[-1]
    (short,) = update_all({"a": pages["a"]}, {"page": ["Setup"]})["page"].catalog.entries
    assert short.fuzzy
    assert "too short" in short.notes[-1]


def test_a_short_text_that_pages_agree_on_is_finished() -> None:
    both = {"a": written("Setup"), "b": written("Setup")}
    found = update_all(both, {"page": ["Setup"]})["page"]
    assert states(found) == {"Setup": said("Setup")}


def test_a_short_text_that_moved_is_finished_whatever_other_pages_say() -> None:
    texts = ("Setup", LONG, KEYS)
    old = {"from": written(*texts), "other": written("Setup", by="!")}
    pages = {"from": ["Now empty."], "to": texts, "other": ["Setup"]}
    found = update_all(old, pages)["to"]
    assert states(found) == {text: said(text) for text in texts}
    pages = {"from": ["Now empty."], "to": ["Setup"]}
    alone = update_all({"from": written("Setup")}, pages)["to"]
    assert states(alone) == {"Setup": said("Setup")}


def test_fuzzy_entries_of_other_pages_are_no_source() -> None:
    other = catalog(Entry(msgid=LONG, msgstr="x", fuzzy=True, previous="y"))
    result = update_all({"other": other}, {"page": [LONG], "other": [LONG]})
    assert states(result["page"]) == {LONG: ""}


def test_edited_text_is_found_on_the_page_that_it_left() -> None:
    old = {"from": written(LONG, KEYS, STEPS), "other": written("Setup", LOSS)}
    pages = {"from": [STEPS], "to": [EDITED, KEYS], "other": ["Setup", LOSS]}
    result = update_all(old, pages)
    assert states(result["to"]) == {EDITED: "?" + said(LONG), KEYS: said(KEYS)}


def test_a_text_in_use_may_help_others_only_if_very_much_alike() -> None:
    related = "Every shard keeps a copy of the state, and asks for what it lacks in the gradients."
    pages = {"other": [LONG], "page": [EDITED, related]}
    result = update_all({"other": written(LONG)}, pages)
    assert states(result["page"]) == {EDITED: "?" + said(LONG), related: ""}


def test_a_text_that_moved_to_several_pages_with_an_edit_helps_each_of_them() -> None:
    text = "Every bench in the workshop has a lamp of its own and two drawers for the small tools"
    old = {"a": written(text), "b": catalog(), "c": catalog()}
    result = update_all(old, {"a": [], "b": [f"{text}."], "c": [f"{text}!"]})
    offers = [*states(result["b"]).values(), *states(result["c"]).values()]
    assert offers == ["?" + said(text)] * 2
    same_page = update(old["a"], f"{text}.", f"{text}!")
    assert sorted(states(same_page).values()) == ["", "?" + said(text)]


@pytest.mark.parametrize(
    ("change", "is_new"),
    [
        ({}, False),
        ({"notes": ("paragraph", f"{CODE}lamp()")}, False),
        ({"msgid": KEYS}, True),
    ],
    ids=["nothing", "code", "text"],
)
def test_the_header_is_dated_anew_if_a_text_has_changed(
    change: dict[str, Any], is_new: bool
) -> None:
    (entry,) = wanted(LONG)
    dated = HEADER | {"POT-Creation-Date": "2026-05-01 09:30+0000"}
    entries = {"page": (replace(entry, **change),)}
    result = update_catalogs({"page": catalog(entry)}, entries, header=lambda *_: dated)
    assert result["page"].catalog.header == (dated if is_new else HEADER)


def test_a_renamed_page_takes_its_catalogue_along() -> None:
    gone = Entry(msgid="Old", msgstr="旧", obsolete=True)
    old = Catalog(
        header={"Last-Translator": "Li"},
        comment=("by Li",),
        entries=(*written(LONG, KEYS).entries, gone),
    )
    result = update_all({"before": old}, {"after": [EDITED, KEYS]}, "before")
    after = result["after"]
    assert after.counts.moved_from == "before"
    assert (after.catalog.header, after.catalog.comment) == (old.header, old.comment)
    assert states(after) == {EDITED: "?" + said(LONG), KEYS: said(KEYS)}
    obsolete = {entry.msgid for entry in after.catalog.entries if entry.obsolete}
    assert obsolete == {LONG, "Old"}
    assert result["before"].catalog == Catalog()
    back = update_all({"after": after.catalog}, {"before": [LONG, KEYS]}, "after")
    assert states(back["before"]) == {LONG: said(LONG), KEYS: said(KEYS)}
    assert back["before"].counts.moved_from == "after"
    assert back["after"].catalog == Catalog()


def test_a_small_page_that_takes_one_text_of_a_large_one_is_not_that_page() -> None:
    old = {"large": written(LONG, KEYS, STEPS, LOSS)}
    small, large = update_all(old, {"small": [LONG]}, "large").values()
    assert (states(small), small.counts.moved_from) == ({LONG: said(LONG)}, "")
    assert [entry.obsolete for entry in large.catalog.entries] == [True] * 4
    assert large.counts.obsolete == 3


def test_of_two_pages_that_take_from_one_the_larger_is_the_renamed_one() -> None:
    old = {"old": written(LONG, KEYS, STEPS, LOSS), "also": written(LONG, KEYS)}
    pages = {"a": [LONG, KEYS], "b": [KEYS, STEPS, LOSS]}
    result = update_all(old, pages, "old", "also")
    moved = {page: updated.counts.moved_from for page, updated in result.items()}
    assert moved == {"a": "also", "b": "old", "old": "", "also": ""}


def left_of(gone: Catalog, *, same: Catalog | None = None) -> Catalog:
    """What is left of a page that is gone, beside another that still has its text."""
    old = {"gone": gone, "same": same or written(LONG, KEYS)}
    return update_all(old, {"same": [LONG, KEYS]}, "gone")["gone"].catalog


def test_a_vanished_page_whose_text_lives_on_elsewhere_needs_no_catalogue() -> None:
    assert left_of(written(LONG)) == Catalog()


@pytest.mark.parametrize("work", [{"msgstr": "另一种译法"}, {"comments": ("why so",)}])
def test_a_vanished_page_keeps_its_own_work(work: dict[str, object]) -> None:
    gone = with_first(written(LONG), **work)
    kept = left_of(gone)
    found = [(entry.msgstr, entry.obsolete) for entry in kept.entries]
    assert found == [(gone.entries[0].msgstr, True)]
    assert left_of(kept) is kept


@pytest.mark.parametrize(
    "signed",
    [
        replace(written(LONG), comment=("by Li",)),
        replace(written(LONG), header={**HEADER, "Last-Translator": "Li"}),
    ],
)
def test_a_vanished_page_keeps_the_name_of_its_translator(signed: Catalog) -> None:
    assert left_of(signed).entries
    theirs = replace(signed, entries=written(LONG, KEYS).entries)
    assert left_of(signed, same=theirs) == Catalog()


def test_of_two_vanished_pages_with_the_same_text_one_keeps_it() -> None:
    result = update_all({"a": written(LONG), "b": written(LONG)}, {}, "a", "b")
    assert [len(updated.catalog.entries) for updated in result.values()] == [1, 0]


CONTEXTS = (
    Entry(msgid="State", msgstr="状态", context="noun"),
    Entry(msgid="State", msgstr="说明", context="verb"),
)


def by_context(updated: Updated) -> list[tuple[str | None, str]]:
    entries = updated.catalog.entries
    return [(one.context, one.msgstr) for one in entries if not one.obsolete]


def test_a_text_translated_twice_in_a_page_by_context_stays_so() -> None:
    both = [("noun", "状态"), ("verb", "说明")]
    result = update(catalog(*CONTEXTS), "State")
    assert by_context(result) == both
    assert (result.counts.kept, result.counts.new) == (1, 0)
    gone = update(result.catalog, LONG)
    assert by_context(update(gone.catalog, "State")) == both
    texts, old = ("State", LONG, KEYS), (*CONTEXTS, *written(LONG, KEYS).entries)
    everything = [*both, (None, said(LONG)), (None, said(KEYS))]
    renamed = update_all({"a": catalog(*old)}, {"b": texts}, "a")["b"]
    assert by_context(renamed) == everything
    moved = update_all({"a": catalog(*old)}, {"a": [STEPS], "b": texts})["b"]
    assert by_context(moved) == everything


def test_contexts_without_translations_stay_for_the_translator() -> None:
    result = update(catalog(*(replace(one, msgstr="") for one in CONTEXTS)), "State")
    assert by_context(result) == [("noun", ""), ("verb", "")]
    assert result.counts.new == 1


def test_an_update_without_change_returns_the_catalogue_itself() -> None:
    texts = (EDITED, "New.")
    assert_settled({"page": update(written(LONG), *texts)}, {"page": texts})


def test_an_offer_whose_own_translation_comes_from_another_page_goes_at_once() -> None:
    offer = Entry(
        msgid=EDITED,
        msgstr=said(LONG),
        fuzzy=True,
        previous=LONG,
        obsolete=True,
        notes=("fuzzy: rewording: x",),
    )
    pages = {"page": [LONG, KEYS], "other": [LONG]}
    first = update_all({"page": catalog(offer), "other": written(LONG)}, pages)
    assert states(first["page"]) == {LONG: said(LONG), KEYS: ""}
    assert len(first["page"].catalog.entries) == 2
    assert_settled(first, pages)


def test_a_page_without_prose_needs_no_catalogue() -> None:
    assert update(Catalog()).catalog.entries == ()


def test_pages_outside_the_run_are_left_alone_but_help() -> None:
    old = {"here": written(KEYS), "there": written(LONG)}
    result = update_all(old, {"here": [LONG]})
    assert set(result) == {"here"}
    assert states(result["here"]) == {LONG: said(LONG)}


def test_the_notes_of_a_state_go_when_the_state_does() -> None:
    fuzzy = update(written(LONG), EDITED).catalog
    confirmed = with_first(fuzzy, msgstr="改好了", fuzzy=False, previous=None)
    entry = update(confirmed, EDITED).catalog.entries[0]
    assert (entry.notes, entry.previous) == (("paragraph",), None)
    assert fuzzy_class(entry) == ""
    emptied = Entry(msgid=EDITED, msgstr="", fuzzy=True, previous=LONG)
    assert update(catalog(emptied), EDITED).counts.new == 1


def test_a_fuzzy_entry_of_another_tool_is_told_what_changed() -> None:
    theirs = Entry(msgid=EDITED, msgstr="x", fuzzy=True, previous=LONG)
    marked = Entry(msgid=KEYS, msgstr="y", fuzzy=True)
    first, second = update(catalog(theirs, marked), EDITED, KEYS).catalog.entries
    assert fuzzy_class(first) == "rewording"
    assert (fuzzy_class(second), second.notes) == ("", ("paragraph",))


def test_the_text_of_an_unfinished_translation_that_returns_is_offered() -> None:
    old = catalog(Entry(msgid=EDITED, msgstr="改了一半", fuzzy=True, previous=LONG))
    entry = update(old, LONG).catalog.entries[0]
    assert (entry.msgstr, entry.fuzzy, entry.previous) == ("改了一半", True, LONG)
    assert fuzzy_class(entry) == "moved"


def test_redirects_name_kin_where_no_text_does() -> None:
    old = {"from": written(LONG), "elsewhere": written(EDITED.replace("all", "some"))}
    pages = {"to": [EDITED], "elsewhere": [KEYS]}
    redirects = {"from": "to", "unknown": "to"}
    result = update_all(old, pages, "from", redirects=redirects)
    assert states(result["to"]) == {EDITED: "?" + said(LONG)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            "{'a.md': 'b', '/c/d.html': 'e.ipynb', 'f': 'g.rst'}",
            {"a": "b", "c/d": "e", "f": "g"},
        ),
        ("{'a': 'b', 1: 'c', 'd': None}", {"a": "b"}),
        ("'redirects.txt'", {}),
        ("load()", {}),
    ],
)
def test_redirects_are_read_but_not_run(value: str, expected: dict[str, str]) -> None:
    config = f"x = 1\nrediraffe_redirects = {value}"
    assert read_redirects(config) == expected
    below = {f"docs/{old}": f"docs/{new}" for old, new in expected.items()}
    assert read_redirects(config, below="docs/") == below


def test_wanted_entries_are_one_list_for_a_pair() -> None:
    page = read_document("p.md", b"# Title\n\nShared text.\n\nOnly in Markdown.\n")
    text = notebook(title="# Title\n\nShared text.")
    entries = wanted_entries("p", [read_document("p.ipynb", text.encode()), page])
    assert [(entry.msgid, entry.notes) for entry in entries] == [
        ("Title", ("heading",)),
        ("Shared text.", ("paragraph · Title",)),
        ("Only in Markdown.", ("paragraph · Title",)),
    ]
    assert {entry.references for entry in entries} == {("p",)}


def test_the_notes_of_messages_in_rest_say_so() -> None:
    document = read_document("a.rst", b"Pots\n====\n\nSome words.\n")
    notes = [entry.notes[0] for entry in wanted_entries("a", [document])]
    assert notes == ["heading (reST)", "paragraph (reST) · Pots"]


def test_translations_by_context_stand_under_it_and_the_first_everywhere() -> None:
    open_one, plain = Entry(msgid="State", context="Elsewhere"), written("State")
    by_place = {"noun\4State": "状态", "verb\4State": "说明"}
    found = translations_of(catalog(*CONTEXTS, open_one))
    assert found == {**by_place, "State": "状态"}
    found = translations_of(catalog(*CONTEXTS, *plain.entries))
    assert found == {**by_place, "State": said("State")}


def test_counting_tells_states_apart() -> None:
    mixed = catalog(
        Entry(msgid="Two words", msgstr="两词"),
        Entry(msgid="Three more words", msgstr="三词", fuzzy=True, previous="x"),
        Entry(msgid="Nothing yet"),
        Entry(msgid="Old", msgstr="旧", obsolete=True),
    )
    counted = count_catalog(PageResult(page="p"), mixed)
    assert (counted.messages, counted.words) == (3, 7)
    assert (counted.translated, counted.translated_words) == (1, 2)
    assert (counted.fuzzy, counted.untranslated, counted.obsolete) == (1, 1, 1)
    assert translations_of(mixed) == {"Two words": "两词"}


_WORDS = st.lists(
    st.sampled_from(
        "array shape trace grad jit shard mesh key loss step state pure. So: and".split()
    ),
    min_size=1,
    max_size=12,
)
_MSGIDS = st.lists(_WORDS.map(" ".join), unique=True, max_size=6)
_RELEASES = st.lists(
    st.dictionaries(st.sampled_from("abc"), _MSGIDS, max_size=3), min_size=2, max_size=5
)


def _run(catalogs: dict[str, Catalog], pages: dict[str, list[str]]) -> dict[str, Catalog]:
    """What the stage does with the files of a locale."""
    result = update_all(catalogs, pages, *(catalogs.keys() - pages.keys()))
    assert result.keys() == catalogs.keys() | pages.keys()
    for updated in result.values():
        keys = [(entry.context, entry.msgid) for entry in updated.catalog.entries]
        assert len(keys) == len(set(keys))
    found = {page: updated.catalog for page, updated in result.items()}
    return {page: catalog for page, catalog in found.items() if catalog.entries}


@pytest.mark.slow
@given(_RELEASES)
def test_updates_lose_and_mix_nothing(releases: list[dict[str, list[str]]]) -> None:
    """P5, P6: each msgstr ever written is live, fuzzy or obsolete.

    A finished one is its own msgid's, and twice is once.
    """
    current: dict[str, Catalog] = {}
    ever: dict[str, str] = {}
    for number, pages in enumerate(releases):
        current = _run(current, pages)
        assert _run(current, pages) == current
        for page, one in current.items():
            filled = []
            for entry in one.entries:
                mine = f"{entry.msgid} by {page}{number}"
                filled.append(entry if entry.msgstr else replace(entry, msgstr=mine))
                if not entry.msgstr:
                    ever[mine] = entry.msgid
            current[page] = replace(one, entries=tuple(filled))
        entries = [entry for one in current.values() for entry in one.entries]
        assert ever.keys() <= {entry.msgstr for entry in entries}
        for entry in entries:
            if not entry.fuzzy:
                assert ever[entry.msgstr] == entry.msgid
            elif entry.msgstr in ever:
                assert ever[entry.msgstr] == entry.previous
            else:
                assert fuzzy_class(entry) == "merged"


def test_the_stage_moves_the_catalogue_of_a_renamed_page(tmp_path: Path) -> None:
    def run(*, dry: bool = False) -> tuple[Locale, dict[str, Updated]]:
        """An update to the one page that is left."""
        lock = replace(LOCK, files=(SourceFile(path="after.md", blob="0" * 40),))
        locale = Locale(replace(run_at(tmp_path, "docs", url="x"), dry=dry), "zh_CN")
        pages = {"after": wanted(LONG, KEYS)}
        return locale, update_catalog_files(locale, pages, lock, asked=pages)

    paths = Paths(tmp_path, "docs")
    before, after, other = (paths.catalog("zh_CN", page) for page in ("before", "after", "other"))
    before.parent.mkdir(parents=True)
    before.write_bytes(format_catalog(written(LONG, KEYS)))
    other.write_bytes(format_catalog(written(LOSS)))
    planned, _ = run(dry=True)
    assert (before.exists(), after.exists()) == (True, False)
    locale, updated = run()
    assert locale.changes == planned.changes != {}
    assert (before.exists(), after.exists(), other.exists()) == (False, True, True)
    assert updated["after"].counts.moved_from == "before"
    catalogs = locale.readable_catalogs()
    assert list(catalogs) == ["after", "other"]
    assert [entry.obsolete for entry in catalogs["other"].entries] == [True]
    assert [finding.code for finding in locale.findings["other"]] == ["page-gone"]
    assert run()[0].changes == {}


def test_what_still_stands_on_a_page_is_not_offered_to_its_neighbour() -> None:
    """Rows of a list are alike, and yet each is about another thing."""
    row, other = (
        f"Support for release 3.{number} of the library ends in October." for number in (13, 14)
    )
    old = catalog(Entry(msgid=row, msgstr="对 3.13 版的支持到十月为止。"))
    assert states(update(old, row, other))[other] == ""
    assert states(update(old, other)) == {other: "?对 3.14 版的支持到十月为止。"}


def test_words_that_somebody_has_taken_out_are_for_no_message() -> None:
    emptied = Entry(msgid=LONG, msgstr="坏", context="emptied", obsolete=True)
    old = {"here": catalog(Entry(msgid=LONG), emptied)}
    result = update_all(old, {"here": [LONG], "there": [LONG, EDITED]})
    assert states(result["here"]) == {LONG: ""}
    assert states(result["there"]) == {LONG: "", EDITED: ""}
    assert emptied in result["here"].catalog.entries
