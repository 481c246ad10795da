"""Every job of this project, each in a pinned environment of its own: `nox -l` lists them, `nox -s NAME -- ARGS` runs one.

`nox -s sync -- sample` is the whole pipeline on the bundled sample, `nox -s sync` on the real JAX docs;
plain `nox` does what CI does: tests, lint, types. Versions come from pyproject.toml and nowhere else.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["tests", "lint", "types"]

PYPROJECT = nox.project.load_toml("pyproject.toml")
DEPENDENCIES = tuple(PYPROJECT["project"]["dependencies"])
PINNED = ("--constraint", "constraints.txt")  # exact versions of all but JAX, whose pin stands in pyproject.toml
STOP_SECONDS = 30.0  # nox kills after half a second: too soon to stop kernels


def packages(*groups: str) -> tuple[str, ...]:
    """What the package needs, with the dependency ``groups`` (JAX is in ``execute``), in the pinned versions.

    ``execute`` brings the groups along that JAX_DOCS_GROUPS names: heavy packages that a few pages need to run whole.
    """
    if "execute" in groups:
        groups += tuple(os.environ.get("JAX_DOCS_GROUPS", "").split())
    return (*PINNED, *DEPENDENCIES, *nox.project.dependency_groups(PYPROJECT, *groups))


def run_pipeline(session: nox.Session, *groups: str, more: Sequence[str] = ()) -> None:
    """``python -m pipeline`` with the name of the session and what stands after ``--``."""
    session.install(*packages(*groups))
    command = ("python", "-m", "pipeline", session.name, *session.posargs, *more)
    session.run(*command, interrupt_timeout=STOP_SECONDS, terminate_timeout=STOP_SECONDS)


@nox.session
def sync(session: nox.Session) -> None:
    """The main job: pull, split, update, merge, execute, report. `-- sample` for the bundled sample."""
    run_pipeline(session, *(() if "--no-execute" in session.posargs else ("execute",)))


@nox.session
def build(session: nox.Session) -> None:
    """Merge and execute at the current pin, without touching upstream."""
    run_pipeline(session, *(() if "--no-execute" in session.posargs else ("execute",)))


@nox.session
def pull(session: nox.Session) -> None:
    """Fetch upstream's English docs at the pinned release."""
    run_pipeline(session)


@nox.session
def split(session: nox.Session) -> None:
    """Bring the catalogues up to date with what was pulled."""
    run_pipeline(session)


@nox.session
def merge(session: nox.Session) -> None:
    """Put the translations into upstream's pages, guarded."""
    run_pipeline(session)


@nox.session
def execute(session: nox.Session) -> None:
    """Run the code cells of the merged notebooks on the pinned JAX."""
    run_pipeline(session, "execute")


@nox.session
def upgrade(session: nox.Session) -> None:
    """Move to another JAX release, then run the code on it: `-- jax-v0.10.2`; with `--dry-run` only tell what that means."""
    is_alone = {"-h", "--help", "--check", "--dry-run", "--no-execute"} & set(session.posargs)
    run_pipeline(session, more=() if is_alone else ("--no-execute",))
    if is_alone:
        return
    moved = nox.project.load_toml("pyproject.toml")
    session.install(*PINNED, *DEPENDENCIES, *nox.project.dependency_groups(moved, "execute"))
    command = ("python", "-m", "pipeline", "build", *for_build(session.posargs))
    session.run(*command, interrupt_timeout=STOP_SECONDS, terminate_timeout=STOP_SECONDS)


def for_build(words: Sequence[str]) -> list[str]:
    """What of the command line of `upgrade` is meant for `build` as well: the upstream and the common options."""
    common = ("--jobs", "--locale", "--config")
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in ("--jax", "--upstream", *common):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("target", nargs="?")
    known, rest = parser.parse_known_args(words)
    options = [word for option in common for value in getattr(known, option[2:]) for word in (option, value)]
    return [*rest, *options, *(["-q"] if known.json else [])]


@nox.session
def status(session: nox.Session) -> None:
    """Show per page what is translated, fuzzy and untranslated: `-- --against main` also how far behind; `--badges` writes badges."""
    run_pipeline(session)


@nox.session
def check(session: nox.Session) -> None:
    """Look for mistakes in the catalogues: `-- FILE …`; `-- --fix` mends what needs no judgement."""
    run_pipeline(session)


@nox.session
def memory(session: nox.Session) -> None:
    """Prove that memory, catalogues and upstream agree: `-- verify`."""
    run_pipeline(session)


@nox.session
def cache(session: nox.Session) -> None:
    """Tell about the outputs of code that ran, prove or forget them: `-- stats`, `-- verify`, `-- clear`."""
    run_pipeline(session)


@nox.session
def report(session: nox.Session) -> None:
    """Make one report of those of several machines: `-- merge FILE …`."""
    run_pipeline(session)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the test suite; without arguments, also hold it to its coverage. `-- -k NAME` for a part of it."""
    session.install("-e", ".", *packages("execute", "test", "dask"))
    session.env["PYTHONDONTWRITEBYTECODE"] = ""  # the tests start Python hundreds of times
    if session.posargs:
        session.run("pytest", *session.posargs)
        return
    session.run("pytest", "--numprocesses=auto", "--cov", "--cov-report=")
    session.run("coverage", "report", "--include=pipeline/core/*", "--fail-under=100")
    session.run("coverage", "report", "--fail-under=90")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and the direction of imports. `-- --fix` mends what can be mended."""
    session.install(*PINNED, *nox.project.dependency_groups(PYPROJECT, "lint"))
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", *(() if "--fix" in session.posargs else ("--check",)))
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the package, the tests and this file."""
    session.install(*packages("execute", "types"))
    session.run("mypy", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Write the part of docs/translating.zh.md that explains every check anew, from the checks' own test tables."""
    session.install(*packages())
    session.run("python", "-m", "translators_page", env={"PYTHONPATH": "tests"})


@nox.session
def bench(session: nox.Session) -> None:
    """Measure CPU, time and memory beside Sphinx, mdpo and msgmerge; no test. `-- --rounds N`, `-- --only NAME`, one of them `execute`."""
    groups = ("bench", "execute") if {"execute", "--only=execute"} & set(session.posargs) else ("bench",)
    session.install("--constraint", "tests/bench/constraints.txt", *packages(*groups))
    session.run("python", "-m", "bench", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def pins(session: nox.Session) -> None:
    """Write constraints.txt anew: the newest versions of everything but JAX that fit together."""
    session.install("uv")
    groups = (word for group in ("site", "test", "lint", "types", "dask", "workflows") for word in ("--group", group))
    plain = ("--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links", "--quiet")
    found = session.run("uv", "pip", "compile", "pyproject.toml", *groups, "--universal", "--upgrade", *plain, silent=True)
    lines = [line for line in str(found).split("\n") if "==" in line and not line.startswith(("jax==", "jaxlib=="))]
    Path("constraints.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
