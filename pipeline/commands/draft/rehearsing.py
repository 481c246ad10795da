"""``--stub``: the whole loop without a model or a key, and without touching the project.

A copy of the project is made under ``build/stub/``, without translations of the pages asked for.
What comes out is nonsense in Chinese characters, to look at and to throw away.
"""

from __future__ import annotations

import shutil
from dataclasses import replace

from pipeline.adapters.files import WriteError
from pipeline.config import DraftPolicy
from pipeline.packages import how_to_run
from pipeline.paths import Paths
from pipeline.run import Run

_STUB = "stub"  # the model's name, as notes have it
_NOWHERE = "https://stub.invalid/v1"  # nothing is sent there


def rehearsal(run: Run) -> Run:
    """A run on a new copy of the project, with a policy for the stub. Raises WriteError."""
    with run.log.step("copy") as step:
        root = run.paths.build / "stub"
        try:
            _copy(run, Paths(root, run.name))
        except OSError as error:
            raise WriteError(
                f"cannot be copied: {error.strerror}",
                where=str(root),
                hint=f"Pull the docs first ({how_to_run('pull')}), or free some space; "
                "nothing has changed.",
            ) from error
        step.result = f"{run.shown(root)}/, without translations of what is drafted"
    own = run.settings.draft
    policy = DraftPolicy(
        url=_NOWHERE, model=_STUB, batch=own.batch, concurrency=own.concurrency
    )
    return replace(run, settings=replace(run.settings, root=root, draft=policy))


def _copy(run: Run, copy: Paths) -> None:
    """Copy what drafting needs: docs, lock, glossaries, and what a model learns from."""
    root, translations = run.settings.root, "translations"
    # What an earlier one has left would look like drafts that are there already.
    shutil.rmtree(copy.root, ignore_errors=True)
    (copy.root / "upstream").mkdir(parents=True)
    shutil.copy(root / "pyproject.toml", copy.root)
    shutil.copytree(run.paths.docs, copy.docs)
    shutil.copy(run.paths.lock, copy.lock)
    # The memory would bring back what is to be drafted.
    without = shutil.ignore_patterns("memory")
    shutil.copytree(root / translations, copy.root / translations, ignore=without)
    for locale in run.locales:
        folder = copy.catalogs(locale)
        for path in list(folder.rglob("*.po")):
            page = path.relative_to(folder).as_posix().removesuffix(".po")
            if run.asks_for(page):
                path.unlink()
