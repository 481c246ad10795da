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

Block = dict[
    str, Any
]  # of a record: text, English, state, and more; here also its number
Context = dict[str, Any]  # the values that a template gets
Note = TypeVar("Note")

# A role, as reST and as MyST write it: :func:`jit`, {func}`jit`
_ROLE = re.compile(r":[A-Za-z][\w.+:-]*:`[^`]*`|\{[\w+:-]+\}`[^`]*`")


def read_record(env: BuildEnvironment) -> dict[str, Any]:
    """Return the record of the page that is being read; empty if the pipeline has none."""
    path = Path(env.srcdir, RECORDS, "pages", f"{env.docname}.json")
    if not path.is_file():
        return {}
    # Several parts ask for it while a page is read; Sphinx forgets it after that.
    key = f"jz_record {env.docname}"
    record: dict[str, Any] | None = env.temp_data.get(key)
    if record is None:
        record = env.temp_data[key] = json.loads(path.read_bytes())
        # Sphinx reads the page again when its record changes, even if its document does not.
        env.note_dependency(str(path))
    return record


def read_facts(app: Sphinx, name: str) -> Any:
    """Return the record ``name`` of the whole site."""
    return json.loads(Path(app.srcdir, RECORDS, f"{name}.json").read_bytes())


@dataclass(frozen=True, slots=True)
class Notes(Generic[Note]):
    """Notes of one kind: a value for each page that has one."""

    attribute: str  # of Sphinx's environment, which is stored from build to build

    def by_page(self, env: BuildEnvironment) -> dict[str, Note]:
        """Return the notes. Changes of the dictionary are kept."""
        notes: dict[str, Note] = env.__dict__.setdefault(self.attribute, {})
        return notes

    def setup(self, app: Sphinx) -> None:
        """Drop notes of pages that are read again, and merge those of other processes."""
        app.connect("env-purge-doc", self._forget)
        app.connect("env-merge-info", self._merge)

    def _forget(self, app: Sphinx, env: BuildEnvironment, page: str) -> None:
        self.by_page(env).pop(page, None)

    def _merge(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        pages: Collection[str],
        other: BuildEnvironment,
    ) -> None:
        """Copy the notes of ``pages``, which another process has read."""
        # That process began with a copy of all notes, which may be older than ours.
        for page, note in self.by_page(other).items():
            if page in pages:
                self.by_page(env)[page] = note


class Waiting:
    """Blocks of a record that are not matched with a node of the page yet."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Number the blocks, and index each by every key that may identify it."""
        self._taken: set[int] = set()
        self._by_key: dict[str, deque[Block]] = {}
        for number, block in enumerate(blocks):
            numbered = {**block, "number": number}
            # The text of a node lacks its roles: such a block may be found by the rest.
            for key in {key_of(block["text"]), key_of(_ROLE.sub("", block["text"]))}:
                self._by_key.setdefault(key, deque()).append(numbered)

    def take(self, keys: Sequence[str]) -> Block | None:
        """Remove and return the first block with one of the keys; None if there is none."""
        for key in keys:
            # In the order of the record, which is that of the page.
            queue = self._by_key.get(key, deque())
            while queue:
                block = queue.popleft()
                # It may have been taken by its other key.
                if block["number"] not in self._taken:
                    self._taken.add(block["number"])
                    return block
        return None


def key_of(text: str) -> str:
    """Return the key that source texts are compared by: ``a \\* b::`` → ``a*b``.

    Colons at the end announce a block, ``::``, which is not part of a message.
    """
    return "".join(text.split()).replace("\\", "").rstrip(":")


def keys_of(node: nodes.Element) -> list[str]:
    """Return the keys of a node: of its source, and of the words that it shows.

    A node of ``**a** b`` has the keys ``**a**b`` and ``ab``; HTML has its source alone.
    """
    if isinstance(node, nodes.raw):
        return [key_of(node.astext())]
    # ``[x] done`` in a list of tasks shows ``done``: its box is HTML.
    words = node.findall(nodes.Text)
    shown = "".join(word for word in words if not isinstance(word.parent, nodes.raw))
    return [key_of(text) for text in dict.fromkeys((node.rawsource, shown)) if text]
