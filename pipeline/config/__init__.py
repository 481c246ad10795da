"""Configuration: ``[tool.pipeline]`` in ``pyproject.toml``.

``settings`` declares a record for each table, with its fields. ``schema`` converts TOML to these
records and explains errors. ``reader`` adds values from other places (pinned versions, environment
variables, locks), and returns the ``Settings`` that all commands use.
"""

from pipeline.config.reader import (
    REPOSITORY_VARIABLE,
    read_settings,
    release_beside,
    upstream_variable,
)
from pipeline.config.settings import (
    BUILT_IN_MODES,
    Acknowledgement,
    DraftPolicy,
    ExecutionPolicy,
    IgnoreRule,
    Mode,
    RunRule,
    Settings,
    SitePolicy,
    SkipRule,
    Upstream,
    matches,
)

__all__ = [
    "BUILT_IN_MODES",
    "REPOSITORY_VARIABLE",
    "Acknowledgement",
    "DraftPolicy",
    "ExecutionPolicy",
    "IgnoreRule",
    "Mode",
    "RunRule",
    "Settings",
    "SitePolicy",
    "SkipRule",
    "Upstream",
    "matches",
    "read_settings",
    "release_beside",
    "upstream_variable",
]
