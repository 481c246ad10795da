"""Compilation of the modules that a page imports, before its kernel starts.

Python stores compiled modules (bytecode) beside the installed packages. A kernel cannot do that,
because a page must not change packages. Each kernel would compile its imports again, which takes
seconds for JAX. So before a page runs, another process imports the same modules, unless they are
compiled already. That process can write only to the folders of installed packages and to a
temporary folder.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from contextlib import suppress
from importlib.util import cache_from_source, find_spec
from pathlib import Path

from pipeline.adapters.kernel.sandbox import kernel_command, run_beside

KERNEL = "ipykernel.kernelapp"  # module that every kernel imports
# An import in the JSON of a notebook. The pattern also matches prose ("import data"). This does no
# harm: either there is no such module, or the module is compiled without need.
_IMPORTED = re.compile(r"\b(?:import|from) +([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_IMPORT = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except BaseException:
        pass
"""


def compile_imports(notebook: str, folder: Path) -> None:
    """Compile the modules that ``notebook`` (JSON) imports; ``folder`` is the folder of its run."""
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
    run_beside(command, own, JPY_PARENT_PID=str(os.getpid()))


def _is_compiled(name: str) -> bool:
    """Return whether there is nothing to do for a module.

    Such a module has no source, is compiled already, or is in a read-only folder.
    """
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
