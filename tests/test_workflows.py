"""GitHub's workflows: what they call is there, and they can do no more than they say.

`nox -s workflows` lints them.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trial
import yaml
from cases import read_tables
from places import ROOT, TESTS
from sessions import SESSIONS

from pipeline.cli import COMMANDS, parse

FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
CASES = read_tables(__file__)
INSTALLS = (
    "python -m pip install --upgrade 'pip>=25.1'",
    'echo "$REQUIREMENTS" | xargs python -m pip install',
)
SHELL = {*"if then for while case eval source curl wget bash sh python3".split()}
Job = dict[str, Any]


def read(path: Path) -> dict[str, Any]:
    value: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 takes `on` for a truth value.
    return {"on" if key is True else key: part for key, part in value.items()}


def jobs() -> Iterator[tuple[str, str, Job]]:
    """Every job: the name of its workflow, its own, and what it is."""
    for path in FILES:
        for name, job in read(path)["jobs"].items():
            yield path.stem, name, job


def steps(workflow: str | None = None) -> Iterator[dict[str, Any]]:
    """Every step of the jobs, or of those of one workflow."""
    for name, _, job in jobs():
        if workflow in (None, name):
            yield from job.get("steps", ())


def commands(workflow: str | None = None) -> Iterator[str]:
    """Every line that a step runs; one that goes on in the next is one line."""
    for step in steps(workflow):
        lines = re.sub(r"\s*\n\s+", " ", step.get("run", "")).split("\n")
        yield from filter(None, map(str.strip, lines))


def words_of(program: str) -> list[list[str]]:
    """The words behind ``program`` in each line that begins with it."""
    return [
        shlex.split(line.removeprefix(program), comments=True)
        for line in commands()
        if line.startswith(program)
    ]


def test_the_workflows_are_these() -> None:
    events = {path.stem: sorted(read(path)["on"]) for path in FILES}
    assert events == CASES["events"]


def test_sessions_exist_and_their_arguments_are_understood() -> None:
    called: set[str] = set()
    for option, *words in words_of("nox "):
        names, arguments = words, list[str]()
        if "--" in words:
            names = words[: words.index("--")]
            arguments = words[len(names) + 1 :]
        assert option == "-s"
        called.update(names)
        if names[0] in COMMANDS:
            assert parse([names[0], *arguments]).command == names[0]
        elif names[0] == "package":
            assert trial.arguments(arguments).pythons == list(trial.PYTHONS)
        else:
            assert not arguments, words
    assert called >= {*"lint types workflows tests sync site upgrade build".split()}
    assert called <= SESSIONS.keys()
    for words in words_of("python -m pipeline "):
        parse(words)


def test_a_pull_request_is_reviewed_also_where_translations_have_errors() -> None:
    docs = read(FOLDER / "ci.yml")["jobs"]["docs"]["steps"]
    assert docs[0]["with"]["fetch-depth"] == 0
    runs = {step["run"]: step.get("if", "") for step in docs if "run" in step}
    (check,) = (run for run in runs if "nox -s check" in run)
    assert "translations/memory" in check
    assert "--format github" in check
    for run in (check, "nox -s review"):
        assert "!cancelled()" in runs[run]
    assert "pull_request" in runs["nox -s review"]


def test_a_release_is_tried_with_every_python_that_ci_tests() -> None:
    matrix = read(FOLDER / "ci.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == list(trial.PYTHONS)
    package = read(FOLDER / "release.yml")["jobs"]["package"]["steps"]
    (set_up,) = (
        step["with"]["python-version"].split()
        for step in package
        if step.get("uses", "").startswith("actions/setup-python@")
    )
    assert sorted(set_up) == list(trial.PYTHONS)
    assert set_up[-1] == trial.PYTHONS[0], "nox runs on the oldest one, as in ci"


def test_a_release_is_made_of_tags_only_and_attaches_all_that_jobs_have_made() -> None:
    workflow = read(FOLDER / "release.yml")
    assert workflow["on"]["push"] == {"tags": ["v*"]}
    attach = workflow["jobs"]["attach"]
    assert attach["if"] == "${{ github.ref_type == 'tag' }}"
    assert {*attach["needs"], "attach"} == set(workflow["jobs"])
    (pattern,) = (
        step["with"]["pattern"] for step in attach["steps"] if "pattern" in step.get("with", {})
    )
    assert pattern == "release-*"


@pytest.mark.parametrize("workflow", sorted(CASES["ran_by_hand"]))
def test_steps_run_nox_and_little_else(workflow: str) -> None:
    allowed = (
        "nox -s ",
        "python -m pip install --constraint constraints.txt nox uv",
        *INSTALLS,
        *(f"{word} " for word in CASES["ran_by_hand"][workflow]),
    )
    for line in commands(workflow):
        assert line.startswith(allowed)
        assert SHELL.isdisjoint(re.findall(r"[\w-]+", line)), line


def test_nothing_is_put_into_a_command_by_github() -> None:
    """What comes from outside (a title, a branch, an input) comes as a variable.

    It is never text of the command.
    """
    assert [line for line in commands() if "${{" in line] == []


def test_actions_are_pinned_by_commit_and_say_their_version() -> None:
    pins: dict[str, set[str]] = {}
    for path in FILES:
        uses = re.findall(r"uses: *(.*)", path.read_text(encoding="utf-8"))
        assert uses
        for one in uses:
            if one.startswith("./.github/workflows/"):
                assert (ROOT / one.split(" ")[0]).is_file()
                continue
            match = re.fullmatch(
                r"(actions/[a-z-]+)(?:/[a-z]+)?(@[0-9a-f]{40} # v\d+\.\d+\.\d+)", one
            )
            assert match, f"{path.name}: {one}"
            pins.setdefault(match[1], set()).add(match[2])
    assert {action: found for action, found in pins.items() if len(found) != 1} == {}, (
        "one version of each"
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_runs_are_limited(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {}, "each job says what it needs"
    assert workflow["concurrency"]["group"]
    assert "cancel-in-progress" in workflow["concurrency"]
    for job in workflow["jobs"].values():
        if "uses" not in job:  # each job of that workflow has its own limit
            assert 0 < job["timeout-minutes"] <= 120
        assert set(job["permissions"].values()) <= {"read", "write"}


def test_who_may_write_runs_nothing_of_others() -> None:
    """Jobs that run packages or pages have a token that reads the repository and nothing else."""
    for _, name, job in jobs():
        writes = {what for what, how in job["permissions"].items() if how == "write"}
        assert writes == set(CASES["writing"].get(name, ())), name
        if not writes:
            # A job without a step that needs the repository may not even read it.
            assert job["permissions"] in ({"contents": "read"}, {}), name
            continue
        for step in job.get("steps", ()):
            assert not re.search("nox|pip", step.get("run", "")), name


def test_the_token_is_not_left_in_the_checkout() -> None:
    checkouts = [step for step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_pull_requests_get_no_secrets_and_leave_nothing_behind() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in FILES}
    for name, text in texts.items():
        assert not re.search(r"secrets\.|pull_request_target|workflow_run", text), name
    # What a pull request keeps must not reach the site.
    assert "actions/cache" not in texts["ci"] + texts["check-docs"]
    readers = ("ci", "check-docs", "publish-docs")
    assert not any("github.token" in texts[name] for name in readers)
    with_token = [name for _, name, job in jobs() if "github.token" in str(job)]
    assert set(with_token) <= set(CASES["writing"])


def arguments_of(uses: str, given: Job) -> dict[str, str]:
    """What a job hands to a workflow of ours; a name that it does not know is an error."""
    inputs = read(ROOT / uses)["on"]["workflow_call"]["inputs"]
    assert set(given) <= set(inputs), uses
    assert {name for name, row in inputs.items() if row.get("required")} <= set(given)
    return {name: str(value) for name, value in given.items()}


def test_ours_use_the_workflows_that_others_use() -> None:
    called = {
        (workflow, job["uses"]): arguments_of(job["uses"], job["with"])
        for workflow, _, job in jobs()
        if "uses" in job
    }
    assert called["ci", "./.github/workflows/check-docs.yml"]["upstream"] == "sample"
    assert called["site", "./.github/workflows/publish-docs.yml"]["upstream"] == "jax"


@pytest.mark.parametrize("name", ["check-docs", "publish-docs"])
def test_a_job_that_calls_a_workflow_gives_it_what_it_needs(name: str) -> None:
    """Called jobs cannot have more than the caller: one that lacks a permission fails at once."""
    needed = {
        (what, how)
        for job in read(FOLDER / f"{name}.yml")["jobs"].values()
        for what, how in job["permissions"].items()
    }
    for _, caller, job in jobs():
        if job.get("uses", "").endswith(f"/{name}.yml"):
            assert set(job["permissions"].items()) == needed, caller


def test_what_was_proposed_before_is_merged_by_entry() -> None:
    upgrade = read(FOLDER / "sync.yml")["jobs"]["upgrade"]["steps"]
    runs = [step.get("run", "") for step in upgrade]
    (merge,) = (at for at, run in enumerate(runs) if "git merge" in run)
    setup = runs.index("nox -s memory -- setup")
    (named,) = (at for at, run in enumerate(runs[:merge]) if "user.email" in run)
    assert named < setup < merge
    # The English of a conflict stands in the catalogues; what made them must not be in the way.
    assert runs[setup + 1].startswith("nox -s sync -- jax --no-execute")
    assert "git stash --quiet --include-untracked" in runs[merge]
    asked = {upgrade[at]["if"] for at in (setup, setup + 1, merge)}
    assert asked == {"${{ steps.proposed.outputs.branch != '' }}"}


def test_a_release_is_reported_by_one_issue(tmp_path: Path) -> None:
    program = tmp_path / "gh"
    # A stand-in for GitHub's program: it keeps issues in a file, and knows what the script asks.
    script = (TESTS / "data" / "gh.txt").read_text("utf-8")
    program.write_text(script.replace("{python}", sys.executable), encoding="utf-8")
    program.chmod(0o755)
    store, summary = tmp_path / "issues.json", tmp_path / "upgrade.md"
    path = f"{tmp_path}:{os.environ['PATH']}"
    for title, body in (
        ("Show beside jax v1 the release v2", "no wheel"),
        ("Show beside jax v1 the release v2", "less to do"),
        ("Upgrade jax from v1 to v2", "a wheel"),
        ("Upgrade jax from v2 to v3", "next"),
    ):
        summary.write_text(f"# {title}\n\n{body}\n", encoding="utf-8")
        subprocess.run(
            [ROOT / ".github" / "report-release", summary],
            env={"PATH": path, "STORE": str(store)},
            check=True,
        )
    issues = json.loads(store.read_text(encoding="utf-8"))
    assert [issue["title"] for issue in issues] == [
        "Upstream has released v2",
        "Upstream has released v3",
    ]
    assert "a wheel" in issues[0]["body"]
