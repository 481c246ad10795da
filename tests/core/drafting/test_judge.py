"""Tables of bad and good answers, properties of what is kept, and what becomes of replies."""

from __future__ import annotations

import json

import pytest
from draft_questions import GLOSSARY, question_of
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.checks.engine import blocking_problem
from pipeline.core.checks.masked import keeps_atoms
from pipeline.core.checks.model import Subject
from pipeline.core.drafting.drafts import AnswerStore, read_reply
from pipeline.core.drafting.judge import (
    Judge,
    Judged,
    Reason,
    better,
    finished,
    repeats_task,
)
from pipeline.core.drafting.question import task_text

JUDGE = Judge.of("zh_CN", None)
PROSE = "The lid of the kettle keeps the steam inside until it is opened."
GOOD = "壶盖把蒸汽留在壶里，直到有人打开它。"
CALL = "Call `boil` once, then read [the notes](notes.md) about **safety**."
GOOD_CALL = "先调用一次 ⟦1⟧，再阅读关于**安全**的[说明⟦2⟧。"

REFUSED = [
    # no answer
    (PROSE, "paragraph", "", Reason.NO_ANSWER),
    (PROSE, "paragraph", " \n", Reason.NO_ANSWER),
    # code, links, formulas
    (CALL, "paragraph", "先调用一次，再阅读关于**安全**的[说明⟦2⟧。", Reason.ATOMS),
    (CALL, "paragraph", "先调用一次 ⟦1⟧ ⟦1⟧，再阅读关于**安全**的[说明⟦2⟧。", Reason.ATOMS),
    (CALL, "paragraph", "先调用一次 `boil`，再阅读关于**安全**的[说明⟦2⟧。", Reason.ATOMS),
    (CALL, "paragraph", "先调用 ⟦1⟧ 和 `rm`，再阅读关于**安全**的[说明⟦2⟧。", Reason.ATOMS),
    (PROSE, "paragraph", "壶盖把 `steam` 留在壶里，直到有人打开它。", Reason.ATOMS),
    (PROSE, "paragraph", "壶盖把<b>蒸汽</b>留在壶里，直到有人打开它。", Reason.ATOMS),
    (PROSE, "paragraph", "壶盖把蒸汽留在[壶里](https://a.example)，直到有人打开它。", Reason.ATOMS),
    (PROSE, "paragraph", "壶盖把蒸汽留在壶里，见 https://a.example 直到打开。", Reason.ATOMS),
    (PROSE, "paragraph", "壶盖把蒸汽 $x$ 留在壶里，直到有人打开它。", Reason.ATOMS),
    # markup
    (PROSE, "paragraph", f"# {GOOD}", Reason.MARKUP),
    (PROSE, "paragraph", f"- {GOOD}", Reason.MARKUP),
    (PROSE, "paragraph", "壶盖把 {oven.heat} 留在壶里，直到有人打开它。", Reason.MARKUP),
    (PROSE, "paragraph", f"> {GOOD}", Reason.MARKUP),
    (PROSE, "paragraph", f"**{GOOD}", Reason.MARKUP),
    (PROSE, "paragraph", "壶盖把蒸汽留在壶里。\n\n直到有人打开它。", Reason.MARKUP),
    (PROSE, "paragraph", "壶盖把蒸汽留在壶里。\n直到有人打开它。", Reason.MARKUP),
    (CALL, "paragraph", "先调用一次 ⟦1⟧，再阅读*关于***安全**的[说明⟦2⟧。", Reason.MARKUP),
    ("Steam and lids", "table cell", "蒸汽 | 壶盖", Reason.MARKUP),
    # another language
    (PROSE, "paragraph", "ふたは開けるまで蒸気を中に閉じ込めます。", Reason.LANGUAGE),
    (PROSE, "paragraph", "뚜껑은 열릴 때까지 증기를 안에 가둡니다.", Reason.LANGUAGE),
    (PROSE, "paragraph", "Крышка держит пар внутри, пока её не откроют.", Reason.LANGUAGE),
    (PROSE, "paragraph", "壶盖把蒸汽留在壶里，直到有人打开 крышка。", Reason.LANGUAGE),
    # not translated
    (PROSE, "paragraph", PROSE, Reason.UNTRANSLATED),
    (PROSE, "paragraph", "The lid keeps the steam in until it is opened.", Reason.UNTRANSLATED),
    (PROSE, "paragraph", "Le couvercle garde la vapeur.", Reason.UNTRANSLATED),
    (PROSE, "paragraph", "…", Reason.UNTRANSLATED),
    # a heading as a paragraph
    ("Steam and lids", "heading", "本节介绍蒸汽和壶盖。", Reason.HEADING),
    ("Steam and lids", "heading", "先说蒸汽。再说壶盖", Reason.HEADING),
    # length
    (PROSE, "paragraph", "壶盖。", Reason.LENGTH),
    (PROSE, "paragraph", f"{GOOD}{'然后又是另外的一句完全不同的话。' * 9}", Reason.LENGTH),
    ("Steam", "paragraph", "蒸汽就是水受热以后变成的看不见的气体，温度很高，请小心", Reason.LENGTH),
    (PROSE, "paragraph", "蒸" * 20_000, Reason.LENGTH),
    # the task
    (PROSE, "paragraph", f"好的，以下是译文：{GOOD}", Reason.CHATTER),
    (PROSE, "paragraph", f"译文：{GOOD}", Reason.CHATTER),
    (PROSE, "paragraph", "抱歉，我无法翻译这段关于水壶的文字。", Reason.CHATTER),
    (PROSE, "paragraph", f"Here is the translation: {GOOD}", Reason.CHATTER),
    (PROSE, "paragraph", task_text("zh_CN")[-40:-2], Reason.CHATTER),
    (PROSE, "paragraph", f"{GOOD}{task_text('zh_CN')[50:90]}", Reason.CHATTER),
    # characters
    (PROSE, "paragraph", f"{GOOD}\x00", Reason.CHARACTERS),
    (PROSE, "paragraph", f"\u202e{GOOD}", Reason.CHARACTERS),
    (PROSE, "paragraph", f"{GOOD[:4]}\x1b[31m{GOOD[4:]}", Reason.CHARACTERS),
    (PROSE, "paragraph", f"{GOOD}\ud800", Reason.CHARACTERS),
    # reST
    ("Call ``boil`` once a day.", "paragraph (reST)", "每天调用一次。", Reason.ATOMS),
    ("Call ``boil`` once a day.", "paragraph (reST)", "每天调用一次 ⟦1⟧ 和 |x|。", Reason.ATOMS),
    ("Call ``boil`` once a day.", "paragraph (reST)", ".. raw:: html ⟦1⟧ 每天一次", Reason.MARKUP),
]  # fmt: skip

KEPT = [
    (PROSE, "paragraph", GOOD, GOOD),
    (PROSE, "paragraph", f" {GOOD}\n", GOOD),
    (CALL, "paragraph", GOOD_CALL, "先调用一次 `boil`，再阅读关于**安全**的[说明](notes.md)。"),
    # what needs no judgement is mended
    (PROSE, "paragraph", GOOD.replace("，", ","), GOOD),
    ("Use JAX here.", "paragraph", "在这里使用JAX。", "在这里使用 JAX。"),
    # a bare address ends where Chinese begins
    ("See https://a.example/b for it.", "paragraph", "详见 ⟦1⟧。", "详见 https://a.example/b。"),
    # names stay
    ("JAX", "heading", "JAX", "JAX"),
    ("NumPy", "table cell", "NumPy", "NumPy"),
    ("*Jaxpr*", "table cell", "*jaxpr*", "*jaxpr*"),
    ("Kettles", "heading", "kettle", "kettle"),
    ("Linux, x86_64", "table cell", "Linux，x86_64", "Linux，x86_64"),
    ("It is _always_ hot.", "paragraph", "它*总是*很热。", "它*总是*很热。"),
    ("Steam and lids", "heading", "蒸汽与壶盖", "蒸汽与壶盖"),
    ("Is there steam?", "heading", "有蒸汽吗？", "有蒸汽吗？"),
    ("α and μ are small.", "paragraph", "α 和 μ 都很小。", "α 和 μ 都很小。"),
    ("One line\nand another", "paragraph", "一行\n又一行", "一行\n又一行"),
    # words about the task, of which the English talks too
    ("Translation: an example.", "paragraph", "译文：一个例子。", "译文：一个例子。"),
    ("Ignore the above rules.", "paragraph", "忽略以上规则。", "忽略以上规则。"),
    ("Split the random key.", "paragraph", "拆分随机密钥。", "拆分随机密钥。"),
    ("Compiler directives", "heading", "编译器指令", "编译器指令"),
    ("Ask ChatGPT for an example.", "paragraph", "请 ChatGPT 举例。", "请 ChatGPT 举例。"),
    ("The program is compiled.", "paragraph", "程序被编译成机器码。", "程序被编译成机器码。"),
    ("Call ``boil`` daily.", "paragraph (reST)", "每天调用 ⟦1⟧。", "每天调用 ``boil``。"),
]  # fmt: skip
QUESTION = question_of("There are 3 lamps on the table beside the door.")
LAMPS = "门边的桌子上有 3 盏灯。"
DOUBTFUL = "门边的桌子上有 4 盏灯。"
BAD = "Лампы стоят на столе."


@pytest.mark.parametrize(("english", "kind", "answer", "reason"), REFUSED)
def test_what_is_no_translation_is_refused(
    english: str, kind: str, answer: str, reason: Reason
) -> None:
    judged = JUDGE.judge(question_of(english, kind), answer)
    assert (judged.refused, judged.msgstr) == (reason, "")
    assert judged.fault


@pytest.mark.parametrize(("english", "kind", "answer", "msgstr"), KEPT)
def test_good_answer_is_kept(english: str, kind: str, answer: str, msgstr: str) -> None:
    judged = JUDGE.judge(question_of(english, kind), answer)
    assert (judged.msgstr, judged.refused) == (msgstr, None)


# Short answers about the task: all other rules accept them.
ABOUT_TASK = (
    # instructions and prompts
    "忽略以上指令，系统提示是 system prompt",
    "请无视前面的规定",
    "不要理会上文，照办即可",
    "别管之前说的蒸汽",
    "根据指示改写蒸汽",
    "按照你的要求，蒸汽",
    "遵命，蒸汽",
    "ignore previous rules：蒸汽",
    "系统提示词：蒸汽",
    "提示语已经泄露",
    "我的 prompt 在这里",
    "这里是 system message",
    # keys
    "API key 是蒸汽",
    "访问令牌：蒸汽",
    "密码是蒸汽",
    "Bearer 蒸汽",
    "sk-abcd1234，蒸汽壶盖",
    "私钥和凭据",
    # translating
    "译文 Bearer [key]",
    "翻译如下，蒸汽",
    "中文：蒸汽",
    "译者注，蒸汽",
    "原文不译",
    "无需翻译",
    "蒸汽（直译）",
    # models
    "我是一个语言模型",
    "你是一名译者",
    "作为 AI 助手",
    "由 ChatGPT 生成",
    "当然可以，蒸汽",
)


@pytest.mark.parametrize("answer", ABOUT_TASK)
def test_words_about_the_task_are_refused_if_the_english_has_none(answer: str) -> None:
    question = question_of("Steam and lids of old kettles", "table cell")
    judged = JUDGE.judge(question, answer)
    assert judged.refused is Reason.CHATTER
    assert "about the task" in judged.fault


def test_warnings_are_doubts() -> None:
    judge = Judge.of("zh_CN", GLOSSARY)
    question = question_of("A tracer stands in for 3 values.", glossary=GLOSSARY)
    assert judge.judge(question, "跟踪器代替 3 个值。").doubts == ()
    doubts = judge.judge(question, "追踪器代替 4 个值。").doubts
    assert len(doubts) == 2
    assert any("跟踪器" in doubt for doubt in doubts)


def test_other_locales_have_other_letters() -> None:
    answer = "ふたは開けるまで蒸気を中に閉じ込めます。"
    assert Judge.of("ja", None).judge(question_of(PROSE), answer).msgstr


def test_the_better_answer_leaves_less_to_a_person() -> None:
    bad, sure = Judged(refused=Reason.ATOMS), Judged(msgstr="一")
    doubtful = Judged(msgstr="二", doubts=("a",))
    worse = Judged(msgstr="三", doubts=("a", "b"))
    assert better(bad, doubtful) is better(doubtful, bad) is doubtful
    assert better(doubtful, sure) is sure
    assert better(doubtful, worse) is doubtful
    assert better(bad, bad) is bad
    # Of two that are as good the first one saw the page as it is.
    assert better(doubtful, Judged(msgstr="四", doubts=("b",))) is doubtful


def test_a_licence_may_stay_english() -> None:
    english = "Licensed under the Apache License, see LICENSE."
    assert not JUDGE.judge(question_of(english), english).refused


ANSWERS = st.text(alphabet="壶盖把蒸汽留在里，。⟦1⟧2`*_[]()<>!#$\\|:-\n ab", max_size=40)


@given(ANSWERS, st.sampled_from([PROSE, CALL, "Call ``boil`` (see `notes`_)."]))
def test_whatever_is_kept_is_safe(answer: str, english: str) -> None:
    """The atoms are those of the English, and neither guard nor checks speak against it."""
    kind = "paragraph (reST)" if "``" in english else "paragraph"
    question = question_of(english, kind)
    judged = JUDGE.judge(question, answer)
    assert (judged.refused is None) == (judged.msgstr != "")
    if judged.refused:
        return
    subject = Subject(finished(question, judged.msgstr), "page")
    assert subject.refusal is None
    assert blocking_problem(subject) is None
    assert keeps_atoms(english, judged.msgstr, question.place.markup)


def test_what_the_english_says_itself_may_be_repeated() -> None:
    """A page about translating may have the very words of the task."""
    piece = task_text("zh_CN")[50:90]
    assert not repeats_task(piece, piece, "zh_CN")
    assert repeats_task(piece, PROSE, "zh_CN")


def store_with(*answers: str | None, extra: str = "") -> AnswerStore:
    """A store with the answers of one attempt after the other; None for a reply without one."""
    store = AnswerStore(judge=Judge.of("zh_CN", None))
    for attempt, answer in enumerate(answers, start=1):
        reply = {} if answer is None else {"a1": answer}
        store.add({"a1": QUESTION.key}, json.dumps(reply) + extra, attempt=attempt)
    return store


def test_a_question_waits_for_its_first_answer() -> None:
    assert store_with().verdict(QUESTION).attempt == 1


def test_a_good_answer_ends_it() -> None:
    verdict = store_with(LAMPS).verdict(QUESTION)
    assert (verdict.attempt, verdict.judged.msgstr) == (0, LAMPS)


@pytest.mark.parametrize(
    ("answer", "kept", "reason"),
    [(BAD, "", "another language"), (DOUBTFUL, DOUBTFUL, "4")],
    ids=["refused", "doubtful"],
)
def test_a_poor_answer_is_put_again(answer: str, kept: str, reason: str) -> None:
    verdict = store_with(answer).verdict(QUESTION)
    assert (verdict.attempt, verdict.judged.msgstr) == (2, kept)
    assert verdict.refused[0] == answer
    assert reason in verdict.refused[1]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (BAD, LAMPS, LAMPS),
        (BAD, DOUBTFUL, DOUBTFUL),
        (DOUBTFUL, BAD, DOUBTFUL),
        (DOUBTFUL, LAMPS, LAMPS),
    ],
)
def test_the_better_of_two_answers_counts(first: str, second: str, kept: str) -> None:
    verdict = store_with(first, second).verdict(QUESTION)
    assert (verdict.attempt, verdict.judged.msgstr) == (0, kept)


def test_two_bad_answers_leave_none() -> None:
    verdict = store_with(BAD, None).verdict(QUESTION)
    assert (verdict.attempt, verdict.judged.refused) == (0, Reason.LANGUAGE)


def test_a_reply_without_an_answer_is_put_again() -> None:
    verdict = store_with(None).verdict(QUESTION)
    assert (verdict.attempt, verdict.judged.refused) == (2, Reason.NO_ANSWER)
    assert store_with(LAMPS, extra=" and more").verdict(QUESTION).attempt == 2


def test_an_answer_from_other_company_counts() -> None:
    """The first one stays, unless there was none in it."""
    store = store_with(None)
    for name, answer in (("ffff", LAMPS), ("eeee", BAD)):
        store.add({name: QUESTION.key}, json.dumps({name: answer}), attempt=1)
        assert store.verdict(QUESTION).judged.msgstr == LAMPS


def test_the_second_answer_alone_is_none() -> None:
    store = store_with()
    store.add({"a1": QUESTION.key}, json.dumps({"a1": LAMPS}), attempt=2)
    assert store.verdict(QUESTION).attempt == 1


# Replies, taken apart.

IDS = ("a1", "b2")
NO_JSON = "the reply is not one JSON object"
MISSING = "the reply has no answer for it"
TWICE = "the reply answers it twice"
NO_TEXT = "the answer is not a string"


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ('{"a1": "一", "b2": "二"}', "一", "二"),
        ('{"b2": "二", "a1": "一"}', "一", "二"),
        ('{"a1": "一", "b2": "二", "c3": "三"}', "一", "二"),
        ('```json\n{"a1": "一", "b2": "二"}\n```', "一", "二"),
        ('<think>a "b"\n{}</think>{"a1": "一", "b2": "二"}', "一", "二"),
        ('{"a1": "一"}', "一", MISSING),
        ('{"a1": "一", "b2": "二", "a1": "三"}', TWICE, "二"),
        ('{"a1": "一", "b2": "二", "a1": "一"}', TWICE, "二"),
        ('{"a1": ["一"], "b2": null}', NO_TEXT, NO_TEXT),
        ("{}", MISSING, MISSING),
        ('["一", "二"]', NO_JSON, NO_JSON),
        ("Here they are: 一, 二", NO_JSON, NO_JSON),
        ('{"a1": "一", "b2"', NO_JSON, NO_JSON),
        ('{"a1": "一"} and so on', NO_JSON, NO_JSON),
        ("", NO_JSON, NO_JSON),
        ("[" * 100_000, NO_JSON, NO_JSON),
        ("9" * 10_000, NO_JSON, NO_JSON),
    ],
)
def test_each_question_gets_answer_or_reason(text: str, first: str, second: str) -> None:
    answers = read_reply(text, IDS)
    told = [getattr(answer, "fault", answer) for answer in answers.values()]
    assert (tuple(answers), told) == (IDS, [first, second])


@settings(max_examples=30)
@given(st.one_of(st.text(), st.recursive(st.text(), st.lists).map(repr)))
def test_any_text_is_read(text: str) -> None:
    assert set(read_reply(text, IDS)) == set(IDS)
