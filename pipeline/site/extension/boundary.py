"""The boundary of the docs folder: no page reads a file beyond it, whoever wrote the page.

Sphinx, docutils and MyST take paths from pages: images, downloads, includes, tables. What such a
path leads to is published, and it may lead to any file of this machine. All of them look files up
in one of the functions that are replaced here. A page that asks for more is shown without it, and
a warning names the page and the path.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import jinja2
from docutils.io import FileInput
from docutils.parsers.rst.directives import images, misc, tables
from jinja2.sandbox import SandboxedEnvironment
from myst_nb import sphinx_ as notebooks
from myst_nb.core import read as notebook_reader
from myst_parser.mdit_to_docutils import base as markdown
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from pipeline.adapters.files import is_inside
from pipeline.folders import ALL, OUTSIDE
from pipeline.site.names import RECORDS

# What stands among the sources and is no part of the docs.
_OURS = frozenset((RECORDS, "conf.py", "site.json"))
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
_PLAIN = (str, int, float, bool, list, tuple, dict, type(None))
# As they are before anything is replaced: the tests set up more than one site in a process.
_look_up = BuildEnvironment.relfn2path
_open = FileInput.__init__
_load_code = notebook_reader._load_code_from_file
_metadata_of = notebooks.nb_node_to_dict
logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> None:
    """Replace every function that looks up, or opens, a file that a page names."""
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
    ours = (env.srcdir / name for name in _OURS)
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
        is_plain = isinstance(obj, _PLAIN) or isinstance(value, _PLAIN)
        return is_plain and super().is_safe_attribute(obj, attr, value)
