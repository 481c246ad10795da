"""What installed objects say of themselves, whatever their modules do on being imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import write_tree

from pipeline.adapters.signatures import describe, is_installed

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
            "(level=1, *, then=<object object>)",
            "Turn a lamp.Lamp on, as on(2) does.",
        ),
        "lamp.Lamp": ("(bulb)", ""),
        "lamp.LEVEL": ("", ""),
        "lamp.deep.dim": ("()", ""),
        "lamp.deep": ("", "A module."),
        "lamp.many": ("(…)", ""),
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
