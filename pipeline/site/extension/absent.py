"""Directives that take a file, for files that were not pulled: a link to them instead.

Upstream's docs include files of its whole repository; pulled are the docs alone. HTML from a file
goes without a word: it is made for upstream's own style sheet, and without it a page would show
pictures as large as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst.directives.misc import Raw
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.directives.other import Include
from sphinx.util import logging

from pipeline.site.extension.boundary import path_of
from pipeline.site.extension.bounds import translated_bounds
from pipeline.site.texts import text

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
    """Use these directives."""
    app.add_directive("literalinclude", SomeLiteralInclude, override=True)
    app.add_directive("include", SomeInclude, override=True)
    app.add_directive("raw", SomeRaw, override=True)
    _patch_myst_include()
