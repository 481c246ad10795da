"""How far a page is from the first one, and how many pages lead to it.

When a page is read, it is noted which documents and labels it refers to. When all are read, these
make a net of pages; in it readers go from the first page on.
"""

from __future__ import annotations

import posixpath
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.contents import toctrees_of
from pipeline.site.extension.noting import Notes
from pipeline.site.progress import Reach

# Of each page: the labels and documents that it refers to, as ("label", name), ("doc", page).
_REFERENCES: Notes[list[tuple[str, str]]] = Notes("jz_references")


def setup(app: Sphinx) -> None:
    """Connect what notes references."""
    _REFERENCES.setup(app)
    app.connect("doctree-read", note_references, priority=800)


def note_references(app: Sphinx, document: nodes.document) -> None:
    """Remember what a page refers to."""
    page = app.env.docname
    found: set[tuple[str, str]] = set()
    for link in document.findall(addnodes.pending_xref):
        target = link.get("reftarget") or ""
        if link.get("reftype") == "doc" or link.get("refdomain") == "doc":
            place = posixpath.join(posixpath.dirname(f"/{page}"), target)
            found.add(("doc", posixpath.normpath(place).strip("/")))
        elif link.get("reftype") in ("ref", "numref", "myst"):
            found.add(("label", target.lower()))
    _REFERENCES.by_page(app.env)[page] = sorted(found)


def reach_of(env: BuildEnvironment, root: str) -> dict[str, Reach]:
    """For every page that readers get to from the first one: how."""
    net = {page: set(_pages_from(env, page)) - {page} for page in env.found_docs}
    links: Counter[str] = Counter()
    for targets in net.values():
        links.update(targets)
    steps = steps_from(root, net)
    return {page: Reach(steps[page], links[page]) for page in steps}


def steps_from(root: str, net: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """How many links one has to follow to each page, from ``root``."""
    steps = {root: 0}
    waiting = deque([root])
    while waiting:
        page = waiting.popleft()
        for target in net.get(page, ()):
            if target not in steps:
                steps[target] = steps[page] + 1
                waiting.append(target)
    return steps


def _pages_from(env: BuildEnvironment, page: str) -> Iterator[str]:
    """The pages that a page leads to: by its contents, and by links in its text."""
    for tree in toctrees_of(env, page):
        for _, target in tree["entries"]:
            if target in env.found_docs:
                yield target
    labels = env.domains.standard_domain.anonlabels
    for kind, target in _REFERENCES.by_page(env).get(page, ()):
        name = labels.get(target, ("",))[0] if kind == "label" else target
        if name in env.found_docs:
            yield name
