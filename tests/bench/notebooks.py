"""Notebooks for the bench: an edit to a page in both its forms, and what papermill is given to run.

``python -m bench.notebooks ROOT TARGET`` writes the latter: of the project at ROOT, upstream
``jax``, every page that is run whole and as it is, as TARGET/<page>.ipynb. Whether it passes is for
the run to tell. The names of the pages are printed, as JSON.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.workshop import edit_paragraph


class NothingToEditError(Exception):
    """The page has no paragraph, or no plain code cell, that stands in both of its forms once."""


def edited(notebook: str, twin: str, *, prose: int, code: int) -> tuple[str, str]:
    """A page (``.ipynb`` and MyST) with its first paragraph and its first plain code cell edited.

    It is the ``prose``-th and ``code``-th time that they are; 0 leaves them as they are.
    Raises NothingToEditError.
    """
    value = json.loads(notebook)
    for kind, number, edit in (
        ("markdown", prose, edit_paragraph),
        ("code", code, _with_print),
    ):
        cell, source, changed = next(_editable(value, twin, kind, edit), (None, "", ""))
        if cell is None:
            raise NothingToEditError(kind)
        if number:
            cell["source"] = changed.replace("(edited 1)", f"(edited {number})")
            twin = twin.replace(source, cell["source"])
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n", twin


def _editable(
    notebook: Any, twin: str, kind: str, edit: Callable[[str, int], str]
) -> Iterator[tuple[Any, str, str]]:
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if (
            cell["cell_type"] == kind
            and twin.count(source) == 1
            and (changed := edit(source, 1))
            and not cell["metadata"].get("tags")
        ):
            yield cell, source, changed


def _with_print(source: str, number: int) -> str:
    """``source`` with a line that prints something; empty if that is not a cell to be edited."""
    if not source.strip() or source.startswith(("%", "!")):
        return ""
    return f"{source}\nprint('(edited {number})')"


def convert(root: Path, target: Path) -> list[str]:
    """What the command does."""
    import jupytext

    from pipeline.paths import Paths

    docs, names = Paths(root, "jax").docs, []
    for name, path in _whole(root):
        notebook = target / f"{name}.ipynb"
        notebook.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".ipynb"):
            shutil.copyfile(docs / path, notebook)
        else:
            page = jupytext.read(docs / path, fmt="md:myst")
            jupytext.write(page, notebook, fmt="ipynb")
        names.append(name)
    return names


def _whole(root: Path) -> Iterator[tuple[str, str]]:
    """Name and document of each page that plain papermill can run whole.

    Such a page needs no interpret mode, no stand-in data, and no more devices than there are.
    """
    from pipeline.adapters import kernel
    from pipeline.config.reader import read_settings
    from pipeline.core.execution.code_cells import is_partial
    from pipeline.core.pin.lock import pages_of, parse_lock
    from pipeline.log import QUIET, Log
    from pipeline.paths import Paths
    from pipeline.run import Run
    from pipeline.stages.execute.plan import ExecutionContext, Task, plan

    settings, paths = read_settings(root / "pyproject.toml"), Paths(root, "jax")
    upstream, environment = settings.upstream("jax"), kernel.environment()
    run = Run(settings=settings, upstream=upstream, log=Log(QUIET), locales=())
    context = ExecutionContext(run=run, offline=False, environment=environment)
    for page in pages_of(parse_lock(paths.lock.read_bytes(), where="jax.lock").files):
        task = plan(context, page) if upstream.selects(page.name) else None
        if not isinstance(task, Task) or task.note:
            continue
        if not is_partial(task.notebook, task.rule.until):
            yield page.name, task.document.path


if __name__ == "__main__":
    print(json.dumps(convert(Path(sys.argv[1]), Path(sys.argv[2]))))
