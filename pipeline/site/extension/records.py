"""What the pipeline says of the site and of each page: files below ``_jz`` beside the sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.names import RECORDS


def read_record(env: BuildEnvironment) -> dict[str, Any]:
    """The record of the page that is being read.

    Empty for pages that the pipeline knows nothing of.
    """
    path = Path(env.srcdir, RECORDS, "pages", f"{env.docname}.json")
    if not path.is_file():
        return {}
    # Sphinx reads the page again when its record changes, even if its document does not.
    env.note_dependency(str(path))
    record: dict[str, Any] = json.loads(path.read_bytes())
    return record


def read_facts(app: Sphinx, name: str) -> Any:
    """What the pipeline says of the whole site, at ``name``."""
    return json.loads(Path(app.srcdir, RECORDS, f"{name}.json").read_bytes())
