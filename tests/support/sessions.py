"""Sessions of ``noxfile.py``, as functions by their names."""

from __future__ import annotations

import runpy

import nox.registry
from places import ROOT

runpy.run_path(str(ROOT / "noxfile.py"))
SESSIONS = nox.registry.get()
