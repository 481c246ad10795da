"""Scratch project whose pages run in real kernels. It is in the state after pull and merge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from folders import write_file
from msgspec import Struct, field
from notebooks import code, notebook
from runs import run_of

from pipeline.adapters.kernel import PYTHON, Job, Policy
from pipeline.config.settings import (
    Acknowledgement,
    ExecutionPolicy,
    RunRule,
    Settings,
    SkipRule,
    Upstream,
)
from pipeline.core.execution.result import Execution
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.paths import Paths
from pipeline.run import KernelOptions
from pipeline.stages.execute.stage import Executed, execute

JAX = version("jax")
USUAL = Policy(timeout=20, page_timeout=40, stall=30, memory=400, threads=1)

MYST = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")


class Project(Struct):
    """Project folder with pulled and merged documents, which can be executed several times."""

    root: Path
    locales: tuple[str, ...] = ("zh_CN",)
    skip: tuple[SkipRule, ...] = ()
    rules: tuple[RunRule, ...] = ()
    acknowledge: tuple[Acknowledgement, ...] = ()
    timeout: int = 30
    stall: int = 60
    output: int = 20
    pages: dict[str, list[SourceFile]] = field(default_factory=dict)

    @property
    def paths(self) -> Paths:
        return Paths(self.root, "demo")

    def add(self, path: str, text: str, *, merged: str | None = None) -> None:
        """Add a document. ``merged`` is its Chinese text, by default equal to ``text``."""
        self._write(path, text, merged=merged or text)
        file = SourceFile(path=path, blob="0" * 40)
        files = self.pages.setdefault(path.rpartition(".")[0], [])
        if file not in files:
            files.append(file)

    def add_data(self, path: str, text: str) -> None:
        """Add a file that is not a page, for pages to read."""
        self._write(path, text, merged=text)

    def _write(self, path: str, text: str, *, merged: str) -> None:
        texts = {self.paths.docs: text}
        texts |= {self.paths.merged(locale): merged for locale in self.locales}
        for folder, content in texts.items():
            write_file(folder / path, content)

    def run(self, *, jobs: int = 2, **options: Any) -> Executed:
        """Execute every page that was added, and return the result."""
        upstream = Upstream(
            package="JAX",
            version=JAX,
            name="demo",
            url="x",
            run=self.rules,
            skip=self.skip,
            acknowledge=self.acknowledge,
        )
        settings = Settings(
            root=self.root,
            locales=self.locales,
            upstreams={"demo": upstream},
            execution=ExecutionPolicy(timeout=self.timeout, stall=self.stall, output=self.output),
        )
        pages = [Page(name=name, files=tuple(own)) for name, own in self.pages.items()]
        kernels = KernelOptions(jobs=jobs, **options)
        return execute(run_of(settings, upstream), pages, kernels)

    def results(self, *, jobs: int = 2) -> dict[str, Execution]:
        """Execute every page that was added. Return the executions by page name."""
        return {result.page: result for result in self.run(jobs=jobs).executions}

    def executed(self, page: str, locale: str = "zh_CN") -> Mapping[str, Any]:
        """Return the notebook that the last run wrote for ``page``."""
        path = self.paths.executed(locale) / f"{page}.ipynb"
        value: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
        return value


def job(
    page: str,
    *cells: str,
    folder: Path = Path("/no/such/folder"),
    policy: Policy = USUAL,
    kernel: str = PYTHON,
) -> Job:
    """Return the job to run a notebook with code ``cells``, in a copy of ``folder``."""
    text = notebook(*map(code, cells))
    return Job(page=page, notebook=text, folder=folder, kernel=kernel, policy=policy)


def printed(text: str) -> list[str]:
    """Return what each code cell of a notebook printed."""
    cells = json.loads(text)["cells"]
    return [texts(cell) for cell in cells if cell["cell_type"] == "code"]


def texts(cell: Mapping[str, Any]) -> str:
    """Return all text that a code cell printed, joined, because kernels split it at random."""
    return "".join("".join(output.get("text", "")) for output in cell["outputs"])
