"""docutils' parser, extended to record the positions of words.

docutils parses blocks by a state machine. Each state passes inline text and its line number to the
method ``inline_text``. The subclasses here override this method, so that the tree contains the
unparsed text as :class:`Words` with its place. They also override the methods for titles, tables
and directives.

Nothing is executed: no directives, roles or transforms, no included files. :func:`read_inline`
parses inline markup separately.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

from docutils import frontend, nodes
from docutils.languages import get_language
from docutils.parsers.rst import Parser, states
from docutils.statemachine import StringList
from docutils.utils import Reporter, unescape

from pipeline.core.document.rst import positions
from pipeline.core.document.rst.directive_nodes import directive_class

_NEVER = 5  # above the highest severity of docutils' messages


class _States(dict[str, Any]):
    """The states of a machine by name. Each state is created on first use.

    docutils creates all states for each nested block, and uses few of them.
    """

    def __init__(self, machine: Any, classes: Iterable[type[Any]]) -> None:
        super().__init__()
        self._machine = machine
        self._classes = {state.__name__: state for state in classes}
        self.runs = False

    def __missing__(self, name: str) -> Any:
        """Create a state, and initialize it if the machine is already running."""
        state = self[name] = self._classes[name](self._machine)
        if self.runs:
            state.runtime_init()
        return state


class _Machine(states.NestedStateMachine):
    """State machine for the content of a block, which creates only the states that it needs."""

    states: Any

    def add_states(self, state_classes: Any) -> None:
        """Store the classes of the states, without creating a state."""
        self.states = _States(self, state_classes)

    def runtime_init(self) -> None:
        """Initialize the existing states. Others are initialized when they are created."""
        self.states.runs = True
        super().runtime_init()


class _State(states.RSTState):
    """Methods that all states of this module override or add."""

    nested_sm = _Machine
    # docutils' own cache has machines with docutils' states, so use a separate one.
    nested_sm_cache: list[Any] = []  # noqa: RUF012

    def __init__(self, state_machine: Any, debug: bool = False) -> None:
        """Use the states of this module for nested blocks as well."""
        super().__init__(state_machine, debug)
        self.nested_sm_kwargs = {"state_classes": STATES, "initial_state": "Body"}

    @property
    def finder(self) -> positions.Finder:
        """Return the finder of this run, an attribute of the inliner that all states share."""
        inliner: Any = self.inliner
        finder: positions.Finder = inliner.finder
        return finder

    def inline_text(
        self, text: str, lineno: int
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return an inline text as one leaf, without parsing its markup."""
        return [self.words(text, lineno)] if text else [], []

    def words(self, text: str, lineno: int, end: int | None = None) -> positions.Words:
        """Return ``text[:end]`` as a leaf. It begins on the machine's line ``lineno``."""
        return self.finder.words(text, self.numbers(lineno, text.count("\n") + 1), end)

    def numbers(self, lineno: int, count: int = 1) -> list[int]:
        """Return the 0-based line numbers in the document of ``count`` lines from ``lineno`` on.

        ``lineno`` counts the lines of the state machine's input, which may be only the content of a
        block. docutils stores the line number in the document with each input line.
        """
        machine: Any = self.state_machine
        first = max(lineno - machine.input_offset - 1, 0)
        return [line for _, line in machine.input_lines.items[first : first + count]]

    def offset(self, lineno: int, tail: str, column: int) -> int:
        """Return the offset of a column in ``tail``, the text at the end of line ``lineno``."""
        return self.finder.offset(self.numbers(lineno)[0], tail, column)

    def nested_parse(self, block: StringList, *arguments: Any, **options: Any) -> int:
        """Parse ``block``. In a cell of a drawn table, search for words only in its columns."""
        with self.finder.inside(block):
            return super().nested_parse(block, *arguments, **options)

    def section(self, title: str, source: Any, style: Any, lineno: int, messages: Any) -> None:
        """Open a section, and record whether its title has an overline."""
        if len(style) > 1:  # one character per rule
            self.finder.overlined.add(self.words(title, lineno).first)
        super().section(title, source, style, lineno, messages)


class _Body(_State, states.Body):
    """Body state that reads directives by the classes of `directive_nodes`, and records tables."""

    def directive(self, match: re.Match[str], **presets: Any) -> Any:
        """Read a directive by the class for its name, instead of executing it."""
        name = match[1]
        return self.run_directive(directive_class(name), match, name, presets)  # type: ignore[no-untyped-call]

    def table(self, isolate_function: Any, parser_class: Any) -> Any:
        """Read a drawn table; store its first and last line number as ``lines`` in its node."""
        machine: Any = self.state_machine
        first = machine.input_lines.items[machine.line_offset][1]
        recording = positions.recording_parser(parser_class)
        found, blank_finish = super().table(isolate_function, recording)  # type: ignore[no-untyped-call]
        if isinstance(found[0], nodes.table):
            last = machine.input_lines.items[machine.line_offset][1]
            found[0]["lines"] = (first, last)
        return found, blank_finish


class _Text(_State, states.Text):
    """Text state for paragraphs, titles and terms. It separates terms from their classifiers."""

    def term(self, lines: Any, lineno: int) -> Any:
        """Return the nodes of a term, without parsing its inline markup."""
        return positions.term(self, lines[0], lineno), []


# docutils stores these methods as plain functions in a list, so overriding them is not enough.
_Body.explicit = states.Struct(  # type: ignore[attr-defined]
    patterns=states.Body.explicit.patterns,
    constructs=[
        (getattr(_Body, function.__name__), pattern)
        for function, pattern in states.Body.explicit.constructs
    ],
)


def _state_class(state: type[Any]) -> type[Any]:
    """Return our subclass of a docutils state, with the name by which machines find the state."""
    ours = _Body if issubclass(state, states.Body) else _Text
    return type(state.__name__, (ours, state), {})


STATES = tuple(map(_state_class, states.state_classes))


class _Inliner(states.Inliner):
    """The object that docutils shares among all states of a run; here it provides the finder."""

    def __init__(self, finder: positions.Finder) -> None:
        """Provide ``finder`` to the states."""
        self.finder = finder

    def init_customizations(self, settings: Any) -> None:
        """Do nothing: the patterns of inline markup are not needed."""

    def adjust_uri(self, uri: str) -> str:
        """Return the URL of an explicit target unchanged."""
        return uri


@cache
def _settings() -> Any:
    """Return docutils' default settings, without file access, raw HTML and terminal output."""
    settings = frontend.get_default_settings(Parser)
    settings.report_level = settings.halt_level = _NEVER
    settings.file_insertion_enabled = settings.raw_enabled = False
    return settings


def longest_line() -> int:
    """Return the line length, in characters, beyond which docutils rejects a document."""
    limit: int = _settings().line_length_limit
    return limit


def read(lines: positions.Lines) -> tuple[nodes.document, positions.Finder]:
    """Return docutils' tree of a text, and the finder, which knows the titles with an overline.

    docutils may raise any exception for unusual texts.
    """
    reporter = Reporter("", _NEVER, _NEVER, stream=False)  # no output
    document = nodes.document(_settings(), reporter, source="")
    document.note_source("", -1)
    finder = positions.Finder(lines)
    machine = states.RSTStateMachine(state_classes=STATES, initial_state="Body")
    machine.run(lines.shown, document, inliner=_Inliner(finder))
    return document, finder


# The content of a role with a title in Sphinx: "title <target>". docutils replaces the backslash
# of an escape by NUL.
_TITLED = re.compile(r"(.+?)\s*(?<!\x00)<([^<]*?)>", re.DOTALL)


def _interpreted(
    rawsource: str, text: str, role: str, _: int
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Return a node for a role with any name, without calling the role.

    This function replaces the method ``interpreted`` of docutils' inliner.
    """
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
    """Return docutils' nodes of an inline text.

    A role is an ``inline`` node with the attributes ``role`` (empty for the default role),
    ``content`` (as written) and ``target``. The text of the node is its visible text.
    """
    reporter = Reporter("", _NEVER, _NEVER, stream=False)  # no output
    inliner, language = _inliner()
    document = nodes.document(inliner.settings, reporter)
    memo = SimpleNamespace(reporter=reporter, document=document, language=language)
    found, _ = inliner.parse(text, 1, memo, document)
    return tuple(found)


def shown_text(text: str) -> str:
    """Return the visible part of an inline text, without marks and targets."""
    return "".join(node.astext() for node in read_inline(text))


@cache
def _inliner() -> tuple[Any, Any]:
    """Return docutils' inline parser, and the language of its role names."""
    inliner: Any = states.Inliner()
    # Patch the object: a subclass would lack the patterns that docutils reads from the class.
    inliner.interpreted = _interpreted
    inliner.settings = frontend.get_default_settings(Parser)
    inliner.init_customizations(inliner.settings)
    return inliner, get_language("en", None)
