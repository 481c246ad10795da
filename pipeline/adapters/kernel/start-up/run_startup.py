"""Runs the start-up files of a page in its kernel, before IPython is ready for the first cell.

``sandbox`` has IPython call ``run_all``. IPython would tell of an error here and go on: a
page would run in another way than its key says. So the error is left in a file, and the kernel
ends.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from pathlib import Path


def run_all(files: list[tuple[str, str]], failure: str) -> None:
    """Run ``files`` in their order, up to one that fails, whose error is left in ``failure``.

    Of each file there is what people call it, and where it lies.
    """
    _import_helper()
    for name, path in files:
        try:
            # It leaves no name where the page's own names are.
            runpy.run_path(path)
        except BaseException as error:  # noqa: BLE001 - also SystemExit: the page must not run
            text = json.dumps(_told(name, path, error))
            Path(failure).write_text(text, encoding="utf-8")
            os._exit(1)


def _import_helper() -> None:
    """Have ``pipeline_startup`` imported: start-up code finds it, and nothing else that is here."""
    here = str(Path(__file__).parent)
    sys.path.insert(0, here)
    import pipeline_startup  # noqa: F401

    sys.path.remove(here)


def _told(name: str, path: str, error: BaseException) -> dict[str, str]:
    """Return what there is to say of an error: the fields of a ``Stop``."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == path]
    place = f"{name}, line {lines[-1]}" if lines else name
    return {
        "exception": type(error).__name__,
        "message": f"in the start-up file {place}: {error}",
        "traceback": "".join(traceback.format_exception(error)),
    }
