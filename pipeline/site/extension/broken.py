"""A page that cannot be read as it should: its English source is shown, with the error on top.

The build goes on, and the pipeline is told: the names of such pages, each with the reason, are
left for it in a file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils import new_document
from myst_nb.sphinx_ import Parser as NotebookParser
from sphinx.application import Sphinx
from sphinx.parsers import RSTParser
from sphinx.util import logging

from pipeline.adapters.sphinx import BROKEN
from pipeline.site.extension.noting import Notes
from pipeline.site.extension.records import read_record
from pipeline.site.extension.texts import text

ERROR = 3  # docutils' level: an error, not a warning
# What a document is made with; all else comes of what was read.
_KEPT = frozenset(
    (
        *("reporter", "settings", "transformer", "rawsource", "tagname"),
        *("attributes", "parent", "source", "line"),
    )
)
# The pages that are shown as their source, each with the reason.
_BROKEN: Notes[str] = Notes("jz_broken")
logger = logging.getLogger(__name__)


class _Careful:
    """For a parser: look at what came of it."""

    def parse(self, inputstring: Any, document: nodes.document) -> None:
        """As the parser does, unless that fails: then the page is its source.

        It fails with an exception, or with an error among the messages of the page.
        """
        try:
            super().parse(inputstring, document)  # type: ignore[misc]
        # Parsers and directives raise anything; one page must not stop the others.
        except Exception as error:  # noqa: BLE001
            problem = f"{type(error).__name__}: {error}"
        else:
            problem = _problem_in(document)
        if problem:
            show_source(document, problem)


class CarefulNotebookParser(_Careful, NotebookParser):  # type: ignore[misc]  # MyST-NB has no types
    """MyST pages and notebooks."""


class CarefulRSTParser(_Careful, RSTParser):
    """reStructuredText."""


def _problem_in(document: nodes.document) -> str:
    """The first error that a directive or role reported; empty if there is none."""
    messages = [*document.parse_messages, *document.findall(nodes.system_message)]
    return next(map(_words_of, filter(_is_error, messages)), "")


def _is_error(message: nodes.system_message) -> bool:
    """Whether docutils' message is of an error, not of something that it could mend."""
    if message["level"] >= ERROR:
        return True
    # To MyST a directive that it does not know is worth a warning: it shows its source.
    return "myst.directive_unknown" in message.astext()


def _words_of(message: nodes.system_message) -> str:
    """What a message says, with the line: ``12: Unknown directive type "plt".``"""
    words = message.children[0].astext().strip() if message.children else "?"
    if message.get("line"):
        return f"{message['line']}: {words}"
    return words


def show_source(document: nodes.document, problem: str) -> None:
    """Put the English source in the place of all that was read."""
    env = document.settings.env
    source = _source(env)
    _empty(document)
    title = env.docname.rpartition("/")[2]
    name = nodes.fully_normalize_name(title)
    section = nodes.section("", nodes.title(title, title), names=[name])
    # The reason first, for whoever is to mend it.
    section += nodes.error(
        "",
        nodes.paragraph("", text(env.config.language, "broken")),
        nodes.literal_block(problem, problem, language="text"),
    )
    section += nodes.literal_block(source, source, language="none", lang="en")
    document += section
    # As the parser does for a heading.
    document.note_implicit_target(section, section)
    _BROKEN.by_page(env)[env.docname] = problem
    logger.error(problem, location=env.docname, type="jz", subtype="broken")


def _source(env: Any) -> str:
    """What upstream wrote; of a notebook the sources of its cells."""
    record = read_record(env)
    # A page that the pipeline knows nothing of is its own source.
    path = Path(env.doc2path(env.docname))
    if record:
        path = Path(env.config.jz_site["docs"], record["source"])
    data = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix != ".ipynb":
        return data
    cells = json.loads(data).get("cells", [])
    return "\n\n".join("".join(cell.get("source", "")) for cell in cells)


def _empty(document: nodes.document) -> None:
    """Forget what was read, and what was to be done with it."""
    fresh = new_document(str(document.get("source", "")), document.settings)
    for name, value in vars(fresh).items():
        # Whoever parses has the document in hand: it stays the same object.
        if name not in _KEPT:
            setattr(document, name, value)
    # Those with a node of their own (the third of an entry) were asked for by what was read.
    pending = document.transformer.transforms
    document.transformer.transforms = [entry for entry in pending if entry[2] is None]
    document.myst_slugs = {}  # type: ignore[attr-defined]  # where MyST looks for them


def tell(app: Sphinx, problem: Exception | None) -> None:
    """Leave a file for the pipeline: ``{"guide": "12: Unknown directive type …"}``."""
    if problem is None:
        pages = json.dumps(_BROKEN.by_page(app.env), sort_keys=True)
        Path(app.doctreedir, BROKEN).write_text(pages, encoding="utf-8")


def _read_as_python() -> None:
    """Take a notebook that says nothing of its language for Python.

    MyST-NB would show its code without colours, and complain of each cell.
    """
    from myst_nb.core.execute.base import NotebookClientBase

    known = NotebookClientBase.nb_source_code_lexer

    def lexer(self: Any) -> str:
        """The name of Pygments' lexer for the code of a notebook."""
        return known(self) or "ipython3"

    NotebookClientBase.nb_source_code_lexer = lexer


def setup(app: Sphinx) -> None:
    """Use these parsers."""
    _read_as_python()
    app.add_source_parser(CarefulNotebookParser, override=True)
    app.add_source_parser(CarefulRSTParser, override=True)
    _BROKEN.setup(app)
    app.connect("build-finished", tell)
