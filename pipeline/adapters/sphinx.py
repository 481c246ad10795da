"""Sphinx, in a process of its own: a folder of sources to a folder of HTML.

Sources and the place for Sphinx's own memory come in; the warnings go out as records, and with them
what our extension says of pages that it could not show.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.errors import PublishError

# What our extension leaves among the doctrees: pages and why they are shown as their source.
BROKEN = "broken.json"
# Our extension, its templates and static files.
SITE = Path(__file__).parent.parent / "site"
CONFIGURATION = SITE / "extension" / "conf.py"

# The packages whose version decides what a site is made of the same pages.
PACKAGES = (
    "accessible-pygments",
    "docutils",
    "ipython-pygments-lexers",
    "latex2mathml",
    "mmdr",
    "myst-nb",
    "myst-parser",
    "nh3",
    "pydata-sphinx-theme",
    "pygments",
    "pypinyin",
    "sphinx",
    "sphinx-book-theme",
    "sphinx-copybutton",
    "sphinx-design",
    "sphinx-mathjax-offline",
    "tinycss2",
)

# /…/site-src/a.md:12: WARNING: 'myst' cross-reference target not found: 'b' [myst.xref_missing]
_WARNING = re.compile(
    r"""
    (?: (?P<file>[^\n]*?) (?: :(?P<line>\d+) )? :[ ] )?  # none of what is about no file
    (?P<level>WARNING|ERROR|CRITICAL|SEVERE) :[ ]
    (?P<text>.*?) (?: [ ]\[(?P<kind>[\w.-]+)\] )?$
    """,
    re.VERBOSE,
)
# reading sources... [ 45%] notebooks/autodiff_cookbook .. notebooks/layout
_PROGRESS = re.compile(
    r"(?P<phase>reading sources|writing output)\.\.\. \[\s*(\d+)%\] ?(.*)"
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_TAIL = 31  # lines of what Sphinx said that tell why it ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """One warning of Sphinx. ``file`` is relative to the sources, empty if it is about none."""

    text: str
    level: str = "WARNING"
    file: str = ""
    line: int = 0
    kind: str = ""  # as Sphinx writes it behind the text: "myst.xref_missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenPage:
    """A page of which something is shown as its source, with the first reason."""

    problem: str
    blocks: int = 0  # how many blocks of it; 0: the whole page


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a run said.

    ``warned`` are warnings of the pages that it read anew; ``broken`` are all pages of which
    something is shown as its source.
    """

    warned: tuple[Warned, ...] = ()
    broken: Mapping[str, BrokenPage] = field(default_factory=dict)


def forget(doctrees: Path) -> None:
    """Let the next run read every page anew."""
    (doctrees / "environment.pickle").unlink(missing_ok=True)


def run_sphinx(
    sources: Path,
    target: Path,
    *,
    doctrees: Path,
    jobs: int,
    on_progress: Callable[[str, int, str], None],
) -> Built:
    """Build ``target`` from ``sources`` (with a ``conf.py``), as far as it is out of date.

    ``on_progress`` gets the phase, percent done and the pages, as it goes. Raises PublishError if
    Sphinx ends without a site.
    """
    log = doctrees / "warnings.txt"
    doctrees.mkdir(parents=True, exist_ok=True)
    options = ["-b", "html", "-d", str(doctrees), "-j", str(jobs), "-w", str(log), "-T"]
    tail: deque[str] = deque(maxlen=_TAIL)
    with subprocess.Popen(
        [sys.executable, "-m", "sphinx", *options, str(sources), str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=_environment(),
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            text = _COLOURS.sub("", line).rstrip()
            tail.append(text)
            if match := _PROGRESS.match(text):
                on_progress(match["phase"], int(match[2]), match[3])
    if process.returncode:
        hint = "\n".join(line for line in tail if line)
        raise PublishError(
            f"Sphinx ended with {process.returncode}", where=str(sources), hint=hint
        )
    warned = parse_warnings(log.read_text(encoding="utf-8", errors="replace"), sources)
    # Those of our extension say no more than ``broken`` does.
    others = tuple(warning for warning in warned if warning.kind != "jz.broken")
    broken = json.loads((doctrees / BROKEN).read_bytes())
    return Built(
        warned=others,
        broken={page: BrokenPage(**values) for page, values in broken.items()},
    )


def _environment() -> dict[str, str]:
    """The variables for Sphinx: it imports what we can, and equal sources give equal pages."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "NO_COLOR": "1",
        # Sphinx ends if the user's locale is not installed, as is usual in containers.
        "LC_ALL": "C",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
        # Compiled modules are kept, whatever the user prefers: without them starting Sphinx takes
        # longer than a page.
        "PYTHONDONTWRITEBYTECODE": "",
    }


def parse_warnings(text: str, sources: Path) -> tuple[Warned, ...]:
    """The warnings in Sphinx's warning file, each once, in order."""
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
            # The text of a warning may have several lines.
            warnings[-1] = replace(warnings[-1], text=f"{warnings[-1].text}\n{line}")
    return tuple(dict.fromkeys(warnings))
