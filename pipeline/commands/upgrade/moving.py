"""The pin that is to be moved: which release, and the configuration as it will be.

In goes the text of ``pyproject.toml``, out comes the same text with another pin: every other byte
stays. It is written at the very end of an upgrade.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.core.pin.releases import Newest, newest_release
from pipeline.core.pin.requirement import Pin, choose_pin, move_pin, read_pin
from pipeline.errors import ConfigError


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


def plan_move(
    config: Path, target: str, *, upstream: str, jax: str, told: str | None
) -> Move:
    """What moving the pin from JAX ``jax`` to ``target`` does to the configuration.

    ``told`` is the JAX version that goes with a target that is no release. Raises ConfigError.
    """
    # Its bytes are kept: by them it is told later whether somebody has changed it.
    data = read_bytes(config)
    text = data.decode("utf-8")
    now = read_pin(text, upstream=upstream, jax=jax)
    pin = choose_pin(target, told=told, now=now)
    moved = move_pin(text, pin, upstream=upstream, where=str(config)).encode("utf-8")
    return Move(config=config, pin=pin, before=data, after=moved)


def newest(config: Path, *, upstream: str, jax: str, tags: Collection[str]) -> Newest:
    """The newest release among ``tags`` that pip can install both jax and jaxlib of.

    Raises UpstreamError and ConfigError.
    """
    from pipeline.adapters.upstream.package_index import released_versions

    now = read_pin(read_bytes(config).decode("utf-8"), upstream=upstream, jax=jax)
    # jaxlib comes out some time after jax, or not at all for this platform.
    installable = set(released_versions("jax")) & set(released_versions("jaxlib"))
    return newest_release(tags, installable, jax=jax, template=now.release_template)
