"""Directives whose content has a form of its own: cards, quotations, tables, glossaries, tables of contents."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList

from pipeline.core.document.message import Kind
from pipeline.core.rst.csv_cells import QUOTE, Field, rows
from pipeline.core.rst.finding import term, words_at
from pipeline.core.rst.holding import Held, Titled, held
from pipeline.core.rst.lines import Place

_CARD_RULE = re.compile(r"\^{3,}\s*|\+{3,}\s*")  # between header, body and footer
_ENTRY = re.compile(r"(.+?)\s*(?<!\\)<([^<]*?)>")  # of a table of contents, with a title of its own


class Card(Titled):
    """Blocks in up to three parts, with rules between them that would be titles' elsewhere."""

    def fill(self, node: held) -> None:
        start = 0
        ends = [
            (index, line) for index, line in enumerate(self.content) if _CARD_RULE.fullmatch(line)
        ]
        for index, line in [*ends, (len(self.content), "")]:
            part = held(kind=self.kind, signature=(line,))
            self.blocks(self.content[start:index], self.content_offset + start, part)
            node += part
            start = index + 1


class Quote(Held):
    """A quotation; an attribution may close it."""

    def fill(self, node: held) -> None:
        state: Any = self.state
        node += state.block_quote(self.content, self.content_offset)


class Replace(Held):
    """What stands for a substitution: one paragraph, of which only the text stays."""

    option_spec = None

    def run(self) -> list[nodes.Node]:
        node = held(kind=self.kind, signature=(self.name,))
        self.blocks(self.content, self.content_offset, node)
        return (
            list(node[0].children)
            if len(node) == 1 and isinstance(node[0], nodes.paragraph)
            else [node]
        )


class ListTable(Titled):
    """A list of lists: what stands right in the inner ones is cells."""

    def fill(self, node: held) -> None:
        self.blocks(self.content, self.content_offset, node)
        for row in _items(node):
            for item in _items(row):
                item["cell"] = True


def _items(node: nodes.Element) -> list[nodes.Element]:
    """The items of the lists right in ``node``."""
    return [
        item
        for child in node.children
        if isinstance(child, nodes.bullet_list)
        for item in child.findall(nodes.list_item)
        if item.parent is child
    ]


class CsvTable(Titled):
    """Comma-separated cells, in the content and in the option ``header``."""

    def fill(self, node: held) -> None:
        content = list(enumerate(self.content, self.content_offset + 1))
        for name, lines in (("header", list(self.option_lines("header"))), ("row", content)):
            texts = [line for _, line in lines]
            found = rows(texts, self.options)
            if found is None:
                reason, first = (
                    "its CSV is of a dialect that is not read here",
                    self.number(self.lineno),
                )
                node += held(
                    kind=Kind.TABLE_CELL, signature=(name, *texts), lost=reason, first=first
                )
            for row in found or ():
                node += held(
                    "",
                    *(self._cell(field, lines) for field in row),
                    kind=Kind.TABLE_CELL,
                    signature=(name,),
                )
        node["signature"] = tuple(
            value for value in node["signature"] if not value.startswith("header=")
        )

    def _cell(self, field: Field, lines: list[tuple[int, str]]) -> nodes.Element:
        """A field: its words if it is one paragraph; else what it holds stays as it is."""
        state: Any = self.state
        cell = nodes.entry()
        first = self.number(lines[field.start[0]][0])
        texts = field.text.split("\n")
        with state.finder.failing("there is more than one paragraph in a field of CSV"):
            self.blocks(StringList(texts, items=[("", first)] * len(texts)), 0, cell)
        if (
            len(cell) == 1
            and isinstance(cell[0], nodes.paragraph)
            and cell.astext() == field.text.strip()
        ):
            start, end = (
                state.offset(*lines[index], column) for index, column in (field.start, field.end)
            )
            cell[:] = [
                nodes.paragraph(
                    "", "", words_at(field.text, Place(((start, end),), quote=QUOTE), first)
                )
            ]
        return cell


class Glossary(Held):
    """A list of definitions, of which several terms may share one."""

    def fill(self, node: held) -> None:
        starts = [
            index for index, line in enumerate(self.content) if line and not line[0].isspace()
        ]
        if stray := tuple(self.content[: starts[0] if starts else 0]):
            node["signature"] += stray
            node["lost"], node["first"] = (
                "it stands before the first term of a glossary",
                self.number(self.lineno),
            )
        item = nodes.definition_list_item()
        for start, end in pairwise([*starts, len(self.content)]):
            line = self.content[start]
            if line.startswith(".. "):  # a comment
                node["signature"] += tuple(self.content[start:end])
                continue
            if not item.parent or isinstance(item[-1], nodes.definition):
                item = nodes.definition_list_item()
                node += item
            item += term(self.state, line, self.content_offset + start + 1)
            block, _, _ = self.content[start + 1 : end].get_indented()
            if any(block):
                definition = nodes.definition()
                item += definition
                self.blocks(block, self.content_offset + start + 1, definition)


class TocTree(Held):
    """Documents, some with a title of their own."""

    words_of: ClassVar = {"caption": Kind.CAPTION}

    def fill(self, node: held) -> None:
        for number, line in enumerate(self.content, self.content_offset + 1):
            match = _ENTRY.fullmatch(line)
            title = [self.words(line, number, match.end(1))] if match else []
            node += held(
                "", *title, kind=Kind.TITLE, signature=("entry", match[2] if match else line)
            )
