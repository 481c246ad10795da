"""Where tests stand: where a reader of the package looks for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from places import ROOT, TESTS

FILES = sorted(TESTS.rglob("test_*.py"))
NAMES = [path.relative_to(TESTS).as_posix() for path in FILES]

# Folders of tests/ with code that is no test.
OTHERS = {"support", "bench"}


def imported_by(source: str) -> Iterator[str]:
    """The modules that Python ``source`` imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_folders_of_tests_are_those_of_the_package() -> None:
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("*.py")}
    strange = {
        str(folder)
        for folder in folders
        if folder.parts[:1] and folder.parts[0] not in OTHERS
        if not (ROOT / "pipeline" / folder / "__init__.py").exists()
    }
    assert strange == set()


def test_no_two_files_have_the_same_name() -> None:
    """pytest imports test files by their bare names."""
    assert len({path.name for path in FILES}) == len(FILES)


def test_no_test_file_imports_another() -> None:
    """What two files need stands in ``tests/support/``, or is a fixture in ``conftest.py``."""
    tests = {path.stem for path in FILES} | {"conftest"}
    found = {
        name: sorted(tests & set(imported_by(path.read_text(encoding="utf-8"))))
        for name, path in zip(NAMES, FILES, strict=True)
    }
    assert {name: modules for name, modules in found.items() if modules} == {}


def described_modules() -> dict[str, list[str]]:
    """Return the modules that the code map of ARCHITECTURE.md describes, by folder."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", text, re.MULTILINE)
    return {folder.rstrip("/"): re.findall(r"`([^`]+)`: ", row) for folder, row in rows}


def test_code_map_describes_every_module_in_the_row_of_its_folder() -> None:
    modules: dict[str, list[str]] = {}
    for path in sorted((ROOT / "pipeline").rglob("*.py")):
        folder = path.parent.relative_to(ROOT / "pipeline").as_posix()
        names = modules.setdefault(folder, [])
        if path.name != "__init__.py":
            names.append(path.stem)
    described = {folder: sorted(names) for folder, names in described_modules().items()}
    assert described == modules
