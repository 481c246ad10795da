"""What translators write cannot alter what runs.

Execution keys of merged pages are those of upstream's.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from corpus import HOSTILE, SAMPLE, hostile
from odd_texts import WEIRD

from pipeline.adapters import kernel
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document, is_myst_notebook, read_document
from pipeline.core.execution import code_cells as execution

MSGSTRS = 3_000
POLICY = {"timeout": 100}


def key_of(path: str, data: bytes) -> str:
    """The key of a document; nothing for a page without code to run."""
    if path.endswith(".ipynb"):
        notebook = execution.parse_notebook(data, where=path)
    elif is_myst_notebook(text := data.decode("utf-8", "replace")):
        notebook = kernel.notebook_from_myst(text)
    else:
        return ""
    return execution.execution_key(notebook, policy=POLICY, data={}, environment={})


def msgstr(chance: random.Random, msgid: str) -> str:
    """A hostile text, or one of random pieces that mean something to parsers."""
    if chance.random() < 0.5:
        return hostile(chance.choice(list(HOSTILE)), msgid)
    return "".join(chance.choice([*WEIRD, msgid, "文字"]) for _ in range(chance.randrange(1, 12)))


def documents() -> Iterator[Document]:
    for path in sorted(SAMPLE.rglob("*")):
        if path.suffix in (".ipynb", ".md"):
            yield read_document(path.relative_to(SAMPLE).as_posix(), path.read_bytes())


@pytest.mark.slow
def test_no_translation_alters_what_runs() -> None:
    chance, pages = random.Random(1), list(documents())
    keys = {page.path: key_of(page.path, page.raw.encode()) for page in pages}
    assert sum(map(bool, keys.values())) >= 4
    given = refused = 0
    while given < MSGSTRS:
        for page in pages:
            translations = {
                message.msgid: msgstr(chance, message.msgid) for _, message in page.messages()
            }
            merged = merge(page, translations)
            given, refused = given + len(translations), refused + len(merged.rejected)
            assert key_of(page.path, merged.data) == keys[page.path], page.path
    # Some got through, some did not: neither is vacuous.
    assert 0.1 < refused / given < 0.95


def test_a_key_would_tell() -> None:
    page = next(page for page in documents() if page.path == "grad.ipynb")
    data = page.raw.encode()
    changed = data.replace(b"import jax", b"import  jax", 1)
    assert changed != data
    assert key_of(page.path, changed) != key_of(page.path, data)
