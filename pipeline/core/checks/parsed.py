"""A message as a reader's page shows it: its blocks, its inline tree, its texts, its atoms.

A parser reads it in the place where it will stand: a heading behind ``# ``, a table cell inside a
row of a table. Positions are not kept, because neither parser knows any inside a block;
:func:`blanked` helps checks that look for marks in the source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from pipeline.core.checks.inline_tree import (
    Node,
    html_tree,
    image_tree,
    markdown_inline_tree,
    rst_inline_tree,
    walk,
)
from pipeline.core.checks.placement import STAND_IN, markdown_blocks, rst_blocks
from pipeline.core.document import prose, splice
from pipeline.core.document.atoms import canonical_math
from pipeline.core.document.message import Kind, Markup

_ESCAPED = {
    Markup.MARKDOWN: re.compile(r"\\[!-/:-@\[-`{-~]"),
    Markup.RST: re.compile(r"\\."),
}


class Atom(StrEnum):
    """What must survive translation as it is, by class. The values are the words for it."""

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
_URL_CHARACTER = r"[A-Za-z0-9/?#&=%~:@+_-]"
_URL = re.compile(
    rf"(?:[A-Za-z][A-Za-z0-9+.-]{{0,40}}://|\bwww\.){_URL_CHARACTER}+(?:[.,;!]+{_URL_CHARACTER}+)*",
    re.ASCII,
)
_EMAIL = re.compile(
    r"(?<![\w.@/])[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}",
    re.ASCII,
)
_IN_RST_TEXT = {Atom.URL: _URL, Atom.EMAIL: _EMAIL}
_IN_TEXT = {
    Markup.RST: _IN_RST_TEXT,
    Markup.MARKDOWN: {  # of reStructuredText docutils knows these
        **_IN_RST_TEXT,
        Atom.SUBSTITUTION: re.compile(r"\{\{.*?\}\}"),
        Atom.CITATION: re.compile(r"\[-?@[^\[\]]+\]|\[![A-Z]+\]"),
    },
}
_MAYBE_IN_TEXT = re.compile(r"://|www\.|@|\{\{|\[!")
_WORDS = frozenset(("text", "escape", "break"))  # nodes of text
_LINKED = frozenset(("link", "reference", "autolink"))
_NONE: Counter[str] = Counter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A message in its place.

    ``blocks`` are the openers of all blocks around and in it, as the parser names them; two texts
    that fit the same place have the same. ``visible`` is what a reader sees, code and formulas
    included; a break is ``\\n``. ``plain`` is the text between atoms, with :data:`STAND_IN` for
    each atom. ``literal`` has it for each escape too, so that a ``*`` in it is one that shows and
    was perhaps not meant to.
    """

    source: str
    kind: Kind
    markup: Markup
    blocks: tuple[str, ...]
    tree: tuple[Node, ...]
    visible: str
    plain: str
    literal: str
    atoms: Mapping[Atom, Counter[str]]  # only classes that it has; see `of`
    breaks: int  # hard line breaks

    def of(self, name: Atom) -> Counter[str]:
        """Return the atoms of one class, with how often they are named.

        Formulas are in canonical form.
        """
        return self.atoms.get(name, _NONE)

    def nodes(self, *types: str) -> list[Node]:
        """Return the nodes of these types, in the order of the text."""
        return [node for _, node in walk(self.tree) if node.type in types]

    def count(self, *types: str) -> int:
        """Return how many nodes of these types the tree has."""
        return len(self.nodes(*types))


@lru_cache(maxsize=1 << 14)
def parse(text: str, kind: Kind, markup: Markup = Markup.MARKDOWN) -> Parsed:
    """Return ``text`` in the place of a message of this kind.

    This never fails: all text is CommonMark/MyST, and what docutils objects to is text.
    A text is parsed again and again, by several checks and as a fix: so the result is kept.
    """
    lines = splice.translation_lines(text)
    breaks = len(lines) - 1
    if markup is Markup.RST:
        blocks, tree = _read_rst(" ".join(lines), kind)
        breaks = 0  # reStructuredText has no hard breaks
    else:
        blocks, tree = _read_markdown(lines, kind)
        if kind is Kind.HTML:
            breaks = 0  # nor has HTML: there a line end is white space
    gathered = _Gathered(markup)
    gathered.add(tree)
    return Parsed(
        source=text,
        kind=kind,
        markup=markup,
        blocks=blocks,
        tree=tree,
        visible="".join(gathered.visible),
        plain="".join(gathered.plain),
        literal="".join(gathered.literal),
        atoms=MappingProxyType(gathered.atoms),
        breaks=breaks,
    )


def blanked(source: str, by: str = STAND_IN, markup: Markup = Markup.MARKDOWN) -> str:
    """Return ``source`` with each character of an atom and of an escape replaced: positions stay.

    With ``by="-"``: ``用 `f` 求 \\*`` -> ``用 --- 求 --``.
    """
    hidden = prose.replace_atoms(source, lambda atom: by * len(atom), markup)
    return _ESCAPED[markup].sub(by * 2, hidden)


_BlocksAndTree = tuple[tuple[str, ...], tuple[Node, ...]]


def _read_markdown(lines: list[str], kind: Kind) -> _BlocksAndTree:
    """Return the blocks and the inline tree of a message of Markdown."""
    if kind is Kind.IMAGE:
        text = " ".join(lines)
        inside = image_tree(text)
        if inside is not None:
            return ("image",), inside
        # The text ends its image: then it has no block that the English could have.
        return (), markdown_inline_tree(text)
    blocks, contents = markdown_blocks(lines, kind)
    if kind is Kind.HTML:
        return blocks, html_tree("\n".join(lines))
    return blocks, _joined([markdown_inline_tree(content) for content in contents])


def _read_rst(text: str, kind: Kind) -> _BlocksAndTree:
    """Return the blocks and the inline tree of a message of reStructuredText."""
    blocks, contents = rst_blocks(text, kind)
    if kind is Kind.IMAGE:
        return blocks, (Node("text", text),)
    return blocks, _joined([rst_inline_tree(content) for content in contents])


def _joined(trees: Sequence[tuple[Node, ...]]) -> tuple[Node, ...]:
    """Return the trees of several blocks as one, with a break between them.

    A message that has become two paragraphs is compared as a whole, too.
    """
    if len(trees) == 1:
        return trees[0]
    nodes: list[Node] = []
    for number, tree in enumerate(trees):
        if number:
            nodes.append(Node("break", "\n"))
        nodes += tree
    return tuple(nodes)


class _Gathered:
    """Texts and atoms of a tree, collected in one walk.

    The three texts are those of :class:`Parsed`, in pieces.
    """

    def __init__(self, markup: Markup) -> None:
        # What to look for in text that the parser takes for plain.
        self.in_text = _IN_TEXT[markup]
        self.visible: list[str] = []
        self.plain: list[str] = []
        self.literal: list[str] = []
        self.atoms: dict[Atom, Counter[str]] = {}

    def add(self, tree: tuple[Node, ...], *, is_linked: bool = False) -> None:
        """Take up the nodes of a tree; ``is_linked`` says that it stands within a link."""
        for node in tree:
            if node.type in _WORDS:
                self._add_words(node, is_linked=is_linked)
                continue
            # A container is an atom by its target, a leaf by what it shows; bold text is none.
            atom = _ATOM_OF.get(node.type)
            if atom:
                self._add_atom(atom, node.value)
            shown = _shown_as_a_whole(node)
            if shown is None:
                self.add(node.children, is_linked=is_linked or node.type in _LINKED)
            else:
                self._add_opaque(shown)

    def _add_words(self, node: Node, *, is_linked: bool) -> None:
        """Take up a node of `_WORDS`, and the addresses and the like in it."""
        words = node.value
        self.visible.append(words)
        self.plain.append(words)
        if node.type == "escape":
            self.literal.append(STAND_IN)
            return
        self.literal.append(words)
        if _MAYBE_IN_TEXT.search(words):
            self._add_atoms_in(words, is_linked=is_linked)

    def _add_atoms_in(self, words: str, *, is_linked: bool) -> None:
        """Take up what is an atom although the parser takes it for text.

        A URL within a link is none: of ``[https://a.b](https://a.b)`` the words may be translated.
        """
        for name, pattern in self.in_text.items():
            if is_linked and name is Atom.URL:
                continue
            for value in pattern.findall(words):
                self._add_atom(name, value)

    def _add_opaque(self, shown: str) -> None:
        """Take up an atom by what a reader sees of it."""
        self.visible.append(shown)
        self.plain.append(STAND_IN)
        self.literal.append(STAND_IN)

    def _add_atom(self, name: Atom, value: str) -> None:
        """Count an atom, without what may differ in it.

        That is white space around code or within a formula, and the words in a formula.
        """
        match name:
            case Atom.URL if value.startswith("mailto:"):
                # <a@b.cd>, which the parser takes for a link.
                name, value = Atom.EMAIL, value.removeprefix("mailto:")
            case Atom.MATH:
                value = canonical_math(value)
            case Atom.CODE:
                # Code of nothing but spaces is those.
                value = value.strip() or value
            case Atom.SUBSTITUTION:
                # {{ name }} and {{name}} are the same.
                value = re.sub(r"\s+", "", value)
        self.atoms.setdefault(name, Counter())[value] += 1


def _shown_as_a_whole(node: Node) -> str | None:
    """Return what a reader sees of an atom; None if that is what its children show.

    Code and formulas are seen as they are, ``<br>`` as a break. Other tags are not seen, nor is
    an image without text; and a footnote mark becomes a number, which does not count.
    """
    match node.type:
        case "code" | "math":
            return node.value
        case "role" | "target":
            return node.children[0].value
        case "autolink":
            return node.value.removeprefix("mailto:")
        case "html" if node.value.lower().startswith("<br"):
            return "\n"
    # Bold text is no atom, and shows what is in it. So does a link, which may have no words.
    is_container = node.type not in _ATOM_OF or node.type in _LINKED
    if is_container or node.children:
        return None
    return ""
