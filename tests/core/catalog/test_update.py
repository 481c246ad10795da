"""core/update and what it stands on: which translation each message gets, and that none is lost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repositories import DOCS
from runs import run_of

from pipeline.config.settings import Settings, Upstream
from pipeline.core.catalog.counts import count_catalog
from pipeline.core.catalog.lineage import read_redirects
from pipeline.core.catalog.origins import fuzzy_class
from pipeline.core.catalog.update import (
    Updated,
    update_catalogs,
    wanted_entries,
)
from pipeline.core.document.reader import read_document
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.core.results import PageResult, UpdateCounts
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.paths import Paths
from pipeline.run import Run
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.stage import update_catalog_files

HEADER = {"Language": "zh_CN"}
LONG = "Every shard keeps a part of the weights and sends its gradients to the others."
EDITED = (
    "Every shard keeps a part of the weights and sends its gradients to all others."
)
KEYS = "A key that was split must never be used for anything else again."
STEPS = "The number of steps is counted from the first call of the outer loop."
LOSS = "The loss is averaged over all examples before it is written to the log."


def wanted(*msgids: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(msgid=msgid, notes=("paragraph",), references=("page",))
        for msgid in msgids
    )


def catalog(*entries: Entry) -> Catalog:
    return Catalog(header=HEADER, entries=entries)


def written(*msgids: str, by: str = "") -> Catalog:
    """A catalogue in which each message has a translation that names it."""
    return catalog(
        *(replace(entry, msgstr=said(entry.msgid, by)) for entry in wanted(*msgids))
    )


def said(msgid: str, by: str = "") -> str:
    return f"译：{msgid}{by}"


def header(page: str, existing: Mapping[str, str]) -> Mapping[str, str]:
    return existing or HEADER


def update(old: Catalog, entries: tuple[Entry, ...]) -> Updated:
    """The update of one page that is alone in its locale."""
    return update_catalogs({"page": old}, {"page": entries}, header=header)["page"]


def states(updated: Updated) -> dict[str, str]:
    """What became of each live entry: its msgstr, with ``?`` in front while it waits."""
    return {
        entry.msgid: "?" * entry.fuzzy + entry.msgstr
        for entry in updated.catalog.entries
        if not entry.obsolete
    }


def test_equal_text_keeps_its_translation_wherever_it_moved() -> None:
    old = catalog(
        Entry(msgid="One thing.", msgstr="一件事。"),
        Entry(msgid="Another.", msgstr="另一件。"),
    )
    result = update(old, wanted("Another.", "One thing."))
    assert [(entry.msgid, entry.msgstr) for entry in result.catalog.entries] == [
        ("Another.", "另一件。"),
        ("One thing.", "一件事。"),
    ]
    assert result.counts == UpdateCounts(kept=2)


def test_a_remark_on_an_entry_without_translation_stays() -> None:
    old = catalog(Entry(msgid=LONG, comments=("ask upstream",)))
    (entry,) = update(old, wanted(LONG)).catalog.entries
    assert (entry.msgstr, entry.comments) == ("", ("ask upstream",))


def test_text_that_changed_a_little_is_fuzzy_with_the_english_it_was_written_for() -> (
    None
):
    result = update(
        catalog(Entry(msgid=LONG, msgstr="每个分片……", comments=("seen",))),
        wanted(EDITED),
    )
    entry, gone = result.catalog.entries
    assert (entry.msgid, entry.msgstr, entry.fuzzy, entry.previous) == (
        EDITED,
        "每个分片……",
        True,
        LONG,
    )
    assert entry.comments == ("seen",)
    assert entry.notes == (
        "paragraph",
        "fuzzy: rewording: … its gradients to [-the-]{+all+} others.",
    )
    assert fuzzy_class(entry) == "rewording"
    assert not entry.is_translated
    assert (gone.msgid, gone.msgstr, gone.obsolete, gone.fuzzy) == (
        LONG,
        "每个分片……",
        True,
        False,
    )
    assert result.counts == UpdateCounts(fuzzy={"rewording": 1})


def test_a_fuzzy_entry_that_changes_again_remembers_the_first_english() -> None:
    once = update(written(LONG), wanted(EDITED)).catalog
    twice = update(once, wanted(EDITED + " Always.")).catalog
    assert [
        (entry.previous, entry.msgid, entry.obsolete) for entry in twice.entries
    ] == [
        (LONG, EDITED + " Always.", False),
        (None, LONG, True),
    ]


def test_text_that_returns_is_finished_even_if_another_was_offered_its_translation() -> (
    None
):
    once = update(written(LONG), wanted(EDITED)).catalog
    assert [
        (entry.msgid, entry.is_translated)
        for entry in update(once, wanted(LONG)).catalog.entries
    ] == [(LONG, True)]


def test_a_fuzzy_translation_that_someone_worked_on_is_kept_when_its_message_goes() -> (
    None
):
    once = update(written(LONG), wanted(EDITED)).catalog
    worked = replace(
        once, entries=(replace(once.entries[0], msgstr="改了一半"), *once.entries[1:])
    )
    back = update(worked, wanted(LONG)).catalog
    assert [
        (entry.msgid, entry.msgstr, entry.fuzzy, entry.obsolete)
        for entry in back.entries
    ] == [
        (LONG, said(LONG), False, False),
        (EDITED, "改了一半", True, True),
    ]
    noted = replace(
        once,
        entries=(
            replace(once.entries[0], comments=("ask upstream",)),
            *once.entries[1:],
        ),
    )
    assert update(noted, wanted(LONG)).catalog.entries[1].comments == ("ask upstream",)


def test_a_suggestion_that_was_cleared_is_not_made_again() -> None:
    once = update(written(LONG), wanted(EDITED)).catalog
    cleared = replace(
        once,
        entries=(
            replace(once.entries[0], msgstr="", fuzzy=False, previous=None),
            *once.entries[1:],
        ),
    )
    assert states(update(cleared, wanted(EDITED))) == {EDITED: ""}


def test_other_text_starts_empty_and_what_vanished_is_obsolete() -> None:
    old = catalog(
        Entry(
            msgid=LONG, msgstr="每个分片……", notes=("paragraph",), references=("page",)
        ),
        Entry(msgid="Never translated."),
    )
    result = update(old, wanted("Install the package first."))
    fresh, gone = result.catalog.entries
    assert (fresh.msgstr, fresh.fuzzy) == ("", False)
    assert (gone.msgid, gone.msgstr, gone.obsolete, gone.references, gone.notes) == (
        LONG,
        "每个分片……",
        True,
        (),
        (),
    )
    assert result.counts == UpdateCounts(new=1, obsolete=1)
    assert (
        update(result.catalog, wanted("Install the package first.")).counts.obsolete
        == 0
    )


def test_obsolete_text_that_returns_is_finished_again() -> None:
    gone = update(written(LONG), wanted("Quite another sentence.")).catalog
    back = update(gone, wanted(LONG)).catalog
    assert [
        (entry.msgid, entry.obsolete, entry.is_translated) for entry in back.entries
    ] == [(LONG, False, True)]


def test_short_texts_need_to_be_much_alike() -> None:
    assert not update(written("Arrays"), wanted("Errors")).counts.fuzzy
    assert update(written("Vectorization"), wanted("Vectorisation")).counts.fuzzy == {
        "case or typo": 1
    }


def test_the_best_match_wins_in_whatever_order_the_messages_stand() -> None:
    first, second = EDITED + " This holds always.", EDITED
    for order in ((first, second), (second, first)):
        found = states(update(written(LONG), wanted(*order)))
        assert found == {first: "", second: "?" + said(LONG)}


def test_words_that_all_texts_share_do_not_hide_the_one_that_fits() -> None:
    old = written(
        *(
            f"The value of word{number} is printed in this column of the table."
            for number in range(200)
        )
    )
    new = "The value of word77 is printed in the first column of the table."
    assert states(update(old, wanted(new))) == {new: "?" + old.entries[77].msgstr}


def test_paragraphs_that_share_one_sentence_are_alike_only_as_a_whole() -> None:
    rest = (
        "Of all that was said about the rest of it nothing is left in here by now, and that is "
        "how it should be."
    )
    assert states(update(written(f"{STEPS} {LOSS}"), wanted(f"{STEPS} {KEYS}"))) == {
        f"{STEPS} {KEYS}": "?" + said(f"{STEPS} {LOSS}")
    }
    assert states(update(written(f"{STEPS} {LOSS}"), wanted(f"{rest} {STEPS}"))) == {
        f"{rest} {STEPS}": ""
    }


def test_a_change_of_mark_up_alone_is_recognized_behind_long_targets() -> None:
    old = "Call `go` and then `stop`."
    new = "Call {func}`go <package.of.some.module.go>` and then [`stop`](https://example.org/a/very/long/page.html#stop)."
    old_page = catalog(Entry(msgid=old, msgstr="先开始，再停止。"))
    (entry, _) = update(old_page, wanted(new)).catalog.entries
    assert (entry.msgstr, fuzzy_class(entry)) == ("先开始，再停止。", "mark-up")


def test_white_space_and_hosts_are_carried_over_as_finished() -> None:
    old = "Read  [the guide](http://guide.example/page) before you start."
    new = "Read [the guide](https://guide.example/page) before you start."
    result = update(
        catalog(Entry(msgid=old, msgstr="先读[指南](http://guide.example/page)。")),
        wanted(new),
    )
    assert states(result) == {new: "先读[指南](https://guide.example/page)。"}
    assert (
        result.catalog.entries[0]
        .notes[-1]
        .startswith("carried over: mark-up: Read [the [-guide]")
    )
    assert (result.counts.carried, result.counts.obsolete) == (1, 0)


def test_other_code_is_filled_in_and_kept_on_the_way_back() -> None:
    old, new = "Call `go` and then stop it.", "Call `tea.go` and then stop it."
    before = catalog(Entry(msgid=old, msgstr="先调用 `go`，再停止。"))
    forth = update(before, wanted(new)).catalog
    (entry, spare) = forth.entries
    assert (entry.msgstr, entry.previous) == ("先调用 `tea.go`，再停止。", old)
    assert fuzzy_class(entry) == "code"
    assert spare.msgstr == "先调用 `go`，再停止。"
    back = update(forth, wanted(old)).catalog
    assert [item.msgstr for item in back.entries] == [spare.msgstr, entry.msgstr]
    assert [item.is_translated for item in back.entries] == [True, False]


def test_carried_text_serves_every_page_that_has_it_and_no_second_run_adds_any() -> (
    None
):
    old = "Read  this page before you start to write a kernel."
    new = "Read this page before you start to write a kernel."
    pages = {"page": wanted(new), "other": wanted(new)}
    result = update_catalogs({"page": written(old)}, pages, header=header)
    assert all(states(updated) == {new: said(old)} for updated in result.values())
    again = update_catalogs(
        {page: updated.catalog for page, updated in result.items()},
        pages,
        header=header,
    )
    assert all(again[page].catalog is result[page].catalog for page in pages)


def test_merged_paragraphs_are_offered_joined() -> None:
    old = catalog(
        Entry(msgid=STEPS, msgstr="数步数。"),
        Entry(msgid=LOSS, msgstr="记损失"),
        Entry(msgid=KEYS, msgstr="不重用键。"),
    )
    merged = f"{LOSS} {STEPS}"
    entry = update(old, wanted(merged, KEYS)).catalog.entries[0]
    assert (entry.msgstr, entry.previous, entry.fuzzy) == (
        "记损失 数步数。",
        merged,
        True,
    )
    assert fuzzy_class(entry) == "merged"
    backward = update(old, wanted(f"{STEPS} {LOSS}", KEYS)).catalog.entries[0]
    assert backward.msgstr == "数步数。记损失"


def test_text_that_stands_twice_is_merged_once() -> None:
    both = {"a": written(STEPS, LOSS), "b": written(STEPS, LOSS)}
    result = update_catalogs(
        both,
        {"a": wanted(f"{STEPS} {LOSS} And more."), "b": wanted(KEYS)},
        header=header,
    )
    assert states(result["a"]) == {
        f"{STEPS} {LOSS} And more.": f"?{said(STEPS)} {said(LOSS)}"
    }


def test_a_paragraph_cut_into_several_is_offered_to_each() -> None:
    old = f"{STEPS} {LOSS} {KEYS}"
    result = update(written(old), wanted(STEPS, f"{LOSS} {KEYS}"))
    assert states(result) == dict.fromkeys((STEPS, f"{LOSS} {KEYS}"), "?" + said(old))
    assert result.counts.fuzzy == {"split": 2}


def test_a_paragraph_inside_a_much_longer_one_is_offered_if_nothing_better_is() -> None:
    longer = (
        f"{STEPS} What follows was added later, and says nothing of the kind; yet readers wanted "
        f"to know that as well."
    )
    assert states(update(written(STEPS), wanted(longer))) == {longer: "?" + said(STEPS)}
    assert states(update(written(longer), wanted(STEPS))) == {STEPS: "?" + said(longer)}


def test_a_long_text_that_another_page_has_is_taken_over_as_finished() -> None:
    result = update_catalogs(
        {"there": written(LONG)}, {"page": wanted(LONG)}, header=header
    )["page"]
    (entry,) = result.catalog.entries
    assert entry.is_translated
    assert entry.notes == ("paragraph", "carried over: the same text in there")
    assert result.counts.carried == 1


def test_a_short_text_or_one_that_pages_translate_differently_is_only_offered() -> None:
    pages = {
        "a": catalog(Entry(msgid="Setup", msgstr="准备")),
        "b": catalog(Entry(msgid="Setup", msgstr="设置")),
    }
    pages |= {
        "b": catalog(
            Entry(msgid="Setup", msgstr="设置"), Entry(msgid=LONG, msgstr="乙")
        ),
        "c": catalog(Entry(msgid=LONG, msgstr="甲")),
    }
    setup, long = update_catalogs(
        pages, {"page": wanted("Setup", LONG)}, header=header
    )["page"].catalog.entries
    assert (setup.fuzzy, setup.previous, setup.msgstr) == (True, "Setup", "设置")
    assert (long.fuzzy, long.previous, fuzzy_class(long)) == (True, LONG, "moved")
    assert "other pages differ" in long.notes[-1]
    (short,) = update_catalogs(
        {"a": pages["a"]}, {"page": wanted("Setup")}, header=header
    )["page"].catalog.entries
    assert short.fuzzy
    assert "too short" in short.notes[-1]


def test_a_short_text_that_pages_agree_on_is_finished() -> None:
    both = {"a": written("Setup"), "b": written("Setup")}
    assert states(
        update_catalogs(both, {"page": wanted("Setup")}, header=header)["page"]
    ) == {"Setup": said("Setup")}


def test_a_short_text_that_moved_is_finished_whatever_other_pages_say() -> None:
    old = {"from": written("Setup", LONG, KEYS), "other": written("Setup", by="!")}
    pages = {
        "from": wanted("Now empty."),
        "to": wanted("Setup", LONG, KEYS),
        "other": wanted("Setup"),
    }
    result = update_catalogs(old, pages, header=header)
    assert states(result["to"]) == {text: said(text) for text in ("Setup", LONG, KEYS)}
    alone = update_catalogs(
        {"from": written("Setup")},
        {"from": wanted("Now empty."), "to": wanted("Setup")},
        header=header,
    )
    assert states(alone["to"]) == {"Setup": said("Setup")}


def test_fuzzy_entries_of_other_pages_are_no_source() -> None:
    other = catalog(Entry(msgid=LONG, msgstr="x", fuzzy=True, previous="y"))
    result = update_catalogs(
        {"other": other}, {"page": wanted(LONG), "other": wanted(LONG)}, header=header
    )
    assert states(result["page"]) == {LONG: ""}


def test_edited_text_is_found_on_the_page_that_it_left() -> None:
    old = {"from": written(LONG, KEYS, STEPS), "other": written("Setup", LOSS)}
    pages = {
        "from": wanted(STEPS),
        "to": wanted(EDITED, KEYS),
        "other": wanted("Setup", LOSS),
    }
    result = update_catalogs(old, pages, header=header)
    assert states(result["to"]) == {EDITED: "?" + said(LONG), KEYS: said(KEYS)}


def test_a_text_that_is_still_in_use_may_help_others_but_only_if_very_much_alike() -> (
    None
):
    related = "Every shard keeps a copy of the state, and asks for what it lacks in the gradients."
    old = {"other": written(LONG)}
    pages = {"other": wanted(LONG), "page": wanted(EDITED, related)}
    assert list(
        states(update_catalogs(old, pages, header=header)["page"]).values()
    ) == [
        "?" + said(LONG),
        "",
    ]


def test_a_text_that_moved_to_several_pages_with_an_edit_helps_each_of_them() -> None:
    text = "Every bench in the workshop has a lamp of its own and two drawers for the small tools"
    old = {"a": written(text), "b": catalog(), "c": catalog()}
    new = {"a": (), "b": wanted(f"{text}."), "c": wanted(f"{text}!")}
    result = update_catalogs(old, new, header=header)
    assert [result[page].catalog.entries[0].msgstr for page in ("b", "c")] == [
        said(text)
    ] * 2
    same_page = update_catalogs(
        {"a": written(text)}, {"a": wanted(f"{text}.", f"{text}!")}, header=header
    )["a"]
    assert sorted(
        entry.msgstr for entry in same_page.catalog.entries if not entry.obsolete
    ) == [
        "",
        said(text),
    ]


def test_a_renamed_page_takes_its_catalogue_along() -> None:
    old = Catalog(
        header={"Last-Translator": "Li"},
        comment=("by Li",),
        entries=(
            *written(LONG, KEYS).entries,
            Entry(msgid="Old", msgstr="旧", obsolete=True),
        ),
    )
    result = update_catalogs(
        {"before": old}, {"after": wanted(EDITED, KEYS)}, header=header, gone=["before"]
    )
    after = result["after"]
    assert after.counts.moved_from == "before"
    assert (after.catalog.header, after.catalog.comment) == (old.header, old.comment)
    assert states(after) == {EDITED: "?" + said(LONG), KEYS: said(KEYS)}
    assert {entry.msgid for entry in after.catalog.entries if entry.obsolete} == {
        LONG,
        "Old",
    }
    assert result["before"].catalog == Catalog()
    back = update_catalogs(
        {"after": after.catalog},
        {"before": wanted(LONG, KEYS)},
        header=header,
        gone=["after"],
    )
    assert (states(back["before"]), back["before"].counts.moved_from) == (
        {LONG: said(LONG), KEYS: said(KEYS)},
        "after",
    )
    assert back["after"].catalog == Catalog()


def test_a_small_page_that_takes_its_one_text_from_a_large_one_is_not_that_page() -> (
    None
):
    result = update_catalogs(
        {"large": written(LONG, KEYS, STEPS, LOSS)},
        {"small": wanted(LONG)},
        header=header,
        gone=["large"],
    )
    assert (states(result["small"]), result["small"].counts.moved_from) == (
        {LONG: said(LONG)},
        "",
    )
    assert [entry.obsolete for entry in result["large"].catalog.entries] == [True] * 4
    assert result["large"].counts.obsolete == 3


def test_of_two_pages_that_take_from_one_the_larger_is_the_renamed_one() -> None:
    old = {"old": written(LONG, KEYS, STEPS, LOSS), "also": written(LONG, KEYS)}
    pages = {"a": wanted(LONG, KEYS), "b": wanted(KEYS, STEPS, LOSS)}
    result = update_catalogs(old, pages, header=header, gone=["old", "also"])
    assert {page: updated.counts.moved_from for page, updated in result.items()} == {
        "a": "also",
        "b": "old",
        "old": "",
        "also": "",
    }


def test_a_vanished_page_whose_text_lives_on_elsewhere_needs_no_catalogue() -> None:
    old = {"gone": written(LONG), "same": written(LONG, KEYS)}
    pages = {"same": wanted(LONG, KEYS)}
    assert (
        update_catalogs(old, pages, header=header, gone=["gone"])["gone"].catalog
        == Catalog()
    )
    for entry in (
        Entry(msgid=LONG, msgstr="另一种译法"),
        replace(old["gone"].entries[0], comments=("why so",)),
    ):
        kept = update_catalogs(
            {**old, "gone": catalog(entry)}, pages, header=header, gone=["gone"]
        )["gone"]
        assert [(one.msgstr, one.obsolete) for one in kept.catalog.entries] == [
            (entry.msgstr, True)
        ]
        again = update_catalogs(
            {**old, "gone": kept.catalog}, pages, header=header, gone=["gone"]
        )["gone"]
        assert again.catalog is kept.catalog
    for signed in (
        replace(old["gone"], comment=("by Li",)),
        replace(old["gone"], header={**HEADER, "Last-Translator": "Li"}),
    ):
        assert update_catalogs(
            {**old, "gone": signed}, pages, header=header, gone=["gone"]
        )["gone"].catalog.entries
        theirs = {"same": replace(signed, entries=old["same"].entries), "gone": signed}
        assert (
            update_catalogs(theirs, pages, header=header, gone=["gone"])["gone"].catalog
            == Catalog()
        )


def test_of_two_vanished_pages_with_the_same_text_one_keeps_it() -> None:
    result = update_catalogs(
        {"a": written(LONG), "b": written(LONG)}, {}, header=header, gone=["a", "b"]
    )
    assert [len(updated.catalog.entries) for updated in result.values()] == [1, 0]


def test_a_text_translated_twice_in_a_page_by_context_stays_so() -> None:
    old = catalog(
        Entry(msgid="State", msgstr="状态", context="noun"),
        Entry(msgid="State", msgstr="说明", context="verb"),
    )
    both = [("noun", "状态"), ("verb", "说明")]
    result = update(old, wanted("State"))
    assert [(entry.context, entry.msgstr) for entry in result.catalog.entries] == both
    assert (result.counts.kept, result.counts.new) == (1, 0)
    gone = update(result.catalog, wanted(LONG))
    assert [
        (entry.context, entry.msgstr)
        for entry in update(gone.catalog, wanted("State")).catalog.entries
    ] == both
    old = replace(old, entries=(*old.entries, *written(LONG).entries))
    renamed = update_catalogs(
        {"a": old}, {"b": wanted("State", LONG)}, header=header, gone=["a"]
    )["b"]
    assert [(entry.context, entry.msgstr) for entry in renamed.catalog.entries] == [
        *both,
        (None, said(LONG)),
    ]


def test_a_text_split_by_context_moves_with_both_translations() -> None:
    pair = (
        Entry(msgid="State", msgstr="状态", context="noun"),
        Entry(msgid="State", msgstr="说明", context="verb"),
    )
    old = {"from": catalog(*pair, *written(LONG, KEYS).entries)}
    result = update_catalogs(
        old, {"from": wanted(STEPS), "to": wanted("State", LONG, KEYS)}, header=header
    )
    assert [
        entry.context for entry in result["to"].catalog.entries if entry.is_translated
    ] == [
        "noun",
        "verb",
        None,
        None,
    ]


def test_contexts_without_translations_stay_for_the_translator() -> None:
    old = catalog(
        Entry(msgid="State", context="noun"), Entry(msgid="State", context="verb")
    )
    result = update(old, wanted("State"))
    assert ([entry.context for entry in result.catalog.entries], result.counts.new) == (
        ["noun", "verb"],
        1,
    )


def test_an_update_without_change_returns_the_catalogue_itself() -> None:
    first = update(written(LONG), wanted(EDITED, "New."))
    assert update(first.catalog, wanted(EDITED, "New.")).catalog is first.catalog


def test_an_offer_whose_own_translation_comes_from_another_page_goes_at_once() -> None:
    offer = Entry(
        msgid=EDITED,
        msgstr=said(LONG),
        fuzzy=True,
        previous=LONG,
        obsolete=True,
        notes=("fuzzy: rewording: x",),
    )
    pages = {"page": wanted(LONG, KEYS), "other": wanted(LONG)}
    first = update_catalogs(
        {"page": catalog(offer), "other": written(LONG)}, pages, header=header
    )
    assert states(first["page"]) == {LONG: said(LONG), KEYS: ""}
    assert [entry.msgid for entry in first["page"].catalog.entries] == [LONG, KEYS]
    again = update_catalogs(
        {page: one.catalog for page, one in first.items()}, pages, header=header
    )
    assert all(again[page].catalog is first[page].catalog for page in pages)


def test_a_page_without_prose_needs_no_catalogue() -> None:
    assert update(Catalog(), ()).catalog.entries == ()


def test_pages_outside_the_run_are_left_alone_but_help() -> None:
    old = {"here": written(KEYS), "there": written(LONG)}
    result = update_catalogs(old, {"here": wanted(LONG)}, header=header)
    assert set(result) == {"here"}
    assert states(result["here"]) == {LONG: said(LONG)}


def test_the_notes_of_a_state_go_when_the_state_does() -> None:
    fuzzy = update(written(LONG), wanted(EDITED)).catalog.entries[0]
    confirmed = Entry(
        msgid=EDITED, msgstr="改好了", notes=fuzzy.notes, references=fuzzy.references
    )
    (entry,) = update(catalog(confirmed), wanted(EDITED)).catalog.entries
    assert entry.notes == ("paragraph",)
    assert entry.previous is None
    assert fuzzy_class(entry) == ""
    emptied = Entry(msgid=EDITED, msgstr="", fuzzy=True, previous=LONG)
    assert update(catalog(emptied), wanted(EDITED)).counts.new == 1


def test_a_fuzzy_entry_of_another_tool_is_told_what_changed() -> None:
    theirs = Entry(msgid=EDITED, msgstr="x", fuzzy=True, previous=LONG)
    marked = Entry(msgid=KEYS, msgstr="y", fuzzy=True)
    first, second = update(
        catalog(theirs, marked), wanted(EDITED, KEYS)
    ).catalog.entries
    assert fuzzy_class(first) == "rewording"
    assert (fuzzy_class(second), second.notes) == ("", ("paragraph",))


def test_the_text_of_a_translation_in_work_that_returns_is_offered_not_finished() -> (
    None
):
    old = catalog(Entry(msgid=EDITED, msgstr="改了一半", fuzzy=True, previous=LONG))
    entry = update(old, wanted(LONG)).catalog.entries[0]
    assert (entry.msgstr, entry.fuzzy, entry.previous, fuzzy_class(entry)) == (
        "改了一半",
        True,
        LONG,
        "moved",
    )


def test_redirects_name_kin_where_no_text_does() -> None:
    old = {"from": written(LONG), "elsewhere": written(EDITED.replace("all", "some"))}
    pages = {"to": wanted(EDITED), "elsewhere": wanted(KEYS)}
    result = update_catalogs(
        old, pages, header=header, gone=["from"], redirects={"from": "to"}
    )
    assert states(result["to"]) == {EDITED: "?" + said(LONG)}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            "rediraffe_redirects = {'a.md': 'b', '/c/d.html': 'e.ipynb', 'f': 'g.rst'}",
            {"a": "b", "c/d": "e", "f": "g"},
        ),
        (
            "x = 1\nrediraffe_redirects: dict[str, str] = {'a': 'b', 1: 'c', 'd': None}",
            {"a": "b"},
        ),
        ("rediraffe_redirects: dict[str, str]", {}),
        ("rediraffe_redirects = 'redirects.txt'", {}),
        ("rediraffe_redirects = load()", {}),
        ("import os\nos.environ['x'] = 'y'", {}),
        ("this is no python", {}),
        ("null = '\0'", {}),
        ("", {}),
    ],
)
def test_redirects_are_read_without_running_the_configuration(
    config: str, expected: dict[str, str]
) -> None:
    assert read_redirects(config) == expected
    below = {f"docs/{old}": f"docs/{new}" for old, new in expected.items()}
    assert read_redirects(config, below="docs/") == below


def test_wanted_entries_are_one_list_for_a_pair() -> None:
    page = read_document("p.md", b"# Title\n\nShared text.\n\nOnly in Markdown.\n")
    notebook = (
        b'{"cells":[{"cell_type":"markdown","metadata":{},"source":["# Title\\n","\\n","Shared '
        b'text."]}],"metadata":{},"nbformat":4}'
    )
    entries = wanted_entries("p", [read_document("p.ipynb", notebook), page])
    assert [entry.msgid for entry in entries] == [
        "Title",
        "Shared text.",
        "Only in Markdown.",
    ]
    assert [entry.notes for entry in entries] == [
        ("heading",),
        ("paragraph · Title",),
        ("paragraph · Title",),
    ]
    assert {entry.references for entry in entries} == {("p",)}


def test_translations_by_context_stand_under_their_place_and_the_first_serves_everywhere() -> (
    None
):
    noun, verb = (
        Entry(msgid="State", msgstr="状态", context="Pure functions"),
        Entry(msgid="State", msgstr="说明", context="Reporting"),
    )
    open_one = Entry(msgid="State", context="Elsewhere")
    expected = {
        "Pure functions\4State": "状态",
        "Reporting\4State": "说明",
        "State": "状态",
    }
    assert translations_of(Catalog(entries=(noun, verb, open_one))) == expected
    plain = Entry(msgid="State", msgstr="态")
    assert translations_of(Catalog(entries=(noun, plain))) == {
        "Pure functions\4State": "状态",
        "State": "态",
    }


def test_counting_tells_states_apart() -> None:
    mixed = catalog(
        Entry(msgid="Two words", msgstr="两词"),
        Entry(msgid="Three more words", msgstr="三词", fuzzy=True, previous="x"),
        Entry(msgid="Nothing yet"),
        Entry(msgid="Old", msgstr="旧", obsolete=True),
    )
    counted = count_catalog(PageResult(page="p"), mixed)
    assert (
        counted.messages,
        counted.words,
        counted.translated,
        counted.translated_words,
    ) == (
        3,
        7,
        1,
        2,
    )
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


def _run(
    catalogs: dict[str, Catalog], pages: dict[str, list[str]]
) -> dict[str, Catalog]:
    """What the stage does with the files of a locale."""
    result = update_catalogs(
        catalogs,
        {page: wanted(*msgids) for page, msgids in pages.items()},
        header=header,
        gone=catalogs.keys() - pages.keys(),
    )
    assert result.keys() == catalogs.keys() | pages.keys()
    for updated in result.values():
        keys = [(entry.context, entry.msgid) for entry in updated.catalog.entries]
        assert len(keys) == len(set(keys))
    return {
        page: updated.catalog
        for page, updated in result.items()
        if updated.catalog.entries
    }


@pytest.mark.slow
@given(_RELEASES)
def test_no_chain_of_updates_loses_or_mixes_translations(
    releases: list[dict[str, list[str]]],
) -> None:
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


def scratch_run(root: Path, *, dry: bool = False) -> Run:
    upstream = Upstream(package="JAX", version="1", name="docs", url="x")
    settings = Settings(root=root, locales=("zh_CN",), upstreams={"docs": upstream})
    return run_of(settings, upstream, dry=dry)


def test_the_stage_moves_the_catalogue_of_a_renamed_page_and_keeps_what_is_nowhere_else(
    tmp_path: Path,
) -> None:
    paths = Paths(tmp_path, "docs")
    (paths.docs).mkdir(parents=True)
    (paths.docs / "conf.py").write_text(
        "rediraffe_redirects = {'before.md': 'after.md'}"
    )

    def run(*, dry: bool = False, **texts: str) -> tuple[Locale, dict[str, Updated]]:
        files = tuple(SourceFile(path=f"{page}.md", blob="0" * 40) for page in texts)
        lock = Lock(
            url="https://example.org/docs",
            ref="x",
            commit="0" * 40,
            date="",
            version="1",
            docs=DOCS,
            files=files,
        )
        pages = {
            page: wanted_entries(page, [read_document(f"{page}.md", text.encode())])
            for page, text in texts.items()
        }
        locale = Locale(scratch_run(tmp_path, dry=dry), "zh_CN")
        return locale, update_catalog_files(locale, pages, lock, asked=pages)

    before, after, other = (
        paths.catalog("zh_CN", page) for page in ("before", "after", "other")
    )
    run(before=f"{LONG}\n\n{KEYS}", other=LOSS)
    for path in (before, other):
        path.write_text(
            path.read_text().replace('msgstr ""\n\n', 'msgstr "译"\n\n') + "\n",
            encoding="utf-8",
        )
        path.write_bytes(
            re.sub(rb'msgstr ""\n+$', 'msgstr "译"\n'.encode(), path.read_bytes())
        )
    planned, _ = run(dry=True, after=f"{LONG}\n\n{KEYS}")
    assert before.exists()
    assert not after.exists()
    locale, updated = run(after=f"{LONG}\n\n{KEYS}")
    assert locale.changes == planned.changes != {}
    assert (before.exists(), after.exists(), other.exists()) == (False, True, True)
    assert updated["after"].counts.moved_from == "before"
    catalogs = locale.readable_catalogs()
    assert list(catalogs) == ["after", "other"]
    assert [entry.obsolete for entry in catalogs["other"].entries] == [True]
    assert [finding.code for finding in locale.findings["other"]] == ["page-gone"]
    assert run(after=f"{LONG}\n\n{KEYS}")[0].changes == {}


def test_what_still_stands_on_a_page_is_not_offered_to_its_neighbour() -> None:
    """Rows of a list are alike, and yet each is about another thing."""
    row, other = (
        "Support for release 3.13 of the library ends in October.",
        "Support for release 3.14 of the library ends in October.",
    )
    old = catalog(Entry(msgid=row, msgstr="对 3.13 版的支持到十月为止。"))
    assert states(update(old, wanted(row, other))) == {
        row: "对 3.13 版的支持到十月为止。",
        other: "",
    }
    assert states(update(old, wanted(other))) == {
        other: "?对 3.14 版的支持到十月为止。"
    }


def test_words_that_somebody_has_taken_out_are_for_no_message() -> None:
    emptied = Entry(msgid=LONG, msgstr="坏", context="emptied", obsolete=True)
    old = {"here": catalog(Entry(msgid=LONG), emptied)}
    pages = {"here": wanted(LONG), "there": wanted(LONG, EDITED)}
    result = update_catalogs(old, pages, header=header)
    assert states(result["here"]) == {LONG: ""}
    assert states(result["there"]) == {LONG: "", EDITED: ""}
    assert emptied in result["here"].catalog.entries
