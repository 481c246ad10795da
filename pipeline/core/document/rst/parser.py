"""docutils' parser, made to say where words stand: no roles, no files, no output.

docutils hands every inline text that it meets, with its line, to the method ``inline_text`` of a
state. The states here are docutils' own except for that method and for titles, tables and
directives: they look up where the text stands and put :class:`Words` into the tree. No transform
is run. Inline markup is read only by :func:`read_inline`, which registers and resolves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from types import MethodType, SimpleNamespace
from typing import Any

from docutils import frontend, nodes
from docutils.languages import get_language
from docutils.parsers.rst import Parser, states
from docutils.statemachine import StringList
from docutils.utils import Reporter, unescape

from pipeline.core.document.rst.directive_nodes import directive_class
from pipeline.core.document.rst.positions import Finder, Lines, Words, recording, term

_NEVER = 5  # above every level of docutils' messages


class _States(dict[str, Any]):
    """The states of a machine by name: each is made when it is first asked for."""

    def __init__(self, machine: Any, classes: Iterable[type[Any]]) -> None:
        super().__init__()
        self._machine = machine
        self._classes = {state.__name__: state for state in classes}
        self.runs = False

    def __missing__(self, name: str) -> Any:
        """Make the state, and set it up if the machine has set up the others already."""
        state = self[name] = self._classes[name](self._machine)
        if self.runs:
            state.runtime_init()
        return state


class _Machine(states.NestedStateMachine):
    """Reads the inside of a block: it needs a few of the states that docutils would make for it."""

    states: Any

    def add_states(self, state_classes: Any) -> None:
        """Note the states that there may be."""
        self.states = _States(self, state_classes)

    def runtime_init(self) -> None:
        """Set up the states that are there, and from now on those that come."""
        self.states.runs = True
        super().runtime_init()


@cache
def _transitions(state: type[Any]) -> tuple[list[str], list[tuple[str, Any, Any, str]]]:
    """What a state of a class looks for, in order, and per name: pattern, function, next state."""
    made: Any = object.__new__(state)
    made.transition_order, made.transitions = [], {}
    states.RSTState.add_initial_transitions(made)
    rows = [
        (name, pattern, method.__func__, next_state)
        for name, (pattern, method, next_state) in made.transitions.items()
    ]
    return made.transition_order, rows


class _State(states.RSTState):
    """What every state does in another way than docutils' own."""

    nested_sm = _Machine
    # A cache of our own: docutils' holds machines with its own states.
    nested_sm_cache: list[Any] = []  # noqa: RUF012

    def __init__(self, state_machine: Any, debug: bool = False) -> None:
        """docutils makes states; what they nest is to be read with states of ours as well."""
        super().__init__(state_machine, debug)
        self.nested_sm_kwargs = {"state_classes": STATES, "initial_state": "Body"}

    def add_initial_transitions(self) -> None:
        """Take the transitions of the class; docutils would look each up for every state."""
        state: Any = type(self)
        order, rows = _transitions(state)
        self.transition_order = list(order)
        self.transitions = {
            name: (pattern, MethodType(function, self), next_state)
            for name, pattern, function, next_state in rows
        }

    @property
    def finder(self) -> Finder:
        """The one of this run: docutils hands the inliner from state to state."""
        inliner: Any = self.inliner
        finder: Finder = inliner.finder
        return finder

    def inline_text(
        self, text: str, lineno: int
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Take an inline text whole; docutils would read its marks."""
        return [self.words(text, lineno)] if text else [], []

    def words(self, text: str, lineno: int, end: int | None = None) -> Words:
        """``text`` up to ``end``; its first line is ``lineno``, as the state machine counts."""
        return self.finder.words(text, self.numbers(lineno, text.count("\n") + 1), end)

    def numbers(self, lineno: int, count: int = 1) -> list[int]:
        """The source lines, from 0, of ``count`` lines from ``lineno`` on.

        ``lineno`` is by the count of the state machine: what it reads may be the inside of a
        block, and its lines know where they come from.
        """
        machine: Any = self.state_machine
        first = max(lineno - machine.input_offset - 1, 0)
        return [line for _, line in machine.input_lines.items[first : first + count]]

    def offset(self, lineno: int, tail: str, column: int) -> int:
        """Offset of a column of the text that ends line ``lineno``."""
        return self.finder.offset(self.numbers(lineno)[0], tail, column)

    def nested_parse(self, block: StringList, *arguments: Any, **options: Any) -> int:
        """Read ``block``; if it is a cell of a drawn table, look for its texts in its columns."""
        with self.finder.inside(block):
            return super().nested_parse(block, *arguments, **options)

    def section(
        self, title: str, source: Any, style: Any, lineno: int, messages: Any
    ) -> None:
        """Open a section, and remember whether its title has an overline."""
        if len(style) > 1:  # the characters of both rules
            self.finder.overlined.add(self.words(title, lineno).first)
        super().section(title, source, style, lineno, messages)


class _Body(_State, states.Body):
    """Blocks: directives are ours, and tables tell the columns of their cells."""

    def directive(self, match: re.Match[str], **presets: Any) -> Any:
        """Read a directive with our class for its name; docutils would look it up, and run it."""
        name = match[1]
        return self.run_directive(directive_class(name), match, name, presets)  # type: ignore[no-untyped-call]

    def table(self, isolate_function: Any, parser_class: Any) -> Any:
        """Read a drawn table, and note its first and last line in its node, as ``lines``."""
        machine: Any = self.state_machine
        first = machine.input_lines.items[machine.line_offset][1]
        found, blank_finish = super().table(isolate_function, recording(parser_class))  # type: ignore[no-untyped-call]
        if isinstance(found[0], nodes.table):
            last = machine.input_lines.items[machine.line_offset][1]
            found[0]["lines"] = (first, last)
        return found, blank_finish


class _Text(_State, states.Text):
    """Paragraphs, titles and terms: a term goes without its classifiers."""

    def term(self, lines: Any, lineno: int) -> Any:
        """The nodes of a term; docutils would read its words and its classifiers as inline text."""
        return term(self, lines[0], lineno), []


# Body keeps its explicit constructs as plain functions, past any method that replaces them.
_Body.explicit = states.Struct(  # type: ignore[attr-defined]
    patterns=states.Body.explicit.patterns,
    constructs=[
        (getattr(_Body, function.__name__), pattern)
        for function, pattern in states.Body.explicit.constructs
    ],
)


def _state_class(state: type[Any]) -> type[Any]:
    """Our version of one of docutils' states, with the same name: machines find states by it."""
    ours = _Body if issubclass(state, states.Body) else _Text
    return type(state.__name__, (ours, state), {})


STATES = tuple(map(_state_class, states.state_classes))


class _Inliner(states.Inliner):
    """What all states of one run share. It has nothing to set up: inline markup is not read."""

    def __init__(self, finder: Finder) -> None:
        """``finder`` is what the states want to share."""
        self.finder = finder

    def init_customizations(self, settings: Any) -> None:
        """docutils would build its patterns of inline marks here."""

    def adjust_uri(self, uri: str) -> str:
        """The address of an explicit target, which stays as it is written."""
        return uri


@cache
def _settings() -> Any:
    """docutils' own settings, but for what reads files, runs HTML or writes to the terminal."""
    settings = frontend.get_default_settings(Parser)
    settings.report_level = settings.halt_level = _NEVER
    settings.file_insertion_enabled = settings.raw_enabled = False
    return settings


def longest_line() -> int:
    """How many characters a line may have for docutils to read the document at all."""
    limit: int = _settings().line_length_limit
    return limit


def read(lines: Lines) -> tuple[nodes.document, Finder]:
    """The tree of a text, and what was noted on the way.

    Raises whatever docutils raises where it fails.
    """
    reporter = Reporter("", _NEVER, _NEVER, stream=False)  # no output
    document = nodes.document(_settings(), reporter, source="")
    document.note_source("", -1)
    finder = Finder(lines)
    machine = states.RSTStateMachine(state_classes=STATES, initial_state="Body")
    machine.run(lines.shown, document, inliner=_Inliner(finder))
    return document, finder


# Sphinx' form of a role with a title of its own: "title <target>". docutils writes escapes as NUL.
_TITLED = re.compile(r"(.+?)\s*(?<!\x00)<([^<]*?)>", re.DOTALL)


def _interpreted(
    rawsource: str, text: str, role: str, _: int
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Takes every role for one: what it would do is not asked."""
    titled = _TITLED.fullmatch(text)
    shown, target = titled.groups() if titled else (text, text)
    node = nodes.inline(
        rawsource,
        unescape(shown),
        role=role or "",
        content=unescape(text, True),
        target=unescape(target),
    )
    return [node], []


@lru_cache(maxsize=1 << 12)
def read_inline(text: str) -> tuple[nodes.Node, ...]:
    """The nodes of a piece of text.

    A role is an ``inline`` with the attributes ``role`` (empty: the default one), ``content`` (as
    it is written) and ``target``; its text is what a reader sees of it.
    """
    reporter = Reporter("", _NEVER, _NEVER, stream=False)  # False: no output
    inliner, language = _inliner()
    document = nodes.document(inliner.settings, reporter)
    memo = SimpleNamespace(reporter=reporter, document=document, language=language)
    found, _ = inliner.parse(text, 1, memo, document)
    return tuple(found)


def shown_text(text: str) -> str:
    """What a reader sees of a piece of text."""
    return "".join(node.astext() for node in read_inline(text))


@cache
def _inliner() -> tuple[Any, Any]:
    """docutils' reader of inline text, and the language whose roles it knows. Made only once."""
    inliner: Any = states.Inliner()
    # No subclass: docutils looks into the class itself for parts of its patterns.
    inliner.interpreted = _interpreted
    inliner.settings = frontend.get_default_settings(Parser)
    inliner.init_customizations(inliner.settings)
    return inliner, get_language("en", None)
