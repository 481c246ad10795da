"""The versions that dependency groups of ``pyproject.toml`` pin.

The group of a package has its name: ``flax = ["flax==0.12.0"]``. People and CI install the same
group, so that there is one pin and no other.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.errors import ConfigError
from pipeline.naming import exact_pin, group_of


@dataclass(frozen=True, slots=True)
class Pins:
    """``[dependency-groups]`` as TOML has it: any value, or None. ``where`` is its file."""

    groups: object
    where: str

    def get(self, package: str) -> str:
        """The version that the group of ``package`` pins it to. Raises ConfigError."""
        group = group_of(package)
        versions = self._versions(group)
        # What belongs to it moves with it: jax and jaxlib have one version.
        belonging = {name for name in versions if name.startswith(group)}
        found = {versions[name] for name in belonging}
        if group not in versions or len(found) != 1:
            raise ConfigError(
                f"the dependency group {group!r} must pin {group} to one version, "
                "and whatever begins with its name to the same",
                where=self.where,
                hint=f'For example: {group} = ["{group}==1.2.3"].',
            )
        return versions[group]

    def _versions(self, group: str) -> dict[str, str]:
        """What a group pins, by name: ``{"jax": "0.10.2", "jaxlib": "0.10.2"}``."""
        requirements = self.groups.get(group) if isinstance(self.groups, dict) else None
        versions: dict[str, str] = {}
        if isinstance(requirements, list):
            for requirement in requirements:
                # A group may also hold tables: {include-group = "base"}
                pin = exact_pin(str(requirement))
                if pin:
                    name, version = pin
                    versions[group_of(name)] = version
        return versions
