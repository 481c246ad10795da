"""docs/weblate.md and its script: what they tell Weblate is true of our catalogues."""

from __future__ import annotations

import json
import re
import runpy
import sys
from io import BytesIO
from urllib.request import Request

import pytest
from places import ROOT

from pipeline.adapters import po
from pipeline.config.reader import read_settings
from pipeline.entries import Catalog, Entry
from pipeline.paths import Paths

SCRIPT = ROOT / "docs" / "examples" / "weblate_setup.py"
GUIDE = (ROOT / "docs" / "weblate.md").read_text("utf-8")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, object]]]:
    """What the script sends to Weblate, as the guide shows it: paths and values."""
    sent: list[tuple[str, dict[str, object]]] = []

    def urlopen(request: Request) -> BytesIO:
        assert isinstance(request.data, bytes)
        assert request.get_header("Authorization") == "Token wlu_1"
        sent.append((request.full_url, json.loads(request.data)))
        return BytesIO()

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    monkeypatch.setenv("WEBLATE_URL", "https://weblate.example.org")
    monkeypatch.setenv("WEBLATE_TOKEN", "wlu_1")
    (line,) = re.findall(r"^python (docs/examples/.*)$", GUIDE, re.M)
    script, *words = line.split()
    assert ROOT / script == SCRIPT
    monkeypatch.setattr(sys, "argv", [script, *words])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    return sent


def test_the_first_page_and_discovery_find_our_catalogues(
    sent: list[tuple[str, dict[str, object]]],
) -> None:
    urls, (project, component, addon) = zip(*sent, strict=True)
    api = "https://weblate.example.org/api"
    assert list(urls) == [
        f"{api}/projects/",
        f"{api}/projects/jax/components/",
        f"{api}/components/jax/index/addons/",
    ]
    assert component["repo"] == component["push"]
    assert f"{component['repo']} {component['branch']}\n" in GUIDE
    assert f"/api/projects/{project['slug']}/" in GUIDE
    (locale,) = read_settings(ROOT / "pyproject.toml").locales
    paths = Paths(ROOT, str(project["slug"]))
    first = paths.catalog(locale, "index").relative_to(ROOT).as_posix()
    assert str(component["filemask"]).replace("*", locale) == first
    configuration = addon["configuration"]
    assert isinstance(configuration, dict)
    for page in ("index", "jep/9407-type-promotion", "_outside/CHANGELOG"):
        name = paths.catalog(locale, page).relative_to(ROOT).as_posix()
        match = re.fullmatch(configuration["match"], name)
        assert match is not None
        assert match.groupdict() == {"language": locale, "component": page}


def test_weblate_wraps_lines_where_we_do(
    sent: list[tuple[str, dict[str, object]]],
) -> None:
    """It writes a line for each line break, and no line is too long for it."""
    parameters = sent[1][1]["file_format_params"]
    assert isinstance(parameters, dict)
    long, broken = "长" * 20_000, "一\n二"
    entries = (Entry(msgid="a", msgstr=long), Entry(msgid="b", msgstr=broken))
    lines = po.format_catalog(Catalog(entries=entries)).decode().split("\n")
    assert f'msgstr "{long}"' in lines
    assert lines[-4:-1] == ['msgstr ""', '"一\\n"', '"二"']
    assert parameters["po_line_wrap"] == 65535 > 2 * len(long)  # columns of a CJK text
