"""Measure, print, and write ``build/bench/<label>.json``.

Called as ``nox -s bench -- [--rounds N] [--only NAME …]``.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.execution import EXECUTE, execution_scenes
from bench.measure import (
    CommandError,
    Scene,
    format_table,
    own_peak,
    run_scene,
    to_record,
)
from bench.references import REFERENCE, reference_scenes
from bench.scenes import (
    DEFAULT,
    EXTRACTIONS,
    UPGRADE,
    extraction_scenes,
    take_subject,
    upgrade_scene,
)
from bench.sites import SITE, site_scenes
from bench.workshop import PROJECT, VARIABLE, freeze_code

NAMES = (*DEFAULT, SITE, REFERENCE, EXECUTE)
DISTRIBUTIONS = """ipykernel jax jaxlib jupytext markdown-it-py mdit-py-plugins mdpo myst-nb
myst-parser nbclient papermill polib rapidfuzz sphinx sphinx-book-theme sphinx-intl
translate-toolkit""".split()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the scenes asked for. 1 if a tool failed; slow is never a failure."""
    arguments = _parse(argv)
    sample = not os.environ.get(VARIABLE)
    if sample:
        instead = "measured on the bundled sample, too small for targets to mean much"
        _print_line(f"{VARIABLE} is not set: {instead}")
    names = tuple(name for name in NAMES if name in (arguments.only or DEFAULT))
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            record = _measure(Path(folder), names, arguments.rounds, sample=sample)
    except CommandError as error:
        _print_line(str(error))
        return 1
    label = "-".join([record["docs"], *(arguments.only or ())])
    target = PROJECT / "build" / "bench" / f"{label}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(record, ensure_ascii=False, indent=1)
    target.write_text(f"{text}\n", encoding="utf-8")
    print(f"written: {target.relative_to(PROJECT).as_posix()}")
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="nox -s bench --", description=__doc__)
    parser.add_argument(
        "--rounds",
        type=_at_least_one,
        metavar="N",
        help=f"default: 3; 1 for {UPGRADE!r}, and for the cold part of {EXECUTE!r}",
    )
    which = (
        f"one of {', '.join(NAMES)}; may be repeated. Default: all but {SITE!r}, {REFERENCE!r}, "
        f"which reads the docstrings of JAX, and {EXECUTE!r}, "
        f"which runs all code twice and takes ten minutes"
    )
    parser.add_argument("--only", action="append", choices=NAMES, metavar="NAME", help=which)
    return parser.parse_args(argv)


def _at_least_one(word: str) -> int:
    number = int(word)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _measure(
    folder: Path, names: tuple[str, ...], rounds: int | None, *, sample: bool
) -> dict[str, Any]:
    freeze_code(folder / "code")
    subject = take_subject(folder, sample=sample)
    machine = machine_facts()
    record: dict[str, Any] = {"docs": subject.label, "machine": machine, "scenes": []}
    tables = []
    for scene in _scenes(folder, subject, names, sample=sample):
        rows = run_scene(scene, rounds=rounds or scene.rounds, tell=_print_line)
        record["scenes"].append(to_record(scene, rows))
        tables.append(format_table(scene, rows))
    machine["own_peak_mib"] = round(own_peak(), 1)
    head = f"\n{subject.label}: medians; × is how many times more than ours"
    print("\n\n".join([head, *tables]))
    return record


def _scenes(folder: Path, subject: Any, names: tuple[str, ...], *, sample: bool) -> Iterator[Scene]:
    extractions = tuple(name for name in names if name in EXTRACTIONS)
    if extractions:
        yield from extraction_scenes(folder, subject, extractions)
    if UPGRADE in names:
        yield upgrade_scene(folder / "upgrade", no_upstream=sample)
    if SITE in names:
        yield from site_scenes(folder / "site", subject)
    if REFERENCE in names:
        yield from reference_scenes(folder / "reference", subject)
    if EXECUTE in names:
        yield from execution_scenes(folder / "execute", subject)


def machine_facts() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        "versions": {**dict(map(_version, DISTRIBUTIONS)), "msgmerge": _msgmerge()},
    }


def _version(distribution: str) -> tuple[str, str]:
    """A distribution and its version, which is empty if it is not installed."""
    with suppress(importlib.metadata.PackageNotFoundError):
        return distribution, importlib.metadata.version(distribution)
    return distribution, ""


def _msgmerge() -> str:
    command = ["msgmerge", "--version"]
    with suppress(OSError, subprocess.CalledProcessError):
        printed = subprocess.run(command, capture_output=True, text=True, check=True)
        return printed.stdout.split("\n")[0].rpartition(" ")[2]
    return ""


def _print_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
