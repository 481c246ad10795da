"""What is run, how, and under which key: planned without running anything."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kernel_project import MYST
from msgspec import structs
from msgspec.structs import replace
from notebooks import code, notebook
from runs import run_of

from pipeline.adapters import cluster
from pipeline.adapters.kernel import Startup, sandbox
from pipeline.adapters.kernel.sandbox import copy_data
from pipeline.config.settings import (
    BUILT_IN_MODES,
    ExecutionPolicy,
    Mode,
    RunRule,
    Settings,
    SkipRule,
    Upstream,
)
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.errors import ConfigError, InputError
from pipeline.limits import DATA_BYTES, DATA_FILES, Limit
from pipeline.stages.execute.plan import ExecutionContext, Task, plan
from pipeline.stages.execute.startup import startup_findings, startup_of

LIMITS = ("timeout", "page_timeout", "stall", "wall_timeout", "memory", "output")
RULES = ("until", "devices", "timeout", "page_timeout")
QUIET = Mode(name="quiet", note="without a sound", startup="startup/quiet.py")


def stage(
    root: Path,
    *,
    offline: bool = False,
    policy: ExecutionPolicy | None = None,
    **upstream: tuple[object, ...],
) -> ExecutionContext:
    """A stage on the docs in ``root``; what was read of data by another one is not known to it."""
    found = Upstream(package="JAX", version="1", name="demo", url="x", **upstream)  # type: ignore[arg-type] # rules of either kind
    settings = Settings(
        root=root,
        locales=(),
        upstreams={"demo": found},
        execution=policy or ExecutionPolicy(),
    )
    run = run_of(settings, found, locales=())
    return ExecutionContext(run=run, offline=offline, environment={"package jax": "1"})


def page(name: str, *suffixes: str) -> Page:
    paths = [f"{name}{suffix}" for suffix in suffixes or (".ipynb",)]
    files = tuple(SourceFile(path=path, blob="0" * 40) for path in paths)
    return Page(name=name, files=files)


def rule(root: Path, **fields: object) -> ExecutionContext:
    """A stage with a rule for all pages."""
    return stage(root, run=(RunRule(pages=("*",), reason="accelerator", **fields),))  # type: ignore[arg-type] # any field


def task(stage: ExecutionContext, name: str = "guide/page", *suffixes: str) -> Task:
    found = plan(stage, page(name, *suffixes))
    assert isinstance(found, Task)
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    docs = tmp_path / "one" / "upstream" / "demo"
    (docs / "guide" / "data").mkdir(parents=True)
    cells = (code("1"), code("2"), code("3"))
    (docs / "guide" / "page.ipynb").write_text(notebook(*cells))
    (docs / "guide" / "data" / "numbers.txt").write_text("12")
    (tmp_path / "one" / "startup").mkdir()
    (tmp_path / "one" / QUIET.startup).write_text("volume = 0\n")
    return tmp_path / "one"


def test_the_key_depends_on_no_place_and_no_date(root: Path) -> None:
    other = shutil.copytree(root, root.parent / "another")
    os.utime(other / "upstream/demo/guide/page.ipynb", (0, 0))
    assert task(stage(other)).key == task(stage(root)).key


def test_data_that_code_can_read_is_part_of_the_key(root: Path) -> None:
    guide = root / "upstream/demo/guide"
    before = task(stage(root)).key
    for hidden in ("other.ipynb", "other.md", ".hidden", "_static"):
        (guide / hidden).write_text("x")
    (guide / "link.txt").symlink_to("/etc/hostname")
    (guide.parent / "above.txt").write_text("x")
    assert task(stage(root)).key == before
    keys = {before}
    texts = {"data/numbers.txt": "34", "data/more.txt": "12", "module.py": "x = 1"}
    for name, text in texts.items():
        (guide / name).write_text(text)
        keys.add(task(stage(root)).key)
    (guide / "data/numbers.txt").rename(guide / "data/renamed.txt")
    keys.add(task(stage(root)).key)
    assert len(keys) == 5


@pytest.mark.parametrize(
    ("limit", "sizes"),
    [
        (DATA_FILES, [0] * DATA_FILES.most),
        (DATA_BYTES, [DATA_BYTES.most // 2] * 2),  # sparse files take no space
    ],
)
def test_only_the_pages_beside_too_much_data_fail(
    root: Path, tmp_path: Path, limit: Limit, sizes: list[int]
) -> None:
    docs, copy = root / "upstream/demo", tmp_path / "copy"
    shutil.copytree(docs / "guide", docs / "small")
    task(stage(root))
    for number, size in enumerate(sizes):
        with (docs / f"guide/data/{number}").open("wb") as file:
            file.truncate(size)
    context = stage(root)
    failed = plan(context, page("guide/page"))
    assert isinstance(failed, Execution)
    assert failed.status is Status.FAILED
    most = f"{limit.things}; at most {limit.most:,} are read\n  Move files that no page"
    assert re.search(rf"guide: has [\d,]+ {most}", failed.reason)
    task(context, "small/page")
    for door in (partial(copy_data, target=copy), cluster._packed):
        with pytest.raises(InputError, match=f"guide: has [\\d,]+ {limit.things}"):
            door(docs / "guide")
    assert not copy.exists()


def test_every_part_of_the_policy_is_part_of_the_key(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_VARIABLE", "1")
    louder = structs.replace(QUIET, variables={"VOLUME": "1"})
    policies: list[dict[str, Any]] = [
        dict.fromkeys(LIMITS, 300),
        *({name: 301} for name in LIMITS),
        {"variables": ("SOME_VARIABLE",)},
    ]
    in_order = (QUIET, *BUILT_IN_MODES)
    rules: list[dict[str, Any]] = [
        *({name: number} for name in RULES for number in (2, 3)),
        {"modes": (QUIET,)},
        {"modes": (louder,)},
        {"modes": BUILT_IN_MODES},
        {"modes": in_order},
        {"modes": in_order[::-1]},
    ]
    stages = [
        stage(root),
        stage(root, offline=True),
        *(stage(root, policy=ExecutionPolicy(**fields)) for fields in policies),
        *(rule(root, **fields) for fields in rules),
    ]
    keys = [task(one).key for one in stages]
    assert len({*keys}) == len(stages)
    for fields in ({"jobs": 5}, {"cache": 5}, {"variables": ("NO_SUCH_VARIABLE",)}):
        policy = ExecutionPolicy(**fields)
        assert task(stage(root, policy=policy)).key == keys[0]
    monkeypatch.setenv("SOME_VARIABLE", "2")
    number = 1 + len(policies)
    assert task(stages[number]).key != keys[number]


def test_what_a_startup_file_says_is_part_of_the_key(root: Path) -> None:
    code, quiet = root / QUIET.startup, rule(root, modes=(QUIET,))
    before = task(quiet)
    startup = Startup(name="startup/quiet.py", text="volume = 0\n")
    assert before.policy.startup == (startup,)
    assert before.note == "without a sound"
    # A file that is moved within the machine, or made anew, says the same.
    os.utime(code, (0, 0))
    assert task(quiet).key == before.key
    code.write_text("volume = 1\n")
    assert task(quiet).key != before.key


def test_what_people_are_told_of_a_mode_is_no_part_of_the_key(root: Path) -> None:
    other = structs.replace(QUIET, name="silent", note="silently", cell_seconds=9.0)
    first, second = (task(rule(root, modes=(mode,))).key for mode in (QUIET, other))
    assert first == second


def test_a_mode_counts_more_than_the_machine_and_a_later_one_more_than_another(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOLUME", "1")
    monkeypatch.setenv("TONE", "high")
    modes = (
        Mode(name="2", note="2", variables={"VOLUME": "2"}),
        Mode(name="3", note="3", variables={"VOLUME": "3"}),
    )
    rules = (RunRule(pages=("*",), reason="accelerator", modes=modes),)
    policy = ExecutionPolicy(variables=("VOLUME", "TONE"))
    found = task(stage(root, run=rules, policy=policy))
    assert found.policy.variables == {"VOLUME": "3", "TONE": "high"}
    assert (found.policy.startup, found.note) == ((), "2, 3")


def test_devices_add_flags(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_other")
    rules = (RunRule(pages=("*",), reason="accelerator", devices=8),)
    policy = ExecutionPolicy(variables=("XLA_FLAGS",))
    flag = "--xla_force_host_platform_device_count=8"
    found = task(stage(root, run=rules, policy=policy))
    assert found.policy.variables == {"XLA_FLAGS": f"--xla_other {flag}"}
    alone = task(stage(root, run=rules)).policy
    assert alone.variables == {"XLA_FLAGS": flag}
    assert found.note == "with 8 CPU devices"


def test_a_page_runs_whole_where_all_is_installed_that_it_needs(root: Path) -> None:
    def found(*needs: str) -> Task:
        context = rule(root, needs=needs, until=2, modes=BUILT_IN_MODES, devices=2)
        installed = {"package some": "1", "package some_more": "2"}
        return task(replace(context, environment=installed))

    whole = found("some", "some-more")
    assert whole.rule.until == 0
    assert whole.note == "with stand-in data, with 2 CPU devices"
    assert [code.name for code in whole.policy.startup] == ["stand-in-data.py"]
    part = found("some", "no-such-distribution")
    assert (part.rule.until, part.note, part.policy.startup) == (2, "", ())


def test_a_rule_that_skips_comes_before_one_that_runs(root: Path) -> None:
    skip = SkipRule(pages=("*",), reason="heavy package")
    run = RunRule(pages=("*",), reason="accelerator", until=2)
    found = plan(stage(root, skip=(skip,), run=(run,)), page("guide/page"))
    assert isinstance(found, Execution)
    assert (found.status, found.reason) == (Status.SKIPPED, "heavy package")
    assert found.total == 3


def test_of_a_pair_only_the_notebook_decides(root: Path) -> None:
    twin = root / "upstream/demo/guide/page.md"
    twin.write_text(MYST)
    before = task(stage(root), "guide/page", ".ipynb", ".md")
    twin.write_text(MYST.replace("from myst", "changed"))
    assert task(stage(root), "guide/page", ".ipynb", ".md").key == before.key
    assert task(stage(root), "guide/page", ".md").key != before.key


def test_how_long_a_page_may_take_is_told_from_its_code_alone(root: Path) -> None:
    def seconds(**fields: object) -> float:
        return task(rule(root, **fields)).seconds

    usual = task(stage(root)).seconds
    slow, quick = (structs.replace(QUIET, cell_seconds=cell) for cell in (5.0, 0.001))
    assert seconds(until=2) < usual == seconds(modes=(QUIET,)) < seconds(modes=(slow,))
    assert seconds(modes=(quick,)) < usual
    # The slowest one counts.
    assert seconds(modes=(quick, slow, QUIET)) == seconds(modes=(slow,))
    assert seconds(modes=(quick, QUIET)) == usual
    other = structs.replace(stage(root), environment={"package jax": "2"})
    assert task(other).seconds == usual


# Start-up files of modes.


PATH = QUIET.startup
LEADS_OUT = "is a link that leads out of the project"
HINT = "Mend it, or change tool.pipeline.modes.quiet.startup."


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "startup").mkdir(parents=True)
    return project


def test_the_code_is_what_the_file_says_letter_by_letter(bare: Path) -> None:
    text = "x = '静'\r\ny = 1\n"
    (bare / PATH).write_bytes(text.encode())
    assert startup_of([QUIET], bare) == (Startup(name=PATH, text=text),)


def test_modes_keep_their_order_and_one_without_code_has_none(bare: Path) -> None:
    (bare / PATH).write_text("1")
    (stand_in,) = BUILT_IN_MODES
    loud = Mode(name="loud", note="aloud", variables={"VOLUME": "9"})
    found = startup_of([stand_in, loud, QUIET], bare)
    assert [code.name for code in found] == ["stand-in-data.py", PATH]
    own = sandbox.STARTUP / "stand-in-data.py"
    assert found[0].text == own.read_text("utf-8")


def test_a_link_may_lead_to_a_file_of_the_project(bare: Path) -> None:
    (bare / "code.py").write_text("1")
    (bare / PATH).symlink_to("../code.py")
    assert startup_of([QUIET], bare)[0].text == "1"


# What is made in the file's place, or its bytes, or the target of a link; the line that is named;
# what is said.
BAD: dict[str, tuple[Callable[[Path], object] | bytes | str, str, str]] = {
    "missing": (lambda path: None, "", "cannot be read: No such file or directory"),
    "a folder": (Path.mkdir, "", "is not a file"),
    "a pipe": (os.mkfifo, "", "is not a file"),
    "a link out": ("/etc/hostname", "", LEADS_OUT),
    "a link to nothing out": ("../../nothing.py", "", LEADS_OUT),
    "a link to itself": ("quiet.py", "", "cannot be read: Too many levels of symbolic"),
    "not UTF-8": (b"x = 1\n#\n# \xff\n", ":3", "is not UTF-8"),
    "not Python": (b"x = 1\nif x\n", ":2", "is not Python: expected ':'"),
    "of a function": (b"\nreturn\n", ":2", "is not Python: 'return' outside function"),
    "NUL": (b"\0", "", "is not Python: "),
    "nested without end": (b"x = " + b"-" * 100_000 + b"1", "", "is not Python: "),
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_cannot_be_used_is_told(bare: Path, case: str) -> None:
    content, line, message = BAD[case]
    if isinstance(content, bytes):
        (bare / PATH).write_bytes(content)
    elif isinstance(content, str):
        (bare / PATH).symlink_to(content)
    else:
        content(bare / PATH)
    with pytest.raises(ConfigError) as caught:
        startup_of([QUIET], bare)
    error = caught.value
    assert f"the start-up file of the mode 'quiet' {message}" in error.what
    assert error.where == f"{PATH}{line}"
    assert error.hint == HINT


def test_a_folder_that_leads_out_is_told(bare: Path) -> None:
    (bare / "startup").rmdir()
    (bare.parent / "elsewhere").mkdir()
    (bare.parent / "elsewhere" / "quiet.py").write_text("1")
    (bare / "startup").symlink_to("../elsewhere")
    with pytest.raises(ConfigError, match="leads out of the project"):
        startup_of([QUIET], bare)


def test_code_with_warnings_is_code(bare: Path) -> None:
    (bare / PATH).write_text(r"x = '\d'")
    assert startup_of([QUIET], bare)


def test_each_file_is_told_once_however_many_rules_name_it(bare: Path) -> None:
    loud = Mode(name="loud", note="aloud", startup="loud.py")
    (bare / "loud.py").write_text("1")
    rules = [
        RunRule(pages=(page,), reason="accelerator", modes=(QUIET, loud)) for page in ("a", "b")
    ]
    upstream = Upstream(package="JAX", version="1", name="demo", url="x", run=tuple(rules))
    settings = Settings(root=bare, locales=(), upstreams={"demo": upstream})
    (found,) = startup_findings(run_of(settings, upstream, locales=()))
    assert (found.where, found.exit_code) == (PATH, 2)
    assert "'quiet'" in found.text
