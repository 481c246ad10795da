"""What counts as words, and how payloads of data URIs come and go."""

from __future__ import annotations

import pytest

from pipeline.core.document import prose

PAYLOAD = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
OTHER = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAA="

WORDLESS = [
    "",
    "1 + 1 = 2",
    "x",
    "x_1 → y",
    "`some code`",
    "``some `code` here``",
    "{func}`some.function`",
    "{py:class}`text <some.Class>`",
    "$some math$",
    "$$some math$$",
    r"\begin{align} some math \end{align}",
    "\\begin{align*}\nsome $math$ `here`\n\\end{align*}",
    "![some image](some/file.png)",
    "![some image](file(1).png)",
    "![some image][some-label]",
    "[![some badge](https://example.org/a.svg)](https://example.org/page)",
    "<!-- some comment -->",
    '<img alt="some words">',
    "</span>",
    "<https://example.org/some/page>",
    "<mailto:someone@example.org>",
    "https://example.org/some/page",
    "{{ some_words }}",
    "[^some-mark]",
    "&nbsp; &#160; &ldquo;",
    "`a` $b$ ![c d](e) <br> {{ f }}",
]
WORDY = [
    "ok",
    "好",
    "一",
    "ひ",
    "한",
    "𠀀",
    "Größe",
    "some `code`",
    "[some link](https://example.org)",
    "[`code`](target) here",
    "**strong**",
    "unclosed `code",
    "`` unclosed ` code",
    r"escaped \$ dollar $",
    "a < b and words",
    r"\begin{align} x \end{equation}",
    r"\begin{a} x \end{a} and words",
]


@pytest.mark.parametrize("text", WORDLESS)
def test_marks_numbers_and_code_are_no_words(text: str) -> None:
    assert not prose.has_words(text)


@pytest.mark.parametrize("text", WORDY)
def test_letters_of_any_script_are_words(text: str) -> None:
    assert prose.has_words(text)
    assert prose.count_words(text) > 0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Two words", 2),
        ("It's one's own", 3),
        ("well-known", 1),
        ("JAX 0.10", 3),
        ("两个字符", 4),
        ("用 JAX 写的", 4),
        ("Call `jax.jit` on $f(x)$ [here](https://example.org)", 3),
        ("_under_ scores", 2),
        ("", 0),
    ],
)
def test_words_are_counted_without_code_and_links(text: str, count: int) -> None:
    assert prose.count_words(text) == count


def test_payloads_are_numbered_and_come_back() -> None:
    text = f"![a]({PAYLOAD}) and ![b]({OTHER}) and ![c]({PAYLOAD})"
    hidden, payloads = prose.hide_payloads(text)
    assert hidden == "![a](data:#1) and ![b](data:#2) and ![c](data:#3)"
    assert payloads == (PAYLOAD, OTHER, PAYLOAD)
    assert prose.show_payloads(hidden, payloads) == text


@pytest.mark.parametrize(
    "text", ["no URI", "data: as a word", "data:short", "data:text/plain,Hello%20World"]
)
def test_what_is_no_payload_stays(text: str) -> None:
    assert prose.hide_payloads(text) == (text, ())


def test_payloads_may_change_places() -> None:
    assert (
        prose.show_payloads("data:#2 data:#1", (PAYLOAD, OTHER)) == f"{OTHER} {PAYLOAD}"
    )


@pytest.mark.parametrize("number", ["0", "3", "9", "00", "99999999999999999999"])
def test_numbers_never_given_stay(number: str) -> None:
    assert prose.show_payloads(f"data:#{number}", (PAYLOAD, OTHER)) == f"data:#{number}"


def test_placeholder_of_english_itself_is_no_payload() -> None:
    assert prose.show_payloads("write data:#1 so", ()) == "write data:#1 so"


def test_atoms_are_replaced_in_their_places() -> None:
    assert (
        prose.replace_atoms("Use `a` and $b$.", lambda atom: "#" * len(atom))
        == "Use ### and ###."
    )
    assert prose.replace_atoms("no atoms", str.upper) == "no atoms"


def test_atoms_are_listed_in_order() -> None:
    assert prose.atoms_of("Use `a` and $b$.") == ["`a`", "$b$"]
