"""Replacement of Sphinx's search: collects the text of each page, and writes our own index.

When Sphinx writes a page, its text goes to an index record, a file beside Sphinx's doctrees. So
pages that are not written again keep their records. At the end of the build, ``site/search`` turns
all records into the index files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, TypeGuard

from docutils import nodes
from msgspec import to_builtins
from msgspec.structs import replace
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.locale import admonitionlabels

from pipeline.adapters import files
from pipeline.adapters.memo import Memo, digest_of, versions_of
from pipeline.site.extension.navigation.toctree import Mark
from pipeline.site.extension.nodes import english, is_html, term_note
from pipeline.site.extension.own_pages import HEADS, reach_of, spots
from pipeline.site.extension.records import read_facts
from pipeline.site.names import GLOSSARY
from pipeline.site.search.index import files_of, to_json
from pipeline.site.search.pieces import Block, SearchedPage, searched_page
from pipeline.site.texts import text

FOLDER = "_search"  # folder of the site with the index files
# Nodes without text to search for.
_SKIPPED = (nodes.Invisible, nodes.math_block)
# Parts of a signature whose ``astext`` adds parentheses, commas and the arrow. The texts of their
# children lack these.
_PUNCTUATED = (addnodes.desc_parameterlist, addnodes.desc_returns)
# Classes of nodes whose text is an aside: titles of other pages, and outputs of code.
_ASIDES = frozenset(("toctree-wrapper", "cell_output"))
# Tags that end a line of text: breaks, and the tags of block elements.
_LINE_END = re.compile(
    r"<(?:br|/?(?:p|div|li|tr|t[dh]|h\d|pre|table|dt|dd|summary|details|section))\b[^>]*>",
    re.IGNORECASE,
)
_NO_TEXT = re.compile(r"<(script|style|svg)\b.*?</\1>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
# An argument with an underscore in a signature: ``hot_plates`` in ``(x, hot_plates=1)``.
_ARGUMENT = re.compile(r"(?:^\(|, ?)\**(?=\w*_)([a-z]\w+)")
# Escape codes of programs that print to a terminal.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def setup(app: Sphinx) -> None:
    """Connect the collection of words and the writing of the index."""
    app.connect("builder-inited", replace_search)
    app.connect("build-finished", write_index)
    # The first script must be loaded first, because the two others use it.
    app.add_js_file("search.js", priority=800, loading_method="defer")
    app.add_js_file("search-box.js", priority=801, loading_method="defer")
    app.add_js_file("search-marks.js", priority=802, loading_method="defer")


def replace_search(app: Sphinx) -> None:
    """Disable Sphinx's own index, and call ``save_record`` for each written page instead."""
    builder: Any = app.builder
    builder.search = False
    # Sphinx calls ``index_page`` with the complete doctree of each page that it writes.
    builder.index_page = partial(save_record, app)


def save_record(app: Sphinx, page: str, document: nodes.document, title: str) -> None:
    """Save the index record of one page. ``title`` is not used: headings include the title."""
    searched = searched_page(blocks_of(document), is_translated=_is_translated(document))
    # JSON may contain a lone surrogate, which has no UTF-8: it becomes a question mark.
    record = to_json(to_builtins(searched)).encode("utf-8", "replace")
    files.write_if_changed(_record(app.doctreedir, page), record, flush=False)


def _record(doctrees: str | Path, page: str) -> Path:
    """Return the path of a page's index record."""
    return Path(doctrees, "search", f"{page}.json")


def _is_translated(document: nodes.document) -> bool:
    """Return whether a page has at least as many translated blocks as English ones."""
    waiting = 0
    for node in document.findall(nodes.Element):
        # Skip ``english`` nodes: they have the numbers of blocks that are counted already.
        if "jz" in node and not isinstance(node, english):
            waiting += 1 if "jz-english" in node["classes"] else -1
    return waiting <= 0


def blocks_of(node: nodes.Element, *, is_aside: bool = False) -> Iterator[Block]:
    """Yield the texts below a node. With ``is_aside``, they are asides, which rank lower."""
    if isinstance(node, english):
        yield Block(english=_Words(node).text, is_aside=is_aside)
    elif isinstance(node, nodes.raw):
        words = _words_of_html(node, node.astext())
        # ``bilingual.writer`` inserts this English into the HTML later.
        other = _words_of_html(node, node.get("jz_english", ""))
        yield Block(text=words, english=other, is_aside=is_aside)
    elif "jz_signature_of" in node:
        yield _block_of_signature(node["jz_signature_of"], node.astext())
    elif isinstance(node, addnodes.desc_signature):
        yield from _blocks_of_object(node)
    elif isinstance(node, addnodes.desc_content):
        yield from _blocks_of_docstring(node)
    elif isinstance(node, _SKIPPED):
        return
    elif isinstance(node, nodes.TextElement):
        yield _block_of(node, is_aside=is_aside)
    else:
        is_aside |= not _ASIDES.isdisjoint(node["classes"])
        yield from _written_later(node)
        for child in filter(_is_element, node.children):
            yield from blocks_of(child, is_aside=is_aside)


def _is_element(node: nodes.Node) -> TypeGuard[nodes.Element]:
    """Return whether a node is an element, not a text."""
    return isinstance(node, nodes.Element)


def _block_of(node: nodes.TextElement, *, is_aside: bool) -> Block:
    """Return the text of a paragraph, heading, code block or similar node.

    A node that documents an object has the object's full name in ``jz_name``. If the node's text
    lacks this name, the name is the text of the block.
    """
    # In a page's glossary, the English term below a Chinese one has the class ``jz-en``.
    words = _Words(node, as_english="jz-en" in node["classes"])
    anchor = None
    if isinstance(node, nodes.title) and isinstance(node.parent, nodes.section):
        anchor = "".join(node.parent["ids"][:1])
    name = node.get("jz_name", "")
    return Block(
        text=words.text if name in words.text else name,
        english=words.english,
        anchor=anchor,
        names=(name,) if name else (),
        is_aside=is_aside,
    )


def _block_of_signature(name: str, signature: str) -> Block:
    """Return the arguments in the signature of ``name``: ``(fun, hot_plates=1)`` → hot_plates.

    Arguments without ``_`` are left out: hundreds of functions have an ``axis``.
    """
    arguments = tuple(_ARGUMENT.findall(signature))
    owner = name.rpartition(".")[2]
    return Block(english=" ".join(arguments), owner=owner, arguments=arguments, is_aside=True)


def _blocks_of_object(signature: addnodes.desc_signature) -> Iterator[Block]:
    """Yield the full name of an object as a heading, then the object's signature."""
    words = _Words(signature).text
    name = ".".join(filter(None, (signature.get("module"), signature.get("fullname"))))
    yield Block(text=name, anchor="".join(signature["ids"][:1]), names=(name,))
    _, bracket, arguments = words.partition("(")
    yield Block(
        text=words,
        owner=name.rpartition(".")[2],
        arguments=tuple(_ARGUMENT.findall(bracket + arguments)),
    )


def _blocks_of_docstring(content: addnodes.desc_content) -> Iterator[Block]:
    """Yield the texts of a docstring. The summary is the first paragraph, in both languages."""
    is_summary = True
    for number, child in enumerate(filter(_is_element, content.children)):
        is_first = isinstance(child, nodes.paragraph) and number == 0
        is_summary &= is_first or isinstance(child, english)
        for block in blocks_of(child):
            yield replace(block, is_summary=is_summary)


def _written_later(node: nodes.Element) -> Iterator[Block]:
    """Yield text that a node gets only when Sphinx writes the page.

    These texts are the English of the entries of a table of contents, and the title of an
    admonition, such as 警告.
    """
    marks: Sequence[Mark] = node.get("jz_marks", ())
    for mark in marks:
        yield Block(english=mark.english, is_aside=True)
    # Sphinx gives a title to ``warning`` and similar nodes. An ``admonition`` has its title on the
    # page.
    if isinstance(node, nodes.Admonition) and node.tagname in admonitionlabels:
        yield Block(text=str(admonitionlabels[node.tagname]))


class _Words:
    """Visible words of a node, and the words of the English nodes inside it."""

    def __init__(self, node: nodes.Element, *, as_english: bool = False) -> None:
        """Collect the words; with ``as_english``, all of them count as English."""
        self._text: list[str] = []
        self._english: list[str] = []
        self._gather(node, self._english if as_english else self._text)
        self.text = _COLOURS.sub("", "".join(self._text))
        self.english = "".join(self._english)

    def _gather(self, node: nodes.Element, words: list[str]) -> None:
        """Append the text of a node to ``words``, but text of ``english`` nodes to the English."""
        for child in node.children:
            if isinstance(child, nodes.Text):
                words.append(child.astext())
            elif isinstance(child, english):
                self._gather(child, self._english)
            elif isinstance(child, nodes.raw):
                words.append(_words_of_html(child, child.astext()))
            elif isinstance(child, _PUNCTUATED):
                words.append(child.astext())
            elif isinstance(child, nodes.Element) and _is_shown(child):
                # A paragraph inside a link, as in cards, becomes a line of its own.
                is_inline = isinstance(child, nodes.Inline | term_note)
                edge = "" if is_inline else "\n"
                words.append(edge)
                self._gather(child, words)
                words.append(edge)


def _is_shown(node: nodes.Element) -> bool:
    """Return whether a node inside a paragraph is visible."""
    if isinstance(node, nodes.target):
        return True  # for docutils a target is invisible, but browsers show the words in it
    return not isinstance(node, _SKIPPED)


def _words_of_html(raw: nodes.raw, html: str) -> str:
    """Return the words of ``html``, the content of ``raw``, with a line break at each block.

    ``<p>one</p><p>two</p>`` → ``one`` and ``two`` on separate lines.
    """
    if not is_html(raw):
        return ""
    html = _NO_TEXT.sub(" ", html)
    return unescape(_TAG.sub("", _LINE_END.sub("\n", html)))


def write_index(app: Sphinx, problem: Exception | None) -> None:
    """Write the index files that have changed, and remove those that are no longer needed."""
    if problem is not None:
        return
    folder = Path(app.outdir, FOLDER)
    synonyms = read_facts(app, "synonyms")
    site = app.config.jz_site
    scripts = files_of(
        _pages(app),
        synonyms,
        _readings(app, synonyms),
        package=site["package"],
        usual_names=site["usual"],
        elsewhere=dict.fromkeys(site["shared"], site["pinned"]),
    )
    paths = {folder / f"{name}.js": script for name, script in scripts.items()}
    for path, script in paths.items():
        files.write_if_changed(path, script.encode("utf-8", "replace"), flush=False)
    files.remove_files([path for path in folder.rglob("*.js") if path not in paths])


def _readings(app: Sphinx, synonyms: Sequence[Sequence[Any]]) -> dict[str, str]:
    """Return the pinyin of all synonyms, ``{"水壶": "shui hu"}``; empty for other languages."""
    if not app.config.language.startswith("zh"):
        return {}
    words = {word for asked, others, *_ in synonyms for word in (*asked, *others)}
    terms = sorted(word for word in words if not word.isascii())
    memo = Memo(Path(app.config.jz_site["cache"], "readings.json"), dict[str, str])
    key = digest_of(*versions_of(("pypinyin",)), *terms)
    readings = memo.get(app.config.language, key)
    if readings is None:
        readings = readings_of(terms)
        memo.put(app.config.language, key, readings)
        memo.save()
    return readings


def _pages(app: Sphinx) -> dict[str, SearchedPage]:
    """Return the index record of each page, in reading order."""
    site = app.config.jz_site
    pages: dict[str, SearchedPage] = {}
    for page in _reading_order(app):
        # Take the records of shared pages from the pinned site, which was built before.
        is_shared = page in site["shared"]
        doctrees = site["pinned_doctrees"] if is_shared else app.doctreedir
        file = _record(doctrees, page)
        # Pages can opt out of the search.
        is_hidden = {"nosearch", "no-search"} & app.env.metadata.get(page, {}).keys()
        if page in app.env.found_docs and not is_hidden and file.is_file():
            pages[page] = SearchedPage(**json.loads(file.read_bytes()))
    pages[site["own_pages"][GLOSSARY]] = _glossary(app)
    return pages


def _reading_order(app: Sphinx) -> list[str]:
    """Return all pages: first those that the first page links to, then the others.

    Each group is in the order of the tables of contents, with unlisted pages last.
    """
    root = app.config.root_doc
    listed = dict.fromkeys([*spots(app.env, root), *sorted(app.env.found_docs)])
    reach = reach_of(app.env, root)
    is_far = {page: page not in reach or reach[page].steps > 1 for page in listed}
    return sorted(listed, key=is_far.__getitem__)


def _glossary(app: Sphinx) -> SearchedPage:
    """Return the index record of the glossary, with a line for each term."""
    rows = read_facts(app, "glossary")
    words = [(row["english"], *row["renderings"], *row["avoided"], row["note"]) for row in rows]
    locale = app.config.language
    title = Block(text=text(locale, "glossary"), anchor="")
    heads = Block(text="\n".join(text(locale, key) for key in HEADS))
    lines = Block(text="\n".join(map(" ".join, words)))
    return searched_page((title, heads, lines), is_translated=True)


def readings_of(words: Iterable[str]) -> dict[str, str]:
    """Return the pinyin of each word, with spaces between syllables.

    ``["向量化"]`` → ``{"向量化": "xiang liang hua"}``
    """
    # imported here, because its dictionary takes half a second to load
    from pypinyin import lazy_pinyin

    return {word: " ".join(" ".join(lazy_pinyin(word)).lower().split()) for word in words}
