"""Messages of a page with their states and excerpts, and edits of a catalogue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from places import ROOT

from pipeline.adapters.po import format_catalog, read_catalog
from pipeline.commands.serve.library import Library
from pipeline.core.catalog.origins import Copy, Machine
from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import merge
from pipeline.core.document.message import Split
from pipeline.core.document.reader import Document, read_document
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
    fields = ("msgid", "context", "msgstr", "fuzzy")
    return Seen(**{name: getattr(entry, name) for name in fields})


def one(*entries: Entry) -> Catalog:
    return Catalog(entries=entries)


def reread(catalog: Catalog) -> list[Entry]:
    """The entries of the catalogue after a file of it has been written and read."""
    read = read_catalog(format_catalog(catalog), where="x").catalog
    return [replace(entry, line=0) for entry in read.entries]


COPY = Copy(file="tea.md", commit="a" * 40, page="tea", author="Han Meimei", licence="MIT")
MACHINE = Machine(model="stub", prompt=1, date="2026-05-01")
TEA = Entry(msgid="Tea")
FINISHED = replace(TEA, msgstr="茶")
MARKED = replace(FINISHED, fuzzy=True)


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (TEA, State.ENGLISH),
        (replace(TEA, fuzzy=True), State.ENGLISH),
        (FINISHED, State.TRANSLATED),
        (replace(MARKED, previous="Te"), State.FUZZY),
        (replace(MARKED, previous="Tea"), State.DRAFT),
        (MARKED, State.DRAFT),
        (
            replace(MARKED, notes=("fuzzy: other: its English is put back",)),
            State.FUZZY,
        ),
        (replace(MARKED, notes=(COPY.note(0.9),)), State.ADOPTED),
        # A machine's words for English that has changed since are a draft all the same.
        (replace(MARKED, previous="Te", notes=(MACHINE.note("茶"),)), State.DRAFT),
    ],
)
def test_the_state_of_an_entry(entry: Entry, state: State) -> None:
    assert state_of(entry) is state


def test_blocks_have_their_entries_and_refusals() -> None:
    source = b"# Tea\n\nUse it.\n\nStir it.\n\nPour it.\n\n## Pot\n\nUse it.\n"
    document = read_document("page.md", source)
    catalog = one(
        Entry(msgid="Tea", msgstr="茶"),
        Entry(msgid="Use it.", msgstr="用它。"),
        Entry(msgid="Use it.", context="Tea › Pot", msgstr="用壶。"),
        Entry(msgid="Stir it.", msgstr="一\n二"),
        Entry(msgid="Pour it.", msgstr="倒。"),
        Entry(msgid="Pot", msgstr="壶", obsolete=True),
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
    edited = edit(one(FUZZY), seen(FUZZY), "茶热。", stamp=STAMP)
    saved = Entry(msgid=FUZZY.msgid, msgstr="茶热。", notes=("paragraph",))
    assert edited.step.after == replace(saved, comments=FUZZY.comments)
    assert edited.catalog.header["Last-Translator"] == "Li Lei <li@example.org>"
    assert edited.catalog.entries == (edited.step.after,)


def test_a_draft_says_which_english_it_was_written_for() -> None:
    edited = edit(one(Entry(msgid="Other"), TEA), seen(TEA), "茶", is_draft=True, stamp=STAMP)
    after = edited.step.after
    assert (after.fuzzy, after.previous) == (True, "Tea")
    assert state_of(after) is State.DRAFT
    assert reread(edited.catalog)[1].msgstr == "茶"


@pytest.mark.parametrize(
    ("mine", "entries", "theirs"),
    [
        (FINISHED, [replace(TEA, msgstr="红茶")], replace(TEA, msgstr="红茶")),
        (FINISHED, [MARKED], MARKED),
        (TEA, [], None),
        (TEA, [replace(TEA, obsolete=True), replace(TEA, context="A")], None),
    ],
)
def test_what_somebody_else_has_written_or_removed_is_a_conflict(
    mine: Entry, entries: list[Entry], theirs: Entry | None
) -> None:
    with pytest.raises(ConflictError) as conflict:
        edit(one(*entries), seen(mine), "绿茶", stamp=STAMP)
    assert conflict.value.theirs == theirs


def test_the_same_words_of_somebody_else_are_no_conflict() -> None:
    catalog = one(FINISHED)
    result = edit(catalog, seen(TEA), "茶", stamp=STAMP)
    assert result == Edited(catalog=catalog, step=Step(before=FINISHED, after=FINISHED))


DRAFT = MACHINE.note("茶热。")
WAITING = replace(FUZZY, msgstr="茶热。", previous="Tea is hot.", notes=("paragraph",))


def rejected(catalog: Catalog, entry: Entry) -> Edited:
    result = reject(catalog, seen(entry), stamp=STAMP)
    after = result.step.after
    assert (after.msgstr, after.fuzzy, after.previous) == ("", False, None)
    assert after.notes == ("paragraph",)
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
        (
            replace(WAITING, msgstr="茶烫。", notes=("paragraph", DRAFT)),
            ("rejected: 茶烫。",),
        ),
        (
            replace(WAITING, notes=("paragraph", COPY.note(0.9))),
            ("tea.md, by Han Meimei, MIT: 茶热。",),
        ),
        (replace(WAITING, fuzzy=False, previous=None), ("rejected: 茶热。",)),
        (replace(WAITING, context="Tea › Pot"), ("rejected: 茶热。",)),
        (
            replace(WAITING, comments=("mind the tone", "rejected: 茶热。")),
            ("rejected: 茶热。",),
        ),
    ],
)
def test_a_rejected_entry_is_open(entry: Entry, comments: tuple[str, ...]) -> None:
    result = rejected(one(entry, TEA), entry)
    assert result.step.after.comments == ("mind the tone", *comments)
    assert result.step.kept is None
    assert result.catalog.entries == (result.step.after, TEA)
    assert result.catalog.header["Last-Translator"] == "Li Lei <li@example.org>"


def test_a_comment_of_rejected_words_holds_no_long_atom() -> None:
    atom = "`a_long_name(of, something, upstream)`"
    entry = replace(WAITING, msgid=f"Use {atom}.", msgstr=f"用 {atom}。", previous=None)
    result = rejected(one(entry), entry)
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
    result = rejected(one(FUZZY, TEA), FUZZY)
    assert result.step.after.comments == FUZZY.comments
    assert result.catalog.entries[2] == result.step.kept == OLDER
    # What is written can be read, by gettext's rules: one entry of each message.
    assert reread(result.catalog) == list(result.catalog.entries)


@pytest.mark.parametrize(
    ("other", "comments"),
    [
        (replace(OLDER, line=9), ()),  # it was rejected before
        # It is finished for its English.
        (Entry(msgid="Tea is cold.", msgstr="茶冷。"), ()),
        # Two entries of one message with other words could not be read any more.
        (replace(OLDER, msgstr="茶凉。"), ("rejected: 茶冷。",)),
        (Entry(msgid="Tea is cold."), ("rejected: 茶冷。",)),
        (Entry(msgid="Tea is cold.", msgstr="茶凉。"), ("rejected: 茶冷。",)),
    ],
)
def test_rejected_words_are_kept_once_and_in_a_comment_where_there_are_others(
    other: Entry, comments: tuple[str, ...]
) -> None:
    result = rejected(one(FUZZY, other), FUZZY)
    assert result.step.kept is None
    assert result.step.after.comments == ("mind the tone", *comments)
    assert result.catalog.entries[1:] == (other,)
    assert reread(result.catalog)


@pytest.mark.parametrize(
    ("entries", "theirs"),
    [
        ([], None),
        ([replace(FUZZY, obsolete=True)], None),
        ([replace(FUZZY, msgstr="别人的")], replace(FUZZY, msgstr="别人的")),
        ([replace(FUZZY, fuzzy=False)], replace(FUZZY, fuzzy=False)),
    ],
)
def test_nothing_unseen_is_rejected(entries: list[Entry], theirs: Entry | None) -> None:
    with pytest.raises(ConflictError) as conflict:
        reject(one(*entries), seen(FUZZY), stamp=STAMP)
    assert conflict.value.theirs == theirs


BASE = Entry(msgid="Tea is hot.", msgstr="茶是热的。", notes=("paragraph",))
NEWER = replace(BASE, msgstr="茶很烫。", comments=("why",))
FOR_OLDER = replace(NEWER, fuzzy=True, previous="Tea was hot.")


@pytest.mark.parametrize(
    ("entry", "before", "comments", "kept"),
    [
        (NEWER, BASE, ("rejected: 茶很烫。",), []),
        # The same words, with another state or comment: nothing is lost.
        (replace(BASE, comments=("why",)), BASE, (), []),
        (BASE, replace(BASE, fuzzy=True, previous="Tea was hot."), (), []),
        # What was taken out.
        (replace(BASE, msgstr=""), replace(BASE, comments=("old",)), ("old",), []),
        # Words for older English go where they belong, unless they are those that stay.
        (FOR_OLDER, BASE, (), ["茶很烫。"]),
        (replace(FOR_OLDER, msgstr=BASE.msgstr), BASE, (), []),
    ],
)
def test_what_was_there_before_comes_back_with_its_state(
    entry: Entry, before: Entry, comments: tuple[str, ...], kept: list[str]
) -> None:
    result = put_back(one(entry), seen(entry), before, stamp=STAMP)
    assert result.step.after == replace(before, comments=comments)
    assert [added.msgstr for added in result.catalog.entries[1:]] == kept
    undone = undo(result.catalog, result.step, stamp=STAMP)
    assert undone.catalog.entries == (entry,)


@pytest.mark.parametrize("entries", [(), (NEWER,)])
def test_nothing_unseen_is_put_back_or_kept(entries: tuple[Entry, ...]) -> None:
    catalog = Catalog(entries=entries)
    theirs = entries[0] if entries else None
    with pytest.raises(ConflictError) as conflict:
        put_back(catalog, seen(BASE), BASE, stamp=STAMP)
    assert conflict.value.theirs == theirs
    with pytest.raises(ConflictError):
        keep(catalog, seen(BASE))


def test_what_is_kept_writes_nothing_nor_does_its_undo() -> None:
    catalog = one(NEWER)
    kept = keep(catalog, seen(NEWER))
    assert kept.catalog is catalog
    assert undo(catalog, kept.step, stamp=STAMP).catalog is catalog


WORDS = st.text("茶水热 a", min_size=1).map(cleaned).filter(bool)


@given(
    msgstr=WORDS,
    typed=st.none() | WORDS,
    previous=st.sampled_from([None, "Tea is hot.", "Tea is cold."]),
    notes=st.sampled_from([("paragraph",), ("paragraph", DRAFT)]),
)
def test_whatever_was_done_can_be_undone(
    msgstr: str, typed: str | None, previous: str | None, notes: tuple[str, ...]
) -> None:
    """Nothing typed is a rejection."""
    entry = replace(WAITING, msgstr=msgstr, previous=previous, notes=notes, comments=())
    catalog = one(Entry(msgid="Other", msgstr="别的"), entry)
    if typed is None:
        done = reject(catalog, seen(entry), stamp=STAMP)
    else:
        done = edit(catalog, seen(entry), typed, stamp=STAMP)
    # A file has been written and read since.
    undone = undo(one(*reread(done.catalog)), done.step, stamp=STAMP)
    assert undone.catalog.entries == catalog.entries


@pytest.mark.parametrize("theirs", [None, replace(BASE, msgstr="别人的")])
def test_what_somebody_has_changed_since_is_not_undone(theirs: Entry | None) -> None:
    done = edit(one(FUZZY), seen(FUZZY), "茶热。", stamp=STAMP)
    with pytest.raises(ConflictError) as conflict:
        undo(one(*filter(None, [theirs])), done.step, stamp=STAMP)
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
    entry = Entry(msgid=cleaned(english) or "Tea")
    result = edit(one(entry), seen(entry), cleaned(typed), stamp=STAMP)
    assert reread(result.catalog)[0].msgstr == cleaned(typed)


def catalog_of(**texts: str) -> Catalog:
    entries = (
        Entry(msgid=msgid.replace("_", " "), msgstr=msgstr) for msgid, msgstr in texts.items()
    )
    return one(*entries)


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


def assert_read_alike(document: Document, words: dict[str, str]) -> None:
    """Every excerpt is read as its page is, and takes a translation with other ``words``."""
    for unit, message in document.messages():
        part = excerpt_of(document, unit, message)
        found = part.document.units[0].split.messages[part.index]
        assert (found.msgid, found.kind) == (message.msgid, message.kind)
        translation = message.msgid
        for english, chinese in words.items():
            translation = translation.replace(english, chinese)
        assert merge(part.document, {message.msgid: translation}).rejected == ()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_message_of_the_sample_is_read_alike(path: Path) -> None:
    assert_read_alike(read_document(path.name, path.read_bytes()), {})


def excerpt_text(source: str, msgid: str, path: str = "page.md") -> str:
    document = read_document(path, source.encode())
    found = {message.msgid: (unit, message) for unit, message in document.messages()}
    return excerpt_of(document, *found[msgid]).document.raw


def test_other_blocks_are_left_out_and_definitions_are_not() -> None:
    see = "See [the pot][p] and a note[^n]."
    definitions = "[p]: pot.md 'A pot'\n\n[^n]: A note.\n"
    text = excerpt_text(f"# Tea\n\n{see}\n\nMore words.\n\n{definitions}", see)
    assert "See [the pot]" in text
    assert "More words" not in text
    assert '[P]: <pot.md> "A pot"' in text
    assert "[^n]: ." in text


def test_definitions_of_rest_are_kept() -> None:
    target = ".. _pot: https://example.org"
    source = f"Tea\n===\n\nSee `pot`_ now.\n\nMore words.\n\n{target}\n"
    text = excerpt_text(source, "See `pot`_ now.", "page.rst")
    assert "More words" not in text
    assert target in text


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (Dialect.COMMONMARK, "---\ntitle: Lamps\n---\n\nLight it now.\n"),
        (Dialect.MKDOCS, '# Lamps\n\n!!! note "Mind it"\n\n    Light it now.\n'),
    ],
)
def test_excerpts_are_read_as_their_page_is(dialect: Dialect, text: str) -> None:
    document = read_document("a.md", text.encode(), Reading(dialect=dialect))
    assert_read_alike(document, {"Light": "点亮", "Lamps": "灯"})


GLOSSARY = ".. glossary::\n\n   tea\n     Hot water with leaves.\n"


@pytest.mark.parametrize("others", ["", "\nPot\n===\n\nUse it.\n"])
def test_a_term_takes_its_whole_glossary(others: str) -> None:
    # It is none without its directive, which a blank line parts from it.
    text = excerpt_text(GLOSSARY + others, "tea", "page.rst")
    assert text.strip() == GLOSSARY.strip()


def test_a_message_outside_of_all_blocks_takes_the_whole_page() -> None:
    # The caption stands in the front of a directive that is no block of the parser's own.
    source = "```{toctree}\n:caption: Tea\n\na\n```\n"
    assert excerpt_text(source, "Tea").strip() == source.strip()


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
