"""A message as a reader's page shows it: its blocks, its inline tree, its texts, its atoms.

A parser reads it in the place where it will stand: a heading behind ``# ``, a table cell inside a row of a table. That is the
project's own parser for Markdown, docutils for reStructuredText. Positions are not kept, for neither knows any inside a block;
:func:`blanked` helps those who look for marks in the source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from pipeline.core.checks import placing, rst_placing, rst_tree
from pipeline.core.checks.placing import STAND_IN
from pipeline.core.checks.tree import Node, html_tree, image_tree, inline_tree, walk
from pipeline.core.document import prose, splice
from pipeline.core.document.message import Kind, Markup

_SPACE_IN_MATH = re.compile(r"(?<![A-Za-z])\s+|\s+(?![A-Za-z])")
_TEXT_IN_MATH = re.compile(r"(\\(?:text\w*|mbox|hbox))\s*\{[^{}]*\}")
_ESCAPED = {Markup.MARKDOWN: re.compile(r"\\[!-/:-@\[-`{-~]"), Markup.RST: re.compile(r"\\.")}
_URL_CHARACTER = r"[A-Za-z0-9/?#&=%~:@+_-]"


class Atom(StrEnum):
    """What must survive translation as it is, by class."""

    CODE = "code span"
    MATH = "formula"
    LINK = "link target"
    IMAGE = "image target"
    ROLE = "role"  # name and target; a title may be translated
    REFERENCE = "reference"  # the [label] of [text][label]; the `name`_ of reST
    TARGET = "target"  # of reST: what references lead to
    FOOTNOTE = "footnote mark"
    CITATION = "citation"  # [@key]; also the mark of an alert, [!NOTE]
    SUBSTITUTION = "substitution"
    HTML = "HTML tag"
    URL = "URL"  # one that readers see: an autolink, or bare
    EMAIL = "e-mail address"


_ATOM_OF = {
    "code": Atom.CODE,
    "math": Atom.MATH,
    "link": Atom.LINK,
    "image": Atom.IMAGE,
    "role": Atom.ROLE,
    "reference": Atom.REFERENCE,
    "target": Atom.TARGET,
    "footnote": Atom.FOOTNOTE,
    "citation": Atom.CITATION,
    "substitution": Atom.SUBSTITUTION,
    "html": Atom.HTML,
    "autolink": Atom.URL,
}
# What is found in text that the parser takes for plain.
_IN_TEXT = {
    Atom.URL: re.compile(
        rf"(?:[A-Za-z][A-Za-z0-9+.-]*://|\bwww\.){_URL_CHARACTER}+(?:[.,;!]+{_URL_CHARACTER}+)*",
        re.ASCII,
    ),
    Atom.EMAIL: re.compile(
        r"(?<![\w.@/])[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}", re.ASCII
    ),
    Atom.SUBSTITUTION: re.compile(r"\{\{.*?\}\}"),
    Atom.CITATION: re.compile(r"\[-?@[^\[\]]+\]|\[![A-Z]+\]"),
}
_OF_MARKDOWN = frozenset(
    (Atom.SUBSTITUTION, Atom.CITATION)
)  # docutils knows those of reStructuredText
_FOUND_IN_TEXT = {
    Markup.MARKDOWN: _IN_TEXT,
    Markup.RST: {name: pattern for name, pattern in _IN_TEXT.items() if name not in _OF_MARKDOWN},
}
_MAYBE_IN_TEXT = re.compile(r"://|www\.|@|\{\{|\[!")
_LINKED = frozenset(("link", "reference", "autolink"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A message in its place.

    ``blocks``: the openers of all blocks around and in it, as the parser names them; two texts that fit the same place have the same.
    ``visible``: what a reader sees, code and formulas included; a break is ``\\n``. ``prose``: the same with a space for each atom.
    ``plain``: the text between atoms, :data:`STAND_IN` for each. ``literal``: also for each escape, so that a ``*`` in it is one that
    shows and was perhaps not meant to.
    """

    source: str
    kind: Kind
    markup: Markup
    blocks: tuple[str, ...]
    tree: tuple[Node, ...]
    visible: str
    prose: str
    plain: str
    literal: str
    atoms: Mapping[Atom, Counter[str]]  # only classes that it has; see `of`
    breaks: int  # hard line breaks

    def of(self, name: Atom) -> Counter[str]:
        """The atoms of one class, with how often they are named. Formulas as :func:`canonical_math` gives them."""
        return self.atoms.get(name, _NONE)

    def count(self, *types: str) -> int:
        """How many nodes of these types the tree has."""
        return sum(node.type in types for _, node in walk(self.tree))


_NONE: Counter[str] = Counter()


@lru_cache(maxsize=1 << 14)
def parse(text: str, kind: Kind, markup: Markup = Markup.MARKDOWN) -> Parsed:
    """``text`` in the place of a message of this kind. Never fails: all text is CommonMark/MyST, and what docutils objects to is text."""
    lines = splice.translation_lines(text)
    blocks, tree = (
        _rst_block_and_tree(" ".join(lines), kind)
        if markup is Markup.RST
        else _block_and_tree(lines, kind)
    )
    gathered = _Gathered(markup)
    gathered.add(tree)
    return Parsed(
        source=text,
        kind=kind,
        markup=markup,
        blocks=blocks,
        tree=tree,
        visible="".join(gathered.visible),
        prose=gathered.without_atoms("".join(gathered.prose)),
        plain="".join(gathered.plain),
        literal="".join(gathered.literal),
        atoms=MappingProxyType(gathered.atoms),
        breaks=0 if kind is Kind.HTML or markup is Markup.RST else len(lines) - 1,
    )


def blanked(source: str, by: str = STAND_IN, markup: Markup = Markup.MARKDOWN) -> str:
    """``source`` with each character of an atom and of an escape replaced, so that positions stay."""
    return _ESCAPED[markup].sub(
        by * 2, prose.replace_atoms(source, lambda atom: by * len(atom), markup)
    )


def canonical_math(formula: str) -> str:
    """A formula without what does not change it: white space, and the words in ``\\text{}``, which may be translated."""
    if "{" in formula:
        formula = _TEXT_IN_MATH.sub(r"\1{…}", formula)
    return _SPACE_IN_MATH.sub("", formula.strip())


def _block_and_tree(lines: list[str], kind: Kind) -> tuple[tuple[str, ...], tuple[Node, ...]]:
    if kind is Kind.IMAGE:
        text = " ".join(lines)
        inside = image_tree(text)
        return (("image",), inside) if inside is not None else ((), inline_tree(text))
    blocks, contents = placing.blocks_of(lines, kind)
    if kind is Kind.HTML:
        return blocks, html_tree("\n".join(lines))
    return blocks, _joined(inline_tree(content) for content in contents)


def _rst_block_and_tree(text: str, kind: Kind) -> tuple[tuple[str, ...], tuple[Node, ...]]:
    blocks, contents = rst_placing.blocks_of(text, kind)
    if kind is Kind.IMAGE:
        return blocks, rst_tree.plain_tree(text)
    return blocks, _joined(rst_tree.inline_tree(content) for content in contents)


def _joined(trees: Iterable[tuple[Node, ...]]) -> tuple[Node, ...]:
    return tuple(
        node
        for number, tree in enumerate(trees)
        for node in ((Node("break", "\n"), *tree) if number else tree)
    )


class _Gathered:
    """Texts and atoms of a tree, collected in one walk."""

    def __init__(self, markup: Markup) -> None:
        self.in_text = _FOUND_IN_TEXT[markup]
        self.visible: list[str] = []
        self.prose: list[str] = []
        self.plain: list[str] = []
        self.literal: list[str] = []
        self.atoms: dict[Atom, Counter[str]] = {}

    def add(self, tree: tuple[Node, ...], *, is_linked: bool = False) -> None:
        for node in tree:
            name = node.type
            if name in ("text", "escape", "break"):
                self._add_words(node, is_linked=is_linked)
                continue
            if atom := _ATOM_OF.get(name):
                self._add_atom(atom, node.value)
            if name in ("role", "target"):
                self._add_role(node.children[0])
            elif name == "autolink":
                self._add_opaque(node.value.removeprefix("mailto:"), prose=" ")
            elif node.children or atom is None:
                self.add(node.children, is_linked=is_linked or name in _LINKED)
            elif name not in _LINKED:
                self._add_leaf(node)

    def _add_words(self, node: Node, *, is_linked: bool) -> None:
        for texts in (self.visible, self.prose, self.plain):
            texts.append(node.value)
        self.literal.append(STAND_IN if node.type == "escape" else node.value)
        if node.type == "text" and _MAYBE_IN_TEXT.search(node.value):
            for name, pattern in self.in_text.items():
                if not (is_linked and name is Atom.URL):  # a link's words may be translated
                    for found in pattern.findall(node.value):
                        self._add_atom(name, found)

    def _add_role(self, shown: Node) -> None:
        self._add_opaque(shown.value, prose=shown.value if shown.type == "text" else " ")

    def _add_leaf(self, node: Node) -> None:
        """Code, a formula, a tag, an image without text. A footnote mark becomes a number, which is no part of the text."""
        if node.type in ("code", "math"):
            self._add_opaque(node.value, prose=" ")
        elif node.type == "html":
            self._add_opaque("\n" if node.value.lower().startswith("<br") else "", prose=" ")
        else:
            self._add_opaque("", prose=" " if node.type == "substitution" else "")

    def _add_opaque(self, shown: str, *, prose: str) -> None:
        self.visible.append(shown)
        self.prose.append(prose)
        self.plain.append(STAND_IN)
        self.literal.append(STAND_IN)

    def _add_atom(self, name: Atom, value: str) -> None:
        if name is Atom.URL and value.startswith("mailto:"):
            name, value = Atom.EMAIL, value.removeprefix("mailto:")
        elif name is Atom.MATH:
            value = canonical_math(value)
        elif name is Atom.CODE:
            value = value.strip() or value
        elif name is Atom.SUBSTITUTION:
            value = re.sub(r"\s+", "", value)
        self.atoms.setdefault(name, Counter())[value] += 1

    def without_atoms(self, text: str) -> str:
        """``text`` with a space for each atom that the parser took for plain text."""
        if _MAYBE_IN_TEXT.search(text):
            for pattern in self.in_text.values():
                text = pattern.sub(" ", text)
        return text
