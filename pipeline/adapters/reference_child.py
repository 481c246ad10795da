"""Stand-alone script: runs Sphinx's autodoc on pages, and writes what it made to stdout as JSON.

It runs in a process, and perhaps an environment, that has the documented package. It imports the
package, so it must not import anything of the pipeline, and the pipeline never imports it.

Input (JSON on stdin): ``pages``, reST by page name, with nothing but directives of autodoc and
autosummary; ``settings``, literal values of upstream's ``conf.py``; ``options``, by directive of
the docs the object that holds the configuration options that it lists.

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
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext import autosummary
from sphinx.ext.autodoc import ClassDocumenter, Documenter, Options
from sphinx.ext.autodoc import directive as autodoc
from sphinx.util.docutils import SphinxDirective

MARK = "\N{OBJECT REPLACEMENT CHARACTER}"  # around the name of an object, for its docstring
PARSE = autodoc.parse_generated_content
_EXTENSIONS = ["sphinx.ext.autodoc", "sphinx.ext.autosummary"]
# Files whose frames are those of an import, not of the imported module.
_IMPORTING = (__file__, importlib.__file__)
# An address in the representation of a default value differs from run to run.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Recorder:
    """Everything that the directives of one build have made."""

    def __init__(self) -> None:
        self.directives: list[dict[str, Any]] = []
        self.rows: list[dict[str, str]] = []
        self.objects: dict[str, dict[str, Any]] = {}
        self.failures: list[dict[str, Any]] = []

    def fail(
        self, page: str, name: str, *, line: int | None = 0, problem: str = ""
    ) -> None:
        """Record a name that cannot be read; without a problem, the package lacks it."""
        failure = {"page": page, "name": name, "line": line or 0, "problem": problem}
        self.failures.append(failure)

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
            text = "\n".join(lines).rstrip("\n")
            described = self.objects[name] = self._described(what, found, text)
            if not is_utf8(text):
                place = f"{described.get('file', '')}:{described.get('line', 0)}"
                problem = f"{place}: the docstring has bytes that are no UTF-8"
                self.fail(app.env.docname, name, problem=problem)
        lines[:] = [f"{MARK}{name}{MARK}", ""]

    def _described(self, what: str, found: Any, text: str) -> dict[str, Any]:
        described: dict[str, Any] = {"what": what, "doc": _ADDRESS.sub("", text)}
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
        made: list[str] = []
        page, problem = self.env.docname, ""

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
        except Exception as error:  # noqa: BLE001 - properties and reprs raise anything
            problem = told(error)
        finally:
            autodoc.parse_generated_content = around
        RECORDER.annotations(self.env.current_document.autodoc_annotations)
        if not made:
            RECORDER.fail(page, self.arguments[0], line=self.lineno, problem=problem)
        RECORDER.directives.append(
            {
                "page": page,
                "directive": self.name,
                "argument": self.arguments[0],
                "lines": made,
            }
        )
        return []


class RecordedOptions(SphinxDirective):
    """A directive that lists the configuration options of the package, which ``holder`` has.

    JAX's holder has ``meta``, with kind, arguments and keywords of each option by name, and
    ``values``.
    """

    holder = ""

    def run(self) -> list[nodes.Node]:
        """Record the options as data, in alphabetical order."""
        page = self.env.docname
        try:
            holder = attribute(self.holder)
            values = holder.values
            lines: list[str] = []
            for name, (kind, _, keywords) in sorted(holder.meta.items()):
                lines += self._option(name, kind, keywords, values[name])
        except Exception as error:  # noqa: BLE001 - as above
            RECORDER.fail(page, self.holder, line=self.lineno, problem=told(error))
            return []
        made = {"page": page, "directive": self.name, "argument": "", "lines": lines}
        RECORDER.directives.append(made)
        return []

    def _option(
        self, name: str, kind: Any, keywords: dict[str, Any], value: Any
    ) -> list[str]:
        """Return an option as reST, and record its help as a docstring."""
        values = [repr(known) for known in keywords.get("enum_values", ())]
        values += getattr(keywords.get("enum_class"), "__members__", ())
        lines = [f".. py:data:: {name}"]
        if not values:
            lines.append(f"   :type: {kind.__name__}")
        value = _ADDRESS.sub("", repr(value))
        lines += [
            f"   :value: {value}",
            "",
            f"   :environment variable: ``{name.upper()}``",
        ]
        if values:
            literals = ", ".join(f"``{known}``" for known in values)
            lines.append(f"   :enum values: {literals}")
        doc = inspect.cleandoc(keywords.get("help") or "")
        RECORDER.objects[name] = {"what": "option", "doc": doc}
        return [*lines, "", f"   {MARK}{name}{MARK}", ""]


class RecordedTable(autosummary.Autosummary):
    """``autosummary``: records the signature of each name; the stubs are made by Sphinx."""

    def get_items(self, names: list[str]) -> list[tuple[str, str | None, str, str]]:
        """Return the items as autosummary does, recording each."""
        items: list[tuple[str, str | None, str, str]] = []
        page = self.env.docname
        for name in names:
            # One by one, because Sphinx leaves out a name that it cannot import.
            found = super().get_items([name])
            if not found:
                RECORDER.fail(page, name, line=self._line_of(name))
            for _, signature, _, real in found:
                RECORDER.rows.append(
                    {
                        "page": page,
                        "name": name.removeprefix("~"),
                        "object": real,
                        "signature": _ADDRESS.sub("", signature or ""),
                    }
                )
            items += found
        return items

    def _line_of(self, name: str) -> int:
        """Return the line of the page that has a name."""
        lines = [line.strip() for line in self.content]
        for line, (_, at) in zip(lines, self.content.items, strict=True):
            if line == name:
                return at + 1
        return self.lineno


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
    stdout = os.dup(sys.stdout.fileno())
    answer = os.fdopen(stdout, "w", encoding="utf-8", errors="replace")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with answer:
        yield answer


def setup(app: Sphinx, options: dict[str, str]) -> None:
    """Register the recording directives in place of Sphinx's and the docs'."""
    app.add_autodocumenter(WholeClass, override=True)
    app.connect("autodoc-process-docstring", RECORDER.docstring, priority=10_000)
    for name in app.registry.documenters:
        app.add_directive(f"auto{name}", RecordedDirective, override=True)
    app.add_directive("autosummary", RecordedTable, override=True)
    for name, holder in options.items():
        directive = type(name, (RecordedOptions,), {"holder": holder})
        app.add_directive(name, directive, override=True)


_MODULE = re.compile(r"^\.\. (?:current|auto)?module::[ \t]*(\S+)")


def importable(pages: dict[str, str]) -> dict[str, str]:
    """Return the pages whose modules can be imported; autosummary would fail for the others.

    Raises ImportError if there is none.
    """
    found: dict[str, str] = {}
    problem = ""
    for page, text in pages.items():
        for at, line in enumerate(text.split("\n"), start=1):
            match = _MODULE.match(line)
            if match is None:
                continue
            try:
                importlib.import_module(match[1])
            except BaseException as error:  # noqa: BLE001 - a module may raise anything
                problem = told(error)
                RECORDER.fail(page, match[1], line=at, problem=problem)
                break
        else:
            found[page] = text
    if pages and not found:
        raise ImportError(problem)
    return found


def attribute(path: str) -> Any:
    """Return the object at a path like ``package.module.name``."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def is_utf8(text: str) -> bool:
    """Return whether a text can be written as UTF-8; escapes in a docstring may prevent it."""
    return text.encode("utf-8", "replace").decode() == text


def told(error: BaseException) -> str:
    """Return an exception as text, with the place in a module that raised it, if there is one."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        if path not in _IMPORTING and not path.startswith("<frozen "):
            place = f"{_below_search_path(path)}:{line}: "
    # The module of a syntax error has no frame.
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{_below_search_path(error.filename)}:{error.lineno}: "
    words = getattr(error, "msg", error)
    return _ADDRESS.sub("", f"{place}{type(error).__name__}: {words}")


def build(folder: Path, request: dict[str, Any]) -> dict[str, str]:
    """Read the pages with Sphinx; return the pages that it has added."""
    pages = importable(request["pages"])
    if not pages:
        return {}  # upstream lists nothing
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
    setup(app, request["options"])
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
            ensure_ascii=False,
        )


if __name__ == "__main__":
    main()
