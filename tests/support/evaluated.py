"""Parts of a page that programs evaluate, found by parsers that share no code with the guard.

Docutils and MyST-Parser read whole pages of reST and MyST, mistune reads other Markdown, and
nbformat reads notebooks. Template languages, MDX, Vue, shortcodes and inclusions work on text
before or after it is parsed. For these, scanners of braces and lines find what they would evaluate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from html.parser import HTMLParser
from typing import Any
from unittest import mock

import mistune
import nbformat
from docutils import nodes
from docutils import utils as docutils_utils
from docutils.core import publish_doctree
from docutils.parsers.rst import Parser as RstParser
from docutils.parsers.rst import roles
from msgspec import Struct
from msgspec.structs import replace
from myst_parser.parsers.docutils_ import Parser as MystParser

_RECORDED = ("ref", "a", "download", "octicon", "kbd", "eval", "term", "abbr")  # roles
_EXTENSIONS = (
    "amsmath attrs_block attrs_inline colon_fence deflist dollarmath html_admonition html_image"
)
_SETTINGS: dict[str, Any] = {
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "file_insertion_enabled": False,
    "myst_enable_extensions": _EXTENSIONS.split(),
}
_FIXED = (nodes.literal_block, nodes.doctest_block, nodes.comment)
_PLAIN_WORDS = re.compile(r"(\\(?:text|mbox)) ?\{[^{}<>&$`\\\\\"=]*\}")


class Structure(Struct, frozen=True):
    """Structure of a page without its words: its blocks in order, and all active parts."""

    blocks: tuple[object, ...]
    acts: frozenset[tuple[object, ...]]
    evaluated: frozenset[str] = frozenset()


def _recorded(
    name: str, _raw: str, text: str, *_: object, **__: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Docutils role that records its name and its target."""
    target = ""
    if name not in ("kbd", "abbr"):
        target = docutils_utils.unescape(text).rpartition("<")[2]
        target = target.rstrip(">").lstrip("~!")
    return [nodes.inline(text, text, role=f"{name} {target}")], []


@lru_cache(maxsize=64)
def of_docutils(text: str, *, is_myst: bool) -> Structure:
    """Return the structure of a page, as MyST-Parser or docutils parses it."""
    parser = MystParser() if is_myst else RstParser()
    # docutils has none of Sphinx's roles, and other tests must not find these.
    recorded = dict.fromkeys(_RECORDED, _recorded)
    with mock.patch.dict(roles._roles, recorded):  # type: ignore[attr-defined]
        page = publish_doctree(text, parser=parser, settings_overrides=_SETTINGS)
    found: set[tuple[object, ...]] = set()
    for node in page.findall(nodes.Element):
        # The class of an admonition is made of the words of its title.
        classes = [name for name in node["classes"] if "admonition" not in name]
        found |= {("class", name) for name in classes}
        for name in ("refuri", "uri", "role"):
            if name in node:
                found.add((name, node[name]))
        if isinstance(node, nodes.math | nodes.math_block):
            formula = _PLAIN_WORDS.sub(r"\1{}", node.astext())
            found.add(("math", "".join(formula.split())))
        if isinstance(node, nodes.raw):
            tags = Tags(node.astext()).found
            found |= tags or {("raw", node.astext())}
        if isinstance(node, nodes.substitution_reference):
            found.add(("substitution", node.astext()))
    return Structure(tuple(_blocks_of_doctree(page)), frozenset(found))


def _blocks_of_doctree(node: nodes.Element) -> Iterator[object]:
    """Yield the blocks inside a node without their words. Code keeps its text."""
    for child in node.children:
        is_left_out = isinstance(child, nodes.Inline | nodes.system_message)
        if is_left_out or not isinstance(child, nodes.Element):
            continue
        if isinstance(child, _FIXED):
            yield child.tagname, child.astext()
        else:
            marks = child.get("bullet"), child.get("enumtype")
            yield child.tagname, marks, tuple(_blocks_of_doctree(child))


def _parsed(text: str) -> Any:
    """Return mistune's tokens of a page."""
    plugins = ["def_list", "footnotes", "table", "math", "strikethrough"]
    return mistune.create_markdown(renderer=None, plugins=plugins).parse(text)[0]


@lru_cache(maxsize=64)
def of_mistune(text: str) -> Structure:
    """Return the structure of a Markdown page, as mistune parses it."""
    found: set[tuple[object, ...]] = set()
    blocks = tuple(_blocks_of_mistune(_parsed(text), found))
    return Structure(blocks, frozenset(found))


_INLINE = {
    *"text emphasis strong strikethrough codespan linebreak softbreak link".split(),
    *"image inline_html inline_math footnote_ref".split(),
}


def _blocks_of_mistune(tokens: Any, found: set[tuple[object, ...]]) -> Iterator[object]:
    """Yield the blocks in a list of tokens. Add active parts to ``found``."""
    for token in tokens:
        kind, raw = token["type"], token.get("raw", "")
        attrs = token.get("attrs", {})
        inside = tuple(_blocks_of_mistune(token.get("children", ()), found))
        if kind in ("inline_html", "block_html"):
            found |= Tags(raw).found
        elif kind in ("link", "image"):
            found.add((kind, attrs["url"]))
        # Between two amounts, "$5 or $6", renderers find a formula or not: only macros act.
        elif kind in ("inline_math", "block_math") and "\\" in raw:
            found.add(("math", "".join(_PLAIN_WORDS.sub(r"\1{}", raw).split())))
        # A note without its mark is left out: a translation may drop the mark.
        if kind in _INLINE or kind in ("blank_line", "footnotes"):
            continue
        code = raw if kind == "block_code" else ""
        shown = {name: attrs[name] for name in ("level", "info") if name in attrs}
        yield kind, code, tuple(shown.items()), inside


class Tags(HTMLParser):
    """Parser that collects every tag and its attributes, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[tuple[object, ...]] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add((tag, *attrs))

    def handle_comment(self, data: str) -> None:
        self.found.add(("!", data))


_OPENING = ("{{", "{%", "{#")  # of Jinja, Liquid, Vue, Hugo and mdBook
# Statements of MDX, snippets of MkDocs, and inclusions of VitePress begin a line.
_STATEMENT = re.compile(
    r"""
    \s* (?: import\s+(?:[\w*{][^'"`]*\sfrom\s*)?['"][^'"]+['"]\s*;?\s*$
      | export\s+(?:const\s+\w+\s*= | default\s*[({] | \*\s+from\s*['"])
      | ;*-+8<- | <<<\s*@ )
    """,
    re.VERBOSE,
)


def evaluated_in(text: str) -> frozenset[str]:
    """Return the pieces of Markdown that some program evaluates, in code as well.

    Vue reads a page after character references and backslashes outside code are resolved.
    """
    found = set(_templates_in(text))
    for line in text.split("\n"):
        if _STATEMENT.match(line):
            found.add(line.strip())
    for words in _texts_of(_parsed(text)):
        found |= {*_expressions_in(words), *_templates_in(unescape(words))}
    return frozenset(found)


def _templates_in(text: str) -> Iterator[str]:
    """Yield the text between the delimiters of template languages."""
    at = 0
    while at < len(text) - 1:
        if text[at : at + 2] not in _OPENING:
            at += 1
            continue
        ends = [text.find(mark, at + 2) for mark in ("}}", "%}", "#}")]
        end = min((end for end in ends if end >= 0), default=len(text))
        yield _without_words(text[at:end])
        at += 2


def _without_words(piece: str) -> str:
    """Return a piece without white space, and without the words of a formula."""
    return "".join(_PLAIN_WORDS.sub(r"\1{}", piece).split())


def _texts_of(tokens: Any) -> Iterator[str]:
    """Yield the texts of blocks without code and formulas: the text that MDX reads."""
    for token in tokens:
        kind, children = token["type"], token.get("children")
        if kind == "block_html":
            yield token["raw"]
        elif children and children[0]["type"] in _INLINE:
            yield "".join(_words_of(children))
        elif children:
            yield from _texts_of(children)
        elif kind == "block_code" and token.get("attrs", {}).get("info", "")[:1] == "{":
            yield from _texts_of(_parsed(token["raw"]))  # the body of a directive


def _words_of(tokens: Any) -> Iterator[str]:
    for token in tokens:
        if token["type"] in ("text", "inline_html"):
            yield token["raw"]
        elif token["type"] in ("linebreak", "softbreak"):
            yield "\n"
        elif "children" in token:
            yield from _words_of(token["children"])
        else:
            yield " "


def _expressions_in(text: str) -> Iterator[str]:
    """Yield the outermost expressions in braces. An unclosed one extends to the end."""
    depth = start = 0
    for at, character in enumerate(text):
        if character == "{":
            start = start if depth else at
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if not depth:
                yield _without_words(text[start : at + 1])
    if depth:
        yield _without_words(text[start:])


def structures_of(path: str, data: bytes, *, is_myst: bool) -> list[Structure]:
    """Return the structure of a page, or the structure of each cell of a notebook."""
    text = data.decode()
    if path.endswith(".rst"):
        structure = of_docutils(text, is_myst=False)
        return [replace(structure, evaluated=frozenset(_templates_in(text)))]
    if path.endswith(".md"):
        structure = of_docutils(text, is_myst=True) if is_myst else of_mistune(text)
        return [replace(structure, evaluated=evaluated_in(text))]
    structures = []
    book: Any = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    for cell in book.cells:
        if cell.cell_type == "markdown":
            structure = of_mistune(cell.source)
            structures.append(replace(structure, evaluated=evaluated_in(cell.source)))
        else:
            structures.append(Structure((cell.cell_type, cell.source), frozenset()))
    return structures
