"""English and Chinese docstrings, rendered by Sphinx's own extensions, differ in prose only.

This comparison shares nothing with the guard: Sphinx's autodoc and napoleon read both.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from docstring_trees import trees_of
from lamps_package import CHINESE, PACKAGE
from places import ROOT
from site_builds import LACKING

from pipeline.adapters import po
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import read_document
from pipeline.core.memory.opening import restored_msgstr
from pipeline.core.memory.record import digest
from pipeline.core.pin.lock import DOCSTRING_SUFFIX, REFERENCE
from pipeline.core.reference import PATH, read_record

DOCS = ROOT / "upstream" / "jax"
MEMORY = ROOT / "translations" / "memory" / "zh_CN" / "jax"

pytestmark = pytest.mark.skipif(bool(LACKING), reason=f"not installed: {LACKING}")


# Docstrings that docutils misreads in English: a blank or a back quote is missing, a line is
# indented too far, or a colon in a sentence ends a type. The Chinese reads as they are meant.
MISREAD = {
    "jax.experimental.custom_partitioning.custom_partitioning",
    "jax.experimental.io_callback",
    "jax.experimental.pallas.BlockSpec",
    "jax.experimental.pallas.mosaic_gpu.commit_tmem",
    "jax.experimental.pallas.mosaic_gpu.query_cluster_cancel",
    "jax.experimental.pallas.mosaic_gpu.wait_load_tmem",
    "jax.numpy.linspace",
    "jax.numpy.prod",
    "jax.pure_callback",
    "jax.random.poisson",
    "jax.random.triangular",
    "jax.tree_util.flatten_one_level",
}


def merged(data: bytes, translations: dict[str, str]) -> str:
    document = read_document("words.docstring", data)
    result = merge(document, translations)
    assert not result.rejected
    return result.data.decode()


ENGLISH = PACKAGE.partition('"""Return')[2].partition('"""')[0].replace("\n    ", "\n")


CHANGES = (
    ("power: watts", "volts: watts"),
    (":func:`lamps.dim`", ":func:`lamps.die`"),
    (":math:`L = p h`", ":math:`L = h p`"),
    (">>> shine(2.0)", ">>> shine(3.0)"),
    ("Returns:", "Yields:"),
    ("1      a candle", "``1``  a candle"),
)


@pytest.mark.slow
def test_translation_differs_in_prose_only() -> None:
    english = f"Return{ENGLISH}".strip()
    chinese = merged(english.encode(), dict(CHINESE))
    assert "光量" in chinese
    docstrings = {"English": english, "Chinese": chinese}
    for old, new in CHANGES:
        assert old in english
        docstrings[new] = english.replace(old, new)
    trees = trees_of(docstrings, {})
    assert trees["Chinese"] == trees["English"]
    # The comparison finds whatever is no prose.
    assert [new for _, new in CHANGES if trees[new] == trees["English"]] == []


def translations_of(page: str, texts: list[bytes]) -> dict[str, str]:
    """Return what the committed memory has for the messages of a page."""
    path = MEMORY / f"{page}.po"
    if not path.is_file():
        return {}
    messages = {
        digest(message.msgid): message.msgid
        for text in texts
        for unit in read_document("words.docstring", text).units
        for message in unit.split.messages
    }
    found: dict[str, str] = {}
    for entry in po.read_catalog(path.read_bytes(), where=str(path)).catalog.entries:
        msgid = messages.get(entry.msgid)
        if msgid and entry.is_translated:
            found[msgid] = restored_msgstr(entry, msgid, None) or ""
    return found


@pytest.mark.realdocs
@pytest.mark.skipif(not (DOCS / PATH).is_file(), reason="JAX is not pulled here")
def test_every_translated_docstring_of_jax_differs_in_prose_only() -> None:
    record = read_record((DOCS / PATH).read_bytes(), where=PATH)
    pages: dict[str, list[Path]] = {}
    for file in sorted((DOCS / REFERENCE).rglob(f"*{DOCSTRING_SUFFIX}")):
        page = file.parent.relative_to(DOCS).as_posix()
        pages.setdefault(page, []).append(file)
    english: dict[str, str] = {}
    chinese: dict[str, str] = {}
    for page, files in pages.items():
        found = translations_of(page, [file.read_bytes() for file in files])
        for file in files if found else ():
            name = f"{page}/{file.stem}"
            english[name] = file.read_text("utf-8")
            chinese[name] = merged(file.read_bytes(), found)
    changed = [name for name in english if english[name] != chinese[name]]
    print(f"{len(english)} docstrings, {len(changed)} with Chinese")
    assert changed
    settings = {key: value for key, value in record.settings.items() if "type" not in key}
    first, second = trees_of(english, settings), trees_of(chinese, settings)
    differing = {name for name in english if first[name] != second[name]}
    assert {name.rpartition("/")[2] for name in differing} == MISREAD
