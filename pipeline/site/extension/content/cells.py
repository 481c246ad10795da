"""Cells of code: inside other blocks, folded away, and as text to copy.

MyST-NB shows cells between blocks only. jupytext, which made the notebook that ran, takes a cell
out of a tab and leaves two halves of a fence around it; such fences are made whole again.
sphinx-copybutton removes prompts line by line, so our script gives each line of a command a prompt.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from docutils import nodes
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from myst_nb.core.nb_to_tokens import nb_node_to_dict
from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from pipeline.core.document.markdown.parser import parser
from pipeline.core.execution.notebook import source_of, tags_of
from pipeline.site.extension.nodes import Stub
from pipeline.site.texts import text

logger = logging.getLogger(__name__)
_FENCE = ":::"
_DIRECTIVE = "jz-cell"
_REMOVED = "remove-cell"  # the tag of a cell that MyST-NB skips
_NOT_SHOWN = frozenset((_REMOVED, "remove-input", "remove_cell", "remove_input"))
# MyST-NB's words for what it hides.
_KINDS = frozenset(("source", "output", "outputs", "content"))
_FORMAT_FUNCTION = "function formatCopyText("
# Only a pattern tells which lines have a prompt.
_COPY_FUNCTION = """
function formatCopyText(text, prompts, isRegexp, ...rules) {
  const whole = isRegexp ? withPrompts(text, prompts) : text;
  return formatLines(whole, prompts, isRegexp, ...rules);
}
"""


class CellOfNotebook(Stub):
    """A cell of the current notebook, by its place in it."""

    def run(self) -> list[nodes.Node]:
        """Return the cell with its outputs, as MyST-NB renders it between blocks."""
        # MyST has no public way to it.
        renderer: Any = vars(self.state)["_renderer"]
        number = int(self.arguments[0])
        cell = renderer.nb_client.notebook.cells[number]
        metadata = nb_node_to_dict(cell.metadata)
        metadata["tags"] = [tag for tag in tags_of(cell) if tag != _REMOVED]
        token = Token(
            *(f"nb_cell_{cell.cell_type}", "code", 0),
            content=cell.source,
            map=[self.lineno, self.lineno],
            meta={"index": number, "metadata": metadata},
        )
        made = nodes.Element()
        with renderer.current_node_context(made):
            render = getattr(renderer, f"render_{token.type}")
            render(SyntaxTreeNode([token], create_root=False))
        return list(made.children)


class NestedCode(Stub):
    """``code-cell`` in a list or another directive, which is no cell of any notebook."""

    def run(self) -> list[nodes.Node]:
        """Return the code alone: nothing of it ran."""
        logger.warning(
            "a code cell within another block is shown without outputs",
            location=(self.env.docname, self.lineno),
            type="jz",
            subtype="cell",
        )
        tags = self.options.get("tags", "")
        if any(tag in tags for tag in _NOT_SHOWN):
            return []
        code = "\n".join(self.content)
        language = " ".join(self.arguments) or "ipython3"
        block = nodes.literal_block(code, code, language=language)
        source = nodes.container("", block, classes=["cell_input"])
        return [nodes.container("", source, classes=["cell"])]


def with_whole_fences(text: str) -> str:
    """Return the JSON of a notebook in which no fence of colons ends with a cell of Markdown.

    The first cell of such a fence gets all of it: the following cells of Markdown as they are,
    those of code as directives of ours. Every cell keeps its place, empty or hidden there.
    """
    if _FENCE not in text:
        return text
    notebook = json.loads(text)
    whole: dict[str, Any] | None = None  # the cell with a fence that has not ended
    last = ""  # the kind of the cell before
    for number, cell in enumerate(notebook["cells"]):
        kind, source = cell["cell_type"], source_of(cell)
        if whole is not None:
            if kind == "markdown":
                # Between two of them there was a break, as before the footer of a card.
                parts = ["+++", source] if last == kind else [source]
                cell["source"] = ""
            else:
                parts = _taken_out(cell, number)
            whole["source"] = "\n\n".join([source_of(whole), *parts])
        elif kind == "markdown":
            whole = cell
        if whole is not None and not _is_in_fence(source_of(whole)):
            whole = None
        last = kind
    return json.dumps(notebook)


def _taken_out(cell: dict[str, Any], number: int) -> list[str]:
    """Return the directive for a cell within a fence, and hide the cell at its own place."""
    tags = tags_of(cell)
    if _REMOVED in tags:
        return []
    cell["metadata"] = {**cell["metadata"], "tags": [*tags, _REMOVED]}
    return [f"```{{{_DIRECTIVE}}} {number}\n```"]


def _is_in_fence(text: str) -> bool:
    """Return whether Markdown ends within a fence of colons."""
    if _FENCE not in text:
        return False
    lines = text.rstrip().split("\n")
    tokens = parser().parse("\n".join(lines))
    last = [token for token in tokens if token.level == 0][-1]
    # Definitions of links, which are no tokens, may stand behind a fence.
    if last.type != "colon_fence" or (last.map or [0, 0])[1] < len(lines):
        return False
    end = lines[-1].strip()
    return len(end) < len(last.markup) or bool(end.strip(":"))


def _visit_hidden(self: Any, node: HideCodeCellNode) -> None:
    """Write ``<details><summary>…``, with words for closed and for open."""
    classes = " ".join(node["classes"])
    self.body.append(f'<details class="admonition hide {classes}">\n<summary>\n')
    locale = self.config.language
    for state, prompt in (("collapsed", "prompt_show"), ("expanded", "prompt_hide")):
        words = node[prompt]
        # A cell may have its own words for what it hides.
        if words in _KINDS:
            words = text(locale, f"{prompt} {words}")
        self.body.append(
            f'<p class="{state} admonition-title">{self.encode(words)}</p>\n'
        )
    self.body.append("</summary>\n")


def complete_commands(_: Sphinx, config: Config) -> None:
    """Let the script of the copy button copy whole commands."""
    theirs = config.html_context.get("copybutton_format_func", "")
    # Another version of it may call its function otherwise.
    if _FORMAT_FUNCTION in theirs:
        folder = resources.files("pipeline.site") / "templates"
        script = (folder / "copying.js").read_text(encoding="utf-8")
        renamed = theirs.replace(_FORMAT_FUNCTION, "function formatLines(")
        whole = f"{script}{renamed}{_COPY_FUNCTION}"
        config.html_context["copybutton_format_func"] = whole


def setup(app: Sphinx) -> None:
    """Register the directives, one of them in place of MyST-NB's, and the writer."""
    app.add_directive(_DIRECTIVE, CellOfNotebook, override=True)
    app.add_directive("code-cell", NestedCode, override=True)
    app.add_node(
        HideCodeCellNode, override=True, html=(_visit_hidden, depart_HideCellInput)
    )
    # After sphinx-copybutton has put its function there.
    app.connect("config-inited", complete_commands, priority=900)
