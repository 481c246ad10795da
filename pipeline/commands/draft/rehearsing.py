"""``--stub``: the whole loop without a model, a key or a price, and without touching the project.

A copy of the project is made under ``build/stub/``, without translations of the pages asked for; a
server on this machine answers for the model. What comes out is nonsense in Chinese characters, to
look at and to throw away.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pipeline.adapters.files import WriteError
from pipeline.adapters.stub_model import Stub, stub_model
from pipeline.config import DraftPolicy
from pipeline.core.drafting import pseudo
from pipeline.packages import how_to_run
from pipeline.paths import Paths
from pipeline.run import Run

STUB = "stub"  # the model's name, as notes have it


@contextmanager
def rehearsal(run: Run) -> Iterator[tuple[Run, Stub]]:
    """A run on the copy, with a server that answers it, while the body runs."""
    with run.log.step("copy") as step:
        root = _copied(run)
        step.result = f"{run.shown(root)}/, without translations of what is drafted"
    with stub_model(pseudo.answer, pseudo.count_tokens) as stub:
        policy = replace(
            run.settings.draft, url=stub.url, model=STUB, key_variable="", parameters={}
        )
        settings = replace(run.settings, root=root, draft=_without_limits(policy))
        yield replace(run, settings=settings), stub


def _without_limits(policy: DraftPolicy) -> DraftPolicy:
    """Nothing costs anything here."""
    return replace(policy, budget=0.0, budget_tokens=0)


def _copied(run: Run) -> Path:
    """A new copy of what drafting needs. Raises WriteError."""
    source, root = run.settings.root, run.paths.build / "stub"
    copy = Paths(root, run.name)
    try:
        # What an earlier one has left would look like drafts that are there already.
        shutil.rmtree(root, ignore_errors=True)
        (root / "upstream").mkdir(parents=True)
        shutil.copy(source / "pyproject.toml", root)
        shutil.copytree(run.paths.docs, copy.docs)
        shutil.copy(run.paths.lock, copy.lock)
        glossaries = source / "translations" / "glossary"
        if glossaries.is_dir():
            shutil.copytree(glossaries, root / "translations" / "glossary")
        for locale in run.locales:
            _copy_translations(run, copy, locale)
    except OSError as error:
        raise WriteError(
            f"cannot be copied: {error.strerror}",
            where=str(root),
            hint=f"Pull the docs first ({how_to_run('pull')}), or free some space; "
            "nothing has changed.",
        ) from error
    return root


def _copy_translations(run: Run, copy: Paths, locale: str) -> None:
    """Copy the catalogues of the pages that are not drafted: they are what a model learns from."""
    if not run.pages:
        return  # all pages are drafted from nothing
    folder = run.paths.catalogs(locale)
    for path in sorted(folder.rglob("*.po")):
        page = path.relative_to(folder).as_posix().removesuffix(".po")
        if not run.asks_for(page):
            target = copy.catalog(locale, page)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
