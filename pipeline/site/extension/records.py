"""What the pipeline says of the site and of each page: files below ``_jz`` beside the sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.names import RECORDS

_READ = "jz_record"  # of the page that is being read


def read_record(env: BuildEnvironment) -> dict[str, Any]:
    """The record of the page that is being read.

    Empty for pages that the pipeline knows nothing of.
    """
    path = Path(env.srcdir, RECORDS, "pages", f"{env.docname}.json")
    if not path.is_file():
        return {}
    # Several parts of us ask for it while a page is read; then Sphinx forgets it.
    key = f"{_READ} {env.docname}"
    record: dict[str, Any] | None = env.temp_data.get(key)
    if record is None:
        record = env.temp_data[key] = json.loads(path.read_bytes())
        # Sphinx reads the page again when its record changes, even if its document does not.
        env.note_dependency(str(path))
    return record


def read_facts(app: Sphinx, name: str) -> Any:
    """What the pipeline says of the whole site, at ``name``."""
    return json.loads(Path(app.srcdir, RECORDS, f"{name}.json").read_bytes())
