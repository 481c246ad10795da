"""Questions for a model: selection, keys, batches, and the marks that stand for atoms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from draft_questions import GLOSSARY, entry_of, question_of
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pipeline.core.catalog.origins import GLOSSARY as BY_GLOSSARY
from pipeline.core.catalog.origins import Copy, Machine
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of
from pipeline.core.drafting.batch import Batch, RequestSettings, batches_of
from pipeline.core.drafting.drafts import Draft, drafted
from pipeline.core.drafting.judge import Judge
from pipeline.core.drafting.question import (
    PROMPT,
    DraftReason,
    LostMarksError,
    Question,
    digest_of_texts,
    draft_key,
    marked_like,
    mask,
    task_text,
    unmask,
    with_ids,
)
from pipeline.core.drafting.selection import Model, Selected, select, term_for
from pipeline.core.glossary.glossary import Glossary, read_glossary
from pipeline.entries import Catalog, Entry

ASKING = RequestSettings(model="m", locale="zh_CN", size=3)
LAMP = entry_of("The lamp is on.")
OLD = replace(LAMP, msgid="The lamp was on.", msgstr="灯亮过。")
CHANGED = replace(
    LAMP,
    msgstr="灯亮过。",
    fuzzy=True,
    previous="The lamp was on.",
    notes=("paragraph", "fuzzy: rewording: the lamp [-was-]{+is+} on"),
)
STALE = "the glossary has another rendering"
TEXTS = st.text(alphabet="ab `$[](){}<>:|_*\\⟦⟧1。译\n!#&;", max_size=60)


def draft_of(
    entry: Entry, msgstr: str = "灯亮着。", *, model: str = "m", prompt: int = PROMPT
) -> Entry:
    origin = Machine(model=model, prompt=prompt, date="2026-05-01")
    return drafted(entry, Draft(before=entry, msgstr=msgstr, origin=origin))


def selected(
    *entries: Entry,
    other: Entry | None = None,
    made_with: dict[str, dict[str, str]] | None = None,
    glossary: Glossary | None = GLOSSARY,
) -> Selected:
    """What is asked about a page with ``entries``, beside a page with the ``other`` one."""
    others = (other,) if other else ()
    catalogs = {"page": Catalog(entries=entries), "other": Catalog(entries=others)}
    model = Model(name="m", judge=Judge.of("zh_CN", glossary), glossary=glossary)
    return select(catalogs, ["page"], model=model, made_with=made_with or {})


# Selecting.


@pytest.mark.parametrize(
    "entry",
    [
        replace(LAMP, msgstr="灯亮着。"),
        replace(LAMP, msgstr="灯亮着。", fuzzy=True),  # marked by a person
        replace(LAMP, msgstr="灯亮着。", fuzzy=True, previous=LAMP.msgid),  # moved here
        CHANGED,  # the old translation stands nowhere else
        replace(LAMP, obsolete=True),
        draft_of(LAMP),  # up to date
        replace(draft_of(LAMP), msgstr="灯还亮着。"),  # changed by a person
        replace(draft_of(LAMP, model="old"), comments=("really?",)),
        replace(draft_of(LAMP, model="old"), fuzzy=False, previous=None),
    ],
)
def test_what_a_person_wrote_is_never_asked_about(entry: Entry) -> None:
    assert selected(entry).questions == []


def test_an_empty_entry_is() -> None:
    (question,) = selected(LAMP).questions
    assert (question.page, question.entry) == ("page", LAMP)
    assert question.why is DraftReason.NEW


@pytest.mark.parametrize("other", [replace(OLD, obsolete=True), OLD])
def test_an_old_translation_gives_way_if_it_stands_elsewhere(other: Entry) -> None:
    (question,) = selected(CHANGED, other=other).questions
    assert question.why is DraftReason.CHANGED
    assert question.old_english == "The lamp was on."
    assert question.old_translation == "灯亮过。"


def test_what_was_adopted_waits_for_a_person() -> None:
    """Though its words stand in another entry as well: somebody has written them."""
    copy = Copy(file="a.md", commit="c" * 40, page="page", author="Li", licence="MIT")
    adopted = replace(CHANGED, notes=(*CHANGED.notes, copy.note(0.9)))
    assert selected(adopted, other=replace(OLD, obsolete=True)).questions == []


def test_two_that_wait_with_the_same_words_do_not_vouch_for_each_other() -> None:
    found = selected(CHANGED, replace(CHANGED, msgid="The lamp will be on."))
    assert (found.questions, found.left_alone) == ([], 2)


def test_of_other_pages_nothing_is_asked() -> None:
    assert selected(other=LAMP).questions == []


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (draft_of(LAMP, model="old"), "the model was old"),
        (draft_of(LAMP, prompt=PROMPT + 1), f"the prompt was number {PROMPT + 1}"),
        (draft_of(LAMP, model=BY_GLOSSARY), STALE),
        (draft_of(entry_of("Tracers", "heading"), "示踪"), STALE),
    ],
)
def test_a_draft_is_stale_if_its_origin_has_changed(entry: Entry, reason: str) -> None:
    found = selected(entry)
    assert [stale.reason for stale in found.stale] == [reason]
    assert [question.why for question in found.questions] == [DraftReason.STALE]


def test_a_changed_row_makes_stale_what_mentions_it() -> None:
    tracer, lamp = draft_of(entry_of("A tracer is on."), "跟踪器开着。"), draft_of(LAMP)
    made_with = {
        draft_key("page", (None, tracer.msgid), tracer.msgstr): {"tracer": "示踪器"},
        draft_key("page", (None, lamp.msgid), lamp.msgstr): {},
    }
    (stale,) = selected(tracer, lamp, made_with=made_with).stale
    assert stale.msgid == tracer.msgid
    assert stale.reason == "the glossary has changed: tracer"
    # Without a glossary there are no rows: that is a change as well.
    assert len(selected(tracer, made_with=made_with, glossary=None).stale) == 1
    # In another clone nothing is known of rows: nothing speaks against the draft.
    assert selected(tracer, lamp).stale == []


def test_a_draft_of_the_glossary_is_stale_without_one() -> None:
    entry = draft_of(entry_of("Tracers", "heading"), "跟踪器", model=BY_GLOSSARY)
    assert selected(entry).stale == []
    assert len(selected(entry, glossary=None).stale) == 1


# Terms.


@pytest.mark.parametrize(
    ("english", "kind", "rendering"),
    [
        ("Tracers", "heading", "跟踪器"),
        ("tracer", "definition term", "跟踪器"),
        ("Kettle", "heading", "水壶"),
        ("A tracer", "heading", ""),
        ("`tracer`", "heading", ""),
        ("Tracer", "paragraph", ""),
        ("Boiling", "heading", ""),  # other words belong between 煮 and 沸
        ("Tracers and kettles", "heading", ""),
    ],
)
def test_headings_that_are_terms(english: str, kind: str, rendering: str) -> None:
    assert term_for(entry_of(english, kind), GLOSSARY) == rendering
    assert term_for(entry_of(english, kind), None) == ""


@pytest.mark.parametrize("english", ["Tracers", "Lamp"])
def test_a_row_that_does_harm_is_no_draft(english: str) -> None:
    rows = "source,target\ntracer,跟踪器<script>x()</script>\nlamp,`os.system`灯\n"
    glossary = read_glossary(rows, where="terms.csv")
    model = Model(name="m", judge=Judge.of("zh_CN", glossary), glossary=glossary)
    question = model.ask("page", entry_of(english, "heading"), DraftReason.NEW)
    assert term_for(question.entry, glossary)
    assert question.term == ""


# Keys.


def test_the_key_tells_apart_all_that_decides_about_an_answer() -> None:
    other = read_glossary("source,target\ntracer,示踪器\n", where="terms.csv")
    text = "A tracer is on."
    old: dict[str, Any] = {"msgstr": "旧", "fuzzy": True, "previous": "Old."}
    questions = (
        question_of(text),
        question_of("A tracer was on."),
        question_of(text, "heading"),
        question_of(text, page="other"),
        question_of(text, model="n"),
        question_of(text, glossary=GLOSSARY),
        question_of(text, glossary=other),
        question_of(text, context="A section"),
        question_of(text, why=DraftReason.CHANGED, **old),
    )
    assert len({question.key for question in questions}) == 9
    assert question_of(text).key == question_of(text).key
    # Rows that a message does not mention change nothing.
    assert question_of(LAMP.msgid).key == question_of(LAMP.msgid, glossary=GLOSSARY).key


def test_ids_are_short_and_differ() -> None:
    question = question_of("a")
    twin = replace(question, key=f"{question.key[:6]}{'0' * 34}")
    assert set(map(len, with_ids([question_of(text) for text in "abc"]))) == {4}
    assert set(map(len, with_ids([question, twin]))) == {7}


# Batches.


def page_of(*texts: str) -> list[Entry]:
    return [entry_of(text) for text in texts]


def batches(
    page: list[Entry],
    asked: Sequence[int] = (0,),
    settings: RequestSettings = ASKING,
    **options: object,
) -> list[Batch]:
    questions = [question_of(page[at].msgid, glossary=GLOSSARY) for at in asked]
    options = {"examples": {}, "refused": {}, **options}
    return list(batches_of(settings, page, questions, **options))  # type: ignore[arg-type]


def items_of(batch: Batch) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(batch.text)["text"]
    return found


def test_no_questions_make_no_batch() -> None:
    assert batches(page_of("One."), []) == []


def test_a_batch_has_its_questions_in_page_order_with_their_neighbours() -> None:
    words = "Zero|One `a`|Two|Three|Four|Five|Six|Seven"
    page = page_of(*(f"{word}." for word in words.split("|")))
    page[1] = replace(page[1], msgstr="一 `a`。")
    page[2] = replace(page[2], msgstr="二。", fuzzy=True)
    (batch,) = batches(page, [3])
    key = question_of("Three.").key
    assert batch.keys == {key[:4]: key}
    assert (
        items_of(batch)
        == [
            {"kind": "paragraph", "en": "One `a`.", "to": "一 `a`。"},
            {
                "kind": "paragraph",
                "en": "Two.",
            },  # what waits for a person is no example
            {"id": key[:4], "kind": "paragraph", "en": "Three."},
            {"kind": "paragraph", "en": "Four."},
            {"kind": "paragraph", "en": "Five."},
        ]
    )
    assert (batch.task, batch.attempt) == (task_text("zh_CN"), 1)


def test_the_model_sees_marks_in_place_of_atoms() -> None:
    (batch,) = batches(page_of("See `a` and [b](c.md)."))
    assert items_of(batch)[0]["en"] == "See ⟦1⟧ and [b⟦2⟧."


@pytest.mark.parametrize(
    ("texts", "sizes"),
    [
        ([f"Number {at}." for at in range(8)], [3, 3, 2]),
        ([*(f"Word {'long ' * 800}{at}." for at in range(3)), "word " * 2000], [1] * 4),
    ],
    ids=["by number", "by words"],
)
def test_questions_are_cut_into_batches(texts: list[str], sizes: list[int]) -> None:
    found = batches(page_of(*texts), range(len(texts)))
    assert [len(batch.questions) for batch in found] == sizes


def test_a_batch_has_the_rows_and_examples_that_it_needs() -> None:
    page = page_of("A tracer.", "Nothing.")
    similar = {"A tracer.": [("The tracer.", "跟踪器。")] * 2}
    (batch,) = batches(page, [0, 1], examples=similar)
    told = json.loads(batch.text)
    assert told["glossary"] == {"tracer": "跟踪器 (not: 追踪器)"}
    assert told["examples"] == [{"en": "The tracer.", "to": "跟踪器。"}]
    (plain,) = batches(page, [1])
    assert json.loads(plain.text).keys() == {"page", "text"}


def test_a_question_that_is_put_again_says_what_was_wrong() -> None:
    page = page_of("One.", "Two.", "Three.")
    keys = [question_of(entry.msgid).key for entry in page]
    refused = dict.fromkeys(keys, ("甲" * 900, "lacks ⟦1⟧"))
    first, *others = batches(page, range(3), attempt=2, refused=refused)
    item = next(item for item in items_of(first) if "id" in item)
    assert item["refused"] == "lacks ⟦1⟧"
    assert len(item["answer"]) < 500
    assert first.attempt == 2
    assert len(others) == 2  # smaller batches: the reply may have been too long


def test_changed_and_contextual_entries_say_so() -> None:
    fields: dict[str, Any] = {
        "msgstr": "灯亮过。",
        "fuzzy": True,
        "previous": OLD.msgid,
    }
    question = question_of(LAMP.msgid, why=DraftReason.CHANGED, context="A section", **fields)
    page = [replace(CHANGED, context="A section")]
    (batch,) = batches_of(ASKING, page, [question], examples={}, refused={})
    (item,) = items_of(batch)
    assert item["section"] == "A section"
    assert (item["was"], item["was_to"]) == ("The lamp was on.", "灯亮过。")


def test_the_request_has_the_parameters_but_cannot_lose_its_own() -> None:
    settings = replace(ASKING, parameters={"temperature": 0}, reply_field="max_completion_tokens")
    (batch,) = batches(page_of("One."), settings=settings)
    request = json.loads(batch.body)
    assert (request["temperature"], request["model"]) == (0, "m")
    assert request["max_completion_tokens"] == batch.most_tokens
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    (bounded,) = batches(page_of("One."), settings=replace(settings, reply_tokens=7))
    assert bounded.most_tokens == 7


def test_the_key_of_a_batch_is_that_of_all_that_is_sent() -> None:
    page = page_of("One.", "Two.")
    translated = [page[0], replace(page[1], msgstr="二。")]
    seeded = replace(ASKING, parameters={"seed": 1})
    (batch,), *others = (
        batches(page),
        batches(translated),
        batches(page, examples={"One.": [("1", "一")]}),
        batches(page, settings=seeded),
    )
    (same,) = batches(page)
    assert batch.key == same.key
    assert len({batch.key, *(other.key for (other,) in others)}) == 4


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_each_question_is_in_one_batch(asked: list[bool]) -> None:
    page = page_of(*(f"Number {at}." for at in range(len(asked))))
    wanted = [at for at, is_asked in enumerate(asked) if is_asked]
    found: list[Question] = []
    for batch in batches(page, wanted):
        found += batch.questions.values()
    assert [question.entry for question in found] == [page[at] for at in wanted]


def test_the_number_of_the_prompt_goes_with_its_words() -> None:
    """Whoever changes what a model is told counts PROMPT up, and puts the digest here."""
    page = [entry_of("A tracer and `a`."), replace(LAMP, msgstr="灯亮着。")]
    (batch,) = batches(page, [0], examples={"A tracer and `a`.": [("b", "c")]})
    told = digest_of_texts([batch.task, batch.text, task_text("fr")])
    assert (PROMPT, told) == (1, "b4796589417ba090aefe1eab954cbadd8a5308b2")


def test_a_question_has_the_name_of_its_entry() -> None:
    assert question_of("Boil it.", context="verb").name == ("verb", "Boil it.")
    assert question_of("Boil it.").name == (None, "Boil it.")


@pytest.mark.parametrize(
    ("text", "markup", "masked", "atoms"),
    [
        ("Call `f` on $x$.", Markup.MARKDOWN, "Call ⟦1⟧ on ⟦2⟧.", ("`f`", "$x$")),
        ("See [the guide](a.md).", Markup.MARKDOWN, "See [the guide⟦1⟧.", ("](a.md)",)),
        ("See [the guide][g].", Markup.MARKDOWN, "See [the guide]⟦1⟧.", ("[g]",)),
        ("Twice `f` `f`", Markup.MARKDOWN, "Twice ⟦1⟧ ⟦2⟧", ("`f`", "`f`")),
        ("A bracket ⟦ and ⟧", Markup.MARKDOWN, "A bracket ⟦1⟧ and ⟦2⟧", ("⟦", "⟧")),
        ("Call ``f``", Markup.RST, "Call ⟦1⟧", ("``f``",)),
        ("a [b][c]", Markup.RST, "a [b][c]", ()),
        ("Nothing.", Markup.MARKDOWN, "Nothing.", ()),
    ],
)
def test_atoms_become_marks(text: str, markup: Markup, masked: str, atoms: tuple[str, ...]) -> None:
    found = mask(text, markup)
    assert (found.text, found.atoms) == (masked, atoms)


def test_marks_may_change_places() -> None:
    masked = mask("Call `f` on $x$.")
    assert unmask("对⟦2⟧调用⟦1⟧。", masked) == "对$x$调用`f`。"
    assert unmask("⟦1⟧⟦2⟧", masked) == "`f`$x$"


def test_an_older_version_gets_the_marks_of_the_new_one() -> None:
    masked = mask("Call `f(x)` on `x`, not `y`.")
    older = marked_like("对 `x` 调用 `f(x)` 和 `z`。", masked)
    assert older == "对 ⟦2⟧ 调用 ⟦1⟧ 和 `z`。"


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("调用⟦1⟧", "lacks ⟦2⟧"),
        ("⟦1⟧⟦2⟧⟦2⟧", "has ⟦2⟧ too often"),
        ("⟦1⟧⟦3⟧", "lacks ⟦2⟧ and has ⟦3⟧ too often"),
        ("⟦1⟧⟦2⟧⟦", "has a broken mark"),
        ("⟦1⟧⟦2⟧⟦x⟧", "has a broken mark"),
        ("⟦1⟧⟦2⟧⟦１⟧", "has a broken mark"),
        ("⟦1⟧⟦2⟧⟦00001⟧", "has a broken mark"),
    ],
)
def test_other_marks_are_refused(answer: str, complaint: str) -> None:
    with pytest.raises(LostMarksError, match=complaint):
        unmask(answer, mask("Call `f` on $x$."))


@given(TEXTS, st.sampled_from(Markup))
def test_unmasking_gives_the_message_back(text: str, markup: Markup) -> None:
    masked = mask(text, markup)
    assert unmask(masked.text, masked) == text


@given(TEXTS)
def test_no_atom_is_left_to_the_model(text: str) -> None:
    """What is unmasked from any text has the atoms in full, each as often as it was."""
    masked = mask(text)
    marks = "".join(f"⟦{at}⟧" for at in range(1, len(masked.atoms) + 1))
    assert unmask(marks, masked) == "".join(masked.atoms)
    assert set(atoms_of(text)) <= set(masked.atoms)
