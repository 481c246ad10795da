"""From release to release, on real git repositories, as a user runs it.

Looked at are the pin, the move and the way back.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cases import read_tables
from catalog_files import edit_catalog, read_catalog
from folders import write_tree
from in_process import command
from inventories import inventory
from msgspec.structs import replace
from repositories import commit_release, git, init_repository
from runs import run_of
from wheels import make_index

from pipeline.adapters import po
from pipeline.adapters.files import write_atomic
from pipeline.commands import rollback as stage
from pipeline.commands.upgrade import UpgradeOptions, upgrade
from pipeline.config.reader import read_settings
from pipeline.entries import Entry
from pipeline.errors import ConfigError
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.report import upgrade as upgrade_report

CASES = read_tables(__file__)

CONFIG = """\
# The project.
[dependency-groups]
jax = [
    "jax==1.0.0",  # the one pin
    'jaxlib==1.0.0',
]

[tool.pipeline]
locales = ["zh_CN"]

[tool.pipeline.upstreams.jax]
url = "origin"  # where from
ref = "jax-v{version}"
package = "JAX"
docs = "docs"

[tool.pipeline.upstreams.other]
url = "elsewhere"
"""

FRONT = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n\n"
CELL = "\n```{code-cell}\nrun(1)\n```\n"
FIRST = {
    "index.md": (
        "# Welcome\n\nThis page tells what the others are about.\n\n"
        "It will say the same for ever and ever.\n"
    ),
    "guide.md": f"{FRONT}# A guide\n\nRead the first chapter before you begin.\n{CELL}",
    "gone.md": "# Soon to go\n\nNobody will miss this short page at all.\n",
    "old-name.md": "# Under a name\n\nThis text moves to another file and stays as it is.\n",
}
SECOND = {
    "index.md": (
        "# Welcome\n\nThis page tells what all the others are about.\n\n"
        "It will say the same for ever and ever.\n"
    ),
    "guide.md": FIRST["guide.md"].replace("run(1)", "run(2)"),
    "new.md": "# Something new\n\nThere was never anything like it.\n",
    "new-name.md": FIRST["old-name.md"],
}


def in_docs(pages: dict[str, str]) -> dict[str, str]:
    return {f"docs/{path}": text for path, text in pages.items()}


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project at 1.0.0, synced and fully translated.

    Its upstream also has 0.9.0 (no pages), 0.9.1 (no docs) and 1.1.0.
    """
    root = tmp_path_factory.mktemp("upgrade") / "project"
    origin = init_repository(root / "origin")
    commit_release(origin, "jax-v0.9.0", {"docs/notes.txt": "no page"})
    commit_release(origin, "jax-v0.9.1", {"src/notes.txt": "no docs"})
    commit_release(origin, "jax-v1.0.0", in_docs(FIRST))
    commit_release(origin, "jax-v1.1.0", in_docs(SECOND))
    (root / "pyproject.toml").write_text(CONFIG)
    sync = ("sync --no-execute -q --upstream", origin, "--config", root / "pyproject.toml")
    command(*sync)
    for path in (root / "translations" / "zh_CN" / "jax").rglob("*.po"):
        edit_catalog(path, lambda entry: replace(entry, msgstr=f"译：{entry.msgid}"))
    # As whoever works in it does; a copy of the project has nothing to do then.
    command(*sync)
    return root


@pytest.fixture(autouse=True)
def root(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project. It is the current folder."""
    root = tmp_path / "project"
    shutil.copytree(template, root)
    monkeypatch.chdir(root)
    return root


PROJECT = Path("pyproject.toml")
CATALOGS = Path("translations/zh_CN/jax")
KEPT = Path("build/upgrade")  # what an upgrade puts back if it fails
BEFORE = ("1.0.0", "jax-v1.0.0", "1.0.0")
AFTER = ("1.1.0", "jax-v1.1.0", "1.1.0")


def entries() -> dict[tuple[str, str], Entry]:
    return {
        (path.relative_to(CATALOGS).as_posix().removesuffix(".po"), entry.msgid): entry
        for path in CATALOGS.rglob("*.po")
        for entry in read_catalog(path).entries
    }


def translated() -> dict[tuple[str, str], str]:
    found = entries().items()
    return {key: entry.msgstr for key, entry in found if entry.is_translated}


def committed() -> dict[str, tuple[int, bytes]]:
    """Everything that an upgrade may change and must put back if it fails."""
    folders = (Path("upstream"), Path("translations"))
    paths = [PROJECT, *(path for folder in folders for path in folder.rglob("*"))]
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths if path.is_file()
    }


def pinned() -> tuple[str, str, str]:
    """JAX version of the configuration, ref and JAX version of the lock."""
    lock = json.loads(Path("upstream/jax.lock").read_text())
    upstream = read_settings(PROJECT, environ={}).upstream("jax")
    return upstream.version, lock["ref"], lock["version"]


def interrupt() -> None:
    raise KeyboardInterrupt


class Reacting(io.StringIO):
    """A log that does something when it is told of a step: what happens in the middle of a run."""

    def __init__(self, word: str, act: Callable[[], None]) -> None:
        super().__init__()
        self.word, self.act = word, act

    def write(self, text: str) -> int:
        if text.startswith(self.word):
            self.act()
        return super().write(text)


def upgrade_until(word: str, act: Callable[[], None] = interrupt) -> None:
    """Upgrade to 1.1.0, and do something at a step of the run."""
    settings = read_settings(PROJECT.absolute(), environ={})
    log = Log(stream=Reacting(word, act))
    run = run_of(settings, settings.upstream("jax"), log=log)
    upgrade(run, UpgradeOptions(target="1.1.0", config=PROJECT.absolute()))


# --- the move


def test_an_upgrade_moves_pin_pages_and_translations() -> None:
    said = command("upgrade 1.1.0")
    assert pinned() == AFTER
    moved = CONFIG.replace('"jax==1.0.0"', '"jax==1.1.0"')
    moved = moved.replace("'jaxlib==1.0.0'", '"jaxlib==1.1.0"')
    assert PROJECT.read_text() == moved
    for line in (
        "JAX 1.0.0) → jax-v1.1.0 (",
        "pages that appeared: 1 (new)",
        "pages that vanished: 1 (gone)",
        "pages that were renamed: 1 (old-name → new-name)",
        "pages whose code changed: 1 (guide)",
    ):
        assert line in said.out
    assert "no code has run on JAX 1.1.0 yet" in said.err
    assert not KEPT.exists()
    kept = "It will say the same for ever and ever."
    assert translated()["index", kept] == f"译：{kept}"
    fuzzy = entries()["index", "This page tells what all the others are about."]
    assert fuzzy.fuzzy
    assert fuzzy.previous == "This page tells what the others are about."
    moved = "This text moves to another file and stays as it is."
    assert ("new-name", moved) in translated()
    # Now there is nothing to do, and code runs only on the JAX of the pin.
    before = committed()
    for words in ("sync --no-execute", "upgrade 1.1.0", "upgrade 1.1.0 --check"):
        assert "nothing to write" in command(words).err
    assert committed() == before
    told = command("build", code=6).err
    assert "error: the pin is JAX 1.1.0, but " in told
    assert "python -m pip install '.[execute]'" in told


def test_an_upgrade_asks_other_sites_for_the_names_of_the_new_docs(root: Path) -> None:
    sites = "\n[tool.pipeline.upstreams.jax.site.inventories]\n"
    PROJECT.write_text(f'{CONFIG}{sites}lamps = "http://127.0.0.1:9/"\n')
    known = Paths(root, "jax").other_inventory("lamps")
    known.parent.mkdir(parents=True)
    known.write_bytes(
        inventory("lamp.on py:function 1 a.html#$ -", "lamp.off py:data 1 a.html#$ -")
    )
    asking = {**SECOND, "new.md": "# New\n\nThere is {func}`lamp.on` for that.\n"}
    commit_release(root / "origin", "jax-v1.2.0", in_docs(asking))
    command("upgrade 1.2.0 -q")
    names = Path("upstream/jax.names.lock").read_text()
    assert "lamp.on" in names
    assert "lamp.off" not in names
    before = committed()
    command("sync --no-execute -q")
    assert committed() == before


def test_an_upgrade_and_the_way_back_lose_nothing() -> None:
    before = translated()
    command("upgrade 1.1.0 -q")
    command("upgrade 1.0.0 -q")
    assert pinned() == BEFORE
    assert before.items() <= translated().items()


@pytest.mark.parametrize(("option", "code"), [("--dry-run", 0), ("--check", 1)])
def test_dry_run_writes_nothing_and_says_the_same(option: str, code: int) -> None:
    before = committed()
    build = Path("build")
    built = {path: path.stat().st_mtime_ns for path in build.rglob("*")}
    tried = command("upgrade 1.1.0", option, "--json", code=code)
    assert "would be written" in tried.err
    assert committed() == before
    assert {path: path.stat().st_mtime_ns for path in built} == built
    caches = {"cache", "docstrings", "environments", "git", ".lock"}
    assert {path.name for path in build.rglob("*") if path not in built} <= caches
    real = command("upgrade 1.1.0 --json").json
    assert {**tried.json, "exit_code": 0} == real
    assert real["comparison"]["updates"]["zh_CN"]["index"]["fuzzy"]


def test_any_ref_with_its_version() -> None:
    command("upgrade main --package-version 1.1.0 -q")
    assert pinned() == ("1.1.0", "main", "1.1.0")
    assert 'ref = "main"' in PROJECT.read_text()
    command("upgrade 1.0.0 -q")
    back = CONFIG.replace("'jaxlib==1.0.0'", '"jaxlib==1.0.0"')
    assert PROJECT.read_text() == back


def test_a_clone_without_checkout() -> None:
    """What is pinned is read from git: the lock is committed, the checkout is not."""
    write_tree(Path("upstream/jax"), {})
    assert "pages whose code changed: 1 (guide)" in command("upgrade 1.1.0").out


def test_a_pinned_commit_that_upstream_lost() -> None:
    lock = Path("upstream/jax.lock")
    lock.write_text(re.sub(r"\b[0-9a-f]{40}\b", "1" * 40, lock.read_text(), count=1))
    Path("upstream/jax/guide.md").unlink()
    assert "every page counts as new" in command("upgrade 1.1.0").err
    assert pinned() == AFTER


def test_the_first_thing_that_is_done() -> None:
    """Nothing is pulled yet: what is pinned is what the move starts from."""
    Path("upstream/jax.lock").unlink()
    assert "jax-v1.0.0 (" in command("upgrade 1.1.0").out
    assert pinned() == AFTER


# --- refusals: nothing is written


@pytest.mark.parametrize(("arguments", "code", "what"), CASES["a_target_without_sense_is_refused"])
def test_a_target_without_sense_is_refused(arguments: list[str], code: int, what: str) -> None:
    before = committed()
    assert what in command("upgrade", *arguments, code=code).err
    assert committed() == before


def test_a_configuration_without_pin() -> None:
    PROJECT.write_text(CONFIG.replace('"jax==1.0.0"', '"jax>=1.0.0"'))
    before = committed()
    assert "must pin jax to one version" in command("upgrade 1.1.0", code=2).err
    assert committed() == before


def test_no_room_for_the_way_back() -> None:
    KEPT.write_text("a file where a folder should be")
    before = committed()
    assert "nothing has changed" in command("upgrade 1.1.0 -q", code=70).err
    assert committed() == before


def test_upgrading_to_where_one_is_says_so_and_does_nothing() -> None:
    before = committed()
    # A killed upgrade may leave some of the files that it kept.
    write_tree(KEPT, {"translations/page.po": b""})
    said = command("upgrade 1.0.0")
    assert not KEPT.exists()
    assert "jax is at jax-v1.0.0 already" in said.err
    assert "nothing to write" in said.err
    assert said.out == ""
    assert committed() == before


# --- failures on the way: everything is put back


def test_a_configuration_edited_meanwhile_is_not_overwritten() -> None:
    edited = CONFIG + "\n[tool.other]\n"
    before = committed()

    def edit() -> None:
        PROJECT.write_text(edited)

    with pytest.raises(ConfigError, match="changed while the upgrade ran"):
        upgrade_until("merge", edit)
    after = committed()
    assert after.pop(str(PROJECT))[1] == edited.encode()
    assert after.items() <= before.items()
    assert len(after) == len(before) - 1
    assert not KEPT.exists()


@pytest.mark.slow
@pytest.mark.parametrize("word", ["pull", "split", "update", "merge"])
def test_an_interrupted_upgrade_puts_everything_back(word: str) -> None:
    before = committed()
    with pytest.raises(KeyboardInterrupt):
        upgrade_until(word)
    assert committed() == before
    command("upgrade 1.1.0 -q")


def test_a_linked_checkout_is_put_back_where_it_is() -> None:
    docs = Path("upstream/jax")
    docs.rename("elsewhere")
    docs.symlink_to(Path("elsewhere").absolute())
    with pytest.raises(KeyboardInterrupt):
        upgrade_until("merge")
    assert docs.is_symlink()
    assert {path.name: path.read_text() for path in docs.iterdir()} == FIRST


@pytest.mark.parametrize("save", [Path.write_bytes, write_atomic], ids=["in place", "renamed"])
def test_a_catalogue_saved_meanwhile_stays(
    save: Callable[[Path, bytes], object],
) -> None:
    path = CATALOGS / "guide.po"
    catalog = read_catalog(path)
    written = tuple(replace(entry, msgstr="刚刚写的") for entry in catalog.entries)
    data = po.format_catalog(replace(catalog, entries=written))

    def save_and_fail() -> None:
        save(path, data)
        raise KeyboardInterrupt

    before = committed()
    with pytest.raises(KeyboardInterrupt):
        upgrade_until("merge", save_and_fail)
    after = committed()
    assert after[str(path)][1] == data
    assert {**after, str(path): None} == {**before, str(path): None}


@pytest.mark.slow
@pytest.mark.parametrize("word", ["pull", "update", "merge"])
def test_a_killed_upgrade_loses_no_translation(word: str) -> None:
    """Nothing can be put back then.

    The next sync goes to the pin, the next upgrade away from it.
    """
    before = translated()
    child = os.fork()
    if child == 0:
        upgrade_until(word, lambda: os.kill(os.getpid(), signal.SIGKILL))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    command("sync --no-execute -q")
    assert pinned() == BEFORE
    assert before.items() <= translated().items()
    command("upgrade 1.1.0 -q")
    assert not KEPT.exists()


@pytest.mark.slow
@pytest.mark.parametrize("again", ["sync --no-execute", "upgrade 1.1.0"])
@pytest.mark.parametrize("word", ["update", "merge"])
def test_unseen_work_outlives_a_failing_upgrade(word: str, again: str) -> None:
    """New, changed and cleared translations come through.

    The memory stored on the way is put back, and with it what both sides started from.
    """
    path = CATALOGS / "index.po"
    edit_catalog(path, lambda entry: replace(entry, msgstr=f"新{entry.msgstr}"))
    edited = read_catalog(path).entries
    with pytest.raises(KeyboardInterrupt):
        upgrade_until(word)
    assert read_catalog(path).entries == edited
    command(again)
    now = {entry.msgid: entry for entry in read_catalog(path).entries}
    for entry in edited:
        assert now[entry.msgid].msgstr == entry.msgstr
    assert not any(entry.comments for entry in now.values())
    command("memory verify -q")


def test_a_second_interruption_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    before = committed()
    real = stage._put_back

    def interrupted(*arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        real(*arguments)

    monkeypatch.setattr(stage, "_put_back", interrupted)
    with pytest.raises(KeyboardInterrupt):
        upgrade_until("merge")
    assert committed() == before
    assert not KEPT.exists()


# --- how far behind


def bundle_of(root: Path) -> str:
    path = str(root / "all.bundle")
    git(root / "origin", "bundle", "create", "--quiet", path, "--all")
    return path


def test_status_tells_what_another_ref_would_bring(root: Path) -> None:
    before = committed()
    status = partial(command, "status --against")
    comparison = status("main", "--json").json["comparison"]
    assert comparison["commits"] == {"ahead": 1, "behind": 0}
    refs = (comparison["before"]["ref"], comparison["after"]["ref"])
    assert refs == ("jax-v1.0.0", "main")
    pages = {page["page"]: page for page in comparison["pages"]}
    assert (pages["index"]["changed"], pages["new"]["added"]) == (1, 2)
    assert pages["guide"]["code_changed"]
    told = status("main", "--pages", "index", "--json").json["comparison"]
    assert [page["page"] for page in told["pages"]] == ["index"]
    assert "behind jax-v1.1.0: 1 commit\n" in status("jax-v1.1.0").out
    told = status("main", "--upstream", bundle_of(root)).out
    assert "behind main: 1 commit\n" in told
    assert committed() == before
    assert "Did you mean 'main'" in status("mian", code=3).err


def test_status_against_a_remote_does_not_guess_the_distance(root: Path) -> None:
    """A server gives one commit at a time: the history between them is not here."""
    git(root / "origin", "config", "uploadpack.allowFilter", "true")
    url = f"file://{root / 'origin'}"
    command("sync --no-execute -q --upstream", url)
    told = command("status --against main --upstream", url).out
    assert "behind main: by an unknown number of commits" in told


def test_badges_are_written_by_sync_and_by_status() -> None:
    folder = Path("build/badges/jax/zh_CN")

    def messages() -> dict[str, str]:
        badges = {path.stem: json.loads(path.read_text()) for path in folder.iterdir()}
        return {name: badge["message"] for name, badge in badges.items()}

    assert messages() == {"jax": "1.0.0", "translated": "100 %"}  # by sync
    assert "1 file written" in command("status --badges --against main").err
    assert messages()["behind"] == "behind by 3 messages"
    command("upgrade 1.1.0 -q")
    assert messages()["jax"] == "1.1.0"


# --- the newest release

BOTH = ("jax 1.0.0", "jaxlib 1.0.0", "jax 1.1.0", "jaxlib 1.1.0")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    return partial(make_index, tmp_path / "index", monkeypatch)


@pytest.mark.slow
def test_latest_is_tagged_and_installable(index: Callable[..., Path]) -> None:
    index(*BOTH, "jax 1.2.0", "jaxlib 1.2.0")  # 1.2.0 is not tagged yet
    assert "look for releases JAX 1.1.0 " in command("upgrade latest").err
    assert pinned() == AFTER
    said = command("upgrade latest").err
    assert "JAX 1.1.0: no newer release can be installed" in said
    assert "jax is at jax-v1.1.0 already" in said


@pytest.mark.slow
def test_a_jax_that_needs_a_newer_python(index: Callable[..., Path]) -> None:
    index("jax 1.1.0 py3-none-any >=3.99")
    before = committed()
    needs = "jax 1.1.0 needs Python 3.99 or later"
    told = command("upgrade 1.1.0 --execute --dry-run").err
    assert f"warning: {needs}" in told
    assert f"error: {needs}" in command("upgrade 1.1.0 --execute", code=2).err
    assert committed() == before
    assert "no code has run" not in command("upgrade 1.1.0 --no-execute").err
    assert pinned() == AFTER
    # Nor is one refused that the index says nothing of.
    told = command("upgrade 1.0.0 --execute").err
    assert "to go back: nox -s upgrade -- 1.1.0" in told


@pytest.mark.slow
def test_a_release_whose_jax_cannot_be_installed_is_passed_over(
    root: Path, index: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_release(root / "origin", "jax-v1.2.0", in_docs(SECOND))
    index("jax 1.1.0", "jaxlib 1.0.0", "jax 1.2.0 py3-none-any >=3.99")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "shown.md")
    before = committed()
    said = command("upgrade latest --summary summary.md").err
    assert committed() == before
    for reason in (
        "jax 1.2.0 needs Python 3.99 or later",
        "no JAX 1.1.0 can be installed here",
    ):
        assert f"warning: skipped: {reason}" in said
        assert f"- skipped: {reason}" in Path("shown.md").read_text()
    assert not Path("summary.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize("is_bundle", [False, True], ids=["remote", "bundle"])
def test_latest_of_a_remote_and_of_a_bundle(
    root: Path, index: Callable[..., Path], is_bundle: bool
) -> None:
    index(*BOTH)
    git(root / "origin", "tag", "--annotate", "--message=x", "jax-v1.1.0.1", "main")
    url = bundle_of(root) if is_bundle else f"file://{root / 'origin'}"
    command("upgrade latest -q --upstream", url)
    assert pinned() == AFTER


@pytest.mark.slow
def test_latest_without_an_index(index: Callable[..., Path]) -> None:
    index()
    told = command("upgrade latest", code=3).err
    assert "the package index has no jax that can be installed here, or cannot" in told


def test_a_dry_run_writes_a_summary(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "shown.md")
    words = "upgrade 1.1.0 --dry-run -q --summary summary.md"
    command(words)
    summary = Path("summary.md").read_text()
    assert summary == Path("shown.md").read_text()
    for lines in (
        "# Upgrade jax from jax-v1.0.0 to jax-v1.1.0\n\n",
        "| guide | 2 |  |  |  |  |  | code changed |\n",
        "| index | 2 |  | 1 rewording |  |  | 9 | 1 changed |\n",
        "| gone |  |  |  |  | 2 |  | vanished, 2 dropped |\n",
        "| all 4 pages | 6 |  | 1 rewording | 2 | 2 | 17 | 1 code changed |\n",
        "- pages that appeared&#58; 1 (new)\n",
    ):
        assert lines in summary
    # A long one is cut.
    monkeypatch.setattr(upgrade_report, "SUMMARISED", 1)
    Path("summary.md").unlink()
    command(words)
    summary = Path("summary.md").read_text()
    assert summary.count("\n| ") == 4, "headings, line, the page with most to do, sum"
    assert "… and 5 more" in summary
    few = in_docs({"index.md": FIRST["index.md"]})
    commit_release(root / "origin", "jax-v0.1.0", few)
    told = command("upgrade 0.1.0 --dry-run").err
    assert "3 of 4 pages do not exist at jax-v0.1.0; their catalogues are kept" in told


# --- the real docs


@pytest.mark.realdocs
def test_real_docs_dry_run(
    tmp_path: Path,
    jax_docs_upstream: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "pyproject.toml").write_text(CONFIG.replace("1.0.0", "0.10.2"))
    monkeypatch.chdir(tmp_path)
    command("sync --no-execute -q")
    before = committed()
    report = command("upgrade 0.9.2 --dry-run --json").json
    assert committed() == before
    pages = report["comparison"]["pages"]
    assert report["upstream"]["ref"] == "jax-v0.9.2"
    assert any(page["code_changed"] for page in pages)
    assert any(page["vanished"] for page in pages)
    kept = {page["page"] for page in pages if not page["vanished"]}
    assert kept <= report["comparison"]["updates"]["zh_CN"].keys()
