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
from pathlib import Path

import pytest
from branch_project import LOCALE, NAME, Clone
from cases import read_tables
from folders import write_tree
from msgspec import Struct
from places import ROOT
from repositories import git, init_repository

from pipeline import limits
from pipeline.limits import FILE_BYTES, FOUND_FILES, MEBIBYTE

CASES = read_tables(__file__)
# Seconds of CPU: 2 on a machine with nothing else to do, of which imports take half.
SECONDS = 4.0
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
ADOPTED = ("--author", "A", "--license", "MIT")


def entries(count: int, entry: str = ENTRY) -> bytes:
    return HEADER + "".join(map(entry.format, range(count))).encode()


def web_page(body: str) -> bytes:
    return f"<html><body><p>{CHINESE}{body}".encode()


def glossary(count: int) -> bytes:
    return b"source,target\n" + "".join(f"w{n},词\n" for n in range(count)).encode()


class Row(Struct, frozen=True):
    """A command, the file that it reads, and what the message names."""

    command: str  # ``FILE`` stands for the path of the file
    file: str
    message: str
    content: Callable[[], bytes] = bytes
    code: int = 4
    size: int = 0  # the file is extended to this size, without taking space on the disk


Kinds = dict[str, tuple[str, Callable[[], bytes]]]
# What is too much, by kind of file: the bound that is named, and a function that makes the file.
CATALOGS: Kinds = {
    "bytes": ("at most 8,388,608 are read", lambda: entries(400_000)),
    "lines": ("at most 200,000 are read", lambda: HEADER + b"\n" * 7_000_000),
    "entries": ("has 20,001 entries; at most 20,000 are read", lambda: entries(60_000)),
    "comments": (
        "has 1,001 comments and flags; at most 1,000 are read",
        lambda: HEADER + b"# a\n" * 190_000,
    ),
    "flags": (
        "has 60,000 comments and flags",
        lambda: HEADER + f"#, {','.join(map(str, range(60_000)))}\n".encode(),
    ),
    "comments of repeated entries": (
        "has 1,001 comments and flags",
        lambda: entries(19_000, '# {0}\nmsgid "a"\nmsgstr "b"\n\n'),
    ),
    "length of a text": (
        "has 2,000,000 characters in one text",
        lambda: HEADER + b'msgid "a"\nmsgstr "' + b"a" * 2_000_000 + b'"\n',
    ),
    "another encoding": (
        "is not UTF-8",
        lambda: ("字典里的" * MEBIBYTE).encode("gb18030")[: 8 * MEBIBYTE],
    ),
}
WEB_PAGES: Kinds = {
    "bytes": ("at most 8,388,608 are read", lambda: web_page("词" * 3_000_000)),
    "nesting": (
        "has 151 nested elements; at most 150 are read",
        lambda: web_page("<div>" * 200_000),
    ),
    "elements": ("at most 100,000 are read", lambda: web_page("<b>a</b>" * 400_000)),
    "attributes": (
        "tags and attributes; at most 100,000 are read",
        lambda: web_page(f"<b {' '.join(f'a{n}=1' for n in range(500_000))}>"),
    ),
    "archive": ("is no text", lambda: b"PK\3\4" + bytes(range(256)) * 9_000),
}
GLOSSARIES: Kinds = {
    "bytes": ("at most 1,048,576 are read", lambda: glossary(300_000)),
    "rows": ("has 10,001 rows; at most 10,000 are read", lambda: glossary(80_000)),
}
CONFIGURATIONS: Kinds = {
    "bytes": (
        "at most 1,048,576 are read",
        lambda: "".join(f"a{n} = 1\n" for n in range(900_000)).encode(),
    ),
    "nesting": (
        "pyproject.toml:1: has 39,999 dots in one key; at most 50 are read",
        lambda: b".".join([b"a"] * 40_000) + b" = 1\n",
    ),
}
LOCKS: Kinds = {"bytes": ("at most 8,388,608 are read", lambda: b"[" + b"1," * 40_000_000 + b"1]")}


def rows() -> Iterator[tuple[str, Row]]:
    for command, file, kinds, code in (
        ("import FILE --name sample", "in/faq.po", CATALOGS, 4),
        ("adopt sample FILE", "in/faq.html", WEB_PAGES, 4),
        ("check sample", "translations/glossary/zh_CN.csv", GLOSSARIES, 4),
        ("check sample", "pyproject.toml", CONFIGURATIONS, 2),
        ("build sample --no-execute", "upstream/sample.lock", LOCKS, 4),
    ):
        for kind, (message, content) in kinds.items():
            yield f"{file}: {kind}", Row(command, file, message, content, code)
    for command, file in CASES["doors"].items():
        yield command, Row(command, file, *CATALOGS["bytes"])
    for name, values in CASES["huge"].items():
        yield name, Row(**{"size": HUGE, **values})


@pytest.fixture(autouse=True)
def _no_huge_file_stays(tmp_path: Path) -> Iterator[None]:
    """Remove large files after each test: a copy of a sparse file would fill the disk."""
    yield
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.stat().st_size > limits.OWN_BYTES.most:
            path.unlink()


def refused(*words: str, code: int = 4) -> str:
    """Return what a command prints. It must end soon, with ``code``, and take little memory."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *words],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    text, _, measured = done.stderr.rstrip("\n").rpartition("\n")
    assert done.returncode == code, text
    seconds, kibibytes = measured.split()
    assert float(seconds) <= SECONDS
    assert int(kibibytes) / 1024 <= MEMORY
    return done.stdout + text


def commit_all(root: Path) -> None:
    """Make the project a repository, for commands that compare commits."""
    init_repository(root)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "A")


def committed(root: Path) -> dict[str, bytes]:
    """Return every committed file that can be read, by its path."""
    found: dict[str, bytes] = {}
    for name in ("translations", "upstream"):
        for path in (root / name).rglob("*"):
            if path.is_file() and path.stat().st_size < HUGE:
                found[str(path)] = path.read_bytes()
    return found


ROWS = dict(rows())


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_too_much_is_refused_at_once_and_nothing_is_written(row: Row, synced: Path) -> None:
    if row.command == "review":
        commit_all(synced)
    file = synced / row.file
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_bytes(row.content())
    if row.size:
        os.truncate(file, row.size)
    before = committed(synced)
    adopted = ADOPTED if row.command.startswith("adopt") else ()
    words = row.command.replace("FILE", row.file).split()
    said = refused(*words, *adopted, code=row.code)
    assert row.message in said
    assert file.stem in said
    assert committed(synced) == before


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
    said = refused("sync", "lamps", "--no-execute")
    assert re.search(rf"{name}: has [\d,]+ bytes; at most 268,435,456 are", said)
    assert not Path("translations").exists()


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
        said = refused("upgrade", "v2", NAME, "--package-version", "1.0.0", option)
    name = Path(file).name
    assert f"{name}: has {HUGE:,} bytes; at most 8,388,608 are read" in said
    assert committed(work.root) == before


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
@pytest.mark.parametrize("words", [("import", "--name", "sample"), ("adopt", "sample", *ADOPTED)])
def test_too_many_files_are_refused(words: tuple[str, ...], crowd: Path) -> None:
    assert "files; at most 100,000 are read" in refused(*words, str(crowd))


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
    "upstream's docs": (limits.UPSTREAM_FILES, limits.UPSTREAM_BYTES),
    "notebook": (limits.NOTEBOOK_BYTES,),
    "data that the code of a page may read": (limits.DATA_BYTES, limits.DATA_FILES),
    "page for `adopt`": (limits.COPY_BYTES, limits.COPY_DEPTH, limits.COPY_PARTS),
    "folder for `adopt` or `import`": (FOUND_FILES,),
    "file that the pipeline wrote itself; file of a project that is copied": (limits.OWN_BYTES,),
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
