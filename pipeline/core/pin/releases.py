"""Which of upstream's releases to move to: the newest whose JAX can be installed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pipeline.core.pin.requirement import RELEASE_REF

LATEST = "latest"  # what `upgrade` takes in place of a release: the newest one
_FINAL = re.compile(
    r"(\d+(?:\.\d+)+)(?:\.post(\d+))?"
)  # no alpha, beta, release candidate or development version


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The JAX version to move to, and the releases above it that cannot be installed (yet), newest first."""

    jax: str
    waiting: tuple[str, ...] = ()


def newest_release(
    tags: Iterable[str], installable: Collection[str], *, jax: str, template: str = RELEASE_REF
) -> Newest:
    """The newest release among ``tags`` whose JAX is ``installable``; never one below ``jax``, the version that is pinned.

    ``template`` says how releases are tagged, with ``{jax}`` for the version. Pre-releases and other tags do not count.
    """
    pinned = _order(jax)
    released = {
        version: order
        for version in _versions(tags, template)
        if (order := _order(version)) and (not pinned or order > pinned)
    }
    newest = sorted(released, key=lambda version: released[version], reverse=True)
    chosen = next((version for version in newest if version in installable), None)
    waiting = newest if chosen is None else newest[: newest.index(chosen)]
    return Newest(jax=chosen or jax, waiting=tuple(waiting))


def _versions(tags: Iterable[str], template: str) -> Iterable[str]:
    before, _, after = template.partition("{jax}")
    found = (re.fullmatch(f"{re.escape(before)}(.+){re.escape(after)}", tag) for tag in tags)
    return (match[1] for match in found if match)


def _order(version: str) -> tuple[tuple[int, ...], int] | None:
    """What final versions are sorted by, as pip sorts them; None for other texts. ``1.0`` and ``1.0.0`` are one."""
    match = _FINAL.fullmatch(version)
    if not match:
        return None
    numbers = [int(number) for number in match[1].split(".")]
    while numbers[-1:] == [0]:
        numbers.pop()
    return tuple(numbers), int(match[2] or -1)
