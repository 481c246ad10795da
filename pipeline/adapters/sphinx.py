"""Runner of Sphinx in a separate process: builds HTML from a folder of sources.

``run_sphinx`` returns Sphinx's warnings as records, and the pages that the pipeline's Sphinx
extension (``site/extension``) could not render completely.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.errors import PublishError

# File in which the extension records the pages that it shows as source, with the reason.
BROKEN = "broken.json"
# The extension, its templates and its static files.
SITE = Path(__file__).parent.parent / "site"
CONFIGURATION = SITE / "extension" / "conf.py"

# Packages whose version affects the HTML: with another version, the same page may look different.
PACKAGES = (
    *("accessible-pygments", "docutils", "ipython-pygments-lexers", "latex2mathml"),
    *("mmdr", "myst-nb", "myst-parser", "nh3", "pydata-sphinx-theme", "pygments"),
    *("pypinyin", "sphinx", "sphinx-book-theme", "sphinx-copybutton", "sphinx-design"),
    *("sphinx-mathjax-offline", "tinycss2"),
)

# /…/site-src/a.md:12: WARNING: 'myst' cross-reference target not found: 'b' [myst.xref_missing]
_WARNING = re.compile(
    r"""
    (?: (?P<file>[^\n]*?) (?: :(?P<line>\d+) )? :[ ] )?  # absent if the warning is about no file
    (?P<level>WARNING|ERROR|CRITICAL|SEVERE) :[ ]
    (?P<text>.*?) (?: [ ]\[(?P<kind>[\w.-]+)\] )?$
    """,
    re.VERBOSE,
)
# reading sources... [ 45%] notebooks/autodiff_cookbook .. notebooks/layout
_PROGRESS = re.compile(r"(?P<phase>reading sources|writing output)\.\.\. \[\s*(\d+)%\] ?(.*)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_TAIL = 31  # number of last lines of Sphinx's output that are shown if it fails


class Warned(Struct, frozen=True, kw_only=True):
    """One warning of Sphinx."""

    text: str
    level: str = "WARNING"
    file: str = ""  # relative to the sources; "" if the warning is about no file
    line: int = 0  # 0 if unknown
    kind: str = ""  # Sphinx's type, written after the text: "myst.xref_missing"


class BrokenPage(Struct, frozen=True, kw_only=True):
    """A page that the extension shows partly or wholly as source."""

    problem: str  # the first reason
    blocks: int = 0  # number of blocks shown as source; 0 for the whole page


class Built(Struct, frozen=True, kw_only=True):
    """Result of a run of Sphinx.

    ``warned`` has warnings about the pages that this run has read. ``broken`` has, by name, all
    pages with parts that are shown as source, including pages that an earlier run has read.
    """

    warned: tuple[Warned, ...] = ()
    broken: Mapping[str, BrokenPage] = field(default_factory=dict)


def discard_environment(doctrees: Path) -> None:
    """Delete Sphinx's environment, so that the next run reads every page again."""
    (doctrees / "environment.pickle").unlink(missing_ok=True)


def run_sphinx(
    sources: Path,
    target: Path,
    *,
    doctrees: Path,
    jobs: int,
    on_progress: Callable[[str, int, str], None],
) -> Built:
    """Build the outdated pages of ``target`` from ``sources``, a folder with a ``conf.py``.

    ``doctrees`` is the folder for Sphinx's state between runs; ``jobs`` is the number of its
    processes. ``on_progress`` is called with the phase (``reading sources``), the percentage and
    the names of pages. Raises PublishError if Sphinx fails.
    """
    log = doctrees / "warnings.txt"
    doctrees.mkdir(parents=True, exist_ok=True)
    options = ["-b", "html", "-d", str(doctrees), "-j", str(jobs), "-w", str(log), "-T"]
    tail: deque[str] = deque(maxlen=_TAIL)
    with (
        _lock(doctrees / ".lock") as inherited,
        subprocess.Popen(
            [sys.executable, "-m", "sphinx", *options, str(sources), str(target)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=_environment(),
            pass_fds=inherited,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            text = _COLOURS.sub("", line).rstrip()
            tail.append(text)
            if match := _PROGRESS.match(text):
                on_progress(match["phase"], int(match[2]), match[3])
    if process.returncode:
        hint = "\n".join(line for line in tail if line)
        raise PublishError(f"Sphinx ended with {process.returncode}", where=str(sources), hint=hint)
    warned = parse_warnings(log.read_text(encoding="utf-8", errors="replace"), sources)
    # Drop the extension's own warnings, because they repeat the content of ``broken``.
    others = tuple(warning for warning in warned if warning.kind != "jz.broken")
    broken = json.loads((doctrees / BROKEN).read_bytes())
    return Built(
        warned=others,
        broken={page: BrokenPage(**values) for page, values in broken.items()},
    )


@contextmanager
def _lock(path: Path) -> Iterator[tuple[int, ...]]:
    """Hold ``path`` as a lock; yield the file descriptors that Sphinx must inherit.

    Through them, Sphinx and its workers hold the lock as well. If our run is killed, the Sphinx
    that it started continues to write until it prints its next line. The lock makes the next run
    wait until that Sphinx has ended. Windows has no such locks.
    """
    if os.name != "posix":
        yield ()
        return
    import fcntl

    with path.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield (file.fileno(),)


def _environment() -> dict[str, str]:
    """Return the environment variables for Sphinx.

    They give Sphinx the import path of this process, and make equal sources give equal pages.
    """
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "NO_COLOR": "1",
        # Sphinx fails if the user's locale is not installed, which is common in containers.
        "LC_ALL": "C",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
        # If a library crashes, Python prints its stack.
        "PYTHONFAULTHANDLER": "1",
        # Write bytecode, even if the user's setting forbids it. Without bytecode, Sphinx takes
        # longer to start than to build a page.
        "PYTHONDONTWRITEBYTECODE": "",
    }


def parse_warnings(text: str, sources: Path) -> tuple[Warned, ...]:
    """Return the warnings in ``text``, each once, in order.

    ``text`` is the content of Sphinx's warning file. Names of files become relative to ``sources``.
    """
    warnings: list[Warned] = []
    for line in _COLOURS.sub("", text).split("\n"):
        match = _WARNING.fullmatch(line)
        if match:
            warning = Warned(
                text=match["text"],
                level=match["level"],
                file=(match["file"] or "").removeprefix(f"{sources}/"),
                line=int(match["line"] or 0),
                kind=match["kind"] or "",
            )
            warnings.append(warning)
        elif warnings and line.strip():
            # A warning may have several lines.
            warnings[-1] = replace(warnings[-1], text=f"{warnings[-1].text}\n{line}")
    return tuple(dict.fromkeys(warnings))


def napoleon_lines(
    lines: Sequence[str], settings: Mapping[str, Any], *, what: str, name: str
) -> list[str]:
    """Return a docstring as plain reST: sections of Google's or NumPy's style become fields.

    ``["Args:", "  x: an array"]`` → ``[":param x: an array"]``. ``settings`` are the ones of
    upstream's ``conf.py``; ``what`` is autodoc's word for the kind of object (``function``), and
    ``name`` the object's name.
    """
    from sphinx.ext.napoleon import Config
    from sphinx.ext.napoleon.docstring import GoogleDocstring, NumpyDocstring

    known = {key: value for key, value in settings.items() if key.startswith("napoleon_")}
    config: Any
    try:
        config = Config(**known)
    except TypeError:  # a setting that this version of Napoleon does not have
        config = Config()
    text = "\n".join(lines)
    if config.napoleon_numpy_docstring:
        text = str(NumpyDocstring(text, config, what=what, name=name))
    if config.napoleon_google_docstring:
        text = str(GoogleDocstring(text, config, what=what, name=name))
    return text.rstrip("\n").split("\n")
