"""Catalogues survive the tools that people use, as far as they can be played here.

These are GNU gettext, translate-toolkit, Weblate and Poedit. What each tool loses is stated
(``Tool``). All else is equal: read and written again, the file has the very bytes it would have
had.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, field
from msgspec.structs import replace
from places import ROOT

from pipeline.adapters.po import format_catalog, read_catalog, standard_header
from pipeline.cli import main
from pipeline.entries import Catalog, Entry

HEADER = standard_header(
    project="docs", page="guide", locale="zh_CN", date="2025-03-04T05:06:07+08:00"
)
WIDTH = 77

TRICKY_FILE = Path(__file__).parent / "data" / "tricky.po"
TRICKY = read_catalog(TRICKY_FILE.read_bytes(), where="tricky.po").catalog
SAMPLE = ROOT / "translations/zh_CN/sample/arrays.po"


class Tool(Struct, frozen=True, kw_only=True):
    """Something that reads a catalogue and writes it again, and what that costs."""

    run: Callable[[bytes, Path], bytes]  # with a scratch folder
    keeps_own_flags: bool = False  # those that gettext does not define
    keeps_previous: bool = True  # of live entries
    keeps_notes_of_obsolete: bool = True
    header: Mapping[str, str] = field(default_factory=dict)  # fields that it writes

    def left_of(self, catalog: Catalog) -> Catalog:
        """``catalog`` less what the tool loses. Only the header is as it was."""
        return replace(catalog, entries=tuple(map(self._left_of, catalog.entries)))

    def _left_of(self, entry: Entry) -> Entry:
        lost: dict[str, Any] = {}
        if not self.keeps_own_flags:
            lost["flags"] = tuple(flag for flag in entry.flags if flag == "no-wrap")
        if not self.keeps_previous and not entry.obsolete:
            lost["previous"] = None
        if not self.keeps_notes_of_obsolete and entry.obsolete:
            lost["notes"] = ()
        return replace(entry, **lost)


def gnu(
    name: str, *arguments: str, data: bytes = b"", folder: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a GNU tool. It must succeed."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed (Debian package gettext)")
    command = [path, *arguments]
    environ = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": ""}
    return subprocess.run(
        command, input=data, capture_output=True, check=True, env=environ, cwd=folder
    )


def filter_of(command: str, *options: str) -> Callable[[bytes, Path], bytes]:
    """A GNU tool that reads a catalogue and writes one."""

    def run(data: bytes, folder: Path) -> bytes:
        return gnu(command, *options, "-", data=data).stdout

    return run


def msgmerge(*options: str) -> Callable[[bytes, Path], bytes]:
    """msgmerge, with a template made of the catalogue itself: there is no other."""

    def run(data: bytes, folder: Path) -> bytes:
        catalog = read_catalog(data, where="old.po").catalog
        blank = tuple(
            replace(entry, msgstr="", fuzzy=False, previous=None, comments=())
            for entry in catalog.entries
            if not entry.obsolete
        )
        (folder / "old.po").write_bytes(data)
        (folder / "new.pot").write_bytes(format_catalog(replace(catalog, entries=blank)))
        words = ("--quiet", *options, "old.po", "new.pot")
        return gnu("msgmerge", *words, folder=folder).stdout

    return run


WEBLATE_HEADER = {
    "PO-Revision-Date": "2026-11-21 08:00+0000",
    "Last-Translator": "李 <li@example.org>",
    "Language-Team": "Chinese (Simplified Han script) <https://weblate.example.org/projects/docs/guide/zh_Hans/>",
    "X-Generator": "Weblate 2026.10",
}
POEDIT_HEADER = {
    "PO-Revision-Date": "2026-11-21 16:00+0800",
    "Last-Translator": "李 <li@example.org>",
    "X-Generator": "Poedit 3.6",
    "X-Poedit-Basepath": ".",
    "X-Poedit-Bookmarks": "3,-1,-1,-1,-1,-1,-1,-1,-1,-1",
    "X-Poedit-SourceCharset": "UTF-8",
}


def weblate(data: bytes, folder: Path) -> bytes:
    """What Weblate writes, with its own library.

    Every unit is set anew, so that it is wrapped anew; the header is brought up to date.
    """
    return _weblate(data, {})


def _weblate(data: bytes, translations: Mapping[str, str]) -> bytes:
    pypo = pytest.importorskip(
        "translate.storage.pypo", reason="translate-toolkit is not installed"
    )
    store = pypo.pofile()
    store.wrapper.width = WIDTH
    store.parse(data)
    for unit in store.units:
        if not unit.isheader() and not unit.isobsolete():
            source, target = str(unit.source), str(unit.target)
            # Else it sees that nothing changes.
            unit.source, unit.target = "other", "other"
            unit.source, unit.target = source, translations.get(source, target)
            if source in translations:
                unit.markfuzzy(False)
                unit.prev_msgid, unit.prev_msgctxt = [], []
    fields = {name.replace("-", "_"): text for name, text in WEBLATE_HEADER.items()}
    store.updateheader(add=True, **fields)
    out = io.BytesIO()
    store.serialize(out)
    return out.getvalue()


def poedit(*, previous: bool = True, windows: bool = False) -> Callable[[bytes, Path], bytes]:
    """What Poedit writes: lines wrapped at 77, its own header fields in its own order.

    ``previous``: it keeps ``#|``. ``windows``: its lines end in CR LF.
    """

    def run(data: bytes, folder: Path) -> bytes:
        text = gnu("msgcat", f"--width={WIDTH}", "-", data=data).stdout.decode()
        head, rest = text.split("\n\n", 1)
        comment, _, fields = head.partition('msgid ""\nmsgstr ""\n')
        unfolded = re.sub(r'(?<!\\n)"\n"', "", fields).split("\n")
        rows = dict(row[1:-3].split(": ", 1) for row in unfolded) | POEDIT_HEADER
        names = sorted(rows, key=lambda name: (name.startswith("X-"), name))
        if not previous:
            rest = re.sub(r"(?m)^#\| .*\n", "", rest)
        header = "".join(f'"{name}: {rows[name]}\\n"\n' for name in names)
        text = f'{comment}msgid ""\nmsgstr ""\n{header}\n{rest}'
        return text.replace("\n", "\r\n" if windows else "\n").encode()

    return run


TOOLS = {
    "msgcat": Tool(run=filter_of("msgcat")),
    "msgcat, narrow": Tool(run=filter_of("msgcat", "--width=40")),
    "msgcat, unwrapped": Tool(run=filter_of("msgcat", "--no-wrap")),
    "msgattrib": Tool(run=filter_of("msgattrib")),
    "msgmerge": Tool(run=msgmerge(), keeps_previous=False, keeps_notes_of_obsolete=False),
    "msgmerge, previous": Tool(run=msgmerge("--previous"), keeps_notes_of_obsolete=False),
    "Weblate": Tool(
        run=weblate,
        keeps_own_flags=True,
        keeps_notes_of_obsolete=False,
        header=WEBLATE_HEADER,
    ),
    "Poedit": Tool(run=poedit(), header=POEDIT_HEADER),
    "Poedit, no previous": Tool(
        run=poedit(previous=False), keeps_previous=False, header=POEDIT_HEADER
    ),
    "Poedit, Windows": Tool(run=poedit(windows=True), header=POEDIT_HEADER),
}
CATALOGS = {"tricky": TRICKY_FILE.read_bytes(), "arrays": SAMPLE.read_bytes()}
EVERY_TOOL = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
EVERY_CATALOG = pytest.mark.parametrize("data", CATALOGS.values(), ids=CATALOGS)


def _read(data: bytes) -> Catalog:
    return read_catalog(data, where="guide.po").catalog


def _written(catalog: Catalog) -> list[str]:
    """The lines of a file, for a readable comparison."""
    return format_catalog(catalog).decode().split("\n")


def _without_header(data: bytes) -> str:
    return data.decode().split("\n\n", 1)[1]


# --- what tools leave ----------------------------------------------------------------------------


@pytest.mark.slow
@EVERY_CATALOG
@EVERY_TOOL
def test_a_tool_gives_back_the_file(tool: Tool, data: bytes, tmp_path: Path) -> None:
    """Entries, their order and state survive, but for what the table says.

    Once written by us, they are the same byte for byte, and so are comments and header.
    """
    before = _read(data)
    after = read_catalog(tool.run(data, tmp_path), where="guide.po")
    assert after.findings == ()
    expected = _written(tool.left_of(before))
    assert _written(replace(after.catalog, header=before.header)) == expected
    assert {**after.catalog.header} == {**before.header, **tool.header}


def test_a_translation_made_in_weblate_changes_one_entry() -> None:
    done, fall = "Not done yet.", "Leaves fall in autumn."
    chinese = {done: "做完了。", fall: "叶子在秋天落下。"}
    made = _weblate(CATALOGS["tricky"], chinese)
    wanted = TOOLS["Weblate"].left_of(TRICKY)
    changed: dict[str, dict[str, Any]] = {
        done: {"msgstr": chinese[done]},
        fall: {"msgstr": chinese[fall], "fuzzy": False, "previous": None},
    }
    entries = tuple(replace(entry, **changed.get(entry.msgid, {})) for entry in wanted.entries)
    expected = _written(replace(wanted, entries=entries))
    assert _written(replace(_read(made), header=HEADER)) == expected


# --- what tools say ------------------------------------------------------------------------------


@EVERY_CATALOG
def test_msgfmt_accepts_and_counts_as_we_do(data: bytes) -> None:
    words = "msgfmt -c --check-accelerators=& --statistics -o /dev/null -"
    told = gnu(*words.split(), data=data).stderr.decode()
    count = r"(\d+) (translated|fuzzy|untranslated) (?:message|translation)s?[,.] ?"
    assert re.fullmatch(f"(?:{count})+\n", told), told
    live = [entry for entry in _read(data).entries if not entry.obsolete]
    ours = {
        "translated": sum(entry.is_translated for entry in live),
        "fuzzy": sum(entry.fuzzy for entry in live),
        "untranslated": sum(not entry.msgstr for entry in live),
    }
    theirs = {kind: int(number) for number, kind in re.findall(count, told)}
    assert dict.fromkeys(ours, 0) | theirs == ours


# --- and back ------------------------------------------------------------------------------------


PROJECT = """
[dependency-groups]
jax = ["jax==1.0.0", "jaxlib==1.0.0"]

[tool.pipeline]
locales = ["zh_CN"]

[tool.pipeline.upstreams.here]
url = "elsewhere"
"""


@pytest.mark.slow
@EVERY_TOOL
def test_check_fix_gives_back_our_bytes(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``check --fix`` makes the same of a tool's file as of the file before.

    Only header fields that are the tool's may differ.
    """
    data = CATALOGS["tricky"]
    before = _read(data)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    # Catalogues of other projects keep their layout: these are of one of ours.
    (tmp_path / "pyproject.toml").write_text(PROJECT, "utf-8")
    folder = tmp_path / "translations/zh_CN/here"
    folder.mkdir(parents=True)
    (folder / "tool.po").write_bytes(tool.run(data, scratch))
    (folder / "ours.po").write_bytes(format_catalog(tool.left_of(before)))
    monkeypatch.chdir(tmp_path)
    for file in ("tool.po", "ours.po"):
        assert main(["check", "--fix", "--quiet", str(folder / file)]) in (0, 1)
    theirs, ours = ((folder / file).read_bytes() for file in ("tool.po", "ours.po"))
    assert _without_header(theirs) == _without_header(ours)
    fields = list(_read(theirs).header.items())
    assert fields == [*{**before.header, **tool.header}.items()]
