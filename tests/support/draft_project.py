"""Copy of the sample in which some pages have no translations, and a model that drafts them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from catalog_files import edit_catalog, read_catalog
from folders import read_tree
from in_process import Told, command
from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.catalog.origins import is_draft
from pipeline.entries import Catalog, Entry

KEY_NAME, KEY = "TEST_MODEL_KEY", "sk-test-0987654321"
LOCALE = "zh_CN"


class DraftProject(Struct, frozen=True):
    """Project at ``root``, which is the current folder."""

    root: Path

    def configure(self, url: str, **options: object) -> None:
        """Write ``[tool.pipeline.draft]``. Underscores in names become dashes."""
        path = self.root / "pyproject.toml"
        text = path.read_text("utf-8").partition("\n[tool.pipeline.draft]")[0]
        values: dict[str, object] = {"url": url, "model": "m", "timeout": 5, "tries": 2}
        values |= {name.replace("_", "-"): value for name, value in options.items()}
        lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
        table = "\n".join(("[tool.pipeline.draft]", *lines, ""))
        path.write_text(f"{text}\n{table}", encoding="utf-8")

    def run(self, *words: str) -> Told:
        """Run a command in this process."""
        return command(*words, root=self.root, code=None)

    def draft(self, *words: str) -> Told:
        return self.run("draft", "sample", "--yes", *words)

    def path(self, page: str) -> Path:
        return self.root / "translations" / LOCALE / "sample" / f"{page}.po"

    def read(self, page: str) -> Catalog:
        return read_catalog(self.path(page))

    def entries(self) -> dict[tuple[str, str | None, str], Entry]:
        """Return every live entry of the sample by page, context and msgid."""
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
        """Replace entries of a page by msgid. None removes the translation."""

        def change(entry: Entry) -> Entry:
            if entry.msgid not in changes:
                return entry
            return changes[entry.msgid] or _empty(entry)

        edit_catalog(self.path(page), change)

    def empty(self, *pages: str) -> None:
        """Remove the translations of ``pages`` from catalogues and memory."""
        memories = self.root / "translations" / "memory" / LOCALE / "sample"
        for page in pages:
            edit_catalog(self.path(page), lambda entry: _empty(entry, comments=()))
            (memories / f"{page}.po").unlink(missing_ok=True)
        told = self.run("split", "sample", "-q")
        assert told.code == 0, told.err

    def everything(self) -> str:
        """Return the contents of all files of the project as one text, to search it for secrets."""
        tree = read_tree(self.root)
        return "\n".join(data.decode("utf-8", "replace") for data in tree.values())


def _empty(entry: Entry, **fields: Any) -> Entry:
    return replace(entry, msgstr="", fuzzy=False, previous=None, **fields)


def prepared(root: Path) -> DraftProject:
    """Return the project with its docs pulled."""
    project = DraftProject(root)
    told = project.run("pull", "sample", "-q")
    assert told.code == 0, told.err
    return project
