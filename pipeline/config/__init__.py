"""``[tool.pipeline]`` in ``pyproject.toml``.

``records`` says what each table may hold, with the ``kinds`` of its values. ``tables`` turns TOML
into records, or complains, and ``reading`` completes them to the configuration that everybody uses.
``suggesting`` knows what somebody may have meant.
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
