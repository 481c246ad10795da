"""Projects whose sites are built by commands, and their pages as parsed HTML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from catalog_files import edit_catalog
from in_process import run_in
from msgspec import Struct
from msgspec.structs import replace
from repositories import git

from pipeline.entries import Entry


class SiteProject(Struct, frozen=True):
    """Project at ``root`` with one upstream, ``name``."""

    root: Path
    name: str

    def run(self, *words: str, code: int = 0) -> str:
        """Run a command in the project. Return what it prints."""
        done = run_in(self.root, *words)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    def write(self, path: str, text: str) -> None:
        """Write a file of the project."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def change(self, path: str, old: str, new: str) -> None:
        """Change a file of the project, which must have ``old``."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def commit(self, message: str) -> None:
        """Commit all files that git does not ignore."""
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", message)

    def translate(self, chinese: Mapping[str, str]) -> None:
        """Translate these messages, wherever catalogues have them."""

        def translated(entry: Entry) -> Entry:
            return replace(entry, msgstr=chinese.get(entry.msgid, entry.msgstr))

        catalogs = self.root / "translations" / "zh_CN" / self.name
        for path in catalogs.rglob("*.po"):
            edit_catalog(path, translated)

    @property
    def site(self) -> Path:
        return self.root / "build" / "site" / self.name

    def read(self, path: str) -> str:
        """Return the text of a file of the site."""
        return (self.site / path).read_text(encoding="utf-8")

    def page(self, name: str) -> BeautifulSoup:
        return BeautifulSoup(self.read(f"{name}.html"), "html.parser")

    def article(self, name: str) -> Tag:
        (found,) = self.page(name).select("article.bd-article")
        return found


def words_of(tag: Tag | None) -> str:
    """Return the words of an element, in one line."""
    assert tag is not None
    return " ".join(tag.get_text().split())
