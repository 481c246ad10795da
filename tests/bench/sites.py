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
from bench.workshop import BRANCH, Prepare, Root

SITE = "site"
OURS, SPHINX = "ours: site", "sphinx, its own translations"


def site_scenes(folder: Path, subject: Subject) -> Iterator[Scene]:
    """The whole site, then one changed translation: the second scene needs what the first makes."""
    folder.mkdir()
    docs = folder / "docs"
    workshop.copy_pages(subject.docs, docs, ".ipynb", ".md")
    page = workshop.page_to_edit(docs)
    root = _filled_root(folder / "ours", docs, jax=subject.jax)
    sphinx = SphinxDocs.make(folder / "sphinx", docs)
    workshop.run(sphinx.path, *sphinx.build)
    workshop.run(sphinx.path, *sphinx.update)
    workshop.fill(sphinx.catalogs)

    def contenders(ours: Prepare, theirs: Prepare) -> tuple[Contender, ...]:
        note = "both languages; catalogues updated and pages merged first"
        site = root.contender(
            OURS,
            "site",
            "--no-execute",
            prepare=ours,
            note=note,
            accepted=(0, 7),  # 7 for pages with roles and directives of upstream's own
        )
        other = Contender(
            name=SPHINX,
            commands=(sphinx.html,),
            folder=sphinx.path,
            prepare=theirs,
            note="one language",
        )
        return site, other

    def forget_ours(_: int) -> None:
        """Nothing is known of the pages; the catalogues are there."""
        root.forget()
        shutil.copytree(folder / "ours" / "filled", root.catalogs)

    def forget_theirs(_: int) -> None:
        """No page has been read or written."""
        workshop.remove_all(sphinx.path / name for name in ("html", "html-doctrees"))

    targets = () if subject.is_sample else (Target(rival=SPHINX, cpu=1),)
    yield Scene(
        name=SITE,
        title="The site of all pages, from their catalogues",
        contenders=contenders(forget_ours, forget_theirs),
        targets=targets,
        rounds=1,
    )
    catalog = f"{page.removesuffix('.md')}.po"
    yield Scene(
        name=f"{SITE}, changed",
        title=f"Again, with one translation changed ({page})",
        contenders=contenders(
            partial(workshop.change_translation, root.catalogs / catalog),
            partial(workshop.change_translation, sphinx.catalogs / catalog),
        ),
        targets=targets,
    )


def _filled_root(folder: Path, docs: Path, *, jax: str) -> Root:
    """Return a project of ours that has pulled ``docs``; ``filled/`` has its catalogues."""
    upstream = folder / "upstream"
    workshop.make_upstream(upstream, docs)
    root = Root.scratch(folder / "root", url=upstream, ref=BRANCH, jax=jax)
    root.run("pull")
    root.run("split")
    workshop.fill(root.catalogs)
    shutil.copytree(root.catalogs, folder / "filled")
    return root
