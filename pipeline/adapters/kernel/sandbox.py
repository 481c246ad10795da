"""What a kernel gets: a folder of its own, and an environment in which nothing of ours is."""

from __future__ import annotations

import functools
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

LAUNCH = Path(__file__).with_name("launch.py")
STARTUP = Path(__file__).with_name("startup")
PAGES = (".ipynb", ".md", ".rst")
KEPT = re.compile(r"PATH|LANG|LANGUAGE|LC_\w+|TZ|LD_LIBRARY_PATH|SYSTEMROOT")
THREADS = (
    "NPROC",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)  # XLA goes by the first
# The shortest limit of a socket's path is macOS's, 104 bytes; below a run's folder there is "/p-12345678/k-5".
SOCKET_LIMIT = 104 - len("/p-12345678/k-5") - 1


def scratch_parent() -> str:
    """The folder for the folder of a run: that for temporary files, unless sockets in it would have names that are too long."""
    folder = tempfile.gettempdir()
    return (
        folder
        if len(os.fsencode(folder)) + len("/nb-12345678") <= SOCKET_LIMIT or os.name != "posix"
        else "/tmp"
    )  # noqa: S108


def new_folder(scratch: Path) -> tempfile.TemporaryDirectory[str]:
    """A page's own folder in ``scratch``; what it contains goes with it, whatever its permissions."""
    return tempfile.TemporaryDirectory(prefix="p-", dir=scratch, ignore_cleanup_errors=True)


def furnish(folder: Path, data: Path, startup: tuple[str, ...]) -> None:
    """Fill a page's ``folder``: a copy of the ``data`` beside the page, an empty home, the files that run first."""
    copy_data(data, folder / "page")
    for name in ("home", "tmp", "matplotlib"):
        (folder / name).mkdir(mode=0o700)
    target = folder / "ipython" / "profile_default" / "startup"
    target.mkdir(parents=True)
    for number, name in enumerate(startup):
        file = (STARTUP / f"{name}.py").resolve(strict=True)
        run = (
            f"__import__('runpy').run_path({str(file)!r})\n"  # leaves no name where the page's are
        )
        (target / f"{number:02}-{name}.py").write_text(run, "utf-8")


def copy_data(source: Path, target: Path) -> None:
    """Copy what may be beside a notebook for its code."""

    def left_out(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if is_left_out(Path(folder, name))]

    if source.is_dir():
        shutil.copytree(source, target, ignore=left_out)
    else:
        target.mkdir()


def is_left_out(path: Path) -> bool:
    """Whether a file or folder beside a page is kept from its code: other pages, static files of the site, links."""
    return path.name.startswith(("_", ".")) or path.name.endswith(PAGES) or path.is_symlink()


def variables(folder: Path, *, threads: int, given: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a kernel that lives in ``folder``; ``given`` has the last word. ``threads`` 0: as many as it likes."""
    kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    kept["PATH"] = os.pathsep.join(
        filter(None, [str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    )
    if site.ENABLE_USER_SITE:
        kept["PYTHONUSERBASE"] = site.getuserbase()  # packages there would go with HOME
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
    caps = dict.fromkeys(THREADS, str(threads)) if threads else {}
    return kept | {name: str(place) for name, place in places.items()} | caps | dict(given)


def command(*kernel: str, offline: bool) -> list[str]:
    """The command line that starts a kernel: the command ``kernel``, or the interpreter of this process; ``offline`` where that can be."""
    mode = "offline" if offline and can_isolate_network() else "online"
    # -P keeps the page's folder from shadowing modules.
    return [sys.executable, "-P", str(LAUNCH), mode, *(kernel or ("-f", "{connection_file}"))]


@functools.cache
def can_isolate_network() -> bool:
    """Whether a kernel can be kept from the network here: Linux, where it lets users make namespaces."""
    return (
        subprocess.run(
            [sys.executable, "-I", "-S", str(LAUNCH), "probe"], check=False, capture_output=True
        ).returncode
        == 0
    )
