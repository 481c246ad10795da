"""Adopting copies into a project: what is written, what is refused, and what stays as it is."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from adoption_project import (
    LOCALE,
    AdoptionProject,
    chinese,
    make_sample_history,
    old_page,
    reads_the_sample,
)
from catalog_files import edit_catalog
from copies import DAMAGES, as_html, as_markdown, as_notebook, as_plain
from folders import copy_project, snapshot
from in_process import command
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.commands.adopt import adoption
from pipeline.commands.build import BuildOptions, build
from pipeline.config.settings import SitePolicy
from pipeline.core.adoption.result import AdoptResult, State
from pipeline.core.catalog.origins import copy_of
from pipeline.entries import Catalog, Entry
from pipeline.errors import ConfigError, PipelineError, UpstreamError
from pipeline.report.adoption import adoption_json, adoption_text
from pipeline.site.blocks import contributors
from pipeline.site.plan import Site
from pipeline.stages.update.verification import verify_memory


@pytest.fixture(autouse=True, scope="module")
def _no_encoder() -> Iterator[None]:
    """Let the tests' own encoder read: the real one takes seconds a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adoption, "encoder", lambda: reads_the_sample)
        yield


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sample_history(tmp_path_factory.mktemp("origin") / "docs")


@pytest.fixture
def project(origin: Path, tmp_path: Path) -> AdoptionProject:
    return AdoptionProject(tmp_path / "project", origin)


@pytest.fixture(scope="module")
def pulled(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> AdoptionProject:
    """A project for whoever only looks: nothing is adopted into it."""
    return AdoptionProject(tmp_path_factory.mktemp("pulled") / "project", origin)


@pytest.fixture(scope="module")
def filled(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> AdoptionProject:
    """A project with a page adopted, for files that are refused: they leave it as it is."""
    project = AdoptionProject(tmp_path_factory.mktemp("filled") / "project", origin)
    project.adopt(project.write("good.md", page_of()))
    return project


def page_of(name: str = "arrays", release: str = "v1") -> str:
    return as_markdown(old_page(name, release).row)


def live(catalog: Catalog) -> list[Entry]:
    return [entry for entry in catalog.entries if not entry.obsolete]


def confirmed(entry: Entry) -> Entry:
    return replace(entry, fuzzy=False, previous=None)


def refusal(result: AdoptResult) -> str:
    (finding,) = result.findings
    return f"{finding.text} {finding.hint}"


# --- what is written


def test_adopted_translations_wait_with_their_origin(project: AdoptionProject) -> None:
    file = project.write("copy.md", page_of())
    result = project.adopt(file)
    assert result.exit_code == 0
    (copy,) = result.copies
    entries = {entry.msgid: entry for entry in live(project.catalog("arrays"))}
    adopted = [entry for entry in entries.values() if entry.msgstr]
    assert len(adopted) == len(copy.adopted) > 25
    for entry in adopted:
        assert entry.fuzzy
        assert entry.previous
        found = copy_of(entry)
        assert found is not None
        origin = (found.author, found.licence, found.file)
        assert origin == ("Li Lei", "CC-BY-4.0", "copy.md")
    changed = [row for row in copy.rows if row.state is State.CHANGED]
    assert changed
    for row in changed:
        entry = entries[row.pin]
        assert entry.previous == row.english != entry.msgid
        assert re.search(r"^fuzzy: rewording: .*\[-", "\n".join(entry.notes), re.M)
    memory = project.paths.memory(LOCALE, "arrays").read_text("utf-8")
    assert ", by Li Lei, CC-BY-4.0" in memory
    assert verify_memory(project.run) == ()
    # A second run writes nothing.
    before = snapshot(project.root / "translations")
    assert project.adopt(file).changes == ()
    assert snapshot(project.root / "translations") == before


def test_a_translation_that_is_there_stays(project: AdoptionProject) -> None:
    file = project.write("copy.md", page_of())
    project.adopt(file)
    own = "这是我们自己的译法，与那一份拷贝的说法不同。"
    fourth = live(project.catalog("arrays"))[3]
    changed = replace(confirmed(fourth), msgstr=own, notes=fourth.notes[:1])
    path = project.paths.catalog(LOCALE, "arrays")
    edit_catalog(path, lambda entry: changed if entry.msgid == fourth.msgid else entry)
    (copy,) = project.adopt(file).copies
    assert [row.pin for row in copy.rows if row.state is State.KEPT] == [fourth.msgid]
    entry = live(project.catalog("arrays"))[3]
    assert (entry.msgstr, entry.fuzzy) == (own, False)
    assert entry.comments[0].startswith("copy.md, by Li Lei, CC-BY-4.0: ")
    assert project.adopt(file).changes == ()


def test_a_fresh_clone_has_the_same_suggestions(project: AdoptionProject) -> None:
    project.adopt(project.write("copy.md", page_of()))
    before = project.paths.catalog(LOCALE, "arrays").read_bytes()
    for path in sorted((project.root / "translations" / LOCALE).rglob("*.po")):
        path.unlink()
    project.paths.memory_state(LOCALE).unlink()
    result = project.adopt(project.write("copy.md", page_of()), dry_run=True)
    assert result.findings == ()
    project.adopt(project.write("copy.md", page_of()))
    assert project.paths.catalog(LOCALE, "arrays").read_bytes() == before


def test_confirmed_words_keep_their_author(project: AdoptionProject) -> None:
    project.adopt(project.write("copy.md", page_of(release="v3")))
    waiting = [entry for entry in live(project.catalog("arrays")) if entry.msgstr]
    assert all("fuzzy: adopted" in entry.notes for entry in waiting)
    assert all(entry.previous == entry.msgid for entry in waiting)
    merged = project.paths.merged(LOCALE) / "arrays.ipynb"
    build(project.run, BuildOptions(last="merge"))
    # What waits is not shown, and nobody is to be named for it.
    assert "Li Lei" not in merged.read_text("utf-8")
    edit_catalog(project.paths.catalog(LOCALE, "arrays"), confirmed)
    # Also when the next update looks at them.
    project.adopt(project.write("other.md", page_of("faq", "v3")))
    entries = [one for one in live(project.catalog("arrays")) if one.is_translated]
    assert len(entries) > 25
    assert all(map(copy_of, entries))
    notes = [note for entry in entries for note in entry.notes]
    assert not any(note.startswith("fuzzy:") for note in notes)
    build(project.run, BuildOptions(last="merge"))
    assert "部分译文采自 Li Lei（CC-BY-4.0）。" in merged.read_text("utf-8")
    site = Site(
        settings=project.run.settings,
        upstream=project.run.upstream,
        policy=SitePolicy(),
        lock=project.lock,
        locale=LOCALE,
        pages=(),
    )
    assert contributors(site)["Li Lei"] > 25
    assert "Li Lei" in site.attribution("arrays.ipynb")


# --- what is told only


@pytest.mark.parametrize("option", ["dry_run", "audit"])
def test_nothing_is_written(project: AdoptionProject, option: str) -> None:
    file = project.write("copy.md", page_of())
    options: dict[str, Any] = {"author": "", "licence": "", option: True}
    (copy,) = project.adopt(file, **options).copies
    assert not (project.root / "translations").exists()
    assert copy.counts[State.EQUAL] > 20


def test_an_audit_tells_what_is_wrong_with_a_page(pulled: AdoptionProject) -> None:
    row = DAMAGES["code edited"](old_page("arrays", "v1").row, random.Random(1))
    text = as_markdown(row) + "\n```python\nprint('没有结束\n```\n"
    result = pulled.adopt(pulled.write("copy.md", text), audit=True)
    (copy,) = result.copies
    assert any(cell.is_altered for cell in copy.cells)
    assert copy.behind == 2
    assert 0 < copy.changed_share < 0.5
    text = adoption_text(result, width=80)
    assert "2 releases behind" in text
    assert "altered" in text
    # A path may be longer, and is not cut.
    assert all(len(line) <= 80 or " " not in line.strip() for line in text.split("\n"))
    value = json.loads(adoption_json(result))
    assert any(cell["is_altered"] for cell in value["copies"][0]["cells"])


# --- page and version


def test_page_and_version_may_be_named(pulled: AdoptionProject) -> None:
    file = pulled.write("copy.md", page_of())
    (copy,) = pulled.adopt(file, page="arrays", at="v2", dry_run=True).copies
    assert copy.version is not None
    assert (copy.page, copy.version.since[:7]) == ("arrays", "2026-02")
    (copy,) = pulled.adopt(file, at="v1", dry_run=True).copies
    assert (copy.page, copy.version and copy.version.since[:7]) == ("arrays", "2026-01")
    (copy,) = pulled.adopt(file, page="arrays", dry_run=True).copies
    assert [version.since[:7] for version in copy.as_good] == ["2026-01"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"author": ""}, ConfigError, "--author is missing"),
        ({"licence": " "}, ConfigError, "--license is missing"),
        ({"author": "a, b"}, ConfigError, "--author has a character"),
        ({"page": "arays"}, ConfigError, "Did you mean 'arrays'?"),
        ({"at": "v9"}, UpstreamError, "v9"),
    ],
)
def test_wrong_options(
    filled: AdoptionProject,
    options: dict[str, str],
    error: type[PipelineError],
    words: str,
) -> None:
    before = snapshot(filled.root / "translations")
    with pytest.raises(error, match=re.escape(words)):
        filled.adopt(filled.write("copy.md", page_of()), **options)
    assert snapshot(filled.root / "translations") == before


def test_a_page_that_was_not_there_at_a_ref(pulled: AdoptionProject) -> None:
    result = pulled.adopt(pulled.write("copy.md", page_of()), page="gradients", at="v3")
    # It was renamed since, and the copy is of neither.
    assert result.exit_code == 4
    assert "is no translation of 'gradients'" in refusal(result)


def test_only_one_chinese_locale_is_filled(origin: Path, tmp_path: Path) -> None:
    project = AdoptionProject(tmp_path, origin, locales=("zh_CN", "zh_TW"))
    with pytest.raises(ConfigError, match="to one locale"):
        project.adopt(project.write("copy.md", page_of()))


# --- bad input


COMMENT = "# 这里的注释是中文的，正文却没有翻译过来。\n"
BREAD = "第 {} 步：把面团放进烤箱，用 `numpy.random` 里的 `oven.bake({})` 烤二十分钟。\n\n"
SPRING = "花开了，鸟儿在树上唱歌，孩子们在草地上奔跑。\n\n"
NO_CELLS = '{"cells": "没有单元格的笔记本文件，只有一些中文的内容在里面而已"}'
HOSTILE = "{{ 7*7 }} 恶意的页面 <script>alert(1)</script>" * 9
CATALOG = 'msgid ""\nmsgstr ""\n\nmsgid "Bread"\nmsgstr "面包"\n'
# By name: the suffix of a file, its content, and what is said of it.
BAD: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("md", "  \n", "is empty"),
    "English": ("md", old_page("arrays", "v3").data, "it is the English page"),
    "in code only": (
        "md",
        f"# A\n\n```python\n{COMMENT * 3}```\n",
        "outside of its code",
    ),
    "Japanese": ("md", "これは日本語のページです。" * 6, "is Japanese, not Chinese"),
    "Korean": ("md", "이것은 한국어 페이지입니다. 配列" * 4, "is Korean, not Chinese"),
    "another project's": (
        "md",
        "# 面包\n\n" + "".join(BREAD.format(n, n) for n in range(20)),
        "matches none of upstream's pages; closest is",
    ),
    "without any name": ("md", "# 春天\n\n" + SPRING * 9, ""),
    "binary": ("md", bytes(range(256)) * 40, "is no text"),
    "large": ("txt", b"a" * (9 << 20), "has 9,437,184 bytes"),
    "Word": ("docx", b"PK", "files that end in .docx cannot be read"),
    "no notebook": ("ipynb", NO_CELLS, "it has no readable cell"),
    "hostile": ("html", f"<p onclick=x>{HOSTILE}</p>", "its page can be detected"),
    "another catalogue": ("po", CATALOG, "is of another project"),
    "empty catalogue": (
        "po",
        CATALOG.replace("面包", ""),
        "has no Chinese translation",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(filled: AdoptionProject, name: str) -> None:
    suffix, content, words = BAD[name]
    path = filled.write(f"copy.{suffix}", content)
    before = snapshot(filled.root / "translations")
    result = filled.adopt(path)
    assert (result.exit_code, result.copies) == (4, ())
    assert words in refusal(result)
    (finding,) = result.findings
    assert finding.where.startswith(path)
    assert finding.hint
    assert snapshot(filled.root / "translations") == before


def test_one_bad_file_stops_no_other(project: AdoptionProject) -> None:
    project.write("copies/bad.md", "English only\n")
    project.write("copies/good.html", as_html(old_page("arrays", "v2").row))
    project.write("copies/image.png", b"\x89PNG")
    result = project.adopt(str(project.root / "copies"))
    assert result.exit_code == 4
    assert [copy.page for copy in result.copies] == ["arrays"]
    assert any(entry.msgstr for entry in live(project.catalog("arrays")))


def test_files_that_are_not_there(pulled: AdoptionProject) -> None:
    pulled.write("copies/arrays.md", page_of())
    (pulled.root / "empty").mkdir()
    for name, words in (
        ("copies/array.md", r"Did you mean 'arrays.md'"),
        ("nowhere/array.md", "no file or folder"),
        ("empty", "has no page"),
    ):
        with pytest.raises(ConfigError, match=words):
            pulled.adopt(str(pulled.root / name))


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("gb18030", "gb18030"),
        ("gbk", "gb18030"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
    ],
)
def test_encodings(pulled: AdoptionProject, encoding: str, shown: str) -> None:
    data = page_of().encode(encoding, "ignore")
    (copy,) = pulled.adopt(pulled.write("copy.md", data), dry_run=True).copies
    assert copy.encoding == shown
    assert len(copy.adopted) > 25


def test_two_encodings_in_one_file(pulled: AdoptionProject) -> None:
    encodings = cycle(("utf-8", "gb18030", "gb18030"))
    lines = zip(page_of().split("\n"), encodings, strict=False)
    data = b"\n".join(line.encode(encoding) for line, encoding in lines)
    (copy,) = pulled.adopt(pulled.write("copy.md", data), dry_run=True).copies
    assert copy.encoding.startswith("UTF-8 and GB18030")
    assert len(copy.adopted) > 25


def test_a_notebook_that_is_cut_off_in_the_middle(project: AdoptionProject) -> None:
    text = as_notebook(old_page("regression", "v3").row)
    file = project.write("copy.ipynb", text[: len(text) * 2 // 3])
    (copy,) = project.adopt(file).copies
    assert len(copy.adopted) > 5
    assert copy.counts[State.MISSING] > 5


def test_marks_that_were_stripped_are_put_back(project: AdoptionProject) -> None:
    row = DAMAGES["marks stripped"](old_page("arrays", "v3").row, random.Random(1))
    text = as_plain(row)
    assert "`" not in text
    project.adopt(project.write("copy.txt", text))
    entries = [entry for entry in live(project.catalog("arrays")) if entry.msgstr]
    with_code = [entry for entry in entries if "`" in entry.msgid]
    restored = [entry for entry in with_code if "`" in entry.msgstr]
    assert len(restored) > 0.8 * len(with_code) > 5


# --- catalogues


def catalog_text(page: str) -> bytes:
    """A colleague's catalogue of a page."""
    entries = [
        Entry(msgid=english, msgstr=words)
        for english, words in chinese(page).items()
        if "\4" not in english
    ]
    header = {"Project-Id-Version": f"docs {page}", "Language": LOCALE}
    return po.format_catalog(Catalog(header=header, entries=tuple(entries)))


def test_a_catalogue_is_matched_by_its_messages(project: AdoptionProject) -> None:
    file = project.write("from-weblate.po", catalog_text("arrays"))
    (copy,) = project.adopt(file).copies
    assert (copy.page, copy.version, copy.form) == ("arrays", None, "catalogue")
    entries = [entry for entry in live(project.catalog("arrays")) if entry.msgstr]
    assert len(entries) > 25
    assert all(entry.fuzzy for entry in entries)
    known = chinese("arrays")
    assert all(entry.msgstr == known[entry.msgid] for entry in entries)
    assert project.adopt(file).changes == ()
    assert verify_memory(project.run) == ()


@pytest.mark.parametrize("name", ["issue.po", "issue.md", "issue.txt"])
def test_an_issue_has_a_suggestion(project: AdoptionProject, name: str) -> None:
    """Whoever saves an issue has words around its entry, and line ends of the web."""
    english = next(iter(chinese("arrays")))
    issue = (
        "### 页面\n\narrays\n\n### 更好的译文\n\n```po\n"
        f'msgid "{english}"\nmsgstr "另一种译法"\n```\n\n谢谢！\n'
    )
    file = project.write(name, issue.replace("\n", "\r\n"))
    (copy,) = project.adopt(file, author="Wang Wu").copies
    assert (copy.page, copy.form) == ("arrays", "suggestion")
    (entry,) = [entry for entry in live(project.catalog("arrays")) if entry.msgstr]
    assert (entry.msgid, entry.msgstr, entry.fuzzy) == (english, "另一种译法", True)
    assert any("by Wang Wu" in note for note in entry.notes)


# --- the command line


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample, pulled, with a copy of a page. It is the current folder."""
    root = tmp_path / "project"
    copy_project(root)
    monkeypatch.chdir(root)
    command("pull sample -q")
    (root / "copy.md").write_text(page_of(release="v3"), encoding="utf-8")
    return root


def test_a_folder_without_history_has_one_version(sample: Path) -> None:
    out = command("adopt copy.md sample --dry-run").out
    assert "arrays as of the pin" in out
    assert "the same as here" in out
    told = command("adopt copy.md sample --dry-run --json")
    assert told.json["copies"][0]["page"] == "arrays"
    command("adopt copy.md sample --audit --at v1", code=3)
    told = command("adopt copy.md sample --license CC-BY-NC-4.0 --author", "Li Lei")
    assert "make sure that you may distribute the work" in told.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "required"),
        ("sample", "adopt needs copies to adopt"),
        ("copy.md jax sample", "at most one upstream"),
        ("nowhere.md sample --dry-run", "no file or folder"),
        ("copy.md --pages x", "does not know '--pages'"),
    ],
)
def test_wrong_words(sample: Path, words: str, told: str) -> None:
    assert told in command(f"adopt {words}", code=2).err
