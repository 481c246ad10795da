"""Where the names of objects on a page lead: on this site, in the English docs, on other sites."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from inventories import inventory
from msgspec import structs
from workshop import POLICY, Workshop

from pipeline.findings import Severity

pytestmark = pytest.mark.slow  # each runs Sphinx, or looks at what it made

ENGLISH = "https://docs.example.org/en/"


def test_what_only_upstreams_own_site_can_show_leads_there(built: Workshop) -> None:
    article = built.article("api")
    marked = 'hreflang="en" title="英文页面，本站没有"'
    for place, words in (
        ("#module-lamp", "lamp"),
        ("#lamp.on", "lamp.on"),
        ("", "api"),
    ):
        assert f'href="{ENGLISH}api.html{place}" {marked}>{words}</a>' in article
    assert 'lamp <span class="o">=</span> <span class="mi">1</span>' in article
    assert article.count("这里的内容在上游仓库中：") == 2
    assert "graph of nothing" in article
    # It is for styles of upstream's own.
    assert "Laid out" not in article
    assert "#12" in article


NAMES = """Names
=====

.. currentmodule:: lamp

.. autosummary::
   :toctree: ../_autosummary

   Lamp
   ~lamp.bulb

.. autosummary::

   unpaged

.. autofunction:: dim(level)
"""
USES = """# Uses

{func}`lamp.Lamp`, {meth}`lamp.Lamp.burn`, {class}`~lamp.bulb`, {func}`lamp.dim`, {attr}`lamp.on`,
{func}`lamp.unpaged`, {func}`lamp.gone`, {mod}`lamp`, {func}`.bulb.burn`.
"""


def leads(workshop: Workshop, page: str) -> dict[str, str]:
    """Return where the names on a page lead; those that lead nowhere are left out."""
    link = (
        r'<a class="reference external" href="([^"]+)"[^>]*><code class="xref[^>]*>'
        r'<span class="pre">([^<]+)</span></code></a>'
    )
    article = workshop.article(page)
    return {name: address for address, name in re.findall(link, article)}


def test_names_that_the_docs_list_lead_to_their_reference(tmp_path: Path) -> None:
    """Without a network, and under whatever kind of object a name is asked for."""
    files = {"index.md": "# Start\n", "api/names.rst": NAMES, "uses.md": USES}
    workshop = Workshop.of(tmp_path, files)
    (missing,) = workshop.build()
    assert missing.code == "inventory"
    assert leads(workshop, "uses") == {
        "lamp.Lamp()": f"{ENGLISH}_autosummary/lamp.Lamp.html#lamp.Lamp",
        # A class tells of its methods on its page, perhaps without an anchor for each.
        "lamp.Lamp.burn()": f"{ENGLISH}_autosummary/lamp.Lamp.html",
        "bulb": f"{ENGLISH}_autosummary/lamp.bulb.html#lamp.bulb",
    }
    # The page that describes it is here.
    assert 'href="api/names.html#lamp.dim"' in workshop.article("uses")
    assert set(leads(workshop, "api/names")) == {"Lamp", "lamp.bulb"}
    # An inventory knows more, and comes first.
    known = (
        "lamp.on py:function 1 known.html#$ -",
        "lamp.Lamp py:class 1 known.html#$ -",
    )
    workshop.put_inventory(inventory(*known))
    assert workshop.build() == ()
    uses = leads(workshop, "uses")
    assert uses["lamp.Lamp()"] == f"{ENGLISH}known.html#lamp.Lamp"
    assert uses["lamp.on"] == f"{ENGLISH}known.html#lamp.on"
    # Docs without an English site have nowhere to lead to.
    assert workshop.build(structs.replace(POLICY, english_url="")) == ()
    assert leads(workshop, "uses") == {}


ELSEWHERE = """# Uses

{func}`print`, {func}`lamp.map`, {class}`vase.Vase`, {func}`np.sum`, {func}`vase.fill`,
{mod}`glass`, {func}`glass.cut`.

See {ref}`shapes <vase-shapes>`.
"""
AROUND = """Around
======

.. currentmodule:: lamp

:func:`map`, :func:`.only_here`, :func:`only_here`, :func:`deep.only_here`, :func:`.twice`.
"""
LISTED = """Names
=====

.. currentmodule:: lamp

.. autosummary::
   :toctree: _autosummary

   map
   deep.only_here
   one.twice
   two.twice
   np.max
"""
PYTHON, VASE = "https://python.example/3/", "https://vase.example/"
KNOWN = {
    "python": (
        PYTHON,
        "py:function print library/functions.html#print",
        "py:function map library/functions.html#map",
    ),
    "vase": (
        VASE,
        # A class where a function is asked for, and the other way round.
        "py:data vase.fill a.html#vase.fill",
        "py:function vase.Vase a.html#vase.Vase",
        "py:function numpy.sum sum.html#numpy.sum",
        "std:label vase-shapes shapes.html#vase-shapes",
    ),
}


def names_lock(known: Mapping[str, tuple[str, ...]]) -> str:
    """Return the table of names with these sites: their URL, then the objects."""
    return json.dumps(
        {
            name: {"url": url, "release": "1", "objects": objects}
            for name, (url, *objects) in known.items()
        }
    )


def test_names_of_other_sites_are_links_by_the_table_of_names(tmp_path: Path) -> None:
    """Without a network and without an inventory, for every locale the same."""
    files = {
        "index.md": "# Start\n",
        "glass.md": "# Glass\n",
        "uses.md": ELSEWHERE,
        "around.rst": AROUND,
        "names.rst": LISTED,
    }
    workshop = Workshop.of(tmp_path, files)
    workshop.put(workshop.paths.names, names_lock(KNOWN))
    policy = structs.replace(POLICY, inventories={"python": PYTHON, "vase": VASE})
    (missing,) = workshop.build(policy)
    assert missing.where.endswith("demo.inv")
    listed = f"{ENGLISH}_autosummary/"
    assert leads(workshop, "uses") == {
        "print()": f"{PYTHON}library/functions.html#print",
        "lamp.map()": f"{listed}lamp.map.html#lamp.map",
        "vase.Vase": f"{VASE}a.html#vase.Vase",
        # numpy goes by its short name in docs of JAX.
        "np.sum()": f"{VASE}sum.html#numpy.sum",
        "vase.fill()": f"{VASE}a.html#vase.fill",
    }
    article = workshop.article("uses")
    assert f'href="{VASE}shapes.html#vase-shapes"' in article
    # Nothing documents the module, but a page is called like it.
    assert re.search(r'internal" href="glass.html"[^>]*><code[^>]*><span[^>]*>glass<', article)
    only_here = f"{listed}lamp.deep.only_here.html#lamp.deep.only_here"
    assert leads(workshop, "around") == {
        # Not Python's: the module around it has one.
        "map()": f"{listed}lamp.map.html#lamp.map",
        # With a dot, as Sphinx has it: the only one of that name.
        "only_here()": only_here,
        "deep.only_here()": only_here,
    }
    # Another table makes other links, at the next build.
    moved = {"vase": (VASE, "py:class vase.Vase new.html#vase.Vase")}
    workshop.put(workshop.paths.names, names_lock(moved))
    told = {finding.where: finding.text for finding in workshop.build(policy)}
    assert "python" in told["upstream/demo.names.lock"]
    known = leads(workshop, "uses")
    assert known["vase.Vase"] == f"{VASE}new.html#vase.Vase"
    assert "print()" not in known
    # So it is for docs that have no English site.
    workshop.build(structs.replace(policy, english_url=""))
    assert leads(workshop, "uses") == {"vase.Vase": known["vase.Vase"]}


HOSTILE_LINE = "lamp.on py:function 1 javascript:hit() -"


@pytest.mark.parametrize(
    ("damaged", "listed", "inventory_data", "known"),
    [
        (
            "names",
            "py:data vase.fill javascript:hit()",
            inventory("lamp.on py:function 1 api.html#$ -", HOSTILE_LINE),
            "lamp.on()",
        ),
        (
            "inventory",
            "py:data vase.fill a.html#vase.fill",
            inventory(HOSTILE_LINE)[:-8],
            "vase.fill()",
        ),
    ],
    ids=["names", "inventory"],
)
def test_lists_of_names_that_are_damaged_are_told(
    tmp_path: Path, damaged: str, listed: str, inventory_data: bytes, known: str
) -> None:
    """The site is made without them; nothing of them gets into it."""
    index = "# Start\n\n{func}`lamp.on`, {func}`vase.fill`.\n"
    workshop = Workshop.of(tmp_path, {"index.md": index})
    workshop.put(workshop.paths.names, names_lock({"vase": (VASE, listed)}))
    workshop.put_inventory(inventory_data)
    (finding,) = workshop.build(structs.replace(POLICY, inventories={"vase": VASE}))
    assert finding.severity is Severity.WARNING
    path = getattr(workshop.paths, damaged)
    assert finding.where == path.relative_to(tmp_path).as_posix()
    assert set(leads(workshop, "index")) == {known}
    assert "javascript:hit" not in workshop.html("index")


def test_names_without_a_record_are_a_list_of_links(tmp_path: Path) -> None:
    lists = ".. autosummary::\n\n   ~jax.numpy.cumsum\n   :nosignatures:\n   lamp.on\n"
    workshop = Workshop.of(tmp_path, {"index.rst": f"Names\n=====\n\n{lists}"})
    workshop.build()
    (listed,) = workshop.parsed("index").select("ul.jz-api.simple")
    assert listed.text.split() == ["jax.numpy.cumsum", "lamp.on"]


def test_a_missing_inventory_is_a_warning(tmp_path: Path) -> None:
    workshop = Workshop.of(tmp_path, {"index.md": "# Start\n"})
    (missing,) = workshop.build()
    assert (missing.severity, missing.code) == (Severity.WARNING, "inventory")
    assert missing.where == "build/cache/inventories/demo.inv"
    # It is said again by a build that changes nothing.
    assert workshop.build() == (missing,)
    assert missing.hint.endswith("/objects.inv, with a network.")
    # From a copy of upstream nothing else is fetched.
    (missing,) = workshop.build(url_replaced=True)
    assert missing.hint.endswith("a network and without DEMO_DOCS_UPSTREAM.")
    assert workshop.build(structs.replace(POLICY, english_url="")) == ()
