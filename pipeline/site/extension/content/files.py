"""Files that pages name: images, downloads, includes, tables.

No page reads a file outside of the docs folder, whoever wrote the page. Sphinx, docutils and
MyST look files up in a few functions, which are replaced here. A page that asks for more is shown
without it, with a warning. A directive for a file that was not pulled becomes a link to upstream's
repository.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import jinja2
from docutils import nodes
from docutils.io import FileInput
from docutils.parsers.rst.directives import images, misc, tables
from docutils.parsers.rst.directives.misc import Raw
from jinja2.sandbox import SandboxedEnvironment
from myst_nb import sphinx_ as notebooks
from myst_nb.core import read as notebook_reader
from myst_parser.mdit_to_docutils import base as markdown
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.directives.other import Include
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from pipeline.adapters import files
from pipeline.adapters.files import is_inside
from pipeline.core.document.landing import Landed, landings_from_json
from pipeline.core.document.message import Message
from pipeline.core.document.reader import read_document
from pipeline.errors import PipelineError
from pipeline.folders import ALL, OUTSIDE
from pipeline.reading import Dialect, Reading
from pipeline.site.names import RECORDS
from pipeline.site.texts import text

# What stands among the sources and is no part of the docs.
_NOT_DOCS = frozenset((RECORDS, "conf.py", "site.json"))
# What a notebook may say of how it is shown. All else would run code, or read another file.
_SHOWING = (
    "code_prompt_",
    "merge_streams",
    "number_source_lines",
    "output_stderr",
    "remove_code_",
    "render_error_lexer",
    "render_figure_options",
    "render_image_options",
    "render_markdown_format",
    "render_text_lexer",
    "scroll_outputs",
)
_PLAIN_TYPES = (str, int, float, bool, list, tuple, dict, type(None))
# As they are before anything is replaced: the tests set up more than one site in a process.
_look_up = BuildEnvironment.relfn2path
_open = FileInput.__init__
_load_code = notebook_reader._load_code_from_file
_metadata_of = notebooks.nb_node_to_dict
logger = logging.getLogger(__name__)


def path_of(env: BuildEnvironment, name: str) -> Path | None:
    """Return the file that a page calls ``name``; None if it lies outside of the docs folder."""
    path = Path(env.relfn2path(name)[1])
    return None if path.parent == _nowhere(env) else path


def _path_inside(
    self: BuildEnvironment, filename: str | Path, docname: str | None = None
) -> tuple[str, str]:
    """Return what Sphinx does, or a path that leads nowhere instead of one that leads out."""
    try:
        relative, path = _look_up(self, filename, docname)
    except (OSError, RuntimeError, ValueError):  # links in a circle, or no name at all
        relative, path = "..", os.fspath(self.srcdir.parent)
    if included := included_file(self, path):
        return included.relative_to(self.srcdir).as_posix(), os.fspath(included)
    if _is_shown(self, Path(path)):
        return relative, path
    logger.warning(
        "%s lies outside of the docs folder, and is left out",
        filename,
        location=docname or self.docname,
        type="jz",
        subtype="outside",
    )
    nowhere = _nowhere(self) / Path(filename).name.replace("\0", "")
    return nowhere.relative_to(self.srcdir).as_posix(), os.fspath(nowhere)


def included_file(env: BuildEnvironment, path: str) -> Path | None:
    """Return what was pulled for a path that leads out of the docs folders; None if nothing was.

    ``../NEWS.md`` of a page in ``docs`` is ``_outside/NEWS.md`` among the sources.
    """
    root = env.config.jz_site.get("docs_root", ALL)
    name = Path(os.path.relpath(path, env.srcdir)).as_posix()
    place = posixpath.normpath(posixpath.join(root, name))
    file = Path(env.srcdir, OUTSIDE, place)
    is_there = not Path(path).is_file() and is_inside(file, Path(env.srcdir, OUTSIDE))
    return file if is_there and file.is_file() else None


def _is_shown(env: BuildEnvironment, path: Path) -> bool:
    """Return whether pages may show a file: one of the docs, or an image out of a notebook."""
    if is_inside(path, env.doctreedir / "outputs"):
        return True
    ours = (env.srcdir / name for name in _NOT_DOCS)
    return is_inside(path, env.srcdir) and not any(is_inside(path, one) for one in ours)


def _nowhere(env: BuildEnvironment) -> Path:
    """Return a folder that never is."""
    return Path(env.srcdir, RECORDS, "outside")


def _opening_below(sources: Path) -> Any:
    """Return docutils' own opening of a file, for files below ``sources`` only."""

    def opening(
        self: FileInput, source: Any = None, source_path: Any = None, **how: Any
    ) -> None:
        """Open one of the docs, or a list of characters of docutils'. Raises OSError."""
        folders = (sources, misc.Include.standard_include_path)
        path = Path(source_path or sources)
        if not any(is_inside(path, folder) for folder in folders):
            raise _outside(source_path)
        _open(self, source, source_path, **how)

    return opening


def _loading_below(sources: Path) -> Any:
    """Return what MyST-NB reads ``:load:`` of a code cell with, for files below ``sources``."""

    def loading(
        page: Any, name: str, token: Any, lines: Sequence[str]
    ) -> Sequence[str]:
        """Return the lines of the file; those of the cell itself if it lies elsewhere."""
        if is_inside(Path(page).parent / name, sources):
            return list(_load_code(page, name, token, lines))
        logger.warning(
            "%s lies outside of the docs folder, and is left out",
            name,
            location=f"{page}:1",
            type="jz",
            subtype="outside",
        )
        return lines

    return loading


def _refuse_address(address: str) -> NoReturn:
    """Raise OSError: a page brings no table or text from an address."""
    raise _outside(address)


def _refuse_image(_: Any, address: str) -> NoReturn:
    """Raise ValueError, which docutils expects here: the page shows a link to the image."""
    raise ValueError(f"{address} is not read into the page")


def _outside(name: Any) -> OSError:
    return OSError(errno.EACCES, "it lies outside of the docs folder", os.fspath(name))


def _showing_only(metadata: Any) -> dict[str, Any]:
    """Return what a notebook says of how it is shown; not that it be run by Sphinx."""
    return {
        key: value
        for key, value in _metadata_of(metadata).items()
        if key.startswith(_SHOWING)
    }


class _PlainValues(SandboxedEnvironment):
    """What MyST fills ``{{ words }}`` in with: a page gets at words and numbers, not at objects."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether ``obj.attr`` may be had: ``env.docname`` may, ``env.srcdir`` not."""
        is_plain = isinstance(obj, _PLAIN_TYPES) or isinstance(value, _PLAIN_TYPES)
        return is_plain and super().is_safe_attribute(obj, attr, value)


_LINES = ("start-line", "end-line")
_MARKS = ("start-after", "end-before")


def translated_bounds(env: Any, file: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of an include directive for the translation of ``file``.

    They are as they were if it has none, or if upstream's file lacks the words.
    """
    if options.keys().isdisjoint((*_LINES, *_MARKS)):
        return options
    path = file.relative_to(env.srcdir).as_posix()
    try:
        english = files.read_bytes(Path(env.config.jz_site["docs"], path))
        where = Path(env.config.jz_site["blocks"], f"{path}.json")
        landings = landings_from_json(files.read_bytes(where), where=str(where))
        reading = Reading(dialect=Dialect(env.config.jz_site["dialect"]))
        document = read_document(path, english, reading)
    except PipelineError:
        return options
    splits = [unit.split for unit in document.units]
    messages = [
        *chain.from_iterable((*split.messages, *split.rest) for split in splits)
    ]
    bounds = bounds_in(document.raw, options)
    if bounds is None or len(messages) != len(landings):
        return options
    rest = {key: value for key, value in options.items() if key not in _LINES + _MARKS}
    moved = (moved_line(line, messages, landings) for line in bounds)
    return {**rest, **dict(zip(_LINES, moved, strict=True))}


def bounds_in(text: str, options: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the lines of ``text`` that an include directive takes: the first, and that behind all.

    Both count from 0. None if the words are not there.
    """
    lines = text.splitlines()
    first, last, _ = slice(options.get("start-line"), options.get("end-line")).indices(
        len(lines)
    )
    body = "\n".join(lines[first:last])
    start, end = 0, len(body)
    if words := options.get("start-after"):
        start = body.find(words) + len(words)
        if words not in body:
            return None
    if words := options.get("end-before"):
        end = body.find(words, start)
        if end < 0:
            return None
    # What is left of a line beside the words is no line of its own.
    begin = (
        first + body.count("\n", 0, start) + (1 if options.get("start-after") else 0)
    )
    until = first + body.count("\n", 0, end)
    return begin, until if options.get("end-before") else last


def moved_line(line: int, messages: list[Message], landings: tuple[Landed, ...]) -> int:
    """Return which line of the translation a line of upstream's file has become.

    Lines move by as much as the last message above has.
    """
    moved = 0
    for message, landing in zip(messages, landings, strict=True):
        if message.last_line <= line:
            moved = landing.last_line - message.last_line
    return line + moved


logger = logging.getLogger(__name__)


def has_file(env: Any, path: str) -> bool:
    """Whether a file that a page names is there."""
    file = path_of(env, path)
    return file is not None and file.is_file()


def in_repository(env: Any, path: str) -> list[nodes.Node]:
    """A paragraph that leads to a file of upstream's repository."""
    words = text(env.config.language, "file")
    template = env.config.jz_site["file_url"]
    if not template:
        name_only = nodes.literal("", path)
        return [nodes.paragraph("", words, name_only, classes=["jz-elsewhere"])]
    file = path_of(env, path)
    # ../CHANGELOG.md stands beside upstream's docs; where our own sources stand says nothing.
    name = f"../{Path(path).name}"
    if file is not None:
        name = file.relative_to(env.srcdir).as_posix()
    link = nodes.reference("", path, refuri=template.replace("{path}", name))
    return [nodes.paragraph("", words, link, classes=["jz-elsewhere"])]


class Snippets:
    """The files that the snippets (``--8<--``) of a page are in, as far as the docs have them."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self._absent: dict[str, None] = {}

    def find(self, name: str) -> str:
        """Return the file as directives call it; empty if it is not there, which is noted.

        Names count from the docs folder, or from the repository.
        """
        root = self._env.config.jz_site["docs_root"]
        for path in (name, name.removeprefix(f"{root}/")):
            if has_file(self._env, f"/{path.lstrip('/')}"):
                return f"/{path.lstrip('/')}"
        self._absent[name] = None
        return ""

    def tell(self) -> None:
        """Warn of those that are not there, once for the page."""
        if self._absent:
            logger.warning(
                "shows parts of files that the docs folder does not have: %s",
                ", ".join(self._absent),
                location=self._env.docname,
                type="jz",
                subtype="snippet",
            )


class _IfThere:
    """For a directive whose first argument is a file."""

    arguments: list[str]
    state: Any

    def run(self) -> list[nodes.Node]:
        """What the directive makes of the file; a link to it if it was not pulled."""
        env = self.state.document.settings.env
        if has_file(env, self.arguments[0]):
            return list(super().run())  # type: ignore[misc]  # the directive has it
        return in_repository(env, self.arguments[0])


class SomeLiteralInclude(_IfThere, LiteralInclude):
    """As Sphinx's, for files that are there."""


class SomeInclude(_IfThere, Include):
    """As Sphinx's, for files that are there."""

    def run(self) -> list[nodes.Node]:
        """What the directive makes of the file; its bounds are those of upstream's."""
        _set_bounds(self, self.state.document.settings.env)
        return super().run()


def _set_bounds(directive: Any, env: Any) -> None:
    """Let an include directive take the part of a translated file that it takes of upstream's."""
    file = path_of(env, directive.arguments[0])
    if file is not None and file.is_file():
        directive.options = translated_bounds(env, file, directive.options)


class SomeRaw(Raw):
    """As docutils', for what stands in the page."""

    def run(self) -> list[nodes.Node]:
        """What stands in the directive; nothing of another file, here or elsewhere."""
        if {"url", "file"} & self.options.keys():
            return []
        return list(super().run())


def _patch_myst_include() -> None:
    """MyST has an ``include`` of its own, which no directive takes the place of."""
    from myst_parser.mocking import MockIncludeDirective

    run = MockIncludeDirective.run

    def run_if_there(self: Any) -> list[Any]:
        """As ``_IfThere`` does, for the mock that MyST has in the place of a directive."""
        env = self.renderer.sphinx_env
        if has_file(env, self.arguments[0]):
            _set_bounds(self, env)
            return list(run(self))
        return in_repository(env, self.arguments[0])

    # Once: the tests set up more than one site in a process.
    if run.__name__ != run_if_there.__name__:
        MockIncludeDirective.run = run_if_there  # type: ignore[method-assign]


def setup(app: Sphinx) -> None:
    """Register this part of the extension."""
    sources = Path(app.srcdir)
    if BuildEnvironment.relfn2path is _look_up:
        # Otherwise ``tops`` has replaced what stands here by now, and calls it.
        BuildEnvironment.relfn2path = _path_inside  # type: ignore[method-assign]
    FileInput.__init__ = _opening_below(sources)  # type: ignore[method-assign]
    notebook_reader._load_code_from_file = _loading_below(sources)
    # These read addresses, which may be those of files: file:///etc/passwd.
    misc.urlopen = tables.urlopen = _refuse_address  # type: ignore[attr-defined]
    # Images are copied, never read into a page: paths would count from where Sphinx was started.
    HTML5Translator.uri2imagepath = _refuse_image  # type: ignore[attr-defined]
    images.PIL = None  # type: ignore[attr-defined]
    notebooks.nb_node_to_dict = _showing_only
    jinja = {**vars(jinja2), "Environment": _PlainValues}
    vars(markdown)["jinja2"] = SimpleNamespace(**jinja)
    app.add_directive("literalinclude", SomeLiteralInclude, override=True)
    app.add_directive("include", SomeInclude, override=True)
    app.add_directive("raw", SomeRaw, override=True)
    _patch_myst_include()
