"""Inventories of other sites: fetched from a server on this machine, kept, and made a table of."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from inventories import HEAD, inventory
from msgspec import Struct, structs
from msgspec.structs import replace
from runs import run_at
from servers import served

from pipeline.cli import main
from pipeline.config.settings import SitePolicy
from pipeline.findings import Severity
from pipeline.limits import INVENTORY_UNPACKED
from pipeline.paths import Paths
from pipeline.run import Run
from pipeline.stages.pull.inventories import Refreshed, refresh_names
from pipeline.stages.pull.stage import pull

ON = "lamp.on py:function 1 api/lamp.html#$ -"
OFF = "lamp.off py:function 1 api/lamp.html#$ -"


class Lamps(Struct):
    """A project whose docs ask another site for names, and that site."""

    root: Path
    folder: Path  # what the site serves
    run: Run

    @property
    def paths(self) -> Paths:
        return Paths(self.root, "demo")

    def publish(self, *objects: str, data: bytes = b"") -> None:
        (self.folder / "objects.inv").write_bytes(data or inventory(*objects))

    def write(self, text: str) -> None:
        (self.root / "english" / "page.md").write_text(text, encoding="utf-8")

    def refresh(self, run: Run | None = None) -> Refreshed:
        run = run or self.run
        return refresh_names(run, pull(run))

    def with_site(self, **values: object) -> Run:
        site = structs.replace(self.run.upstream.site, **values)
        return replace(self.run, upstream=structs.replace(self.run.upstream, site=site))

    @property
    def names(self) -> list[str]:
        table = json.loads(self.paths.names.read_bytes())
        return [line.split()[1] for line in table["lamps"]["objects"]]


def replaced(run: Run) -> Run:
    """Return a run whose upstream is replaced by a copy, which has no network."""
    upstream = structs.replace(run.upstream, url_replaced=True)
    return replace(run, upstream=upstream)


def age(path: Path, seconds: int = 100_000) -> None:
    """Let a file be older than a day."""
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


@pytest.fixture
def english_site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A server of files on this machine: its folder and its address."""
    folder = tmp_path / "site"
    folder.mkdir()
    with served(folder) as address:
        yield folder, address


@pytest.fixture
def lamps(tmp_path: Path, english_site: tuple[Path, str]) -> Lamps:
    folder, address = english_site
    root = tmp_path / "project"
    (root / "english").mkdir(parents=True)
    names, site = {"np": "numpy"}, SitePolicy(inventories={"lamps": address})
    english = str(root / "english")
    run = run_at(root, "demo", usual_names=names, url=english, site=site)
    found = Lamps(root=root, folder=folder, run=run)
    found.write("# Lamps\n\n{func}`lamp.on`, {func}`np.sin`\n")
    return found


def test_names_that_are_asked_for_are_kept(lamps: Lamps) -> None:
    lamps.publish(ON, OFF, "numpy.sin py:function 1 a.html#$ -")
    assert lamps.refresh().changes == ("upstream/demo.names.lock",)
    assert lamps.names == ["lamp.on", "numpy.sin"]
    before = lamps.paths.names.stat().st_mtime_ns
    assert lamps.refresh() == Refreshed()
    assert lamps.paths.names.stat().st_mtime_ns == before


def test_other_words_ask_for_other_names(lamps: Lamps) -> None:
    lamps.publish(ON, OFF)
    lamps.refresh()
    lamps.write("# Lamps\n\n{func}`lamp.off`\n")
    assert lamps.refresh().changes
    assert lamps.names == ["lamp.off"]
    # What was fetched long ago is not set over what others may have committed since.
    age(lamps.paths.other_inventory("lamps"))
    lamps.publish(data=b"<html>moved</html>")
    lamps.write("# Lamps\n\n{func}`lamp.on`, {func}`lamp.off`\n")
    lamps.refresh()
    assert lamps.names == ["lamp.off"]


def test_a_list_that_somebody_puts_there_counts(lamps: Lamps) -> None:
    """Without a network, whatever its age: it is newer than the table."""
    run = replaced(lamps.run)
    assert lamps.refresh(run) == Refreshed()
    assert not lamps.paths.names.exists()
    path = lamps.paths.other_inventory("lamps")
    path.parent.mkdir(parents=True)
    path.write_bytes(inventory(ON))
    age(path)
    assert lamps.refresh(run).changes
    assert lamps.names == ["lamp.on"]


def test_a_site_that_is_configured_no_more(lamps: Lamps) -> None:
    lamps.publish(ON)
    lamps.refresh()
    assert lamps.refresh(lamps.with_site(inventories={})).changes
    assert not lamps.paths.names.exists()
    # Nothing of the old address is true of another one.
    lamps.refresh()
    elsewhere = lamps.with_site(inventories={"lamps": "http://127.0.0.1:9/"})
    lamps.paths.other_inventory("lamps").unlink()
    assert lamps.refresh(elsewhere).changes
    assert not lamps.paths.names.exists()


HOSTILE = {
    "html": (b"<html>moved</html>", "is not a Sphinx inventory"),
    "bytes": (HEAD + b"words", "cannot be unpacked"),
    "large": (HEAD + b"x" * (9 << 20), "at most 8,388,608 are read"),
    "bomb": (
        HEAD + zlib.compress(bytes(INVENTORY_UNPACKED + 1)),
        "unpacks to more than",
    ),
}


@pytest.mark.parametrize(("data", "problem"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_inventory_is_named_and_the_older_one_stays(
    lamps: Lamps, data: bytes, problem: str
) -> None:
    lamps.publish(ON)
    lamps.refresh()
    path = lamps.paths.other_inventory("lamps")
    known = path.read_bytes()
    age(path)
    lamps.publish(data=data)
    (finding,) = lamps.refresh().findings
    assert problem in finding.text
    assert finding.where.endswith("/objects.inv")
    assert (finding.severity, finding.code) == (Severity.WARNING, "inventory")
    assert path.read_bytes() == known
    assert lamps.names == ["lamp.on"]
    # One that lies there already is no better.
    path.write_bytes(data)
    (finding,) = lamps.refresh().findings
    assert problem in finding.text
    assert lamps.names == ["lamp.on"]


def test_entries_that_lead_elsewhere_are_told_and_left_out(lamps: Lamps) -> None:
    lamps.publish(ON, "lamp.off py:function 1 javascript:hit() -")
    (finding,) = lamps.refresh().findings
    assert "lead to another site" in finding.text
    assert "lamp.off javascript:hit()" in finding.text
    assert lamps.names == ["lamp.on"]


def test_a_damaged_table_is_made_anew_or_left_to_a_person(lamps: Lamps) -> None:
    lamps.publish(ON)
    lamps.refresh()
    whole = lamps.paths.names.read_bytes()
    lamps.paths.names.write_bytes(b"<<<<<<< ours\n" + whole)
    assert lamps.refresh().changes
    assert lamps.paths.names.read_bytes() == whole
    lamps.paths.names.write_bytes(b"<<<<<<< ours\n" + whole)
    lamps.paths.other_inventory("lamps").unlink()
    (lamps.folder / "objects.inv").unlink()
    (finding,) = lamps.refresh().findings
    assert finding.where == "upstream/demo.names.lock"
    assert lamps.paths.names.read_bytes() == b"<<<<<<< ours\n" + whole


def test_the_english_inventory_is_fetched_and_an_older_one_stays(
    lamps: Lamps, english_site: tuple[Path, str]
) -> None:
    own = lamps.with_site(english_url=english_site[1], inventories={})
    path = lamps.paths.inventory
    lock = pull(own)

    def is_newer(run: Run) -> bool:
        before = path.read_bytes() if path.is_file() else b""
        refresh_names(run, lock)
        return path.is_file() and path.read_bytes() != before

    assert not is_newer(own)  # 404
    lamps.publish(ON)
    assert is_newer(own)
    lamps.publish(OFF)
    assert not is_newer(own)  # not twice a day
    os.utime(path, (0, 0))
    assert not is_newer(replaced(own))  # from a copy: no network
    assert is_newer(own)
    os.utime(path, (0, 0))
    for other in ("http://127.0.0.1:9/", "file:///etc/", "http://[bad/"):
        elsewhere = lamps.with_site(english_url=other, inventories={})
        assert not is_newer(elsewhere)


@pytest.mark.parametrize("command", [["pull", "sample"], ["sync", "sample", "--no-execute"]])
def test_who_pulls_fetches_inventories_and_a_check_does_not(
    project: Path,
    english_site: tuple[Path, str],
    command: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, address = english_site
    (folder / "objects.inv").write_bytes(inventory(ON, "a<b> py:class 1 a.html -"))
    config, own = project / "pyproject.toml", "[tool.pipeline.upstreams.sample.site]"
    values = f'english-url = "{address}"\ninventories = {{lamps = "{address}"}}'
    text = config.read_text(encoding="utf-8").replace(own, f"{own}\n{values}")
    config.write_text(text, encoding="utf-8")
    paths = Paths(project, "sample")
    main([*command, "--check", "-q"])
    assert not paths.inventory.exists()
    assert main([*command, "-q"]) == 0
    assert paths.inventory.read_bytes() == (folder / "objects.inv").read_bytes()
    assert paths.names.is_file()
    warning = "warning [inventory] build/cache/inventories/sample.lamps.inv"
    assert warning in "".join(capsys.readouterr())
