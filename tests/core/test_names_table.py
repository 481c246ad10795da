"""The table of names: what docs ask for, what of it is kept, and what a damaged table is."""

from __future__ import annotations

import json

import pytest

from pipeline.core.inventories import (
    Inventory,
    InventoryObject,
    Names,
    OtherSite,
    expand_alias,
    format_names,
    names_table,
    parse_names,
    references_in,
)
from pipeline.errors import InputError

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
    asked = references_in(
        ["{func}`l.on`, {term}`A bright Lamp`, {c:func}`lamp.off`"], USUAL
    )
    sites = {"lamps": URL, "far": "https://far.example/"}
    assert names_table(sites, fetched, {}, asked) == {"lamps": SITE}


def test_what_cannot_be_fetched_stays_also_if_it_is_not_asked_for() -> None:
    asked = frozenset({("py", "lamp.on")})
    assert names_table({"lamps": URL}, {}, {"lamps": SITE}, asked) == {"lamps": SITE}
    # Under another address nothing is known of it.
    assert (
        names_table({"lamps": "https://other.example/"}, {}, {"lamps": SITE}, asked)
        == {}
    )
    assert names_table({}, {}, {"lamps": SITE}, asked) == {}


def test_a_table_survives_the_round_trip() -> None:
    table: Names = {"lamps": SITE, "bare": OtherSite(url=URL, release="", objects=())}
    data = format_names(table)
    assert parse_names(data, where="x.names.lock") == table
    assert b'\n   "py:function lamp.on api.html#lamp.on",\n' in data


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("<<<<<<< ours", "is not a table of names"),
        ([], "is not a table of names"),
        ({"lamps": []}, "not a table of names: Expected `object`, got `array`"),
        (
            {"lamps": {"url": URL, "release": 2, "objects": []}},
            "got `int` - at .*release",
        ),
        ("py:function lamp.on javascript:hit()", "is not an object"),
        ("py:function lamp.on //far.example/", "is not an object"),
        ("py:function\nx lamp.on a.html", "is not an object"),
        ("py:function a.html", "is not an object"),
        ({"lamps": {"url": URL, "release": "", "objects": [7]}}, "objects.0."),
    ],
)
def test_a_damaged_table_is_an_error(value: object, problem: str) -> None:
    if "is not an object" in problem:
        value = {"lamps": {"url": URL, "release": "", "objects": [value]}}
    data = value if isinstance(value, str) else json.dumps(value)
    with pytest.raises(InputError, match=problem) as caught:
        parse_names(data.encode(), where="upstream/x.names.lock")
    assert caught.value.where == "upstream/x.names.lock"
