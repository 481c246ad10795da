"""Catalogues survive reading and writing, whatever text they hold.

Files that cannot be read whole are refused.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from pipeline.adapters.po import (
    ReadCatalog,
    format_catalog,
    read_catalog,
    replace_msgstrs,
    standard_header,
    write_catalog,
)
from pipeline.entries import NEUTRAL_DATE, Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Severity

DATA = Path(__file__).parent / "po"
HEADER = standard_header(
    project="sample", page="guide", locale="zh_CN", date="2025-03-04T05:06:07+08:00"
)
SPECIAL = '\\"\n\t\r\a\b\f\v\x1c\x1d\x1e\x7f\x85\u2028\u2029\ufeff\u2068#~|:.,=_nxabfrtv0 甲'

CHARACTERS = st.sampled_from(SPECIAL) | st.characters(
    exclude_categories=["Cs"], exclude_characters="\0\x04"
)
TEXT = st.text(CHARACTERS, max_size=30)
ROW = TEXT.map(lambda text: text.replace("\n", "").replace("\r", ""))
ROWS = st.lists(ROW, max_size=3).map(tuple)
STRING = TEXT.map(lambda text: text.strip("\n"))
NAME = st.text(st.sampled_from("ab/-_. \t:~#\\页\u3000\x85\x1c"), min_size=1, max_size=9)
PAGE = st.sampled_from(["guide", "notebooks/my page", "页/一", "a.b-c_d"])
FLAG = st.sampled_from(["no-wrap", "range: 0..1", "reviewed", "no-c-format", "=", "#"])


@st.composite
def entries(draw: st.DrawFn, *, plain: bool = False) -> Entry:
    """Any entry. A ``plain`` one has only what every GNU tool keeps."""
    msgstr = draw(STRING)
    fuzzy = draw(st.booleans()) and not (plain and msgstr == "")
    return Entry(
        msgid=draw(STRING.filter(bool)),
        msgstr=msgstr,
        fuzzy=fuzzy,
        previous=draw(st.none() | TEXT) if fuzzy else None,
        context=draw(st.none() | TEXT),
        obsolete=draw(st.booleans()) and not (plain and msgstr == ""),
        comments=draw(ROWS),
        notes=draw(ROWS),
        references=tuple(
            draw(st.lists(PAGE, unique=True) if plain else st.lists(NAME, max_size=3))
        ),
        flags=() if plain else tuple(draw(st.lists(FLAG, unique=True))),
    )


def _key(entry: Entry) -> tuple[str | None, str]:
    return entry.context, entry.msgid


def _sorted(many: list[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(many, key=lambda entry: entry.obsolete))


CATALOGS = st.builds(
    Catalog,
    header=st.dictionaries(
        ROW.filter(lambda name: name.strip() != "" and ":" not in name), ROW, max_size=4
    ),
    comment=ROWS,
    entries=st.lists(entries(), max_size=5, unique_by=_key).map(_sorted),
)


def _read(data: bytes) -> ReadCatalog:
    return read_catalog(data, where="guide.po")


def _read_or_none(data: bytes) -> ReadCatalog | None:
    try:
        return _read(data)
    except InputError:
        return None


def _without_lines(catalog: Catalog) -> Catalog:
    entries = tuple(replace(entry, line=0) for entry in catalog.entries)
    return replace(catalog, entries=entries)


def _catalog(*entries: Entry) -> bytes:
    return format_catalog(Catalog(header=HEADER, entries=entries))


def _po(body: str) -> bytes:
    return format_catalog(Catalog(header=HEADER)) + b"\n" + body.encode("utf-8")


def _tool(name: str, *arguments: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed (Debian package gettext)")
    command = [path, *arguments, "-"]
    return subprocess.run(command, input=data, capture_output=True, check=False)


# --- round trips ---------------------------------------------------------------------------------


@given(CATALOGS)
def test_any_catalogue_survives_writing_and_reading(catalog: Catalog) -> None:
    data, kept = write_catalog(catalog)
    again = _read(data).catalog
    assert again == kept
    assert _without_lines(again) == catalog
    assert list(again.header.items()) == list(catalog.header.items())
    assert format_catalog(again) == data


@pytest.mark.slow
@given(CATALOGS)
def test_a_windows_editor_changes_nothing(catalog: Catalog) -> None:
    data = format_catalog(catalog)
    windows = _read(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    assert windows.catalog == _read(data).catalog
    assert [finding.code for finding in windows.findings][:1] == ["po-bom"]


def test_a_line_of_a_hundred_thousand_characters() -> None:
    entry = Entry(msgid="a" * 100_000, msgstr='\\"甲' * 30_000)
    (again,) = _read(_catalog(entry)).catalog.entries
    assert again.msgstr == entry.msgstr


@pytest.mark.slow
@given(st.lists(entries(), max_size=40, unique_by=_key).map(_sorted))
def test_msgfmt_accepts_what_is_written_without_a_word(many: tuple[Entry, ...]) -> None:
    data = _catalog(*many)
    result = _tool(*"msgfmt -c --check-format -o /dev/null".split(), data=data)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


@pytest.mark.slow
@given(st.lists(entries(plain=True), min_size=1, max_size=40, unique_by=_key).map(_sorted))
def test_gnu_tools_leave_the_content_as_it_is(many: tuple[Entry, ...]) -> None:
    data = format_catalog(Catalog(header=HEADER, comment=("Translators",), entries=many))
    result = _tool("msgcat", data=data)
    assert result.returncode == 0, result.stderr.decode()
    expected = _without_lines(_read(data).catalog)
    assert _without_lines(_read(result.stdout).catalog) == expected


def test_msgcat_leaves_the_bytes_as_they_are() -> None:
    head: dict[str, Any] = {"notes": ("heading",)}
    fuzzy: dict[str, Any] = {"fuzzy": True, "previous": "Scalars\nall"}
    persons = ("of a person", "")
    many = (
        Entry(msgid="A", msgstr="甲", references=("guide",), comments=persons, **head),
        Entry(msgid="two\nlines\\", msgstr="两\n\n行\\", context='"menu"'),
        Entry(msgid="Scalar", msgstr="标量", flags=("no-wrap",), **fuzzy),
        Entry(msgid="Gone", msgstr="没了", obsolete=True, **head, **fuzzy),
    )
    data = format_catalog(Catalog(header=HEADER, comment=("Translators",), entries=many))
    assert _tool("msgcat", "--no-wrap", data=data).stdout == data


# --- what is read and what is refused ------------------------------------------------------------


def _outcome(path: Path) -> str:
    try:
        read = read_catalog(path.read_bytes(), where=path.name)
    except InputError as error:
        return f"error {error.where}: {error.what}\n{error.hint}\n"
    found = "".join(
        f"{finding.severity} {finding.where} {finding.code}: {finding.text}\n"
        for finding in read.findings
    )
    return found + "\n" * bool(found) + format_catalog(read.catalog).decode("utf-8")


@pytest.mark.parametrize("path", sorted(DATA.glob("*.po")), ids=lambda path: path.stem)
def test_each_file_gives_what_stands_beside_it(path: Path) -> None:
    """Each ``.po`` file stands beside a ``.txt``.

    That has the error, or the findings and the canonical form.
    """
    assert _outcome(path) == path.with_suffix(".txt").read_bytes().decode("utf-8")


def test_every_expectation_has_its_file() -> None:
    files = {path.stem for path in DATA.glob("*.po")}
    assert {path.stem for path in DATA.glob("*.txt")} == files


def _encoded(msgstr: str, encoding: str, *, header: str = "UTF-8") -> bytes:
    text = _po(f'msgid "a"\nmsgstr "{msgstr}"\n').decode()
    return text.replace("UTF-8", header).encode(encoding)


SIMPLIFIED = "把数组放到设备上，然后运行这个函数。"
TRADITIONAL = "把陣列放到裝置上，然後執行這個函數。"
SAVE = "Save it as UTF-8 and run again."
CONVERT = "The header says {0}: msgconv --to-code=UTF-8 --output-file=FILE FILE"
HINTS = {
    "gb18030": (_encoded(SIMPLIFIED, "gb18030"), "It looks like GB18030: open it as GB18030"),
    "gbk": (_encoded(SIMPLIFIED, "gbk"), "iconv -f GB18030 -t UTF-8 FILE > NEW."),
    "big5": (_encoded(TRADITIONAL, "big5"), "It looks like Big5: open it as Big5"),
    # What the header says is right: GNU's tool changes the header as well.
    "declared": (_encoded(SIMPLIFIED, "gbk", header="GB18030"), CONVERT.format("GB18030")),
    "declared and short": (_encoded("数组", "gbk", header="GBK"), CONVERT.format("GBK")),
    # A few damaged bytes make no other encoding of a text.
    "damaged": (_encoded(SIMPLIFIED, "utf-8").replace("组".encode(), b"\xd7\xe9"), SAVE),
    "latin-1": (_encoded("café", "latin-1"), SAVE),
    "cp1252": (_encoded("\N{BULLET}" * 9, "cp1252"), SAVE),
}  # fmt: skip


@pytest.mark.parametrize(("data", "hint"), HINTS.values(), ids=HINTS)
def test_another_encoding_is_named_where_it_can_be_told(data: bytes, hint: str) -> None:
    with pytest.raises(InputError, match=r"^guide\.po:17: is not UTF-8\n") as caught:
        _read(data)
    assert hint in caught.value.hint
    assert '"' not in caught.value.hint


NO_CATALOGS = {
    "utf-16": (_encoded("甲", "utf-16"), "1: is UTF-16, not UTF-8", SAVE),
    "nul": (_encoded("\0", "utf-8"), "17: .*NUL", "Remove"),
    "eot": (_encoded("\x04", "utf-8"), "17: .*U\\+0004", "Remove"),
    "old-mac": (_po('msgid "a"\rmsgstr "甲"\r'), "16: .*quotes", "Close"),
}


@pytest.mark.parametrize(("data", "what", "hint"), NO_CATALOGS.values(), ids=NO_CATALOGS)
def test_bytes_that_are_no_catalogue(data: bytes, what: str, hint: str) -> None:
    with pytest.raises(InputError, match=f"^guide.po:{what}") as caught:
        _read(data)
    assert hint in caught.value.hint


def test_lines_point_at_the_entry_itself() -> None:
    data = (
        'msgid ""\nmsgstr "Language: zh_CN\\n"\n\n'
        '# c\n#| msgid "old"\nmsgctxt "menu"\nmsgid "a"\nmsgstr ""\n"甲"\n\n'
    )
    data += '#~ msgid "b"\n#~ msgstr ""\n'
    assert [entry.line for entry in _read(data.encode()).catalog.entries] == [6, 11]


def test_a_file_cut_anywhere_is_refused_or_reported_or_ends_with_a_whole_line() -> None:
    many = (
        Entry(msgid="a", msgstr="甲\n乙", previous="x", fuzzy=True),
        Entry(msgid="b", msgstr="丙", obsolete=True),
    )
    data = _catalog(*many)
    for end in range(1, len(data)):
        read = _read_or_none(data[:end])
        codes = {finding.code for finding in read.findings} if read else {"refused"}
        assert data[:end].endswith(b"\n") or codes & {"po-cut", "refused"}


FRAGMENTS = r"""
msgid "a"
msgid "b"
msgid ""
msgctxt "k"
msgstr "甲"
msgstr ""
"x"
"Language: x\n"
msgid_plural "a"
msgstr[0] "z"
# c
#. n
#.
#:
#: r
#, fuzzy
#= w
#,
#| msgid "p"
#| "q"
#~ msgid "a"
#~ msgid "c"
#~ msgstr "丁"
#~ "y"
#~
#~| msgid "p"
#~| "q"
=======
junk
"""
LINES = st.sampled_from(FRAGMENTS.split("\n"))


@given(
    st.lists(LINES, max_size=14).map(lambda lines: "\n".join(lines).encode())
    | st.binary(max_size=60)
)
def test_any_bytes_give_an_error_or_all_translations(data: bytes) -> None:
    read = _read_or_none(data)
    if read is None:
        return
    held = "".join(entry.msgstr for entry in read.catalog.entries)
    there = {one for one in "甲丁" if f'msgstr "{one}"' in data.decode("utf-8")}
    assert there <= {*held}
    written = write_catalog(read.catalog)
    assert written.catalog == _read(written.data).catalog
    assert _without_lines(written.catalog) == _without_lines(read.catalog)


# --- what is not written -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        (Entry(msgid="a", msgstr="\0"), "NUL"),
        (Entry(msgid="a\x04"), r"U\+0004"),
        (Entry(msgid="a", comments=("\ud800",)), "surrogate"),
        (Entry(msgid=""), "without msgid"),
        (Entry(msgid="a", references=("b\nc",)), "reference"),
        (Entry(msgid="a", references=("",)), "reference"),
        (Entry(msgid="a", flags=("b, c",)), "flag"),
    ],
)
def test_what_no_file_can_hold_is_refused(entry: Entry, what: str) -> None:
    with pytest.raises(InputError, match=what):
        _catalog(entry)


@pytest.mark.parametrize("header", [{"a:b": "c"}, {"a": "b\nc"}, {" ": "b"}])
def test_a_header_that_cannot_be_read_back_is_refused(header: dict[str, str]) -> None:
    with pytest.raises(InputError, match="header"):
        format_catalog(Catalog(header=header))


def test_one_msgid_twice_is_refused_even_if_one_is_obsolete() -> None:
    with pytest.raises(InputError, match="same msgid"):
        _catalog(Entry(msgid="a", msgstr="甲"), Entry(msgid="a", msgstr="乙", obsolete=True))


def test_what_is_brought_into_form() -> None:
    messy = Entry(
        msgid="a",
        msgstr="\n甲\n\n",
        comments=("one\r\ntwo\rthree",),
        flags=("python-format", "no-wrap"),
    )
    tidy = Entry(msgid="a", msgstr="甲", comments=("one", "two", "three"), flags=("no-wrap",))
    assert _catalog(messy) == _catalog(tidy)


def test_obsolete_entries_come_last_in_their_order() -> None:
    many = [Entry(msgid=name, obsolete=name in "ac") for name in "abcd"]
    read = _read(_catalog(*many)).catalog
    assert [entry.msgid for entry in read.entries] == ["b", "d", "a", "c"]


def test_findings_of_a_clean_file_and_of_one_without_header() -> None:
    assert _read(_catalog()).findings == ()
    (found,) = _read(b"").findings
    assert (found.code, found.severity) == ("po-header", Severity.WARNING)
    assert (found.where, found.text) == ("guide.po:1", "has no header")


# --- header --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("date", "written"),
    [
        ("2025-03-04T05:06:07+08:00", "2025-03-04 05:06+0800"),
        ("2025-03-04T05:06:07Z", "2025-03-04 05:06+0000"),
        ("2025-03-04T05:06:07", "2025-03-04 05:06+0000"),
        ("", NEUTRAL_DATE),
    ],
)
def test_dates_of_the_header(date: str, written: str) -> None:
    header = standard_header(project="p", page="q", locale="zh_CN", date=date)
    assert header["POT-Creation-Date"] == written


def test_a_date_that_is_none() -> None:
    with pytest.raises(InputError, match="yesterday"):
        standard_header(project="p", page="q", locale="zh_CN", date="yesterday")


def test_what_translators_wrote_into_the_header_stays() -> None:
    existing = {
        "X-Poedit-Basepath": ".",
        "Project-Id-Version": "old",
        "PO-Revision-Date": "2024-01-01 00:00+0800",
        "Last-Translator": "FULL NAME <EMAIL@ADDRESS>",
        "X-Generator": "Poedit 3.4",
        "Language-Team": "",
    }
    header_of = partial(standard_header, project="sample", page="guide", locale="zh_CN", date="")
    header = header_of(existing=existing)
    written = {
        "PO-Revision-Date": "2024-01-01 00:00+0800",
        "X-Generator": "Poedit 3.4",
        "Last-Translator": "",
        "Language-Team": "zh_CN",
        "Project-Id-Version": "sample guide",
    }
    assert written.items() <= header.items()
    assert list(header)[-1] == "X-Poedit-Basepath"
    assert header_of(existing=header) == header


PLURAL = """#: lamps.py:12
#, fuzzy, no-python-format
#| msgid "%d old lamp"
#| msgid_plural "%d old lamps"
msgctxt "shop"
msgid "%d lamp"
msgid_plural "%d lamps"
msgstr[0] "%d lampe"
msgstr[1] "%d lampes\\n"

#~ msgid "%d fuse"
#~ msgid_plural "%d fuses"
#~ msgstr[0] "%d fusible"
#~ msgstr[1] "%d fusibles"
"""
PLURAL_HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'


def _read_plurals(data: bytes) -> ReadCatalog:
    return read_catalog(data, where="x.po", takes_plurals=True)


def test_plural_forms_come_back_as_they_were() -> None:
    data = (PLURAL_HEADER + PLURAL).encode()
    read = _read_plurals(data)
    lamps, fuses = read.catalog.entries
    assert (lamps.plural, lamps.previous_plural) == ("%d lamps", "%d old lamps")
    # Not even the line break goes that msgfmt would complain of.
    assert lamps.forms == ("%d lampe", "%d lampes\n")
    assert (fuses.forms, fuses.obsolete) == (("%d fusible", "%d fusibles"), True)
    assert not lamps.is_finished
    assert (lamps.line, fuses.line) == (9, 15)
    written = format_catalog(read.catalog)
    assert _read_plurals(written).catalog.entries == read.catalog.entries
    assert written == data


A_B = 'msgid "a"\nmsgid_plural "b"\n'


NO_PLURALS = (
    (A_B, 5, "no msgstr"),
    (f'{A_B}msgstr "c"\n', 5, "no msgstr"),
    (f'{A_B}msgstr[1] "c"\n', 7, "msgstr[1] instead of msgstr[0]"),
    (f'{A_B}msgstr[0] "c"\nmsgstr[0] "d"\n', 8, "msgstr[0] instead of msgstr[1]"),
    ('msgid "a"\nmsgstr[0] "c"\n', 5, "no msgstr"),
    ('msgid_plural "b"\n', 5, "without a msgid"),
    (f'{A_B}msgstr[0] "c"\n#~ msgstr[1] "d"\n', 8, "some lines of an entry are obsolete"),
    (f'{A_B}msgstr[0] "c"\n\n{A_B}msgstr[0] "d"\n', 9, "another translation"),
)  # fmt: skip


@pytest.mark.parametrize(("entry", "line", "what"), NO_PLURALS)
def test_plural_forms_that_are_none(entry: str, line: int, what: str) -> None:
    with pytest.raises(InputError, match=re.escape(what)) as caught:
        _read_plurals((PLURAL_HEADER + entry).encode())
    assert caught.value.where == f"x.po:{line}"


def test_an_entry_with_plural_forms_may_stand_twice() -> None:
    entry = f'{A_B}msgstr[0] "c"\n'
    read = _read_plurals(f"{PLURAL_HEADER}{entry}\n{entry}".encode())
    assert [finding.code for finding in read.findings] == ["po-duplicate"]
    assert [entry.forms for entry in read.catalog.entries] == [("c",)]


@given(CATALOGS, st.data())
def test_only_a_translation_is_replaced(catalog: Catalog, data: st.DataObject) -> None:
    before = format_catalog(catalog)
    entries = read_catalog(before, where="x.po").catalog.entries
    chosen = [entry for entry in entries if entry.is_translated]
    assume(chosen)
    entry = data.draw(st.sampled_from(chosen))
    after = replace_msgstrs(before, {entry.line: "新的“译文”\n两行"})
    expected = [
        replace(one, line=0, msgstr="新的“译文”\n两行" if one is entry else one.msgstr)
        for one in entries
    ]
    found = read_catalog(after, where="x.po").catalog.entries
    assert [replace(one, line=0) for one in found] == expected
    assert replace_msgstrs(before, {}) == before
