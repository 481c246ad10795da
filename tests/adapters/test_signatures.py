"""What installed objects say of themselves, whatever their modules do on being imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import write_tree

from pipeline.adapters.installed import describe, is_installed, is_of_index

MODULES = {
    "lamp/__init__.py": (
        "print('hello from lamp')\n"
        "LEVEL = 3\n"
        "def on(level: int = 1, *, then=object()) -> bool:\n"
        "    '''Turn a :func:`~lamp.Lamp` on, as ``on(2)`` does.\n\n    More words.\n    '''\n"
        "class Lamp:\n"
        "    def __init__(self, bulb): pass\n"
        f"def many({', '.join(f'a_long_name_{number}' for number in range(40))}): pass\n"
    ),
    "lamp/odd.py": (
        "from dataclasses import dataclass, field\n"
        "from functools import partial\n"
        "from enum import Enum\n"
        "Kind = Enum('Kind', 'A')\n"
        "class Nothing: pass\n"
        "@dataclass\n"
        "class Bulb:\n"
        "    watts: int = 1\n"
        "    glass: object = field(default_factory=Nothing)\n"
        "    @property\n"
        "    def age(self):\n"
        "        '''How long it burns.'''\n"
        "    @property\n"
        "    def bare(self): pass\n"
        "Old = Bulb\n"
        "bulb = Bulb()\n"
        "dim = partial(pow, 1)\n"
        "def describe(): pass\n"
        "def square(x):\n"
        "    r''':math:`x^2` of :func:`x <lamp.on>`, `x`_ and ``x``: :math:`\\mathrm{sq}(x)`.'''\n"
        "def over(a, kind=Bulb, key=describe, by=lambda x: x, of=Nothing(), in_=Kind.A): pass\n"
        "def told(*args): pass\n"
        "told.__doc__ = 'told(a: int) -> int\\ntold(a: str) -> str\\n--\\n\\nTells at 0x7f00.'\n"
        "told.__signature__ = 7\n"
    ),
    "lamp/deep.py": "'''A module.'''\ndef dim():\n    pass\n",
    "lamp/broken.py": "raise SystemExit(3)\n",
    "lamp/endless.py": "import time\ntime.sleep(60)\n",
    "lamp/ends.py": "import os\nos._exit(0)\n",
    "lamp-2.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: lamp\nVersion: 2.0\n",
}


@pytest.fixture(autouse=True)
def lamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, MODULES)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)


def test_signature_and_first_line() -> None:
    names = [
        "lamp.on",
        "lamp.Lamp",
        "lamp.LEVEL",
        "lamp.deep.dim",
        "lamp.deep",
        "lamp.many",
    ]
    assert describe(names) == {
        # An address would be another one in each build.
        "lamp.on": (
            "(level=1, *, then=…)",
            "Turn a lamp.Lamp on, as on(2) does.",
        ),
        "lamp.Lamp": ("(bulb)", ""),
        "lamp.LEVEL": ("", ""),
        "lamp.deep.dim": ("()", ""),
        "lamp.deep": ("", "A module."),
        "lamp.many": ("(…)", ""),
    }


def test_formulas_stay_marked() -> None:
    line = r":math:`x^2` of x, x and x: :math:`\mathrm{sq}(x)`."
    assert describe(["lamp.odd.square"]) == {"lamp.odd.square": ("(x)", line)}


def test_docstrings_that_nobody_has_written() -> None:
    """They are made of signatures or types, with addresses; some are told as signatures."""
    names = ("Bulb", "Old", "bulb", "dim", "over", "told", "Bulb.age", "Bulb.bare")
    found = describe([f"lamp.odd.{name}" for name in names])
    assert {name.removeprefix("lamp.odd."): told for name, told in found.items()} == {
        "Bulb": ("(watts=1, glass=<factory>)", ""),
        "Old": ("(watts=1, glass=<factory>)", ""),
        "bulb": ("", ""),
        "dim": ("(exp, mod=None)", ""),
        "over": ("(a, kind=Bulb, key=describe, by=<lambda>, of=…, in_=Kind.A)", ""),
        "told": ("(a: int) -> int", "Tells."),
        "Bulb.age": ("", "How long it burns."),
        "Bulb.bare": ("", ""),
    }


def test_a_name_that_fails_stops_no_other() -> None:
    names = ["lamp.gone", "lamp.broken.x", "nowhere.at.all", "", "lamp.deep.dim"]
    assert list(describe(names)) == ["lamp.deep.dim"]


def test_a_process_that_ends_or_does_not_is_no_error() -> None:
    assert describe(["lamp.deep.dim", "lamp.ends.x"]) == {}
    assert describe(["lamp.endless.x"], seconds=2.0) == {}


def test_only_the_very_release_counts() -> None:
    assert is_installed("lamp", "2.0")
    assert not is_installed("lamp", "2.1")
    assert not is_installed("no-such-package", "2.0")
    assert not is_installed("", "")


def test_a_package_in_a_folder_is_of_no_index(tmp_path: Path) -> None:
    assert is_of_index("lamp")
    (about,) = tmp_path.glob("lamp-*.dist-info")
    (about / "direct_url.json").write_text(
        '{"url": "file:///lamp", "dir_info": {"editable": true}}', encoding="utf-8"
    )
    assert not is_of_index("lamp")
    assert not is_of_index("no-such-package")
    assert not is_of_index("")
