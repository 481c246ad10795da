"""The translator without a model: deterministic, and as careful with marks as a good one."""

from __future__ import annotations

import json

import pytest
from draft_questions import GLOSSARY, entry_of, question_of
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.drafting import stub
from pipeline.core.drafting.batch import Asking, batches_of
from pipeline.core.drafting.judge import Judge
from pipeline.core.drafting.question import mask, unmask

TEXTS = st.text(alphabet="abcXY `$[]().,:*_\n1", max_size=60)


@given(TEXTS)
def test_marks_come_back(text: str) -> None:
    masked = mask(text)
    assert unmask(stub.translate(masked.text), masked) is not None


@given(TEXTS)
def test_the_same_text_gives_the_same_nonsense(text: str) -> None:
    assert stub.translate(text) == stub.translate(text)


@pytest.mark.parametrize(
    ("english", "terms", "expected"),
    [
        ("JAX", {}, "JAX"),
        ("NumPy 2 has 32 bits", {}, None),
        ("Tracers", {"tracer": "跟踪器 (not: 追踪器)"}, "跟踪器"),
        ("The tracers", {"tracer": "跟踪器 / 示踪器"}, "跟踪器"),
        ("a Kettle.", {"kettle": "水壶（kettle）"}, "水壶。"),
        ("", {}, ""),
        # "only" begins within the term, and is a part of it.
        ("Read only", {"read only": "只读"}, "只读"),
    ],
)
def test_names_and_terms_are_what_they_should_be(
    english: str, terms: dict[str, str], expected: str | None
) -> None:
    translated = stub.translate(english, stub.terms_of({"glossary": terms}))
    if expected is None:
        assert translated.startswith("NumPy 2 ")
        assert translated.endswith("32 bits")
    else:
        assert translated == expected


def test_an_answer_passes_the_judge() -> None:
    texts = [
        "The lamp stands on the table, beside the door: it shines all night long.",
        "Call `boil` **once**, then read [the notes](a.md).",
        "Does a tracer shine?",
    ]
    page = [entry_of(text) for text in texts]
    questions = [question_of(text, glossary=GLOSSARY) for text in texts]
    asking = Asking(model="stub", locale="zh_CN")
    (batch,) = batches_of(asking, page, questions, examples={}, refused={})
    answers = json.loads(stub.answer(json.loads(batch.body)))
    judge = Judge.of("zh_CN", GLOSSARY)
    for name, question in batch.questions.items():
        judged = judge.judge(question, answers[name])
        assert (judged.refused, judged.doubts) == (None, ())


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"messages": []},
        {"messages": [{"content": "hello"}]},
        {"messages": [{"content": "[]"}]},
        {"messages": [{"content": '{"text": [{"id": "a"}]}'}]},
    ],
)
def test_other_requests_are_told(request_: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no request|Expecting value"):
        stub.answer(request_)
