"""English anchors that links point to outlive the translation of their headings."""

from __future__ import annotations

import pytest

from pipeline.core.document import splice
from pipeline.core.document.markdown import anchors
from pipeline.core.document.markdown.splitter import split_text


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Pure functions", "pure-functions"),
        ("What's new in 0.10?", "whats-new-in-010"),
        ("The `jit` *decorator*", "the-jit-decorator"),
        ("See [the guide](a.md#b) **now**", "see-the-guide-now"),
        ("{func}`jax.grad` & more", "jaxgrad--more"),
        ("snake_case stays", "snake_case-stays"),
        ("_Stressed_ words", "stressed-words"),
        ("<b>Bold</b> words", "bold-words"),
        ("纯函数", "纯函数"),
        ("Già visto", "già-visto"),
        ("  ", ""),
    ],
)
def test_a_slug_is_what_myst_makes_of_a_title(title: str, slug: str) -> None:
    assert anchors.slug(title) == slug


def test_a_title_is_taken_without_its_markup() -> None:
    assert anchors.plain_title(" The `jit` *decorator* ") == "The jit decorator"


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        (r"The \<img src=x\> \*tag\*", "The <img src=x> *tag*"),
        ("The &lt;img&gt; tag", "The <img> tag"),
        ("The `<img>` tag", "The <img> tag"),
        (r"A `\*` and a\b", r"A \* and a\b"),
        ("The <img> tag", "The  tag"),
    ],
)
def test_a_title_shows_what_is_escaped_in_it(title: str, plain: str) -> None:
    assert anchors.plain_title(title) == plain


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("a", "no links", {}),
        ("a", "a # sign alone", {}),
        ("a", "[x](#here)", {"a": {"here"}}),
        (
            "d/a",
            "[x](b.md#there) [y](../c.ipynb#Else-Where)",
            {"d/b": {"there"}, "c": {"Else-Where"}},
        ),
        ("a", '[x](<b.md#there>) [y](b.html#more "title")', {"b": {"there", "more"}}),
        ("a", "[x]: b.md#there\n[y]: <#here>", {"b": {"there"}, "a": {"here"}}),
        (
            "a",
            "<a href=\"#here\">x</a> <a href='b.html#there'>",
            {"a": {"here"}, "b": {"there"}},
        ),
        ("a", "[x](https://example.org/#there)", {}),
        (
            "a",
            "`x <b.html#there>`_ and `y <#here>`__ [z](c.rst#else)",
            {"b": {"there"}, "a": {"here"}, "c": {"else"}},
        ),
        ("a", "a <b.html#there> alone", {}),
    ],
)
def test_anchors_that_links_lead_to_are_found(
    page: str, text: str, expected: dict[str, set[str]]
) -> None:
    assert anchors.linked_anchors([(page, text)]) == expected


def plan(*texts: str, linked: tuple[str, ...]) -> dict[tuple[int, int], str]:
    return anchors.plan_targets([split_text(text) for text in texts], frozenset(linked))


def test_only_headings_that_are_linked_to_get_an_anchor() -> None:
    assert plan(
        "# First\n\nwords\n\n## Second part\n",
        linked=("second-part", "nowhere", "words"),
    ) == {(0, 2): "second-part"}
    assert plan("# First\n", linked=()) == {}


def test_headings_that_occur_again_are_numbered() -> None:
    assert plan("# Part\n\n# Part\n", "# Part\n", linked=("part-1", "part-2")) == {
        (0, 1): "part-1",
        (1, 0): "part-2",
    }


def test_anchors_as_jupyter_makes_them() -> None:
    assert (
        plan("# Pure Functions!\n", linked=("Pure-Functions!", "Pure-Functions")) == {}
    )
    assert plan("# Pure Functions\n", linked=("Pure-Functions",)) == {
        (0, 0): "Pure-Functions"
    }


@pytest.mark.parametrize(
    "target",
    [
        "(first)=\n# First\n",
        '<a id="first"></a>\n\n# First\n',
        '<a name="first"></a>\n\n# First\n',
    ],
)
def test_headings_that_have_their_target_need_none(target: str) -> None:
    assert plan(target, linked=("first",)) == {}


def test_headings_in_containers_get_none() -> None:
    assert plan("> # First\n\n- # Second\n", linked=("first", "second")) == {}


@pytest.mark.parametrize(
    ("text", "notebook", "expected"),
    [
        ("# First\n", False, "(first)=\n# First\n"),
        ("words\n\n  # First #\r\n", False, "words\n\n(first)=\n  # First #\r\n"),
        ("First\n===\n", False, "(first)=\nFirst\n===\n"),
        ("# First", True, '<a id="first"></a>\n\n# First'),
        ("words\n\n# First", True, 'words\n\n<a id="first"></a>\n\n# First'),
        ("words\n# First", True, 'words\n\n<a id="first"></a>\n\n# First'),
        ("words\r# First", True, 'words\r\r<a id="first"></a>\r\r# First'),
    ],
)
def test_an_anchor_is_inserted_above_its_heading(
    text: str, notebook: bool, expected: str
) -> None:
    split = split_text(text)
    message = split.messages[-1]
    assert (
        splice.splice(
            text, [anchors.target_edit(text, message, "first", notebook=notebook)]
        )
        == expected
    )
