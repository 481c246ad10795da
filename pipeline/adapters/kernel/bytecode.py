"""Compiled modules for kernels, which may not write them: a page must not change its packages.

Without them, each kernel would compile what it imports anew, which takes seconds for JAX. So before
a page runs, a process that may write nothing but the installed packages imports the same modules,
unless they are compiled already.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from contextlib import suppress
from importlib.util import cache_from_source, find_spec
from pathlib import Path

from pipeline.adapters.kernel.interpreter import ENVIRONMENT
from pipeline.adapters.kernel.sandbox import kernel_command, kernel_environment

KERNEL = "ipykernel.kernelapp"  # what each kernel imports
# In the JSON of a notebook. Words of prose that look alike are no modules, or compiled in vain.
_IMPORTED = re.compile(r"\b(?:import|from) +([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_IMPORT = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except BaseException:
        pass
"""
_SECONDS = 120  # time limit; modules that are left are compiled by each page for itself


def compile_imports(notebook: str, folder: Path) -> None:
    """Compile the modules that ``notebook`` (JSON) imports; ``folder`` is its page's own."""
    names = {KERNEL, *_IMPORTED.findall(notebook)}
    missing = sorted(name for name in names if not _is_compiled(name))
    if not missing:
        return
    own = folder / "imports"
    own.mkdir()
    packages = {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}
    command = kernel_command(
        *(sys.executable, "-P", "-c", _IMPORT, *missing),
        offline=True,
        limit="",
        folders=[own, *packages],
    )
    given = {**ENVIRONMENT, "JPY_PARENT_PID": str(os.getpid())}
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command,
            env=kernel_environment(own, threads=1, given=given),
            cwd=own,
            check=False,
            capture_output=True,
            timeout=_SECONDS,
        )


def _is_compiled(name: str) -> bool:
    """Return whether the module needs no compilation, or cannot be compiled for others."""
    source = _source(name)
    if source is None or Path(cache_from_source(str(source))).exists():
        return True
    return not os.access(source.parent, os.W_OK)


def _source(name: str) -> Path | None:
    """Return the Python source of a module, without importing anything; None if it has none."""
    top, *rest = name.split(".")
    spec = None
    with suppress(ImportError, ValueError):
        spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    source = Path(spec.origin)
    for part in rest:
        inner = source.with_name(part)
        source = inner / "__init__.py" if inner.is_dir() else inner.with_suffix(".py")
    return source if source.suffix == ".py" and source.is_file() else None
