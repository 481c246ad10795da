"""Docstrings as Sphinx's own autodoc and napoleon render them, without code of the pipeline.

The module makes a Python module with one function for each docstring, and lets Sphinx read it. The
result is the doctree of each docstring without its prose, which must be equal in every language.

Sphinx runs in another process: this module as a script. It reads docstrings as JSON from stdin, and
writes the trees to stdout.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from subprocess import run
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

# Nodes whose words are not prose: code, formulas, names of parameters and sections, types.
_BLOCKS = (nodes.literal_block, nodes.doctest_block, nodes.raw, nodes.math_block)
_INLINE = (
    *(nodes.literal, nodes.math, nodes.title_reference, nodes.field_name),
    *(nodes.rubric, nodes.comment, addnodes.literal_strong, addnodes.literal_emphasis),
)
# Attributes that lead somewhere or say how words are read.
_ATTRIBUTES = ("refuri", "reftarget", "reftype", "refdomain", "uri", "language", "type")
Tree = tuple[Any, ...]


def trees_of(docstrings: Mapping[str, str], settings: Mapping[str, Any]) -> Any:
    """Return the tree of each docstring, by name. ``settings`` are those of Sphinx."""
    request = {"docstrings": dict(docstrings), "settings": dict(settings)}
    done = run(
        [sys.executable, "-P", __file__],
        input=json.dumps(request).encode(),
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def tree_of(node: nodes.Node) -> Tree:
    """Return a node without prose. Inline nodes are sorted, as languages order them differently."""
    assert isinstance(node, nodes.Element)
    attributes = [str(node[key]) for key in _ATTRIBUTES if key in node]
    if isinstance(node, _BLOCKS):
        return (node.tagname, attributes, node.astext())
    if isinstance(node, _INLINE):
        # A translation may break its lines elsewhere.
        return (node.tagname, attributes, " ".join(node.astext().split()))
    children = [tree_of(child) for child in node.children if not _is_left_out(child)]
    if isinstance(node, nodes.TextElement):
        # A sentence may name a thing again, where English says "it".
        children = [json.loads(one) for one in sorted(set(map(json.dumps, children)))]
    return (node.tagname, attributes, children)


def _is_left_out(node: nodes.Node) -> bool:
    """Return whether a node is prose, or a link's target name, which translations lack."""
    return isinstance(node, nodes.Text | nodes.target)


def _trees(folder: Path, request: Mapping[str, Any]) -> dict[str, Tree]:
    names = list(request["docstrings"])
    source = folder / "source"
    source.mkdir()
    code = []
    for at, docstring in enumerate(request["docstrings"].values()):
        code += [f"def f{at}(): ...\n", f"f{at}.__doc__ = {docstring!r}\n"]
        page = f".. autofunction:: documented.f{at}\n"
        (source / f"p{at}.rst").write_text(page, "utf-8")
    (folder / "documented.py").write_text("".join(code), "utf-8")
    sys.path.insert(0, str(folder))
    app = Sphinx(
        srcdir=source,
        confdir=None,
        outdir=folder / "out",
        doctreedir=folder / "trees",
        buildername="dummy",
        confoverrides={
            **request["settings"],
            "extensions": ["sphinx.ext.autodoc", "sphinx.ext.napoleon"],
            "root_doc": "p0",
            # Which quotation mark it makes depends on the letter beside it.
            "smartquotes": False,
        },
        status=None,
        warning=None,
    )
    app.builder.read()
    trees: dict[str, Tree] = {}
    for at, name in enumerate(names):
        document = app.env.get_doctree(f"p{at}")
        trees[name] = tuple(map(tree_of, document.findall(addnodes.desc_content)))
    return trees


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(json.dumps(_trees(Path(place), json.load(sys.stdin))))
