"""``--all``: one upstream after the other, all in one table; one that fails stops none."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import NoReturn

import pytest
from cases import read_tables
from folders import read_tree, snapshot, write_tree
from in_process import command

from pipeline.commands.pull import pull
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.site.progress import SiteSummary, front_page

CASES = read_tables(__file__)

NAMES = ("boats", "lamps", "mills")


def page(name: str) -> str:
    return f"# {name.title()}\n\nAll about {name}.\n\nMore of it.\n"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with three upstreams, which are folders. It is the current folder."""
    configuration = ""
    for name in NAMES:
        write_tree(tmp_path / name, {"index.md": page(name)})
        configuration += f'[tool.pipeline.upstreams.{name}]\nurl = "{name}"\n'
    (tmp_path / "pyproject.toml").write_text(configuration)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sync_each() -> None:
    """Sync every upstream in this process, where ``--all`` needs three."""
    for name in NAMES:
        command("sync", name, "--no-execute", "-q")


def test_every_upstream_is_synced_and_stands_in_one_table(hub: Path) -> None:
    told = command("sync --all --no-execute").out
    assert told.count("every upstream · zh_CN") == 1
    rows = [line.split()[0] for line in told.split("\n") if "0 %" in line]
    assert rows == [*NAMES, "3"]
    assert "3 upstreams, all succeeded" in told
    for name in NAMES:
        assert (hub / "translations/zh_CN" / name / "index.po").is_file()
        report = json.loads((hub / "build/reports" / name / "report.json").read_bytes())
        assert report["upstream"]["name"] == name
    before = snapshot(hub)
    command("sync --all --no-execute")
    assert snapshot(hub) == before


@pytest.mark.parametrize("line", ["pull --all", "sync --all --no-execute"])
def test_one_that_fails_stops_no_other(line: str, hub: Path) -> None:
    (hub / "lamps").rename(hub / "away")
    told = command(line, code=3)
    assert "failed: lamps (3)" in told.out
    assert "error: lamps: does not exist" in told.err
    locks = {path.name for path in (hub / "upstream").glob("*.lock")}
    assert locks == {"boats.lock", "mills.lock"}


def test_findings_are_told_and_counted_by_upstream(hub: Path) -> None:
    write_tree(hub / "lamps", {"index.md": page("lamps"), "bad.ipynb": "{"})
    told = command("sync --all --no-execute -q", code=4)
    assert "bad.ipynb" in told.err
    (row,) = (line for line in told.out.split("\n") if line.startswith(" lamps"))
    assert row.endswith("exit 4")
    command("status --all", code=4)


def test_programs_get_every_report(hub: Path) -> None:
    (hub / "mills").rename(hub / "away")
    told = command("sync --all --no-execute --json -q", code=3).json
    assert told["exit_code"] == 3
    assert list(told["upstreams"]) == list(NAMES)
    assert told["upstreams"]["mills"] == {"exit_code": 3, "report": None}
    assert told["upstreams"]["boats"]["report"]["upstream"]["name"] == "boats"


def test_status_writes_nothing(hub: Path) -> None:
    many = {f"page{number:02}.md": page("lamps") for number in range(12)}
    write_tree(hub / "lamps", many)
    sync_each()
    before = snapshot(hub)
    told = command("status --all").out
    assert " lamps " in told
    assert "page11" not in told
    assert "page11" in command("status lamps --every-page").out
    assert "page11" not in command("status lamps").out
    assert snapshot(hub) == before


@pytest.mark.parametrize(("words", "told"), CASES["words_about_one_upstream"])
def test_words_about_one_upstream(words: list[str], told: str, hub: Path) -> None:
    before = read_tree(hub)
    assert told in command(*words, code=2).err
    assert read_tree(hub) == before


@pytest.mark.slow
def test_every_site_has_a_folder_and_a_page_leads_to_them(hub: Path) -> None:
    (hub / "mills").rename(hub / "away")
    command("pull --all", code=3)
    told = command("site --all --no-execute", code=3).err
    assert "look at build/site/index.html" in told
    front = (hub / "build/site/index.html").read_text("utf-8")
    assert re.findall(r'href="([^"]*\.html)"', front) == [
        "boats/index.html",
        "lamps/index.html",
    ]
    assert "已译 0 %" in front
    assert (hub / "build/site/boats/index.html").is_file()


def test_a_site_without_words_is_translated() -> None:
    progress = {"words": 0, "translated": 0, "title": "<b>", "release": "1"}
    site = SiteSummary(name="a", title="A", progress=progress)
    html = front_page([site], locale="fr")
    assert "&lt;b&gt; 1 · 100 % translated" in html
    assert '<html lang="fr">' in html


# --- terms

TERMS = "source,target,context,translator_comments\n"


def test_one_upstream_may_have_terms_of_its_own_besides(hub: Path) -> None:
    """``boats`` calls a hull 船身, all others 船体: each is held to its own."""
    english = "# Hulls\n\nEvery hull is painted.\n"
    for name in ("boats", "lamps"):
        write_tree(hub / name, {"index.md": english})
    folder = hub / "translations" / "glossary"
    folder.mkdir(parents=True)
    (folder / "zh_CN.csv").write_text(f"{TERMS}hull,船体,,\npaint,涂漆,verb,\n")
    (folder / "zh_CN.boats.csv").write_text(f"{TERMS}hull,船身,,\n")
    sync_each()
    for name in ("boats", "lamps"):
        catalog = hub / f"translations/zh_CN/{name}/index.po"
        text = catalog.read_text("utf-8")
        empty = 'painted."\nmsgstr ""'
        assert empty in text
        text = text.replace(empty, 'painted."\nmsgstr "每个船身都涂漆。"')
        catalog.write_text(text, "utf-8")
    for what in ("boats", "translations/zh_CN/boats/index.po"):
        command("check", what, "--strict")
    told = command("check --strict", code=1).out
    assert "translations/zh_CN/lamps/index.po" in told
    assert "船体" in told
    assert "translations/zh_CN/boats/index.po" not in told
    # The memory is looked at in the same way.
    sync_each()
    assert "/boats/" not in command("check translations/memory --strict", code=1).out


# --- one process


def stop(*_: object, **__: object) -> NoReturn:
    raise KeyboardInterrupt


def test_an_interrupt_ends_all(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.commands.pull.pull", stop)
    told = command("pull --all", code=130).err
    assert told.count("interrupted") == 1
    assert "lamps" not in told


def test_a_bug_stops_no_other(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(run: Run, **options: object) -> RunResult:
        if run.name == "lamps":
            raise RuntimeError("a bug")
        return pull(run, ref=None)

    monkeypatch.setattr("pipeline.commands.pull.pull", broken)
    assert "failed: lamps (70)" in command("pull --all", code=70).out
    assert (hub / "upstream/mills.lock").is_file()


def test_a_late_failure_counts(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.commands.console.report_changes", stop_reporting)
    assert command("pull --all", code=70).out.count("exit 70") == 3


def stop_reporting(*_: object) -> NoReturn:
    raise RuntimeError("a bug")


@pytest.mark.slow
def test_nothing_of_one_upstream_is_left_for_the_next(hub: Path) -> None:
    """Sites of three upstreams, of other Markdowns and languages, are those made one by one."""
    tags = page("lamps") + "\n{% a %}\n"
    rest = "Guide\n=====\n\nSome words.\n"
    write_tree(hub / "lamps", {"index.md": tags, "guide.rst": rest})
    tip = page("mills") + '\n!!! note "A tip"\n\n    Some words.\n'
    write_tree(hub / "mills", {"mkdocs.yml": "", "index.md": tip})
    for name in NAMES:
        command("sync", name, "--no-execute")
        command("site", name, "--no-execute")
    alone = _published(hub)
    shutil.rmtree(hub / "build")
    for _ in range(2):
        command("sync --all --no-execute")
        command("site --all --no-execute")
        assert _published(hub) == alone


def _published(hub: Path) -> dict[str, bytes]:
    """The pages and what was merged, of all upstreams."""
    files = read_tree(hub / "build")
    return {
        path: data
        for path, data in files.items()
        if path.startswith(("site/", "zh_CN/")) and path.endswith((".html", ".md", ".rst"))
        if path != "site/index.html"
    }
