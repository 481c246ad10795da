"""Directives and roles that fail, or that nobody knows: a message of docutils' with their source.

docutils and MyST have such a message for the errors that they expect. Here everything else that a
directive or role may raise becomes one too, so that the rest of the page is read.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Body
from myst_parser.mdit_to_docutils.base import DocutilsRenderer

_run_rst: Any = Body.run_directive  # without types
_run_myst = DocutilsRenderer.run_directive
_run_myst_role = DocutilsRenderer.render_myst_role


def guard_markup() -> None:
    """Let both readers of pages go on where a directive or a role fails.

    docutils itself makes a piece of the line of a role that it does not know.
    """
    Body.run_directive = _guarded_rst  # type: ignore[method-assign]
    DocutilsRenderer.run_directive = _guarded_myst  # type: ignore[method-assign]
    DocutilsRenderer.render_myst_role = _guarded_myst_role  # type: ignore[method-assign]


def _guarded_rst(
    self: Any, directive: Any, match: Any, type_name: str, option_presets: Any
) -> tuple[list[Any], bool]:
    """As docutils does: what a directive has made, and whether a blank line comes next."""
    first = self.state_machine.line_offset
    transforms = list(self.document.transformer.transforms)
    try:
        made: tuple[list[Any], bool] = _run_rst(
            self, directive, match, type_name, option_presets
        )
        return made
    except Exception as error:  # noqa: BLE001 - directives raise anything
        self.document.transformer.transforms = transforms
        # docutils stands at the last line of the directive by now.
        lines = self.state_machine.input_lines[
            first : self.state_machine.line_offset + 1
        ]
        return [_failed(self.document, type_name, error, "\n".join(lines))], True


def _guarded_myst(
    self: Any,
    name: str,
    first_line: str,
    content: str,
    position: int,
    *args: Any,
    **options: Any,
) -> list[nodes.Element]:
    """As MyST does: what a directive has made. A message of an error gets the source with it."""
    source = f"```{{{name}}} {first_line}".rstrip() + f"\n{content.rstrip()}\n```"
    transforms = list(self.document.transformer.transforms)
    # MyST goes into the nodes that it makes, and an error leaves it there.
    node, level = self.current_node, dict(self._level_to_section)
    try:
        made = _run_myst(self, name, first_line, content, position, *args, **options)
    except Exception as error:  # noqa: BLE001 - directives raise anything
        self.document.transformer.transforms = transforms
        self.current_node, self._level_to_section = node, level
        return [_failed(self.document, name, error, source)]
    for message in made:
        if isinstance(message, nodes.system_message):
            _quote(message, source)
    return made


def _guarded_myst_role(self: Any, token: Any) -> None:
    """As MyST does: a role goes into the line that MyST is at. A message gets its source."""
    source = f"{{{token.meta['name']}}}`{token.content}`"
    node, known = self.current_node, len(self.current_node)
    try:
        _run_myst_role(self, token)
    except Exception as error:  # noqa: BLE001 - roles raise anything
        self.current_node = node
        node += _failed(self.document, token.meta["name"], error, source)
    for message in node.children[known:]:
        if isinstance(message, nodes.system_message):
            _quote(message, source)


def _failed(
    document: nodes.document, name: str, error: Exception, source: str
) -> nodes.system_message:
    """The message of a directive or role that has raised what docutils does not expect."""
    words = f"{name!r} failed: {type(error).__name__}: {error}"
    message = document.reporter.error(words, line=document.current_line)
    _quote(message, source)
    return message


def _quote(message: nodes.system_message, source: str) -> None:
    """Let a message hold the whole source, once."""
    for block in list(message.findall(nodes.literal_block)):
        message.remove(block)
    message += nodes.literal_block(source, source)
