"""Damaged files of every kind: each ends in a value or an error on purpose, never in a traceback.

A few rounds are run always, the same each time. More of them:

    JAX_DOCS_FUZZ=5000 pytest tests/test_hostile_files.py -rP

So many files are read alone, and a twentieth of that with whole commands. What fails names its
round, which ``JAX_DOCS_FUZZ_ROUND`` repeats; ``JAX_DOCS_FUZZ_FROM`` begins at another one.
"""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pipeline.adapters import po
from pipeline.cli import main
from pipeline.config.reader import read_settings
from pipeline.core.checks.engine import run_checks, subjects_of
from pipeline.core.document.landing import landings_from_json
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import read_document
from pipeline.core.execution.code_cells import parse_notebook
from pipeline.core.execution.outputs import for_readers, outputs_of, with_outputs
from pipeline.core.execution.result import decode_entry, parse_history
from pipeline.core.glossary.glossary import read_glossary
from pipeline.core.inventories import parse_names
from pipeline.core.memory.file import read_memory
from pipeline.core.memory.opening import open_memory
from pipeline.core.pin.lock import parse_lock
from pipeline.entries import translations_of
from pipeline.errors import UNEXPECTED, WORST_FIRST, GuardError, PipelineError

# --- damages of files: each draws all its chances from ``random.Random``

# What may come into a text anywhere: marks of all formats that are read, and odd characters.
PIECES = (
    *("\n", "\r", "\t", "\0", "\x85", "\u2028", "\ufeff", "\ud800", "\\"),
    *'"¦\'¦{¦}¦[¦]¦[[¦,¦:¦=¦#¦#~ ¦#| ¦#, fuzzy\n¦msgid ¦msgstr ¦msgstr ""\n'.split("¦"),
    *'msgctxt "x"\n¦msgid_plural "x"\n¦⟦0⟧¦⟦9⟧¦-1¦1e999¦null'.split("¦"),
    *"true¦| a ¦.. x::\n".split("¦"),
    *("```{note}\n", "> " * 200, f"⟦{'9' * 5_000}⟧"),
    *(5_000 * repeated for repeated in ("9", "[", '{"a":', "a")),
)
# What may stand in the place of any value of JSON.
VALUES: tuple[Any, ...] = (
    *json.loads('[null, true, -1, 0, 3.5, "", "a", "../../a", "\\ud800", [], {}]'),
    *([[]], [None], {"a": 1}, 10**400, "a" * 5_000),
)


def _cut(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + data[start + random.randrange(1, 200) :]


def _end(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _double(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    piece = data[start : start + random.randrange(1, 300)]
    at = random.randrange(len(data) + 1)
    return data[:at] + piece * random.choice((1, 1, 2, 300)) + data[at:]


def _insert(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    piece = random.choice(PIECES).encode("utf-8", "surrogatepass")
    return data[:at] + piece + data[at:]


def _flip(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randrange(1, 6)):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    random.shuffle(lines)
    return b"\n".join(lines)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container in a JSON value, with each of its keys or indexes."""
    found: list[tuple[Any, Any]] = []
    containers = [value]
    while containers:
        container = containers.pop()
        keys: list[Any] = []
        if isinstance(container, dict):
            keys = list(container)
        elif isinstance(container, list):
            keys = list(range(len(container)))
        for key in keys:
            found.append((container, key))
            containers.append(container[key])
    return found


def _value(data: bytes, random: Random) -> bytes:
    """Replace a random value in JSON. From other files, remove a piece."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _cut(data, random)
    places = _places(value)
    if not places:
        return json.dumps(random.choice(VALUES)).encode()
    container, key = random.choice(places)
    if isinstance(container, dict) and random.random() < 0.2:
        del container[key]
    else:
        container[key] = random.choice(VALUES)
    return json.dumps(value, indent=random.choice((None, 1))).encode()


_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(_cut, _end, _double, _insert, _insert, _flip, _lines),
    *(_value, _value, _value),
)


def mutated(data: bytes, random: Random) -> bytes:
    """Return ``data`` with one to three random changes."""
    for _ in range(random.randrange(1, 4)):
        data = random.choice(_CHANGES)(data, random)
    return data


# --- tests

ROUNDS = int(os.environ.get("JAX_DOCS_FUZZ", "0"))
FIRST = int(os.environ.get("JAX_DOCS_FUZZ_FROM", "0"))
ONLY = os.environ.get("JAX_DOCS_FUZZ_ROUND")
PATIENCE = 300  # seconds for one file, on a busy machine


@contextmanager
def patience() -> Iterator[None]:
    def fail(*_: object) -> None:
        raise TimeoutError(f"not done after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def rounds(count: int) -> list[int]:
    """The numbers of the rounds to run: each is a seed."""
    if ONLY:
        return [int(ONLY)]
    return list(range(FIRST, FIRST + max(count, 1)))


def files_of(root: Path) -> list[Path]:
    """Everything that a run reads: what people write, and what runs leave for the next."""
    paths = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return [path for path in paths if path.suffix not in (".html", ".svg", ".lock~")]


def read_page(path: Path, data: bytes) -> None:
    """Read, merge with the translations that the sample has, and check what came of it."""
    name = path.name
    document = read_document(name, data)
    messages = [message for _, message in document.messages()]
    merge(document, {one.msgid: f"{one.msgid} 译文" for one in messages})
    if path.suffix == ".ipynb":
        notebook = parse_notebook(data, where=name)
        with_outputs(notebook, outputs_of(notebook), where=name)
        for_readers(notebook)


def read_po(path: Path, data: bytes) -> None:
    catalog = po.read_catalog(data, where=path.name).catalog
    po.format_catalog(catalog)
    translations_of(catalog)
    run_checks({"a": subjects_of(catalog.entries, "a")})
    place = {"upstream": "sample", "locale": "zh_CN", "page": "a", "where": path.name}
    memory = read_memory(catalog, **place)
    open_memory(memory, (), texts={}, header={})


def read_json(path: Path, data: bytes) -> None:
    """All readers of our own JSON, whichever of them the file was written for."""
    for reader in (parse_lock, parse_names, decode_entry, parse_notebook):
        with suppress(PipelineError):
            reader(data, where=path.name)
    with suppress(PipelineError):
        landings_from_json(data, path.name)
    with suppress(PipelineError):
        parse_history(data)


def read_config(path: Path, data: bytes, folder: Path) -> None:
    target = folder / "pyproject.toml"
    target.write_bytes(data)
    read_settings(target, environ={})


def read_csv(path: Path, data: bytes) -> None:
    glossary = read_glossary(data.decode("utf-8", "replace"), where=path.name)
    mentions = glossary.mentions("Some words of a traced array, a batch and a pytree.")
    list(glossary.misuses(mentions, "一些关于数组的话。"))


def read_alone(path: Path, data: bytes, folder: Path) -> None:
    """A file by itself, with what reads files of its kind."""
    match path.suffix:
        case ".md" | ".rst" | ".ipynb":
            read_page(path, data)
        case ".po":
            read_po(path, data)
        case ".toml":
            read_config(path, data, folder)
        case ".csv":
            read_csv(path, data)
        case ".json" | ".lock":
            read_json(path, data)


@pytest.mark.slow
def test_any_file_alone_ends_in_a_value_or_an_error_on_purpose(
    synced: Path, tmp_path: Path
) -> None:
    files = files_of(synced)
    ends: Counter[str] = Counter()
    for number in rounds(ROUNDS or 100):
        random = Random(f"file {number}")
        path = random.choice(files)
        data = mutated(path.read_bytes(), random)
        try:
            with patience():
                read_alone(path, data, tmp_path)
            ends["read"] += 1
        except PipelineError as error:
            assert error.exit_code in (1, 2, 4)
            assert error.what
            ends[type(error).__name__] += 1
        except Exception as error:
            where = f"round {number}: {path.relative_to(synced)}"
            raise AssertionError(where) from error
    print(dict(ends))


BUGS = (UNEXPECTED, GuardError.exit_code)
COMMANDS = (
    ("sync", "sample", "--no-execute"),
    ("build", "sample", "--no-execute"),
    ("check",),
    ("check", "--fix"),
    ("status", "sample"),
    ("memory", "verify"),
    ("memory", "store", "sample"),
    ("cache", "verify"),
)


@pytest.mark.slow
def test_any_file_ends_a_command_in_an_exit_code_on_purpose(
    synced: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = {path: path.read_bytes() for path in synced.rglob("*") if path.is_file()}
    files = files_of(synced)
    ends: Counter[int] = Counter()
    for number in rounds(ROUNDS // 20 or 8):
        random = Random(f"command {number}")
        path = random.choice(files)
        path.write_bytes(mutated(whole[path], random))
        # The second run finds what the first one has made of it.
        for command in (random.choice(COMMANDS), COMMANDS[0]):
            with patience():
                code = main([*command, "-q"])
            told = "".join(capsys.readouterr())
            where = f"round {number}: {' '.join(command)}: {path.relative_to(synced)}"
            assert code not in BUGS, f"{where}\n{told}"
            assert code in WORST_FIRST, where
            assert code in (0, 1) or told, where
            ends[code] += 1
        for written in synced.rglob("*"):
            if written.is_file() and written not in whole:
                written.unlink()
        for kept, data in whole.items():
            if not kept.is_file() or kept.read_bytes() != data:
                kept.write_bytes(data)
    print(dict(ends))
