"""``[tool.pipeline]`` in ``pyproject.toml``: its records, and how they are read."""

from pipeline.config.reading import REPOSITORY_VARIABLE, UPSTREAM_VARIABLE, read_settings
from pipeline.config.records import (
    MODES,
    Acknowledgement,
    ExecutionPolicy,
    IgnoreRule,
    RunRule,
    Settings,
    SitePolicy,
    SkipRule,
    Upstream,
    matches,
)

__all__ = [
    "MODES",
    "REPOSITORY_VARIABLE",
    "UPSTREAM_VARIABLE",
    "Acknowledgement",
    "ExecutionPolicy",
    "IgnoreRule",
    "RunRule",
    "Settings",
    "SitePolicy",
    "SkipRule",
    "Upstream",
    "matches",
    "read_settings",
]
