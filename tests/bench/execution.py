"""Code that runs: all pages, beside papermill, and what a change makes run again.

Papermill runs one page after the other.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from bench import workshop
from bench.measure import PRINTED, Contender, Limit, Scene, Target, environment
from bench.notebooks import NothingToEditError, edited
from bench.scenes import Subject, skipped
from bench.workshop import BRANCH, LOCALE, WORD, Prepare, Root

EXECUTE = "execute"
OURS, PAPERMILL = "ours: execute", "papermill, page by page"
CHANGES = ("nothing", "a paragraph", "a translation", "a code cell")
UNCHANGED, PROSE, TRANSLATION, CODE = CHANGES
SECOND = "zh_TW"  # a locale that is there to see that one run serves all of them
_LINE = re.compile(r"^ *execute [\d.]+/[\d.]+  (\S+): .*?\((cached|[\d.]+ s)\)", re.MULTILINE)


def execution_scenes(folder: Path, subject: Subject) -> Iterator[Scene]:
    """Cold, then warm: the second scene needs what the first has run.

    A scene in between if papermill cannot run all pages whole. The sample has no page in two forms.
    """
    if subject.is_sample:
        yield skipped(EXECUTE, "Code that runs", OURS, PAPERMILL)
        return
    folder.mkdir()
    compile_packages()
    upstream = folder / "upstream"
    workshop.make_upstream(upstream, subject.docs)
    root = _root(folder / "root", upstream)
    papermill = Papermill.make(folder / "papermill", root)
    pages = papermill.pages
    title = "Every page that runs whole, nothing cached"
    yield _cold(root, papermill, pages, title)
    ours = passed(root)
    both = [page for page in pages if page in ours and papermill.is_whole(page)]
    if both != pages:
        title = "The same, only pages that papermill too runs to their last cell"
        yield _cold(root, papermill, both, title)
    root.run("execute")  # the other pages, and the other locale
    yield _warm(root, upstream)


def compile_packages() -> None:
    """Who imports a package first compiles it; here that is neither of the two."""
    options = "-m compileall -q -j 0".split()
    command = [sys.executable, *options, sysconfig.get_path("purelib")]
    # Packages may carry files that are no Python.
    subprocess.run(command, check=False, capture_output=True)


def _root(path: Path, upstream: Path) -> Root:
    """The project in two locales, all pages of ``upstream`` translated and merged.

    The configuration is the project's own.
    """
    root = Root.real(path)
    configuration = path / "pyproject.toml"
    text = configuration.read_text(encoding="utf-8")
    locales = f'locales = ["{LOCALE}", "{SECOND}"]'
    text, count = re.subn(r"(?m)^locales = .*$", locales, text)
    assert count == 1, "pyproject.toml names its locales elsewhere"
    configuration.write_text(text, encoding="utf-8")
    pull(root, upstream)
    root.run("split")
    for locale in (LOCALE, SECOND):
        workshop.fill(root.catalogs_in(locale))
    root.run("merge")
    return root


def pull(root: Root, upstream: Path) -> None:
    root.run("pull", "--upstream", str(upstream), "--ref", BRANCH)


class Papermill(Struct, frozen=True):
    """Papermill's side: notebooks of English pages, and what it made of them.

    They lie in a copy of the docs, for what pages read beside them.
    """

    path: Path
    pages: list[str]

    @classmethod
    def make(cls, path: Path, root: Root) -> Papermill:
        """Convert what there is to convert. Not measured."""
        shutil.copytree(root.docs, path / "docs")
        words = ("-m", "bench.notebooks", str(root.path), str(path / "docs"))
        printed = subprocess.run(
            (sys.executable, *words), env=environment(), capture_output=True, check=True
        ).stdout
        return cls(path, json.loads(printed))

    def contender(self, pages: Sequence[str]) -> Contender:
        executable = Path(sys.executable).with_name("papermill")
        is_here = os.access(executable, os.X_OK)
        return Contender(
            name=PAPERMILL,
            commands=tuple((str(executable), *self._words(page)) for page in pages),
            folder=self.path,
            environ={**environment(), "JAX_PLATFORMS": "cpu"},
            prepare=lambda _: self._prepare(pages),
            outcome=lambda: self.outcome(pages),
            missing="" if is_here else "papermill is not installed",
            accepted=(0, 1),  # 1 for an exception in any cell, expected or not
        )

    def _words(self, page: str) -> tuple[str, ...]:
        notebook = self.path / "docs" / f"{page}.ipynb"
        options = ("--kernel", "python3", "--cwd", str(notebook.parent))
        return (*options, str(notebook), str(self._out(page)))

    def _out(self, page: str) -> Path:
        return self.path / "out" / f"{page}.ipynb"

    def _prepare(self, pages: Sequence[str]) -> None:
        workshop.remove(self.path / "out")
        for page in pages:
            self._out(page).parent.mkdir(parents=True, exist_ok=True)

    def is_whole(self, page: str) -> bool:
        """Whether papermill came to the last code cell of ``page``."""
        out = self._out(page)
        return out.exists() and is_whole(json.loads(out.read_bytes()))

    def outcome(self, pages: Sequence[str]) -> str:
        early = [page for page in pages if not self.is_whole(page)]
        names = f": {', '.join(early)}" if early else ""
        return f"{len(pages)} pages, {len(early)} ended early{names}"


def is_whole(notebook: Any) -> bool:
    """Whether papermill has run every code cell of the notebook that it wrote.

    It marks where it stopped, and what it never came to.
    """
    marks = [
        cell["metadata"]["papermill"] for cell in notebook["cells"] if cell["cell_type"] == "code"
    ]
    ended = {(mark["status"], bool(mark["exception"])) for mark in marks}
    return ended <= {("completed", False)}


def _cold(
    root: Root,
    papermill: Papermill,
    pages: Sequence[str],
    title: str,
) -> Scene:
    ours = root.contender(
        OURS,
        "execute",
        *("--locale", LOCALE, "--pages", *pages),
        prepare=lambda number: _forget(root, pages[0] if number == 1 else ""),
        outcome=lambda: f"{len(pages)} pages, {len(set(pages) - passed(root))} not passed",
        note="rendered too",
        accepted=(0, 1),  # 1 for a page that failed
    )
    return Scene(
        name="execute-cold",
        title=title,
        contenders=(ours, papermill.contender(pages)),
        targets=(Target(rival=PAPERMILL, wall=2),),
        rounds=1,
    )


def _forget(root: Root, first: str) -> None:
    """Nothing has run yet, everything is merged.

    ``first`` is a page to run before that, so that files are in memory.
    """
    if first:
        root.run("execute", "--locale", LOCALE, "--pages", first)
    root.forget_caches()
    for locale in (LOCALE, SECOND):
        workshop.remove_all(root.built(locale) / made for made in ("executed", "html"))


def passed(root: Root) -> set[str]:
    """The pages that passed whole and as they are, by the report of the last run."""
    return {
        ran["page"] for ran in executions(root) if ran["status"] == "passed" and not ran.get("note")
    }


def executions(root: Root) -> list[dict[str, Any]]:
    """What the report of the last run says of each page that has code."""
    report = json.loads((root.path / "build" / "report.json").read_bytes())
    return [page["execution"] for page in report["locales"][LOCALE]["pages"] if page["execution"]]


class Workbench(Struct):
    """Where one thing at a time is changed.

    That is upstream's page in both its forms, or its translation.
    """

    root: Root
    upstream: Path
    page: str
    originals: tuple[str, str]
    pages: int  # with code that runs
    # How often each was changed.
    numbers: Counter[str] = field(default_factory=Counter)

    @classmethod
    def make(cls, root: Root, upstream: Path) -> Workbench:
        """With the page that ran fastest, of those that can be edited.

        Raises FileNotFoundError if there is none.
        """
        ran = [found for found in executions(root) if found["status"] != "skipped"]
        ran.sort(key=lambda found: found["seconds"])
        for name in (found["page"] for found in ran if found["page"] in passed(root)):
            originals = _forms(upstream / "docs" / name)
            if originals:
                return cls(root, upstream, name, originals, len(ran))
        raise FileNotFoundError(f"no notebook with a twin to edit below {upstream}")

    def change(self, what: str) -> None:
        self.numbers[what] += 1
        if what == TRANSLATION:
            catalog = self.root.catalogs / f"{self.page}.po"
            workshop.change_translation(catalog, self.numbers[what])
            return
        prose, code = self.numbers[PROSE], self.numbers[CODE]
        texts = edited(*self.originals, prose=prose, code=code)
        paths = _paths(self.upstream / "docs" / self.page)
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        workshop.commit(self.upstream)
        pull(self.root, self.upstream)

    def outcome(self, what: str, locales: Sequence[str]) -> str:
        """Which pages ran, and which locales show the change.

        It shows where it stands in the executed notebook and in the merged twin.
        """
        printed = (self.root.path / PRINTED).read_text("utf-8", errors="replace")
        text = describe(printed)
        if what == UNCHANGED:
            return text
        shown = [locale for locale in locales if self._shows(what, locale)]
        return f"{text}; shown in {', '.join(shown) or 'no locale'}"

    def wanted(self, what: str, locales: Sequence[str]) -> str:
        text = f"0 kernels for {self.pages} pages"
        if what == CODE:
            text = f"1 kernel for {self.pages} pages: {self.page}"
        return text if what == UNCHANGED else f"{text}; shown in {', '.join(locales)}"

    def _shows(self, what: str, locale: str) -> bool:
        built = self.root.built(locale)
        book = json.loads((built / "executed" / f"{self.page}.ipynb").read_bytes())
        merged = (built / "merged" / f"{self.page}.md").read_text(encoding="utf-8")
        mark = f"(edited {self.numbers[what]})"
        if what == TRANSLATION:
            mark = WORD * self.numbers[what]
        if what == CODE:
            return f"print('{mark}')" in merged and mark in _printed_in(book)
        prose = [cell for cell in book["cells"] if cell["cell_type"] == "markdown"]
        sources = ["".join(cell["source"]) for cell in prose]
        return mark in merged and mark in "\n".join(sources)


def _printed_in(book: Any) -> str:
    texts: list[str] = []
    for cell in book["cells"]:
        for output in cell.get("outputs", ()):
            texts += output.get("text", ())
    return "\n".join(texts)


def _paths(page: Path) -> tuple[Path, Path]:
    return page.with_name(f"{page.name}.ipynb"), page.with_name(f"{page.name}.md")


def _forms(page: Path) -> tuple[str, str] | None:
    """Both forms of a page, if it has both and they can be edited."""
    notebook, twin = _paths(page)
    if not (notebook.exists() and twin.exists()):
        return None
    texts = notebook.read_text(encoding="utf-8"), twin.read_text(encoding="utf-8")
    try:
        edited(*texts, prose=0, code=0)
    except NothingToEditError:
        return None
    return texts


def describe(printed: str) -> str:
    """How many pages ran, of how many, and which.

    ``execute`` prints a line for each page.
    """
    lines = _LINE.findall(printed)
    ran = [page for page, how in lines if how != "cached"]
    kernels = f"{len(ran)} kernel{'' if len(ran) == 1 else 's'}"
    names = f": {', '.join(ran)}" if ran else ""
    return f"{kernels} for {len(lines)} pages{names}"


def _warm(root: Root, upstream: Path) -> Scene:
    bench = Workbench.make(root, upstream)
    contenders, limits = [], []
    for what in CHANGES:
        locales = (LOCALE, SECOND) if what == CODE else (LOCALE,)
        options = [word for locale in locales for word in ("--locale", locale)]
        contenders.append(
            root.contender(
                what,
                "execute",
                *options,
                prepare=_preparation(bench, what),
                outcome=partial(bench.outcome, what, locales),
            )
        )
        most = 3.0 if what == UNCHANGED else 0.0
        wanted = bench.wanted(what, locales)
        limits.append(Limit(contender=what, outcome=wanted, wall=most))
    return Scene(
        name="execute-warm",
        title=f"Again, with all outputs cached; what has changed ({bench.page}):",
        contenders=tuple(contenders),
        limits=tuple(limits),
    )


def _preparation(bench: Workbench, what: str) -> Prepare:
    if what == UNCHANGED:
        return lambda _: bench.root.run("execute")  # whatever the last run left to do
    return lambda _: bench.change(what)
