"""Code cells: inside other blocks, folded, and as text to copy.

MyST-NB renders cells only between blocks. jupytext, which converts pages to notebooks, moves a cell
out of a tab. That leaves the halves of a fence around the cell, which are joined here.
sphinx-copybutton removes prompts line by line, so our script adds a prompt to each line of a
command.
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
_REMOVED = "remove-cell"  # tag of a cell that MyST-NB skips
_NOT_SHOWN = frozenset((_REMOVED, "remove-input", "remove_cell", "remove_input"))
# MyST-NB's names for hidden parts of a cell.
_KINDS = frozenset(("source", "output", "outputs", "content"))
_FORMAT_FUNCTION = "function formatCopyText("
# Only with a pattern can the lines with a prompt be recognized.
_COPY_FUNCTION = """
function formatCopyText(text, prompts, isRegexp, ...rules) {
  const whole = isRegexp ? withPrompts(text, prompts) : text;
  return formatLines(whole, prompts, isRegexp, ...rules);
}
"""


class CellOfNotebook(Stub):
    """Directive for a cell of the current notebook, given its number."""

    def run(self) -> list[nodes.Node]:
        """Return the cell with its outputs, as MyST-NB renders it between blocks."""
        # MyST offers no public access to its renderer.
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
    """``code-cell`` in a list or another directive, which is not a cell of a notebook."""

    def run(self) -> list[nodes.Node]:
        """Return the code without outputs, because such code was not executed."""
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


def join_split_fences(text: str) -> str:
    """Return the JSON of a notebook with each colon fence in one cell.

    A fence that spans several cells moves into its first one. Markdown cells are inserted
    unchanged, code cells as directives. The old cells stay in place, empty or hidden, so that
    numbers do not change.
    """
    if _FENCE not in text:
        return text
    notebook = json.loads(text)
    whole: dict[str, Any] | None = None  # the cell whose fence is still open
    last = ""  # type of the previous cell
    for number, cell in enumerate(notebook["cells"]):
        kind, source = cell["cell_type"], source_of(cell)
        if whole is not None:
            if kind == "markdown":
                # Two adjacent Markdown cells were separated by a break, as before the footer of a
                # card.
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
    """Return the directive for a cell within a fence, and hide the cell in its own place."""
    tags = tags_of(cell)
    if _REMOVED in tags:
        return []
    cell["metadata"] = {**cell["metadata"], "tags": [*tags, _REMOVED]}
    return [f"```{{{_DIRECTIVE}}} {number}\n```"]


def _is_in_fence(text: str) -> bool:
    """Return whether Markdown ends inside a colon fence."""
    if _FENCE not in text:
        return False
    lines = text.rstrip().split("\n")
    tokens = parser().parse("\n".join(lines))
    last = [token for token in tokens if token.level == 0][-1]
    # Link definitions are no tokens, so the last token may end before the text does.
    if last.type != "colon_fence" or (last.map or [0, 0])[1] < len(lines):
        return False
    end = lines[-1].strip()
    return len(end) < len(last.markup) or bool(end.strip(":"))


def _visit_hidden(self: Any, node: HideCodeCellNode) -> None:
    """Write ``<details><summary>…``, with labels for closed and for open."""
    classes = " ".join(node["classes"])
    self.body.append(f'<details class="admonition hide {classes}">\n<summary>\n')
    locale = self.config.language
    for state, prompt in (("collapsed", "prompt_show"), ("expanded", "prompt_hide")):
        words = node[prompt]
        # A cell may have a label of its own.
        if words in _KINDS:
            words = text(locale, f"{prompt} {words}")
        self.body.append(
            f'<p class="{state} admonition-title">{self.encode(words)}</p>\n'
        )
    self.body.append("</summary>\n")


def complete_commands(_: Sphinx, config: Config) -> None:
    """Extend the script of the copy button, so that it copies multi-line commands as a whole."""
    theirs = config.html_context.get("copybutton_format_func", "")
    # Another version of the script may name its function differently.
    if _FORMAT_FUNCTION in theirs:
        folder = resources.files("pipeline.site") / "templates"
        script = (folder / "copying.js").read_text(encoding="utf-8")
        renamed = theirs.replace(_FORMAT_FUNCTION, "function formatLines(")
        whole = f"{script}{renamed}{_COPY_FUNCTION}"
        config.html_context["copybutton_format_func"] = whole


def setup(app: Sphinx) -> None:
    """Register the directives, one of which replaces MyST-NB's, and the writer of folded cells."""
    app.add_directive(_DIRECTIVE, CellOfNotebook, override=True)
    app.add_directive("code-cell", NestedCode, override=True)
    app.add_node(
        HideCodeCellNode, override=True, html=(_visit_hidden, depart_HideCellInput)
    )
    # After sphinx-copybutton has set its function.
    app.connect("config-inited", complete_commands, priority=900)
