"""Start the workbench: see to it that there are pages, serve them, open the browser.

In go the run and the words of the command line. It ends when it is interrupted.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What to open first (empty: the list of pages), where, whether to open a browser."""

    page: str = ""
    port: int = 0  # any that is free
    opens_browser: bool = True
    base: str | None = None  # review what has changed since; empty: the main branch


def serve(run: Run, options: ServeOptions) -> None:
    """Serve the pages of the first locale of ``run`` until it is interrupted.

    What is not pulled yet is pulled, and catalogues that are not there are made. Raises ConfigError
    for a page that there is not, a port that cannot be used, a base that is no commit.
    """
    lacking = packages.missing("serve")
    if lacking:
        raise ConfigError(
            f"{packages.names(lacking)} not installed",
            hint=packages.how_to_install("serve"),
        )
    locale = run.locales[0]
    # Before anything that takes long, or writes: the port may be in use, the base unknown.
    with bind(options.port) as listener:
        if options.base is not None:
            _look_for_base(run, options.base)
        pages = pages_of_run(run, prepared(run, locale))
        first = page_named(options.page, pages)
        changes = _changes_since(run, locale, options.base)

        def make() -> Desk:
            # Half a second of modules that it needs.
            from pipeline.commands.serve.desk import Desk

            return Desk(run, locale, pages, first=first, changes=changes)

        _serve(run, make, listener, options)


def _look_for_base(run: Run, base: str) -> None:
    """Raise ConfigError if what is to be reviewed since is no commit."""
    from pipeline.commands.review.sides import named_base

    named_base(run.settings, base)


def _changes_since(run: Run, locale: str, base: str | None) -> Changes | None:
    """What is to be reviewed, if anybody wants to. Raises ConfigError."""
    if base is None:
        return None
    from pipeline.commands.serve.library import read_changes

    return read_changes(run, locale, base)


def _serve(
    run: Run, make: Callable[[], Desk], listener: socket, options: ServeOptions
) -> None:
    """Serve on a port that is bound, until it is interrupted."""
    port: int = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{port}/{token}/"
    # Connections wait from here on: the browser starts while all else is being loaded.
    listener.listen()
    run.log.note(f"translating {run.name} ({run.locales[0]}) at {address}")
    run.log.note("Ctrl-C ends it")
    if options.opens_browser:
        _open_beside(run, address)
    from pipeline.adapters.web import application

    desk: Future[Desk] = Future()

    def site() -> Site:
        made = desk.result()
        return made.site

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
    """The name of the page that ``word`` means: its name, or a path of its file.

    Nothing is looked up on the disk. Raises ConfigError that names the nearest.
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
    """The lock of what is pulled, with catalogues beside it; what is not there is made."""
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
