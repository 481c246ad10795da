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
from runs import run_of

from pipeline.adapters.web import HOST, Guard, application, bind, watched
from pipeline.commands.pages import pages_of_run
from pipeline.commands.serve import STATIC, prepared
from pipeline.commands.serve.desk import Desk
from pipeline.commands.serve.library import read_changes
from pipeline.config.reader import read_settings
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


def workbench_of(
    root: Path, upstream: str = "sample", *, base: str | None = None
) -> Workbench:
    """Return the workbench of a project copy. With ``base``, changes since it are reviewed."""
    settings = read_settings(root / "pyproject.toml", environ={})
    run = run_of(settings, settings.upstream(upstream), locales=(LOCALE,))
    pages = pages_of_run(run, prepared(run, LOCALE))
    changes = None if base is None else read_changes(run, LOCALE, base)
    return Workbench(root, run, Desk(run, LOCALE, pages, first="", changes=changes))


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
