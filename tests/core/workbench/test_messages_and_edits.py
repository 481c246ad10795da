"""Messages of a page with their states and excerpts, and edits of a catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from pipeline.adapters.po import format_catalog, read_catalog
from pipeline.commands.serve.library import Library
from pipeline.core.catalog.origins import Copy, Machine
from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import merge
from pipeline.core.document.message import Split
from pipeline.core.document.reader import read_document
from pipeline.core.workbench import page_messages
from pipeline.core.workbench.editing import (
    ConflictError,
    Edited,
    Seen,
    Step,
    cleaned,
    edit,
    keep,
    put_back,
    reject,
    stamp_of,
    undo,
)
from pipeline.core.workbench.page_messages import State, blocks_of, excerpt_of, state_of
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import InputError
from pipeline.reading import Dialect, Reading

STAMP = stamp_of("Li Lei <li@example.org>", "2026-05-01 09:30+0800")
SAMPLES = sorted(
    path
    for suffix in ("md", "rst", "ipynb")
    for path in (ROOT / "upstream" / "sample").rglob(f"*.{suffix}")
)


def seen(entry: Entry) -> Seen:
    return Seen(
        msgid=entry.msgid,
        context=entry.context,
        msgstr=entry.msgstr,
        fuzzy=entry.fuzzy,
    )


MACHINE = Machine(model="stub", prompt=1, date="2026-05-01")


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (Entry(msgid="Tea"), State.ENGLISH),
        (Entry(msgid="Tea", fuzzy=True), State.ENGLISH),
        (Entry(msgid="Tea", msgstr="茶"), State.TRANSLATED),
        (Entry(msgid="Tea", msgstr="茶", fuzzy=True, previous="Te"), State.FUZZY),
        (Entry(msgid="Tea", msgstr="茶", fuzzy=True, previous="Tea"), State.DRAFT),
        (Entry(msgid="Tea", msgstr="茶", fuzzy=True), State.DRAFT),
        (
            Entry(
                msgid="Tea",
                msgstr="茶",
                fuzzy=True,
                notes=("fuzzy: other: its English was edited here, and is put back",),
            ),
            State.FUZZY,
        ),
        (
            Entry(
                msgid="Tea",
                msgstr="茶",
                fuzzy=True,
                notes=(f"adopted: tea.md, {'a' * 40} tea, 0.90, by Han Meimei, MIT",),
            ),
            State.ADOPTED,
        ),
        (
            # A machine's words for English that has changed since are a draft all the same.
            Entry(
                msgid="Tea",
                msgstr="茶",
                fuzzy=True,
                previous="Te",
                notes=(MACHINE.note("茶"),),
            ),
            State.DRAFT,
        ),
    ],
)
def test_the_state_of_an_entry(entry: Entry, state: State) -> None:
    assert state_of(entry) is state


def test_blocks_have_their_entries_and_refusals() -> None:
    source = b"# Tea\n\nUse it.\n\nStir it.\n\nPour it.\n\n## Pot\n\nUse it.\n"
    document = read_document("page.md", source)
    catalog = Catalog(
        entries=(
            Entry(msgid="Tea", msgstr="茶"),
            Entry(msgid="Use it.", msgstr="用它。"),
            Entry(msgid="Use it.", context="Tea › Pot", msgstr="用壶。"),
            Entry(msgid="Stir it.", msgstr="一\n二"),
            Entry(msgid="Pour it.", msgstr="倒。"),
            Entry(msgid="Pot", msgstr="壶", obsolete=True),
        )
    )
    merged = merge(document, translations_of(catalog))
    blocks = blocks_of(document, catalog, merged, {"Pour it.": Refusal("M1", "a", "b")})
    assert [(block.entry.msgstr, str(block.state)) for block in blocks] == [
        ("茶", "translated"),
        ("用它。", "translated"),
        ("一\n二", "refused"),
        ("倒。", "refused"),
        ("", "english"),
        ("用壶。", "translated"),
    ]
    refusals = [block.refusal.code for block in blocks if block.refusal]
    assert refusals == ["G102", "M1"]


FUZZY = Entry(
    msgid="Tea is hot.",
    msgstr="茶冷。",
    fuzzy=True,
    previous="Tea is cold.",
    notes=("paragraph", "fuzzy: rewording: Tea is [-cold-]{+hot+}."),
    comments=("mind the tone",),
)


def test_saving_confirms_a_fuzzy_entry_and_says_who_did_it() -> None:
    edited = edit(Catalog(entries=(FUZZY,)), seen(FUZZY), "茶热。", stamp=STAMP)
    assert edited.step.after == Entry(
        msgid="Tea is hot.",
        msgstr="茶热。",
        notes=("paragraph",),
        comments=("mind the tone",),
    )
    assert edited.catalog.header["Last-Translator"] == "Li Lei <li@example.org>"
    assert edited.catalog.entries == (edited.step.after,)


def test_a_draft_says_which_english_it_was_written_for() -> None:
    entry = Entry(msgid="Tea is hot.")
    catalog = Catalog(entries=(Entry(msgid="Other"), entry))
    edited = edit(catalog, seen(entry), "茶", is_draft=True, stamp=STAMP)
    assert (edited.step.after.fuzzy, edited.step.after.previous) == (
        True,
        "Tea is hot.",
    )
    assert state_of(edited.step.after) is State.DRAFT
    written = format_catalog(edited.catalog)
    assert read_catalog(written, where="x").catalog.entries[1].msgstr == "茶"


@pytest.mark.parametrize(
    "theirs",
    [Entry(msgid="Tea", msgstr="红茶"), Entry(msgid="Tea", msgstr="茶", fuzzy=True)],
)
def test_what_somebody_else_has_written_is_a_conflict(theirs: Entry) -> None:
    mine = seen(Entry(msgid="Tea", msgstr="茶"))
    with pytest.raises(ConflictError) as conflict:
        edit(Catalog(entries=(theirs,)), mine, "绿茶", stamp=STAMP)
    assert conflict.value.theirs == theirs


@pytest.mark.parametrize(
    "entries",
    [(), (Entry(msgid="Tea", obsolete=True), Entry(msgid="Tea", context="A"))],
)
def test_an_entry_that_is_gone_is_a_conflict(entries: tuple[Entry, ...]) -> None:
    with pytest.raises(ConflictError) as conflict:
        edit(Catalog(entries=entries), seen(Entry(msgid="Tea")), "茶", stamp=STAMP)
    assert conflict.value.theirs is None


def test_the_same_words_of_somebody_else_are_no_conflict() -> None:
    theirs = Entry(msgid="Tea", msgstr="茶")
    catalog = Catalog(entries=(theirs,))
    result = edit(catalog, seen(Entry(msgid="Tea")), "茶", stamp=STAMP)
    assert result == Edited(catalog=catalog, step=Step(before=theirs, after=theirs))


DRAFT = MACHINE.note("茶热。")
COPY = Copy(
    file="tea.md", commit="a" * 40, page="tea", author="Han Meimei", licence="MIT"
)
WAITING = Entry(
    msgid="Tea is hot.",
    msgstr="茶热。",
    fuzzy=True,
    previous="Tea is hot.",
    notes=("paragraph",),
    comments=("mind the tone",),
)


def rejected(catalog: Catalog, entry: Entry) -> Edited:
    result = reject(catalog, seen(entry), stamp=STAMP)
    assert not result.step.after.msgstr
    assert not result.step.after.fuzzy
    assert result.step.after.previous is None
    assert result.step.after.notes == ("paragraph",)
    return result


@pytest.mark.parametrize(
    ("entry", "comments"),
    [
        # A machine's words go: it makes them again for nothing.
        (replace(WAITING, notes=("paragraph", DRAFT)), ()),
        (replace(WAITING, previous="Tea is cold.", notes=("paragraph", DRAFT)), ()),
        # Those of a person stay, with whose they are.
        (WAITING, ("rejected: 茶热。",)),
        (replace(WAITING, msgstr="茶\n热。"), ("rejected: 茶 热。",)),
        # The words are other ones than the machine's: a person has been there.
        (replace(WAITING, msgstr="茶烫。", notes=("paragraph", DRAFT)),
         ("rejected: 茶烫。",)),
        (replace(WAITING, notes=("paragraph", COPY.note(0.9))),
         ("tea.md, by Han Meimei, MIT: 茶热。",)),
        (replace(WAITING, fuzzy=False, previous=None), ("rejected: 茶热。",)),
        (replace(WAITING, context="Tea › Pot"), ("rejected: 茶热。",)),
        (replace(WAITING, comments=("mind the tone", "rejected: 茶热。")),
         ("rejected: 茶热。",)),
    ],
)  # fmt: skip
def test_a_rejected_entry_is_open_again(
    entry: Entry, comments: tuple[str, ...]
) -> None:
    catalog = Catalog(entries=(entry, Entry(msgid="Other")))
    result = rejected(catalog, entry)
    assert result.step.after.comments == ("mind the tone", *comments)
    assert result.step.kept is None
    assert result.catalog.entries == (result.step.after, Entry(msgid="Other"))
    assert result.catalog.header["Last-Translator"] == "Li Lei <li@example.org>"


def test_a_comment_of_rejected_words_holds_no_long_atom() -> None:
    atom = "`a_long_name(of, something, upstream)`"
    entry = replace(WAITING, msgid=f"Use {atom}.", msgstr=f"用 {atom}。", previous=None)
    result = rejected(Catalog(entries=(entry,)), entry)
    assert result.step.after.comments[-1] == "rejected: 用 ⟦1⟧。"


OLDER = Entry(
    msgid="Tea is cold.",
    msgstr="茶冷。",
    fuzzy=True,
    previous="Tea is cold.",
    obsolete=True,
    notes=("fuzzy: rewording: Tea is [-cold-]{+hot+}.",),
)


def test_a_rejected_translation_of_older_english_is_kept_with_that_english() -> None:
    catalog = Catalog(entries=(FUZZY, Entry(msgid="Other")))
    result = rejected(catalog, FUZZY)
    assert result.step.after.comments == FUZZY.comments
    assert result.catalog.entries[2] == result.step.kept == OLDER
    # What is written can be read, by gettext's rules: one entry of each message.
    written = read_catalog(format_catalog(result.catalog), where="x").catalog
    assert [replace(entry, line=0) for entry in written.entries] == list(
        result.catalog.entries
    )


@pytest.mark.parametrize(
    "other",
    [
        replace(OLDER, line=9),  # it was rejected before
        Entry(msgid="Tea is cold.", msgstr="茶冷。"),  # it is finished for its English
    ],
)
def test_rejected_words_that_are_there_are_kept_once(other: Entry) -> None:
    result = rejected(Catalog(entries=(FUZZY, other)), FUZZY)
    assert result.step.kept is None
    assert result.catalog.entries[1:] == (other,)


@pytest.mark.parametrize(
    "other",
    [
        replace(OLDER, msgstr="茶凉。"),
        Entry(msgid="Tea is cold."),
        Entry(msgid="Tea is cold.", msgstr="茶凉。"),
    ],
)
def test_older_english_that_has_other_words_leaves_a_comment(other: Entry) -> None:
    result = rejected(Catalog(entries=(FUZZY, other)), FUZZY)
    assert result.step.kept is None
    assert result.step.after.comments == ("mind the tone", "rejected: 茶冷。")
    # Two entries of one message with other words could not be read any more.
    assert read_catalog(format_catalog(result.catalog), where="x").catalog.entries


@pytest.mark.parametrize(
    ("entries", "theirs"),
    [
        ((), None),
        ((replace(FUZZY, obsolete=True),), None),
        ((replace(FUZZY, msgstr="别人的"),), "别人的"),
        ((replace(FUZZY, fuzzy=False),), "茶冷。"),
    ],
)
def test_nothing_is_rejected_that_was_not_seen(
    entries: tuple[Entry, ...], theirs: str | None
) -> None:
    with pytest.raises(ConflictError) as conflict:
        reject(Catalog(entries=entries), seen(FUZZY), stamp=STAMP)
    found = conflict.value.theirs
    assert (found.msgstr if found else None) == theirs


BASE = Entry(msgid="Tea is hot.", msgstr="茶是热的。", notes=("paragraph",))
NEWER = replace(BASE, msgstr="茶很烫。", comments=("why",))
FOR_OLDER = replace(NEWER, fuzzy=True, previous="Tea was hot.")


@pytest.mark.parametrize(
    ("entry", "before", "comments", "kept"),
    [
        (NEWER, BASE, ("rejected: 茶很烫。",), None),
        # The same words, with another state or comment: nothing is lost.
        (replace(BASE, comments=("why",)), BASE, (), None),
        (BASE, replace(BASE, fuzzy=True, previous="Tea was hot."), (), None),
        # What was taken out.
        (replace(BASE, msgstr=""), replace(BASE, comments=("old",)), ("old",), None),
        # Words for older English go where they belong, unless they are those that stay.
        (FOR_OLDER, BASE, (), "茶很烫。"),
        (replace(FOR_OLDER, msgstr=BASE.msgstr), BASE, (), None),
    ],
)
def test_what_was_there_before_comes_back_with_its_state(
    entry: Entry, before: Entry, comments: tuple[str, ...], kept: str | None
) -> None:
    catalog = Catalog(entries=(entry,))
    result = put_back(catalog, seen(entry), before, stamp=STAMP)
    assert result.step.after == replace(before, comments=comments)
    added = [one.msgstr for one in result.catalog.entries[1:]]
    assert added == ([kept] if kept else [])
    undone = undo(result.catalog, result.step, stamp=STAMP)
    assert undone.catalog.entries == catalog.entries


@pytest.mark.parametrize("entries", [(), (NEWER,)])
def test_nothing_is_put_back_or_kept_that_was_not_seen(
    entries: tuple[Entry, ...],
) -> None:
    catalog = Catalog(entries=entries)
    theirs = entries[0] if entries else None
    with pytest.raises(ConflictError) as conflict:
        put_back(catalog, seen(BASE), BASE, stamp=STAMP)
    assert conflict.value.theirs == theirs
    with pytest.raises(ConflictError):
        keep(catalog, seen(BASE))


def test_what_is_kept_writes_nothing_nor_does_its_undo() -> None:
    catalog = Catalog(entries=(NEWER,))
    kept = keep(catalog, seen(NEWER))
    assert kept.catalog is catalog
    undone = undo(catalog, kept.step, stamp=STAMP)
    assert undone.catalog is catalog


def without_lines(catalog: Catalog) -> list[Entry]:
    return [replace(entry, line=0) for entry in catalog.entries]


WORDS = st.text("茶水热 a", min_size=1).map(cleaned).filter(bool)


@given(
    msgstr=WORDS,
    typed=WORDS,
    previous=st.sampled_from([None, "Tea is hot.", "Tea is cold."]),
    notes=st.sampled_from([("paragraph",), ("paragraph", DRAFT)]),
    is_rejected=st.booleans(),
)
def test_whatever_was_done_can_be_undone(
    msgstr: str,
    typed: str,
    previous: str | None,
    notes: tuple[str, ...],
    is_rejected: bool,
) -> None:
    entry = Entry(
        msgid="Tea is hot.", msgstr=msgstr, fuzzy=True, previous=previous, notes=notes
    )
    catalog = Catalog(entries=(Entry(msgid="Other", msgstr="别的"), entry))
    if is_rejected:
        done = reject(catalog, seen(entry), stamp=STAMP)
    else:
        done = edit(catalog, seen(entry), typed, stamp=STAMP)
    # A file has been written and read since.
    read = read_catalog(format_catalog(done.catalog), where="x").catalog
    undone = undo(read, done.step, stamp=STAMP)
    assert without_lines(undone.catalog) == list(catalog.entries)


@pytest.mark.parametrize(
    "theirs", [None, Entry(msgid="Tea is hot.", msgstr="别人的", notes=("paragraph",))]
)
def test_what_somebody_has_changed_since_is_not_undone(theirs: Entry | None) -> None:
    done = edit(Catalog(entries=(FUZZY,)), seen(FUZZY), "茶热。", stamp=STAMP)
    now = Catalog(entries=(theirs,) if theirs else ())
    with pytest.raises(ConflictError) as conflict:
        undo(now, done.step, stamp=STAMP)
    assert conflict.value.theirs == theirs


def test_nobody_is_named_whom_git_does_not_know() -> None:
    assert "Last-Translator" not in stamp_of("", "2026-05-01 09:30+0800")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (" 茶\r\n热 \n", "茶\n热"),
        ("茶\x00\x1b\u202e\ufeff\u2028热\ud83d", "茶热"),
        ("a\tb\rc", "a\tb\nc"),
        ("\n" * 1000, ""),
    ],
)
def test_what_nobody_sees_is_not_saved(typed: str, kept: str) -> None:
    assert cleaned(typed) == kept


@given(st.text(), st.text())
def test_any_text_can_be_saved_and_is_read_back(typed: str, english: str) -> None:
    msgid = cleaned(english) or "Tea"
    entry = Entry(msgid=msgid)
    result = edit(Catalog(entries=(entry,)), seen(entry), cleaned(typed), stamp=STAMP)
    read = read_catalog(format_catalog(result.catalog), where="x").catalog
    assert read.entries[0].msgstr == cleaned(typed)


def catalog_of(**texts: str) -> Catalog:
    return Catalog(
        entries=tuple(
            Entry(msgid=msgid.replace("_", " "), msgstr=msgstr)
            for msgid, msgstr in texts.items()
        )
    )


def test_similar_translations_come_with_their_score_and_once() -> None:
    catalogs = {
        "a": catalog_of(Pour_the_hot_tea_now="现在倒热茶", Something_else="别的"),
        "b": catalog_of(Pour_the_hot_tea="倒热茶", Pour_the_cold_tea="倒冷茶"),
        "c": catalog_of(Pour_the_hot_tea="倒热茶"),
    }
    library = Library([*catalogs], catalogs.__getitem__)
    found = library.similar("d", "Pour the hot tea")
    assert (found[0].score, found[0].page, found[0].msgstr) == (100, "b", "倒热茶")
    assert [one.msgstr for one in found].count("倒热茶") == 1
    assert "别的" not in [one.msgstr for one in found]
    # The message itself is no suggestion, its twin on another page is.
    assert library.similar("b", "Pour the hot tea")[0].page == "c"


def test_the_library_learns_what_is_saved() -> None:
    catalogs = {"a": catalog_of(Pour_the_tea="")}
    library = Library([*catalogs], catalogs.__getitem__)
    assert library.similar("b", "Pour the tea") == ()
    catalogs["a"] = catalog_of(Pour_the_tea="倒茶")
    library.refresh("a")
    assert [one.msgstr for one in library.similar("b", "Pour the tea")] == ["倒茶"]


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
    monkeypatch.setattr(page_messages, "split_text", reading)
    assert excerpt_of(document, unit, message).document.raw == source


def test_a_message_outside_of_all_blocks_takes_the_whole_page() -> None:
    # The caption stands in the front of a directive that is no block of the parser's own.
    source = "```{toctree}\n:caption: Getting started\n\na\n```\n"
    assert "Getting started" in excerpt_text(source, "Getting started")
