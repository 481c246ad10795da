"""Stubs: replacements for directives and roles that only upstream's own site can run.

For example, ``autofunction:: jax.jit`` imports the package, which the site build must not do. Its
stub shows the docstring from the page's record, which ``site/reference.py`` has prepared. Without a
docstring, the stub shows a link to the English docs. Stubs for all other generated content show
such a link, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective, switch_source_input

from pipeline.site.extension.content.files import has_file, in_repository
from pipeline.site.extension.content.reference import (
    note_anchor,
    note_page,
    signature_nodes,
    table_of,
)
from pipeline.site.extension.navigation.links import english_page
from pipeline.site.extension.nodes import Stub
from pipeline.site.extension.records import read_record
from pipeline.site.texts import text

# A comment like ``# tag: setup``. Code may precede the comment, and other words may precede
# ``tag:``.
_TAG_MARK = re.compile(r"(?P<code>.*?)\s*#[^#]*\btag:(?P<tag>[^#]*)")
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


class Elsewhere(Stub):
    """Stub for content that only the English docs have: a link to the English page."""

    def run(self) -> list[nodes.Node]:
        """Return the directive's content from the page's record, or else the link."""
        made = _recorded(self)
        return elsewhere(self.env, "made") if made is None else made


def _recorded(directive: SphinxDirective) -> list[nodes.Node] | None:
    """Return the content that the page's record has for a directive; None if there is none.

    The content is reST: descriptions of objects (``.. py:function:: …``) with their docstrings.
    """
    made = read_record(directive.env).get("reference", {}).get("directives", {})
    # The argument may be a whole signature: grad(fun, argnums=0)
    parts = made.get(f"{directive.name} {' '.join(directive.arguments)}")
    if parts is None:
        return None
    page = str(directive.env.doc2path(directive.env.docname))
    lines = StringList()
    for origin, part in parts:
        lines.extend(StringList(part, source=origin or page))
    box = nodes.Element()
    # Switch the source, so that warnings name the object and the line of its docstring.
    with switch_source_input(directive.state, lines):
        directive.state.nested_parse(lines, 0, box)
    return box.children


def elsewhere(
    env: BuildEnvironment, lacks: str, fragment: str = "", words: str = ""
) -> list[nodes.Node]:
    """Return a paragraph that says what is missing, with a link to this page of the English docs.

    Without an English page there is no link. The paragraph for a drawing then only says what is
    missing. Any other paragraph has only ``words``, as code; if ``words`` is empty, return no node.

    ``lacks`` selects what is missing: ``object``, ``members``, ``made`` (generated content) or
    ``drawing``. ``fragment`` is the anchor on the English page. ``words`` are the words of the
    link; by default, the name of the page. For an ``object``, they are its name.
    """
    english_url = env.config.jz_site["english_url"]
    # The search finds the paragraph by the name of the object that it documents.
    name = {"jz_name": words} if lacks == "object" and words else {}
    page = english_page(env.config.jz_site, env.docname)
    has_english = bool(english_url and page)
    locale = env.config.language
    above = text(locale, f"lacks {lacks}")
    is_drawing = lacks == "drawing"
    classes = ["jz-elsewhere", "jz-box"] if is_drawing else ["jz-elsewhere"]
    if is_drawing and not has_english:
        return [nodes.paragraph("", above, classes=classes)]
    if not has_english:
        # Without ``words``, only the name of this page would be left, which helps nobody.
        literal = nodes.literal("", words)
        return [nodes.paragraph("", "", literal, **name)] if words else []
    url = f"{english_url}{page}.html"
    if fragment:
        url += f"#{fragment}"
    # ``jz_away`` marks a link that shall lead away from the site: ``redirect_links`` leaves it
    # unchanged.
    link = nodes.reference("", words or env.docname, refuri=url, jz_away=True)
    above += text(locale, "elsewhere drawing" if is_drawing else "elsewhere")
    return [nodes.paragraph("", above, link, classes=classes, **name)]


class Documented(Stub):
    """Stub for ``autofunction`` and similar directives: the object's docstring, or a link."""

    def run(self) -> list[nodes.Node]:
        """Return the object's docstring, if the page's record has it.

        Otherwise return a link to the object on the English page: ``guide.html#jax.numpy.sin``.
        ``automodule`` also sets the module of the names that follow it on the page.
        """
        made = _recorded(self)
        if made is not None:
            return made
        name = _full_name(self, " ".join(self.arguments).partition("(")[0].strip())
        if self.name == "automodule":
            self.env.ref_context["py:module"] = name
            note_anchor(self.env, name, f"module-{name}")
            # Without ``:members:``, upstream's page lists no objects either: no link is needed.
            anchor = self._anchor(f"module-{name}")
            if "members" not in self.options:
                return anchor
            return [*anchor, *elsewhere(self.env, "members", f"module-{name}", name)]
        note_anchor(self.env, name, name)
        return [*self._anchor(name), *elsewhere(self.env, "object", name, name)]

    def _anchor(self, name: str) -> list[nodes.Node]:
        """Return an anchor with the object's name, as on the English page.

        Return no node if this page has the anchor already.
        """
        document = self.state.document
        if name in document.ids:
            return []
        # Return a container, because docutils would move the id of a target to the next heading.
        anchor = document.ids[name] = nodes.container(ids=[name])
        return [anchor]


class Summary(Stub):
    """Stub for ``autosummary``: a table of its names, with links to the English docs."""

    def run(self) -> list[nodes.Node]:
        """Return a table of the names, or a plain list if the record has no descriptions."""
        made = read_record(self.env).get("reference", {}).get("rows", {})
        if made:
            return self._described(made)
        names = nodes.bullet_list(classes=["jz-api", "simple"])
        for name in self._names():
            names += nodes.list_item("", self._row(name))
        return [names] if names.children else []

    def _names(self) -> list[str]:
        """Return the names in the content. Lines that are misplaced options are skipped."""
        lines = (line.strip().removeprefix("~") for line in self.content)
        return [line for line in lines if line and not line.startswith(":")]

    def _described(self, made: Mapping[str, Sequence[str]]) -> list[nodes.Node]:
        """Return the table of names. ``made`` has the signatures and summaries of some of them."""
        rows: list[tuple[nodes.Node, list[nodes.Node]]] = []
        for name in self._names():
            link = self._row(name)
            if name not in made:
                rows.append((link, []))
                continue
            real_name, signature, summary = made[name]
            words = nodes.Element()
            self.state.nested_parse(StringList([summary]), 0, words)
            described = [*signature_nodes(real_name, signature), *words.children]
            rows.append((link, described))
        return [table_of(self.env, rows)] if rows else []

    def _row(self, name: str) -> nodes.paragraph:
        """Return a paragraph with a reference to a name."""
        full_name = _full_name(self, name)
        # The name is complete, so Sphinx must not look for it in the current module or class.
        link = addnodes.pending_xref(
            "",
            nodes.literal("", name, classes=["xref", "py", "py-obj"]),
            refdomain="py",
            reftype="obj",
            reftarget=full_name,
            refdoc=self.env.docname,
            refwarn=False,
        )
        link["py:module"] = link["py:class"] = None
        # The search indexes the full name.
        words = nodes.paragraph("", "", link, jz_name=full_name)
        # With the option ``toctree``, upstream's site has a page for each name.
        if "toctree" in self.options:
            note_page(self.env, full_name, self.options["toctree"])
        return words


def _full_name(directive: SphinxDirective, name: str) -> str:
    """Return a name with its module.

    After ``.. module:: jax``: ``numpy.sin`` → ``jax.numpy.sin``.
    """
    module = directive.env.ref_context.get("py:module")
    if not module:
        return name
    # On the page of jax.numpy, jax.nn.relu is a full name, although it lacks ``jax.numpy``.
    package = module.partition(".")[0]
    return name if name.startswith(f"{package}.") else f"{module}.{name}"


class Plot(Stub):
    """Stub for a plot that upstream's site draws during its build: the code of the plot."""

    def run(self) -> list[nodes.Node]:
        """Return the code; for a plot in a file, a link to the English page."""
        code = "\n".join(self.content)
        if not code:
            return elsewhere(self.env, "made")
        return [nodes.literal_block(code, code, language="python")]


class TaggedBlock(Stub):
    """Directive that shows the lines of a file between two comments ``# tag: NAME``."""

    def run(self) -> list[nodes.Node]:
        """Return the lines as Python code; if the file lacks them, a link to the file.

        ``.. tagged-block:: example.py setup`` shows the lines between the two ``# tag: setup``.
        With ``2:4`` after the tag, only the third and fourth of these lines are shown.
        ``:hl_lines: 3-6`` highlights the third to the sixth of the shown lines.
        """
        path, tag = [*self.arguments, "", ""][:2]
        wanted = "".join(self.arguments[2:])
        file = Path(self.env.relfn2path(path)[1])
        if not has_file(self.env, path):
            return in_repository(self.env, path)
        lines = _tagged_lines(file.read_text(encoding="utf-8"), tag)
        try:
            shown = _chosen(lines, wanted) if wanted else lines
        except (IndexError, TypeError, ValueError):
            shown = []
        # Upstream may have moved the tags. Then a link to the file is better than an empty block.
        if not any(shown):
            return in_repository(self.env, path)
        code = dedent("\n".join(shown))
        highlighted = _numbers(self.options.get("hl_lines", ""), up_to=len(shown))
        arguments = {"hl_lines": highlighted}
        return [nodes.literal_block(code, code, language="python", highlight_args=arguments)]


def _tagged_lines(text: str, tag: str) -> list[str]:
    """Return the lines between the first two marks; none if the file has fewer than two.

    The second mark may follow code, which is then the last line: ``return lamp  # tag: setup``.
    """
    lines = text.split("\n")
    marks: dict[int, str] = {}
    for at, line in enumerate(lines):
        mark = _TAG_MARK.fullmatch(line)
        if mark and mark["tag"].strip() == tag:
            marks[at] = mark["code"]
    if len(marks) < 2:
        return []
    begin, end = list(marks)[:2]
    block = lines[begin + 1 : end]
    if marks[end]:
        block.append(marks[end])
    # Line numbers count from the first line that is not empty.
    return "\n".join(block).strip("\n").split("\n")


def _chosen(lines: Sequence[str], wanted: str) -> list[str]:
    """Return the lines that a Python index selects: ``8``, ``5:7``, ``[0, 2]``.

    Raises IndexError, TypeError or ValueError for an invalid index.
    """
    if wanted.startswith("["):
        return [lines[int(number)] for number in wanted.strip("[]").split(",")]
    if ":" in wanted:
        bounds = [int(part) if part else None for part in wanted.split(":")]
        return list(lines[slice(*bounds)])
    return [lines[int(wanted)]]


def _numbers(ranges: str, *, up_to: int) -> list[int]:
    """Return the numbers of ranges: ``3-6,8`` → 3, 4, 5, 6, 8. Ranges end at ``up_to``."""
    numbers: list[int] = []
    for first, last in _RANGE.findall(ranges):
        numbers += range(int(first), min(int(last or first), up_to) + 1)
    return numbers


def issue_role(
    name: str, rawtext: str, number: str, lineno: int, inliner: Any, *_: Any, **__: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Return a link to an issue of upstream: "{jax-issue}`1234`" → "#1234".

    Without a configured address of issues, return the words alone.
    """
    address = inliner.document.settings.env.config.jz_site["issue_url"]
    number = number.lstrip("#")  # as in upstream's own role
    words = f"#{number}"
    if not address:
        return [nodes.Text(words)], []
    return [nodes.reference(rawtext, words, refuri=f"{address}{number}")], []


_DOCUMENTED = (
    *("automodule", "autoclass", "autofunction", "autodata"),
    *("autoexception", "automethod", "autoattribute", "autoproperty"),
)
STUBS: dict[str, type[Directive]] = {
    "autosummary": Summary,
    **dict.fromkeys(_DOCUMENTED, Documented),
    "tagged-block": TaggedBlock,
    "plot": Plot,
}


def add_names_of_docs(app: Sphinx, config: Config) -> None:
    """Register the role for issues and the directives of upstream, whose names are configured."""
    app.add_role(config.jz_site["issue_role"], issue_role)
    for name in config.jz_site["listings"]:
        app.add_directive(name, Elsewhere, override=True)


def setup(app: Sphinx) -> None:
    """Register the stubs, replacing those of other extensions."""
    for name, directive in STUBS.items():
        app.add_directive(name, directive, override=True)
    app.connect("config-inited", add_names_of_docs)
