"""Actions that the browser calls. Each is a function from JSON to JSON.

For example, ``save`` takes a page, an entry and its new translation, and returns the page's new
state. Parsed pages are cached, and read again when their files change. Actions that use a page run
one at a time, so that they can share the caches. Only saving runs beside other actions, because it
may have to wait for a run of another command.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import msgspec
from msgspec import to_builtins
from msgspec.structs import asdict

from pipeline.adapters.web import Site
from pipeline.commands.serve import STATIC
from pipeline.commands.serve.library import Changes, Library, change_json
from pipeline.commands.serve.page import (
    Change,
    Json,
    OpenPage,
    check_rules_for,
    entry_json,
    finding_json,
    findings_of,
    finished,
    fixed_json,
    glossary_of,
    message_json,
    open_page,
    page_json,
    preview_json,
    read_catalog,
    read_documents,
    save,
)
from pipeline.core.pin.lock import Page
from pipeline.core.workbench import editing
from pipeline.core.workbench.editing import ConflictError, Seen, Step
from pipeline.core.workbench.page_messages import Block, state_of
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.report.chinese import sentence_in_chinese
from pipeline.run import Run

_REMEMBERED = 4  # pages in the cache
_AT_ONCE = 8  # entries checked before other actions get a turn


class Desk:
    """Pages of one locale, open for translation."""

    def __init__(
        self,
        run: Run,
        locale: str,
        pages: Sequence[Page],
        *,
        first: str,
        changes: Changes | None = None,
    ) -> None:
        """Serve ``pages``. The browser opens the page ``first``, or the list of pages if it is "".

        With ``changes``, the browser opens the review queue, which lists these changes.
        """
        self._run = run
        self.locale = locale
        self._pages = {page.name: page for page in pages}
        self._first = first
        self._review = changes
        # Actions run in several threads. They share the caches and docutils' global registry.
        self._working = threading.RLock()
        self._open: dict[str, OpenPage] = {}
        self._library = Library(list(self._pages), self._catalog)
        # The revision: the number of changes so far. The browser sends the last revision that it
        # knows, and asks which pages have changed since.
        self._revision = 0
        self._changed: dict[str, int] = {}  # revision of each page's last change
        self._steps: list[tuple[str, Step]] = []  # edits that can be undone, by number

    @property
    def site(self) -> Site:
        """Return the pages and actions for the web server."""
        return Site(frame=self.frame, actions=self.actions, chinese=sentence_in_chinese)

    @property
    def actions(self) -> Mapping[str, Callable[[Any], Any]]:
        """Return the actions by name. The fields of the JSON are the function's parameters."""
        return {
            "start": _as_action(self._start),
            "pages": _as_action(self._list_pages),
            "page": _as_action(self._page_json),
            "body": _as_action(self._body_json),
            "message": _as_action(self._message_json),
            "suggestions": _as_action(self._suggest),
            "preview": _as_action(self._preview),
            "fix": _as_action(self._fix),
            "findings": _as_action(self._find),
            "save": _as_action(self._save),
            "waiting": _as_action(self._list_waiting),
            "decide": _as_action(self._decide),
            "undo": _as_action(self._undo),
            "changes": _as_action(self._changes),
        }

    def read_first(self) -> None:
        """Read and render the page that the browser opens first. Raises InputError."""
        if self._first:
            self._opened(self._first)
            self._body_json(self._first)

    def frame(self, page: str) -> str:
        """Return the HTML document of a page for the preview frame."""
        from pipeline.adapters.html.notebook import page_css

        body = self._body_json(page)["html"]
        language = self.locale.replace("_", "-")
        style = (STATIC / "frame.css").read_text("utf-8")
        return (
            f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8">'
            f"<title>preview</title><style>{page_css()}{style}</style>"
            f"<main>{body}</main></html>"
        )

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Update the caches after files were changed on disk."""
        catalogs = self._run.paths.catalogs(self.locale)
        for path in paths:
            if path.suffix == ".po" and path.is_relative_to(catalogs):
                page = path.relative_to(catalogs).with_suffix("").as_posix()
                self._note_change(page)
            elif path == self._run.paths.lock:
                self._forget_documents()

    def _note_change(self, page: str) -> None:
        """Record that the catalogue of a page has changed."""
        self._revision += 1
        self._changed[page] = self._revision
        self._library.refresh(page)

    def _forget_documents(self) -> None:
        """Clear the cache of documents after upstream's docs were pulled again."""
        with self._working:
            self._open.clear()
            self._revision += 1
            self._changed.update(dict.fromkeys(self._pages, self._revision))

    def _opened(self, name: str) -> OpenPage:
        """Return a page in its current state on disk. Raises InputError."""
        page = self._pages.get(name)
        if page is None:
            raise _no_page(name)
        opened = self._open.get(name)
        if opened is not None and self._is_fresh(opened):
            return opened  # without the lock: a thread holds it while it renders
        with self._working:
            opened = self._open.pop(name, None)
            if opened is None or not self._is_fresh(opened):
                document = opened.document if opened else read_documents(self._run, page)
                opened = open_page(self._run, document, name, locale=self.locale)
            self._open[name] = opened  # keep the cache in order of use
            for old in list(self._open)[:-_REMEMBERED]:
                del self._open[old]
        return opened

    def _is_fresh(self, page: OpenPage) -> bool:
        path = page.read.file.path
        return page.read.data == (path.read_bytes() if path.is_file() else b"")

    def _block(self, name: str, number: int, msgid: str) -> tuple[OpenPage, Block]:
        """Return a message of a page. Raises InputError if the page has changed since."""
        page = self._opened(name)
        for block in page.blocks:
            if block.number == number and block.message.msgid == msgid:
                return page, block
        raise InputError(
            "the page has changed, and this message is gone",
            where=name,
            hint="Reload the page. What you have typed can be copied.",
        )

    # --- actions

    def _start(self) -> Json:
        """Return what the browser needs to begin: which page to open, and what to review."""
        return {
            "name": self._run.name,
            "locale": self.locale,
            "page": self._first,
            "revision": self._revision,
            "base": self._review.base if self._review else None,
        }

    def _list_pages(self) -> list[Json]:
        """Return all pages with the counts of their entries."""
        counts = self._library.counts()
        return [{"page": name, "counts": counts[name]} for name in self._pages]

    def _page_json(self, page: str) -> Json:
        """Return all messages of a page, with the revision that they belong to."""
        # Take the revision before reading. A change during the reading is then reported later.
        revision = self._revision
        return {**page_json(self._opened(page)), "revision": revision}

    def _body_json(self, page: str) -> Json:
        """Return the HTML of a page, which replaces the content of the preview frame."""
        with self._working:
            return {"html": self._opened(page).marked.html}

    def _message_json(self, page: str, number: int, msgid: str) -> Json:
        glossary = glossary_of(self._run, self.locale)
        with self._working:
            opened, block = self._block(page, number, msgid)
            return message_json(opened, block, glossary)

    def _suggest(self, page: str, number: int, msgid: str) -> list[Json]:
        return list(map(to_builtins, self._library.similar(page, msgid)))

    def _preview(self, page: str, number: int, msgid: str, msgstr: str) -> Json:
        """Return the rendered preview of a translation that is being typed."""
        with self._working:
            opened, block = self._block(page, number, msgid)
            rules = check_rules_for(self._run, self.locale)
            return preview_json(opened, block, msgstr, rules)

    def _fix(self, page: str, number: int, msgid: str, msgstr: str) -> Json:
        """Return the translation after ``--fix``."""
        with self._working:
            opened, block = self._block(page, number, msgid)
            return fixed_json(opened, block, msgstr)

    def _find(self, page: str) -> list[Json]:
        """Return the findings of a page.

        The entries are checked in small groups, so that other actions can run in between.
        """
        rules = check_rules_for(self._run, self.locale)
        opened = self._opened(page)
        entries = [one for one in opened.read.catalog.entries if one.is_translated]
        found: list[Json] = []
        for start in range(0, len(entries), _AT_ONCE):
            with self._working:
                findings = findings_of(opened, entries[start : start + _AT_ONCE], rules)
            found += map(finding_json, findings)
        return found

    def _save(
        self,
        page: str,
        seen: Seen,
        msgstr: str,
        is_draft: bool = False,
    ) -> Json:
        """Write a translation, unless the entry has changed since the editor showed it.

        ``seen`` is the entry as the editor showed it. With ``is_draft``, the entry becomes fuzzy.
        """
        msgstr = editing.cleaned(msgstr)
        change = partial(editing.edit, seen=seen, msgstr=msgstr, is_draft=is_draft)
        response = self._apply_change(page, change)
        if is_draft or response["conflict"]:
            return response
        self._note_decision(response, page, seen)
        # A translation with errors is saved as well, but pages will not show it: tell the user.
        return {**response, "errors": self._errors(page, seen, msgstr)}

    def _note_decision(self, response: Json, page: str, seen: Seen) -> None:
        """Remove a decided entry from the review queue."""
        if self._review and not response["conflict"]:
            self._review.decided(page, seen)

    def _list_waiting(self) -> list[Json]:
        """Return the review queue, in page order."""
        if self._review is None:
            return [_waiting_json(page, entry) for page, entry in self._library.waiting()]
        waiting = self._review.waiting(self._library.entries())
        return [
            {**_waiting_json(page, entry), "change": change_json(message, entry)}
            for page, entry, message in waiting
        ]

    def _decide(self, page: str, seen: Seen, is_accepted: bool) -> Json:
        """Accept or reject a translation, and remove it from the review queue.

        A translation with errors cannot be accepted, because no page would show it.
        """
        errors = self._errors(page, seen, seen.msgstr) if is_accepted else []
        if errors:
            return {"conflict": False, "errors": errors}
        accept = self._accept if is_accepted else self._reject
        response = self._apply_change(page, accept(page, seen))
        self._note_decision(response, page, seen)
        return response

    def _accept(self, _: str, seen: Seen) -> Change:
        """Return the change that accepts a translation. A finished entry stays as it is."""
        if seen.fuzzy:
            return partial(editing.edit, seen=seen, msgstr=editing.cleaned(seen.msgstr))
        return lambda catalog, /, *, stamp: editing.keep(catalog, seen)

    def _reject(self, page: str, seen: Seen) -> Change:
        """Return the change that rejects a translation.

        In a review of a branch, the change restores the entry's version at the base commit.
        """
        before = self._review.before(page, seen) if self._review else None
        if before is None:
            return partial(editing.reject, seen=seen)
        return partial(editing.put_back, seen=seen, before=before)

    def _errors(self, name: str, seen: Seen, msgstr: str) -> list[Json]:
        """Return the errors because of which a build would leave out ``msgstr``."""
        if not msgstr:
            return []
        with self._working:
            page = self._opened(name)
            rules = check_rules_for(self._run, self.locale)
            entries = [
                finished(entry, msgstr)
                for entry in page.read.catalog.entries
                if (entry.context, entry.msgid) == (seen.context, seen.msgid)
            ]
            findings = findings_of(page, entries, rules)
        return [finding_json(found) for found in findings if found.is_error]

    def _undo(self, number: int) -> Json:
        """Undo an edit, identified by the number in the response to it.

        If the entry has changed since, it is left as it is, and the response reports a conflict.
        """
        if not 0 <= number < len(self._steps):
            raise InputError("there is no such edit", where="serve")
        page, step = self._steps[number]
        response = self._apply_change(page, partial(editing.undo, step=step))
        if self._review and not response["conflict"]:
            self._review.undone(page, step.after)
        return response

    def _apply_change(self, page: str, change: Change) -> Json:
        """Write a change. Return the page's new state, and the number for ``_undo``."""
        if page not in self._pages:
            raise _no_page(page)
        try:
            result = save(self._run, page, change, locale=self.locale)
        except ConflictError as conflict:
            theirs = conflict.theirs
            response = None if theirs is None else entry_json(theirs)
            return {"conflict": True, "theirs": response}
        self._library.refresh(page)  # do not wait for the file watcher
        with self._working:
            number = len(self._steps)
            self._steps.append((page, result.step))
        return {
            "conflict": False,
            "undo": number,
            "page": self._page_json(page),
        }

    def _changes(self, revision: int) -> Json:
        """Return the pages changed since ``revision``, which is from an earlier response."""
        changed = list(self._changed.items())
        pages = [page for page, changed_at in changed if changed_at > revision]
        return {"revision": self._revision, "pages": pages}

    def _catalog(self, page: str) -> Catalog:
        """Return the catalogue of a page, or an empty one if it is unreadable.

        The user sees the problem when opening the page.
        """
        try:
            return read_catalog(self._run, page, locale=self.locale).catalog
        except InputError:
            return Catalog()


def _no_page(name: str) -> InputError:
    return InputError("there is no such page", where=name, hint="Choose one from the list.")


def _waiting_json(page: str, entry: Entry) -> Json:
    return {"page": page, "state": str(state_of(entry)), **entry_json(entry)}


def _as_action(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return an action that calls ``function`` with the fields of a JSON object.

    The action raises InputError if the fields do not match the function's parameters.
    """
    # Make a Struct from the signature, so that msgspec validates names and types.
    fields: list[Any] = []
    for name, parameter in signature(function, eval_str=True).parameters.items():
        required = parameter.default is parameter.empty
        field = (name, parameter.annotation)
        fields.append(field if required else (*field, parameter.default))
    kind = msgspec.defstruct("Question", fields)

    def call(words: Any) -> Any:
        try:
            question = msgspec.convert(words, kind)
        except msgspec.ValidationError as error:
            raise InputError(f"cannot be answered: {error}", where="serve") from error
        return function(**asdict(question))

    return call
