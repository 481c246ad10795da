"""Folder and environment of a kernel, in which nothing of ours is.

matplotlib's list of fonts is made once for all pages of a run: making it takes long, and matplotlib
announces that among the outputs of a page.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pipeline.adapters.files import remove_tree
from pipeline.adapters.kernel.interpreter import ENVIRONMENT
from pipeline.adapters.kernel.job import Startup, Stop

LAUNCH = Path(__file__).with_name("launch.py")
# Its name is no name of a package: what is in it runs in kernels, and imports nothing of ours.
STARTUP = Path(__file__).with_name("start-up")
RUN_STARTUP = STARTUP / "run_startup.py"
FAILURE = "startup.json"  # where start-up code that fails says so, in the page's folder
PAGES = (".ipynb", ".md", ".rst")

# Variables of ours that a kernel gets too: none of them can hold a secret.
KEPT = re.compile(r"PATH|LANG|LANGUAGE|LC_\w+|TZ|LD_LIBRARY_PATH|SYSTEMROOT")
# How many threads libraries compute with. XLA goes by the first.
THREADS = ("NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# The shortest limit of a socket's path is macOS's, 104 bytes; below a run's folder there is
# "/p-12345678/k-5".
SOCKET_LIMIT = 104 - len("/p-12345678/k-5") - 1
_FOLDER = "fonts"
_SECONDS = 120  # that making the list may take; without it a page makes its own


def scratch_parent() -> str:
    """Return the folder for the folder of a run.

    It is that for temporary files, unless sockets in it would have names that are too long.
    """
    folder = tempfile.gettempdir()
    is_short = len(os.fsencode(folder)) + len("/nb-12345678") <= SOCKET_LIMIT
    if is_short or os.name != "posix":
        return folder
    return "/tmp"  # noqa: S108 - folders in it are made by tempfile


def furnish(folder: Path, data: Path, startup: Sequence[Startup]) -> None:
    """Fill a page's ``folder``.

    It gets a copy of the ``data`` beside the page, an empty home, and the code that runs first.
    """
    copy_data(data, folder / "page")
    for name in ("home", "tmp", "matplotlib"):
        (folder / name).mkdir(mode=0o700)
    # IPython makes the folders of a profile that is not there, and fills them.
    profile = folder / "ipython" / "profile_default" / "startup"
    profile.mkdir(parents=True)
    if startup:
        _put_startup(folder, startup, profile)


def _put_startup(folder: Path, startup: Sequence[Startup], profile: Path) -> None:
    """Have IPython, which runs what lies in ``profile``, run the start-up code in ``folder``."""
    target = folder / "startup"
    target.mkdir()
    placed = []
    for number, code in enumerate(startup):
        # Two may have one name. It is seen in tracebacks.
        path = target / f"{number:02}-{Path(code.name).name}"
        path.write_bytes(code.text.encode("utf-8"))
        placed.append((code.name, str(path)))
    failure = str(folder / FAILURE)
    # One expression: it leaves no name where the page's own names are.
    load = f"__import__('runpy').run_path({str(RUN_STARTUP)!r})"
    run = f"{load}['run_all']({placed!r}, {failure!r})\n"
    (profile / "run.py").write_text(run, "utf-8")


def startup_failure(folder: Path) -> Stop | None:
    """Return what stopped the start-up code of the kernel in ``folder``, if anything did."""
    try:
        told = json.loads((folder / FAILURE).read_text("utf-8"))
    except (OSError, ValueError):  # none, or a kernel that was killed while it wrote
        return None
    return Stop(cell=0, **told)


def copy_data(source: Path, target: Path) -> None:
    """Copy what may be beside a notebook for its code."""

    def left_out(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if is_left_out(Path(folder, name))]

    if source.is_dir():
        shutil.copytree(source, target, ignore=left_out)
    else:
        target.mkdir()


def is_left_out(path: Path) -> bool:
    """Return whether a file or folder beside a page is kept from its code.

    Left out are other pages, static files of the site, and links.
    """
    return (
        path.name.startswith(("_", "."))
        or path.name.endswith(PAGES)
        or path.is_symlink()
    )


def kernel_environment(
    folder: Path, *, threads: int, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the whole environment of a kernel in ``folder``; ``given`` overrides the rest.

    ``threads`` is how many it may compute with; 0: as many as it likes.
    """
    environment = {
        name: value for name, value in os.environ.items() if KEPT.fullmatch(name)
    }
    # What is installed beside this interpreter is found first, also where no PATH is set.
    programs = [str(Path(sys.executable).parent), environment.get("PATH", os.defpath)]
    environment["PATH"] = os.pathsep.join(filter(None, programs))
    if site.ENABLE_USER_SITE:
        # Packages there would go with HOME.
        environment["PYTHONUSERBASE"] = site.getuserbase()
    home = folder / "home"
    places = {
        "HOME": home,
        "TMPDIR": folder / "tmp",
        "IPYTHONDIR": folder / "ipython",
        "MPLCONFIGDIR": folder / "matplotlib",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_RUNTIME_DIR": folder / "tmp",
    }
    environment |= {name: str(place) for name, place in places.items()}
    if threads:
        environment |= dict.fromkeys(THREADS, str(threads))
    return environment | dict(given)


def kernel_command(*kernel: str, offline: bool) -> list[str]:
    """Return the command line that starts a kernel: the command ``kernel``, or this interpreter's.

    It has no network if it is to be ``offline`` and that can be.
    """
    mode = "offline" if offline and can_isolate_network() else "online"
    started = kernel or ("-f", "{connection_file}")
    # -P keeps the page's folder from shadowing modules.
    return [sys.executable, "-P", str(LAUNCH), mode, *started]


@functools.cache
def can_isolate_network() -> bool:
    """Return whether a kernel can be kept from the network here.

    It can on Linux, where that lets users make namespaces.
    """
    probe = [sys.executable, "-I", "-S", str(LAUNCH), "probe"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0


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
