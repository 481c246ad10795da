"""Replies of language models as they came, kept by the digest of what was asked.

A reply was paid for, so that it is written as soon as it is there, before anything is made of it.
A file that is damaged, or of another version, is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from pipeline.adapters.files import write_atomic

VERSION = 1


class KeptReply(msgspec.Struct, frozen=True, kw_only=True):
    """One reply. ``questions`` has the keys of its questions by the ids that the model saw."""

    version: int = VERSION
    attempt: int
    questions: Mapping[str, str]
    text: str


def keep_reply(folder: Path, key: str, reply: KeptReply) -> None:
    """Write a reply below ``folder``. Raises WriteError."""
    # Folders of thousands of files are slow to list on some systems.
    write_atomic(folder / key[:2] / f"{key}.json", msgspec.json.encode(reply))


def read_replies(folder: Path) -> Iterator[KeptReply]:
    """Yield every reply below ``folder``, in the order of their keys."""
    for path in sorted(folder.glob("*/*.json")):
        with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
            reply = msgspec.json.decode(path.read_bytes(), type=KeptReply)
            if reply.version == VERSION:
                yield reply
