"""Every command that reads a file refuses one that is too large, quickly and without writing.

A row of the table is a command, a file, and what is too much of it. Each is read by a new process,
whose time and memory are measured. SECURITY.md lists the same doors.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pytest
from branch_project import LOCALE, NAME, Clone
from cases import read_tables
from folders import write_tree
from places import ROOT

from pipeline import limits
from pipeline.limits import FILE_BYTES, FOUND_FILES, MEBIBYTE

CASES = read_tables(__file__)
SECONDS = (
    4.0  # of CPU: 2 on a machine with nothing else to do, of which imports take half
)
MEMORY = 300  # MiB
HUGE = 1 << 43  # bytes, of which nobody has the memory
# Runs a command, and ends its error output with a line of seconds and KiB. The resident memory of
# getrusage would include that of pytest, which has started the process.
MEASURED = """
import resource, sys
from pipeline.cli import main
code = main(sys.argv[1:])
uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
seconds = sum(use.ru_utime + use.ru_stime for use in uses)
print(f"\\n{seconds} {peak.split()[1]}", file=sys.stderr)
sys.exit(code)
"""

HEADER = b'msgid ""\nmsgstr ""\n"Language: zh_CN\\n"\n\n'
ENTRY = 'msgid "{0}"\nmsgstr "词"\n\n'
CHINESE = "这一页说明怎样把数组交给函数，又怎样取回来。" * 3


def entries(count: int, entry: str = ENTRY) -> bytes:
    return HEADER + "".join(map(entry.format, range(count))).encode()


def web_page(body: str) -> bytes:
    return f"<html><body><p>{CHINESE}{body}".encode()


def glossary(row: str, count: int) -> bytes:
    return b"source,target\n" + "".join(map(row.format, range(count))).encode()


# What is too much, by kind of file: a function that makes the file, and the bound that is named.
CATALOGS: dict[str, tuple[Callable[[], bytes], str]] = {
    "bytes": (lambda: entries(400_000), "at most 8,388,608 are read"),
    "lines": (lambda: HEADER + b"\n" * 7_000_000, "at most 200,000 are read"),
    "entries": (lambda: entries(60_000), "has 20,001 entries; at most 20,000 are read"),
    "comments": (
        lambda: HEADER + b"# a\n" * 190_000,
        "has 1,001 comments and flags; at most 1,000 are read",
    ),
    "flags": (
        lambda: HEADER + f"#, {','.join(map(str, range(60_000)))}\n".encode(),
        "has 60,000 comments and flags",
    ),
    "comments of repeated entries": (
        lambda: entries(19_000, '# {0}\nmsgid "a"\nmsgstr "b"\n\n'),
        "has 1,001 comments and flags",
    ),
    "length of a text": (
        lambda: HEADER + b'msgid "a"\nmsgstr "' + b"a" * 2_000_000 + b'"\n',
        "has 2,000,000 characters in one text",
    ),
    "another encoding": (
        lambda: ("字典里的" * MEBIBYTE).encode("gb18030")[: 8 * MEBIBYTE],
        "is not UTF-8",
    ),
}
ADOPTED = ("--author", "A", "--license", "MIT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A command, the file that it reads, and what the message names."""

    command: str  # ``FILE`` stands for the path of the file
    file: str
    content: Callable[[], bytes]
    message: str
    code: int = 4
    size: int = 0  # the file is extended to this size, without taking space on the disk


def rows() -> dict[str, Row]:
    found: dict[str, Row] = {}
    for kind, (content, message) in CATALOGS.items():
        found[f"import: {kind}"] = Row(
            command="import FILE --name sample",
            file="in/faq.po",
            content=content,
            message=message,
        )
    for command, file in CASES["doors"].items():
        content, message = CATALOGS["bytes"]
        found[f"{command}: bytes"] = Row(
            command=command, file=file, content=content, message=message
        )
    pages = {
        "bytes": (lambda: web_page("词" * 3_000_000), "at most 8,388,608 are read"),
        "nesting": (
            lambda: web_page("<div>" * 200_000),
            "has 151 nested elements; at most 150 are read",
        ),
        "elements": (
            lambda: web_page("<b>a</b>" * 400_000),
            "at most 100,000 are read",
        ),
        "attributes": (
            lambda: web_page(f"<b {' '.join(f'a{n}=1' for n in range(500_000))}>"),
            "tags and attributes; at most 100,000 are read",
        ),
        "archive": (lambda: b"PK\3\4" + bytes(range(256)) * 9_000, "is no text"),
    }
    for kind, (content, message) in pages.items():
        found[f"adopt a web page: {kind}"] = Row(
            command="adopt sample FILE",
            file="in/faq.html",
            content=content,
            message=message,
        )
    for name, (command, file, most, code) in CASES["huge"].items():
        found[name] = Row(
            command=command,
            file=file,
            content=bytes,
            size=HUGE,
            message=f"at most {most} are read",
            code=code,
        )
    return found | OTHERS


OTHERS = {
    "glossary: bytes": Row(
        command="check sample",
        file="translations/glossary/zh_CN.csv",
        content=lambda: glossary("w{0},词\n", 300_000),
        message="at most 1,048,576 are read",
    ),
    "glossary: rows": Row(
        command="check sample",
        file="translations/glossary/zh_CN.csv",
        content=lambda: glossary("w{0},词\n", 80_000),
        message="has 10,001 rows; at most 10,000 are read",
    ),
    "configuration: bytes": Row(
        command="check sample",
        file="pyproject.toml",
        content=lambda: "".join(f"a{n} = 1\n" for n in range(900_000)).encode(),
        message="at most 1,048,576 are read",
        code=2,
    ),
    "configuration: nesting": Row(
        command="check sample",
        file="pyproject.toml",
        content=lambda: b".".join([b"a"] * 40_000) + b" = 1\n",
        message="pyproject.toml:1: has 39,999 dots in one key; at most 50 are read",
        code=2,
    ),
    "lock: bytes": Row(
        command="build sample --no-execute",
        file="upstream/sample.lock",
        content=lambda: b"[" + b"1," * 40_000_000 + b"1]",
        message="at most 8,388,608 are read",
    ),
    "build: pulled page": Row(
        command="build sample --no-execute",
        file="upstream/sample/arrays.md",
        content=bytes,
        size=HUGE,
        message="arrays.md",
        code=3,
    ),
    "draft: glossary": Row(
        command="draft sample --stub --yes",
        file="translations/glossary/zh_CN.csv",
        content=bytes,
        size=2 * MEBIBYTE,
        message="at most 1,048,576 are read",
    ),
    "cache: entry": Row(
        command="cache verify",
        file=f"build/cache/execution/aa/{'a' * 64}.json",
        content=bytes,
        size=HUGE,
        message="entries were damaged and are removed",
        code=1,
    ),
    "init: a file that is there": Row(
        command="init in --name lamps --url https://example.org --from a/b@v1",
        file="in/README.md",
        content=bytes,
        size=HUGE,
        message="these files exist with other content: in/README.md",
        code=2,
    ),
    "verify-site: manifest": Row(
        command="verify-site in",
        file="in/freshness.json",
        content=bytes,
        size=17 * MEBIBYTE,
        message="at most 16,777,216 are read",
    ),
}


@pytest.fixture(autouse=True)
def _no_huge_file_stays(tmp_path: Path) -> Iterator[None]:
    """Remove large files after each test: a copy of a sparse file would fill the disk."""
    yield
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.stat().st_size > limits.OWN_BYTES.most:
            path.unlink()


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a command ended, and what it took."""

    code: int
    text: str
    seconds: float  # of CPU
    memory: float  # MiB


def run_measured(*words: str) -> End:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *words],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    text, _, measured = done.stderr.rstrip("\n").rpartition("\n")
    seconds, kibibytes = measured.split()
    return End(
        code=done.returncode,
        text=done.stdout + text,
        seconds=float(seconds),
        memory=int(kibibytes) / 1024,
    )


def commit_all(root: Path) -> None:
    """Make the project a repository, for commands that compare commits."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "A")):
        subprocess.run(["git", *identity, *words], cwd=root, check=True)


def committed(root: Path) -> dict[str, bytes]:
    """Return every committed file that can be read, by its path."""
    found: dict[str, bytes] = {}
    for name in ("translations", "upstream"):
        for path in (root / name).rglob("*"):
            if path.is_file() and path.stat().st_size < HUGE:
                found[str(path)] = path.read_bytes()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("row", rows().values(), ids=rows().keys())
def test_too_much_is_refused_at_once_and_nothing_is_written(
    row: Row, synced: Path
) -> None:
    if row.command == "review":
        commit_all(synced)
    file = synced / row.file
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_bytes(row.content())
    if row.size:
        os.truncate(file, row.size)
    before = committed(synced)
    command = row.command
    if command.startswith("adopt"):
        command = " ".join((command, *ADOPTED))
    end = run_measured(*command.replace("FILE", row.file).split())
    assert end.code == row.code, end.text
    assert row.message in end.text
    assert file.stem in end.text
    assert committed(synced) == before
    assert end.seconds <= SECONDS
    assert end.memory <= MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("name", ["large.md", "large.png"])
@pytest.mark.parametrize("is_repository", [False, True])
def test_a_large_file_of_upstream_is_refused(
    name: str, is_repository: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(
        '[tool.pipeline.upstreams.lamps]\nurl = "english"\ndocs = "docs"\n'
    )
    write_tree(Path("english"), {"docs/index.md": "# Lamps\n", f"docs/{name}": ""})
    if is_repository:
        # A few hundred kilobytes in the repository.
        os.truncate(f"english/docs/{name}", limits.UPSTREAM_BYTES.most + 1)
        commit_all(Path("english"))
    else:
        os.truncate(f"english/docs/{name}", HUGE)
    end = run_measured("sync", "lamps", "--no-execute")
    assert end.code == 4, end.text
    assert re.search(rf"{name}: has [\d,]+ bytes; at most 268,435,456 are", end.text)
    assert not Path("translations").exists()
    assert end.seconds <= SECONDS
    assert end.memory <= MEMORY


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "option"),
    [
        (f"upstream/{NAME}.lock", "--no-execute"),
        (f"upstream/{NAME}.lock", "--dry-run"),
        # Without --dry-run, the page is reported, and the other pages move.
        (f"translations/{LOCALE}/{NAME}/cellar.po", "--dry-run"),
    ],
)
def test_upgrade_copies_no_file_that_is_too_large(
    file: str, option: str, begun: Clone, tmp_path: Path
) -> None:
    work = begun.copy(tmp_path / "project")
    os.truncate(work.root / file, HUGE)
    before = committed(work.root)
    with chdir(work.root):
        end = run_measured("upgrade", "v2", NAME, "--package-version", "1.0.0", option)
    assert end.code == 4, end.text
    name = Path(file).name
    assert f"{name}: has {HUGE:,} bytes; at most 8,388,608 are read" in end.text
    assert committed(work.root) == before
    assert end.seconds <= SECONDS
    assert end.memory <= MEMORY


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with too many files."""
    root = tmp_path_factory.mktemp("crowd")
    for number in range(FOUND_FILES.most // 1000 + 1):
        folder = root / str(number)
        folder.mkdir()
        for name in range(1000):
            os.mknod(f"{folder}/{name}.po")
    return root


@pytest.mark.slow
@pytest.mark.usefixtures("synced")
@pytest.mark.parametrize("command", ["import --name sample", "adopt sample"])
def test_too_many_files_are_refused(command: str, crowd: Path) -> None:
    adopted = ADOPTED if command.startswith("adopt") else ()
    end = run_measured(*command.split(), str(crowd), *adopted)
    assert end.code == 4
    assert "files; at most 100,000 are read" in end.text
    assert end.seconds <= SECONDS
    assert end.memory <= MEMORY


# The limits of each row of the table in SECURITY.md.
DOCUMENTED: dict[str, tuple[limits.Limit | int, ...]] = {
    "catalogue, memory file": (
        FILE_BYTES[".po"],
        limits.CATALOG_ENTRIES,
        limits.CATALOG_LINES,
        limits.CATALOG_TEXT,
        limits.ENTRY_COMMENTS,
    ),
    "glossary": (FILE_BYTES[".csv"], limits.GLOSSARY_ROWS),
    "configuration": (FILE_BYTES[".toml"], limits.TOML_DOTS),
    "lock, inventory": (FILE_BYTES[".lock"], FILE_BYTES[".inv"]),
    "page": (
        limits.PAGE_LENGTH,
        limits.PAGE_LINES,
        limits.NESTING,
        limits.DIRECTIVES,
        limits.MESSAGE_LENGTH,
    ),
    "any file of upstream's docs": (limits.UPSTREAM_BYTES,),
    "notebook": (limits.NOTEBOOK_BYTES,),
    "data that the code of a page may read": (limits.DATA_BYTES, limits.DATA_FILES),
    "page for `adopt`": (limits.COPY_BYTES, limits.COPY_DEPTH, limits.COPY_PARTS),
    "folder for `adopt` or `import`": (FOUND_FILES,),
    "file that the pipeline wrote itself; file of a project that is copied": (
        limits.OWN_BYTES,
    ),
    "published site": (limits.PUBLISHED_BYTES, limits.MANIFEST_BYTES),
    "request to `serve`": (limits.REQUEST_BYTES,),
    "reply of a language model": (limits.REPLY_BYTES,),
    "name and path of a file": (
        limits.NAME_LENGTH,
        limits.PATH_LENGTH,
        limits.FOLDER_DEPTH,
    ),
}


def test_the_documented_limits_are_in_force() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    table = text.partition("## Limits\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| (.+?) \| (\d.+?) \|$", table, re.MULTILINE))
    assert rows.keys() == DOCUMENTED.keys()
    for file, row in rows.items():
        for limit in DOCUMENTED[file]:
            most = limit if isinstance(limit, int) else limit.most
            shown = f"{most // MEBIBYTE} MiB" if most % MEBIBYTE == 0 else f"{most:,} "
            assert f"{shown}" in f"{row} ", file
