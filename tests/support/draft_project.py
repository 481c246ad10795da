"""A scratch copy of the sample in which some pages wait for drafts, and a model for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from folders import read_tree
from in_process import run_in

from pipeline.adapters import po
from pipeline.core.catalog.origins import is_draft
from pipeline.entries import Catalog, Entry

KEY_NAME, KEY = "TEST_MODEL_KEY", "sk-test-0987654321"
LOCALE = "zh_CN"


@dataclass(frozen=True, slots=True)
class Told:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.out)
        return value


@dataclass(frozen=True, slots=True)
class DraftProject:
    """The project at ``root``, the current folder."""

    root: Path

    def configure(self, url: str, **options: object) -> None:
        """Write ``[tool.pipeline.draft]``; names with an underscore are those with a dash."""
        path = self.root / "pyproject.toml"
        text = path.read_text("utf-8").partition("\n[tool.pipeline.draft]")[0]
        values: dict[str, object] = {"url": url, "model": "m", "timeout": 5, "tries": 2}
        values |= {name.replace("_", "-"): value for name, value in options.items()}
        lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
        table = "\n".join(("[tool.pipeline.draft]", *lines, ""))
        path.write_text(f"{text}\n{table}", encoding="utf-8")

    def run(self, *words: str) -> Told:
        """Run a command in this process."""
        done = run_in(self.root, *words)
        return Told(done.returncode, done.stdout, done.stderr)

    def draft(self, *words: str) -> Told:
        return self.run("draft", "sample", "--yes", *words)

    def path(self, page: str) -> Path:
        return self.root / "translations" / LOCALE / "sample" / f"{page}.po"

    def read(self, page: str) -> Catalog:
        return po.read_catalog(self.path(page).read_bytes(), where=page).catalog

    def entries(self) -> dict[tuple[str, str | None, str], Entry]:
        """Every live entry of the sample by page, context and msgid."""
        folder = self.root / "translations" / LOCALE / "sample"
        found: dict[tuple[str, str | None, str], Entry] = {}
        for path in sorted(folder.rglob("*.po")):
            page = path.relative_to(folder).as_posix().removesuffix(".po")
            for entry in self.read(page).entries:
                if not entry.obsolete:
                    found[page, entry.context, entry.msgid] = replace(entry, line=0)
        return found

    def drafts(self) -> list[Entry]:
        return [entry for entry in self.entries().values() if is_draft(entry)]

    def edit(self, page: str, changes: Mapping[str, Entry | None]) -> None:
        """Replace entries by msgid; None empties one."""
        catalog = self.read(page)
        entries: list[Entry] = []
        for entry in catalog.entries:
            if entry.msgid not in changes:
                entries.append(entry)
                continue
            change = changes[entry.msgid]
            entries.append(
                change or replace(entry, msgstr="", fuzzy=False, previous=None)
            )
        data = po.format_catalog(replace(catalog, entries=tuple(entries)))
        self.path(page).write_bytes(data)

    def empty(self, *pages: str) -> None:
        """Forget the translations of ``pages``; they are not in the memory either."""
        for page in pages:
            catalog = self.read(page)
            entries = [
                replace(entry, msgstr="", fuzzy=False, previous=None, comments=())
                for entry in catalog.entries
                if not entry.obsolete
            ]
            data = po.format_catalog(replace(catalog, entries=tuple(entries)))
            self.path(page).write_bytes(data)
            (self.root / f"translations/memory/{LOCALE}/sample/{page}.po").unlink(
                missing_ok=True
            )
        told = self.run("split", "sample", "-q")
        assert told.code == 0, told.err

    def everything(self) -> str:
        """All that lies in the project, as one text: to look for what must not be in it."""
        tree = read_tree(self.root)
        return "\n".join(data.decode("utf-8", "replace") for data in tree.values())


def prepared(root: Path) -> DraftProject:
    """The project with its docs pulled."""
    project = DraftProject(root)
    told = project.run("pull", "sample", "-q")
    assert told.code == 0, told.err
    return project
