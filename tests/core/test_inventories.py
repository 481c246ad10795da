"""Inventories and the table of names: read as Sphinx reads them, and nothing of a hostile one."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inventories import HEAD, inventory

import pipeline.core.inventories as reader
from pipeline.core.inventories import (
    Inventory,
    InventoryObject,
    Names,
    OtherSite,
    as_warning,
    expand_alias,
    format_inventory,
    format_names,
    is_inside,
    is_plain,
    names_table,
    parse_names,
    read_inventory,
    references_in,
)
from pipeline.errors import InputError
from pipeline.findings import Severity
from pipeline.limits import FILE_BYTES, INVENTORY_UNPACKED

PACKED = FILE_BYTES[".inv"].most
WHERE = "https://example.org/objects.inv"
VERSION = b"# Sphinx inventory version 2\n"
DOCS = """Lamps
=====

.. _dim light:

.. py:module:: lamp
.. py:function:: on(level)
.. py:class:: Bulb
   :canonical: lamp.glass.Bulb
.. py:method:: Bulb.burn()
.. cpp:function:: std::vector<bool> states()
.. option:: --out <file>
.. glossary::

   a bright lamp
      Words.
"""


def read(data: bytes) -> Inventory:
    return read_inventory(data, where=WHERE)


def names(*lines: str) -> list[str]:
    return [entry.name for entry in read(inventory(*lines)).objects]


@pytest.mark.slow
def test_an_inventory_of_sphinx_is_read_as_sphinx_reads_it(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    from sphinx.util.inventory import InventoryFile

    (tmp_path / "conf.py").write_text('project = "Lamps"\nversion = "2.1"\n')
    (tmp_path / "index.rst").write_text(DOCS)
    out = tmp_path / "out"
    # In a process of its own: docutils keeps the directives of Sphinx, and so would later tests.
    command = [sys.executable, "-m", "sphinx", "-q", str(tmp_path), str(out)]
    subprocess.run(command, check=True)
    data = (out / "objects.inv").read_bytes()
    theirs = {
        (role, name, entry.uri)
        for role, entries in InventoryFile.loads(data, uri="").data.items()
        for name, entry in entries.items()
    }
    ours = read(data)
    assert (ours.release, ours.refused) == ("Lamps 2.1", ())
    assert {(o.role, o.name, o.address) for o in ours.objects} == theirs
    assert ("py:function", "lamp.on", "index.html#lamp.on") in theirs
    assert ("std:term", "a bright lamp") in {(role, name) for role, name, _ in theirs}


WORDS = st.text("abz.-_é", min_size=1, max_size=8)


@given(
    st.sets(
        st.builds(
            InventoryObject,
            st.sampled_from(["py:function", "std:label", "rst:directive:option"]),
            st.lists(WORDS, min_size=1, max_size=3).map(" ".join),
            WORDS.map(lambda word: f"a/{word.strip('.')}.html#{word}"),
        )
    )
)
def test_what_is_written_is_read(objects: set[InventoryObject]) -> None:
    found = read(format_inventory("Lamps", objects))
    assert set(found.objects) == objects
    assert (found.release, found.refused) == ("Lamps", ())


def test_entries_are_written_in_order_as_sphinx_writes_them() -> None:
    lamps = [
        InventoryObject("py:function", f"lamp.{name}", f"api.html#lamp.{name}")
        for name in ("on", "off")
    ]
    data = format_inventory("Lamps", lamps)
    assert data.startswith(b"# Sphinx inventory version 2\n# Project: Lamps\n")
    assert zlib.decompress(data.partition(b"using zlib.\n")[2]).decode() == (
        "lamp.off py:function 1 api.html#lamp.off -\nlamp.on py:function 1 api.html#lamp.on -\n"
    )


def test_lines_that_are_no_entries_are_passed_over() -> None:
    assert names(
        "lamp.on py:function 1 api.html#$ -",
        "half of",
        "lamp.off function 1 api.html#$ -",
        f"{'x' * 2_000} py:function 1 api.html#$ -",
        "a name py:function -1 api.html Words of it",
    ) == ["lamp.on", "a name"]


@pytest.mark.parametrize(
    "line",
    [
        "lamp.on py:function 1 javascript:alert(1) -",
        "lamp.on py:function 1 //elsewhere.example/a.html#$ -",
        "lamp.on py:function 1 /a.html -",
        "lamp.on py:function 1 https://elsewhere.example/a.html -",
        "lamp.on py:function 1 a/../../b.html -",
        "lamp.on py:function 1 a\\b.html -",
        'lamp.on py:function 1 a.html#"onclick="hit() -',
        "<script>hit()</script> py:function 1 a.html#x -",
        "lamp<b> py:function 1 a.html#$ -",
        "lamp\x1b[2J py:function 1 a.html#x -",
        "lamp.on py:<b> 1 a.html#x -",
    ],
)
def test_what_leads_elsewhere_or_is_no_name_is_refused(line: str) -> None:
    found = read(inventory(line, "lamp py:module 0 lamp.html#$ -"))
    assert [entry.name for entry in found.objects] == ["lamp"]
    assert len(found.refused) == 1


def test_names_that_are_no_utf_8_are_refused() -> None:
    found = read(HEAD + zlib.compress(b"lamp\xff py:function 1 a.html -\n"))
    assert (found.objects, len(found.refused)) == ((), 1)


def test_names_with_angles_that_are_no_markup() -> None:
    assert is_plain("cpp:function", "std::vector<bool> states()")
    assert is_plain("std:cmdoption", "lamp.--out <file>")
    assert is_plain("std:term", ">>>")


def test_an_empty_address_leads_nowhere() -> None:
    assert not is_inside("")
    assert is_inside("c-api/a.html#c:lamp")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"<html>moved</html>", "is not a Sphinx inventory"),
        (b"", "is not a Sphinx inventory"),
        (
            VERSION.replace(b"2", b"3") + b"# P\n# V\n# zlib\n",
            "is not a Sphinx inventory",
        ),
        (VERSION, "without a header"),
        (VERSION + b"# P\n# V\n# plain\nx", "without a header"),
        (HEAD + b"no zlib", "cannot be unpacked"),
        (inventory("lamp.on py:function 1 a.html -")[:-6], "is cut off"),
        (HEAD + b"x" * PACKED, "at most 8,388,608 are read"),
    ],
    ids=["html", "empty", "version", "head", "plain", "bytes", "cut", "large"],
)
def test_what_is_no_inventory_is_an_error(data: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        read(data)
    assert caught.value.where == WHERE


def test_an_unpacked_inventory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "INVENTORY_UNPACKED", 1 << 20)
    assert read(HEAD + zlib.compress(bytes(1 << 20))).objects == ()
    with pytest.raises(InputError, match="unpacks to more than 1 MiB"):
        read(HEAD + zlib.compress(bytes((1 << 20) + 1)))


def test_a_site_can_do_without_an_inventory_that_is_none() -> None:
    warning = as_warning(InputError("is none", where=WHERE, hint="Fetch it."))
    assert (warning.code, warning.severity) == ("inventory", Severity.WARNING)
    assert (warning.where, warning.text, warning.hint) == (
        WHERE,
        "is none",
        "Fetch it.",
    )


@pytest.mark.slow
def test_a_bomb_is_not_unpacked() -> None:
    packing = zlib.compressobj(9)
    piece = bytes(INVENTORY_UNPACKED // 8)
    pieces = [packing.compress(piece) for _ in range(64)]  # 512 MiB
    bomb = HEAD + b"".join(pieces) + packing.flush()
    assert len(bomb) < PACKED
    tracemalloc.start()
    with pytest.raises(InputError, match="unpacks to more than"):
        read(bomb)
    assert tracemalloc.get_traced_memory()[1] < 3 * INVENTORY_UNPACKED
    tracemalloc.stop()


@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_value_or_an_error(packed: bytes) -> None:
    for data in (packed, HEAD + packed, HEAD + zlib.compress(packed)):
        try:
            read(data)
        except InputError as error:
            assert error.what


USUAL = {"l": "lamp", "lm": "lamp.mains"}
ON = InventoryObject("py:function", "lamp.on", "api.html#lamp.on")
OFF = InventoryObject("py:function", "lamp.off", "api.html#lamp.off")
TERM = InventoryObject("std:term", "A bright lamp", "terms.html#term-a")
URL = "https://lamps.example/"
SITE = OtherSite(url=URL, release="Lamps 2", objects=(ON, TERM))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("{func}`lamp.on`", {("py", "lamp.on")}),
        (":func:`~lamp.on`", {("py", "lamp.on")}),
        (":py:meth:`.Bulb.burn()`", {("py", "Bulb.burn")}),
        ("{py:class}`a bulb <lamp.Bulb>`", {("py", "lamp.Bulb")}),
        ("{func}`switch\n   <lamp.on>`", {("py", "lamp.on")}),
        ("{func}`l.on`", {("py", "l.on"), ("py", "lamp.on")}),
        ("{mod}`lm`", {("py", "lm"), ("py", "lamp.mains")}),
        (":ref:`words <Some label>`", {("std", "some label")}),
        ("{any}`lamp`", {("py", "lamp"), ("std", "lamp")}),
        (":external+lamps:py:func:`on`", {("py", "on")}),
        (":external+lamps:func:`on`", {("py", "on")}),
        ("{c:func}`lamp_on`", {("c", "lamp_on")}),
        ("{doc}`index`, {math}`x`, `code`, [a](b)", set()),
        # Of one's own.
        ("(dim)=\n{ref}`dim`", set()),
        (".. _dim light:\n\n:ref:`dim light`", set()),
    ],
)
def test_what_a_text_asks_for(text: str, asked: set[tuple[str, str]]) -> None:
    assert references_in([text], USUAL) == asked


def test_customary_names_are_spelled_out() -> None:
    assert expand_alias("lm.fuse.blow", USUAL) == "lamp.mains.fuse.blow"
    assert expand_alias("lamp.l", USUAL) == "lamp.l"


def test_what_is_asked_for_is_kept() -> None:
    fetched = {"lamps": Inventory(release="Lamps 2", objects=(OFF, TERM, ON, ON))}
    asked = references_in(["{func}`l.on`, {term}`A bright Lamp`, {c:func}`lamp.off`"], USUAL)
    sites = {"lamps": URL, "far": "https://far.example/"}
    assert names_table(sites, fetched, {}, asked) == {"lamps": SITE}


def test_what_cannot_be_fetched_stays_also_if_it_is_not_asked_for() -> None:
    asked, known = frozenset({("py", "lamp.on")}), {"lamps": SITE}
    assert names_table({"lamps": URL}, {}, known, asked) == known
    # Under another address nothing is known of it.
    for sites in ({"lamps": "https://other.example/"}, {}):
        assert names_table(sites, {}, known, asked) == {}


def test_a_table_survives_the_round_trip() -> None:
    table: Names = {"lamps": SITE, "bare": OtherSite(url=URL, release="", objects=())}
    data = format_names(table)
    assert parse_names(data, where="x.names.lock") == table
    assert b'\n   "py:function lamp.on api.html#lamp.on",\n' in data


def table_of(*objects: object, release: object = "") -> dict[str, object]:
    return {"lamps": {"url": URL, "release": release, "objects": objects}}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("<<<<<<< ours", "is not a table of names"),
        ([], "is not a table of names"),
        ({"lamps": []}, "not a table of names: Expected `object`, got `array`"),
        (table_of(release=2), "got `int` - at .*release"),
        (table_of("py:function lamp.on javascript:hit()"), "is not an object"),
        (table_of("py:function lamp.on //far.example/"), "is not an object"),
        (table_of("py:function\nx lamp.on a.html"), "is not an object"),
        (table_of("py:function a.html"), "is not an object"),
        (table_of(7), "objects.0."),
    ],
)
def test_a_damaged_table_is_an_error(value: object, problem: str) -> None:
    data = value if isinstance(value, str) else json.dumps(value)
    with pytest.raises(InputError, match=problem) as caught:
        parse_names(data.encode(), where="upstream/x.names.lock")
    assert caught.value.where == "upstream/x.names.lock"
