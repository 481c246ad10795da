"""The pin that is to be moved: which release, and the configuration as it will be.

In goes the text of ``pyproject.toml``, out comes the same text with another pin: every other byte
stays. It is written at the very end of an upgrade.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.core.pin.requirement import (
    Newest,
    Pin,
    choose_pin,
    move_pin,
    newest_release,
    pinned_names,
    read_pin,
)
from pipeline.errors import ConfigError
from pipeline.packages import how_to_run
from pipeline.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A pin that is to be moved, and the configuration as it will be. Nothing is written yet."""

    config: Path
    pin: Pin
    before: bytes
    after: bytes

    @property
    def is_change(self) -> bool:
        """Whether the configuration is to be written at all."""
        return self.before != self.after

    def write(self) -> None:
        """Write the configuration, if it changes.

        Raises ConfigError if somebody else has changed it meanwhile, and WriteError.
        """
        # An upgrade takes minutes, in which people go on working.
        if read_bytes(self.config) != self.before:
            raise ConfigError(
                "changed while the upgrade ran",
                where=str(self.config),
                hint="Run the same command again.",
            )
        # Resolved: a link stays one.
        write_if_changed(self.config.resolve(), self.after)


def plan_move(config: Path, target: str, *, run: Run, told: str | None) -> Move:
    """What moving the pin of ``run`` to ``target`` does to the configuration.

    ``told`` is the version that goes with a target that is no release. Raises ConfigError.
    """
    if told is None and target in run.settings.upstreams:
        raise ConfigError(
            f"{target!r} is the name of an upstream, and a REF is missing before it",
            hint=f"For example: {how_to_run('upgrade', 'latest', target)}",
        )
    # Its bytes are kept: by them it is told later whether somebody has changed it.
    data = read_bytes(config)
    text = data.decode("utf-8")
    now = read_pin(text, upstream=run.name, version=run.version, package=run.package)
    pin = choose_pin(target, told=told, now=now)
    moved = move_pin(text, pin, upstream=run.name, where=str(config)).encode("utf-8")
    return Move(config=config, pin=pin, before=data, after=moved)


def newest(config: Path, *, run: Run, tags: Collection[str]) -> Newest:
    """The newest release among ``tags`` that pip can install all of: both jax and jaxlib.

    Raises UpstreamError and ConfigError.
    """
    from pipeline.adapters.upstream.package_index import released_versions

    text = read_bytes(config).decode("utf-8")
    now = read_pin(text, upstream=run.name, version=run.version, package=run.package)
    template = now.release_template
    names = pinned_names(text, run.package)
    if not names:
        return newest_release(tags, None, version=run.version, template=template)
    # jaxlib comes out some time after jax, or not at all for this platform.
    installable = set.intersection(*(set(released_versions(name)) for name in names))
    return newest_release(tags, installable, version=run.version, template=template)


def python_fault(config: Path, run: Run, version: str) -> str:
    """Why this Python cannot install ``version`` of the package; empty if nothing is known of it.

    ``jax 0.11.0 needs Python 3.12 or later; this is 3.11.7``. Raises UpstreamError and ConfigError.
    """
    from pipeline.adapters.upstream import package_index

    names = pinned_names(read_bytes(config).decode("utf-8"), run.package)
    # What goes with the package is not asked for: pip may download all of it for an answer.
    return package_index.python_fault(names[0], version) if names else ""
