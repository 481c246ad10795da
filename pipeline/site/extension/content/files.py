"""Files that pages refer to: images, downloads, includes, tables.

A page must not read files outside the docs folder, such as ``/etc/passwd``. So this module replaces
the functions of Sphinx, docutils and MyST that look files up. If a page refers to a file outside
the docs folder, the file is left out, and a warning is logged. A directive for a file that was not
pulled becomes a link to upstream's repository.
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
from jinja2.sandbox import SandboxedEnvironment
from myst_nb import sphinx_ as notebooks
from myst_nb.core import read as notebook_reader
from myst_parser.mdit_to_docutils import base as markdown
from myst_parser.mocking import MockIncludeDirective
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.directives.other import Include
from sphinx.environment import BuildEnvironment
from sphinx.writers.html5 import HTML5Translator

from pipeline.adapters import files
from pipeline.adapters.files import is_inside
from pipeline.core.document.landing import Landing, landings_from_json
from pipeline.core.document.message import Message
from pipeline.core.document.reader import read_document
from pipeline.errors import PipelineError
from pipeline.folders import ALL, OUTSIDE
from pipeline.reading import Dialect, Reading
from pipeline.site.extension.navigation.links import top_of
from pipeline.site.extension.records import warn
from pipeline.site.names import RECORDS
from pipeline.site.texts import text

# Files among the sources that are not part of the docs.
_NOT_DOCS = frozenset((RECORDS, "conf.py", "site.json"))
# Metadata of a notebook that only affects its display. Other keys could run code or read files.
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
# Options of include directives: numbers of lines, and words of the English file to search for.
_LINES = ("start-line", "end-line")
_MARKS = ("start-after", "end-before")
# The original functions. They are saved when the module is imported, because ``setup`` replaces
# them, and tests call it several times in one process.
_look_up = BuildEnvironment.relfn2path
_open = FileInput.__init__
_load_code = notebook_reader._load_code_from_file
_metadata_of = notebooks.nb_node_to_dict
_include_myst = MockIncludeDirective.run
_OUTSIDE_WARNING = "%s is outside of the docs folder, so it is left out"


def path_of(env: BuildEnvironment, name: str) -> Path | None:
    """Return the path of a file that the current page calls ``name``; None if outside the docs."""
    path = Path(env.relfn2path(name)[1])
    return None if path.parent == _nowhere(env) else path


def _path_inside(
    self: BuildEnvironment, filename: str | Path, docname: str | None = None
) -> tuple[str, str]:
    """Return Sphinx's result of ``relfn2path``: a path relative to the sources, and the full path.

    For a file outside the docs, both paths lead to a file that does not exist.
    """
    # ``/img/a.png`` means the docs folder of the page, if that folder has the file.
    site = self.config.jz_site
    top = top_of(site, docname or self.docname) if site.get("folders") else ""
    inside = f"{top}{str(filename).lstrip('/')}"
    if top and str(filename).startswith("/") and is_file(self.srcdir / inside):
        filename = f"/{inside}"
    try:
        relative, path = _look_up(self, filename, docname)
    # A cycle of symbolic links, or an invalid name, causes these errors. Such a file counts as
    # outside the docs.
    except (OSError, RuntimeError, ValueError):
        relative, path = "..", os.fspath(self.srcdir.parent)
    if included := included_file(self, path):
        return included.relative_to(self.srcdir).as_posix(), os.fspath(included)
    if _is_shown(self, Path(path)):
        return relative, path
    warn("outside", docname or self.docname, _OUTSIDE_WARNING, filename)
    nowhere = _nowhere(self) / Path(filename).name.replace("\0", "")
    return nowhere.relative_to(self.srcdir).as_posix(), os.fspath(nowhere)


def is_file(path: Path) -> bool:
    """Return whether there is such a file. ``diagram.*`` matches any suffix: Sphinx chooses one."""
    return path.is_file() or (path.suffix == ".*" and any(path.parent.glob(path.name)))


def included_file(env: BuildEnvironment, path: str) -> Path | None:
    """Return the pulled copy of a file outside the docs folders; None if there is none.

    ``pull`` also copies files that pages include from the rest of the repository. For a page in
    ``docs``, the copy of ``../NEWS.md`` is ``_outside/NEWS.md`` in the folder of sources.
    """
    root = env.config.jz_site.get("docs_root", ALL)
    name = Path(os.path.relpath(path, env.srcdir)).as_posix()
    place = posixpath.normpath(posixpath.join(root, name))
    file = Path(env.srcdir, OUTSIDE, place)
    is_there = not Path(path).is_file() and is_inside(file, Path(env.srcdir, OUTSIDE))
    return file if is_there and file.is_file() else None


def _is_shown(env: BuildEnvironment, path: Path) -> bool:
    """Return whether pages may show a file: a file of the docs, or an image of an output."""
    if is_inside(path, env.doctreedir / "outputs"):
        return True
    ours = (env.srcdir / name for name in _NOT_DOCS)
    return is_inside(path, env.srcdir) and not any(is_inside(path, one) for one in ours)


def _nowhere(env: BuildEnvironment) -> Path:
    """Return a folder that never exists."""
    return Path(env.srcdir, RECORDS, "outside")


def _bounded_file_input(sources: Path) -> Any:
    """Return a constructor for docutils' FileInput that opens only files below ``sources``."""

    def opening(self: FileInput, source: Any = None, source_path: Any = None, **how: Any) -> None:
        """Open a file of the docs, or one of docutils' own includes (lists of characters).

        Raises OSError for any other file.
        """
        folders = (sources, misc.Include.standard_include_path)
        path = Path(source_path or sources)
        if not any(is_inside(path, folder) for folder in folders):
            raise _outside(source_path)
        _open(self, source, source_path, **how)

    return opening


def _loading_below(sources: Path) -> Any:
    """Return a function for the option ``:load:`` of a code cell, limited to ``sources``."""

    def loading(page: Any, name: str, token: Any, lines: Sequence[str]) -> Sequence[str]:
        """Return the lines of the file; for a file outside, ``lines``, which the cell contains."""
        if is_inside(Path(page).parent / name, sources):
            return list(_load_code(page, name, token, lines))
        warn("outside", f"{page}:1", _OUTSIDE_WARNING, name)
        return lines

    return loading


def _refuse_address(address: str) -> NoReturn:
    """Raise OSError: pages must not load text from an address."""
    raise _outside(address)


def _refuse_image(_: Any, address: str) -> NoReturn:
    """Raise ValueError: docutils then writes a link to the image instead of its data."""
    raise ValueError(f"{address} is not read into the page")


def _outside(name: Any) -> OSError:
    return OSError(errno.EACCES, "it lies outside of the docs folder", os.fspath(name))


def _showing_only(metadata: Any) -> dict[str, Any]:
    """Return the entries of a notebook's metadata that affect only its display."""
    return {key: value for key, value in _metadata_of(metadata).items() if key.startswith(_SHOWING)}


class _PlainValues(SandboxedEnvironment):
    """Jinja environment for MyST substitutions (``{{ words }}``), limited to plain values.

    Plain values are strings, numbers, lists and dictionaries.
    """

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a page may read ``obj.attr``: ``env.docname``, but not ``env.srcdir``."""
        is_plain = isinstance(obj, _PLAIN_TYPES) or isinstance(value, _PLAIN_TYPES)
        return is_plain and super().is_safe_attribute(obj, attr, value)


def translated_bounds(env: Any, file: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of an include directive, adapted to the translation of ``file``.

    An include may select lines by number or by words: ``:start-after: Installation``. The words are
    English, so they are searched for in upstream's file. The lines that upstream's file has there
    are converted to lines of the translation. Options that select no lines are returned unchanged.
    If a file cannot be read, or if upstream's file lacks the words, all options are unchanged.
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
    messages = [*chain.from_iterable((*split.messages, *split.rest) for split in splits)]
    bounds = bounds_in(document.raw, options)
    if bounds is None or len(messages) != len(landings):
        return options
    rest = {key: value for key, value in options.items() if key not in _LINES + _MARKS}
    moved = (moved_line(line, messages, landings) for line in bounds)
    return {**rest, **dict(zip(_LINES, moved, strict=True))}


def bounds_in(text: str, options: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return which lines of ``text`` an include directive selects, as (first, after last).

    Both numbers count from 0. Return None if ``text`` lacks the words of the options.
    """
    lines = text.splitlines()
    first, last, _ = slice(options.get("start-line"), options.get("end-line")).indices(len(lines))
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
    # Whole lines are selected: the rest of the line with the words of ``start-after`` is skipped.
    begin = first + body.count("\n", 0, start) + (1 if options.get("start-after") else 0)
    until = first + body.count("\n", 0, end)
    return begin, until if options.get("end-before") else last


def moved_line(line: int, messages: list[Message], landings: tuple[Landing, ...]) -> int:
    """Return the line of the translation that corresponds to a line of upstream's file.

    Translations may have more or fewer lines than their messages. So a line moves by as many lines
    as the end of the last message above it has moved.
    """
    moved = 0
    for message, landing in zip(messages, landings, strict=True):
        if message.last_line <= line:
            moved = landing.last_line - message.last_line
    return line + moved


def has_file(env: Any, path: str) -> bool:
    """Return whether a file that the current page calls ``path`` exists in the docs."""
    file = path_of(env, path)
    return file is not None and file.is_file()


def in_repository(env: Any, path: str) -> list[nodes.Node]:
    """Return a paragraph with a link to a file in upstream's repository."""
    words = text(env.config.language, "file")
    shown: nodes.TextElement = nodes.literal("", path)
    if template := env.config.jz_site["file_url"]:
        file = path_of(env, path)
        # For a file outside the docs, assume that it is beside upstream's docs folder.
        name = file.relative_to(env.srcdir).as_posix() if file else f"../{Path(path).name}"
        shown = nodes.reference("", path, refuri=template.replace("{path}", name))
    return [nodes.paragraph("", words, shown, classes=["jz-elsewhere"])]


class Snippets:
    """Finder of files that a page includes with ``--8<-- "NAME"``, as mkdocs pages do."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self._absent: dict[str, None] = {}

    def find(self, name: str) -> str:
        """Return the path by which directives find a file; empty if the file does not exist.

        ``name`` is relative to the docs folder or to the repository. A later call of ``warn`` logs
        the names of the files that were missing.
        """
        root = self._env.config.jz_site["docs_root"]
        for path in (name, name.removeprefix(f"{root}/")):
            if has_file(self._env, f"/{path.lstrip('/')}"):
                return f"/{path.lstrip('/')}"
        self._absent[name] = None
        return ""

    def warn(self) -> None:
        """Log one warning for all missing files of the page."""
        if self._absent:
            words = "shows parts of files that the docs folder does not have: %s"
            warn("snippet", self._env.docname, words, ", ".join(self._absent))


def _run_include(directive: Any, env: Any, run: Any) -> list[Any]:
    """Return the nodes of an include directive, or a link if its file was not pulled.

    ``run`` is the original method of the directive.
    """
    file = path_of(env, directive.arguments[0])
    if file is None or not file.is_file():
        return in_repository(env, directive.arguments[0])
    directive.options = translated_bounds(env, file, directive.options)
    return list(run())


class BoundedLiteralInclude(LiteralInclude):
    """Sphinx's ``literalinclude``, with a link in place of a file that was not pulled."""

    def run(self) -> list[nodes.Node]:
        """Return the file as code, or a link."""
        if has_file(self.env, self.arguments[0]):
            return list(super().run())
        return in_repository(self.env, self.arguments[0])


class BoundedInclude(Include):
    """Sphinx's ``include``, whose options select lines by the words of upstream's file."""

    def run(self) -> list[nodes.Node]:
        """Return the content of the file, or a link if it was not pulled."""
        return _run_include(self, self.env, super().run)


class BoundedRaw(misc.Raw):
    """docutils' ``raw``, limited to the content of the directive.

    HTML files are left out: they need upstream's style sheet. Without this style sheet, pictures
    would be huge.
    """

    def run(self) -> list[nodes.Node]:
        """Return the content of the directive; nothing if it refers to a file or an address."""
        if {"url", "file"} & self.options.keys():
            return []
        return list(super().run())


def _run_myst_include(self: Any) -> list[Any]:
    """Run MyST's own ``include``, which is not a docutils directive."""
    return _run_include(self, self.renderer.sphinx_env, lambda: _include_myst(self))


def setup(app: Sphinx) -> None:
    """Replace the functions that look up or open files, and the directives for files."""
    sources = Path(app.srcdir)
    BuildEnvironment.relfn2path = _path_inside  # type: ignore[method-assign]
    FileInput.__init__ = _bounded_file_input(sources)  # type: ignore[method-assign]
    notebook_reader._load_code_from_file = _loading_below(sources)
    # ``urlopen`` also opens local files: file:///etc/passwd.
    misc.urlopen = tables.urlopen = _refuse_address  # type: ignore[attr-defined]
    # Sphinx copies images. docutils must not read image files as well: it would look for them in
    # the current directory.
    HTML5Translator.uri2imagepath = _refuse_image  # type: ignore[attr-defined]
    images.PIL = None  # type: ignore[attr-defined]
    notebooks.nb_node_to_dict = _showing_only
    jinja = {**vars(jinja2), "Environment": _PlainValues}
    vars(markdown)["jinja2"] = SimpleNamespace(**jinja)
    app.add_directive("literalinclude", BoundedLiteralInclude, override=True)
    app.add_directive("include", BoundedInclude, override=True)
    app.add_directive("raw", BoundedRaw, override=True)
    MockIncludeDirective.run = _run_myst_include  # type: ignore[method-assign]
