"""Server of the workbench: prepare the pages, serve them, open the browser.

It ends when it is interrupted.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from pipeline import packages
from pipeline.adapters.web import (
    HOST,
    bind,
    load,
    open_browser,
    serve_on,
    watched,
)
from pipeline.commands.holding import only_this_run
from pipeline.commands.pages import pages_of_run
from pipeline.commands.serve import STATIC
from pipeline.core.pin.lock import Lock, Page
from pipeline.errors import ConfigError, PipelineError, UpstreamError, did_you_mean_any
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled

if TYPE_CHECKING:
    from pipeline.adapters.web import Site
    from pipeline.commands.serve.desk import Desk
    from pipeline.commands.serve.library import Changes

_SUFFIXES = (".ipynb", ".md", ".rst", ".po", ".html")


def serve(
    run: Run, *, page: str, port: int, opens_browser: bool, base: str | None
) -> None:
    """Serve the pages of the first locale of ``run`` until it is interrupted.

    An empty ``page`` opens the list of pages, port 0 is any that is free. With a ``base`` the
    changes since that commit are reviewed; if it is empty, since the main branch. Missing docs are
    pulled, and missing catalogues are made. Raises ConfigError for an unknown page, a port that
    cannot be used, or a base that is no commit.
    """
    lacking = packages.missing("serve")
    if lacking:
        raise ConfigError(
            f"{packages.names(lacking)} not installed",
            hint=packages.how_to_install("serve"),
        )
    locale = run.locales[0]
    # Before anything that takes long, or writes: the port may be in use, the base unknown.
    with bind(port) as listener:
        if base is not None:
            from pipeline.commands.review.sides import named_base

            named_base(run.settings, base)
        pages = pages_of_run(run, prepared(run, locale))
        first = page_named(page, pages)
        changes: Changes | None = None
        if base is not None:
            from pipeline.commands.serve.library import read_changes

            changes = read_changes(run, locale, base)

        def make() -> Desk:
            # Half a second of modules that it needs.
            from pipeline.commands.serve.desk import Desk

            return Desk(run, locale, pages, first=first, changes=changes)

        _serve(run, make, listener, opens_browser=opens_browser)


def _serve(
    run: Run, make: Callable[[], Desk], listener: socket, *, opens_browser: bool
) -> None:
    """Serve on a port that is bound, until it is interrupted."""
    port: int = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{port}/{token}/"
    # Connections wait from here on: the browser starts while all else is being loaded.
    listener.listen()
    run.log.note(f"translating {run.name} ({run.locales[0]}) at {address}")
    run.log.note("Ctrl-C ends it")
    if opens_browser:
        _open_beside(run, address)
    from pipeline.adapters.web import application

    desk: Future[Desk] = Future()

    def site() -> Site:
        return desk.result().site

    def changed(paths: Sequence[Path]) -> None:
        desk.result().files_changed(paths)

    # First what gives the browser its files, then what makes the answers to its questions.
    load()
    app = application(STATIC, site, port=port, token=token)
    threading.Thread(
        target=_warm_up, args=[desk, make], name="warm-up", daemon=True
    ).start()
    folders = [run.paths.catalogs(run.locales[0]), run.paths.docs.parent]
    with watched(folders, changed):
        serve_on(listener, app)


def page_named(word: str, pages: Sequence[Page]) -> str:
    """Return the page that ``word`` names, by its name or by a path of its file.

    Nothing is looked up on the disk. Raises ConfigError that names the nearest page.
    """
    if not word:
        return ""
    names = [page.name for page in pages]
    name = word.removeprefix("./")
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    # "translations/zh_CN/jax/pallas/tpu/details.po" is what a shell completes.
    fitting = [known for known in names if f"/{name}".endswith(f"/{known}")]
    if fitting:
        return max(fitting, key=len)
    raise ConfigError(
        f"no page is called {word!r}",
        hint=f"{did_you_mean_any(name, names)}"
        "Pages are named by their path without suffix.",
    )


def prepared(run: Run, locale: str) -> Lock:
    """Return the lock of the pulled docs. Pull them and make catalogues if they are missing."""
    try:
        lock = read_pulled(run)
    except UpstreamError:
        from pipeline.commands.pull import pull_docs

        with only_this_run(run):
            lock = pull_docs(run, ref=None).lock
    if not run.paths.catalogs(locale).is_dir():
        from pipeline.commands.split import update_pulled

        with only_this_run(run):
            update_pulled(run)
        run.paths.catalogs(locale).mkdir(parents=True, exist_ok=True)
    return lock


def _open_beside(run: Run, address: str) -> None:
    """Open the browser without waiting for it: some only return when they are closed."""

    def open_it() -> None:
        if not open_browser(address):
            run.log.note("no browser could be opened: open the address yourself")

    threading.Thread(target=open_it, name="browser", daemon=True).start()


def _warm_up(desk: Future[Desk], make: Callable[[], Desk]) -> None:
    """Make the desk, read the first page, and load what notebooks and checks need.

    In the order in which the browser asks for it, while it starts.
    """
    try:
        made = make()
    except BaseException as error:
        desk.set_exception(error)  # each question is answered with it
        raise
    desk.set_result(made)
    with suppress(PipelineError):  # the browser is told when it asks
        made.read_first()
    from pipeline.adapters.html import notebook
    from pipeline.commands.serve import findings  # noqa: F401

    notebook.load()
