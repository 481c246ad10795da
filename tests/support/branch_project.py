"""Project in its own git repository, with branches, as people work on GitHub.

Memory, lock and configuration are committed; catalogues and ``build/`` are ignored. The upstream is
a real git repository as well, with two releases. Tests run commands through the command line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path

from catalog_files import LI, edit_catalog, read_catalog
from folders import read_tree
from msgspec import Struct
from msgspec.structs import replace
from repositories import git, make_origin

from pipeline.adapters import po
from pipeline.cli import main
from pipeline.entries import Catalog, Entry

NAME, LOCALE = "docs", "zh_CN"
CONFIG = """\
[dependency-groups]
jax = ["jax==1.0.0", "jaxlib==1.0.0"]

[tool.pipeline]
locales = ["zh_CN"]

[tool.pipeline.upstreams.docs]
url = "{url}"
ref = "v1"
docs = "docs"
"""
IGNORED = "/build/\n/translations/zh_CN/\n/upstream/docs/\n"

# What a fresh clone has: catalogues and memory, by the commit and whether its history is cut off.
_FRESH: dict[tuple[str, str], tuple[dict[str, bytes], dict[str, bytes]]] = {}

_WORDS = "lamp saw glue drill bench apron drawer clamp varnish hammer".split()


def page(title: str, sentence: str) -> str:
    """Return a page with a heading, and a paragraph for each of some words.

    A paragraph is ``sentence`` with the word in place of ``{}``.
    """
    paragraphs = [sentence.format(word) for word in _WORDS]
    return "\n\n".join([f"# {title}", *paragraphs]) + "\n"


# The sentences have nothing in common, so that no page offers its translations to another.
FIRST = {
    "cellar.md": page("Down there", "A {} hangs beside the stairs, right of the door."),
    "garage.md": page("Cars", "Whoever borrows our {} brings it back before Monday."),
    "attic.md": page("Under the roof", "Nobody knows how old this {} may really be."),
    "yard/shed.md": page("Outside", "Rain would spoil every {}, so keep things dry!"),
}
# The second release changes a paragraph, drops one, adds one, and renames a page.
SECOND = {
    **FIRST,
    "cellar.md": FIRST["cellar.md"]
    .replace("A lamp hangs beside", "A lamp now hangs beside")
    .replace("A saw hangs", "This paragraph was not there before.\n\nA saw hangs")
    .replace("A hammer hangs beside the stairs, right of the door.\n", ""),
    "loft.md": FIRST["attic.md"],
}
del SECOND["attic.md"]


def make_upstream(folder: Path) -> Path:
    """Make the upstream's repository, with the releases v1 and v2."""
    return make_origin(folder, {"v1": FIRST, "v2": SECOND})


class Clone(Struct, frozen=True):
    """Clone of the project."""

    root: Path

    @classmethod
    def make(cls, root: Path, upstream: Path) -> Clone:
        """Make a new project at v1, with one translated page, and commit it on ``main``."""
        root.mkdir(parents=True)
        clone = cls(root)
        (root / "pyproject.toml").write_text(CONFIG.format(url=upstream))
        (root / ".gitignore").write_text(IGNORED)
        (root / ".gitattributes").write_text("/translations/** -text\n")
        clone.git("init", "-q", "-b", "main")
        assert clone.sync() == 0
        clone.translate("yard/shed")
        assert clone.sync() == 0
        clone.commit("Begin with the shed")
        return clone

    def copy(self, root: Path) -> Clone:
        """Return another clone at ``root``, with the same upstream."""
        shutil.copytree(self.root, root, symlinks=True)
        return Clone(root)

    def git(self, *words: str) -> str:
        return git(self.root, *words)

    def commit(self, subject: str) -> None:
        """Commit all files that git does not ignore."""
        self.git("add", "-A")
        self.git("commit", "-qm", subject)

    def commit_catalogs(self, branch: str) -> None:
        """Begin a branch that has the catalogues as well, as one for Weblate."""
        self.branch(branch)
        self.git("add", "--force", "translations")
        self.git("commit", "-qm", "Catalogues for Weblate")

    def drop_memory(self, name: str, branch: str) -> None:
        """Begin a branch on which a page has no memory."""
        self.branch(branch)
        self.git("rm", "-q", f"translations/memory/{LOCALE}/{NAME}/{name}.po")
        self.git("commit", "-qm", f"Give up {name}")

    def switch(self, ref: str) -> None:
        """Check out a branch or commit, whatever becomes of the catalogues."""
        self.git("checkout", "-q", ref)

    def visit(self, ref: str) -> None:
        """Check out a branch or commit, and sync there."""
        self.switch(ref)
        assert self.sync() == 0

    def branch(self, name: str, start: str = "main") -> None:
        self.git("checkout", "-q", "-b", name, start)

    def run(self, *words: str) -> int:
        """Run ``python -m pipeline`` with ``words`` in this clone. Return its exit code."""
        with chdir(self.root):
            return main([*words, "-q"])

    def sync(self) -> int:
        return self.run("sync", NAME, "--no-execute")

    # What lies there

    @property
    def catalogs(self) -> Path:
        return self.root / "translations" / LOCALE / NAME

    @property
    def memories(self) -> Path:
        return self.root / "translations" / "memory" / LOCALE / NAME

    @property
    def output(self) -> Path:
        return self.root / "build" / LOCALE / NAME

    def read(self, name: str) -> Catalog:
        return read_catalog(self.catalogs / f"{name}.po")

    def texts(self, name: str) -> dict[str, str]:
        """Return the translations of a page's paragraphs, by the word that each contains."""
        texts: dict[str, str] = {}
        for entry in self.read(name).entries:
            words = set(re.findall(r"\w+", entry.msgid)).intersection(_WORDS)
            if words and not entry.obsolete:
                texts[words.pop()] = entry.msgstr
        return texts

    def codes(self) -> list[str]:
        """Return the codes of all findings of the last run, sorted."""
        return sorted(finding["code"] for finding in self.all_findings())

    def findings(self, code: str) -> list[dict[str, str]]:
        return [one for one in self.all_findings() if one["code"] == code]

    def all_findings(self) -> Iterator[dict[str, str]]:
        """Yield the findings of the last run."""
        report = json.loads((self.root / "build" / "report.json").read_bytes())
        for part in (report, *report["locales"][LOCALE]["pages"]):
            yield from part["findings"]

    def comments(self) -> list[bytes]:
        """Return translators' comments in the memory, without each file's warning at its top."""
        lines = b"\n".join(read_tree(self.memories).values()).split(b"\n")
        found = (line for line in lines if re.match(rb"#~?[ ]*# |# ", line))
        return [line for line in found if not line.startswith(b"# Translation memory:")]

    def kept(self, folder: str) -> dict[str, str]:
        """Return the msgstrs in ``build/…/set-aside`` or ``build/…/replaced``, by context."""
        kept: dict[str, str] = {}
        for data in read_tree(self.output / folder).values():
            for entry in po.read_catalog(data, where=folder).catalog.entries:
                kept[entry.context or ""] = entry.msgstr
        return kept

    # Work

    def edit(self, name: str, change: Callable[[Entry], Entry]) -> None:
        """Change the entries of a catalogue, as a translator's editor does."""
        edit_catalog(self.catalogs / f"{name}.po", change, LI)

    def translate(self, name: str, word: str = "", text: str = "") -> None:
        """Translate the paragraph with ``word``, or all paragraphs of a page.

        Without ``text``, the translation names the page and differs for each paragraph.
        """

        def change(entry: Entry) -> Entry:
            if entry.obsolete or not re.search(rf"\b{word}\b", entry.msgid):
                return entry
            msgstr = text or f"{name}：译文{sum(map(ord, entry.msgid))}"
            return replace(entry, msgstr=msgstr, fuzzy=False, previous=None)

        self.edit(name, change)

    def save(self, name: str, word: str = "", text: str = "") -> None:
        """Translate like ``translate``, and bring that into the memory."""
        self.translate(name, word, text)
        assert self.sync() == 0

    def store(self, name: str, word: str = "", text: str = "") -> None:
        """Translate like ``translate``, bring that into the memory, and commit it."""
        self.save(name, word, text)
        self.commit(f"Translate {word} of {name}")

    def upgrade(self) -> None:
        """Go to the second release, and commit that."""
        self.move_to("v2")
        assert self.sync() == 0
        self.commit("Upgrade")

    def move_to(self, ref: str) -> None:
        """Pin another release in the configuration."""
        path = self.root / "pyproject.toml"
        path.write_text(re.sub('ref = ".*"', f'ref = "{ref}"', path.read_text()))

    def fresh(self) -> Clone:
        """Return a new clone of the committed files, after a sync."""
        target = self.root.with_name("fresh")
        shutil.rmtree(target, ignore_errors=True)
        git(self.root.parent, "clone", "-q", str(self.root), str(target))
        clone = Clone(target)
        head = self.git("rev-parse", "HEAD")
        clone.git("checkout", "-q", "--detach", head)
        assert clone.sync() == 0
        return clone

    def assert_follows(self) -> None:
        """Sync, and assert that everything is as in a fresh clone.

        The sync must report nothing about the memory, and change no committed file.
        """
        assert self.sync() == 0
        assert self.git("status", "--porcelain") == ""
        assert [code for code in self.codes() if code.startswith("memory")] == []
        assert self.comments() == []
        assert not (self.output / "set-aside").exists()
        catalogs, memories = self.follows_from()
        assert read_tree(self.catalogs) == catalogs
        assert read_tree(self.memories) == memories

    def follows_from(self) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Return catalogues and memory of a fresh clone. The result is cached for each commit."""
        is_shallow = self.git("rev-parse", "--is-shallow-repository")
        key = (self.git("rev-parse", "HEAD"), is_shallow)
        if key not in _FRESH:
            fresh = self.fresh()
            assert os.fspath(fresh.root) != os.fspath(self.root)
            _FRESH[key] = (read_tree(fresh.catalogs), read_tree(fresh.memories))
        return _FRESH[key]
