"""Fallbacks for what cannot be read or written: the source is shown instead.

A directive or role that is unknown, or that fails, is shown as it is written. If a page as a whole
cannot be read, it shows its English source below the error. The build goes on. The names of such
pages and their errors are written to a file for the pipeline.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Body
from docutils.transforms import Transformer
from docutils.utils import new_document
from myst_nb.core.execute.base import NotebookClientBase
from myst_nb.sphinx_ import Parser as NotebookParser
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.parsers import RSTParser
from sphinx.util import logging

from pipeline.adapters.sphinx import BROKEN, BrokenPage
from pipeline.core.document.markdown.mkdocs import to_myst
from pipeline.core.execution.notebook import parse_notebook, source_of
from pipeline.errors import InputError
from pipeline.reading import Dialect
from pipeline.site.extension.content.cells import with_whole_fences
from pipeline.site.extension.content.files import Snippets
from pipeline.site.extension.records import Notes, read_record
from pipeline.site.texts import text

ERROR = 3  # docutils' level: an error, not a warning
logger = logging.getLogger(__name__)
# What a document is created with; everything else comes from what was read.
_KEPT = frozenset(
    (
        *("reporter", "settings", "transformer", "rawsource", "tagname"),
        *("attributes", "parent", "source", "line"),
    )
)
# The pages that show something as its source.
_BROKEN: Notes[BrokenPage] = Notes("jz_broken")

_run_rst: Any = Body.run_directive  # without types
_run_myst = DocutilsRenderer.run_directive
_run_myst_role = DocutilsRenderer.render_myst_role
_lexer_of_notebook = NotebookClientBase.nb_source_code_lexer


def _guarded_rst(
    self: Any, directive: Any, match: Any, type_name: str, option_presets: Any
) -> tuple[list[Any], bool]:
    """Run a directive in reST: return its nodes, and whether a blank line follows."""
    first = self.state_machine.line_offset
    transforms = list(self.document.transformer.transforms)
    try:
        made: tuple[list[Any], bool] = _run_rst(
            self, directive, match, type_name, option_presets
        )
        return made
    except Exception as error:  # noqa: BLE001 - directives raise anything
        self.document.transformer.transforms = transforms
        # docutils is at the last line of the directive by now.
        last = self.state_machine.line_offset + 1
        source = "\n".join(self.state_machine.input_lines[first:last])
        return [_failed(self.document, type_name, error, source)], True


def _guarded_myst(
    self: Any,
    name: str,
    first_line: str,
    content: str,
    position: int,
    *args: Any,
    **options: Any,
) -> list[nodes.Element]:
    """Run a directive in MyST and return its nodes. A message of an error gets the source."""
    source = f"```{{{name}}} {first_line}".rstrip() + f"\n{content.rstrip()}\n```"
    transforms = list(self.document.transformer.transforms)
    # MyST descends into the nodes that it makes, and an error leaves it there.
    node, level = self.current_node, dict(self._level_to_section)
    try:
        made = _run_myst(self, name, first_line, content, position, *args, **options)
    except Exception as error:  # noqa: BLE001 - directives raise anything
        self.document.transformer.transforms = transforms
        self.current_node, self._level_to_section = node, level
        return [_failed(self.document, name, error, source)]
    _quote_in(made, source)
    return made


def _guarded_myst_role(self: Any, token: Any) -> None:
    """Render a role in MyST into the current line. A message of an error gets the source."""
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
    """Return the message for a directive or role that raised an unexpected error."""
    words = f"{name!r} failed: {_words_of_exception(error)}"
    message = document.reporter.error(words, line=document.current_line)
    _quote_in([message], source)
    return message


def _quote_in(made: Any, source: str) -> None:
    """Let each message among the nodes contain the whole source, once."""
    for message in made:
        if isinstance(message, nodes.system_message):
            for block in list(message.findall(nodes.literal_block)):
                message.remove(block)
            message.append(nodes.literal_block(source, source))


class _Careful:
    """Mix-in for a parser: show the source of what cannot be parsed."""

    def parse(self, inputstring: Any, document: nodes.document) -> None:
        """Parse a page; if the parser raises, the page becomes its source."""
        # Transforms are applied after parsing, and may fail as well.
        document.transformer = CarefulTransformer(document)
        try:
            super().parse(inputstring, document)  # type: ignore[misc]
        # Parsers and directives raise anything; one page must not stop the others.
        except Exception as error:  # noqa: BLE001
            show_source(document, _words_of_exception(error))
            return
        _show_broken_blocks(document)


class CarefulNotebookParser(_Careful, NotebookParser):  # type: ignore[misc]  # MyST-NB has no types
    """Parser of MyST pages and notebooks."""

    def parse(self, inputstring: Any, document: nodes.document) -> None:
        """Parse a page. Rules may stand anywhere, as CommonMark allows."""
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
            inputstring = with_whole_fences(inputstring)
        super().parse(inputstring, document)
        # To docutils a rule separates sections: in a list or at the end of a page it fails.
        for rule in list(document.findall(nodes.transition)):
            rule.replace_self(nodes.raw("", '<hr class="docutils" />', format="html"))


class CarefulRSTParser(_Careful, RSTParser):
    """Parser of reStructuredText."""


class CarefulTransformer(Transformer):
    """Transformer that falls back to the source of the page."""

    def apply_transforms(self) -> None:
        """Apply all transforms. If one fails, apply them to the source of the page instead."""
        for_any_page = _without_nodes(self.transforms)
        try:
            super().apply_transforms()
        except Exception as error:  # noqa: BLE001 - as above
            env = self.document.settings.env
            # Notes of the page refer to nothing that it shows now.
            for domain in env.domains.sorted():
                domain.clear_doc(env.docname)
            show_source(self.document, _words_of_exception(error))
            self.transforms, self.sorted = for_any_page, False
            super().apply_transforms()


def _without_nodes(transforms: list[Any]) -> list[Any]:
    """Return the transforms that are for any page; the others have a node as third value."""
    return [entry for entry in transforms if entry[2] is None]


def _words_of_exception(error: Exception) -> str:
    """Return an error as text: ``ValueError: no such colour``."""
    return f"{type(error).__name__}: {error}"


def _show_broken_blocks(document: nodes.document) -> None:
    """Show the source of what the parser could not read, and note the page."""
    # Messages about a line have no place; a "problematic" piece stands in the line.
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
    _note(document, BrokenPage(problem=problem, blocks=len(errors)))


def _source_in(message: nodes.system_message) -> Iterator[nodes.Node]:
    """Yield what a message quotes of the page: a piece of a line, or a block of its own."""
    for block in message.findall(nodes.literal_block):
        source = block.astext()
        if isinstance(message.parent, nodes.TextElement):
            yield nodes.literal(source, source, classes=["jz-broken"])
        else:
            yield nodes.literal_block(
                source, source, language="none", lang="en", classes=["jz-broken"]
            )


def _is_error(message: nodes.system_message) -> bool:
    """Return whether docutils reports an error, not something that it could mend."""
    if message["level"] >= ERROR:
        return True
    # MyST only warns of a directive or role that it does not know.
    words = message.astext()
    return "myst.directive_unknown" in words or "myst.role_unknown" in words


def _note(document: nodes.document, broken: BrokenPage) -> None:
    """Note what is wrong with a page, for its head and for the pipeline."""
    env = document.settings.env
    _BROKEN.by_page(env)[env.docname] = broken
    logger.error(broken.problem, location=env.docname, type="jz", subtype="broken")


def broken_of(env: Any) -> BrokenPage | None:
    """Return what is wrong with the page that is being read; None if nothing is."""
    return _BROKEN.by_page(env).get(env.docname)


def show_source(document: nodes.document, problem: str) -> None:
    """Replace everything that was read by the English source."""
    fresh = new_document(str(document.get("source", "")), document.settings)
    for name, value in vars(fresh).items():
        # The parser holds on to the document: it stays the same object.
        if name not in _KEPT:
            setattr(document, name, value)
    # MyST-NB leaves its renderer there if it fails, which Sphinx cannot write to a file.
    for name in document.attributes.keys() - fresh.attributes.keys():
        del document.attributes[name]
    transformer = document.transformer
    transformer.transforms = _without_nodes(transformer.transforms)
    document.myst_slugs = {}  # type: ignore[attr-defined]  # where MyST looks for them
    document += _source_of_page(document.settings.env, problem)
    _note(document, BrokenPage(problem=problem))


def _source_of_page(env: Any, problem: str) -> nodes.section:
    """Return a section with the reason and the source of the current page."""
    source = _read_source(env)
    title = env.docname.rpartition("/")[2]
    name = nodes.fully_normalize_name(title)
    section = nodes.section("", nodes.title(title, title), names=[name])
    section["ids"] = [nodes.make_id(name) or "source"]
    # The reason first, for whoever is to mend it.
    section += nodes.error(
        "",
        nodes.paragraph("", text(env.config.language, "broken")),
        nodes.literal_block(problem, problem, language="text"),
    )
    section += nodes.literal_block(source, source, language="none", lang="en")
    return section


def _read_source(env: Any) -> str:
    """Return what upstream wrote; of a notebook the sources of its cells."""
    record = read_record(env)
    # A page without a record is its own source.
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
    """Write a file for the pipeline: ``{"guide": {"problem": "12: Unknown …", "blocks": 1}}``."""
    if problem is None:
        pages = {
            page: asdict(broken) for page, broken in _BROKEN.by_page(app.env).items()
        }
        data = json.dumps(pages, sort_keys=True)
        Path(app.doctreedir, BROKEN).write_text(data, encoding="utf-8")


class CarefulHTMLBuilder(StandaloneHTMLBuilder):
    """Sphinx's builder of HTML; a page that cannot be written becomes its source."""

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        """Write a page, or its source if a writer raises."""
        try:
            super().write_doc(docname, doctree)
        except Exception as error:  # noqa: BLE001 - writers of extensions raise anything
            problem = _words_of_exception(error)
            # Not noted: this may be a process that only writes.
            logger.error(problem, location=docname, type="jz", subtype="unwritten")
            page = new_document(str(doctree.get("source", "")), doctree.settings)
            doctree.settings.env.current_document.docname = docname
            page += _source_of_page(doctree.settings.env, problem)
            super().write_doc(docname, page)


def _lexer(self: Any) -> str:
    """Return Pygments' lexer for the code of a notebook; Python's if it names no language.

    MyST-NB would show the code without colours, and warn of each cell.
    """
    return _lexer_of_notebook(self) or "ipython3"


def setup(app: Sphinx) -> None:
    """Use these parsers and this builder, and guard directives and roles of both languages.

    docutils itself shows the source of a role that it does not know.
    """
    Body.run_directive = _guarded_rst  # type: ignore[method-assign]
    DocutilsRenderer.run_directive = _guarded_myst  # type: ignore[method-assign]
    DocutilsRenderer.render_myst_role = _guarded_myst_role  # type: ignore[method-assign]
    NotebookClientBase.nb_source_code_lexer = _lexer
    app.add_builder(CarefulHTMLBuilder, override=True)
    app.add_source_parser(CarefulNotebookParser, override=True)
    app.add_source_parser(CarefulRSTParser, override=True)
    _BROKEN.setup(app)
    app.connect("build-finished", write_broken)
