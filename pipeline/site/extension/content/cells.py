"""Code cells: inside other blocks, folded, and as text to copy.

MyST-NB renders a cell only at the top level of a page. But a page may have a code cell in a tab:
a fence that begins with ``:::{tab-item}``. jupytext, which converts pages to notebooks, then puts
the two halves of the fence into separate cells, above and below the code cell.
``join_split_fences`` joins the halves again.

The copy button (sphinx-copybutton) copies only lines with a prompt, and removes the prompts. If a
command has several lines, only the first line has a prompt. So our script first adds a prompt to
the other lines of the command.
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

from pipeline.core.document.markdown.parser import parser
from pipeline.core.execution.code_cells import source_of, tags_of
from pipeline.site.extension.nodes import Stub
from pipeline.site.extension.records import warn
from pipeline.site.texts import text

_FENCE = ":::"
_DIRECTIVE = "jz-cell"
_REMOVED = "remove-cell"  # tag of a cell that MyST-NB does not show
_NOT_SHOWN = frozenset((_REMOVED, "remove-input", "remove_cell", "remove_input"))
# MyST-NB's names for the parts of a cell that can be folded.
_KINDS = frozenset(("source", "output", "outputs", "content"))
_THEIRS = "// sphinx-copybutton's own function is inserted here.\n"
_FORMAT_FUNCTION = "function formatCopyText("


class CellOfNotebook(Stub):
    """Directive that inserts a cell of the current notebook: ``jz-cell`` with the cell's number."""

    def run(self) -> list[nodes.Node]:
        """Return the cell with its outputs, as MyST-NB renders it at the top level."""
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
    """``code-cell`` in a list or in another directive. Such code is no cell of the notebook."""

    def run(self) -> list[nodes.Node]:
        """Return the code alone: it was not executed, so it has no outputs."""
        place = self.env.docname, self.lineno
        warn("cell", place, "a code cell within another block is shown without outputs")
        tags = self.options.get("tags", "")
        if any(tag in tags for tag in _NOT_SHOWN):
            return []
        code = "\n".join(self.content)
        language = " ".join(self.arguments) or "ipython3"
        block = nodes.literal_block(code, code, language=language)
        source = nodes.container("", block, classes=["cell_input"])
        return [nodes.container("", source, classes=["cell"])]


def join_split_fences(text: str) -> str:
    """Return the JSON of a notebook in which no colon fence spans several cells.

    A fence moves into the cell in which it begins. Markdown cells inside the fence are inserted
    unchanged, code cells as ``jz-cell`` directives. The old cells stay, empty or hidden, so that
    the numbers of cells do not change.
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
                # jupytext splits Markdown at ``+++``, which it removes. In a card, ``+++`` begins
                # the footer, so insert it again.
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
    """Return the directive for a cell inside a fence, and hide the cell itself."""
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
    # Link definitions (``[name]: address``) make no tokens. So text may follow the last token.
    if last.type != "colon_fence" or (last.map or [0, 0])[1] < len(lines):
        return False
    end = lines[-1].strip()
    return len(end) < len(last.markup) or bool(end.strip(":"))


def _visit_hidden(self: Any, node: HideCodeCellNode) -> None:
    """Write ``<details><summary>…``, with one label for the closed and one for the open state."""
    classes = " ".join(node["classes"])
    self.body.append(f'<details class="admonition hide {classes}">\n<summary>\n')
    locale = self.config.language
    for state, prompt in (("collapsed", "prompt_show"), ("expanded", "prompt_hide")):
        words = node[prompt]
        # ``words`` is a placeholder (see ``conf.py``), or a label that the author of the cell has
        # chosen.
        if words in _KINDS:
            words = text(locale, f"{prompt} {words}")
        self.body.append(f'<p class="{state} admonition-title">{self.encode(words)}</p>\n')
    self.body.append("</summary>\n")


def complete_commands(_: Sphinx, config: Config) -> None:
    """Extend the script of the copy button, so that it copies all lines of a command."""
    theirs = config.html_context.get("copybutton_format_func", "")
    # If another version of the script names its function differently, leave the script as it is.
    if _FORMAT_FUNCTION in theirs:
        folder = resources.files("pipeline.site") / "templates"
        script = (folder / "copying.js").read_text(encoding="utf-8")
        renamed = theirs.replace(_FORMAT_FUNCTION, "function formatLines(")
        # The last function passes ``isRegexp`` on: sphinx-copybutton has a pattern for prompts only
        # if it is true, and without a pattern we cannot recognize lines with a prompt.
        whole = script.replace(_THEIRS, renamed)
        config.html_context["copybutton_format_func"] = whole


def setup(app: Sphinx) -> None:
    """Register the directives and the writer of folded cells. They replace those of MyST-NB."""
    app.add_directive(_DIRECTIVE, CellOfNotebook, override=True)
    app.add_directive("code-cell", NestedCode, override=True)
    app.add_node(HideCodeCellNode, override=True, html=(_visit_hidden, depart_HideCellInput))
    # After sphinx-copybutton has set its function.
    app.connect("config-inited", complete_commands, priority=900)
