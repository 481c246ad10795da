"""Parsed texts of messages: their blocks, inline tree, visible text and atoms.

A text is parsed in the context where it will appear on the page: a heading after ``# ``, a table
cell inside a row. Neither parser gives positions inside a block. Checks that need the positions of
marks search the source instead, in which :func:`blanked` hides atoms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from msgspec import Struct

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
    """Classes of the parts that translation must preserve; the values are used in messages."""

    CODE = "code span"
    MATH = "formula"
    LINK = "link target"
    IMAGE = "image target"
    ROLE = "role"  # name and target; its title may be translated
    REFERENCE = "reference"  # the [label] of [text][label]; the `name`_ of reST
    TARGET = "target"  # reST: _`words`, the target of references
    FOOTNOTE = "footnote mark"
    CITATION = "citation"  # [@key]
    SUBSTITUTION = "substitution"
    HTML = "HTML tag"
    URL = "URL"  # visible on the page: an autolink, or a bare URL
    EMAIL = "e-mail address"


# By type of node. Nodes of the types "url" and "email" do not exist: they are text.
_ATOM_OF = {atom.name.lower(): atom for atom in Atom} | {"autolink": Atom.URL}
# Patterns of the atoms that the parsers treat as plain text.
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
    Markup.MARKDOWN: {  # in reST, docutils parses the last two
        **_IN_RST_TEXT,
        Atom.SUBSTITUTION: re.compile(r"\{\{.*?\}\}"),
        Atom.CITATION: re.compile(r"\[-?@[^\[\]]+\]"),
    },
}
_MAYBE_IN_TEXT = re.compile(r"://|www\.|@|\{\{")
_WORDS = frozenset(("text", "escape", "break"))  # types of nodes that are text
_LINKED = frozenset(("link", "reference", "autolink"))
_NONE: Counter[str] = Counter()


class Parsed(Struct, frozen=True, kw_only=True):
    r"""A text of a message, parsed in its context.

    ``blocks`` are the parser's names of the surrounding blocks and of the blocks in the text. A
    translation with other ``blocks`` than its English has become another block by accident.

    Three fields contain the text in different forms:

    - ``visible``: the rendered text, including code and formulas; a hard break is ``\n``.
    - ``plain``: the text with :data:`STAND_IN` in the place of each atom.
    - ``literal``: like ``plain``, but also with :data:`STAND_IN` in the place of each escape. A
      ``*`` in this text is probably markup that does not work.
    """

    source: str
    markup: Markup
    blocks: tuple[str, ...]
    tree: tuple[Node, ...]
    visible: str
    plain: str
    literal: str
    atoms: Mapping[Atom, Counter[str]]  # classes that do not occur are absent; see `of`
    breaks: int  # number of hard line breaks

    def of(self, name: Atom) -> Counter[str]:
        """Return the atoms of one class with their counts.

        The atoms are in the form that `_Collector` normalizes them to.
        """
        return self.atoms.get(name, _NONE)

    def nodes(self, *types: str) -> list[Node]:
        """Return the nodes of the given types in the order of the text."""
        return [node for _, node in walk(self.tree) if node.type in types]

    def count(self, *types: str) -> int:
        """Return the number of nodes of the given types."""
        return len(self.nodes(*types))


@lru_cache(maxsize=1 << 14)
def parse(text: str, kind: Kind, markup: Markup = Markup.MARKDOWN) -> Parsed:
    """Return ``text``, parsed in the context of a message of this kind.

    Parsing never fails: every text is valid CommonMark/MyST, and the parts that docutils rejects
    count as text. The result is cached, because several checks and fixes parse the same text.
    """
    lines = splice.translation_lines(text)
    breaks = len(lines) - 1
    if markup is Markup.RST:
        blocks, tree = _read_rst(" ".join(lines), kind)
        breaks = 0  # reStructuredText has no hard breaks
    else:
        blocks, tree = _read_markdown(lines, kind)
        if kind is Kind.HTML:
            breaks = 0  # line ends in HTML are white space
    gathered = _Collector(markup)
    gathered.add(tree)
    visible, plain, literal = map("".join, zip(*gathered.texts, strict=True))
    return Parsed(
        source=text,
        markup=markup,
        blocks=blocks,
        tree=tree,
        visible=visible,
        plain=plain,
        literal=literal,
        atoms=MappingProxyType(gathered.atoms),
        breaks=breaks,
    )


def blanked(source: str, by: str = STAND_IN, markup: Markup = Markup.MARKDOWN) -> str:
    r"""Return ``source`` with each character of atoms and escapes replaced by ``by``.

    The length is unchanged. With ``by="-"``: "用 `f` 求 \*" -> "用 --- 求 --"
    """
    hidden = prose.replace_atoms(source, lambda atom: by * len(atom), markup)
    return _ESCAPED[markup].sub(by * 2, hidden)


_BlocksAndTree = tuple[tuple[str, ...], tuple[Node, ...]]


def _read_markdown(lines: list[str], kind: Kind) -> _BlocksAndTree:
    """Return the blocks and the inline tree of a Markdown message."""
    if kind is Kind.IMAGE:
        text = " ".join(lines)
        inside = image_tree(text)
        if inside is not None:
            return ("image",), inside
        # The text closes the image too early. Return no blocks: the English has blocks, so M101
        # reports the difference.
        return (), markdown_inline_tree(text)
    blocks, contents = markdown_blocks(lines, kind)
    if kind is Kind.HTML:
        return blocks, html_tree("\n".join(lines))
    return blocks, _joined(list(map(markdown_inline_tree, contents)))


def _read_rst(text: str, kind: Kind) -> _BlocksAndTree:
    """Return the blocks and the inline tree of a reST message."""
    blocks, contents = rst_blocks(text, kind)
    if kind is Kind.IMAGE:
        return blocks, (Node("text", text),)
    return blocks, _joined(list(map(rst_inline_tree, contents)))


def _joined(trees: Sequence[tuple[Node, ...]]) -> tuple[Node, ...]:
    """Return the trees of several blocks as one tree, with breaks between them.

    A translation that became two paragraphs by accident can thus be compared as a whole.
    """
    if len(trees) == 1:
        return trees[0]
    nodes: list[Node] = []
    for number, tree in enumerate(trees):
        if number:
            nodes.append(Node("break", "\n"))
        nodes += tree
    return tuple(nodes)


class _Collector:
    """Collector of the visible text and the atoms of an inline tree.

    ``texts`` has, for each piece of text, its forms in the fields ``visible``, ``plain`` and
    ``literal`` of :class:`Parsed`.
    """

    def __init__(self, markup: Markup) -> None:
        # Patterns of the atoms that the parser treats as plain text.
        self.in_text = _IN_TEXT[markup]
        self.texts: list[tuple[str, str, str]] = [("", "", "")]
        self.atoms: dict[Atom, Counter[str]] = {}

    def add(self, tree: tuple[Node, ...], *, is_linked: bool = False) -> None:
        """Add the nodes of a tree; ``is_linked`` means that the tree is inside a link."""
        for node in tree:
            if node.type in _WORDS:
                self._add_words(node, is_linked=is_linked)
                continue
            # The value of a link node is the target of the link, and the value of a code node is
            # the code. Bold and italics are not in the table, because they are not atoms.
            atom = _ATOM_OF.get(node.type)
            if atom:
                self._add_atom(atom, node.value)
            shown = _visible_text(node)
            if shown is None:
                self.add(node.children, is_linked=is_linked or node.type in _LINKED)
            else:
                self.texts.append((shown, STAND_IN, STAND_IN))

    def _add_words(self, node: Node, *, is_linked: bool) -> None:
        """Add a node whose type is in `_WORDS`, and the atoms in its text, such as URLs."""
        words = node.value
        is_escape = node.type == "escape"
        self.texts.append((words, words, STAND_IN if is_escape else words))
        if not is_escape and _MAYBE_IN_TEXT.search(words):
            self._add_atoms_in(words, is_linked=is_linked)

    def _add_atoms_in(self, words: str, *, is_linked: bool) -> None:
        """Add the atoms that the parser treats as text.

        Skip the URLs inside a link: the words of ``[https://a.b](https://a.b)`` may be translated.
        """
        for name, pattern in self.in_text.items():
            if is_linked and name is Atom.URL:
                continue
            for value in pattern.findall(words):
                self._add_atom(name, value)

    def _add_atom(self, name: Atom, value: str) -> None:
        """Count an atom in normalized form.

        Ignore white space around code, and inside substitutions and formulas. Also ignore the plain
        words in formulas.
        """
        match name:
            case Atom.URL if value.startswith("mailto:"):
                # The parser treats <a@b.cd> as a link.
                name, value = Atom.EMAIL, value.removeprefix("mailto:")
            case Atom.MATH:
                value = canonical_math(value)
            case Atom.CODE:
                # Keep code that consists only of spaces.
                value = value.strip() or value
            case Atom.SUBSTITUTION:
                # {{ name }} and {{name}} are equal.
                value = re.sub(r"\s+", "", value)
        self.atoms.setdefault(name, Counter())[value] += 1


def _visible_text(node: Node) -> str | None:
    """Return the visible text of a node, or None if its children are the visible text.

    Code and formulas are visible as written, and ``<br>`` is a line break. Other tags and images
    without text are invisible. A footnote mark counts as invisible: its number is not part of the
    text.
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
    # The visible text of bold text and of a link is that of its children. If there are no
    # children, it is empty.
    is_container = node.type not in _ATOM_OF or node.type in _LINKED
    if is_container or node.children:
        return None
    return ""
