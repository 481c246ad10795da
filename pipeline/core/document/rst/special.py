"""Directives whose content is no plain blocks: each form of content has its class here.

:func:`directive_class` gives the class for a name. What a class does not read goes into the
signature of its node, so that it has to stay.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList

from pipeline.core.document.message import Kind
from pipeline.core.document.rst.csv_cells import QUOTE, Field, rows
from pipeline.core.document.rst.directives import Body, Directive, directive_of
from pipeline.core.document.rst.finding import term, words_at
from pipeline.core.document.rst.holding import Held, held
from pipeline.core.document.rst.lines import Place

_CARD_RULE = re.compile(r"\^{3,}\s*|\+{3,}\s*")  # between header, body and footer
# An entry of a table of contents with a title of its own: "Some title <page>".
_ENTRY = re.compile(r"(.+?)\s*(?<!\\)<([^<]*?)>")


class Opaque(Held):
    """Nothing in it is words."""

    def fill(self, node: held) -> None:
        """Keep every line."""
        node["signature"] += tuple(self.content)


class Unknown(Opaque):
    """Nobody knows what it holds, and a person should know that."""

    def fill(self, node: held) -> None:
        """Keep every line, and say why."""
        super().fill(node)
        node["lost"] = f'what the directive "{self.name}" holds is not known'
        node["first"] = self.number(self.lineno)


class Code(Held):
    """Code."""

    def fill(self, node: held) -> None:
        """Keep the content as code: the guard compares it by itself, as what is run."""
        node["code"] = "\n".join(self.content)


class Card(Held):
    """Blocks in up to three parts, with rules between them that would be titles' elsewhere.

    .. card:: Some title

       A header
       ^^^
       Words of the body.
       +++
       A footer
    """

    def fill(self, node: held) -> None:
        """Read each part by itself."""
        start = 0
        for index, line in enumerate(self.content):
            if _CARD_RULE.fullmatch(line):
                self._part(node, start, index, line)
                start = index + 1
        self._part(node, start, len(self.content), "")

    def _part(self, node: held, start: int, end: int, rule: str) -> None:
        """Add the lines ``[start, end)`` of the content, which ``rule`` ends."""
        part = held(kind=self.form.paragraphs, signature=(rule,))
        self.blocks(self.content[start:end], self.content_offset + start, part)
        node += part


class Quote(Held):
    """A quotation; an attribution may close it: ``-- Somebody``."""

    def fill(self, node: held) -> None:
        """Read the content as docutils reads an indented block."""
        state: Any = self.state
        node += state.block_quote(self.content, self.content_offset)


class Replacement(Held):
    """What stands for a substitution: one paragraph, of which only the text stays."""

    def run(self) -> list[nodes.Node]:
        """The words, for docutils to put into the definition: ``.. |name| replace:: words``."""
        node = held(kind=self.form.paragraphs, signature=(self.name,))
        self.blocks(self.content, self.content_offset, node)
        if len(node) == 1 and isinstance(node[0], nodes.paragraph):
            return list(node[0].children)
        # Blocks cannot stand in a line: docutils will complain, and all of it has to stay.
        return [node]


class ListTable(Held):
    """A list of lists: what stands right in the inner ones is cells.

    .. list-table::

       * - first cell
         - second cell
    """

    def fill(self, node: held) -> None:
        """Read the lists, and mark the items of the inner ones as cells."""
        self.blocks(self.content, self.content_offset, node)
        for row in _items(node):
            for item in _items(row):
                item["cell"] = True


def _items(node: nodes.Element) -> list[nodes.Element]:
    """The items of the bullet lists right in ``node``, and of no list further down."""
    items: list[nodes.Element] = []
    for item in node.findall(nodes.list_item):
        bullets = item.parent
        if isinstance(bullets, nodes.bullet_list) and bullets.parent is node:
            items.append(item)
    return items


class CsvTable(Held):
    """Comma-separated cells, in the content and in the option ``header``.

    .. csv-table::
       :header: Name, "What it is, in short"

       one, "a cell"
    """

    def fill(self, node: held) -> None:
        """Read the header and then the content, each as rows of cells.

        The header may have several lines, like any option.
        """
        self._rows(node, "header", list(self.option_lines("header")))
        self._rows(node, "row", list(enumerate(self.content, self.content_offset + 1)))
        # The words of the header stand in the tree now, or in the signature of a lost row.
        signature = node["signature"]
        kept = [part for part in signature if not part.startswith("header=")]
        node["signature"] = tuple(kept)

    def _rows(self, node: held, name: str, lines: list[tuple[int, str]]) -> None:
        """Add the rows that ``lines`` hold, each with its number by docutils' count."""
        texts = [line for _, line in lines]
        found = rows(texts, self.options)
        if found is None:
            node += held(
                kind=Kind.TABLE_CELL,
                signature=(name, *texts),
                lost="its CSV is of a dialect that is not read here",
                first=self.number(self.lineno),
            )
            return
        for row in found:
            cells = [self._cell(field, lines) for field in row]
            node += held("", *cells, kind=Kind.TABLE_CELL, signature=(name,))

    def _cell(self, field: Field, lines: list[tuple[int, str]]) -> nodes.Element:
        """A field: its words if it is one paragraph; else what it holds stays as it is."""
        state: Any = self.state
        cell = nodes.entry()
        first = self.number(lines[field.start[0]][0])
        texts = field.text.split("\n")
        block = StringList(texts, items=[("", first)] * len(texts))
        # The lines of a field are no lines of the page: nothing is found while they are read.
        with state.finder.failing("there is more than one paragraph in a field of CSV"):
            self.blocks(block, 0, cell)
        is_paragraph = len(cell) == 1 and isinstance(cell[0], nodes.paragraph)
        if not is_paragraph or cell.astext() != field.text.strip():
            return cell
        start = state.offset(*lines[field.start[0]], field.start[1])
        end = state.offset(*lines[field.end[0]], field.end[1])
        words = words_at(field.text, Place(((start, end),), quote=QUOTE), first)
        cell[:] = [nodes.paragraph("", "", words)]
        return cell


class Glossary(Held):
    """A list of definitions, of which several terms may share one.

    .. glossary::

       array
       tensor
          A definition of both.
    """

    def fill(self, node: held) -> None:
        """Read each term with its definition. Comments and what stands above all terms are kept."""
        # Terms stand at the left; what is said of them is indented.
        lines = enumerate(self.content)
        starts = [index for index, line in lines if line[:1].strip()]
        above = tuple(self.content[: min(starts, default=0)])
        if above:
            node["signature"] += above
            node["lost"] = "it stands before the first term of a glossary"
            node["first"] = self.number(self.lineno)
        items: list[nodes.Element] = []
        for start, end in pairwise([*starts, len(self.content)]):
            if self.content[start].startswith(".. "):  # a comment
                node["signature"] += tuple(self.content[start:end])
                continue
            # Terms right below each other share a definition: one that has it is complete.
            if not items or isinstance(items[-1][-1], nodes.definition):
                items.append(nodes.definition_list_item())
                node += items[-1]
            self._entry(items[-1], start, end)

    def _entry(self, item: nodes.Element, start: int, end: int) -> None:
        """Add the term in line ``start`` of the content to ``item``, and what is said of it.

        The lines up to ``end`` are its definition; if all are blank, the next term has it.
        """
        lineno = self.content_offset + start + 1
        item += term(self.state, self.content[start], lineno)
        block, _, _ = self.content[start + 1 : end].get_indented()
        if any(block):
            definition = nodes.definition()
            item += definition
            self.blocks(block, lineno, definition)


class TocTree(Held):
    """Documents, some with a title of their own: ``Some title <page>``."""

    def fill(self, node: held) -> None:
        """Read each line as an entry. Only a title of its own is words."""
        for number, line in enumerate(self.content, self.content_offset + 1):
            entry = _ENTRY.fullmatch(line)
            if entry is None:
                node += held(kind=Kind.TITLE, signature=("entry", line))
                continue
            title = self.words(line, number, entry.end(1))
            node += held("", title, kind=Kind.TITLE, signature=("entry", entry[2]))


_READERS: dict[Body, type[Held]] = {
    Body.BLOCKS: Held,
    Body.CODE: Code,
    Body.OPAQUE: Opaque,
    Body.UNKNOWN: Unknown,
    Body.CARD: Card,
    Body.QUOTE: Quote,
    Body.REPLACEMENT: Replacement,
    Body.LIST_TABLE: ListTable,
    Body.CSV_TABLE: CsvTable,
    Body.GLOSSARY: Glossary,
    Body.TOCTREE: TocTree,
}


@lru_cache(maxsize=1 << 10)
def directive_class(name: str) -> type[Held]:
    """The class that reads the directive of this name."""
    form: Directive = directive_of(name)
    return _READERS[form.body].of(form)
