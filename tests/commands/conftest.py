"""What the tests of several commands share."""

from __future__ import annotations

from pathlib import Path

import pytest
from branch_project import Clone


@pytest.fixture
def work(begun: Clone, tmp_path: Path) -> Clone:
    """A project whose ``main`` has one page translated."""
    return begun.copy(tmp_path / "project")
