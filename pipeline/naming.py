"""How names are spelt where one thing has several spellings."""

from __future__ import annotations

import re


def group_of(package: str) -> str:
    """The name of a package's dependency group, spelt as indexes do: ``My_Docs`` → ``my-docs``."""
    return re.sub(r"[-_.]+", "-", package).lower()
