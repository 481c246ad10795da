"""Paths of the project and of its tests."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
UPSTREAM_VARIABLE = "JAX_DOCS_UPSTREAM"  # where a copy of the JAX docs is
