"""Sandbox of a kernel: a folder and environment variables of its own.

If a system cannot keep a page from changing files of the project, ``ProjectChanges`` finds the
changed files. After each cell, it compares times and sizes, because digests would take too long.
Only files directly in the project and below ``translations/`` and ``upstream/`` are watched. Files
in ``build/`` are not watched, because the pipeline itself writes to it meanwhile.

matplotlib's list of fonts is created once for all pages of a run. Otherwise each page would create
the list, and the page's outputs would contain matplotlib's message about the new list.
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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pipeline.adapters.files import remove_tree
from pipeline.adapters.kernel.interpreter import ENVIRONMENT
from pipeline.adapters.kernel.job import Startup, Stop
from pipeline.adapters.kernel.launch import CONFINES_WRITES, landlock_version
from pipeline.errors import check_limit
from pipeline.limits import DATA_BYTES, DATA_FILES

LAUNCH = Path(__file__).with_name("launch.py")
# The files of this folder run in kernels, and import no module of this project. The hyphen in the
# folder's name keeps it from being a package.
STARTUP = Path(__file__).with_name("start-up")
RUN_STARTUP = STARTUP / "run_startup.py"
FAILURE = "startup.json"  # file in the page's folder for the error of start-up code
PAGES = (".ipynb", ".md", ".rst")

# Variables that a kernel inherits: none of them can contain a secret.
KEPT = re.compile(r"PATH|LANG|LANGUAGE|LC_\w+|TZ|LD_LIBRARY_PATH|SYSTEMROOT")
# Number of threads that libraries use. XLA reads the first variable.
THREADS = ("NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TEMPORARY = Path("/tmp")  # noqa: S108 - this path is in the code of pages
# The lowest limit for a socket's path is that of macOS, 104 bytes. Below a run's folder the path
# continues with "/p-12345678/k-5".
SOCKET_LIMIT = 104 - len("/p-12345678/k-5") - 1
_FOLDER = "fonts"
_SECONDS = 120  # time limit for each command that prepares a page
_TOO_MUCH = (
    "Move files that no page reads to a folder whose name begins with '_', or list the pages in a "
    "[[tool.pipeline.upstreams.NAME.skip]] table."
)


def scratch_parent() -> str:
    """Return the parent of a run's scratch folder.

    It is the folder for temporary files, unless the paths of sockets in it would be too long.
    """
    folder = tempfile.gettempdir()
    is_short = len(os.fsencode(folder)) + len("/nb-12345678") <= SOCKET_LIMIT
    if is_short or os.name != "posix":
        return folder
    return "/tmp"  # noqa: S108 - folders in it are made by tempfile


def fill_folder(folder: Path, data: Path, startup: Sequence[Startup]) -> None:
    """Fill a page's ``folder``.

    Copy the folder ``data``, which has the files beside the page. Create an empty home, and write
    the start-up code.
    """
    copy_data(data, folder / "page")
    for name in ("home", "tmp", "matplotlib"):
        (folder / name).mkdir(mode=0o700)
    # IPython would create a missing profile, and fill it with default files.
    profile = folder / "ipython" / "profile_default" / "startup"
    profile.mkdir(parents=True)
    if startup:
        _put_startup(folder, startup, profile)


def _put_startup(folder: Path, startup: Sequence[Startup], profile: Path) -> None:
    """Write the start-up code to ``folder``, and make IPython run it through ``profile``."""
    target = folder / "startup"
    target.mkdir()
    placed = []
    for number, code in enumerate(startup):
        # The number distinguishes files of equal names. Tracebacks show the file's name.
        path = target / f"{number:02}-{Path(code.name).name}"
        path.write_bytes(code.text.encode("utf-8"))
        placed.append((code.name, str(path)))
    failure = str(folder / FAILURE)
    # Use an expression, because a statement would leave names in the page's namespace.
    load = f"__import__('runpy').run_path({str(RUN_STARTUP)!r})"
    run = f"{load}['run_all']({placed!r}, {failure!r})\n"
    (profile / "run.py").write_text(run, "utf-8")


def startup_failure(folder: Path) -> Stop | None:
    """Return the failure of start-up code in the kernel of ``folder``, or None."""
    try:
        fields = json.loads((folder / FAILURE).read_text("utf-8"))
    # no failure, or the kernel was killed while writing the file
    except (OSError, ValueError):
        return None
    return Stop(cell=0, **fields)


def copy_data(source: Path, target: Path) -> None:
    """Copy the files and folders of ``data_in``. Raises its InputError before any is copied."""
    data = data_in(source)
    target.mkdir()
    for path in data:
        copy = target / path.relative_to(source)
        if path.is_dir():
            copy.mkdir()
        else:
            shutil.copy2(path, copy)


def data_in(folder: Path) -> list[Path]:
    """Return the files and folders below ``folder`` that the code of its pages may read.

    They are sorted, each folder before its content, because file systems list them in different
    orders. Raises InputError if they are more than ``DATA_FILES`` or larger than ``DATA_BYTES``.
    """
    found: list[Path] = []
    size, pending = 0, [folder] if folder.is_dir() else []
    while pending:
        for path in pending.pop().iterdir():
            if _is_left_out(path):
                continue
            if path.is_dir():
                pending.append(path)
            elif path.is_file():
                # The size of a copy: the copy of a sparse file is not sparse.
                size += path.stat().st_size
            else:
                continue  # a pipe, a socket or a device
            found.append(path)
            check_limit(len(found), DATA_FILES, where=str(folder), hint=_TOO_MUCH)
            check_limit(size, DATA_BYTES, where=str(folder), hint=_TOO_MUCH)
    return sorted(found)


def _is_left_out(path: Path) -> bool:
    """Return whether a file or folder beside a page is hidden from the page's code.

    Other pages and symbolic links are hidden, and everything whose name begins with "." or with
    "_", such as ``_static``.
    """
    return path.name.startswith(("_", ".")) or path.name.endswith(PAGES) or path.is_symlink()


def kernel_environment(folder: Path, *, threads: int, given: Mapping[str, str]) -> dict[str, str]:
    """Return all environment variables of a kernel in ``folder``.

    ``given`` has more variables, which override the others. ``threads`` limits the threads for
    computing; 0 means no limit.
    """
    environment = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    # Programs installed with this interpreter are found first, even without any PATH.
    programs = [str(Path(sys.executable).parent), environment.get("PATH", os.defpath)]
    environment["PATH"] = os.pathsep.join(filter(None, programs))
    if site.ENABLE_USER_SITE:
        # The kernel gets another HOME. Keep the packages that the user has installed below HOME.
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


def kernel_command(*kernel: str, offline: bool, limit: str, folders: Sequence[Path]) -> list[str]:
    """Return the command line that starts a kernel through `launch.py`.

    ``kernel`` is the kernel's own command; without one, the kernel is ipykernel in this
    interpreter. With ``offline`` the kernel has no network, if the system supports that. ``limit``
    is the argument PROCESSES of `launch.py`. ``folders`` are the folders that the page may change;
    if there are none, the page may change any folder.
    """
    mode = "offline" if offline and can_isolate_network() else "online"
    started = kernel or ("-f", "{connection_file}")
    changed = os.pathsep.join(map(str, folders))
    # -P: modules in the page's folder must not shadow others.
    return [sys.executable, "-P", str(LAUNCH), mode, limit, changed, *started]


def can_confine_writes() -> bool:
    """Return whether this system can limit the folders in which a kernel may change files."""
    return landlock_version() >= CONFINES_WRITES


def folders_to_change(folder: Path, project: Path | None) -> list[Path]:
    """Return the folders to which the system limits the changes of a page.

    These are the page's own ``folder`` and "/tmp", because upstream's pages use paths such as
    "/tmp/mnist". If the ``project`` is inside "/tmp", only the page's own folder is returned:
    Landlock (the system's limit) would permit changes in all folders inside "/tmp". If the system
    has no such limit, the list is empty, and a page may change any folder.
    """
    if not can_confine_writes():
        return []
    if project is not None and project.resolve().is_relative_to(TEMPORARY.resolve()):
        return [folder]
    return [folder, TEMPORARY]


@functools.cache
def can_isolate_network() -> bool:
    """Return whether this system can run a kernel without network.

    Linux can, if it permits user namespaces.
    """
    probe = [sys.executable, "-I", "-S", str(LAUNCH), "probe"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0


def copy_font_list(target: Path, *, scratch: Path) -> None:
    """Copy the font list from ``scratch`` to ``target``, a page's folder for matplotlib.

    If ``scratch`` has no list yet, create the list there first.
    """
    fonts = scratch / _FOLDER
    if not fonts.exists():
        making = scratch / f"{_FOLDER}-{os.getpid()}"
        making.mkdir(exist_ok=True)
        command = [sys.executable, "-P", "-c", "import matplotlib.font_manager"]
        place = str(making)
        run_beside(command, making, MPLCONFIGDIR=place, HOME=place)
        with suppress(OSError):
            making.rename(fonts)  # fails if another worker was faster
    for file in fonts.glob("fontlist-*.json"):
        (target / file.name).write_bytes(file.read_bytes())


def remove_fonts(scratch: Path) -> None:
    """Remove the list of fonts from ``scratch``, and incomplete lists."""
    for folder in scratch.glob(f"{_FOLDER}*"):
        with suppress(OSError):
            remove_tree(folder)


def run_beside(command: Sequence[str], folder: Path, **variables: str) -> None:
    """Run a command with a kernel's variables in ``folder``, before the kernel starts.

    If the command fails or takes too long, the page does the work itself.
    """
    given = {**ENVIRONMENT, **variables}
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command,
            env=kernel_environment(folder, threads=1, given=given),
            cwd=folder,
            check=False,
            capture_output=True,
            timeout=_SECONDS,
        )


_FOLDERS = ("translations", "upstream")


class ProjectChanges:
    """Record of the files that a page changes in the folder ``project``.

    If ``project`` is None, the record stays empty.
    """

    def __init__(self, project: Path | None) -> None:
        self._project = project
        self._stamps = self._look()
        # Pairs of the number of a code cell and the changed paths in the project.
        self.by_cell: list[tuple[int, tuple[str, ...]]] = []

    def end_cell(self, number: int) -> None:
        """Record the files that have changed since the last call as changes of cell ``number``."""
        before, self._stamps = self._stamps, self._look()
        changed = {path for path, _ in before.items() ^ self._stamps.items()}
        if changed:
            self.by_cell.append((number, tuple(sorted(changed))))

    def _look(self) -> dict[str, tuple[int, int, int]]:
        """Return size, mode and time of change of every file, by its path in the project."""
        stamps: dict[str, tuple[int, int, int]] = {}
        if self._project is None:
            return stamps
        for entry in _entries(self._project):
            with suppress(OSError):  # removed meanwhile
                facts = entry.stat(follow_symlinks=False)
                path = Path(entry.path).relative_to(self._project).as_posix()
                stamps[path] = (facts.st_size, facts.st_mode, facts.st_ctime_ns)
        return stamps


def _entries(project: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the files of ``project`` itself, and those anywhere in the watched folders."""
    folders = [os.fspath(project), *(str(project / name) for name in _FOLDERS)]
    while folders:
        folder = folders.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    yield entry
                elif folder != os.fspath(project):
                    folders.append(entry.path)
