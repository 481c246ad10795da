"""matplotlib's list of fonts, made once for all pages of a run.

Making it takes long, and matplotlib announces that among the outputs of the page.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from pipeline.adapters.files import remove_tree
from pipeline.adapters.kernel.interpreter import ENVIRONMENT
from pipeline.adapters.kernel.sandbox import kernel_environment

_FOLDER = "fonts"
_SECONDS = 120  # that making the list may take; without it a page makes its own


def lend_fonts(target: Path, *, scratch: Path) -> None:
    """Copy the list from ``scratch`` to ``target``, a page's folder for matplotlib.

    The first page that asks for the list makes it.
    """
    fonts = scratch / _FOLDER
    if not fonts.exists():
        making = scratch / f"{_FOLDER}-{os.getpid()}"
        making.mkdir(exist_ok=True)
        _make(making)
        with suppress(OSError):
            making.rename(fonts)  # another worker may have been faster
    for file in fonts.glob("fontlist-*.json"):
        (target / file.name).write_bytes(file.read_bytes())


def remove_fonts(scratch: Path) -> None:
    """Remove the list from ``scratch``, also one that is only half made."""
    for folder in scratch.glob(f"{_FOLDER}*"):
        with suppress(OSError):
            remove_tree(folder)


def _make(folder: Path) -> None:
    given = {**ENVIRONMENT, "MPLCONFIGDIR": str(folder), "HOME": str(folder)}
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, "-P", "-c", "import matplotlib.font_manager"],
            env=kernel_environment(folder, threads=1, given=given),
            cwd=folder,
            check=False,
            capture_output=True,
            timeout=_SECONDS,
        )
