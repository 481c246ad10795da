"""Stand-alone script: runs Sphinx's autodoc on pages, and writes what it made to stdout as JSON.

It runs in a process, and perhaps an environment, that has the documented package. It imports the
package, so it must not import anything of the pipeline, and the pipeline never imports it.

Input (JSON on stdin): ``pages``, reST by page name, with nothing but directives of autodoc and
autosummary; ``settings``, literal values of upstream's ``conf.py``.

Output: for each directive the reST that it stands for, with a mark in place of each docstring; the
docstrings; the annotations of parameters; and the pages that autosummary has added.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext import autosummary
from sphinx.ext.autodoc import ClassDocumenter, Documenter, Options
from sphinx.ext.autodoc import directive as autodoc

MARK = "\N{OBJECT REPLACEMENT CHARACTER}"  # around the name of an object, for its docstring
PARSE = autodoc.parse_generated_content
_EXTENSIONS = ["sphinx.ext.autodoc", "sphinx.ext.autosummary"]
# An address in the representation of a default value differs from run to run.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Recorder:
    """Everything that the directives of one build have made."""

    def __init__(self) -> None:
        self.directives: list[dict[str, Any]] = []
        self.rows: list[dict[str, str]] = []
        self.objects: dict[str, dict[str, Any]] = {}
        self.failures: list[dict[str, str]] = []

    def docstring(
        self,
        app: Sphinx,
        what: str,
        name: str,
        found: Any,
        options: Options,
        lines: list[str],
    ) -> None:
        """Record a docstring as it is written, and put a mark in its place."""
        if name not in self.objects:
            self.objects[name] = self._described(what, name, found, lines)
        lines[:] = [f"{MARK}{name}{MARK}", ""]

    def _described(
        self, what: str, name: str, found: Any, lines: list[str]
    ) -> dict[str, Any]:
        described: dict[str, Any] = {"what": what, "doc": "\n".join(lines).rstrip("\n")}
        with contextlib.suppress(Exception):
            source = inspect.unwrap(found)
            path = inspect.getsourcefile(source)
            if path:
                described["file"] = _below_search_path(path)
                described["line"] = inspect.getsourcelines(source)[1]
        return described

    def annotations(self, found: dict[str, dict[str, str]]) -> None:
        """Record the types of parameters that ``autodoc_typehints`` moves to the description."""
        for name in found.keys() & self.objects.keys():
            self.objects[name]["types"] = {
                key: _ADDRESS.sub("", value) for key, value in found[name].items()
            }


def _below_search_path(path: str) -> str:
    """Return the path of a module relative to its place in ``sys.path``: ``pkg/sub/module.py``."""
    roots = [
        root
        for root in map(os.path.abspath, sys.path)
        if path.startswith(root + os.sep)
    ]
    return os.path.relpath(path, max(roots, key=len)) if roots else path


RECORDER = Recorder()


class RecordedDirective(autodoc.AutodocDirective):
    """``autofunction`` and its like: records the reST that autodoc generates."""

    def run(self) -> list[nodes.Node]:
        """Generate as autodoc does, and record the lines instead of parsing them."""
        options = dict(self.options)
        made: list[str] = []

        def record(
            state: Any, content: Any, documenter: Documenter
        ) -> list[nodes.Node]:
            made.extend(_ADDRESS.sub("", line) for line in content)
            # Directives in the content are recorded as well: the methods of a class, for example.
            parsed: list[nodes.Node] = PARSE(state, content, documenter)
            return parsed

        around = autodoc.parse_generated_content
        autodoc.parse_generated_content = record
        try:
            super().run()
        finally:
            autodoc.parse_generated_content = around
        RECORDER.annotations(self.env.current_document.autodoc_annotations)
        page = self.env.docname
        if not made:
            RECORDER.failures.append({"page": page, "name": self.arguments[0]})
        RECORDER.directives.append(
            {
                "page": page,
                "directive": self.name,
                "argument": self.arguments[0],
                "options": {key: str(value) for key, value in options.items()},
                "lines": made,
            }
        )
        return []


class RecordedTable(autosummary.Autosummary):
    """``autosummary``: records the signature of each name; the stubs are made by Sphinx."""

    def get_items(self, names: list[str]) -> list[tuple[str, str | None, str, str]]:
        """Return the items as autosummary does, recording each."""
        items: list[tuple[str, str | None, str, str]] = []
        for name in names:
            # One by one, because Sphinx leaves out a name that it cannot import.
            found = super().get_items([name])
            if not found:
                RECORDER.failures.append({"page": self.env.docname, "name": name})
            for display, signature, _, real in found:
                RECORDER.rows.append(
                    {
                        "page": self.env.docname,
                        "name": name.removeprefix("~"),
                        "object": real,
                        "display": display,
                        "signature": _ADDRESS.sub("", signature or ""),
                    }
                )
            items += found
        return items


class WholeClass(ClassDocumenter):
    """``autoclass``: shows a class under another name in full, where Sphinx has a line only."""

    priority = ClassDocumenter.priority + 1

    def import_object(self, raiseerror: bool = False) -> bool:
        """Import the class; it is never shown as an alias."""
        is_there: bool = super().import_object(raiseerror)
        if is_there and isinstance(self.object, type):
            self.doc_as_attr = False
        return is_there


@contextlib.contextmanager
def quiet() -> Iterator[Any]:
    """Yield the real stdout; whatever imported modules print goes to stderr."""
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with answer:
        yield answer


def setup(app: Sphinx) -> None:
    """Register the recording directives in place of Sphinx's."""
    app.add_autodocumenter(WholeClass, override=True)
    app.connect("autodoc-process-docstring", RECORDER.docstring, priority=10_000)
    for name, directive in list(app.registry.documenters.items()):
        del directive
        app.add_directive(f"auto{name}", RecordedDirective, override=True)
    app.add_directive("autosummary", RecordedTable, override=True)


_MODULE = re.compile(r"^\.\. (?:current|auto)?module::[ \t]*(\S+)", re.MULTILINE)


def importable(pages: dict[str, str]) -> dict[str, str]:
    """Return the pages whose modules can be imported; autosummary would fail for the others."""
    found: dict[str, str] = {}
    for page, text in pages.items():
        name = ""
        try:
            for name in _MODULE.findall(text):
                importlib.import_module(name)
        except BaseException:  # noqa: BLE001 - a module may raise anything
            RECORDER.failures.append({"page": page, "name": name})
        else:
            found[page] = text
    return found


def build(folder: Path, request: dict[str, Any]) -> dict[str, str]:
    """Read the pages with Sphinx; return the pages that it has added."""
    pages = importable(request["pages"])
    if not pages:
        return {}
    for page, text in pages.items():
        path = folder / f"{page}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings = {
        **request["settings"],
        "extensions": _EXTENSIONS,
        "root_doc": next(iter(pages)),
        "autosummary_generate": True,
    }
    app = Sphinx(
        srcdir=folder,
        confdir=None,
        outdir=folder / "_out",
        doctreedir=folder / "_trees",
        buildername="dummy",
        confoverrides=settings,
        status=None,
        warning=sys.stderr,
        freshenv=True,
        parallel=0,
    )
    setup(app)
    app.builder.read()
    added = {}
    for path in folder.rglob("*.rst"):
        page = path.relative_to(folder).with_suffix("").as_posix()
        if page not in pages:
            added[page] = path.read_text(encoding="utf-8")
    return added


def main() -> None:
    """Answer one request."""
    with quiet() as answer:
        request = json.load(sys.stdin)
        with tempfile.TemporaryDirectory() as folder:
            added = build(Path(folder), request)
        json.dump(
            {
                "pages": added,
                "directives": RECORDER.directives,
                "rows": RECORDER.rows,
                "objects": RECORDER.objects,
                "failures": RECORDER.failures,
            },
            answer,
        )


if __name__ == "__main__":
    main()
