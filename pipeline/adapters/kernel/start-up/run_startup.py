"""Runner of a page's start-up files in its kernel, before IPython accepts the first cell.

``sandbox`` makes IPython call ``run_all``. If a start-up file fails, IPython alone would print the
error and run the page without that file, although the page's cache key includes the file. Instead,
``run_all`` writes the error to another file and ends the kernel.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from pathlib import Path


def run_all(files: list[tuple[str, str]], failure: str) -> None:
    """Run ``files`` in order; if one fails, write its error to ``failure`` and exit.

    Each file is given by its name for messages and its path.
    """
    _import_helper()
    for name, path in files:
        try:
            # run_path leaves no names in the page's namespace.
            runpy.run_path(path)
        except BaseException as error:  # noqa: BLE001 - also SystemExit: the page must not run
            text = json.dumps(_told(name, path, error))
            Path(failure).write_text(text, encoding="utf-8")
            os._exit(1)


def _import_helper() -> None:
    """Make ``pipeline_startup`` importable for start-up code, but no other module from here."""
    here = str(Path(__file__).parent)
    sys.path.insert(0, here)
    import pipeline_startup  # noqa: F401

    sys.path.remove(here)


def _told(name: str, path: str, error: BaseException) -> dict[str, str]:
    """Return the error as fields of a ``Stop``."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == path]
    place = f"{name}, line {lines[-1]}" if lines else name
    return {
        "exception": type(error).__name__,
        "message": f"in the start-up file {place}: {error}",
        "traceback": "".join(traceback.format_exception(error)),
    }
