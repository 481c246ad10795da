"""A table of the configuration, read value by value.

In goes what TOML has, out come values of the kind that was asked for. Every complaint names the
file and the key.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.config.suggesting import did_you_mean
from pipeline.errors import ConfigError

_MOST = 1_000_000_000  # of any number: seconds, MiB, processes


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The table called ``name`` (``tool.pipeline.execution``) in the file ``where``.

    A key that is missing has its default. All readers raise ConfigError.
    """

    where: str
    name: str
    values: Mapping[str, Any]

    def allow(self, *known: str) -> None:
        """Raise ConfigError for the first key that is none of ``known``."""
        # A key that is misspelt and passed over would look as if it held.
        for key in self.values:
            if key not in known:
                raise self.error(
                    f"unknown key {key!r} in [{self.name}]",
                    hint=f"{did_you_mean(key, known)}Known keys: {', '.join(known)}.",
                )

    def string(self, key: str, *, default: str = "") -> str:
        """A string."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "a string", value)
        return value

    def strings(self, key: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of strings, as a tuple: records are frozen."""
        value = self.values.get(key, list(default))
        # One string would pass for a list of its letters.
        if not isinstance(value, list) or not all(
            isinstance(item, str) for item in value
        ):
            raise self.wrong(key, "a list of strings", value)
        return tuple(value)

    def integer(self, key: str, *, default: int, least: int) -> int:
        """A whole number of at least ``least``, and not so large that no clock could count it."""
        value = self.values.get(key, default)
        # "isinstance" would take TOML's true for 1.
        if type(value) is not int or value < least:
            raise self.wrong(key, f"a whole number of at least {least}", value)
        if value > _MOST:
            raise self.wrong(key, f"at most {_MOST}", value)
        return value

    def number(self, key: str) -> float | None:
        """A number that is not negative, nor larger than any can be; None if there is none."""
        value = self.values.get(key)
        if value is None:
            return None
        # TOML has inf and nan as well, and true is no number.
        is_number = type(value) in (int, float) and 0 <= value < math.inf
        if not is_number:
            raise self.wrong(key, "a number of at least 0", value)
        if value > _MOST:
            raise self.wrong(key, f"at most {_MOST}", value)
        return float(value)

    def boolean(self, key: str) -> bool:
        """``true`` or ``false``, which is the default."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false", value)
        return value

    def table(self, key: str) -> Table:
        """A table within this one; an empty one if there is none."""
        # So that all keys of a table that is left out have their defaults.
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "a table", value)
        return Table(where=self.where, name=f"{self.name}.{key}", values=value)

    def tables(self, key: str) -> tuple[Table, ...]:
        """An array of tables: ``[[name.key]]``.

        Each has the name of the array: TOML gives them none of their own.
        """
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(
            isinstance(item, dict) for item in value
        ):
            raise self.wrong(key, "an array of tables", value)
        name = f"{self.name}.{key}"
        return tuple(Table(where=self.where, name=name, values=item) for item in value)

    def wrong(self, key: str, wanted: str, got: object) -> ConfigError:
        """What to raise for a value of another kind than ``wanted``."""
        return self.error(
            f"{self.name}.{key} must be {wanted}, not {_shown(got)}",
            hint="Mend the value and run again.",
        )

    def error(self, what: str, *, hint: str) -> ConfigError:
        """What to raise for anything else."""
        return ConfigError(what, where=self.where, hint=hint)


def _shown(value: object) -> str:
    """A value as a complaint shows it, which may be nested or long without end."""
    try:
        return reprlib.repr(value)
    except ValueError:  # a number of thousands of digits
        return "that number"
