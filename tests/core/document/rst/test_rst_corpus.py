"""P1 and P2 for every ``.rst`` file that the JAX docs have ever had.

Needs JAX_DOCS_UPSTREAM. By default a sample is read; all 1,450 of them, with

    JAX_DOCS_UPSTREAM=... JAX_DOCS_WHOLE=1 pytest tests/core/document/rst/test_rst_corpus.py -rP
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise

import pytest
from repositories import Repository

from pipeline.core.document.message import Message, Split
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.document.splice import Edit, splice

pytestmark = pytest.mark.realdocs

WHOLE = bool(os.environ.get("JAX_DOCS_WHOLE"))
PARTS = 4  # of the test, so that it can be spread over processes
STRIDE = 1 if WHOLE else 40

# What stays English, in all of the history, and how many times.
UNSAFE = {
    "an indented line follows without a blank line": 16,
    "Missing matching underline for section title overline.": 1,
}


def blobs_of(repository: Repository) -> list[str]:
    rows = repository.git("rev-list", "--objects", "--all").decode().split("\n")
    return sorted({row.split()[0] for row in rows if row.endswith(".rst")})


@pytest.mark.parametrize("part", range(PARTS))
def test_every_blob_of_the_history_is_joined_again(
    repository: Repository, part: int
) -> None:
    blobs = blobs_of(repository)[::STRIDE][part::PARTS]
    reasons: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for blob, data in repository.read(blobs):
        text = data.decode()
        split = split_rst(text)
        assert split.text == text
        assert_joins(split, blob)
        reasons.update(reason for _, reason in split.left_in_english)
        kinds.update(message.kind for message in split.messages)
    print(
        f"{len(blobs)} blobs, {kinds.total()} messages: {dict(kinds)}; in English: {dict(reasons)}"
    )
    assert blobs
    assert kinds
    assert all(count <= UNSAFE[reason] for reason, count in reasons.items())


def assert_joins(split: Split, blob: str) -> None:
    """The pieces of messages lie one behind the other and say what the msgid says.

    To write them again changes nothing.
    """
    edits = [
        Edit(*piece, split.text[slice(*piece)])
        for message in split.messages
        for piece in pieces(message)
    ]
    edits.sort(key=lambda edit: edit.start)
    assert splice(split.text, edits) == split.text, blob
    assert all(before.end <= after.start for before, after in pairwise(edits)), blob
    for message in split.messages:
        source = " ".join(split.text[slice(*piece)] for piece in pieces(message))
        colon = ":" if message.mark == "::" else message.mark
        place = (blob, message.line)
        assert source.split() == f"{message.msgid}{colon}".split(), place


def pieces(message: Message) -> tuple[tuple[int, int], ...]:
    return message.pieces or ((message.start, message.end),)


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_make_no_difference(repository: Repository, line_end: str) -> None:
    for _, data in repository.read(blobs_of(repository)[:: STRIDE * 4]):
        text = data.decode()
        theirs, ours = split_rst(text), split_rst(text.replace("\n", line_end))
        assert [(one.kind, one.msgid, one.line) for one in ours.messages] == [
            (one.kind, one.msgid, one.line) for one in theirs.messages
        ]
        assert [signature for _, signature in ours.skeleton] == [
            signature for _, signature in theirs.skeleton
        ]
        assert ours.code == theirs.code
