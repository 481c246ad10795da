"""Helpers of the tour: lines, and how far they are from points."""

from __future__ import annotations


def height(slope: float, start: float, place: float) -> float:
    """Return the height of a line at a place.

    The line rises by ``slope`` with each step to the right, see :class:`tour.Line`.

    Args:
      slope: how steep the line is. A negative slope leads down.
      start: the height of the line at the place ``0``.
      place: the place, counted in steps to the right.

    Returns:
      the height, which may be negative

    Example:
      >>> height(2.0, 1.0, 3.0)
      7.0
    """
    return slope * place + start


level = height


class Line:
    """A straight line that never changes.

    How a line looks depends on its slope:

    =======  ==================
    Slope    What the line does
    =======  ==================
    ``1``    it rises
    ``0``    it stays level
    ``-1``   it falls
    =======  ==================

    Args:
      slope: how steep the line is
      start: the height of the line at the place ``0``
    """

    def __init__(self, slope: float, start: float = 0.0) -> None:
        self.slope = slope
        self.start = start

    def at(self, place: float) -> float:
        """Return the height of this line at a place, as :func:`tour.height` does."""
        return height(self.slope, self.start, place)

    def moved(self, by: float) -> Line:
        """Return a new line that lies higher.

        Raises:
          ValueError: if ``by`` is negative
        """
        if by < 0:
            raise ValueError(by)
        return Line(self.slope, self.start + by)
