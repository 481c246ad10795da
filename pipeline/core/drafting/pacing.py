"""When a request that has failed is sent again: later each time, and not all at once."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_WAIT = 900.0  # seconds; an endpoint that asks for more is done for today


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How long to wait, in seconds: twice as long each time, up to ``most``."""

    first: float = 1.0
    most: float = 60.0

    def wait(self, tries: int, *, asked: float, chance: float) -> float:
        """Seconds before the next try, after ``tries`` that failed.

        ``asked`` is what the endpoint wants at least. ``chance``, from 0 to 1, tells requests apart
        that have failed at the same time.
        """
        # The exponent is bounded: a float is not.
        longest = min(self.most, self.first * 2.0 ** min(tries - 1, 16))
        return max(asked, longest * (0.5 + chance / 2))
