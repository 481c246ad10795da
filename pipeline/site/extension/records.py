"""Records that the pipeline leaves for Sphinx's process, and notes that Sphinx keeps of each page.

The records are JSON files below ``_jz`` beside the sources. The notes are values that a part of the
extension collects while Sphinx reads a page. Sphinx stores them, so a page that is not read again
keeps its note; the note of a page that is read again or removed is dropped.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.names import RECORDS

_READ = "jz_record"  # of the page that is being read


def read_record(env: BuildEnvironment) -> dict[str, Any]:
    """The record of the page that is being read.

    Empty for pages that the pipeline knows nothing of.
    """
    path = Path(env.srcdir, RECORDS, "pages", f"{env.docname}.json")
    if not path.is_file():
        return {}
    # Several parts of us ask for it while a page is read; then Sphinx forgets it.
    key = f"{_READ} {env.docname}"
    record: dict[str, Any] | None = env.temp_data.get(key)
    if record is None:
        record = env.temp_data[key] = json.loads(path.read_bytes())
        # Sphinx reads the page again when its record changes, even if its document does not.
        env.note_dependency(str(path))
    return record


def read_facts(app: Sphinx, name: str) -> Any:
    """What the pipeline says of the whole site, at ``name``."""
    return json.loads(Path(app.srcdir, RECORDS, f"{name}.json").read_bytes())


Note = TypeVar("Note")


@dataclass(frozen=True, slots=True)
class Notes(Generic[Note]):
    """The notes of one kind, a value for each page that has one."""

    attribute: str  # of Sphinx's environment, which is kept from build to build

    def by_page(self, env: BuildEnvironment) -> dict[str, Note]:
        """The notes that there are. A change of the dictionary is a change of them."""
        notes: dict[str, Note] = env.__dict__.setdefault(self.attribute, {})
        return notes

    def setup(self, app: Sphinx) -> None:
        """Let Sphinx say which pages are read again, and by which process."""
        app.connect("env-purge-doc", self._forget)
        app.connect("env-merge-info", self._merge)

    def _forget(self, app: Sphinx, env: BuildEnvironment, page: str) -> None:
        """Drop the note of a page, if there is one."""
        self.by_page(env).pop(page, None)

    def _merge(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        pages: Collection[str],
        other: BuildEnvironment,
    ) -> None:
        """Take over the notes of ``pages``, which another process has read."""
        theirs = self.by_page(other)
        # It began with a copy of all notes, which may be older than ours.
        read_there = {page: theirs[page] for page in theirs if page in pages}
        self.by_page(env).update(read_there)


# A block of a record: text, english, state, and what else there is to say.
Block = dict[str, Any]
# A role, as reST and as MyST write it: :func:`jit`, {func}`jit`
_ROLE = re.compile(r":[A-Za-z][\w.+:-]*:`[^`]*`|\{[\w+:-]+\}`[^`]*`")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A block with its number, which is its place in the record."""

    number: int
    block: Block


class Waiting:
    """All blocks of a page at first."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """All blocks of a record, in its order, under every key that may tell one."""
        self._taken: set[int] = set()
        self._by_key: dict[str, deque[Numbered]] = {}
        for number, block in enumerate(blocks):
            # What a role shows stands in no text: such a block may be told by the rest.
            keys = (key_of(block["text"]), key_of(_ROLE.sub("", block["text"])))
            for key in dict.fromkeys(keys):
                self._by_key.setdefault(key, deque()).append(Numbered(number, block))

    def take(self, keys: Sequence[str]) -> Numbered | None:
        """The first block with one of the keys, which waits no more; None if there is none."""
        for key in keys:
            # In the order of the record, which is that of the page.
            queue = self._by_key.get(key, deque())
            while queue:
                numbered = queue.popleft()
                # It may have been taken by its other key.
                if numbered.number not in self._taken:
                    self._taken.add(numbered.number)
                    return numbered
        return None


def key_of(text: str) -> str:
    """What a source text is compared by: ``a \\* b::`` → ``a*b``.

    Colons at the end announce a block, ``::``, which is no message.
    """
    return "".join(text.split()).replace("\\", "").rstrip(":")


def keys_of(node: nodes.Element) -> list[str]:
    """What a node may be told by: its source, and what of it is shown.

    A node of ``**a** b`` has the keys ``**a**b`` and ``ab``; of HTML there is the source alone.
    """
    if isinstance(node, nodes.raw):
        return [key_of(node.astext())]
    texts = (node.rawsource, _shown_text(node))
    return [key_of(text) for text in dict.fromkeys(texts) if text]


def _shown_text(node: nodes.Element) -> str:
    """The words of a node without those of raw HTML in it.

    ``[x] done`` in a list of tasks is ``done``: its box is HTML, and no word.
    """
    words = node.findall(nodes.Text)
    return "".join(word for word in words if not isinstance(word.parent, nodes.raw))
