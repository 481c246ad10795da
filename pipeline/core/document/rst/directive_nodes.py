"""Classes of directives, which put the words of a directive into docutils' tree.

The classes do not execute directives. There is one class for each form of content. The table in
:mod:`pipeline.core.document.directives` defines which parts of a directive are words. The other
parts become the signature of the node, so that the guard notices if a merge changes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive as DocutilsDirective
from docutils.statemachine import StringList

from pipeline.core.document import directives
from pipeline.core.document.directives import Body, Directive, Field
from pipeline.core.document.message import Kind
from pipeline.core.document.prose import why_raw
from pipeline.core.document.rst.positions import Place, Words, term, words_at

_OPTION = re.compile(r"\s*:([\w-]+):(?:\s+(.*))?")


class directive_node(nodes.General, nodes.Inline, nodes.Element):  # noqa: N801  # as docutils' nodes are
    """The node of a directive, or of a part of one.

    Its attributes are:

    - ``kind``: the kind of its paragraphs
    - ``signature``: the parts that a merge must not change
    - ``code``: its code, if any
    - ``lost``: why its content stays English; absent if it is translated
    - ``first``: the 0-based line number of the content that stays English
    """


class _AnyOption(dict[str, Callable[[str | None], str]]):
    """Table of options that accepts every option unchanged, without validation."""

    def __bool__(self) -> bool:
        """Return True: for docutils, an empty table would mean that there are no options."""
        return True

    def __getitem__(self, name: str) -> Callable[[str | None], str]:
        """Return the function by which docutils converts the value of the option ``name``."""
        return _as_written


def _as_written(value: str | None) -> str:
    """Return the value of an option unchanged, or "" for an option without a value (None)."""
    return value or ""


class BlockDirective(DocutilsDirective):
    """A directive whose content is blocks. Subclasses read other forms of content."""

    form: ClassVar[Directive]
    has_content = True

    @classmethod
    def of(cls, form: Directive) -> type[BlockDirective]:
        """Return a subclass for a row of the table, with the attributes that docutils expects."""
        count = form.required_arguments + form.optional_arguments
        members = {
            "form": form,
            "required_arguments": form.required_arguments,
            "optional_arguments": form.optional_arguments,
            "final_argument_whitespace": count > 0,
            "option_spec": _AnyOption() if form.takes_options else None,
        }
        return type(cls.__name__, (cls,), members)

    def run(self) -> list[nodes.Node]:
        """Return the node of the directive. docutils calls this method for every directive.

        Words become leaves of the tree, and all other parts the ``signature``:

            .. figure:: a.png        a node, signature ("figure", "a.png", "alt=", "width=3em"),
               :alt: Some words      with a leaf "Some words" and a paragraph
               :width: 3em

               What it shows.
        """
        form = self.form
        node = directive_node(kind=form.paragraphs)
        node.line = self.number(self.lineno) + 1
        kept = list(self.arguments)
        count = form.required_arguments + form.optional_arguments
        # Only the last argument is prose. It may be missing: for example, ``versionadded`` needs a
        # version, but no comment.
        if form.argument and len(kept) == count:
            node += directive_node("", self._argument(kept.pop()), kind=form.argument)
        options = dict(self.options)
        for name, kind in form.options.items():
            words = self._option(name)
            if words is not None:
                node += directive_node("", words, kind=kind)
                options[name] = ""  # the tree has the value
        settings = sorted(f"{name}={value}" for name, value in options.items())
        node["signature"] = (self.name, *kept, *settings)
        self.fill(node)
        return [node]

    def fill(self, node: directive_node) -> None:
        """Add the content of the directive to ``node``."""
        self.blocks(self.content, self.content_offset, node)

    def blocks(self, content: StringList, offset: int, node: nodes.Element) -> None:
        """Parse ``content`` as blocks of ``node``.

        ``offset`` is the number of lines above the content, as docutils counts them.
        """
        self.state.nested_parse(content, offset, node)

    def words(self, text: str, lineno: int, end: int | None = None) -> Words:
        """Return ``text[:end]``, which begins on docutils' line ``lineno``, as a leaf."""
        state: Any = self.state
        found: Words = state.words(text, lineno, end)
        return found

    def number(self, lineno: int) -> int:
        """Return the 0-based line number in the document of docutils' line ``lineno``."""
        state: Any = self.state
        numbers: list[int] = state.numbers(lineno)
        return numbers[0]

    def option_lines(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield docutils' line number and the text of each line of an option's value.

        For ``alt`` of this figure on line 5, they are (7, "Some words") and (8, "go on"):

            .. figure:: a.png
               :width: 3em
               :alt: Some words
                  go on
        """
        is_named = False
        for number, line in enumerate(self.block_text.split("\n")[1:], self.lineno + 1):
            if not line.strip():
                return  # a blank line ends the options
            text = line
            option = _OPTION.fullmatch(line)
            if option:
                is_named = option[1].lower() == name
                text = option[2] or ""
            # Any other line continues the option above it.
            text = text.strip()
            if is_named and text:
                yield number, text

    def _argument(self, text: str) -> Words:
        """Return the last argument as a leaf. It may begin below the first line."""
        count = self.block_text.count("\n") + 1
        for number in range(self.lineno, self.lineno + count):
            words = self.words(text, number)
            if words.place:
                return words
        return self.words(text, self.lineno)

    def _option(self, name: str) -> Words | None:
        """Return the value of an option as a leaf, or None if the option is missing."""
        lines = list(self.option_lines(name))
        if not lines:
            return None
        text = "\n".join(line for _, line in lines)
        # docutils may have used other lines, for example if an option occurs twice. The place is
        # unknown in this case.
        if text.split() != self.options.get(name, "").split():
            return words_at(text, None, self.number(self.lineno))
        return self.words(text, lines[0][0])


_CARD_RULE = re.compile(r"\^{3,}\s*|\+{3,}\s*")  # between the parts of a card
# A toctree entry with a title: "Some title <page>".
_ENTRY = re.compile(r"(.+?)\s*(?<!\\)<([^<]*?)>")


class Opaque(BlockDirective):
    """A directive without words."""

    def fill(self, node: directive_node) -> None:
        """Add every line to the signature."""
        node["signature"] += tuple(self.content)


class Unknown(Opaque):
    """A directive that is not in the table. It stays English and is reported."""

    def fill(self, node: directive_node) -> None:
        """Add every line to the signature, and record the reason."""
        super().fill(node)
        node["lost"] = f'the content of the directive "{self.name}" is unknown'
        node["first"] = self.number(self.lineno)


class Raw(Opaque):
    """A directive with source of one output format. Words in HTML stay English."""

    def fill(self, node: directive_node) -> None:
        """Add every line to the signature.

        If readers see words of the content, record why they stay English.
        """
        super().fill(node)
        if why := why_raw(*"\n".join([*self.content, ""]).split("\n", 1)):
            node["lost"] = why
            node["first"] = self.number(self.lineno)


class Code(BlockDirective):
    """A directive with code."""

    def fill(self, node: directive_node) -> None:
        """Store the content as code, which the guard compares with upstream's."""
        node["code"] = "\n".join(self.content)


class Card(BlockDirective):
    """Blocks in up to three parts, with rules between the parts.

    In other directives, the same rules would be the underlines of titles.

    .. card:: Some title

       A header
       ^^^
       Words of the body.
       +++
       A footer
    """

    def fill(self, node: directive_node) -> None:
        """Parse each part on its own."""
        start = 0
        for index, line in enumerate(self.content):
            if _CARD_RULE.fullmatch(line):
                self._part(node, start, index, line)
                start = index + 1
        self._part(node, start, len(self.content), "")

    def _part(self, node: directive_node, start: int, end: int, rule: str) -> None:
        """Add the lines ``[start, end)`` of the content as a part. ``rule`` is the next line."""
        part = directive_node(kind=self.form.paragraphs, signature=(rule,))
        self.blocks(self.content[start:end], self.content_offset + start, part)
        node += part


class Quote(BlockDirective):
    """A quotation that may end with an attribution: ``-- Somebody``."""

    def fill(self, node: directive_node) -> None:
        """Parse the content as an indented block, in which docutils finds an attribution."""
        state: Any = self.state
        node += state.block_quote(self.content, self.content_offset)


class Replacement(BlockDirective):
    """The text of a substitution, a single paragraph: ``.. |name| replace:: words``."""

    def run(self) -> list[nodes.Node]:
        """Return the words, without a node for the directive."""
        node = directive_node(kind=self.form.paragraphs, signature=(self.name,))
        self.blocks(self.content, self.content_offset, node)
        if len(node) == 1 and isinstance(node[0], nodes.paragraph):
            return list(node[0].children)
        # Other blocks in a substitution are an error. docutils reports it, and all words of the
        # substitution stay English.
        return [node]


class ListTable(BlockDirective):
    """A table in the form of a list of lists. The items of the inner lists are cells.

    .. list-table::

       * - first cell
         - second cell
    """

    def fill(self, node: directive_node) -> None:
        """Parse the lists, and mark the items of the inner ones as cells."""
        self.blocks(self.content, self.content_offset, node)
        for row in _items(node):
            for item in _items(row):
                item["cell"] = True


def _items(node: nodes.Element) -> list[nodes.Element]:
    """Return the items of bullet lists that are direct children of ``node``."""
    items: list[nodes.Element] = []
    for item in node.findall(nodes.list_item):
        bullets = item.parent
        if isinstance(bullets, nodes.bullet_list) and bullets.parent is node:
            items.append(item)
    return items


class CsvTable(BlockDirective):
    """A table of comma-separated cells, in the content and in the option ``header``.

    .. csv-table::
       :header: Name, "What it is, in short"

       one, "a cell"
    """

    def fill(self, node: directive_node) -> None:
        """Add the header and the content, each as rows of cells.

        The header may take several lines.
        """
        self._rows(node, "header", list(self.option_lines("header")))
        self._rows(node, "row", list(enumerate(self.content, self.content_offset + 1)))
        # Remove the header from the signature: its text is either in cells of the tree, or in the
        # signature of its row.
        signature = node["signature"]
        kept = [part for part in signature if not part.startswith("header=")]
        node["signature"] = tuple(kept)

    def _rows(self, node: directive_node, name: str, lines: list[tuple[int, str]]) -> None:
        """Add the rows in ``lines``, which are pairs of a line number of docutils and a text."""
        texts = [line for _, line in lines]
        found = directives.csv_fields(texts, self.options)
        if found is None:
            node += directive_node(
                kind=Kind.TABLE_CELL,
                signature=(name, *texts),
                lost="its dialect of CSV is not supported",
                first=self.number(self.lineno),
            )
            return
        for row in found:
            cells = [self._cell(field, lines) for field in row]
            node += directive_node("", *cells, kind=Kind.TABLE_CELL, signature=(name,))

    def _cell(self, field: Field, lines: list[tuple[int, str]]) -> nodes.Element:
        """Return the cell of a field.

        If the field is a single paragraph, the cell has one leaf. If not, the cell has blocks, and
        their words have no place.
        """
        state: Any = self.state
        cell = nodes.entry()
        first = self.number(lines[field.start[0]][0])
        texts = field.text.split("\n")
        block = StringList(texts, items=[("", first)] * len(texts))
        # The lines of the field are not lines of the page, so their words have no place.
        with state.finder.failing("there is more than one paragraph in a field of CSV"):
            self.blocks(block, 0, cell)
        is_paragraph = len(cell) == 1 and isinstance(cell[0], nodes.paragraph)
        if not is_paragraph or cell.astext() != field.text.strip():
            return cell
        start = state.offset(*lines[field.start[0]], field.start[1])
        end = state.offset(*lines[field.end[0]], field.end[1])
        words = words_at(field.text, Place(((start, end),), quote=directives.QUOTE), first)
        cell[:] = [nodes.paragraph("", "", words)]
        return cell


class Glossary(BlockDirective):
    """A definition list in which several terms may share a definition.

    .. glossary::

       array
       tensor
          A definition of both.
    """

    def fill(self, node: directive_node) -> None:
        """Add each term with its definition.

        Add comments, and the lines before the first term, to the signature.
        """
        # Terms are not indented, and definitions are.
        lines = enumerate(self.content)
        starts = [index for index, line in lines if line[:1].strip()]
        above = tuple(self.content[: min(starts, default=0)])
        if above:
            node["signature"] += above
            node["lost"] = "it is before the first term of a glossary"
            node["first"] = self.number(self.lineno)
        items: list[nodes.Element] = []
        for start, end in pairwise([*starts, len(self.content)]):
            if self.content[start].startswith(".. "):  # a comment
                node["signature"] += tuple(self.content[start:end])
                continue
            # Consecutive terms share a definition, so an item ends with its definition.
            if not items or isinstance(items[-1][-1], nodes.definition):
                items.append(nodes.definition_list_item())
                node += items[-1]
            self._entry(items[-1], start, end)

    def _entry(self, item: nodes.Element, start: int, end: int) -> None:
        """Add the term on line ``start`` of the content to ``item``, with its definition.

        The definition is the lines up to ``end``. If all of them are blank, the term shares the
        definition of the next term.
        """
        lineno = self.content_offset + start + 1
        item += term(self.state, self.content[start], lineno)
        block, _, _ = self.content[start + 1 : end].get_indented()
        if any(block):
            definition = nodes.definition()
            item += definition
            self.blocks(block, lineno, definition)


class TocTree(BlockDirective):
    """Page names, some with a title: ``Some title <page>``."""

    def fill(self, node: directive_node) -> None:
        """Add each line as an entry. Only the titles are words."""
        for number, line in enumerate(self.content, self.content_offset + 1):
            entry = _ENTRY.fullmatch(line)
            if entry is None:
                node += directive_node(kind=Kind.TITLE, signature=("entry", line))
                continue
            title = self.words(line, number, entry.end(1))
            node += directive_node("", title, kind=Kind.TITLE, signature=("entry", entry[2]))


_READERS: dict[Body, type[BlockDirective]] = {
    Body.PROSE: BlockDirective,
    Body.CODE: Code,
    Body.OPAQUE: Opaque,
    Body.RAW: Raw,
    Body.UNKNOWN: Unknown,
    Body.CARD: Card,
    Body.QUOTE: Quote,
    Body.REPLACEMENT: Replacement,
    Body.LIST_TABLE: ListTable,
    Body.CSV_TABLE: CsvTable,
    Body.GLOSSARY: Glossary,
    Body.TOCTREE: TocTree,
}


_DIRECTIVES = directives.read_directives("rst")
_DOMAIN = re.compile(r"(?:py|c|cpp|js|rst|std):")  # the prefix of "py:function"


@lru_cache(maxsize=1 << 10)
def directive_class(name: str) -> type[BlockDirective]:
    """Return the class that reads the directive with this name. Ignore case and domain."""
    form = _DIRECTIVES.get(_DOMAIN.sub("", name.lower()), directives.UNKNOWN)
    return _READERS[form.body].of(form)
