"""``[tool.pipeline]`` in ``pyproject.toml``.

``records`` is the configuration as everybody uses it. ``reading``, with modules for single
tables, makes it of ``tables``, which is TOML read with complaints. ``suggesting`` knows what
somebody may have meant.
"""

from pipeline.config.drafting import DraftPolicy
from pipeline.config.modes import COMING_ALONG, Mode
from pipeline.config.reading import (
    REPOSITORY_VARIABLE,
    read_settings,
    upstream_variable,
)
from pipeline.config.records import (
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
