"""What counts as words, and how payloads of data URIs come and go."""

from __future__ import annotations

import pytest

from pipeline.core.document import prose
from pipeline.core.document.message import Markup

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


WORDLESS_RST = (
    "``some code``¦:func:`some.name`¦|some name|¦`Some Title`_¦https://example.org/some/page¦1 + 1"
).split("¦")
MYST, RST = Markup.MARKDOWN, Markup.RST
EACH_WORDLESS = [
    *((text, MYST) for text in WORDLESS),
    *((text, RST) for text in WORDLESS_RST),
]
EACH_WORDY = [*((text, MYST) for text in WORDY), ("`the page <a.html>`_", RST)]


@pytest.mark.parametrize(("text", "markup"), EACH_WORDLESS)
def test_marks_numbers_and_code_are_no_words(text: str, markup: Markup) -> None:
    assert not prose.has_words(text, markup)


@pytest.mark.parametrize(("text", "markup"), EACH_WORDY)
def test_letters_of_any_script_are_words(text: str, markup: Markup) -> None:
    assert prose.has_words(text, markup)
    assert prose.count_words(text, markup) > 0


@pytest.mark.parametrize(
    ("text", "markup", "count"),
    [
        ("Two words", MYST, 2),
        ("It's one's own", MYST, 3),
        ("well-known", MYST, 1),
        ("JAX 0.10", MYST, 3),
        ("两个字符", MYST, 4),
        ("用 JAX 写的", MYST, 4),
        ("Call `jax.jit` on $f(x)$ [here](https://example.org)", MYST, 3),
        ("_under_ scores", MYST, 2),
        ("", MYST, 0),
        ("1 + 1", RST, 2),
        ("见 `这一页 <a.html>`_ of ``b``", RST, 5),
    ],
)
def test_words_are_counted_without_code_and_links(text: str, markup: Markup, count: int) -> None:
    assert prose.count_words(text, markup) == count


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("data:#2 data:#1", f"{OTHER} {PAYLOAD}"),  # they may change places
        *(
            (f"data:#{number}", f"data:#{number}")
            for number in ("0", "3", "9", "00", "99999999999999999999")
        ),
    ],
)
def test_only_numbers_once_given_become_payloads(text: str, shown: str) -> None:
    assert prose.show_payloads(text, (PAYLOAD, OTHER)) == shown


def test_placeholder_of_english_itself_is_no_payload() -> None:
    assert prose.show_payloads("write data:#1 so", ()) == "write data:#1 so"


def test_atoms_are_replaced_in_their_places() -> None:
    text = "Use `a` and $b$."
    replaced = prose.replace_atoms(text, lambda atom: "#" * len(atom))
    assert replaced == "Use ### and ###."
    assert prose.replace_atoms("no atoms", str.upper) == "no atoms"


@pytest.mark.parametrize(
    ("text", "markup", "atoms"),
    [
        ("Use `a` and $b$.", MYST, ["`a`", "$b$"]),
        ("`a`_ Name_ x_y __init__ [1]_ \\`b\\`", RST, ["`a`_", "Name_", "[1]_"]),
    ],
)
def test_atoms_are_listed_in_order(text: str, markup: Markup, atoms: list[str]) -> None:
    assert prose.atoms_of(text, markup) == atoms


def test_the_words_of_a_link_are_not_masked() -> None:
    text = "see `the page <a.html>`_ and `this`__ now"
    assert prose.mask(text, RST).split() == "see the page and this now".split()
