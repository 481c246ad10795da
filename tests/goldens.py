"""Write what the pipeline makes of the sample, and of the real docs, for comparison: `-- FOLDER`.

A change that should not change any output is checked by running this before and after it:

    nox -s goldens -- build/goldens/before
    nox -s goldens -- build/goldens/after
    git diff --no-index --stat build/goldens/before build/goldens/after

The files are those of a clone of the current commit. What differs in every run (times, folders,
commits of this repository, digests in addresses) is replaced by a fixed word.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]

# What is kept of a checkout after the runs.
OUTPUTS = (
    "translations/*/{name}/**/*.po",
    "translations/memory/*/{name}/**/*.po",
    "upstream/{name}.*lock",
    "build/*/{name}/merged/**/*",
    "build/*/{name}/blocks/**/*",
    "build/*/{name}/html/**/*",
    "build/report.json",
    "build/site/{name}/**/*",
)

# Files of the theme and of Sphinx, which are theirs, and what holds nothing but digests.
THEIRS = re.compile(r"/_static/(?!site)|/_sphinx_design_static/|/\.buildinfo|/\.doctrees/")

# Patterns of what differs in every run, and the word that takes its place.
VARIABLE = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", "TIME"),
    (r'("(?:seconds|started|finished|took|duration)[a-z_]*": ?)[-\d.e]+', r"\1SECONDS"),
    (r"\?v=[0-9a-f]{8,}", "?v=DIGEST"),
    (r"\bsha(256|384|512)-[A-Za-z0-9+/=]+", "DIGEST"),
    (r"\b[0-9a-f]{64}\b", "DIGEST"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID"),  # of numbered equations
)


def main() -> None:
    """Run the pipeline in a clone, and copy what it made to the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    target = parser.parse_args().folder.resolve()
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        clone = Path(temporary) / "jax-docs-zh"
        git("clone", "--quiet", str(CHECKOUT), str(clone))
        make("sample", clone)
        copy("sample", clone, target)
        if os.environ.get("JAX_DOCS_UPSTREAM"):
            make("jax", clone, "--no-execute")
            copy("jax", clone, target)


def make(name: str, clone: Path, *options: str) -> None:
    """Pull, build and publish the upstream ``name`` in ``clone``."""
    for command in ("sync", "site"):
        words = [sys.executable, "-m", "pipeline", command, name, *options]
        subprocess.run(words, cwd=clone, check=False)


def copy(name: str, clone: Path, target: Path) -> None:
    """Copy what ``clone`` has of the upstream ``name`` to a folder of that name in ``target``.

    Words that differ in every run are replaced.
    """
    commit = git("-C", str(clone), "rev-parse", "HEAD")
    variable = (
        (re.escape(str(clone)), "CHECKOUT"),
        (re.escape(commit), "COMMIT"),
        (re.escape(commit[:7]) + "[0-9a-f]*", "COMMIT"),
        *VARIABLE,
    )
    for pattern in OUTPUTS:
        for path in sorted(clone.glob(pattern.format(name=name))):
            relative = path.relative_to(clone)
            if not path.is_file() or THEIRS.search(f"/{relative.as_posix()}"):
                continue
            golden = target / name / relative
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_bytes(without_variable(path.read_bytes(), variable))


def without_variable(content: bytes, variable: Sequence[tuple[str, str]]) -> bytes:
    """Return ``content`` with each pattern of ``variable`` replaced, if it is text in UTF-8."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    for pattern, word in variable:
        text = re.sub(pattern, word, text)
    return text.encode()


def git(*words: str) -> str:
    """Return what a git command prints, without the line end."""
    return subprocess.run(
        ["git", *words], check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    main()
