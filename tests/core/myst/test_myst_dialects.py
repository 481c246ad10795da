"""Markdown of mkdocs and of Jekyll: every block of prose is a message, and nothing else changes."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.catalog.wanted import wanted_entries
from pipeline.core.checks.base import Subject
from pipeline.core.checks.run import fix_entry, run_checks
from pipeline.core.document import prose
from pipeline.core.document.compose import merge
from pipeline.core.document.liquid import difference, tags_of
from pipeline.core.document.message import Markup
from pipeline.core.document.read import read_document
from pipeline.core.myst.converting import to_myst
from pipeline.findings import Severity
from pipeline.reading import Dialect, Reading

# What stands on the page, and the words that are messages.
MKDOCS = {
    "an object of the API ends with its options": (
        "::: lamp.Lamp\n    options:\n        members: on\n\nWords behind it.\n",
        ["Words behind it."],
    ),
    "an admonition": (
        '!!! note "A title here"\n\n    Words inside.\n\n    - An item.\n\nWords after.\n',
        ["A title here", "Words inside.", "An item.", "Words after."],
    ),
    "one without a title, in another": (
        "!!! tip\n    Words outside.\n\n    ??? danger inline\n        Words inside.\n",
        ["Words outside.", "Words inside."],
    ),
    "tabs with code": (
        '=== "On a lamp"\n\n    ```\n    x = 1\n    ```\n\n=== "In the sun"\n    Some words.\n',
        ["On a lamp", "In the sun", "Some words."],
    ),
    "a title of no words": ('!!! note "1.2"\n    Some words.\n', ["Some words."]),
    "an empty block at the end": ("Words.\n\n!!! note", ["Words."]),
    "in a list": (
        "1. An item.\n\n    !!! note\n        Words inside.\n",
        ["An item.", "Words inside."],
    ),
    "in a quote": ("> !!! note\n>     Words inside.\n", ["Words inside."]),
    "a file of elsewhere": ('--8<-- "there.md"\n\nSome words.\n', ["Some words."]),
    "indented code stays code": ("Words.\n\n    !!! note\n", ["Words."]),
    "an underline is no tab": (
        "Some words\n===\n\nMore words.\n",
        ["Some words", "More words."],
    ),
    "a mark ends a paragraph": (
        "Some words.\n!!! note\n    More words.\n",
        ["Some words.", "More words."],
    ),
}
JEKYLL = {
    "code": (
        "{% highlight python %}\nsome words\n{% endhighlight %}\n\nWords.\n",
        ["Words."],
    ),
    "raw": ("{% raw %}\n{{ some words }}\n{% endraw %}\nWords.\n", ["Words."]),
    "tags on their own": (
        "{% if a\n  or b %}\nSome words.\n{% endif %}\n",
        ["Some words."],
    ),
    "in a line": ("Some {% cite lamp %} words.\n", ["Some {% cite lamp %} words."]),
    "words behind a tag at the start of a line": (
        "{% cite lamp %} shows\nmore words.\n\n{% include lamp.html %}\n",
        ["{% cite lamp %} shows more words."],
    ),
    "a tag for words on a line within a paragraph": (
        "Some words\n{% cite lamp %}\ngo on.\n",
        ["Some words {% cite lamp %} go on."],
    ),
    "variables in a heading": ("# The {{ page.title }}\n", ["The {{ page.title }}"]),
    "links and tags of HTML": (
        '[One]({{ "/a" | url }}) <a href="{{ "/b" | url }}">two</a>\n',
        ['[One]({{ "/a" | url }}) <a href="{{ "/b" | url }}">two</a>'],
    ),
    "a table": (
        "| a | b |\n|--|--|\n| {{ a | b }} word | {% if a > b %}more{% endif %} |\n",
        ["{{ a | b }} word", "{% if a > b %}more{% endif %}"],
    ),
    "in a quote over two lines": (
        "> Words {% a\n> b %} end.\n",
        ["Words {% a b %} end."],
    ),
    "marks of blocks in a tag": (
        "Words {% a\n- b %} end.\n",
        ["Words {% a - b %} end."],
    ),
    "nothing but variables": ("{{ content }} {% cite lamp %}\n", []),
    "white space is taken away": (
        "{%- for a in b -%}\nSome words.\n{%- endfor -%}\n",
        ["Some words."],
    ),
    "prose that is captured": (
        "{% capture a %}\nSome words.\n{% endcapture %}\n",
        ["Some words."],
    ),
    "raw with prose in it": (
        "{% raw %}\nSome words.\n{% endraw %}\n",
        ["Some words."],
    ),
    "two tags on a line": (
        "{% if a %} {% include b %}\nSome words.\n{% endif %}\n",
        ["Some words."],
    ),
    "a comment that goes on": (
        "{% comment %}\nnot\n\nshown\n{% endcomment %}\nSome words.\n",
        ["Some words."],
    ),
    "a block of their own": (
        "{% lamp on %}\nSome words.\n{% endlamp %}\n",
        ["Some words."],
    ),
    "words of a figure": (
        '{% include figure.html class="very wide"\n   caption=" A lamp "\n   alt=\'Light\' %}\n',
        ["A lamp", "Light"],
    ),
    "an image and its address": (
        "![A lamp here]({{ site.url }}/a.png)\n",
        ["A lamp here"],
    ),
    "another image": (
        '<img src="{{ "/a" | url }}" alt="A lamp here">\n',
        ["A lamp here"],
    ),
    "a definition": ("[a]: {{ site.baseurl }}/b\n\nSome words.\n", ["Some words."]),
    "what no block closes": (
        "Some {% words\n\nand {{ more\n",
        ["Some {% words", "and {{ more"],
    ),
    "a fence ends it too": ("Some {{ words\n```\n}}\n```\n", ["Some {{ words"]),
    "characters of private use": (
        "Some \U000f0041 and \U000f1234 {{ a\U0001f600 }} words.\n",
        ["Some \U000f0041 and \U000f1234 {{ a\U0001f600 }} words."],
    ),
    "one that nothing closes": (
        "{% comment %}\nSome words.\n",
        ["{% comment %} Some words."],
    ),
    "attributes": ("{: .note }\n> Some words.\n", ["Some words."]),
    "attributes end a paragraph": ("Some words.\n{: .note }\n", ["Some words."]),
    "a paragraph ends": ("Some words.\n{% include lamp.html %}\n", ["Some words."]),
    "colons are words": ("::: some words\n", ["::: some words"]),
}
CASES = [
    *((Dialect.MKDOCS, *case) for case in MKDOCS.values()),
    *((Dialect.JEKYLL, *case) for case in JEKYLL.values()),
    (Dialect.COMMONMARK, "Some $a$ words\n: more\n", ["Some $a$ words : more"]),
]


@pytest.mark.parametrize(("dialect", "text", "words"), CASES)
def test_prose_is_a_message_and_the_form_stays(
    dialect: Dialect, text: str, words: list[str]
) -> None:
    document = read_document("a.md", text.encode(), Reading(dialect=dialect))
    msgids = [message.msgid for _, message in document.messages()]
    assert msgids == words
    assert merge(document, {}).data == text.encode()
    merged = merge(document, {msgid: f"字 {msgid}" for msgid in msgids})
    assert merged.rejected == ()
    assert len(merged.blocks) == len(words)
    expected = text
    for word in words:
        if word in text:
            expected = expected.replace(word, f"字 {word}", 1)
    if all(word in text for word in words):
        assert merged.data.decode() == expected


LIQUID = "See [it]({% link a.md %}) in {{ site.title }}, {% if a %}or{% endif %} so."


@pytest.mark.parametrize(
    ("translation", "told"),
    [
        ("{% if a %}或{% endif %} {{ site.title }} 中[它]({% link a.md %})。", ""),
        (
            "见[它]({% link b.md %}) {{ site.title }} {% if a %}或{% endif %}",
            "adds Liquid “{% link b.md %}”; lacks Liquid “{% link a.md %}”",
        ),
        (
            "见[它]({% link a.md %}) {{site.title}} {% if a %}或{% endif %}",
            "adds Liquid “{{site.title}}”; lacks Liquid “{{ site.title }}”",
        ),
        (
            "见[它]({% link a.md %}) 中 {% if a %}或{% endif %}",
            "lacks Liquid “{{ site.title }}”",
        ),
        (
            "见[它]({% link a.md %}) {{ site.title }} {% if a %}或{% endif %} {{ a }}",
            "adds Liquid “{{ a }}”",
        ),
        (
            "见[它]({% link a.md %}) {{ site.title }} {% endif %}或{% if a %}",
            "has the Liquid tags in another order, in which they mean something else",
        ),
        (
            "见[它]({{ site.title }}) {% link a.md %} {% if a %}或{% endif %}",
            "adds link target “{{ site.title }}”",
        ),
    ],
)
def test_tags_are_kept_letter_by_letter(translation: str, told: str) -> None:
    document = read_document("a.md", LIQUID.encode(), Reading(dialect=Dialect.JEKYLL))
    merged = merge(document, {LIQUID: translation})
    texts = [rejected.refusal.text for rejected in merged.rejected]
    assert texts == ([told] if told else [])
    # The check, which sees the catalogue alone, says the same.
    (entry,) = wanted_entries("a", [document])
    subject = Subject(replace(entry, msgstr=translation), "a")
    assert subject.markup is Markup.MARKDOWN
    problems = run_checks({"a": [subject]})
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    guards = [problem.text for problem in errors if problem.code == "G104"]
    assert guards == ([f"the translation {told}"] if told else [])
    assert bool(errors) == bool(told)
    assert not any(char >= "\U000f0000" for text in map(str, problems) for char in text)


def test_a_fix_leaves_tags_as_they_are() -> None:
    english = 'Use {{ a | b: "c" }} `now`, please.'
    document = read_document("a.md", english.encode(), Reading(dialect=Dialect.JEKYLL))
    (entry,) = wanted_entries("a", [document])
    assert entry.notes[0] == "paragraph (Liquid)"
    subject = Subject(replace(entry, msgstr='请用{{ a | b: "c" }} `now`,谢谢.'), "a")
    mended = fix_entry(subject)
    assert mended == '请用{{ a | b: "c" }} `now`，谢谢。'
    problems = run_checks({"a": [subject]})
    assert {problem.fix for problem in problems} - {None} != set()
    assert all('{{ a | b: "c" }}' in (problem.fix or english) for problem in problems)
    assert prose.count_words(english, Markup.LIQUID) == 2
    assert prose.atoms_of(english, Markup.LIQUID) == ['{{ a | b: "c" }}', "`now`"]


def test_raw_text_keeps_what_stands_in_it() -> None:
    whole = "Write {% raw %}{{ a }} {%{% endraw %} here."
    assert tags_of(whole) == ["{% raw %}{{ a }} {%{% endraw %}"]
    words = "{% raw %}Write {{ a }} or {{ here{% endraw %} }}."
    assert tags_of(words) == ["{% raw %}", "{{ a }}", "{{", "{% endraw %}"]
    moved = difference(words, "{{ a }}{% raw %}写 {{ 这里{% endraw %} }}。")
    assert moved is not None
    assert moved.is_reordered
    assert difference("{{ a }} {{ b }}", "{{ b }} {{ a }}") is None


def test_words_within_tags_are_told() -> None:
    text = """Some words {% include a.html caption="A lamp" %} here.

{% details Some words %}
Inside.
{% enddetails %}

{% include a.html caption="A lamp
  on two lines" note="some more words" %}

{% if a contains "some words" %}{% assign b = "c" %}

<p>{{ "Some words" | b }}</p>

More words {% aside Some words %} here.
"""
    document = read_document("a.md", text.encode(), Reading(dialect=Dialect.JEKYLL))
    lines = [line for line, _ in document.units[0].split.unsafe]
    assert lines == [1, 3, 7, 8, 12, 14]
    assert [message.msgid for _, message in document.messages()] == [
        'Some words {% include a.html caption="A lamp" %} here.',
        "Inside.",
        "More words {% aside Some words %} here.",
    ]
    merged = merge(document, {"Inside.": "里面。"})
    assert merged.data.decode() == text.replace("Inside.", "里面。")


@pytest.mark.parametrize(
    "translation", ['灯" class="b', "灯 %} {% b", "灯 {{ a }}", "灯\n笼"]
)
def test_a_caption_stays_within_its_quotes(translation: str) -> None:
    text = b'{% include a.html caption="A lamp" %}\n'
    document = read_document("a.md", text, Reading(dialect=Dialect.JEKYLL))
    merged = merge(document, {"A lamp": translation})
    assert (len(merged.rejected), merged.data) == (1, text)


def test_tags_across_blocks_are_compared_as_well() -> None:
    text = "Some {% words\n\nand %} more.\n"
    document = read_document("a.md", text.encode(), Reading(dialect=Dialect.JEKYLL))
    merged = merge(document, {"and %} more.": "更多", "Some {% words": "一些 {% 词"})
    assert merged.data.decode() == "一些 {% 词\n\nand %} more.\n"
    assert [rejected.refusal.code for rejected in merged.rejected] == ["G105"]
    broken = merge(document, {"Some {% words": "一些"})
    assert [rejected.refusal.code for rejected in broken.rejected] == ["G104"]


def test_a_block_of_html_with_tags() -> None:
    text = '<div class="{{ "a > b" }}">Some {{ "<b>" }} words</div>\n'
    document = read_document("a.md", text.encode(), Reading(dialect=Dialect.JEKYLL))
    (message,) = [message for _, message in document.messages()]
    translation = '<div class="{{ "a > b" }}">一些词 {{ "<b>" }}</div>'
    merged = merge(document, {message.msgid: translation})
    assert merged.data.decode() == f"{translation}\n"
    broken = merge(document, {message.msgid: translation.replace(" class", " id")})
    (rejected,) = broken.rejected
    assert rejected.refusal.text == (
        'adds HTML “<div id="{{ "a > b" }}">”; lacks HTML “<div class="{{ "a > b" }}">”'
    )


def test_in_other_dialects_tags_are_text() -> None:
    text = b"Words {% a %} and {{ b }}.\n\n{% include c %}\n"
    for dialect in set(Dialect) - {Dialect.JEKYLL}:
        document = read_document("a.md", text, Reading(dialect=dialect))
        messages = [message for _, message in document.messages()]
        assert [message.msgid for message in messages] == [
            "Words {% a %} and {{ b }}.",
            "{% include c %}",
        ]
        assert {message.markup for message in messages} == {Markup.MARKDOWN}
        merged = merge(document, {"{% include c %}": "{% include 丙 %}"})
        assert "丙" in merged.data.decode()
        assert to_myst(text.decode(), dialect) == text.decode()


def test_tags_are_read_in_linear_time() -> None:
    for piece in (
        "{{ ",
        "{% a ",
        "{% raw %} a ",
        "{% comment %}\n",
        "{% a\n",
        "{% a %}",
    ):
        text = piece * 3000
        started = time.process_time()
        read_document("a.md", text.encode(), Reading(dialect=Dialect.JEKYLL))
        assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "translation", ["!!! note", "::: lamp", '=== "字"', "{% raw %}", "字\n    !!! note"]
)
def test_a_translation_makes_no_block(translation: str) -> None:
    for dialect in (Dialect.MKDOCS, Dialect.JEKYLL):
        text = b"Some words.\n\nMore words.\n"
        document = read_document("a.md", text, Reading(dialect=dialect))
        merged = merge(document, {"Some words.": translation})
        again = read_document("a.md", merged.data, Reading(dialect=dialect))
        assert [kind for _, kind in again.units[0].split.skeleton] == [
            kind for _, kind in document.units[0].split.skeleton
        ]


@given(st.text(alphabet='!?=:{}%"- \n>a1', max_size=60))
def test_any_text_is_read_and_given_back(text: str) -> None:
    for dialect in Dialect:
        document = read_document("a.md", text.encode(), Reading(dialect=dialect))
        assert merge(document, {}).data == text.encode()
        to_myst(text, dialect)


def test_directives_of_their_own_hold_prose() -> None:
    text = b"```{lamp} A title\n:label: on\n\nSome words.\n```\n"
    known = Reading(prose=frozenset(["lamp"]))
    document = read_document("a.md", text, known)
    assert [message.msgid for _, message in document.messages()] == [
        "A title",
        "Some words.",
    ]
    unknown = read_document("a.md", text)
    assert list(unknown.messages()) == []
    assert len(unknown.units[0].split.unsafe) == 1


def test_blocks_nested_without_end_are_told() -> None:
    lines = [f"{'    ' * depth}!!! note" for depth in range(40)]
    text = "\n".join([*lines, f"{'    ' * 40}Some words."])
    document = read_document("a.md", text.encode(), Reading(dialect=Dialect.MKDOCS))
    assert document.units[0].split.unsafe
    assert merge(document, {}).data == text.encode()


def test_pages_as_myst() -> None:
    text = """!!! note "A title"

    Words.

    !!! tip
        More.

- Item

    ???+ danger "Folded"
        Inside.

=== "One"
    1

=== "Two"
    2

::: lamp.Lamp
    options: x

--8<-- "a.md"

!!! odd
    End.

??? tip
"""
    assert (
        to_myst(text, Dialect.MKDOCS)
        == """::::{admonition} A title
:class: note

Words.

:::{tip}

More.

:::

::::

- Item

    :::{dropdown} Folded
    :open:

    Inside.

    :::

::::{tab-set}

:::{tab-item} One

1

:::
:::{tab-item} Two

2

:::

::::

```{autofunction} lamp.Lamp
```


:::{admonition} Odd
:class: odd

End.

:::

:::{dropdown} Tip



:::
"""
    )
    assert to_myst(text, Dialect.MYST) == text
    shown = (
        '[a]({% link b/c.md %}) [b]({{ "/d" | relative_url }}) {{ site.baseurl }}/e '
        "{% raw %}{{ f }}{% endraw %} {{ site.title }} {% cite g %} {{\n"
    )
    assert (
        to_myst(shown, Dialect.JEKYLL)
        == "[a](/b/c.md) [b](/d) /e {{ f }} {{ site.title }}  {{\n"
    )
    code = (
        "Words.\n{% highlight python %}\nx = 1\n{% endhighlight %}\n"
        "{% raw %}\nx\n{% endraw %}\n{% lamp %}\n"
    )
    assert to_myst(code, Dialect.JEKYLL) == "Words.\n```python\nx = 1\n```\nx\n\n"
    tabs = '=== "One"\n    1\n\nWords.\n\n=== "Two"\n    2\n'
    assert to_myst(tabs, Dialect.MKDOCS).count("{tab-set}") == 2


def test_a_fence_that_swallows_words_is_told() -> None:
    text = b"# Title\n\n::: lamp.Lamp\n\nSome words.\n"
    document = read_document("a.md", text)
    assert [message.msgid for _, message in document.messages()] == ["Title"]
    ((line, reason),) = document.units[0].split.unsafe
    assert line == 3
    assert 'markdown = "mkdocs"' in reason


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("Words.\n", "Lid [a]", "\n# Lid \\[a\\]\n\nWords.\n"),
        ("# Own\n", "Lid", "# Own\n"),
        (
            "---\ntitle: Front\n---\nA\n",
            "Lid",
            "---\ntitle: Front\n---\n\n# Front\n\nA\n",
        ),
        ("---\ntags: x\n---\nA\n", "Lid", "---\ntags: x\n---\n\n# Lid\n\nA\n"),
        ("---\ndescription: x\n---\nA\n", "", "---\ndescription: x\n---\nA\n"),
    ],
)
def test_page_without_heading_gets_its_title(
    text: str, title: str, expected: str
) -> None:
    assert to_myst(text, Dialect.COMMONMARK, title=title) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('--8<-- "a.md"\n', "```{include} /a.md\n```\n"),
        (
            "--8<-- 'a.md:2:5'\n",
            "```{include} /a.md\n:start-line: 1\n:end-line: 5\n```\n",
        ),
        ('--8<-- "a.md:2"\n', "```{include} /a.md\n:start-line: 1\n```\n"),
        (
            '--8<-- "a.md::5"\n',
            "```{include} /a.md\n:start-line: 0\n:end-line: 5\n```\n",
        ),
        ('--8<-- "a.md:part"\n', ""),  # its marks would show
        ('--8<-- "gone.md"\n', ""),
        ("--8<-- a.md\n", ""),
        (
            '- x\n\n  ```python title="x"\n  --8<-- "a.py:2"\n  ```\n',
            "- x\n\n  ```{literalinclude} /a.py\n  :language: python\n  :lines: 2-\n  ```\n",
        ),
        (
            '~~~ py\n--8<-- "a.py:part"\n~~~\n',
            """```{literalinclude} /a.py
:language: py
:start-after: '[start:part]'
:end-before: '[end:part]'
```
""",
        ),
        ('```\n--8<-- "a.py"\n```\n', "```{literalinclude} /a.py\n```\n"),
        ('```py\n--8<-- "gone.py"\n```\n', '```py\n--8<-- "gone.py"\n```\n'),
        ('```py\n--8<-- "a.py"\nb\n```\n', '```py\n--8<-- "a.py"\nb\n```\n'),
    ],
)
def test_snippet_becomes_what_shows_the_file(text: str, expected: str) -> None:
    def find(name: str) -> str:
        return f"/{name}" if name in ("a.md", "a.py") else ""

    assert to_myst(text, Dialect.MKDOCS, find=find) == expected
