"""Workbench (``serve``) on the sample, in this process: called by tests, or used by browsers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog_files import edit_catalog, read_catalog
from msgspec import Struct
from msgspec.structs import replace
from runs import run_of

from pipeline.adapters.web import HOST, Guard, application, bind, watched
from pipeline.commands.pages import pages_of_run
from pipeline.commands.serve import STATIC, prepared
from pipeline.commands.serve.desk import Desk
from pipeline.commands.serve.library import read_changes
from pipeline.commands.serve.page import save
from pipeline.config.reader import read_settings
from pipeline.core.catalog.origins import Machine
from pipeline.core.workbench.editing import Edited, Step
from pipeline.entries import Catalog, Entry
from pipeline.run import Run

if TYPE_CHECKING:
    from starlette.testclient import TestClient

LOCALE = "zh_CN"
PORT = 8765
TOKEN = "token-of-a-test"
ADDRESS = f"http://{HOST}:{PORT}"


class Workbench(Struct, frozen=True):
    """Project in which the sample can be translated."""

    root: Path
    run: Run
    desk: Desk

    def path(self, page: str) -> Path:
        """Return the path of a page's catalogue."""
        return self.run.paths.catalog(LOCALE, page)

    def catalog(self, page: str) -> Catalog:
        """Return the current catalogue of a page."""
        return read_catalog(self.path(page))

    def entry(self, page: str, msgid: str) -> Entry:
        """Return an entry of a page, as it is now."""
        entries = self.catalog(page).entries
        return next(entry for entry in entries if entry.msgid == msgid)

    def write(self, page: str, *entries: Entry) -> None:
        """Replace entries of a page, as another program does."""
        changed = {entry.msgid: entry for entry in entries}
        edit_catalog(self.path(page), lambda entry: changed.get(entry.msgid, entry))

    def app(self, port: int = PORT) -> Guard:
        """Return the web application."""
        return application(STATIC, lambda: self.desk.site, port=port, token=TOKEN)

    def client(self) -> TestClient:
        """Return a client that sends requests like the page in the browser."""
        from starlette.testclient import TestClient

        headers = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}
        return TestClient(self.app(), base_url=f"{ADDRESS}/{TOKEN}", headers=headers)


def workbench_of(root: Path, upstream: str = "sample", *, base: str | None = None) -> Workbench:
    """Return the workbench of a project copy. With ``base``, changes since it are reviewed."""
    settings = read_settings(root / "pyproject.toml", environ={})
    run = run_of(settings, settings.upstream(upstream), locales=(LOCALE,))
    pages = pages_of_run(run, prepared(run, LOCALE))
    changes = None if base is None else read_changes(run, LOCALE, base)
    return Workbench(root, run, Desk(run, LOCALE, pages, first="", changes=changes))


def waiting(workbench: Workbench, page: str, *, kinds: int = 2) -> list[Entry]:
    """Let the first entries of a page wait for a person: a fuzzy one, a draft, an adopted one."""
    entries = [entry for entry in workbench.catalog(page).entries if entry.msgstr]
    fuzzy, draft, adopted = entries[:3]
    machine = Machine(model="stub", prompt=1, date="2026-05-01")
    copy = f"adopted: faq.md, {'a' * 40} faq, 0.90, by Han Meimei, MIT"
    notes = (*draft.notes, machine.note(draft.msgstr))
    changed = [
        replace(fuzzy, fuzzy=True, previous=f"{fuzzy.msgid} Once."),
        replace(draft, fuzzy=True, previous=draft.msgid, notes=notes),
        replace(adopted, fuzzy=True, previous=adopted.msgid, notes=("paragraph", copy)),
    ][:kinds]
    workbench.write(page, *changed)
    return changed


def save_entry(root: Path, upstream: str, page: str, word: str, text: str) -> None:
    """Translate the entry of a page that has ``word``, as the workbench does."""
    settings = read_settings(root / "pyproject.toml", environ={})
    run = run_of(settings, settings.upstream(upstream), locales=(LOCALE,))

    def edit(catalog: Catalog, /, *, stamp: object) -> Edited:
        del stamp  # it has the current time
        live = (entry for entry in catalog.entries if not entry.obsolete)
        before = next(entry for entry in live if word in entry.msgid)
        after = replace(before, msgstr=text, fuzzy=False, previous=None)
        entries = tuple(after if one is before else one for one in catalog.entries)
        changed = replace(catalog, entries=entries)
        return Edited(catalog=changed, step=Step(before=before, after=after))

    save(run, page, edit, locale=LOCALE)


def emptied(workbench: Workbench, page: str) -> None:
    """Remove all translations of a page."""
    path = workbench.path(page)
    edit_catalog(path, lambda entry: Entry(msgid=entry.msgid, notes=entry.notes))


@contextmanager
def on_a_port(workbench: Workbench) -> Iterator[str]:
    """Yield the address of a real server, with a slash at its end."""
    import uvicorn

    listener = bind(0)
    port: int = listener.getsockname()[1]
    listener.listen()
    options: dict[str, Any] = {"log_level": "error", "lifespan": "off", "ws": "none"}
    server = uvicorn.Server(uvicorn.Config(workbench.app(port), **options))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    folder = workbench.run.paths.catalogs(LOCALE)
    with watched([folder], workbench.desk.files_changed):
        thread.start()
        while not server.started:
            time.sleep(0.02)
        try:
            yield f"http://{HOST}:{port}/{TOKEN}/"
        finally:
            server.should_exit = True
            thread.join(10)


def ask(client: TestClient, action: str, **question: Any) -> Any:
    """Call an action of the server and return its response, which must not be an error."""
    answer = client.post(f"api/{action}", json=question)
    assert answer.status_code == 200, answer.text
    return answer.json()


def seen(block: dict[str, Any]) -> dict[str, Any]:
    """Return what the browser knows of an entry that it asks to change."""
    return {name: block[name] for name in ("msgid", "context", "msgstr", "fuzzy")}


class OpenBench(Workbench, frozen=True):
    """Workbench with a client that asks it questions, as the page in the browser does."""

    browser: TestClient

    def ask(self, action: str, **question: Any) -> Any:
        """Call an action of the server and return its response, which must not be an error."""
        return ask(self.browser, action, **question)

    def refused(self, action: str, question: object) -> dict[str, Any]:
        """Return the error of a question that the server does not answer."""
        answer = self.browser.post(f"api/{action}", json=question)
        assert answer.status_code == 422, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def frame(self, page: str) -> str:
        """Return the page as HTML."""
        return self.browser.get(f"frame/{page}").text

    def save(self, page: str, block: dict[str, Any], msgstr: str, **more: Any) -> Any:
        return self.ask("save", page=page, seen=seen(block), msgstr=msgstr, **more)

    def decide(self, page: str, entry: dict[str, Any], *, accepts: bool) -> Any:
        """Accept or reject an entry that waits for a reviewer."""
        return self.ask("decide", page=page, seen=seen(entry), is_accepted=accepts)


@contextmanager
def opened(workbench: Workbench) -> Iterator[OpenBench]:
    with workbench.client() as browser:
        yield OpenBench(workbench.root, workbench.run, workbench.desk, browser)
