"""Directives as this package reads them: nothing is done, and the tree holds their words.

Beside them it holds all that must stay. What of a directive is words, its row in the table of
:mod:`pipeline.core.document.rst.directives` says; the class here finds these words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive as DocutilsDirective
from docutils.statemachine import StringList

from pipeline.core.document.rst.directives import Directive
from pipeline.core.document.rst.finding import Words, words_at

_OPTION = re.compile(r"\s*:([\w-]+):(?:\s+(.*))?")


class held(nodes.General, nodes.Inline, nodes.Element):  # noqa: N801  # as docutils' nodes are
    """A directive, or a part of one.

    ``signature``: what of it must stay. ``kind``: what its paragraphs are. ``code``: its code, if
    it has any. ``lost`` and ``first``: why its content is not read, and its first line (from 0).
    """


class _AnyOption(dict[str, Callable[[str | None], str]]):
    """Takes every option as it is written: whether it is right is not our business."""

    def __bool__(self) -> bool:
        """docutils asks whether there are any options at all."""
        return True

    def __getitem__(self, name: str) -> Callable[[str | None], str]:
        """What docutils calls with the value of an option; None if there is only its name."""
        return _as_written


def _as_written(value: str | None) -> str:
    """The value of an option; empty for a flag."""
    return value or ""


class Held(DocutilsDirective):
    """A directive whose content is blocks; other classes read content of another form."""

    form: ClassVar[Directive]
    has_content = True

    @classmethod
    def of(cls, form: Directive) -> type[Held]:
        """The class that reads directives of one row of the table, as docutils wants it."""
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
        """The node of this directive: docutils calls this for each one that it meets.

        What is words becomes leaves of the tree, all else the ``signature``:

            .. figure:: a.png        held, signature ("figure", "a.png", "alt=", "width=3em"),
               :alt: Some words      with a leaf "Some words" and a paragraph
               :width: 3em

               What it shows.
        """
        form = self.form
        node = held(kind=form.paragraphs)
        node.line = self.number(self.lineno) + 1
        kept = list(self.arguments)
        count = form.required_arguments + form.optional_arguments
        # With fewer arguments, the last one is another: the version, with no words behind it.
        if form.argument and len(kept) == count:
            node += held("", self._argument(kept.pop()), kind=form.argument)
        options = dict(self.options)
        for name, kind in form.options.items():
            words = self._option(name)
            if words is not None:
                node += held("", words, kind=kind)
                options[name] = ""  # what it says stands in the tree now
        settings = sorted(f"{name}={value}" for name, value in options.items())
        node["signature"] = (self.name, *kept, *settings)
        self.fill(node)
        return [node]

    def fill(self, node: held) -> None:
        """Read the content."""
        self.blocks(self.content, self.content_offset, node)

    def blocks(self, content: StringList, offset: int, node: nodes.Element) -> None:
        """Read ``content`` into ``node``."""
        self.state.nested_parse(content, offset, node)

    def words(self, text: str, lineno: int, end: int | None = None) -> Words:
        """``text`` up to ``end``, whose first line is ``lineno``."""
        state: Any = self.state
        found: Words = state.words(text, lineno, end)
        return found

    def number(self, lineno: int) -> int:
        """The source line, from 0, of line ``lineno`` by docutils' count."""
        state: Any = self.state
        numbers: list[int] = state.numbers(lineno)
        return numbers[0]

    def option_lines(self, name: str) -> Iterator[tuple[int, str]]:
        """The lines of an option's value, as they are written, with docutils' line numbers.

        For ``alt`` of this figure on line 5, they are (7, "Some words") and (8, "go on"):

            .. figure:: a.png
               :width: 3em
               :alt: Some words
                  go on
        """
        is_named = False
        for number, line in enumerate(self.block_text.split("\n")[1:], self.lineno + 1):
            if not line.strip():
                return  # options end at the first blank line
            text = line
            option = _OPTION.fullmatch(line)
            if option:
                is_named = option[1].lower() == name
                text = option[2] or ""
            # Any other line goes on with the option above it.
            text = text.strip()
            if is_named and text:
                yield number, text

    def _argument(self, text: str) -> Words:
        """The last argument; it may begin below the directive's own line."""
        count = self.block_text.count("\n") + 1
        for number in range(self.lineno, self.lineno + count):
            words = self.words(text, number)
            if words.place:
                return words
        return self.words(text, self.lineno)

    def _option(self, name: str) -> Words | None:
        """The words of an option; None if it is not there."""
        lines = list(self.option_lines(name))
        if not lines:
            return None
        text = "\n".join(line for _, line in lines)
        # docutils may have read other lines than we: an option that stands twice.
        if text.split() != self.options.get(name, "").split():
            return words_at(text, None, self.number(self.lineno))
        return self.words(text, lines[0][0])
