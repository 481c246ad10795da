"""``[tool.pipeline]`` in ``pyproject.toml``.

``settings`` says what each table may hold. ``schema`` has the kinds of values, turns TOML into
records, or complains. ``reader`` completes them to the configuration that everybody uses.
"""

from pipeline.config.reader import (
    REPOSITORY_VARIABLE,
    read_settings,
    upstream_variable,
)
from pipeline.config.settings import (
    COMING_ALONG,
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
    "COMING_ALONG",
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
    "upstream_variable",
]
