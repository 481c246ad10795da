"""``export`` and ``import``: to another editor and back, and the recipe for Weblate."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from branch_project import Clone
from catalog_files import edit_catalog, read_catalog
from folders import read_tree
from msgspec.structs import replace
from repositories import git
from translate.convert import po2xliff, xliff2po
from translate.storage import poxliff, pypo

from pipeline.adapters import po
from pipeline.cli import main

Speech = pytest.CaptureFixture[str]
EXPORTED = Path("build/export/sample/zh_CN")


def saved(path: Path, store: Any, change: Callable[[Any], None]) -> None:
    """Open a file as Weblate and its like do, change its units, and save it."""
    opened = store.parsefile(str(path))
    for unit in opened.units:
        if unit.source:
            change(unit)
    opened.save()


def there_and_back(change: Callable[[Any], None]) -> None:
    """What docs/weblate.md says of XLIFF: make it of what was exported, edit it, and back."""
    po2xliff.main(["--progress=none", str(EXPORTED), "xliff"])
    shutil.rmtree(EXPORTED)
    for path in Path("xliff").rglob("*.xliff"):
        saved(path, poxliff.PoXliffFile, change)
    xliff2po.main(["--progress=none", "xliff", str(EXPORTED)])


@pytest.fixture(name="project")
def _pulled(project: Path) -> Path:
    """The project with what was pulled, as after any ``sync``."""
    assert main(["pull", "sample"]) == 0
    return project


@pytest.mark.parametrize("form", ["po", "xliff"])
def test_a_round_trip_loses_no_state(project: Path, form: str, capsys: Speech) -> None:
    catalogs = project / "translations" / "zh_CN" / "sample"
    faq = read_catalog(catalogs / "faq.po")
    first, second, *rest = faq.entries
    changed = (
        replace(first, fuzzy=True, previous="It was called otherwise."),
        replace(second, comments=("pipeline: ignore=M304 a question", "")),
        *rest,
    )
    data = po.format_catalog(replace(faq, entries=changed))
    (catalogs / "faq.po").write_bytes(data)
    before = read_tree(catalogs)
    assert main(["export", "sample"]) == 0
    if form == "xliff":
        there_and_back(lambda unit: None)
    for path in EXPORTED.rglob("*.po"):
        saved(path, pypo.pofile, lambda unit: None)
    assert main(["import", "--name", "sample", "build/export/sample"]) == 0
    assert "0 translations imported" in capsys.readouterr().err
    assert read_tree(catalogs) == before


@pytest.mark.parametrize("form", ["po", "xliff"])
def test_work_done_elsewhere_comes_into_the_memory(
    project: Path, form: str, tmp_path: Path
) -> None:
    assert main(["export", "sample"]) == 0

    def translate(unit: Any) -> None:
        if "in_axes" in unit.source:
            unit.target = "用 `in_axes` 说明"

    if form == "xliff":
        there_and_back(translate)
    # As ``wlc download`` lays files out: project, component, language.
    back = tmp_path / "back" / "jax-docs" / "vmap" / "zh_CN.po"
    back.parent.mkdir(parents=True)
    shutil.copy(EXPORTED / "guides" / "vmap.po", back)
    if form == "po":
        saved(back, pypo.pofile, translate)
    assert main(["import", "--name", "sample", str(tmp_path / "back")]) == 0
    memory = project / "translations" / "memory" / "zh_CN" / "sample" / "guides/vmap.po"
    assert main(["split", "sample"]) == 0
    texts = {entry.msgstr for entry in read_catalog(memory).entries}
    assert "用 `in_axes` 说明" in texts


def test_exporting_again_writes_nothing(project: Path, capsys: Speech) -> None:
    assert main(["export", "sample", "--check"]) == 1
    assert not Path("build/export").exists()
    assert main(["export", "sample"]) == 0
    assert Path("build/export/sample/templates/guides/vmap.pot").is_file()
    capsys.readouterr()
    assert main(["export", "sample"]) == 0
    assert "nothing to write" in capsys.readouterr().err
    assert main(["export", "sample", "--pages", "faq", "--to", "one"]) == 0
    assert sorted(read_tree(Path("one"))) == [
        "sample/templates/faq.pot",
        "sample/zh_CN/faq.po",
    ]


def test_templates_hold_no_chinese(project: Path) -> None:
    assert main(["export", "sample"]) == 0
    for data in read_tree(Path("build/export/sample/templates")).values():
        catalog = po.read_catalog(data, where="x").catalog
        assert not any(entry.msgstr for entry in catalog.entries)
        assert catalog.entries
        assert catalog.header["Language"] == ""


def _edit(path: Path, text: str) -> None:
    """Put another translation into the first entry of a catalogue."""
    first = read_catalog(path).entries[0]
    changed = replace(first, msgstr=text)
    edit_catalog(path, lambda entry: changed if entry == first else entry)


def test_what_both_sides_changed_stays_and_is_told(
    project: Path, capsys: Speech
) -> None:
    ours = project / "translations" / "zh_CN" / "sample" / "faq.po"
    assert main(["export", "sample"]) == 0
    _edit(ours, "我的问题")
    _edit(EXPORTED / "faq.po", "他们的问题")
    before = ours.read_bytes()
    assert main(["import", "--name", "sample", str(EXPORTED)]) == 0
    said = capsys.readouterr().out
    assert "import-conflict" in said
    assert "他们的问题" in said
    assert f"{EXPORTED}/faq.po:" in said
    assert ours.read_bytes() == before


def test_bad_files_are_told_and_good_ones_are_taken(
    project: Path, capsys: Speech
) -> None:
    assert main(["export", "sample"]) == 0
    folder = EXPORTED
    _edit(folder / "faq.po", "问题")
    (folder / "broken.po").write_text("<<<<<<< HEAD\n")
    (folder / "faq.xlf").write_text("<xliff>")
    text = (folder / "grad.po").read_text()
    (folder / "grad.po").write_text(text.replace("Language: zh_CN", "Language: fr"))
    text = (folder / "arrays.po").read_text()
    (folder / "strange.po").write_text(text.replace("#: arrays", "#: strange"))
    assert main(["import", "--name", "sample", str(folder)]) == 4
    said = capsys.readouterr().out
    for part in (
        "broken.po:1",
        "faq.xlf: is XLIFF, but import reads only PO",
        "xliff2po faq.xlf faq.po",
        "is in fr",
        "strange.po:1",
        "belongs to no page that has a catalogue here",
    ):
        assert part in said
    assert "问题" in (project / "translations/zh_CN/sample/faq.po").read_text()


@pytest.mark.parametrize("code", ["zh_Hans", "zh_Hans_CN"])
def test_a_po_file_as_weblate_saves_it_is_taken(
    project: Path, code: str, capsys: Speech
) -> None:
    """Wrapped at 77 with Weblate's header, under its name for the language."""
    assert main(["export", "sample"]) == 0
    path = EXPORTED / "faq.po"
    store: Any = pypo.pofile.parsefile(str(path))  # type: ignore[no-untyped-call]
    store.updateheader(
        add=True,
        last_translator="Li Lei <li@example.org>",
        language=code,
        language_team="Chinese <https://example.org/projects/x/zh_Hans/>",
        x_generator="Weblate 2026.10.1",
    )
    first, second = [unit for unit in store.units if unit.source][:2]
    first.target = "很长的一句话，" * 20
    second.target = "还要看一看"
    second.markfuzzy()
    store.wrapper.width = 77
    # Some servers save with the line ends of Windows.
    path.write_bytes(bytes(store).replace(b"\n", b"\r\n"))
    assert main(["import", "--name", "sample", str(path)]) == 0
    assert "2 translations imported" in capsys.readouterr().err
    ours = project / "translations" / "zh_CN" / "sample" / "faq.po"
    catalog = read_catalog(ours)
    one, two = catalog.entries[:2]
    assert (one.msgstr, one.fuzzy) == ("很长的一句话，" * 20, False)
    assert (two.msgstr, two.fuzzy) == ("还要看一看", True)
    assert catalog.header["X-Generator"] == "Weblate 2026.10.1"
    assert catalog.header["Last-Translator"] == "Li Lei <li@example.org>"
    assert catalog.header["Language"] == "zh_CN"


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["import", "nothing.po"], "there is no such file"),
        (["import", "docs"], "has no PO file"),
        (["import", "--name", "sampel", "x"], "Did you mean 'sample'?"),
        (["export", "sampel"], "Did you mean 'sample'?"),
    ],
)
def test_words_that_name_nothing(
    project: Path, words: list[str], what: str, capsys: Speech
) -> None:
    (project / "docs").mkdir()
    name = [] if "--name" in words else ["--name", "sample"]
    assert main([*words, *(name if words[0] == "import" else ())]) == 2
    assert what in capsys.readouterr().err


def test_without_catalogues_there_is_nothing_to_export(
    project: Path, capsys: Speech
) -> None:
    shutil.rmtree(project / "translations" / "zh_CN")
    assert main(["export", "sample"]) == 2
    assert "nox -s sync -- sample --no-execute" in capsys.readouterr().err


def test_the_recipe_for_a_weblate_of_ones_own(begun: Clone, tmp_path: Path) -> None:
    """Docs/weblate.md: catalogues on a branch of a private copy, the memory back to the project."""
    work = begun.copy(tmp_path / "project")
    private = tmp_path / "private.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "weblate", str(private))
    work.branch("weblate")
    work.git("add", "--force", "translations/zh_CN")
    work.git("commit", "-qm", "Catalogues for Weblate")
    work.git("push", "-q", str(private), "weblate")
    # Weblate: translates, commits, pushes.
    server = tmp_path / "server"
    git(tmp_path, "clone", "-q", str(private), str(server))

    def translate(unit: Any) -> None:
        unit.target = f"服务器：{len(unit.source)}字，{sum(map(ord, unit.source))}"

    saved(server / "translations/zh_CN/docs/cellar.po", pypo.pofile, translate)
    git(server, "commit", "-qam", "Translated using Weblate")
    git(server, "push", "-q", "origin", "weblate")
    # The way back.
    work.git("pull", "-q", "--ff-only", str(private), "weblate")
    assert work.sync() == 0
    assert all(text.startswith("服务器") for text in work.texts("cellar").values())
    work.git("add", "translations/memory")
    work.git("commit", "-qm", "Store what was translated in Weblate")
    work.git("checkout", "-q", "-b", "from-weblate", "main")
    work.git("checkout", "-q", "weblate", "--", "translations/memory")
    work.git("commit", "-qm", "Translate the cellar")
    assert work.git("ls-files", "translations/zh_CN") == ""
    fresh = work.fresh()
    assert all(text.startswith("服务器") for text in fresh.texts("cellar").values())
