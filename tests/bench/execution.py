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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bench import workshop
from bench.measure import PRINTED, Contender, Limit, Scene, Target
from bench.notebooks import NothingToEditError, edited
from bench.workshop import BRANCH, LOCALE, WORD, Root

EXECUTE = "execute"
OURS, PAPERMILL = "ours: execute", "papermill, page by page"
UNCHANGED, PROSE, TRANSLATION, CODE = (
    "nothing",
    "a paragraph",
    "a translation",
    "a code cell",
)
SECOND = "zh_TW"  # a locale that is there to see that one run serves all of them
_WALL = Target(rival=PAPERMILL, wall=2)
_LINE = re.compile(
    r"^ *execute [\d.]+/[\d.]+  (\S+): .*?\((cached|[\d.]+ s)\)", re.MULTILINE
)


def execution_scenes(folder: Path, docs: Path, *, is_sample: bool) -> Iterator[Scene]:
    """Cold, then warm: the second scene needs what the first has run.

    A scene in between if papermill cannot run all pages whole.
    """
    folder.mkdir()
    compile_packages()
    upstream = folder / "upstream"
    workshop.make_upstream(upstream, docs)
    root = _root(folder / "root", upstream)
    papermill = Papermill.make(folder / "papermill", root)
    targets = () if is_sample else (_WALL,)
    yield _cold(
        root,
        papermill,
        papermill.pages,
        "Every page that runs whole, nothing cached",
        targets,
    )
    both = [
        page
        for page in papermill.pages
        if page in passed(root) and papermill.is_whole(page)
    ]
    if both != papermill.pages:
        yield _cold(
            root,
            papermill,
            both,
            "The same, only pages that papermill too runs to their last cell",
            targets,
        )
    root.run("execute")  # the other pages, and the other locale
    yield _warm(root, upstream)


def compile_packages() -> None:
    """Who imports a package first compiles it; here that is neither of the two."""
    command = (
        sys.executable,
        "-m",
        "compileall",
        "-q",
        "-j",
        "0",
        sysconfig.get_path("purelib"),
    )
    subprocess.run(
        command, check=False, capture_output=True
    )  # packages may carry files that are no Python


def _root(path: Path, upstream: Path) -> Root:
    """The project in two locales, all pages of ``upstream`` translated and merged.

    The configuration is the project's own.
    """
    root = Root.real(path)
    configuration = path / "pyproject.toml"
    text, count = re.subn(
        r"(?m)^locales = .*$",
        f'locales = ["{LOCALE}", "{SECOND}"]',
        configuration.read_text(encoding="utf-8"),
    )
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


@dataclass(frozen=True, slots=True)
class Papermill:
    """Papermill's side: notebooks of English pages, and what it made of them.

    They lie in a copy of the docs, for what pages read beside them.
    """

    path: Path
    pages: list[str]

    @classmethod
    def make(cls, path: Path, root: Root) -> Papermill:
        """Convert what there is to convert. Not measured."""
        shutil.copytree(root.docs, path / "docs")
        command = [
            sys.executable,
            "-m",
            "bench.notebooks",
            str(root.path),
            str(path / "docs"),
        ]
        printed = subprocess.run(
            command, env=workshop.environment(), capture_output=True, check=True
        ).stdout
        return cls(path, json.loads(printed))

    def contender(self, pages: Sequence[str]) -> Contender:
        executable = Path(sys.executable).with_name("papermill")
        return Contender(
            name=PAPERMILL,
            commands=tuple((str(executable), *self._words(page)) for page in pages),
            folder=self.path,
            environ={**workshop.environment(), "JAX_PLATFORMS": "cpu"},
            prepare=lambda _: self._prepare(pages),
            outcome=lambda: self.outcome(pages),
            missing=""
            if os.access(executable, os.X_OK)
            else "papermill is not installed",
            accepted=(0, 1),  # 1 for an exception in any cell, expected or not
        )

    def _words(self, page: str) -> tuple[str, ...]:
        notebook = self.path / "docs" / f"{page}.ipynb"
        return (
            "--kernel",
            "python3",
            "--cwd",
            str(notebook.parent),
            str(notebook),
            str(self._out(page)),
        )

    def _out(self, page: str) -> Path:
        return self.path / "out" / f"{page}.ipynb"

    def _prepare(self, pages: Sequence[str]) -> None:
        workshop.remove(self.path / "out")
        for page in pages:
            self._out(page).parent.mkdir(parents=True, exist_ok=True)

    def is_whole(self, page: str) -> bool:
        """Whether papermill came to the last code cell of ``page``."""
        return self._out(page).exists() and is_whole(
            json.loads(self._out(page).read_bytes())
        )

    def outcome(self, pages: Sequence[str]) -> str:
        early = [page for page in pages if not self.is_whole(page)]
        return f"{len(pages)} pages, {len(early)} ended early" + (
            f": {', '.join(early)}" if early else ""
        )


def is_whole(notebook: Any) -> bool:
    """Whether papermill has run every code cell of the notebook that it wrote.

    It marks where it stopped, and what it never came to.
    """
    marks = [
        cell["metadata"]["papermill"]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    return all(
        mark["status"] == "completed" and not mark["exception"] for mark in marks
    )


def _cold(
    root: Root,
    papermill: Papermill,
    pages: Sequence[str],
    title: str,
    targets: tuple[Target, ...],
) -> Scene:
    ours = Contender(
        name=OURS,
        commands=(root.command("execute", "--locale", LOCALE, "--pages", *pages),),
        folder=root.path,
        environ=workshop.environment(),
        prepare=lambda number: _forget(root, pages[0] if number == 1 else ""),
        outcome=lambda: (
            f"{len(pages)} pages, {len(set(pages) - passed(root))} not passed"
        ),
        note="rendered too",
        accepted=(0, 1),  # 1 for a page that failed
    )
    return Scene(
        name="execute-cold",
        title=title,
        contenders=(ours, papermill.contender(pages)),
        targets=targets,
        rounds=1,
    )


def _forget(root: Root, first: str) -> None:
    """Nothing has run yet, everything is merged.

    ``first`` is a page to run before that, so that files are in memory.
    """
    if first:
        root.run("execute", "--locale", LOCALE, "--pages", first)
    for cached in (root.path / "build" / "cache").glob("*"):
        if cached.name != "git":
            workshop.remove(cached)
    for locale in (LOCALE, SECOND):
        for made in ("executed", "html"):
            workshop.remove(root.built(locale) / made)


def passed(root: Root) -> set[str]:
    """The pages that passed whole and as they are, by the report of the last run."""
    return {
        ran["page"]
        for ran in executions(root)
        if ran["status"] == "passed" and not ran.get("note")
    }


def executions(root: Root) -> list[dict[str, Any]]:
    """What the report of the last run says of each page that has code."""
    report = json.loads((root.path / "build" / "report.json").read_bytes())
    return [
        page["execution"]
        for page in report["locales"][LOCALE]["pages"]
        if page["execution"]
    ]


@dataclass(slots=True)
class Workbench:
    """Where one thing at a time is changed.

    That is upstream's page in both its forms, or its translation.
    """

    root: Root
    upstream: Path
    page: str
    originals: tuple[str, str]
    pages: int  # with code that runs
    numbers: dict[str, int] = field(
        default_factory=lambda: {PROSE: 0, TRANSLATION: 0, CODE: 0}
    )  # how often each was changed

    @classmethod
    def make(cls, root: Root, upstream: Path) -> Workbench:
        """With the page that ran fastest, of those that can be edited.

        Raises FileNotFoundError if there is none.
        """
        ran = [found for found in executions(root) if found["status"] != "skipped"]
        for name in [
            found["page"]
            for found in sorted(ran, key=lambda found: found["seconds"])
            if found["page"] in passed(root)
        ]:
            originals = _forms(upstream / "docs" / name)
            if originals:
                return cls(root, upstream, name, originals, len(ran))
        raise FileNotFoundError(
            f"no notebook with a twin, and with a paragraph and a code cell to edit, below "
            f"{upstream}"
        )

    def change(self, what: str) -> None:
        self.numbers[what] += 1
        if what == TRANSLATION:
            catalog = self.root.catalogs / f"{self.page}.po"
            workshop.change_translation(catalog, self.numbers[what])
            return
        texts = edited(
            *self.originals, prose=self.numbers[PROSE], code=self.numbers[CODE]
        )
        for path, text in zip(
            _paths(self.upstream / "docs" / self.page), texts, strict=True
        ):
            path.write_text(text, encoding="utf-8")
        workshop.commit(self.upstream)
        pull(self.root, self.upstream)

    def outcome(self, what: str, locales: Sequence[str]) -> str:
        """Which pages ran, and which locales show the change.

        It shows where it stands in the executed notebook and in the merged twin.
        """
        printed = (self.root.path / PRINTED).read_text(
            encoding="utf-8", errors="replace"
        )
        text = describe(printed)
        if what == UNCHANGED:
            return text
        shown = [locale for locale in locales if self._shows(what, locale)]
        return f"{text}; shown in {', '.join(shown) or 'no locale'}"

    def wanted(self, what: str, locales: Sequence[str]) -> str:
        text = (
            f"1 kernel for {self.pages} pages: {self.page}"
            if what == CODE
            else f"0 kernels for {self.pages} pages"
        )
        return text if what == UNCHANGED else f"{text}; shown in {', '.join(locales)}"

    def _shows(self, what: str, locale: str) -> bool:
        built = self.root.built(locale)
        value = json.loads((built / "executed" / f"{self.page}.ipynb").read_bytes())
        outputs = [
            text
            for cell in value["cells"]
            for output in cell.get("outputs", ())
            for text in output.get("text", ())
        ]
        prose = [
            "".join(cell["source"])
            for cell in value["cells"]
            if cell["cell_type"] == "markdown"
        ]
        mark = (
            WORD * self.numbers[TRANSLATION]
            if what == TRANSLATION
            else f"(edited {self.numbers[what]})"
        )
        merged = (built / "merged" / f"{self.page}.md").read_text(encoding="utf-8")
        is_in_twin = (f"print('{mark}')" if what == CODE else mark) in merged
        return is_in_twin and mark in "\n".join(outputs if what == CODE else prose)


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
    names = f": {', '.join(ran)}" if ran else ""
    return (
        f"{len(ran)} kernel{'' if len(ran) == 1 else 's'} for {len(lines)} pages{names}"
    )


def _warm(root: Root, upstream: Path) -> Scene:
    bench = Workbench.make(root, upstream)
    rows: list[tuple[Contender, Limit]] = []
    for what in (UNCHANGED, PROSE, TRANSLATION, CODE):
        locales = (LOCALE, SECOND) if what == CODE else (LOCALE,)
        outcome = partial(bench.outcome, what, locales)
        contender = _ours(root, what, locales, _preparation(bench, what), outcome)
        rows.append(
            (
                contender,
                Limit(
                    contender=what,
                    outcome=bench.wanted(what, locales),
                    wall=3.0 if what == UNCHANGED else 0.0,
                ),
            )
        )
    title = f"Again, with all outputs cached; what has changed ({bench.page}):"
    contenders, limits = zip(*rows, strict=True)
    return Scene(name="execute-warm", title=title, contenders=contenders, limits=limits)


def _preparation(bench: Workbench, what: str) -> Callable[[int], None]:
    if what == UNCHANGED:
        return lambda _: bench.root.run("execute")  # whatever the last run left to do
    return lambda _: bench.change(what)


def _ours(
    root: Root,
    what: str,
    locales: Sequence[str],
    prepare: Callable[[int], None],
    outcome: Callable[[], str],
) -> Contender:
    options = [word for locale in locales for word in ("--locale", locale)]
    return Contender(
        name=what,
        commands=(root.command("execute", *options),),
        folder=root.path,
        environ=workshop.environment(),
        prepare=prepare,
        outcome=outcome,
    )
