"""Which of upstream's releases to move to: the newest whose package can be installed.

Tags come in as upstream has them, and versions as the package index has them. Only final releases
count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pipeline.core.pin.requirement import PLACEHOLDER

LATEST = "latest"  # what `upgrade` takes in place of a release: the newest one
# No alpha, beta, release candidate or development version.
_FINAL = re.compile(r"(\d+(?:\.\d+)+)(?:\.post(\d+))?")

# What final versions are sorted by: the numbers, and that of the post-release.
_Order = tuple[tuple[int, ...], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The version to move to, and the releases above it that cannot be installed yet.

    Those come newest first.
    """

    version: str
    waiting: tuple[str, ...] = ()


def newest_release(
    tags: Iterable[str],
    installable: Collection[str] | None,
    *,
    version: str,
    template: str,
) -> Newest:
    """The newest release among ``tags`` whose package is ``installable``.

    Without an ``installable`` every one is. It is never one below ``version``, the version that is
    pinned. ``template`` says how releases are tagged, with ``{version}`` in it.
    Pre-releases and other tags do not count.
    """
    pinned = _order(version)
    orders: dict[str, _Order] = {}
    for tagged in _versions(tags, template):
        order = _order(tagged)
        # A development version that is pinned is below any release.
        if order and (pinned is None or order > pinned):
            orders[tagged] = order
    waiting: list[str] = []
    for found in sorted(orders, key=lambda found: orders[found], reverse=True):
        if installable is None or found in installable:
            return Newest(version=found, waiting=tuple(waiting))
        waiting.append(found)
    return Newest(version=version, waiting=tuple(waiting))


def _versions(tags: Iterable[str], template: str) -> list[str]:
    """The versions that ``tags`` name: "jax-v0.10.2" → "0.10.2"."""
    before, _, after = template.partition(PLACEHOLDER)
    release = re.compile(f"{re.escape(before)}(.+){re.escape(after)}")
    matches = map(release.fullmatch, tags)
    return [match[1] for match in matches if match]


def _order(version: str) -> _Order | None:
    """What a final version is sorted by, as pip sorts it; None for other texts.

    ``1.0`` and ``1.0.0`` are one version: ``((1,), -1)``. ``0.10.2.post1`` is
    ``((0, 10, 2), 1)``, and ``0.10.2rc1`` none.
    """
    match = _FINAL.fullmatch(version)
    if not match:
        return None
    numbers = [int(number) for number in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    post = int(match[2]) if match[2] else -1  # 1.0 is below 1.0.post0
    return tuple(numbers), post
