"""Samples of marks that are bound to their line or place, and the places to put them in.

An alert, attributes, a glossary or CSV counts lines. A translation must change only their words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import indent

from pipeline.reading import Dialect

MYST, MKDOCS, COMMONMARK = Dialect.MYST, Dialect.MKDOCS, Dialect.COMMONMARK
ALL = tuple(Dialect)
RST = ()


@dataclass(frozen=True)
class Kind:
    """A kind of mark: a sample, its words, and the sample with a 译 before each of these."""

    text: str
    words: Sequence[str]
    merged: str
    dialects: Sequence[Dialect] = ALL  # RST if it is reST


KINDS = {
    "alert": Kind(
        "> [!NOTE]\n> Apple words.\n",
        ["Apple words."],
        "> [!NOTE]\n> 译 Apple words.\n",
    ),
    "alert of several paragraphs": Kind(
        "> [!warning]\n> Apple\n> words.\n>\n> - River\n",
        ["Apple words.", "River"],
        "> [!warning]\n> 译 Apple words.\n>\n> - 译 River\n",
    ),
    "folded callout": Kind(
        "> [!tip]-\n>\n> Apple words.\n",
        ["Apple words."],
        "> [!tip]-\n>\n> 译 Apple words.\n",
    ),
    "attributes above": Kind(
        "{.red #pear}\nApple words.\n",
        ["Apple words."],
        "{.red #pear}\n译 Apple words.\n",
    ),
    "attributes below": Kind(
        "Apple words.\n{: .red }\n\nRiver\n",
        ["Apple words.", "River"],
        "译 Apple words.\n{: .red }\n\n译 River\n",
    ),
    "attributes of a heading": Kind(
        "## Apple {#pear}\n\nRiver\n",
        ["Apple {#pear}", "River"],
        "## 译 Apple {#pear}\n\n译 River\n",
    ),
    "attributes of a link": Kind(
        "An [apple](b.md){ .red } word.\n",
        ["An [apple](b.md){ .red } word."],
        "译 An [apple](b.md){ .red } word.\n",
    ),
    "glossary": Kind(
        "```{glossary}\napple : A\npear\n  A *river* and\n  a lake.\n\n  - Stone\n\n"
        ".. a comment\n\nsun\n  It shines.\n```\n",
        ["apple", "pear", "A *river* and a lake.", "Stone", "sun", "It shines."],
        "```{glossary}\n译 apple : A\napple\n译 pear\npear\n  译 A *river* and a lake.\n\n"
        "  - 译 Stone\n\n.. a comment\n\n译 sun\nsun\n  译 It shines.\n```\n",
        [MYST],
    ),
    "glossary with a comment at its end": Kind(
        "```{glossary}\napple\n  River\n\n.. a comment\n  goes on\n```\n",
        ["apple", "River"],
        "```{glossary}\n译 apple\napple\n  译 River\n\n.. a comment\n  goes on\n```\n",
        [MYST],
    ),
    "glossary of reST": Kind(
        ".. glossary::\n\n   apple : A\n   pear\n     A *river* and\n     a lake.\n",
        ["apple", "pear", "A *river* and a lake."],
        ".. glossary::\n\n   译 apple : A\n   apple\n   译 pear\n   pear\n"
        "     译 A *river* and a lake.\n",
        RST,
    ),
    "CSV": Kind(
        "```{csv-table} Stone\n:header: Apple, River 2\n:widths: 10, 20\n\n"
        'one, "a ""cell"", in short"\n`a`, two\n```\n',
        ["Stone", "Apple", "River 2", "one", 'a "cell", in short', "two"],
        "```{csv-table} 译 Stone\n:header: 译 Apple, 译 River 2\n:widths: 10, 20\n\n"
        '"译 one", "译 a ""cell"", in short"\n`a`, "译 two"\n```\n',
        [MYST],
    ),
    "CSV with semicolons": Kind(
        "```{csv-table}\n:delim: ;\n\none, two; 3\n```\n",
        ["one, two"],
        '```{csv-table}\n:delim: ;\n\n"译 one, two"; 3\n```\n',
        [MYST],
    ),
    "CSV of reST": Kind(
        ".. csv-table:: Stone\n   :header: Apple, River 2\n\n"
        '   one, "a ""cell"", in short"\n',
        ["Stone", "Apple", "River 2", "one", 'a "cell", in short'],
        '.. csv-table:: 译 Stone\n   :header: "译 Apple", "译 River 2"\n\n'
        '   "译 one", "译 a ""cell"", in short"\n',
        RST,
    ),
    "margin": Kind(
        "```{margin} Apple\nRiver words.\n```\n",
        ["Apple", "River words."],
        "```{margin} 译 Apple\n译 River words.\n```\n",
        [MYST],
    ),
    "margin of reST": Kind(
        ".. margin:: Apple\n\n   River words.\n",
        ["Apple", "River words."],
        ".. margin:: 译 Apple\n\n   译 River words.\n",
        RST,
    ),
    "index": Kind(
        "An {index}`apple pie` word.\n",
        ["An {index}`apple pie` word."],
        "译 An {index}`apple pie` word.\n",
        [MYST],
    ),
    "index of reST": Kind(
        "An :index:`apple pie` word.\n",
        ["An :index:`apple pie` word."],
        "译 An :index:`apple pie` word.\n",
        RST,
    ),
}


def _below(first: str, below: str) -> Callable[[str], str]:
    """Return a function that puts ``first`` before a text, and ``below`` before its other lines."""
    return lambda text: indent(text, below).replace(below, first, 1)


# Blocks around a sample, for Markdown and reST.
Frames = dict[str, tuple[Callable[[str], str], Callable[[str], str]]]
PLACES: Frames = {
    "page": (str, str),
    "list": (_below("- ", "  "), _below("* ", "  ")),
    "quote": (lambda text: indent(text, "> ", lambda _: True), _below("  ", "  ")),
    "item of a quote": (
        lambda text: indent(_below("- ", "  ")(text), "> ", lambda _: True),
        _below("  * ", "    "),
    ),
}
DIRECTIVES: Frames = {
    "directive": (
        lambda text: f"`````{{note}}\n{text}`````\n",
        lambda text: f".. note::\n\n{indent(text, '   ')}",
    ),
    "table of lists": (
        lambda text: f"`````{{list-table}}\n{_below('* - ', '    ')(text)}`````\n",
        lambda text: f".. list-table::\n\n{_below('   * - ', '       ')(text)}",
    ),
}
# Places that hold one line.
LINES: Frames = {
    "table": (lambda text: f"| 1 |\n|---|\n| {text.strip()} |\n", str),
    "heading": (lambda text: f"## {text}", str),
}


def rows() -> Iterable[tuple[str, str, str]]:
    """Yield the rows of the table: a kind, a dialect or a format, and a place."""
    for name, kind in KINDS.items():
        for dialect in kind.dialects:
            places = [*PLACES, *DIRECTIVES] if dialect is MYST else [*PLACES]
            yield from ((name, str(dialect), place) for place in places)
            yield name, str(dialect), "cell"
            if name in ("attributes of a link", "index"):
                yield from ((name, str(dialect), place) for place in LINES)
        if not kind.dialects:
            yield from ((name, "rst", place) for place in [*PLACES, *DIRECTIVES])


def put(text: str, format_name: str, place: str) -> str:
    """Return a sample in its place."""
    markdown, rst = {**PLACES, **DIRECTIVES, **LINES}.get(place, (str, str))
    return rst(text) if format_name == "rst" else markdown(text)
