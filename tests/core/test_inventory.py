"""Inventories: read as Sphinx reads them, and nothing of a hostile one."""

from __future__ import annotations

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
    as_warning,
    format_inventory,
    is_inside,
    is_plain,
    read_inventory,
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
        "lamp.off py:function 1 api.html#lamp.off -\n"
        "lamp.on py:function 1 api.html#lamp.on -\n"
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


def test_an_inventory_that_unpacks_to_too_much_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
