"""What the pipeline says of the site and of each page: files below ``_jz`` beside the sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

FOLDER = "_jz"


def read_record(env: BuildEnvironment) -> dict[str, Any]:
    """The record of the page that is being read; empty for pages that the pipeline knows nothing of."""
    path = Path(env.srcdir, FOLDER, "pages", f"{env.docname}.json")
    if not path.is_file():
        return {}
    env.note_dependency(str(path))
    record: dict[str, Any] = json.loads(path.read_bytes())
    return record


def read_facts(app: Sphinx, name: str) -> Any:
    """What the pipeline says of the whole site, at ``name``."""
    return json.loads(Path(app.srcdir, FOLDER, f"{name}.json").read_bytes())
