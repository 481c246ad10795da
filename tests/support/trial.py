"""Trial of a release: wheel and sdist, each installed into fresh environments and used.

``python -m trial [PYTHON…] [--tag vX.Y.Z]`` builds both files into ``dist/``, uses them with each
PYTHON (a version or a path), and writes the text of the release to ``build/release-notes.md``.
``nox -s package`` calls it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from places import ROOT

from pipeline import __version__

DIST, NOTES = ROOT / "dist", ROOT / "build" / "release-notes.md"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")  # what is tried if no Python is named

DOCS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SENTENCE, TRANSLATION = "Two wires lead to every lamp.", "每盏灯都接两根线。"
PIPELINE = f"jax-docs-zh/jax-docs-zh@v{__version__}"

# What would reach the commands from here: this checkout, its environment, its settings.
OURS = re.compile(r"PYTHON|VIRTUAL_ENV|NOX|JAX_DOCS|UV_PYTHON|.*_DOCS_UPSTREAM$")


class TrialError(Exception):
    """Failed step of the trial. The text has the step, and what it printed."""


def build(folder: Path) -> list[Path]:
    """Build sdist and wheel into ``folder``, emptied before. The wheel is built from the sdist."""
    shutil.rmtree(folder, ignore_errors=True)
    limits = ("--build-constraint", str(ROOT / "constraints.txt"))
    run(["uv", "build", *limits, "--out-dir", str(folder), str(ROOT)], ROOT)
    files = sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])
    names = [path.name for path in files]
    stem = f"jax_docs_zh-{__version__}"
    if names != [f"{stem}-py3-none-any.whl", f"{stem}.tar.gz"]:
        raise TrialError(f"expected a wheel and an sdist of {__version__}, got {names}")
    return files


def release_notes(changelog: str, version: str) -> str:
    """Return the section of ``version`` in the change log, one line per paragraph or item.

    GitHub shows every line break in the text of a release.
    """
    heading = rf"(?m)^## \[?{re.escape(version)}\]?( - \d{{4}}-\d\d-\d\d)?$"
    parts = re.split(heading, changelog)
    if len(parts) != 3:
        raise TrialError(f"CHANGELOG.md has no section {version}, or several")
    if parts[1] is None:
        raise TrialError(f"the section {version} of CHANGELOG.md has no date")
    section = re.split(r"(?m)^(?:## |\[[^\]]+\]: )", parts[2])[0]
    joined = re.sub(r"(?<=\S)\n *(?!\s|[#*-]+ )", " ", section)
    return f"{joined.strip()}\n"


def find_python(name: str) -> str:
    """Return the path of the Python that ``name`` means, or an empty string if there is none."""
    words = ["uv", "python", "find", "--no-python-downloads", "--system", name]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    return ended.stdout.strip()


def version_of(python: str) -> str:
    """Return the version of the Python at a path, such as ``3.11.7``."""
    words = [python, "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def run(words: Sequence[str], folder: Path) -> str:
    """Run a command in ``folder``, without variables that match ``OURS``. Return its output."""
    environment = {name: value for name, value in os.environ.items() if not OURS.match(name)}
    ended = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise TrialError(
            f"{' '.join(words)}: exit code {ended.returncode}\n{ended.stdout}{ended.stderr}"
        )
    return ended.stdout


def use(package: Path, python: str, folder: Path) -> None:
    """Install ``package`` as users do, and translate a small project up to its web site.

    Versions are not constrained, so the newest ones that the metadata allows are installed. Only
    the last steps use extras.
    """
    environment = folder / "environment"
    run(["uv", "venv", "--quiet", "--python", python, str(environment)], folder)
    here = str(environment / "bin" / "python")
    program = str(environment / "bin" / "jax-docs-zh")
    install = ["uv", "pip", "install", "--quiet", "--python", here]
    run([*install, str(package)], folder)

    said = run([program, "--version"], folder)
    if said != f"jax-docs-zh {__version__}, Python {version_of(here)}\n":
        raise TrialError(f"--version printed {said!r}")

    english, project = folder / "lamps", folder / "lamps-zh"
    (english / "docs").mkdir(parents=True)
    for name, text in DOCS.items():
        (english / "docs" / name).write_text(text, encoding="utf-8")
    commit(english)
    project.mkdir()
    source = ("--url", "../lamps", "--docs", "docs", "--name", "lamps")
    run([program, "init", *source, "--from", PIPELINE], project)
    run([program, "sync", "--no-execute"], project)

    catalog = project / "translations" / "zh_CN" / "lamps" / "wiring.po"
    text = catalog.read_text(encoding="utf-8")
    entry = f'msgid "{SENTENCE}"\nmsgstr "'
    if entry not in text:
        raise TrialError(f"sync wrote no entry for “{SENTENCE}”\n{text}")
    catalog.write_text(text.replace(entry, entry + TRANSLATION), encoding="utf-8")
    run([program, "check"], project)

    run([*install, f"{package}[docs]"], folder)
    run([program, "sync"], project)
    run([program, "site"], project)
    page = (project / "build" / "site" / "lamps" / "wiring.html").read_text("utf-8")
    for words in (TRANSLATION, "23 volts"):
        if words not in page:
            raise TrialError(f"the site's page does not show “{words}”")
    commit(project)
    run([program, "memory", "verify"], project)


def commit(folder: Path) -> None:
    """Make ``folder`` a repository with one commit of all files that git does not ignore."""
    person = ("-c", "user.name=Trial", "-c", "user.email=trial@example.org")
    run(["git", "init", "--quiet"], folder)
    run(["git", "add", "."], folder)
    run(["git", *person, "commit", "--quiet", "--message", "Begin"], folder)


def use_all(files: Iterable[Path], pythons: Iterable[str]) -> int:
    """Try each file with each Python, and print a line for each. Return the number of failures."""
    failed = 0
    for python in pythons:
        version = version_of(python)
        for file in files:
            began = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="trial-") as folder:
                try:
                    use(file, python, Path(folder))
                except TrialError as error:
                    failed += 1
                    result = f"failed\n{error}"
                else:
                    result = "ok"
            seconds = time.monotonic() - began
            print(f"{file.name}, Python {version}, {seconds:.0f} s: {result}", flush=True)
    return failed


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="trial")
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    parser.add_argument("--tag", default="", help="fail unless it is the version's")
    return parser.parse_intermixed_args(words)


def main(words: Sequence[str]) -> int:
    """Build, try, and write the release notes. Return the exit code."""
    given = arguments(words)
    if given.tag not in ("", f"v{__version__}"):
        print(f"error: the tag is {given.tag}, but the version is {__version__}")
        return 1
    found = {name: find_python(name) for name in given.pythons or PYTHONS}
    missing = [name for name, path in found.items() if not path]
    if missing:
        print(f"not found: Python {', '.join(missing)}")
        if given.pythons:
            return 1
    print(f"building {__version__} into {DIST.name}/", flush=True)
    try:
        notes = release_notes((ROOT / "CHANGELOG.md").read_text("utf-8"), __version__)
        files = build(DIST)
    except TrialError as error:
        print(f"error: {error}")
        return 1
    NOTES.parent.mkdir(exist_ok=True)
    NOTES.write_text(notes, encoding="utf-8")
    return 1 if use_all(files, filter(None, found.values())) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
