"""Fallbacks for content that Sphinx cannot read or write: the site shows its source instead.

A directive or role that is unknown, or that fails, is shown as it is written in the page. A page
that cannot be parsed shows the error and the page's English source. No page stops the build. At the
end of the build, the names and errors of pages that show source are written to a file, and the
pipeline reports them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Body
from docutils.transforms import Transformer
from docutils.utils import new_document
from msgspec import to_builtins
from myst_nb.core.execute.base import NotebookClientBase
from myst_nb.sphinx_ import Parser as NotebookParser
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from myst_parser.parsers import mdit
from sphinx.application import Sphinx
from sphinx.parsers import RSTParser
from sphinx.util import logging

from pipeline.adapters import files
from pipeline.adapters.html.attributes import attributes_plugin
from pipeline.adapters.sphinx import BROKEN, BrokenPage
from pipeline.core.document.markdown.myst_converter import to_myst
from pipeline.core.execution.code_cells import parse_notebook, source_of
from pipeline.errors import InputError
from pipeline.reading import Dialect
from pipeline.site.extension.content.cells import join_split_fences
from pipeline.site.extension.content.files import Snippets
from pipeline.site.extension.records import Notes, read_record
from pipeline.site.extension.shared import OwnPagesBuilder
from pipeline.site.texts import text

ERROR = 3  # docutils' level of an error; warnings are 2
logger = logging.getLogger(__name__)
# Attributes that ``show_source`` does not reset when it empties a document.
_KEPT = frozenset(
    "reporter settings transformer rawsource tagname attributes parent source line".split()
)
# Pages that are shown as source, at least in part.
_BROKEN: Notes[BrokenPage] = Notes("jz_broken")

_run_rst: Any = Body.run_directive  # Any: docutils has no types
_run_myst = DocutilsRenderer.run_directive
_run_myst_role = DocutilsRenderer.render_myst_role
_lexer_of_notebook = NotebookClientBase.nb_source_code_lexer


def _guarded_rst(self: Any, directive: Any, match: Any, type_name: str, *args: Any) -> Any:
    """Run a directive in reST; return its nodes, and whether a blank line follows.

    If the directive raises, return a message that has the error and the source.
    """
    first = self.state_machine.line_offset
    transforms = list(self.document.transformer.transforms)
    try:
        return _run_rst(self, directive, match, type_name, *args)
    except Exception as error:  # noqa: BLE001 - directives raise anything
        self.document.transformer.transforms = transforms
        # At this point, docutils has advanced to the last line of the directive.
        last = self.state_machine.line_offset + 1
        source = "\n".join(self.state_machine.input_lines[first:last])
        return [_failed(self.document, type_name, error, source)], True


def _guarded_myst(
    self: Any, name: str, first_line: str, content: str, *args: Any, **options: Any
) -> list[nodes.Element]:
    """Run a directive in MyST and return its nodes. Error messages quote the directive's source."""
    source = f"```{{{name}}} {first_line}".rstrip() + f"\n{content.rstrip()}\n```"
    transforms = list(self.document.transformer.transforms)
    # After an exception, MyST would go on inside a node of the directive. So store MyST's position
    # now, and restore it then.
    node, level = self.current_node, dict(self._level_to_section)
    try:
        made = _run_myst(self, name, first_line, content, *args, **options)
    except Exception as error:  # noqa: BLE001 - directives raise anything
        self.document.transformer.transforms = transforms
        self.current_node, self._level_to_section = node, level
        return [_failed(self.document, name, error, source)]
    _quote_in(made, source)
    return made


def _guarded_myst_role(self: Any, token: Any) -> None:
    """Render a role in MyST into the current node. Error messages quote its source."""
    name = token.meta["name"]
    source = f"{{{name}}}`{token.content}`"
    node, known = self.current_node, len(self.current_node)
    try:
        _run_myst_role(self, token)
    except Exception as error:  # noqa: BLE001 - roles raise anything
        self.current_node = node
        node += _failed(self.document, name, error, source)
    _quote_in(node.children[known:], source)


def _failed(
    document: nodes.document, name: str, error: Exception, source: str
) -> nodes.system_message:
    """Return the message for a directive or role that raised an unexpected exception."""
    words = f"{name!r} failed: {_words_of_exception(error)}"
    message = document.reporter.error(words, line=document.current_line)
    _quote_in([message], source)
    return message


def _quote_in(made: Any, source: str) -> None:
    """Make each message among ``made`` quote the whole source exactly once."""
    for message in made:
        if isinstance(message, nodes.system_message):
            for block in list(message.findall(nodes.literal_block)):
                message.remove(block)
            message.append(nodes.literal_block(source, source))


class _Guarded:
    """Parser mix-in that shows the source of pages and blocks that cannot be parsed."""

    def parse(self, inputstring: Any, document: nodes.document) -> None:
        """Parse a page. If the parser raises, show the source of the page."""
        # Transforms run after parsing, and may fail as well.
        document.transformer = GuardedTransformer(document)
        try:
            super().parse(inputstring, document)  # type: ignore[misc]
        # Parsers and directives may raise any exception. A bad page must not stop other pages.
        except Exception as error:  # noqa: BLE001
            show_source(document, _words_of_exception(error))
            return
        _show_broken_blocks(document)


class GuardedNotebookParser(_Guarded, NotebookParser):  # type: ignore[misc]  # MyST-NB has no types
    """Parser of MyST pages and notebooks."""

    def parse(self, inputstring: Any, document: nodes.document) -> None:
        """Parse a page. Convert other dialects of Markdown to MyST first, and join split fences."""
        env = document.settings.env
        if str(env.doc2path(env.docname)).endswith(".md"):
            site = env.config.jz_site
            title = site.get("titles", {}).get(env.docname, "")
            snippets = Snippets(env)
            inputstring = to_myst(
                inputstring, Dialect(site["dialect"]), title=title, find=snippets.find
            )
            snippets.warn()
        elif read_record(env).get("source", "").endswith(".md"):
            inputstring = join_split_fences(inputstring)
        super().parse(inputstring, document)
        # A rule (``---``) may be anywhere in Markdown. docutils allows it only between paragraphs,
        # not in a list or at the end of a page.
        for rule in list(document.findall(nodes.transition)):
            rule.replace_self(nodes.raw("", '<hr class="docutils" />', format="html"))


class GuardedRSTParser(_Guarded, RSTParser):
    """Parser of reStructuredText pages."""


class GuardedTransformer(Transformer):
    """Transformer that replaces a page by its source if a transform fails."""

    def apply_transforms(self) -> None:
        """Apply all transforms. If one raises, apply them to the source of the page instead."""
        for_any_page = _without_nodes(self.transforms)
        try:
            super().apply_transforms()
        except Exception as error:  # noqa: BLE001 - as above
            env = self.document.settings.env
            # Remove objects and labels of the page, because the page does not show them any more.
            for domain in env.domains.sorted():
                domain.clear_doc(env.docname)
            show_source(self.document, _words_of_exception(error))
            self.transforms, self.sorted = for_any_page, False
            super().apply_transforms()


def _without_nodes(transforms: list[Any]) -> list[Any]:
    """Return the transforms for whole pages. (Others have the node to transform as third value.)"""
    return [entry for entry in transforms if entry[2] is None]


def _words_of_exception(error: Exception) -> str:
    """Return an exception as text: ``ValueError: no such colour``."""
    return f"{type(error).__name__}: {error}"


def _show_broken_blocks(document: nodes.document) -> None:
    """Show the source of all content with errors, and store the first error of the page."""
    # docutils puts a message about inline markup elsewhere on the page. At the place of the markup
    # it leaves a "problematic" node.
    placed = list(filter(_is_error, document.findall(nodes.system_message)))
    errors = dict.fromkeys([*placed, *filter(_is_error, document.parse_messages)])
    if not errors:
        return
    for message in placed:
        message.parent.replace(message, list(_source_in(message)))
    document.parse_messages = [
        message for message in document.parse_messages if message not in errors
    ]
    for piece in list(document.findall(nodes.problematic)):
        words = piece.astext()
        shown = nodes.literal(words, words, classes=["jz-broken"])
        piece.parent.replace(piece, shown)
    first = next(iter(errors))
    problem = first.children[0].astext().strip() if first.children else "?"
    if first.get("line"):
        problem = f"{first['line']}: {problem}"
    # For a docstring, the attribute ``source`` names the object: "lamps/lamp.py:12: lamps.shine".
    if ": " in first.get("source", ""):
        problem = f"{first['source']}: {problem}"
    _note(document, BrokenPage(problem=problem, blocks=len(errors)))


def _source_in(message: nodes.system_message) -> Iterator[nodes.Node]:
    """Yield the source that a message quotes: inline code in a paragraph, otherwise a block."""
    for block in message.findall(nodes.literal_block):
        source = block.astext()
        if isinstance(message.parent, nodes.TextElement):
            yield nodes.literal(source, source, classes=["jz-broken"])
        else:
            yield nodes.literal_block(
                source, source, language="none", lang="en", classes=["jz-broken"]
            )


def _is_error(message: nodes.system_message) -> bool:
    """Return whether a message reports an error that leaves content out."""
    if message["level"] >= ERROR:
        return True
    # Count MyST's warnings about unknown directives and roles as errors.
    words = message.astext()
    return "myst.directive_unknown" in words or "myst.role_unknown" in words


def _note(document: nodes.document, broken: BrokenPage) -> None:
    """Store the problem of a page, for its freshness line and for the pipeline."""
    env = document.settings.env
    _BROKEN.by_page(env)[env.docname] = broken
    logger.error(broken.problem, location=env.docname, type="jz", subtype="broken")


def broken_of(env: Any) -> BrokenPage | None:
    """Return the problem of the page that Sphinx is reading; None if there is none."""
    return _BROKEN.by_page(env).get(env.docname)


def show_source(document: nodes.document, problem: str) -> None:
    """Replace the content of a document by the error and the English source."""
    fresh = new_document(str(document.get("source", "")), document.settings)
    for name, value in vars(fresh).items():
        # Change the document itself, because the parser has a reference to it.
        if name not in _KEPT:
            setattr(document, name, value)
    # When MyST-NB fails, it leaves its renderer in an attribute, which Sphinx cannot pickle.
    for name in document.attributes.keys() - fresh.attributes.keys():
        del document.attributes[name]
    transformer = document.transformer
    transformer.transforms = _without_nodes(transformer.transforms)
    document.myst_slugs = {}  # type: ignore[attr-defined]  # MyST expects this attribute
    document += _source_of_page(document.settings.env, problem)
    _note(document, BrokenPage(problem=problem))


def _source_of_page(env: Any, problem: str) -> nodes.section:
    """Return a section with the error and the source of the current page."""
    source = _read_source(env)
    title = env.docname.rpartition("/")[2]
    name = nodes.fully_normalize_name(title)
    section = nodes.section("", nodes.title(title, title), names=[name])
    section["ids"] = [nodes.make_id(name) or "source"]
    # The error comes first, for people who correct the page.
    section += nodes.error(
        "",
        nodes.paragraph("", text(env.config.language, "broken")),
        nodes.literal_block(problem, problem, language="text"),
    )
    section += nodes.literal_block(source, source, language="none", lang="en")
    return section


def _read_source(env: Any) -> str:
    """Return upstream's source of the current page; for a notebook, the text of its cells."""
    record = read_record(env)
    # A page without a record is not from upstream. Show its file among the sources.
    path = Path(env.doc2path(env.docname))
    if record:
        path = Path(env.config.jz_site["docs"], record["source"])
    data = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix != ".ipynb":
        return data
    try:
        cells = parse_notebook(data, where=str(path))["cells"]
    except InputError:
        return data
    return "\n\n".join(map(source_of, cells))


def write_broken(app: Sphinx, problem: Exception | None) -> None:
    """Write the broken pages to a file for the pipeline, unless the build has failed.

    ``{"guide": {"problem": "12: Unknown …", "blocks": 1}}``
    """
    if problem is None:
        pages = _BROKEN.by_page(app.env)
        data = json.dumps(pages, default=to_builtins, sort_keys=True).encode()
        files.write_if_changed(Path(app.doctreedir, BROKEN), data)


class GuardedHTMLBuilder(OwnPagesBuilder):
    """HTML builder that writes the source of a page if the page itself cannot be written."""

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        """Write a page, or its source if a writer raises."""
        try:
            super().write_doc(docname, doctree)
        except Exception as error:  # noqa: BLE001 - writers of extensions raise anything
            problem = _words_of_exception(error)
            # Only log the problem. It cannot be stored as a note (see ``records``), because Sphinx
            # does not collect notes from processes that write pages.
            logger.error(problem, location=docname, type="jz", subtype="unwritten")
            page = new_document(str(doctree.get("source", "")), doctree.settings)
            doctree.settings.env.current_document.docname = docname
            page += _source_of_page(doctree.settings.env, problem)
            super().write_doc(docname, page)


def _lexer(self: Any) -> str:
    """Return the name of Pygments' lexer for a notebook's code.

    If the notebook names no language, assume Python. Otherwise MyST-NB would show the code without
    colours, and warn about each cell.
    """
    return _lexer_of_notebook(self) or "ipython3"


def setup(app: Sphinx) -> None:
    """Install the parsers and the builder, and guard the directives and roles of both languages.

    Roles in reST need no guard: docutils itself shows the source of unknown roles.
    """
    Body.run_directive = _guarded_rst  # type: ignore[method-assign]
    DocutilsRenderer.run_directive = _guarded_myst  # type: ignore[method-assign]
    DocutilsRenderer.render_myst_role = _guarded_myst_role  # type: ignore[method-assign]
    mdit.attrs_block_plugin = attributes_plugin  # type: ignore[assignment, attr-defined]
    NotebookClientBase.nb_source_code_lexer = _lexer
    app.add_builder(GuardedHTMLBuilder, override=True)
    app.add_source_parser(GuardedNotebookParser, override=True)
    app.add_source_parser(GuardedRSTParser, override=True)
    _BROKEN.setup(app)
    app.connect("build-finished", write_broken)
