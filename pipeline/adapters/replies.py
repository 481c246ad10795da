"""Replies of language models as they came, kept by the digest of what was asked.

A reply was paid for, so that it is written as soon as it is there, before anything is made of it.
A file that is damaged, or of another version, is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pipeline.adapters.files import write_atomic


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReply:
    """One reply. ``questions`` has the keys of its questions by the ids that the model saw."""

    version: int
    model: str
    attempt: int
    questions: Mapping[str, str]
    text: str
    prompt_tokens: int
    reply_tokens: int
    is_cut: bool  # it came to the bound of its length
    is_counted: bool  # by the endpoint; else they are estimated


VERSION = 1


class Replies:
    """The replies in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._decoder = msgspec.json.Decoder(KeptReply)

    def keep(self, key: str, reply: KeptReply) -> None:
        """Write a reply. Raises WriteError."""
        write_atomic(self._path(key), msgspec.json.encode(reply))

    def read_all(self) -> Iterator[KeptReply]:
        """Every reply, in the order of their keys."""
        for path in sorted(self._folder.glob("*/*.json")):
            with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
                reply = self._decoder.decode(path.read_bytes())
                if reply.version == VERSION:
                    yield reply

    def _path(self, key: str) -> Path:
        # Folders of thousands of files are slow to list on some systems.
        return self._folder / key[:2] / f"{key}.json"
