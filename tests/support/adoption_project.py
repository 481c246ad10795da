"""Project for tests of ``adopt``: an upstream with a history, and translated copies.

The upstream has three releases. The third is the sample docs. The first two are derived from it:
some messages have other words, code has another line, and one page has another name. Copies are
made from the sample's Chinese translations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

from catalog_files import read_catalog
from copies import Row, han, translated
from folders import read_tree, write_file
from msgspec import Struct
from places import ROOT
from rapidfuzz import fuzz
from repositories import DOCS, commit_release, init_repository
from runs import run_at

from pipeline.commands.adopt.adoption import AdoptOptions, Matcher, adopt
from pipeline.commands.adopt.versions import open_versions
from pipeline.core.adoption.alignment import Encoder, Similar
from pipeline.core.adoption.blocks import Block, blocks_of
from pipeline.core.adoption.result import AdoptResult
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document, read_document
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, translations_of
from pipeline.paths import Paths
from pipeline.run import Run
from pipeline.stages.pull.stage import pull

LOCALE = "zh_CN"
SAMPLE = ROOT / "upstream" / "sample"
TRANSLATIONS = ROOT / "translations" / LOCALE / "sample"
RELEASES = ("v1", "v2", "v3")
PAGES = tuple(
    "arrays faq grad guides/debugging guides/random guides/vmap index reference regression".split()
)
SUFFIXES = (".ipynb", ".md", ".rst")
WITH_CODE = frozenset(PAGES) - {"faq", "index", "reference"}
RENAMED = {"grad": "gradients"}  # what pages were called in the first release
# What was added to some messages of a release, in both languages: every fifth one, from where.
ADDED = {
    "v1": (1, " Mind the order of the arguments.", "请注意参数的顺序。"),
    "v2": (3, " There are two of them.", "一共有两个。"),
}
# Code that stood in the releases, behind the first import.
CODE = {"v1": "first_release = 1", "v2": "second_release = 2"}


@cache
def chinese(page: str) -> Mapping[str, str]:
    """Return the finished translations of a page of the sample, by msgid."""
    return translations_of(read_catalog(TRANSLATIONS / f"{page}.po"))


class OldPage(Struct, frozen=True, kw_only=True):
    """Page at an old release: its document, its blocks, and their translations."""

    path: str
    data: bytes
    blocks: tuple[Block, ...]
    translations: Mapping[str, str]

    @property
    def row(self) -> Row:
        """Return the whole page in Chinese, as a copy."""
        return translated(self.blocks, self.translations)


@cache
def old_page(page: str, release: str) -> OldPage:
    """Return a page of the sample at an old release."""
    paths = (SAMPLE / f"{page}{suffix}" for suffix in SUFFIXES)
    path = next(filter(Path.exists, paths))
    name = path.relative_to(SAMPLE).as_posix()
    data = path.read_bytes()
    document = read_document(name, data)
    translations = dict(chinese(page))
    if release in ADDED:
        edits, added = _edits(document, release, translations)
        data = _with_code(merge(document, edits).data, release)
        # What the guard has refused is as it was.
        document = read_document(name, data)
        translations |= added
    if release == "v1" and page in RENAMED:
        name = name.replace(page, RENAMED[page])
    return OldPage(path=name, data=data, blocks=blocks_of(document), translations=translations)


def _edits(
    document: Document, release: str, translations: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return new English for some messages, and the translations of this English."""
    start, english, chinese_words = ADDED[release]
    edits: dict[str, str] = {}
    added: dict[str, str] = {}
    messages = [message for _, message in document.messages() if message.kind == "paragraph"]
    for message in messages[start::5]:
        # Only behind a sentence: else it would be another one.
        if message.msgid.endswith("."):
            edits[message.msgid] = message.msgid + english
            if known := translations.get(message.msgid):
                added[edits[message.msgid]] = known + chinese_words
    return edits, added


def _with_code(data: bytes, release: str) -> bytes:
    """Return the page with one more line of code after its first import."""
    for before, between in (
        (b"import jax.numpy as jnp\\n", b'",\n    "'),
        (b"import jax.numpy as jnp\n", b""),
    ):
        line = CODE[release].encode()
        if between and before in data:
            return data.replace(before, before + between + line + b"\\n", 1)
        if before in data:
            return data.replace(before, before + line + b"\n", 1)
    return data


def make_sample_history(folder: Path) -> Path:
    """Make a repository with the three releases of the sample, a month apart."""
    init_repository(folder)
    others = {path: data for path, data in read_tree(SAMPLE).items() if not path.endswith(SUFFIXES)}
    for month, release in enumerate(RELEASES, start=1):
        pages = [old_page(page, release) for page in PAGES]
        files = {f"docs/{page.path}": page.data for page in pages}
        files |= {f"docs/{path}": data for path, data in others.items()}
        commit_release(folder, release, files, date=f"2026-0{month}-05T06:07:08+0000")
    return folder


class AdoptionProject(Struct, frozen=True, dict=True):
    """Project at ``root`` that pulls the sample's history from ``url``, pinned to v3."""

    root: Path
    url: Path
    locales: tuple[str, ...] = (LOCALE,)

    @property
    def run(self) -> Run:
        return run_at(
            self.root,
            "docs",
            self.locales,
            url=str(self.url),
            ref="v3",
            package="JAX",
            version="3",  # releases are the tags like ``v3``
            docs=DOCS,
        )

    @property
    def paths(self) -> Paths:
        return self.run.paths

    @cached_property
    def lock(self) -> Lock:
        """Return the lock of the pulled docs. The first access pulls them."""
        return pull(self.run)

    def write(self, name: str, content: str | bytes) -> str:
        """Write a copy to a file. Return the command-line argument that names the file."""
        write_file(self.root / name, content)
        return str(self.root / name)

    def adopt(
        self,
        *files: str,
        page: str | None = None,
        at: str | None = None,
        **options: object,
    ) -> AdoptResult:
        """Adopt files; by default with author Li Lei and a known licence."""
        assert self.lock.commit
        values: dict[str, Any] = {"author": "Li Lei", "licence": "CC-BY-4.0", **options}
        return adopt(self.run, AdoptOptions(files=files, page=page, ref=at, **values))

    def catalog(self, page: str) -> Catalog:
        """Return the catalogue of a page as it is on disk."""
        return read_catalog(self.paths.catalog(LOCALE, page))

    @contextmanager
    def matcher(self, encoder: Encoder) -> Iterator[Matcher]:
        """Yield a matcher, which finds the page and version of a copy."""
        with open_versions(self.run, self.lock) as versions:
            yield Matcher(versions=versions, encoder=encoder)


@cache
def _all_chinese() -> Mapping[str, str]:
    """Return the Chinese letters of every message of every release, by msgid."""
    known: dict[str, str] = {}
    for page, release in product(PAGES, RELEASES):
        known |= old_page(page, release).translations
    return {english: han(words) for english, words in known.items()}


def reads_the_sample(_texts: Iterable[str]) -> Similar:
    """Stand-in for the sentence encoder, which takes seconds for each page.

    It knows the Chinese of the sample. The similarity of English and Chinese is that of the Chinese
    and the sample's translation of the English.
    """

    def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
        wanted = "".join(_all_chinese().get(text, "") for text in ours)
        return fuzz.ratio(wanted, han("".join(theirs))) / 100

    return similar
