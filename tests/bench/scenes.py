"""What is measured: extraction, and the way to another release.

The docs are extracted for the first time, again, and with one paragraph edited.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench import workshop
from bench.measure import Contender, Scene, Target, environment, run_contender
from bench.sphinx_docs import SphinxDocs
from bench.workshop import BRANCH, PROJECT, Root
from pipeline.folders import OUTSIDE

OLD_REF = "jax-v0.8.0"
COLD, UNCHANGED, EDITED = EXTRACTIONS = ("cold", "unchanged", "edited")
UPGRADE = "upgrade"
DEFAULT = (*EXTRACTIONS, UPGRADE)
OURS, OURS_SYNC, OURS_MARKDOWN = "ours: split", "ours: sync", "ours: split, Markdown"
SPHINX, MDPO, MSGMERGE, SPHINX_INTL, POT2PO = (
    "sphinx + sphinx-intl",
    "mdpo, Markdown",
    "msgmerge",
    "sphinx-intl",
    "pot2po",
)
_TITLES = {
    COLD: "The docs for the first time: no catalogues, nothing built",
    UNCHANGED: "Again, with nothing changed",
    EDITED: "Again, with one paragraph of upstream's edited",
}
_EXTRACTION_TARGETS = {
    COLD: Target(rival=SPHINX, cpu=5, peak=2),
    UNCHANGED: Target(rival=SPHINX, cpu=8, peak=2),
}
_EXTRACTION_TARGETS[EDITED] = _EXTRACTION_TARGETS[UNCHANGED]
_FETCH = "pull and merge included, nothing executed"


class Subject(Struct, frozen=True):
    """The docs that the bench runs on.

    ``docs`` is a folder of pages; ``label`` names it in the results.
    """

    label: str
    docs: Path
    jax: str
    is_sample: bool = False


class _Tool(Struct, frozen=True):
    """One tool at work on pages of its own."""

    contender: Contender
    docs: Path  # the file to edit lies here
    forget: Callable[[], None]
    # What it takes for an edit to arrive; not measured.
    fetch: Callable[[], None] = lambda: None

    def in_scene(self, scene: str, page: str) -> Contender:
        ways: dict[str, Callable[[int], None]] = {
            COLD: self._cold,
            UNCHANGED: self._unchanged,
            EDITED: partial(self._edited, page),
        }
        return replace(self.contender, prepare=ways[scene])

    def _cold(self, number: int) -> None:
        if number == 1:
            run_contender(self.contender)  # byte code, file cache
        self.forget()

    def _unchanged(self, number: int) -> None:
        if number == 1:
            run_contender(self.contender)
            run_contender(self.contender)  # whatever the first run left to do

    def _edited(self, page: str, number: int) -> None:
        if number == 1:
            run_contender(self.contender)
        path = self.docs / page
        text = re.sub(r" \(edited \d+\)", "", path.read_text(encoding="utf-8"))
        path.write_text(workshop.edit_paragraph(text, number), encoding="utf-8")
        self.fetch()


def take_subject(folder: Path, *, sample: bool) -> Subject:
    """The real docs at the pinned release, pulled into ``folder``; or the sample."""
    root = Root.real(folder / "pulled")
    jax = pinned_jax()
    if sample:
        return Subject("sample", PROJECT / "upstream" / "sample", jax, is_sample=True)
    root.run("pull")
    # The others read one folder, and we take none of this name from upstream.
    shutil.rmtree(root.docs / OUTSIDE, ignore_errors=True)
    return Subject(f"jax-{jax}", root.docs, jax)


def pinned_jax() -> str:
    """The version in ``pyproject.toml``."""
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'"jax==([\w.]+)"', text)
    assert found, "pyproject.toml pins no JAX"
    return found[1]


def extraction_scenes(folder: Path, subject: Subject, names: tuple[str, ...]) -> Iterator[Scene]:
    """Those of the first three scenes that are asked for.

    Sphinx and mdpo have their own copies of the docs.
    """
    page = workshop.page_to_edit(subject.docs)
    tools = (*_our_tools(folder, subject), *_their_tools(folder, subject))
    for name in names:
        yield Scene(
            name=name,
            title=_TITLES[name] + (f" ({page})" if name == EDITED else ""),
            contenders=tuple(tool.in_scene(name, page) for tool in tools),
            targets=() if subject.is_sample else (_EXTRACTION_TARGETS[name],),
            beside={MDPO: OURS_MARKDOWN},
        )


def _our_tools(folder: Path, subject: Subject) -> Iterator[_Tool]:
    same, markdown = folder / "same", folder / "markdown"
    workshop.copy_pages(subject.docs, same, ".ipynb", ".md")
    workshop.copy_pages(subject.docs, markdown, ".md")
    for name, docs, verb, note in (
        (OURS, same, ("split",), "the notebooks and Markdown pages, as theirs"),
        (OURS_SYNC, same, ("sync", "--no-execute"), _FETCH),
        (OURS_MARKDOWN, markdown, ("split",), "the Markdown pages only"),
    ):
        place = folder / re.sub(r"\W+", "-", name)
        upstream = place / "upstream"
        workshop.make_upstream(upstream, docs)
        root = Root.scratch(place / "root", url=upstream, ref=BRANCH, jax=subject.jax)
        root.run("pull")
        commit = partial(workshop.commit, upstream)
        fetch = commit if verb[0] == "sync" else partial(_pull, root, upstream)
        contender = root.contender(name, *verb, note=note)
        yield _Tool(contender, upstream / "docs", root.forget, fetch)


def _pull(root: Root, upstream: Path) -> None:
    workshop.commit(upstream)
    root.run("pull")


def _their_tools(folder: Path, subject: Subject) -> Iterator[_Tool]:
    sphinx = SphinxDocs.make(folder / "sphinx", subject.docs)
    commands = (sphinx.build, sphinx.update)
    theirs = Contender(name=SPHINX, commands=commands, folder=sphinx.path)
    yield _Tool(theirs, sphinx.docs, sphinx.forget)
    mdpo = folder / "mdpo"
    workshop.copy_pages(subject.docs, mdpo / "docs", ".md")
    command = (sys.executable, "-m", "bench.mdpo_pages", "docs", "catalogs")
    forget = partial(workshop.remove, mdpo / "catalogs")
    note = "no notebooks"
    theirs = Contender(name=MDPO, commands=(command,), folder=mdpo, note=note)
    yield _Tool(theirs, mdpo / "docs", forget)


def skipped(name: str, title: str, *contenders: str) -> Scene:
    """A scene of the real docs, where there are none: of releases, the API, or pages in twins."""
    reason = f"set {workshop.VARIABLE} to a clone or a bundle of the JAX docs"
    missing = tuple(
        Contender(name=one, commands=(), folder=Path(), missing=reason) for one in contenders
    )
    return Scene(name=name, title=title, contenders=missing, rounds=1)


def upgrade_scene(folder: Path, *, no_upstream: bool) -> Scene:
    """All pages of the old release, fully translated, brought to the pinned one.

    Extraction is not in their figures, but in ours.
    """
    title = f"{OLD_REF}, fully translated, brought to jax-v{pinned_jax()}"
    if no_upstream:
        return skipped(UPGRADE, title, OURS, MSGMERGE, SPHINX_INTL, POT2PO)
    folder.mkdir()
    root = Root.real(folder / "root")
    root.run("pull", "--ref", OLD_REF)
    root.run("split")
    shutil.copytree(root.docs, folder / "old-docs")
    old = folder / "old"
    shutil.copytree(root.catalogs, old)
    workshop.fill(old)
    root.run("pull")
    root.forget()
    root.run("split")
    templates = folder / "templates"
    for path in root.catalogs.rglob("*.po"):
        template = (templates / path.relative_to(root.catalogs)).with_suffix(".pot")
        template.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, template)
    contenders = (
        _ours(root, old),
        _msgmerge(folder, old, templates),
        _sphinx_intl(folder, root.docs),
        _pot2po(folder, old, templates),
    )
    return Scene(
        name=UPGRADE,
        title=title,
        contenders=contenders,
        targets=(Target(rival=MSGMERGE, cpu=1),),
        rounds=1,
    )


def _outcome(catalogs: Path) -> str:
    """Shares of all live entries, in percent."""
    command = [sys.executable, "-m", "bench.catalogs", "count", str(catalogs)]
    return subprocess.run(
        command, env=environment(), capture_output=True, check=True, text=True
    ).stdout


def _contender(
    name: str,
    command: tuple[str, ...],
    folder: Path,
    prepare: Callable[[], None],
    catalogs: Path,
    note: str,
    missing: str = "",
) -> Contender:
    return Contender(
        name=name,
        commands=(command,),
        folder=folder,
        prepare=lambda _: prepare(),
        outcome=lambda: _outcome(catalogs),
        note=note,
        missing=missing,
    )


def _ours(root: Root, old: Path) -> Contender:
    def prepare() -> None:
        root.forget()
        shutil.copytree(old, root.catalogs)

    note = "extraction included"
    command = root.command("split")
    return _contender(OURS, command, root.path, prepare, root.catalogs, note)


def _msgmerge(folder: Path, old: Path, templates: Path) -> Contender:
    out = folder / "msgmerge"
    lines = ["set -e"]
    for template in sorted(templates.rglob("*.pot")):
        name = template.relative_to(templates).with_suffix(".po")
        before, after = str(old / name), str(out / name)
        options = ("--quiet", "--previous", "--no-wrap", f"--output-file={after}")
        command = ["msgmerge", *options, before, str(template)]
        if not (old / name).exists():
            command = ["cp", str(template), after]
        lines.append(shlex.join(command))
    script = folder / "msgmerge.sh"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def prepare() -> None:
        workshop.remove(out)
        for template in templates.rglob("*.pot"):
            place = out / template.relative_to(templates)
            place.parent.mkdir(parents=True, exist_ok=True)

    return _contender(
        MSGMERGE,
        ("sh", str(script)),
        folder,
        prepare,
        out,
        note="page by page, from our templates",
        missing="" if shutil.which("msgmerge") else "GNU gettext is not installed",
    )


def _sphinx_intl(folder: Path, new_docs: Path) -> Contender:
    before = SphinxDocs.make(folder / "sphinx-old", folder / "old-docs")
    after = SphinxDocs.make(folder / "sphinx-new", new_docs)
    for sphinx in (before, after):
        workshop.run(sphinx.path, *sphinx.build)
    workshop.run(before.path, *before.update)
    workshop.fill(before.catalogs)

    def prepare() -> None:
        workshop.remove(after.locale)
        shutil.copytree(before.locale, after.locale)

    note = "its own templates"
    return _contender(SPHINX_INTL, after.update, after.path, prepare, after.catalogs, note)


def _pot2po(folder: Path, old: Path, templates: Path) -> Contender:
    out = folder / "pot2po"
    executable = Path(sys.executable).with_name("pot2po")
    options = (f"--input={templates}", f"--template={old}", f"--output={out}")
    is_here = os.access(executable, os.X_OK)
    return _contender(
        POT2PO,
        (str(executable), "--progress=none", *options),
        folder,
        partial(workshop.remove, out),
        out,
        note="page by page, from our templates; with RapidFuzz, which it does not install",
        missing="" if is_here else "translate-toolkit is not installed",
    )
