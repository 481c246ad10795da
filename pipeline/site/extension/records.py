"""Records from the pipeline for Sphinx's process, and notes that the extension keeps of each page.

Records are JSON files below ``_jz``, beside the sources. Notes are values that a part of the
extension collects while Sphinx reads a page. Sphinx stores them with its environment, so a page
that is not read again keeps its note. The note of a page that is read again or removed is dropped.
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
]  # block of a record (text, English, state, …), with its number added here
Context = dict[str, Any]  # values of a template
Note = TypeVar("Note")

# A role in reST or MyST: :func:`jit`, {func}`jit`
_ROLE = re.compile(r":[A-Za-z][\w.+:-]*:`[^`]*`|\{[\w+:-]+\}`[^`]*`")


def read_record(env: BuildEnvironment) -> dict[str, Any]:
    """Return the record of the page that is being read; empty if the page has none."""
    path = Path(env.srcdir, RECORDS, "pages", f"{env.docname}.json")
    if not path.is_file():
        return {}
    # Several parts read it for the same page; Sphinx clears temp_data after that page.
    key = f"jz_record {env.docname}"
    record: dict[str, Any] | None = env.temp_data.get(key)
    if record is None:
        record = env.temp_data[key] = json.loads(path.read_bytes())
        # Makes Sphinx read the page again when only its record changes.
        env.note_dependency(str(path))
    return record


def read_facts(app: Sphinx, name: str) -> Any:
    """Return the site-wide record ``name``."""
    return json.loads(Path(app.srcdir, RECORDS, f"{name}.json").read_bytes())


@dataclass(frozen=True, slots=True)
class Notes(Generic[Note]):
    """Notes of one kind, by page."""

    attribute: str  # name in Sphinx's environment, which is stored from build to build

    def by_page(self, env: BuildEnvironment) -> dict[str, Note]:
        """Return the notes by page. Changes of the dictionary are stored."""
        notes: dict[str, Note] = env.__dict__.setdefault(self.attribute, {})
        return notes

    def setup(self, app: Sphinx) -> None:
        """Drop notes of pages that are read again, and merge notes of other processes."""
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
        """Copy the notes of ``pages``, which the process of ``other`` has read."""
        # That process started with a copy of all notes, so its other notes may be outdated.
        for page, note in self.by_page(other).items():
            if page in pages:
                self.by_page(env)[page] = note


class Waiting:
    """Blocks of a record that have not been matched with a node of the page yet."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Number the blocks, and index each by its possible keys."""
        self._taken: set[int] = set()
        self._by_key: dict[str, deque[Block]] = {}
        for number, block in enumerate(blocks):
            numbered = {**block, "number": number}
            # The text of a node may lack its roles, so the text without roles is a key too.
            for key in {key_of(block["text"]), key_of(_ROLE.sub("", block["text"]))}:
                self._by_key.setdefault(key, deque()).append(numbered)

    def take(self, keys: Sequence[str]) -> Block | None:
        """Remove and return the first remaining block with one of the keys, or None."""
        for key in keys:
            # Equal blocks are taken in the order of the record, which is that of the page.
            queue = self._by_key.get(key, deque())
            while queue:
                block = queue.popleft()
                # Its other key may have taken it already.
                if block["number"] not in self._taken:
                    self._taken.add(block["number"])
                    return block
        return None


def key_of(text: str) -> str:
    """Return the key by which source texts are compared: ``a \\* b::`` → ``a*b``.

    Trailing colons (``::``) announce a literal block and are not part of a message.
    """
    return "".join(text.split()).replace("\\", "").rstrip(":")


def keys_of(node: nodes.Element) -> list[str]:
    """Return the keys of a node: of its source, and of its visible words.

    A node of ``**a** b`` has the keys ``**a**b`` and ``ab``. HTML has only the key of its source.
    """
    if isinstance(node, nodes.raw):
        return [key_of(node.astext())]
    # A task ``[x] done`` shows ``done``: its box is a raw HTML node.
    words = node.findall(nodes.Text)
    shown = "".join(word for word in words if not isinstance(word.parent, nodes.raw))
    return [key_of(text) for text in dict.fromkeys((node.rawsource, shown)) if text]
