"""The web site: all of it from catalogues, and again with one translation changed.

Beside it works Sphinx with its own translations (``locale_dirs``), on the same notebooks and
Markdown pages and with the same theme: what people run who translate docs with sphinx-intl. It
shows one language, and has Sphinx's own search.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import workshop
from bench.measure import Contender, Scene, Target
from bench.scenes import Subject
from bench.sphinx_docs import SphinxDocs
from bench.workshop import BRANCH, Root

SITE = "site"
OURS, SPHINX = "ours: site", "sphinx, its own translations"
PROCESSES = "auto"  # as many as there are cores, as ours has


def site_scenes(folder: Path, subject: Subject) -> Iterator[Scene]:
    """The whole site, then one changed translation: the second scene needs what the first makes."""
    folder.mkdir()
    docs = folder / "docs"
    workshop.copy_pages(subject.docs, docs, ".ipynb", ".md")
    page = workshop.page_to_edit(docs)
    ours = _Ours.make(folder / "ours", docs, jax=subject.jax)
    theirs = _Theirs.make(folder / "sphinx", docs)
    targets = () if subject.is_sample else (Target(rival=SPHINX, cpu=1),)
    yield Scene(
        name=SITE,
        title="The site of all pages, from their catalogues",
        contenders=(
            ours.contender(lambda _: ours.forget()),
            theirs.contender(lambda _: theirs.forget()),
        ),
        targets=targets,
        rounds=1,
    )
    catalog = f"{page.removesuffix('.md')}.po"
    yield Scene(
        name=f"{SITE}, changed",
        title=f"Again, with one translation changed ({page})",
        contenders=(
            ours.contender(
                partial(workshop.change_translation, ours.root.catalogs / catalog)
            ),
            theirs.contender(
                partial(workshop.change_translation, theirs.docs.catalogs / catalog)
            ),
        ),
        targets=targets,
    )


class _Ours:
    """A project of ours whose catalogues are filled."""

    def __init__(self, root: Root, filled: Path) -> None:
        self.root = root
        self._filled = filled  # the catalogues as they are to begin with

    @classmethod
    def make(cls, folder: Path, docs: Path, *, jax: str) -> _Ours:
        """Pull ``docs``, split them, and fill their catalogues."""
        upstream = folder / "upstream"
        workshop.make_upstream(upstream, docs)
        root = Root.scratch(folder / "root", url=upstream, ref=BRANCH, jax=jax)
        root.run("pull")
        root.run("split")
        workshop.fill(root.catalogs)
        filled = folder / "filled"
        shutil.copytree(root.catalogs, filled)
        return cls(root, filled)

    def contender(self, prepare: workshop.Prepare) -> Contender:
        return Contender(
            name=OURS,
            commands=(self.root.command("site", "--no-execute"),),
            folder=self.root.path,
            environ=workshop.environment(),
            prepare=prepare,
            note="both languages; catalogues updated and pages merged first",
        )

    def forget(self) -> None:
        """Nothing is known of the pages; the catalogues are there."""
        self.root.forget()
        shutil.copytree(self._filled, self.root.catalogs)


class _Theirs:
    """Docs of Sphinx whose catalogues, made by sphinx-intl, are filled."""

    def __init__(self, docs: SphinxDocs) -> None:
        self.docs = docs

    @classmethod
    def make(cls, folder: Path, docs: Path) -> _Theirs:
        """Extract the texts of ``docs`` as Sphinx does, and fill the catalogues."""
        sphinx = SphinxDocs.make(folder, docs)
        workshop.run(sphinx.path, *sphinx.build)
        workshop.run(sphinx.path, *sphinx.update)
        workshop.fill(sphinx.catalogs)
        return cls(sphinx)

    def contender(self, prepare: workshop.Prepare) -> Contender:
        return Contender(
            name=SPHINX,
            commands=(self.docs.html(jobs=PROCESSES),),
            folder=self.docs.path,
            environ=workshop.environment(),
            prepare=prepare,
            note="one language",
        )

    def forget(self) -> None:
        """No page has been read or written."""
        workshop.remove_all((self.docs.pages, self.docs.path / "html-doctrees"))
