"""The API reference: what its docstrings cost, from the pull to the site, guides included.

Everything is measured on the project itself: its configuration, its memory, and the docs that it
pulls. Nobody else does the same work, so there is nothing beside it; each scene has its goal.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import workshop
from bench.measure import Limit, Scene
from bench.scenes import Subject, skipped
from bench.workshop import LOCALE, PROJECT, Root

REFERENCE = "reference"
OURS = "ours"
_RECORD = "_api/reference.json"
_PAGE = "_api/_autosummary/jax.lax.scan.po"


def reference_scenes(folder: Path, subject: Subject) -> Iterator[Scene]:
    """Pull, first update and merge, sync without a change, the site, and one changed docstring."""
    if subject.is_sample:
        yield skipped(REFERENCE, "The API reference", OURS)
        return
    root = Root.real(folder)
    shutil.copytree(PROJECT / "translations" / "memory", folder / "translations/memory")
    shutil.copytree(PROJECT / "upstream" / "startup", folder / "upstream" / "startup")
    root.run("pull")
    catalog = root.catalogs / _PAGE

    def scene(
        title: str,
        verb: str,
        *options: str,
        prepare: workshop.Prepare = lambda _: None,
        cpu: float = 0.0,
        rounds: int = 1,
    ) -> Scene:
        return Scene(
            name=f"{REFERENCE}, {verb}",
            title=title,
            contenders=(root.contender(OURS, verb, *options, prepare=prepare),),
            limits=(Limit(contender=OURS, cpu=cpu),),
            rounds=rounds,
        )

    yield scene(
        "Pull the docstrings",
        "pull",
        prepare=lambda _: workshop.remove(root.docs / _RECORD),
    )
    yield scene(
        "Split, open the memory, and merge: guides and reference",
        "merge",
        prepare=partial(_forget_built, root),
    )
    root.run("sync", "--no-execute")
    yield scene("Sync without a change", "sync", "--no-execute", cpu=0.8, rounds=3)
    yield scene(
        "The site, in full",
        "site",
        "--no-execute",
        prepare=lambda _: workshop.remove(folder / "build" / "site"),
        cpu=60,
    )
    yield scene(
        "The site after one changed docstring",
        "site",
        "--no-execute",
        prepare=partial(workshop.change_translation, catalog),
        cpu=3.5,
        rounds=3,
    )


def _forget_built(root: Root, number: int) -> None:
    made = (f"translations/{LOCALE}", f"build/{LOCALE}", "build/splits")
    workshop.remove_all(root.path / name for name in made)
