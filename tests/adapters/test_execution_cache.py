"""The cache of outputs: its files, and the command that tells of them."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from functools import partial
from pathlib import Path

import pytest
from cache_entries import ENTRY, OUTPUTS
from msgspec.structs import replace

from pipeline.adapters import files
from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.cli import main
from pipeline.core.execution import code_cells as execution
from pipeline.core.execution.result import CacheEntry, encode_entry

KEYS = [f"{number:02x}" * 32 for number in range(9)]


def cache_in(folder: Path, *, limit: int = 1 << 20) -> ExecutionCache:
    return ExecutionCache(folder / "execution", limit=limit)


def file_of(cache: ExecutionCache, key: str) -> Path:
    return cache.folder / key[:2] / f"{key}.json"


def test_what_is_put_is_got(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    assert cache.get(KEYS[0]) is None
    cache.put(KEYS[0], b'{"a": 1}')
    assert (cache.get(KEYS[0]), cache.peek(KEYS[0])) == (b'{"a": 1}', b'{"a": 1}')
    assert cache_in(tmp_path).get(KEYS[0]) == b'{"a": 1}'
    assert json.loads(file_of(cache, KEYS[0]).read_text())["entry"] == {"a": 1}
    cache.put(KEYS[0], b"2")
    assert cache.get(KEYS[0]) == b"2"
    assert cache.all_keys() == (KEYS[0],)


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "a" * 63, "A" * 64, "a" * 64 + "\n"])
def test_a_key_is_never_a_path(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        cache_in(tmp_path).get(key)


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "longer", "elsewhere", "head"])
def test_damage_is_detected_and_removed(tmp_path: Path, damage: str) -> None:
    cache = cache_in(tmp_path)
    cache.put(KEYS[0], encode_entry(ENTRY))
    path = file_of(cache, KEYS[0])
    data = path.read_bytes()
    harm = {
        "empty": b"",
        "cut": data[:-10],
        "flipped": data.replace(b"1.5", b"9.5"),
        "longer": data + b" ",
        "elsewhere": data,
        "head": b"[" + data[1:],
    }
    key = KEYS[1] if damage == "elsewhere" else KEYS[0]
    file_of(cache, key).parent.mkdir(exist_ok=True)
    file_of(cache, key).write_bytes(harm[damage])
    fresh = cache_in(tmp_path)
    assert fresh.peek(key) is None
    assert file_of(fresh, key).exists()
    assert (fresh.get(key), fresh.damaged) == (None, [key])
    assert not file_of(fresh, key).exists()


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    for age, key in enumerate(KEYS[:4]):
        cache.put(key, b"1" * 1000)
        os.utime(file_of(cache, key), (time.time() - 1000 * age,) * 2)
    size = file_of(cache, KEYS[0]).stat().st_size
    later = cache_in(tmp_path, limit=2 * size)
    assert later.get(KEYS[3])
    assert later.trim() == 2
    assert later.all_keys() == (KEYS[0], KEYS[3])
    assert later.trim() == 0


def test_what_this_run_used_stays_whatever_the_limit(tmp_path: Path) -> None:
    cache = cache_in(tmp_path, limit=1)
    cache.put(KEYS[0], b"1")
    other = cache_in(tmp_path, limit=1)
    assert other.get(KEYS[0])
    other.put(KEYS[1], b"1")
    cache_in(tmp_path).put(KEYS[2], b"1")
    for key in KEYS[:3]:
        os.utime(file_of(cache, key), (0, 0))
    assert other.trim() == 1
    assert other.all_keys() == (KEYS[0], KEYS[1])


def test_a_clock_that_was_ahead_does_no_lasting_harm(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    for key in KEYS[:3]:
        cache.put(key, b"1")
    size = file_of(cache, KEYS[0]).stat().st_size
    os.utime(file_of(cache, KEYS[0]), (time.time() + 10**9,) * 2)
    os.utime(file_of(cache, KEYS[1]), (-5, -5))
    later = cache_in(tmp_path, limit=2 * size)
    later.trim()
    assert later.all_keys() == (KEYS[0], KEYS[2])
    assert abs(file_of(cache, KEYS[0]).stat().st_mtime - time.time()) < 100


def test_trimming_removes_abandoned_files_only(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    cache.put(KEYS[0], b"1")
    left = cache.folder / KEYS[0][:2] / f".{KEYS[0]}.abc.tmp"
    future = cache.folder / ".pages.json.abc.tmp"
    busy = left.with_name(".busy.tmp")
    for path in (left, future, busy):
        path.write_text("x")
    os.utime(left, (time.time() - 7200,) * 2)
    os.utime(future, (time.time() + 7200,) * 2)
    kept = cache.folder / "pages.json"
    kept.write_text("{}")
    cache.trim()
    exist = [path.exists() for path in (left, future, busy, kept)]
    assert exist == [False, False, True, True]
    assert cache.all_keys() == (KEYS[0],)


def test_clearing_leaves_no_entry(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    assert cache.clear() == 0
    for key in KEYS:
        cache.put(key, b"1")
    (cache.folder / KEYS[0][:2] / ".x.tmp").write_text("")
    (cache.folder / "pages.json").write_text("{}")
    assert (cache.clear(), cache.all_keys(), cache.size()) == (9, (), 0)
    assert [path.name for path in cache.folder.iterdir()] == ["pages.json"]


def test_a_folder_that_cannot_be_is_an_error_only_for_writing(tmp_path: Path) -> None:
    (tmp_path / "execution").write_text("a file")
    cache = cache_in(tmp_path)
    assert cache.get(KEYS[0]) is None
    assert (cache.all_keys(), cache.trim(), cache.verify()) == ((), 0, ())
    with pytest.raises(files.WriteError):
        cache.put(KEYS[0], b"1")


def test_an_entry_that_another_run_removes_is_missing_and_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = cache_in(tmp_path)
    cache.put(KEYS[0], b"1")
    read = files.read_own

    def removed_before(path: Path) -> bytes | None:
        path.unlink(missing_ok=True)
        return read(path)

    monkeypatch.setattr(files, "read_own", removed_before)
    assert cache.get(KEYS[0]) is None
    assert cache.damaged == []


def work(folder: Path, seed: int) -> None:
    """One of several runs on one folder: reads, writes and trims; what it reads must be whole."""
    cache = ExecutionCache(folder, limit=30_000)
    for step in range(150):
        key = KEYS[(step * seed + step // 7) % len(KEYS)]
        entry = cache.get(key)
        assert entry is None or entry == key.encode() * 100
        cache.put(key, key.encode() * 100)
        if step % 10 == 0:
            ExecutionCache(folder, limit=30_000).trim()
    assert cache.damaged == []


@pytest.mark.slow
def test_runs_that_share_a_folder_do_not_harm_each_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    runs = [context.Process(target=work, args=(tmp_path, seed)) for seed in (1, 2, 4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert [run.exitcode for run in runs] == [0, 0, 0]
    left = ExecutionCache(tmp_path, limit=30_000)
    assert left.verify() == ()
    assert not list(tmp_path.rglob("*.tmp"))


# the command


def test_the_command_tells_proves_and_forgets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "pyproject.toml"
    config.write_text(
        '[tool.pipeline.upstreams.docs]\nurl = "docs"\n[tool.pipeline.execution]\ncache = 1\n'
    )

    def told(action: str, *, code: int = 0) -> list[str]:
        assert main(["cache", action, "--config", str(config)]) == code
        return capsys.readouterr().out.rstrip("\n").split("\n")

    assert told("stats") == ["0 entries, 0.0 MiB of 1.0 MiB, 0 s of run time saved"]
    assert told("verify") == ["0 entries, none is damaged"]
    cache = ExecutionCache(tmp_path / "build/cache/execution", limit=1)
    failed = replace(ENTRY, facts={"page": "guide/x", "release": "JAX 0.9"})
    facts = {"page": "y", "release": "JAX 0.10"}
    cache.put(KEYS[0], encode_entry(failed))
    passed = CacheEntry(outputs=OUTPUTS, seconds=40.0, facts=facts)
    cache.put(KEYS[1], encode_entry(passed))
    cache.put(KEYS[2], b'{"no": "entry"}')
    cache.put(KEYS[3], b"1")
    file_of(cache, KEYS[3]).write_bytes(b"damaged")
    assert told("stats") == [
        "4 entries, 0.0 MiB of 1.0 MiB, 42 s of run time saved",
        "  JAX 0.10: 1",
        "  JAX 0.9: 1",
        "  failed: guide/x: ValueError",
    ]
    summary, *damaged = told("verify", code=1)
    removed = "2 of 4 entries were damaged and are removed"
    assert summary == f"{removed}; their code runs again next time"
    assert sorted(damaged) == [f"  {KEYS[2]}", f"  {KEYS[3]}"]
    assert told("clear") == ["2 entries removed, 0.0 MiB"]
    assert told("stats")[0].startswith("0 entries")


def test_the_format_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    key_of = partial(execution.execution_key, policy={}, data={}, environment={})
    key = key_of({"cells": []})
    monkeypatch.setattr(execution, "FORMAT", execution.FORMAT + 1)
    assert key_of({"cells": []}) != key
