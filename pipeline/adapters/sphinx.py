"""Sphinx, in a process of its own: a folder of sources to a folder of HTML."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.errors import PublishError

BROKEN = "broken.json"  # what our extension leaves among the doctrees: pages and why they are shown as their source
SITE = Path(__file__).parent.parent / "site"  # our extension, its templates and static files
CONFIGURATION = SITE / "extension" / "conf.py"

PACKAGES = tuple(
    "docutils jieba myst-nb myst-parser pydata-sphinx-theme pygments sphinx sphinx-book-theme sphinx-copybutton sphinx-design "
    "sphinx-mathjax-offline".split()
)

_WARNING = re.compile(
    r"(?P<file>[^\n]*?)(?::(?P<line>\d+))?: (?P<level>WARNING|ERROR|CRITICAL|SEVERE): (?P<text>.*?)(?: \[(?P<kind>[\w.-]+)\])?$"
)
_PROGRESS = re.compile(r"(reading sources|writing output)\.\.\. \[\s*(\d+)%\] ?(.*)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """One warning of Sphinx. ``file`` is relative to the sources, empty if it is about none."""

    text: str
    level: str = "WARNING"
    file: str = ""
    line: int = 0
    kind: str = ""  # as Sphinx writes it behind the text: "myst.xref_missing"


def fingerprint() -> str:
    """Digest of all that decides what a site is made of the same pages: our code, and the versions of the packages that it works with."""
    from importlib.metadata import PackageNotFoundError, version

    known = hashlib.sha256()
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            known.update(f"{name} {version(name)}\n".encode())
    for path in sorted(
        path
        for path in SITE.parent.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ):
        known.update(path.relative_to(SITE.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return known.hexdigest()


def forget(doctrees: Path) -> None:
    """Let the next run read every page anew."""
    (doctrees / "environment.pickle").unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a run said: warnings of the pages that it read anew, and all pages that are shown as their source, with the reason."""

    warned: tuple[Warned, ...] = ()
    broken: Mapping[str, str] = field(default_factory=dict)


def run_sphinx(
    sources: Path,
    target: Path,
    *,
    doctrees: Path,
    jobs: int,
    on_progress: Callable[[str, int, str], None],
) -> Built:
    """Build ``target`` from ``sources`` (with a ``conf.py``), as far as it is out of date.

    ``on_progress`` gets the phase, percent done and the pages, as it goes. Raises PublishError if Sphinx ends without a site.
    """
    log = doctrees / "warnings.txt"
    doctrees.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-b",
        "html",
        "-d",
        str(doctrees),
        "-j",
        str(jobs),
        "-w",
        str(log),
        "-T",
    ]
    # Compiled modules are kept, whatever the user prefers: without them starting Sphinx takes longer than a page.
    fixed = {"NO_COLOR": "1", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""}
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **fixed}
    said: list[str] = []
    with subprocess.Popen(
        [*command, str(sources), str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=variables,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            text = _COLOURS.sub("", line).rstrip()
            said = [*said[-30:], text]
            if found := _PROGRESS.match(text):
                on_progress(found[1], int(found[2]), found[3])
    if process.returncode:
        end = "\n".join(line for line in said if line)
        raise PublishError(f"Sphinx ended with {process.returncode}", where=str(sources), hint=end)
    warned = parse_warnings(log.read_text(encoding="utf-8", errors="replace"), sources)
    broken = json.loads((doctrees / BROKEN).read_bytes())
    return Built(warned=tuple(one for one in warned if one.kind != "jz.broken"), broken=broken)


def parse_warnings(text: str, sources: Path) -> tuple[Warned, ...]:
    """The warnings in Sphinx's warning file, each once, in order."""
    found: list[Warned] = []
    for line in _COLOURS.sub("", text).split("\n"):
        match = _WARNING.fullmatch(line)
        if match is None:
            if found and line.strip():
                found[-1] = Warned(
                    text=f"{found[-1].text}\n{line}",
                    level=found[-1].level,
                    file=found[-1].file,
                    line=found[-1].line,
                    kind=found[-1].kind,
                )
            continue
        file = match["file"].removeprefix(f"{sources}/")
        found.append(
            Warned(
                text=match["text"],
                level=match["level"],
                file=file,
                line=int(match["line"] or 0),
                kind=match["kind"] or "",
            )
        )
    return tuple(dict.fromkeys(found))
