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


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        (" The `jit` *decorator* ", "The jit decorator"),
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


PURE = "# Pure Functions!\n"


@pytest.mark.parametrize(
    ("texts", "linked", "expected"),
    [
        # Only headings that are linked to get an anchor.
        (
            ["# First\n\nwords\n\n## Second part\n"],
            ["second-part", "nowhere", "words"],
            {(0, 2): "second-part"},
        ),
        (["# First\n"], [], {}),
        # Headings that occur again are numbered.
        (
            ["# Part\n\n# Part\n", "# Part\n"],
            ["part-1", "part-2"],
            {(0, 1): "part-1", (1, 0): "part-2"},
        ),
        # Anchors as Jupyter makes them.
        ([PURE], ["Pure-Functions!", "Pure-Functions"], {}),
        ([PURE.replace("!", "")], ["Pure-Functions"], {(0, 0): "Pure-Functions"}),
        # Headings that have their target need none, and those in containers get none.
        (["(first)=\n# First\n"], ["first"], {}),
        (['<a id="first"></a>\n\n# First\n'], ["first"], {}),
        (['<a name="first"></a>\n\n# First\n'], ["first"], {}),
        (["> # First\n\n- # Second\n"], ["first", "second"], {}),
    ],
)
def test_linked_headings_get_an_anchor(
    texts: list[str], linked: list[str], expected: dict[tuple[int, int], str]
) -> None:
    splits = [split_text(text) for text in texts]
    assert anchors.plan_targets(splits, frozenset(linked)) == expected


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
def test_an_anchor_is_inserted_above_its_heading(text: str, notebook: bool, expected: str) -> None:
    message = split_text(text).messages[-1]
    edit = anchors.target_edit(text, message, "first", notebook=notebook)
    assert splice.splice(text, [edit]) == expected
