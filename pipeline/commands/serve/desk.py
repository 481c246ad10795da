"""What the browser may ask, and the answers: each action is a function from JSON to JSON.

Pages are remembered as they were read, and read again as soon as their files are others. One thing
is done at a time, but for saving, which may have to wait for a run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pipeline.adapters.web.application import Site
from pipeline.commands.serve import STATIC, telling
from pipeline.commands.serve.changes import Changes, tell_change
from pipeline.commands.serve.library import Library
from pipeline.commands.serve.opening import (
    OpenPage,
    open_page,
    read_catalog,
    read_documents,
)
from pipeline.commands.serve.questions import (
    OfMessage,
    OfPage,
    OfText,
    Since,
    ToDecide,
    ToSave,
    ToUndo,
)
from pipeline.commands.serve.saving import Change, save
from pipeline.commands.serve.telling import Told
from pipeline.core.document.reader import Document
from pipeline.core.pin.lock import Page
from pipeline.core.workbench.blocks import Block, state_of
from pipeline.core.workbench.editing import (
    Conflict,
    Seen,
    Step,
    cleaned,
    edit,
    keep,
    put_back,
    reject,
    undo,
)
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.report.chinese import sentence_in_chinese
from pipeline.run import Run

_REMEMBERED = 4  # pages
_AT_ONCE = 8  # entries that are checked before somebody else has a turn

Request = TypeVar("Request")


class Desk:
    """The pages of one locale, for whoever translates them."""

    def __init__(
        self,
        run: Run,
        locale: str,
        pages: Sequence[Page],
        *,
        first: str,
        changes: Changes | None = None,
    ) -> None:
        """Serve ``pages``, and open ``first``; empty: the list of pages.

        With ``changes`` those are the queue of the reviewer, which is open at once.
        """
        self._run = run
        self.locale = locale
        self._pages = {page.name: page for page in pages}
        self._first = first
        self._review = changes
        # docutils has one registry for the whole process, and caches are shared.
        self._working = threading.RLock()
        self._documents: dict[str, Document] = {}
        self._open: dict[str, OpenPage] = {}
        self._library = Library(list(self._pages), self._catalog)
        self._revision = 0
        self._changed: dict[str, int] = {}  # the revision of a page's last change
        self._steps: list[tuple[str, Step]] = []  # edits, which can be undone

    @property
    def site(self) -> Site:
        """What the web server gives to the browser."""
        return Site(frame=self.frame, actions=self.actions, chinese=sentence_in_chinese)

    @property
    def actions(self) -> Mapping[str, Callable[[Any], Any]]:
        """What may be asked, by name."""
        return {
            "start": lambda _: self._start(),
            "pages": lambda _: self._list_pages(),
            "page": _taking(OfPage, self._tell_page),
            "body": _taking(OfPage, self._tell_body),
            "message": _taking(OfMessage, self._tell_message),
            "suggestions": _taking(OfMessage, self._suggest),
            "preview": _taking(OfText, self._preview),
            "fix": _taking(OfText, self._fix),
            "findings": _taking(OfPage, self._find),
            "save": _taking(ToSave, self._save),
            "waiting": lambda _: self._list_waiting(),
            "decide": _taking(ToDecide, self._decide),
            "undo": _taking(ToUndo, self._undo),
            "changes": _taking(Since, self._changes),
        }

    def read_first(self) -> None:
        """Make the page ready that is asked for first. Raises InputError."""
        if self._first:
            self._opened(self._first)
            self._tell_body(OfPage(page=self._first))

    def frame(self, page: str) -> str:
        """A page as the preview shows it, in a document of its own."""
        from pipeline.adapters.html.notebook import page_css

        body = self._tell_body(OfPage(page=page))["html"]
        language = self.locale.replace("_", "-")
        style = (STATIC / "frame.css").read_text("utf-8")
        return (
            f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8">'
            f"<title>preview</title><style>{page_css()}{style}</style>"
            f"<main>{body}</main></html>"
        )

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Take note of files that somebody has written."""
        catalogs = self._run.paths.catalogs(self.locale)
        for path in paths:
            if path.suffix == ".po" and path.is_relative_to(catalogs):
                page = path.relative_to(catalogs).with_suffix("").as_posix()
                self._note_change(page)
            elif path == self._run.paths.lock:
                self._forget_documents()

    def _note_change(self, page: str) -> None:
        self._revision += 1
        self._changed[page] = self._revision
        self._library.learn(page)

    def _forget_documents(self) -> None:
        """Upstream's docs were pulled anew: nothing of them that was read counts any more."""
        with self._working:
            self._documents.clear()
            self._open.clear()
            self._revision += 1
            self._changed.update(dict.fromkeys(self._pages, self._revision))

    def _opened(self, name: str) -> OpenPage:
        """A page as its files are now. Raises InputError."""
        page = self._pages.get(name)
        if page is None:
            raise InputError(
                "there is no such page", where=name, hint="Choose one from the list."
            )
        opened = self._open.get(name)
        if opened is not None and self._is_fresh(opened):
            return opened  # without a wait for what is being rendered
        with self._working:
            opened = self._open.pop(name, None)
            if opened is None or not self._is_fresh(opened):
                document = self._documents.get(name) or read_documents(self._run, page)
                self._documents[name] = document
                opened = open_page(self._run, document, name, locale=self.locale)
            self._open[name] = opened  # the last one is the one that was used last
            for old in list(self._open)[:-_REMEMBERED]:
                del self._open[old]
        return opened

    def _is_fresh(self, page: OpenPage) -> bool:
        path = page.read.path
        return page.read.data == (path.read_bytes() if path.is_file() else b"")

    def _block(self, asked: OfMessage) -> tuple[OpenPage, Block]:
        """A message of a page. Raises InputError if the page has another one in its place."""
        page = self._opened(asked.page)
        for block in page.blocks:
            if block.number == asked.number and block.message.msgid == asked.msgid:
                return page, block
        raise InputError(
            "the page has changed, and this message is gone",
            where=asked.page,
            hint="Reload the page. What you have typed can be copied.",
        )

    # --- actions

    def _start(self) -> Told:
        return {
            "name": self._run.name,
            "locale": self.locale,
            "page": self._first,
            "revision": self._revision,
            "base": self._review.base if self._review else None,
        }

    def _list_pages(self) -> list[Told]:
        """All pages with the counts of their entries."""
        counts = self._library.counts()
        return [{"page": name, "counts": counts[name]} for name in self._pages]

    def _tell_page(self, asked: OfPage) -> Told:
        revision = self._revision  # before it is read: what changes meanwhile is told
        return {**telling.tell_page(self._opened(asked.page)), "revision": revision}

    def _tell_body(self, asked: OfPage) -> Told:
        """What stands on a page, for a frame that shows an earlier state of it."""
        with self._working:
            return {"html": self._opened(asked.page).marked.html}

    def _tell_message(self, asked: OfMessage) -> Told:
        glossary = telling.glossary_of(self._run, self.locale)
        with self._working:
            page, block = self._block(asked)
            return telling.tell_message(page, block, glossary)

    def _suggest(self, asked: OfMessage) -> list[Told]:
        return list(map(asdict, self._library.similar(asked.page, asked.msgid)))

    def _preview(self, asked: OfText) -> Told:
        """What comes of the words that somebody is typing."""
        from pipeline.commands.serve.checking import tell_preview, way_of

        with self._working:
            page, block = self._block(asked)
            way = way_of(self._run, self.locale)
            return tell_preview(page, block, asked.msgstr, way)

    def _fix(self, asked: OfText) -> Told:
        """What ``--fix`` makes of a translation."""
        from pipeline.commands.serve.checking import tell_fixed, way_of

        with self._working:
            page, block = self._block(asked)
            way = way_of(self._run, self.locale)
            return tell_fixed(page, block, asked.msgstr, way)

    def _find(self, asked: OfPage) -> list[Told]:
        """What is wrong with the translations of a page. Others have a turn between entries."""
        from pipeline.commands.serve.checking import findings_of, way_of

        way = way_of(self._run, self.locale)
        page = self._opened(asked.page)
        entries = [entry for entry in page.read.catalog.entries if entry.is_translated]
        found: list[Told] = []
        for start in range(0, len(entries), _AT_ONCE):
            with self._working:
                some = entries[start : start + _AT_ONCE]
                findings = findings_of(page, some, way)
            found += map(telling.tell_finding, findings)
        return found

    def _save(self, asked: ToSave) -> Told:
        change = partial(
            edit,
            seen=asked.seen,
            msgstr=cleaned(asked.msgstr),
            is_draft=asked.is_draft,
        )
        told = self._do(asked.page, change)
        if asked.is_draft or told["conflict"]:
            return told
        self._note_decision(told, asked)
        # It is saved all the same: whoever goes on has to know that no page shows it.
        errors = self._errors(asked.page, asked.seen, cleaned(asked.msgstr))
        return {**told, "errors": errors}

    def _note_decision(self, told: Told, asked: ToSave | ToDecide) -> None:
        """Take an entry out of the changes to look at, if something was decided."""
        if self._review and not told["conflict"]:
            self._review.decided(asked.page, asked.seen)

    def _list_waiting(self) -> list[Told]:
        """What waits for a reviewer, in the order of the pages and of their entries."""
        if self._review is None:
            return [
                _tell_waiting(page, entry) for page, entry in self._library.waiting()
            ]
        waiting = self._review.waiting(self._library.entries())
        return [
            {**_tell_waiting(page, entry), "change": tell_change(message, entry)}
            for page, entry, message in waiting
        ]

    def _decide(self, asked: ToDecide) -> Told:
        """Accept or reject a translation. One with errors, which no page shows, is not accepted."""
        errors = []
        if asked.is_accepted:
            errors = self._errors(asked.page, asked.seen, asked.seen.msgstr)
        if errors:
            return {"conflict": False, "errors": errors}
        told = self._do(asked.page, self._change_of(asked))
        self._note_decision(told, asked)
        return told

    def _change_of(self, asked: ToDecide) -> Change:
        """What a decision does. To accept what is finished already writes nothing."""
        seen = asked.seen
        if asked.is_accepted and seen.fuzzy:
            return partial(edit, seen=seen, msgstr=cleaned(seen.msgstr))
        if asked.is_accepted:
            return lambda catalog, /, *, stamp: keep(catalog, seen)
        before = self._review.before(asked.page, seen) if self._review else None
        if before is None:
            return partial(reject, seen=seen)
        return partial(put_back, seen=seen, before=before)

    def _errors(self, name: str, seen: Seen, msgstr: str) -> list[Told]:
        """The errors that keep ``msgstr`` from its page, if it is the translation of an entry."""
        if not msgstr:
            return []
        from pipeline.commands.serve.checking import findings_of, finished, way_of

        with self._working:
            page = self._opened(name)
            way = way_of(self._run, self.locale)
            entries = [
                finished(entry, msgstr)
                for entry in page.read.catalog.entries
                if (entry.context, entry.msgid) == (seen.context, seen.msgid)
            ]
            findings = findings_of(page, entries, way)
        return [telling.tell_finding(found) for found in findings if found.is_error]

    def _undo(self, asked: ToUndo) -> Told:
        """Take an edit back, if nobody has changed the entry since."""
        if not 0 <= asked.number < len(self._steps):
            raise InputError("there is no such edit", where="serve")
        page, step = self._steps[asked.number]
        told = self._do(page, partial(undo, step=step))
        if self._review and not told["conflict"]:
            self._review.undone(page, step.after)
        return told

    def _do(self, page: str, change: Change) -> Told:
        """Make a change, and tell the page as it is then, and the number to take it back by."""
        if page not in self._pages:
            raise InputError("there is no such page", where=page)
        result = save(self._run, page, change, locale=self.locale)
        if isinstance(result, Conflict):
            theirs = result.theirs
            told = None if theirs is None else telling.tell_entry(theirs)
            return {"conflict": True, "theirs": told}
        self._library.learn(page)  # not only when the watcher sees it
        with self._working:
            number = len(self._steps)
            self._steps.append((page, result.step))
        return {
            "conflict": False,
            "undo": number,
            "page": self._tell_page(OfPage(page=page)),
        }

    def _changes(self, asked: Since) -> Told:
        pages = [
            page
            for page, revision in list(self._changed.items())
            if revision > asked.revision
        ]
        return {"revision": self._revision, "pages": pages}

    def _catalog(self, page: str) -> Catalog:
        """The catalogue of a page; an empty one if it cannot be read, which opening it tells."""
        try:
            return read_catalog(self._run, page, locale=self.locale).catalog
        except InputError:
            return Catalog()


def _tell_waiting(page: str, entry: Entry) -> Told:
    return {"page": page, "state": str(state_of(entry)), **telling.tell_entry(entry)}


def _taking(
    kind: type[Request], function: Callable[[Request], Any]
) -> Callable[[Any], Any]:
    """``function``, called with JSON that must have the shape of ``kind``. Raises InputError."""

    def call(words: Any) -> Any:
        try:
            return function(msgspec.convert(words, kind))
        except msgspec.ValidationError as error:
            raise InputError(f"was asked wrongly: {error}", where="serve") from error

    return call
