"""From release to release, on real git repositories, as a user runs it.

Looked at are the pin, the move and the way back.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from cases import read_tables
from catalog_files import edit_catalog, read_catalog
from folders import write_tree
from inventories import inventory
from msgspec.structs import replace
from repositories import commit_release, git, init_repository
from runs import run_of
from wheels import make_index

from pipeline.adapters import po
from pipeline.adapters.files import write_atomic
from pipeline.cli import main
from pipeline.commands import rollback as stage
from pipeline.commands.upgrade import UpgradeOptions, upgrade
from pipeline.config.reader import read_settings
from pipeline.entries import Entry
from pipeline.errors import ConfigError
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.report import upgrade as upgrade_report
from pipeline.report.result import RunResult

CASES = read_tables(__file__)

Speech = pytest.CaptureFixture[str]

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
    config = str(root / "pyproject.toml")
    words = "sync --no-execute -q --config".split()
    assert main([*words, config, "--upstream", str(origin)]) == 0
    for path in (root / "translations" / "zh_CN" / "jax").rglob("*.po"):
        edit_catalog(path, lambda entry: replace(entry, msgstr=f"译：{entry.msgid}"))
    # As whoever works in it does; a copy of the project has nothing to do then.
    with chdir(root):
        assert main(["sync", "--no-execute", "-q"]) == 0
    return root


@pytest.fixture
def root(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project. It is the current folder."""
    root = tmp_path / "project"
    shutil.copytree(template, root)
    monkeypatch.chdir(root)
    return root


def entries_of(root: Path) -> dict[tuple[str, str], Entry]:
    folder = root / "translations" / "zh_CN" / "jax"
    return {
        (path.relative_to(folder).as_posix().removesuffix(".po"), entry.msgid): entry
        for path in folder.rglob("*.po")
        for entry in read_catalog(path).entries
    }


def committed(root: Path) -> dict[str, tuple[int, bytes]]:
    """Everything that an upgrade may change and must put back if it fails."""
    places = [
        root / "pyproject.toml",
        *(root / "upstream").rglob("*"),
        *(root / "translations").rglob("*"),
    ]
    return {
        str(path.relative_to(root)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in places
        if path.is_file()
    }


def pinned(root: Path) -> tuple[str, str, str]:
    """JAX version of the configuration, ref and JAX version of the lock."""
    lock = json.loads((root / "upstream" / "jax.lock").read_text())
    return (
        read_settings(root / "pyproject.toml", environ={}).upstream("jax").version,
        lock["ref"],
        lock["version"],
    )


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


def upgrade_with(root: Path, stream: io.StringIO, target: str = "1.1.0") -> RunResult:
    settings = read_settings(root / "pyproject.toml", environ={})
    run = run_of(settings, settings.upstream("jax"), log=Log(stream=stream))
    return upgrade(run, UpgradeOptions(target=target, config=root / "pyproject.toml"))


# --- the move


def test_an_upgrade_moves_pin_pages_and_translations(
    root: Path, capsys: Speech
) -> None:
    assert main(["upgrade", "1.1.0"]) == 0
    said = capsys.readouterr()
    assert pinned(root) == ("1.1.0", "jax-v1.1.0", "1.1.0")
    assert (root / "pyproject.toml").read_text() == CONFIG.replace(
        '"jax==1.0.0"', '"jax==1.1.0"'
    ).replace("'jaxlib==1.0.0'", '"jaxlib==1.1.0"')
    assert "JAX 1.0.0) → jax-v1.1.0 (" in said.out
    for line in (
        "pages that appeared: 1 (new)",
        "pages that vanished: 1 (gone)",
        "pages that were renamed: 1 (old-name → new-name)",
        "pages whose code changed: 1 (guide)",
    ):
        assert line in said.out
    assert "no code has run on JAX 1.1.0 yet" in said.err
    assert not (root / "build" / "upgrade").exists()
    after = entries_of(root)
    kept = after["index", "It will say the same for ever and ever."]
    assert (kept.msgstr, kept.is_translated) == (
        "译：It will say the same for ever and ever.",
        True,
    )
    fuzzy = after["index", "This page tells what all the others are about."]
    assert (fuzzy.fuzzy, fuzzy.previous) == (
        True,
        "This page tells what the others are about.",
    )
    assert after[
        "new-name", "This text moves to another file and stays as it is."
    ].is_translated


def test_after_an_upgrade_there_is_nothing_to_do(root: Path, capsys: Speech) -> None:
    assert main(["upgrade", "jax-v1.1.0", "-q"]) == 0
    before = committed(root)
    for arguments in (
        ["sync", "--no-execute"],
        ["upgrade", "1.1.0"],
        ["upgrade", "1.1.0", "--check"],
    ):
        capsys.readouterr()
        assert main(arguments) == 0
        assert "nothing to write" in capsys.readouterr().err
    assert committed(root) == before


def test_an_upgrade_asks_other_sites_for_the_names_of_the_new_docs(root: Path) -> None:
    sites = "\n[tool.pipeline.upstreams.jax.site.inventories]\n"
    config = root / "pyproject.toml"
    config.write_text(f'{CONFIG}{sites}lamps = "http://127.0.0.1:9/"\n')
    known = Paths(root, "jax").other_inventory("lamps")
    known.parent.mkdir(parents=True)
    known.write_bytes(
        inventory("lamp.on py:function 1 a.html#$ -", "lamp.off py:data 1 a.html#$ -")
    )
    asking = {**SECOND, "new.md": "# New\n\nThere is {func}`lamp.on` for that.\n"}
    commit_release(root / "origin", "jax-v1.2.0", in_docs(asking))
    assert main(["upgrade", "1.2.0", "-q"]) == 0
    names = (root / "upstream" / "jax.names.lock").read_text()
    assert "lamp.on" in names
    assert "lamp.off" not in names
    before = committed(root)
    assert main(["sync", "--no-execute", "-q"]) == 0
    assert committed(root) == before


def test_an_upgrade_and_the_way_back_lose_nothing(root: Path) -> None:
    before = {key: entry.msgstr for key, entry in entries_of(root).items()}
    assert main(["upgrade", "1.1.0", "-q"]) == 0
    assert main(["upgrade", "1.0.0", "-q"]) == 0
    assert pinned(root) == ("1.0.0", "jax-v1.0.0", "1.0.0")
    after = {
        key: entry.msgstr
        for key, entry in entries_of(root).items()
        if entry.is_translated
    }
    assert {key: after.get(key) for key in before} == before


@pytest.mark.parametrize(("option", "code"), [("--dry-run", 0), ("--check", 1)])
def test_dry_run_writes_nothing_and_says_the_same(
    root: Path, option: str, code: int, capsys: Speech
) -> None:
    before = committed(root)
    built = {path: path.stat().st_mtime_ns for path in (root / "build").rglob("*")}
    assert main(["upgrade", "1.1.0", option, "--json"]) == code
    tried = capsys.readouterr()
    assert "would be written" in tried.err
    assert committed(root) == before
    assert {path: path.stat().st_mtime_ns for path in built} == built
    assert {path.name for path in (root / "build").rglob("*") if path not in built} <= {
        "cache",
        "docstrings",
        "environments",
        "git",
        ".lock",
    }
    assert main(["upgrade", "1.1.0", "--json"]) == 0
    real, trial = json.loads(capsys.readouterr().out), json.loads(tried.out)
    assert {**trial, "exit_code": 0} == real
    assert real["comparison"]["updates"]["zh_CN"]["index"]["fuzzy"]


def test_any_ref_with_its_version(root: Path) -> None:
    assert main(["upgrade", "main", "--package-version", "1.1.0", "-q"]) == 0
    assert pinned(root) == ("1.1.0", "main", "1.1.0")
    assert 'ref = "main"' in (root / "pyproject.toml").read_text()
    assert main(["upgrade", "1.0.0", "-q"]) == 0
    assert (root / "pyproject.toml").read_text() == CONFIG.replace(
        "'jaxlib==1.0.0'", '"jaxlib==1.0.0"'
    )


def test_a_clone_without_checkout(root: Path, capsys: Speech) -> None:
    """What is pinned is read from git: the lock is committed, the checkout is not."""
    for path in sorted((root / "upstream" / "jax").rglob("*"), reverse=True):
        path.unlink()
    assert main(["upgrade", "1.1.0"]) == 0
    assert "pages whose code changed: 1 (guide)" in capsys.readouterr().out


def test_a_pinned_commit_that_upstream_lost(root: Path, capsys: Speech) -> None:
    lock = root / "upstream" / "jax.lock"
    lock.write_text(
        lock.read_text().replace(json.loads(lock.read_text())["commit"], "1" * 40)
    )
    (root / "upstream" / "jax" / "guide.md").unlink()
    assert main(["upgrade", "1.1.0"]) == 0
    said = capsys.readouterr()
    assert "every page counts as new" in said.err
    assert pinned(root) == ("1.1.0", "jax-v1.1.0", "1.1.0")


def test_the_first_thing_that_is_done(root: Path, capsys: Speech) -> None:
    """Nothing is pulled yet: what is pinned is what the move starts from."""
    (root / "upstream" / "jax.lock").unlink()
    assert main(["upgrade", "1.1.0"]) == 0
    assert "jax-v1.0.0 (" in capsys.readouterr().out
    assert pinned(root) == ("1.1.0", "jax-v1.1.0", "1.1.0")


def test_a_linked_checkout_is_put_back_where_it_is(root: Path) -> None:
    docs = root / "upstream" / "jax"
    docs.rename(root / "elsewhere")
    docs.symlink_to(root / "elsewhere")

    with pytest.raises(KeyboardInterrupt):
        upgrade_with(root, Reacting("merge", interrupt))
    assert docs.is_symlink()
    assert {path.name: path.read_text() for path in docs.iterdir()} == FIRST


def test_most_pages_gone_is_said(root: Path, capsys: Speech) -> None:
    commit_release(
        root / "origin", "jax-v0.1.0", in_docs({"index.md": FIRST["index.md"]})
    )
    assert main(["upgrade", "0.1.0", "--dry-run"]) == 0
    assert (
        "3 of 4 pages do not exist at jax-v0.1.0; their catalogues are kept"
        in capsys.readouterr().err
    )


# --- refusals: nothing is written


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    CASES["a_target_that_makes_no_sense_is_refused_and_nothing_is_written"],
)
def test_a_target_that_makes_no_sense_is_refused_and_nothing_is_written(
    root: Path, arguments: list[str], code: int, what: str, capsys: Speech
) -> None:
    before = committed(root)
    assert main(["upgrade", *arguments]) == code
    assert what in capsys.readouterr().err
    assert committed(root) == before


def test_a_configuration_without_pin(root: Path, capsys: Speech) -> None:
    (root / "pyproject.toml").write_text(CONFIG.replace('"jax==1.0.0"', '"jax>=1.0.0"'))
    before = committed(root)
    assert main(["upgrade", "1.1.0"]) == 2
    assert "must pin jax to one version" in capsys.readouterr().err
    assert committed(root) == before


# --- failures on the way: everything is put back


def test_a_configuration_edited_meanwhile_is_not_overwritten(root: Path) -> None:
    edited = CONFIG + "\n[tool.other]\n"
    before = committed(root)

    def edit() -> None:
        (root / "pyproject.toml").write_text(edited)

    with pytest.raises(ConfigError, match="changed while the upgrade ran"):
        upgrade_with(root, Reacting("merge", edit))
    assert (root / "pyproject.toml").read_text() == edited
    (root / "pyproject.toml").write_text(CONFIG)
    assert {name: data for name, (_, data) in committed(root).items()} == {
        name: data for name, (_, data) in before.items()
    }
    assert not (root / "build" / "upgrade").exists()


@pytest.mark.slow
@pytest.mark.parametrize("word", ["pull", "split", "update", "merge"])
def test_an_interrupted_upgrade_puts_everything_back(root: Path, word: str) -> None:
    before = committed(root)
    with pytest.raises(KeyboardInterrupt):
        upgrade_with(root, Reacting(word, interrupt))
    assert committed(root) == before
    assert main(["upgrade", "1.1.0", "-q"]) == 0


@pytest.mark.parametrize(
    "save", [Path.write_bytes, write_atomic], ids=["in place", "renamed"]
)
def test_a_catalogue_saved_while_a_failing_upgrade_runs_is_not_put_back(
    root: Path, save: Callable[[Path, bytes], object]
) -> None:
    path = root / "translations" / "zh_CN" / "jax" / "guide.po"

    def save_and_fail() -> None:
        catalog = read_catalog(path)
        save(
            path,
            po.format_catalog(
                replace(
                    catalog,
                    entries=tuple(
                        replace(e, msgstr="刚刚写的") for e in catalog.entries
                    ),
                )
            ),
        )
        raise KeyboardInterrupt

    before, name = committed(root), str(path.relative_to(root))
    with pytest.raises(KeyboardInterrupt):
        upgrade_with(root, Reacting("merge", save_and_fail))
    assert {entry.msgstr for entry in read_catalog(path).entries} == {"刚刚写的"}
    assert {key: value for key, value in committed(root).items() if key != name} == {
        k: v for k, v in before.items() if k != name
    }


@pytest.mark.slow
@pytest.mark.parametrize("word", ["pull", "update", "merge"])
def test_a_killed_upgrade_loses_no_translation(
    root: Path, word: str, capsys: Speech
) -> None:
    """Nothing can be put back then.

    The next sync goes to the pin, the next upgrade away from it.
    """
    before = {key: entry.msgstr for key, entry in entries_of(root).items()}
    child = os.fork()
    if child == 0:
        upgrade_with(root, Reacting(word, lambda: os.kill(os.getpid(), signal.SIGKILL)))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert main(["sync", "--no-execute", "-q"]) == 0
    assert pinned(root) == ("1.0.0", "jax-v1.0.0", "1.0.0")
    assert {key: entries_of(root)[key].msgstr for key in before} == before
    assert main(["upgrade", "1.1.0", "-q"]) == 0
    assert not (root / "build" / "upgrade").exists()


@pytest.mark.slow
@pytest.mark.parametrize("again", ["sync --no-execute", "upgrade 1.1.0"])
@pytest.mark.parametrize("word", ["update", "merge"])
def test_work_that_no_run_has_seen_yet_outlives_an_upgrade_that_fails(
    root: Path, word: str, again: str
) -> None:
    """New, changed and cleared translations come through.

    The memory stored on the way is put back, and with it what both sides started from.
    """

    path = root / "translations" / "zh_CN" / "jax" / "index.po"
    edit_catalog(path, lambda entry: replace(entry, msgstr=f"新{entry.msgstr}"))
    edited = read_catalog(path).entries
    with pytest.raises(KeyboardInterrupt):
        upgrade_with(root, Reacting(word, interrupt))
    assert read_catalog(path).entries == edited
    assert main([*again.split(" "), "-q"]) == 0
    now = {entry.msgid: entry for entry in read_catalog(path).entries}
    assert {now[entry.msgid].msgstr for entry in edited} == {
        entry.msgstr for entry in edited
    }
    assert [comment for entry in now.values() for comment in entry.comments] == []
    assert main(["memory", "verify", "-q"]) == 0


def test_a_second_interruption_does_not_disturb_the_way_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = committed(root)
    real = stage._put_back

    def interrupted(*arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        real(*arguments)

    monkeypatch.setattr(stage, "_put_back", interrupted)
    with pytest.raises(KeyboardInterrupt):
        upgrade_with(root, Reacting("merge", interrupt))
    assert committed(root) == before
    assert not (root / "build" / "upgrade").exists()


def test_upgrading_to_where_one_is_says_so_and_does_nothing(
    root: Path, capsys: Speech
) -> None:
    before = committed(root)
    # A killed upgrade may leave some of the files that it kept.
    write_tree(root / "build" / "upgrade", {"translations/page.po": b""})
    assert main(["upgrade", "1.0.0"]) == 0
    assert not (root / "build" / "upgrade").exists()
    said = capsys.readouterr()
    assert "jax is at jax-v1.0.0 already" in said.err
    assert "nothing to write" in said.err
    assert said.out == ""
    assert committed(root) == before


def test_no_room_for_the_way_back(root: Path, capsys: Speech) -> None:
    (root / "build" / "upgrade").write_text("a file where a folder should be")
    before = committed(root)
    assert main(["upgrade", "1.1.0", "-q"]) == 70
    assert "nothing has changed" in capsys.readouterr().err
    assert committed(root) == before


# --- how far behind


def test_status_tells_what_another_ref_would_bring(root: Path, capsys: Speech) -> None:
    before = committed(root)
    assert main(["status", "--against", "main", "--json"]) == 0
    comparison = json.loads(capsys.readouterr().out)["comparison"]
    assert comparison["commits"] == {"ahead": 1, "behind": 0}
    assert (comparison["before"]["ref"], comparison["after"]["ref"]) == (
        "jax-v1.0.0",
        "main",
    )
    pages = {page["page"]: page for page in comparison["pages"]}
    assert (
        pages["index"]["changed"],
        pages["new"]["added"],
        pages["guide"]["code_changed"],
    ) == (
        1,
        2,
        True,
    )
    assert main(["status", "--against", "main", "--pages", "index", "--json"]) == 0
    assert [
        page["page"]
        for page in json.loads(capsys.readouterr().out)["comparison"]["pages"]
    ] == ["index"]
    assert main(["status", "--against", "jax-v1.1.0"]) == 0
    assert "behind jax-v1.1.0: 1 commit\n" in capsys.readouterr().out
    assert committed(root) == before
    assert main(["status", "--against", "mian"]) == 3
    assert "Did you mean 'main'" in capsys.readouterr().err


def test_status_against_a_remote_does_not_guess_the_distance(
    root: Path, capsys: Speech
) -> None:
    """A server gives one commit at a time: the history between them is not here."""
    git(root / "origin", "config", "uploadpack.allowFilter", "true")
    url = f"file://{root / 'origin'}"
    assert main(["sync", "--no-execute", "-q", "--upstream", url]) == 0
    assert main(["status", "--against", "main", "--upstream", url]) == 0
    assert "behind main: by an unknown number of commits" in capsys.readouterr().out


def test_status_against_a_bundle(root: Path, capsys: Speech) -> None:
    bundle = ("bundle", "create", "--quiet", str(root / "all.bundle"), "--all")
    git(root / "origin", *bundle)
    assert main(["status", "--against", "main", "--upstream", "all.bundle"]) == 0
    assert "behind main: 1 commit\n" in capsys.readouterr().out


def test_badges_are_written_by_sync_and_by_status(root: Path, capsys: Speech) -> None:
    folder = root / "build" / "badges" / "jax" / "zh_CN"
    assert json.loads((folder / "translated.json").read_text())["message"] == "100 %", (
        "sync has written it"
    )
    assert {path.name for path in folder.iterdir()} == {
        "jax.json",
        "translated.json",
    }
    assert main(["status", "--badges", "--against", "main"]) == 0
    assert "1 file written" in capsys.readouterr().err
    assert (
        json.loads((folder / "behind.json").read_text())["message"]
        == "behind by 3 messages"
    )
    assert main(["upgrade", "1.1.0", "-q"]) == 0
    assert json.loads((folder / "jax.json").read_text())["message"] == "1.1.0"


# --- the newest release

BOTH = ("jax 1.0.0", "jaxlib 1.0.0", "jax 1.1.0", "jaxlib 1.1.0")


@pytest.mark.slow
def test_latest_is_the_newest_release_that_is_tagged_and_installable(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Speech
) -> None:
    make_index(
        tmp_path / "index", monkeypatch, *BOTH, "jax 1.2.0", "jaxlib 1.2.0"
    )  # 1.2.0 is not tagged yet
    assert main(["upgrade", "latest"]) == 0
    assert pinned(root) == ("1.1.0", "jax-v1.1.0", "1.1.0")
    assert "look for releases JAX 1.1.0 " in capsys.readouterr().err
    assert main(["upgrade", "latest"]) == 0
    said = capsys.readouterr().err
    assert "JAX 1.1.0: no newer release can be installed" in said
    assert "jax is at jax-v1.1.0 already" in said


@pytest.mark.slow
def test_code_is_not_run_on_a_jax_that_this_python_cannot_install(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Speech
) -> None:
    make_index(tmp_path / "index", monkeypatch, "jax 1.1.0 py3-none-any >=3.99")
    before = committed(root)
    assert main(["upgrade", "1.1.0", "--execute", "--dry-run"]) == 0
    assert "warning: jax 1.1.0 needs Python 3.99 or later" in capsys.readouterr().err
    assert main(["upgrade", "1.1.0", "--execute"]) == 2
    assert "error: jax 1.1.0 needs Python 3.99 or later" in capsys.readouterr().err
    assert committed(root) == before
    assert main(["upgrade", "1.1.0", "--no-execute"]) == 0
    assert "no code has run" not in capsys.readouterr().err
    assert pinned(root) == ("1.1.0", "jax-v1.1.0", "1.1.0")
    # Nor is one refused that the index says nothing of.
    assert main(["upgrade", "1.0.0", "--execute"]) == 0
    assert "to go back: nox -s upgrade -- 1.1.0" in capsys.readouterr().err


@pytest.mark.slow
def test_a_release_whose_jax_cannot_be_installed_is_passed_over(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Speech
) -> None:
    commit_release(root / "origin", "jax-v1.2.0", in_docs(SECOND))
    newer = "jax 1.2.0 py3-none-any >=3.99"
    make_index(tmp_path / "index", monkeypatch, "jax 1.1.0", "jaxlib 1.0.0", newer)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "shown.md")
    before = committed(root)
    assert main(["upgrade", "latest", "--summary", "summary.md"]) == 0
    assert committed(root) == before
    said = capsys.readouterr().err
    summary = (root / "shown.md").read_text()
    for reason in (
        "jax 1.2.0 needs Python 3.99 or later",
        "no JAX 1.1.0 can be installed here",
    ):
        assert f"warning: skipped: {reason}" in said
        assert f"- skipped: {reason}" in summary
    assert not (root / "summary.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["remote", "bundle"])
def test_latest_of_a_remote_and_of_a_bundle(
    way: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_index(tmp_path / "index", monkeypatch, *BOTH)
    git(root / "origin", "tag", "--annotate", "--message=x", "jax-v1.1.0.1", "main")
    bundle = ("bundle", "create", "--quiet", str(root / "all.bundle"), "--all")
    git(root / "origin", *bundle)
    url = f"file://{root / 'origin'}" if way == "remote" else "all.bundle"
    assert main(["upgrade", "latest", "--upstream", url, "-q"]) == 0
    assert pinned(root) == ("1.1.0", "jax-v1.1.0", "1.1.0")


@pytest.mark.slow
def test_latest_without_an_index(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Speech
) -> None:
    make_index(tmp_path / "index", monkeypatch)
    assert main(["upgrade", "latest"]) == 3
    assert (
        "the package index has no jax that can be installed here, or cannot be reached"
        in capsys.readouterr().err
    )


def test_a_dry_run_writes_a_summary_by_page(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "shown.md")
    assert main(["upgrade", "1.1.0", "--dry-run", "-q", "--summary", "summary.md"]) == 0
    summary = (root / "summary.md").read_text()
    assert summary == (root / "shown.md").read_text()
    assert summary.startswith("# Upgrade jax from jax-v1.0.0 to jax-v1.1.0\n\n")
    assert "| guide | 2 |  |  |  |  |  | code changed |\n" in summary
    assert "| index | 2 |  | 1 rewording |  |  | 9 | 1 changed |\n" in summary
    assert "| gone |  |  |  |  | 2 |  | vanished, 2 dropped |\n" in summary
    assert (
        "| all 4 pages | 6 |  | 1 rewording | 2 | 2 | 17 | 1 code changed |\n"
        in summary
    )
    assert "- pages that appeared&#58; 1 (new)\n" in summary


def test_a_long_summary_is_cut(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrade_report, "SUMMARISED", 1)
    assert main(["upgrade", "1.1.0", "--dry-run", "-q", "--summary", "summary.md"]) == 0
    summary = (root / "summary.md").read_text()
    assert summary.count("\n| ") == 4, "headings, line, the page with most to do, sum"
    assert "… and 5 more" in summary


# --- execution


def test_code_does_not_run_on_another_jax(root: Path, capsys: Speech) -> None:
    assert main(["upgrade", "1.1.0", "-q"]) == 0
    assert main(["build"]) == 6
    said = capsys.readouterr().err
    assert "error: the pin is JAX 1.1.0, but " in said
    assert "python -m pip install '.[execute]'" in said


# --- the real docs


@pytest.mark.realdocs
def test_real_docs_dry_run(
    tmp_path: Path,
    jax_docs_upstream: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Speech,
) -> None:
    (tmp_path / "pyproject.toml").write_text(CONFIG.replace("1.0.0", "0.10.2"))
    monkeypatch.chdir(tmp_path)
    assert main(["sync", "--no-execute", "-q"]) == 0
    before = committed(tmp_path)
    assert main(["upgrade", "0.9.2", "--dry-run", "--json"]) == 0
    assert committed(tmp_path) == before
    report = json.loads(capsys.readouterr().out)
    pages = report["comparison"]["pages"]
    assert report["upstream"]["ref"] == "jax-v0.9.2"
    assert any(page["code_changed"] for page in pages)
    assert any(page["vanished"] for page in pages)
    assert all(
        page["page"] in report["comparison"]["updates"]["zh_CN"]
        for page in pages
        if not page["vanished"]
    )
