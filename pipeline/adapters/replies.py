"""Store of the replies of language models, unchanged, by the digest of the request.

A reply costs money, so it is saved as soon as it arrives, before it is processed. Damaged files,
and files of another ``VERSION``, are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from pipeline.adapters.files import read_own, write_atomic
from pipeline.limits import REPLY_BYTES, Limit

VERSION = 1
# JSON may take six bytes for one byte of the reply.
_LIMIT = Limit(8 * REPLY_BYTES, "bytes")


class KeptReply(msgspec.Struct, frozen=True, kw_only=True):
    """One stored reply.

    A request asks several questions. ``questions`` maps the short id of each, as the model saw it,
    to the question's key (a digest).
    """

    version: int = VERSION
    attempt: int  # number of the attempt at these questions
    questions: Mapping[str, str]
    text: str


def keep_reply(folder: Path, key: str, reply: KeptReply) -> None:
    """Save the reply to the request ``key`` below ``folder``. Raises WriteError."""
    # Use subfolders, because some systems list thousands of files slowly.
    write_atomic(folder / key[:2] / f"{key}.json", msgspec.json.encode(reply))


def read_replies(folder: Path) -> Iterator[KeptReply]:
    """Yield every valid reply below ``folder``, sorted by key."""
    for path in sorted(folder.glob("*/*.json")):
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            data = read_own(path, _LIMIT)
            reply = msgspec.json.decode(data or b"", type=KeptReply)
            if reply.version == VERSION:
                yield reply
