"""Directives and roles of upstream's own site that we have no use for here: what they would show is a link away.

API pages are made from JAX's docstrings. They are not translated, so the names stand here and lead to the English reference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.parsers.rst.directives.misc import Include, Raw
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from pipeline.site.extension.texts import text


class Anything(dict[str, Any]):
    """Options of any name."""

    def __bool__(self) -> bool:
        return True

    def __contains__(self, key: object) -> bool:
        return True

    def __getitem__(self, key: str) -> Any:
        return directives.unchanged


class Stub(SphinxDirective):
    """A directive that takes whatever it is given."""

    has_content = True
    optional_arguments = 100
    final_argument_whitespace = True
    option_spec = Anything()


class Elsewhere(Stub):
    """What only the English docs have: a link to this page of theirs."""

    def run(self) -> list[nodes.Node]:
        return elsewhere(self.env)


def elsewhere(env: BuildEnvironment, fragment: str = "", words: str = "") -> list[nodes.Node]:
    """A paragraph that leads to this page of the English docs."""
    if not env.config.jz_site["english_url"]:
        return [nodes.paragraph("", "", nodes.literal("", words or env.docname))]
    url = f"{env.config.jz_site['english_url']}{env.docname}.html"
    link = nodes.reference(
        "", words or env.docname, refuri=url + (f"#{fragment}" if fragment else "")
    )
    return [
        nodes.paragraph("", text(env.config.language, "elsewhere"), link, classes=["jz-elsewhere"])
    ]


class Documented(Stub):
    """``autofunction`` and its like: the name of the object."""

    def run(self) -> list[nodes.Node]:
        name = _full_name(self, " ".join(self.arguments).partition("(")[0].strip())
        if self.name == "automodule":
            self.env.ref_context["py:module"] = name
        return elsewhere(self.env, f"module-{name}" if self.name == "automodule" else name, name)


class Summary(Stub):
    """``autosummary``: the names, as links where an inventory knows them."""

    def run(self) -> list[nodes.Node]:
        found = nodes.bullet_list(classes=["jz-api", "simple"])
        for line in self.content:
            name = line.strip().removeprefix("~")
            if name and not name.startswith(":"):
                found += nodes.list_item("", nodes.paragraph("", "", _reference(self, name)))
        return [found] if found.children else []


def _reference(directive: SphinxDirective, name: str) -> nodes.Node:
    literal = nodes.literal("", name, classes=["xref", "py", "py-obj"])
    link = addnodes.pending_xref(
        "",
        literal,
        refdomain="py",
        reftype="obj",
        reftarget=_full_name(directive, name),
        refdoc=directive.env.docname,
        refwarn=False,
    )
    link["py:module"] = link["py:class"] = None
    return link


def _full_name(directive: SphinxDirective, name: str) -> str:
    module = directive.env.ref_context.get("py:module") or ""
    return (
        name
        if not module or name.startswith(f"{module.partition('.')[0]}.")
        else f"{module}.{name}"
    )


class Listing(Stub):
    """What is drawn from its text by a script elsewhere (diagrams, plots): the text."""

    def run(self) -> list[nodes.Node]:
        code = "\n".join(self.content)
        language = "python" if self.name == "plot" else "text"
        return [nodes.literal_block(code, code, language=language)] if code else elsewhere(self.env)


class TaggedBlock(Stub):
    """Lines of a file between two marks ``tag: NAME``."""

    def run(self) -> list[nodes.Node]:
        path, tag = [*self.arguments, "", ""][:2]
        _, file = self.env.relfn2path(path)
        lines = Path(file).read_text(encoding="utf-8").split("\n") if Path(file).is_file() else []
        marks = [
            number
            for number, line in enumerate(lines)
            if line.strip().startswith("#") and line.split("tag:")[-1].strip() == tag
        ]
        if len(marks) < 2:
            return in_repository(self, path)
        code = "\n".join(lines[marks[0] + 1 : marks[1]])
        return [nodes.literal_block(code, code, language="python")]


def in_repository(directive: Any, path: str) -> list[nodes.Node]:
    """A paragraph that leads to a file of upstream's repository that was not pulled."""
    return _link_to_file(directive.state.document.settings.env, path)


def _link_to_file(env: Any, path: str) -> list[nodes.Node]:
    _, file = env.relfn2path(path)
    inside = Path(file).resolve()
    source = Path(env.srcdir).resolve()
    name = (
        inside.relative_to(source).as_posix()
        if inside.is_relative_to(source)
        else f"../{inside.name}"
    )
    template = env.config.jz_site["file_url"]
    link = (
        nodes.reference("", path, refuri=template.replace("{path}", name))
        if template
        else nodes.literal("", path)
    )
    return [nodes.paragraph("", text(env.config.language, "file"), link, classes=["jz-elsewhere"])]


def _has(directive: Any, path: str) -> bool:
    return Path(directive.state.document.settings.env.relfn2path(path)[1]).is_file()


class SomeLiteralInclude(LiteralInclude):
    """As Sphinx's, for files that are there."""

    def run(self) -> list[nodes.Node]:
        return (
            super().run()
            if _has(self, self.arguments[0])
            else in_repository(self, self.arguments[0])
        )


class SomeInclude(Include):
    """As docutils', for files that are there."""

    def run(self) -> list[nodes.Node]:
        return (
            list(super().run())
            if _has(self, self.arguments[0])
            else in_repository(self, self.arguments[0])
        )


class SomeRaw(Raw):
    """As docutils', for files that are there; what would be decoration goes without a word."""

    def run(self) -> list[nodes.Node]:
        if "url" in self.options or (
            "file" in self.options and not _has(self, self.options["file"])
        ):
            return []
        return list(super().run())


def issue_role(
    name: str, rawtext: str, number: str, lineno: int, inliner: Any, *_: Any, **__: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """``{jax-issue}`1234```: an issue of upstream's repository."""
    address = inliner.document.settings.env.config.jz_site["issue_url"]
    words = f"#{number}"
    return [
        nodes.reference(rawtext, words, refuri=f"{address}{number}")
        if address
        else nodes.Text(words)
    ], []


def _patch_myst_include() -> None:
    """MyST has an ``include`` of its own."""
    from myst_parser.mocking import MockIncludeDirective

    run = MockIncludeDirective.run

    def run_if_there(self: Any) -> list[nodes.Element]:
        path = self.arguments[0]
        env = self.renderer.sphinx_env
        found: list[Any] = (
            run(self) if Path(env.relfn2path(path)[1]).is_file() else _link_to_file(env, path)
        )
        return found

    if run.__name__ != run_if_there.__name__:
        MockIncludeDirective.run = run_if_there  # type: ignore[method-assign]


STUBS: dict[str, type[Directive]] = {
    "autosummary": Summary,
    **dict.fromkeys(
        "automodule autoclass autofunction autodata autoexception automethod autoattribute autoproperty".split(),
        Documented,
    ),
    "list_config_options": Elsewhere,
    "tagged-block": TaggedBlock,
    "mermaid": Listing,
    "plot": Listing,
}


def setup(app: Sphinx) -> None:
    """Make them known, but for those that the site's own extensions have."""
    for name, directive in STUBS.items():
        app.add_directive(name, directive, override=True)
    app.add_directive("literalinclude", SomeLiteralInclude, override=True)
    app.add_directive("include", SomeInclude, override=True)
    app.add_directive("raw", SomeRaw, override=True)
    app.add_role("jax-issue", issue_role)
    _patch_myst_include()
