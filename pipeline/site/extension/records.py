"""Data of pages in Sphinx's process: records from the pipeline, and notes of the extension.

A record is a JSON file below ``_jz``, beside the sources. ``_jz/pages/faq.json`` has the messages
of the page ``faq``, for example, and ``_jz/progress.json`` concerns the whole site.

A note is a value that the extension collects while Sphinx reads a page: its anchors, for example.
Sphinx stores notes with its environment, from build to build. So notes of unchanged pages, which
Sphinx does not read again, are still available. Notes of changed and removed pages are dropped.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from docutils import nodes
from msgspec import Struct
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from pipeline.site.names import RECORDS

# Block of a page's record (text, English, state, …). ``Waiting`` adds its number.
Block = dict[str, Any]
Context = dict[str, Any]  # values of a template
Note = TypeVar("Note")
logger = logging.getLogger(__name__)

# A role in reST or MyST: :func:`jit`, {func}`jit`
_ROLE = re.compile(r":[A-Za-z][\w.+:-]*:`[^`]*`|\{[\w+:-]+\}`[^`]*`")
# Attributes of a heading, link or image: {#name}, { .class }, {: width=50 }
_ATTRIBUTES = re.compile(r"\{(?::|\s*[.#])[^{}]*\}")


def read_record(env: BuildEnvironment) -> dict[str, Any]:
    """Return the record of the page that is being read; empty if the page has none."""
    path = Path(env.srcdir, RECORDS, "pages", f"{env.docname}.json")
    if not path.is_file():
        return {}
    # Several modules read the record of a page, so keep it in temp_data, which Sphinx clears after
    # each page.
    key = f"jz_record {env.docname}"
    record: dict[str, Any] | None = env.temp_data.get(key)
    if record is None:
        record = env.temp_data[key] = json.loads(path.read_bytes())
        # This makes Sphinx read the page again even if only its record has changed.
        env.note_dependency(str(path))
    return record


def read_facts(app: Sphinx, name: str) -> Any:
    """Return the site-wide record ``name``."""
    return json.loads(Path(app.srcdir, RECORDS, f"{name}.json").read_bytes())


def warn(kind: str, location: Any, message: str, *values: object) -> None:
    """Log a warning of our type ``jz`` for a node, a page, or a line of a page."""
    logger.warning(message, *values, location=location, type="jz", subtype=kind)


def pages_to_write(env: BuildEnvironment, attribute: str, now: object) -> list[str]:
    """Return all pages if a value has changed since the last build, which stored it in ``env``."""
    before = vars(env).get(attribute)
    vars(env)[attribute] = now
    return sorted(env.found_docs) if before not in (None, now) else []


def on_page(
    app: Sphinx, handler: Callable[[Sphinx, str, Context], None], priority: int = 500
) -> None:
    """Call ``handler`` before a page is written, to change the values of its template."""
    app.connect(
        "html-page-context",
        lambda app, page, _, context, __: handler(app, page, context),
        priority=priority,
    )


class Notes(Struct, Generic[Note], frozen=True):
    """Notes of one kind, for all pages."""

    attribute: str  # name in Sphinx's environment, which is stored from build to build

    def by_page(self, env: BuildEnvironment) -> dict[str, Note]:
        """Return the notes by page. The caller may change the dictionary: Sphinx stores it."""
        notes: dict[str, Note] = env.__dict__.setdefault(self.attribute, {})
        return notes

    def setup(self, app: Sphinx) -> None:
        """Drop the notes of pages that Sphinx reads again, and merge notes of other processes."""
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
        """Copy the notes of ``pages``, which another process of a parallel build has read."""
        # Copy no notes of other pages: the other process started with a copy of them, which may be
        # outdated.
        for page, note in self.by_page(other).items():
            if page in pages:
                self.by_page(env)[page] = note


class Waiting:
    """Blocks of a page's record that no node of the page has matched yet."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Number the blocks from 0, and index each by its keys (see ``key_of``)."""
        self._taken: set[int] = set()
        self._by_key: dict[str, deque[Block]] = {}
        for number, block in enumerate(blocks):
            numbered = {**block, "number": number}
            # The source of a node may lack the text of roles. So index each block also by its text
            # without roles.
            for key in {key_of(block["text"]), key_of(_ROLE.sub("", block["text"]))}:
                self._by_key.setdefault(key, deque()).append(numbered)

    def take(self, keys: Sequence[str]) -> Block | None:
        """Remove and return the first remaining block with one of the keys, or None."""
        for key in keys:
            # Equal blocks are taken in the order of the record, which is that of the page.
            queue = self._by_key.get(key, deque())
            while queue:
                block = queue.popleft()
                # A block with two keys is in two queues; it may have been taken from the other
                # queue already.
                if block["number"] not in self._taken:
                    self._taken.add(block["number"])
                    return block
        return None


def key_of(text: str) -> str:
    """Return the key that represents a source text in comparisons: ``a \\* b::`` → ``a*b``.

    Trailing colons (``::``) announce a literal block and are not part of a message. Attributes are
    not part of a heading's node.
    """
    words = _ATTRIBUTES.sub("", text)
    return "".join(words.split()).replace("\\", "").rstrip(":")


def keys_of(node: nodes.Element) -> list[str]:
    """Return the keys of a node: one for its source, one for its visible words.

    A node made from ``**a** b`` has the keys ``**a**b`` and ``ab``. HTML has only the first key.
    """
    if isinstance(node, nodes.raw):
        return [key_of(node.astext())]
    # The visible words of a task ``[x] done`` are ``done``. The box is a raw HTML node, which does
    # not count.
    words = node.findall(nodes.Text)
    shown = "".join(word for word in words if not isinstance(word.parent, nodes.raw))
    return [key_of(text) for text in dict.fromkeys((node.rawsource, shown)) if text]
