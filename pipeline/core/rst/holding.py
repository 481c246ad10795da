"""Directives as this package reads them: nothing is done, and the tree holds their words beside all that must stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

from pipeline.core.document.message import Kind
from pipeline.core.rst.finding import Words, words_at

_OPTION = re.compile(r"\s*:([\w-]+):(?:\s+(.*))?")


class held(nodes.General, nodes.Inline, nodes.Element):  # noqa: N801  # docutils' nodes are written like that
    """A directive, or a part of one.

    ``signature``: what of it must stay. ``kind``: what its paragraphs are. ``code``: its code, if it has any.
    ``lost`` and ``first``: why its content is not read, and its first line (from 0).
    """


class _AnyOption(dict[str, Callable[[str | None], str]]):
    """Takes every option as it is written: whether it is right is not our business."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Callable[[str | None], str]:
        return lambda value: value or ""


class Held(Directive):
    """Blocks. Where ``argument_kind`` is set, the last argument that may be there is words."""

    option_spec: ClassVar[Any] = _AnyOption()
    has_content = True
    kind: ClassVar[Kind] = Kind.ADMONITION
    argument_kind: ClassVar[Kind | None] = None
    words_of: ClassVar[dict[str, Kind]] = {}  # options that are words

    def run(self) -> list[nodes.Node]:
        node = held(kind=self.kind)
        node.line = self.number(self.lineno) + 1
        kept = list(self.arguments)
        if self.argument_kind and len(kept) == self.required_arguments + self.optional_arguments:
            node += held("", self._argument(kept.pop()), kind=self.argument_kind)
        options = dict(self.options)
        for name, kind in self.words_of.items():
            if words := self._option(name):
                node += held("", words, kind=kind)
                options[name] = ""
        node["signature"] = (
            self.name,
            *kept,
            *sorted(f"{name}={value}" for name, value in options.items()),
        )
        self.fill(node)
        return [node]

    def fill(self, node: held) -> None:
        """Read the content."""
        self.blocks(self.content, self.content_offset, node)

    def blocks(self, content: StringList, offset: int, node: nodes.Element) -> None:
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
        """The lines of an option's value, as they are written, with their numbers (docutils' count)."""
        found = False
        for number, line in enumerate(self.block_text.split("\n")[1:], self.lineno + 1):
            if not line.strip():
                return
            match = _OPTION.fullmatch(line)
            found = match[1].lower() == name if match else found
            if found and (text := (match[2] or "" if match else line).strip()):
                yield number, text

    def _argument(self, text: str) -> Words:
        """The last argument; it may begin below the directive's own line."""
        tries = (
            self.words(text, number)
            for number, _ in enumerate(self.block_text.split("\n"), self.lineno)
        )
        return next((words for words in tries if words.place), self.words(text, self.lineno))

    def _option(self, name: str) -> Words | None:
        lines = list(self.option_lines(name))
        if not lines:
            return None
        text = "\n".join(line for _, line in lines)
        if text.split() != self.options.get(name, "").split():
            return words_at(text, None, self.number(self.lineno))
        return self.words(text, lines[0][0])


class Titled(Held):
    """A title, then blocks."""

    optional_arguments = 1
    final_argument_whitespace = True
    argument_kind = Kind.TITLE
    words_of: ClassVar = {"subtitle": Kind.TITLE, "img-alt": Kind.IMAGE, "link-alt": Kind.IMAGE}


class Named(Held):
    """An argument that is no words (a path, a name, a condition), then blocks."""

    optional_arguments = 1
    final_argument_whitespace = True


class Described(Named):
    """An object of some language, and what is said of it."""

    kind = Kind.DEFINITION


class Version(Held):
    """A version, perhaps words behind it, then blocks."""

    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True
    argument_kind = Kind.ADMONITION


class Opaque(Held):
    """Nothing in it is words."""

    option_spec = None

    def fill(self, node: held) -> None:
        node["signature"] += tuple(self.content)


class Unknown(Opaque):
    """Nobody knows what it holds."""

    def fill(self, node: held) -> None:
        super().fill(node)
        node["lost"], node["first"] = (
            f'what the directive "{self.name}" holds is not known',
            self.number(self.lineno),
        )


class Code(Named):
    """Code, perhaps with a caption."""

    words_of: ClassVar = {"caption": Kind.CAPTION}

    def fill(self, node: held) -> None:
        node["code"] = "\n".join(self.content)


class Image(Named):
    """A picture, with a text for those who do not see it."""

    words_of: ClassVar = {"alt": Kind.IMAGE}


class Figure(Image):
    """A picture, a caption, a legend."""

    kind = Kind.CAPTION
