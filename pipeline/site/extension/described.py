"""Lists of the API as tables: each name with its signature and the first line of its docstring.

They are those of the release that the docs are of, if it is installed where the site is built. The
tables are made when pages are read; what is said of the names is found out when all are known, once
for all of them, and kept for the next build.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.adapters.installed import CHILD, describe, is_of_index
from pipeline.adapters.memo import Memo, digest_of
from pipeline.site.extension.mathml import title_math
from pipeline.site.extension.noting import Notes
from pipeline.site.texts import text

_NAMES: Notes[list[str]] = Notes("jz_described")
_FOUND = "jz_descriptions"  # of Sphinx's environment: by name
_SUBJECT = "names"
_FORMULA = re.compile(r":math:`([^`]+)`")
Described = dict[str, tuple[str, str]]


class words_about(nodes.Invisible, nodes.Element):  # noqa: N801 - docutils names nodes so
    """What is said of the object ``name``; known when the page is written.

    It stands in a cell of a table, or ``alone``. A kind of docutils' is called ``description``.
    """

    def astext(self) -> str:
        """No word: it is English, and titles and the search of the site are not."""
        return ""


def are_of_package(env: BuildEnvironment, names: Sequence[str]) -> bool:
    """Whether some of the names are of the package that the docs are of."""
    package = env.config.jz_site["package"]
    return bool(package) and any(name.startswith(f"{package}.") for name in names)


def note_of_lack(env: BuildEnvironment) -> list[nodes.Node]:
    """Once a page: why nothing is said of the names on it."""
    if env.temp_data.get("jz_lack"):
        return []
    env.temp_data["jz_lack"] = True
    words = text(env.config.language, "not described")
    release = env.config.jz_site["release"]
    return [nodes.paragraph("", words.format(release), classes=["jz-elsewhere"])]


def described_alone(env: BuildEnvironment, name: str) -> list[nodes.Node]:
    """What is said of a name that is in no table; nothing if nothing can be."""
    if not env.config.jz_site["is_described"] or not are_of_package(env, [name]):
        return []
    _NAMES.by_page(env).setdefault(env.docname, []).append(name)
    return [words_about(name=name, alone=True)]


def table(env: BuildEnvironment, rows: Sequence[tuple[str, nodes.Node]]) -> nodes.table:
    """A table of names: each by its full name, and as it is to be shown."""
    package = f"{env.config.jz_site['package']}."
    noted = _NAMES.by_page(env).setdefault(env.docname, [])
    # Nothing else is imported for the sake of a name on a page.
    noted += [name for name, _ in rows if name.startswith(package)]
    locale = env.config.language
    heads = [_cell(nodes.paragraph("", text(locale, f"api {key}"))) for key in "01"]
    lines = []
    for name, shown in rows:
        lines.append(nodes.row("", _cell(shown), _cell(words_about(name=name))))
    columns = [nodes.colspec(colwidth=1), nodes.colspec(colwidth=2)]
    group = nodes.tgroup(
        "",
        *columns,
        nodes.thead("", nodes.row("", *heads)),
        nodes.tbody("", *lines),
        cols=2,
    )
    return nodes.table("", group, classes=["jz-api"])


def _cell(content: nodes.Node) -> nodes.entry:
    return nodes.entry("", content)


def find_out(app: Sphinx, env: BuildEnvironment) -> Iterator[str]:
    """For Sphinx: the pages on which something else is said than in the last build."""
    names = sorted({name for page in _NAMES.by_page(env).values() for name in page})
    before: Described = env.__dict__.get(_FOUND, {})
    found = _described(app, names) if names else {}
    env.__dict__[_FOUND] = found
    for page, listed in sorted(_NAMES.by_page(env).items()):
        if any(found.get(name) != before.get(name) for name in listed):
            yield page


def lines_shown(env: BuildEnvironment, document: nodes.document) -> list[str]:
    """Return the first lines of docstrings that a page shows. They are English."""
    found: Described = env.__dict__.get(_FOUND, {})
    names = [node["name"] for node in document.findall(words_about)]
    return [found[name][1] for name in names if name in found and found[name][1]]


def signature_of(env: BuildEnvironment, name: str) -> str:
    """Return the signature of a name as pages show it; empty if there is none."""
    found: Described = env.__dict__.get(_FOUND, {})
    return found.get(name, ("", ""))[0]


def _described(app: Sphinx, names: Sequence[str]) -> Described:
    """What is said of names.

    Asked for again only if they are others, not of the same release, or of a package that may be
    edited.
    """
    is_kept = is_of_index(app.config.jz_site["package"])
    memo = Memo(Path(app.config.jz_site["cache"], "described.json"), Described)
    # What asks decides what is told, too.
    key = digest_of(app.config.jz_site["version"], CHILD.read_bytes(), *names)
    found = memo.recall(_SUBJECT, key) if is_kept else None
    if found is None:
        found = dict(describe(names))
        # If nothing could be had the next build asks again.
        if found and is_kept:
            memo.keep(_SUBJECT, key, found)
            memo.save()
    return found


def _visit(self: Any, node: words_about) -> None:
    """``<code>(x, axis=None)</code><p>The first line.</p>``, both in English.

    The search has the names, and not what is said of them: that is not the site's.
    """
    found: Described = self.builder.env.__dict__.get(_FOUND, {})
    signature, line = found.get(node["name"], ("", ""))
    if node.get("alone"):
        self.body.append('<div class="jz-alone">')
    if signature:
        self.body.append(
            f'<code class="jz-described" lang="en">{escape(signature)}</code>'
        )
    if line:
        html = with_formulas(line)
        self.body.append(f'<p class="jz-described" lang="en">{html}</p>')


def with_formulas(line: str) -> str:
    """A line as HTML, with its formulas set: ``The square, :math:`x^2```."""
    # Formulas stand at odd places.
    parts = _FORMULA.split(line)
    html = [
        title_math(part) if at % 2 else escape(part) for at, part in enumerate(parts)
    ]
    return "".join(html)


def _depart(self: Any, node: words_about) -> None:
    """Nothing stands behind it in a cell."""
    if node.get("alone"):
        self.body.append("</div>\n")


def setup(app: Sphinx) -> None:
    """Make the node known, and ask when all pages are read."""
    _NAMES.setup(app)
    app.add_node(words_about, html=(_visit, _depart))
    app.connect("env-updated", lambda app, env: list(find_out(app, env)))
