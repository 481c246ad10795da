"""Terms found in English texts, and the glossary's file: readable by hand, by us and by Weblate."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from places import ROOT

from pipeline.core.checks.model import Subject
from pipeline.core.checks.terms import find_inconsistent
from pipeline.core.glossary.glossary import (
    Glossary,
    Rendering,
    Term,
    as_plain,
    read_glossaries,
    read_glossary,
)
from pipeline.core.glossary.rows import forms_of, pattern_of
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.findings import Severity

FILE = ROOT / "translations" / "glossary" / "zh_CN.csv"
HEAD = "source,target,context,translator_comments\n"


def glossary_of(*rows: str) -> Glossary:
    return read_glossary(HEAD + "".join(f"{row}\n" for row in rows), where="zh_CN.csv")


def found_in(text: str, *terms: str) -> list[tuple[str, str]]:
    """The terms that a text mentions, and the words of it. Single words in small are verbs."""
    rows = (f"{term},译,{'verb' if term.islower() and ' ' not in term else ''}," for term in terms)
    mentions = glossary_of(*rows).mentions(text)
    return [(mention.term.english, mention.words) for mention in mentions]


def translations(glossary: Glossary) -> dict[str, list[str]]:
    return {
        term.english: [rendering.text for rendering in term.renderings] for term in glossary.terms
    }


@pytest.mark.parametrize(
    "forms",
    [
        "transform transforms transformed transforming transformation",
        "trace traces traced tracing",
        "batch batches batched batching",
        "jit jits jitted jitting",
        "split splits splitting",
        "apply applies applied applying",
        "replay replays replayed replaying",
        "differentiate differentiates differentiated differentiating differentiation",
        "vectorize vectorizes vectorized vectorizing vectorization",
        "compile compiles compiled compiling compilation",
        "fix fixes fixed fixing",
        "cache caches cached caching",
    ],
)
def test_forms_of_a_verb(forms: str) -> None:
    verb, *_ = forms.split()
    assert set(forms.split()) <= set(forms_of(verb, is_verb=True))


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("Jacobian", "Jacobians"),
        ("axis of symmetry", "axis of symmetries"),
        ("batch", "batches"),
        ("key", "keys"),
        ("property", "properties"),
    ],
)
def test_forms_of_a_noun(noun: str, plural: str) -> None:
    assert forms_of(noun) == [noun, plural]


@pytest.mark.parametrize(
    ("text", "term", "words"),
    [
        ("Tracing traces a trace", "trace", "Tracing|traces|trace"),
        ("traceable backtraces, untraced", "trace", ""),
        ("traceſ, Trace", "trace", "trace|Trace"),
        (
            "just in time, Just-in-Time, just\nin time",
            "just-in-time",
            "just in time|Just-in-Time|just in time",
        ),
        ("recompile, re-compiled", "re-compile", "recompile|re-compiled"),
        (
            "a *pure* function, __pure functions__",
            "pure function",
            "pure function|pure functions",
        ),
        ("a pure, function of pure `x` functions", "pure function", ""),
        ("XLA, xla and XLAs", "XLA", "XLA|XLAs"),
        ("a jacobian is a Jacobian", "Jacobian", "Jacobian"),
        ("PRNG Keys and prng keys", "PRNG key", "PRNG Keys"),
        (
            "`gradient` [x](gradient.md) $gradient$ {ref}`gradient` <b gradient> gradient",
            "gradient",
            "gradient",
        ),
        ("[the gradient](x.md)", "gradient", "gradient"),
        ("jit_gradient and gradient_of", "gradient", ""),
        (
            "forward‑mode and forward–mode",
            "forward mode",
            "forward-mode|forward-mode",
        ),
    ],
)
def test_a_term_is_found_in_its_forms(text: str, term: str, words: str) -> None:
    assert found_in(text, term) == [(term, word) for word in words.split("|") if word]


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        (
            "the tracer traces",
            ["trace", "tracer"],
            [("tracer", "tracer"), ("trace", "traces")],
        ),
        (
            "a vector-Jacobian product of Jacobians",
            ["Jacobian", "vector-Jacobian product"],
            [
                ("vector-Jacobian product", "vector-Jacobian product"),
                ("Jacobian", "Jacobians"),
            ],
        ),
        (
            "Vector Jacobian products",
            ["Jacobian", "vector-Jacobian product"],
            [("vector-Jacobian product", "Vector Jacobian products")],
        ),
        (
            "Transformations transform",
            ["transform", "transformation"],
            [("transformation", "Transformations"), ("transform", "transform")],
        ),
        ("nothing", [], []),
    ],
)
def test_of_several_terms_the_longest_is_found(
    text: str, terms: list[str], expected: list[tuple[str, str]]
) -> None:
    assert found_in(text, *terms) == expected


def test_a_pattern_of_nothing_finds_nothing() -> None:
    assert pattern_of([]).findall("any word at all") == []
    assert Glossary().mentions("any word at all") == ()
    assert list(Glossary().misuses((), "任何译文")) == []


@pytest.mark.parametrize(
    ("rendering", "chinese", "expected"),
    [
        ("切向量（tangent）", "这是切向量。", True),
        ("切向量（tangent）", "这是切线。", False),
        ("即时（JIT）编译", "即时（JIT）编译很快", True),
        ("即时（JIT）编译", "**即时**编译很快", True),
        ("JIT 编译", "jit编译", True),
        ("对…做 JIT 编译", "对函数 `f` 做 JIT 编译", True),
        ("对…做 JIT 编译", "做 JIT 编译，对的", False),
        ("雅可比-向量积", "雅可比向量积", True),
        ("抽象值", "抽象的值", True),
        ("叶节点", "叶（例如数）节点", False),
        ("pytree", "一个 PyTree", True),
        ("lowering", "下降（lowering）", True),
    ],
)
def test_has_a_rendering(rendering: str, chinese: str, expected: bool) -> None:
    term = Term(english="x", renderings=(Rendering(rendering),))
    assert term.is_rendered_in(as_plain(chinese)) is expected


def test_rows_with_one_source_are_one_term() -> None:
    (term,) = glossary_of(
        "trace,跟踪,verb advice,One word",
        "trace,追踪,avoid,",
        "trace,踪迹,or,Of feet",
        "trace,痕迹,or 2,",
    ).terms
    assert [rendering.text for rendering in term.renderings] == ["跟踪", "踪迹", "痕迹"]
    assert [rendering.text for rendering in term.avoided] == ["追踪"]
    assert (term.is_verb, term.weight, term.note) == (True, Severity.NOTE, "One word")


def test_a_file_that_weblate_wrote_is_read() -> None:
    rows = (
        '"Source","context","fuzzy","target","location"',
        '"a ""b""","","False","甲","x:1"',
        '"c","allow","","乙",""',
        '"d","","True","",""',
    )
    text = "\ufeff" + "".join(f"{row}\r\n" for row in rows)
    glossary = read_glossary(text, where="x.csv")
    assert translations(glossary) == {'a "b"': ["甲"], "c": ["乙"]}
    assert [term.weight for term in glossary.terms] == [Severity.WARNING, None]


@pytest.mark.parametrize(
    ("text", "line", "what", "hint"),
    [
        ("", 1, "columns", "source,target,context"),
        ("english,chinese\na,b\n", 1, "columns", "source,target,context"),
        (f"{HEAD}a,甲,,\n,乙,,\n", 3, "no English term", "delete the row"),
        (f"{HEAD}a,甲,verp,\n", 2, "“verp” is unknown", "“verb”"),
        (f"{HEAD}a,（a）,,\n", 2, "has no word", "outside of the brackets"),
        (f"{HEAD}a,的,,\n", 2, "has no word", "outside of the brackets"),
        (f"{HEAD}a,甲,,x, y\n", 2, "more fields", "quotation marks"),
        (
            f"{HEAD}a,甲,,\nb,乙,,\na,丙,,\n",
            4,
            "repeats “a”",
            "line 2, for example “or 2”",
        ),
        (f"{HEAD}a,甲,avoid,\n", 2, "only renderings to avoid", "Add a row"),
        (f'{HEAD}a,"甲"乙,,\n', 2, "not CSV", "quotation mark"),
        (f'{HEAD}a,甲\n\nb,"甲,,\n\n\n', 4, "not CSV", "quotation mark"),
    ],
)
def test_a_faulty_file_is_refused(text: str, line: int, what: str, hint: str) -> None:
    with pytest.raises(InputError) as error:
        read_glossary(text, where="zh_CN.csv")
    assert error.value.where == f"zh_CN.csv:{line}"
    assert what in error.value.what
    assert hint in error.value.hint


@given(st.text(alphabet='a甲,"（）…的 \n\r\0', max_size=40))
def test_any_text_is_a_glossary_or_is_refused(rows: str) -> None:
    try:
        glossary = read_glossary(HEAD + rows, where="zh_CN.csv")
    except InputError as error:
        assert error.where.startswith("zh_CN.csv:")
    else:
        list(glossary.misuses(glossary.mentions("a aa"), "甲的"))


def test_an_entry_with_a_context_may_differ_from_others() -> None:
    first = Subject(Entry(msgid="Key", msgstr="密钥"), "a")
    other = Entry(msgid="Key", msgstr="键")
    (problem,) = find_inconsistent([first, Subject(other, "b")])
    assert problem.index == 1
    dicts = Subject(replace(other, context="Dicts"), "b")
    assert list(find_inconsistent([first, dicts])) == []


def test_a_word_is_not_avoided_where_each_mention_is_rendered() -> None:
    rules = glossary_of("derivative,导数,,", "derivative,倒数,avoid,")
    mentions = rules.mentions("The derivative, from the last layer on.")
    assert list(rules.misuses(mentions, "从倒数第一层起的导数。")) == []
    (misuse,) = rules.misuses(mentions, "从倒数第一层起。")
    assert misuse.spans == ((1, 3),)


def test_the_other_places_are_named() -> None:
    heading = "A long heading that goes on and on and on"
    pages = [
        Subject(Entry(msgid=heading, msgstr=text), page)
        for page, text in zip("abcd", "甲甲乙甲", strict=True)
    ]
    (problem,) = find_inconsistent(pages)
    assert problem.index == 2
    assert problem.text.endswith("…” is “乙” here, but “甲” in a, b, d")


def test_the_glossary_is_plain_enough_for_every_reader() -> None:
    """Weblate guesses how the fields are set apart.

    It errs as soon as one of them holds a comma or a quotation mark.
    """
    text = FILE.read_text(encoding="utf-8")
    assert '"' not in text
    assert "'" not in text
    assert all(line.count(",") == 3 for line in text.removesuffix("\n").split("\n"))
    assert read_glossary(text, where=FILE.name).terms


def test_weblate_reads_the_glossary_as_we_do_and_we_read_what_it_writes() -> None:
    csvl10n = pytest.importorskip("translate.storage.csvl10n")
    text = FILE.read_text(encoding="utf-8")
    theirs = csvl10n.csvfile(io.BytesIO(text.encode()))
    rows = list(csv.reader(io.StringIO(text)))[1:]
    assert [
        [unit.source, unit.target, unit.context, unit.translator_comments] for unit in theirs.units
    ] == rows
    assert len({unit.getid() for unit in theirs.units}) == len(rows)
    ours, again = (
        [(term.english, term.renderings, term.avoided) for term in glossary.terms]
        for glossary in (
            read_glossary(written, where="x.csv") for written in (text, bytes(theirs).decode())
        )
    )
    assert ours == again


def test_a_term_without_end_is_told_with_its_line() -> None:
    with pytest.raises(InputError, match="has a term of 101 characters") as caught:
        glossary_of("trace,跟踪,,", f"{'ab' * 50}c,译,,")
    assert caught.value.where == "zh_CN.csv:3"


def test_the_longest_term_is_found() -> None:
    # Each of them makes the pattern of all terms as deep as it is long.
    terms = ["ab" * 50, "a " * 49 + "b", "ab" * 49 + "c"]
    glossary = glossary_of(*(f"{term},译,verb," for term in terms))
    for term in terms:
        assert [found.words for found in glossary.mentions(f"See {term}.")] == [term]


def test_the_terms_of_one_upstream_stand_before_those_of_all() -> None:
    shared = glossary_of("array,数组,,", "trace,跟踪,,")
    extended = shared.extended(glossary_of("array,阵列,,", "hull,船体,,"))
    expected = {"array": ["阵列"], "trace": ["跟踪"], "hull": ["船体"]}
    assert translations(extended) == expected
    assert translations(shared.extended(Glossary())) == translations(shared)


def test_a_later_file_stands_before_an_earlier_one() -> None:
    earlier = ("all.csv", f"{HEAD}array,数组,,\ntrace,跟踪,,\n".encode())
    glossary = read_glossaries([earlier, ("one.csv", f"{HEAD}array,阵列,,\n".encode())])
    assert glossary
    assert translations(glossary) == {"array": ["阵列"], "trace": ["跟踪"]}
    assert read_glossaries([]) is None


def test_broken_bytes_of_a_glossary_are_a_term_that_nobody_uses() -> None:
    glossary = read_glossaries([("all.csv", HEAD.encode() + b"arr\xffay,x,,\n")])
    assert glossary
    assert translations(glossary) == {"arr\ufffday": ["x"]}
