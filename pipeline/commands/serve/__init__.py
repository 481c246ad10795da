"""serve: translate a page in the browser, on the rendered page itself.

This module prepares the pages, starts the server and opens the browser. ``desk`` has the actions
that the browser calls. ``page`` reads a page, checks the text that the user types, and writes the
catalogue. ``library`` indexes all catalogues of the locale. The user interface is in ``static/``.

The server runs until the user presses Ctrl-C. It stores no translations itself: it writes each edit
to the catalogue at once. If another program has changed an entry, the user sees the conflict, and
nothing is overwritten.

The user should not wait at the start. The browser opens before the desk is ready, and the messages
of a page are sent before the page is rendered.
"""

from __future__ import annotations

import secrets
import threading
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from pipeline import packages
from pipeline.adapters.web import HOST, bind, load, open_browser, serve_on, watched
from pipeline.commands.options import add_shared, count, run_of
from pipeline.commands.pages import pages_of_run
from pipeline.commands.run_lock import run_lock
from pipeline.config.reader import read_settings
from pipeline.core.pin.lock import Lock, Page
from pipeline.errors import ConfigError, PipelineError, UpstreamError, did_you_mean_any
from pipeline.log import Log
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled

if TYPE_CHECKING:
    from pipeline.commands.serve.desk import Desk
    from pipeline.commands.serve.library import Changes

STATIC = Path(__file__).with_name("static")
_LAST_PORT = 65535
_SUFFIXES = (".ipynb", ".md", ".rst", ".po", ".html")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``serve``."""
    parser.add_argument(
        "words",
        metavar="NAME | PAGE",
        nargs="*",
        help="the upstream (default: the first one configured), the page to open, or both",
    )
    add_shared(parser, "--release")
    parser.add_argument(
        "--port",
        metavar="N",
        type=_port,
        default=0,
        help="serve at this port of 127.0.0.1 (default: any free port)",
    )
    parser.add_argument(
        "--review",
        metavar="BASE",
        nargs="?",
        const="",
        help="review the translations changed since this commit (default: the main branch)",
    )
    parser.add_argument(
        "--no-browser",
        dest="browser",
        action="store_false",
        help="only print the address",
    )


def _port(text: str) -> int:
    """Parse a port number. Raises ArgumentTypeError."""
    number = count(text)
    if number > _LAST_PORT:
        raise ArgumentTypeError(f"must be at most {_LAST_PORT}, not {text!r}")
    return number


def run_command(arguments: Namespace, log: Log) -> int:
    """Serve pages until interrupted. The arguments may name an upstream, a page, or both."""
    names, pages = [], list(arguments.words)
    if pages and pages[0] in read_settings(arguments.config).upstreams:
        names.append(pages.pop(0))
    if len(pages) > 1:
        raise ConfigError(
            f"one page at a time, not {' '.join(pages)}",
            hint="Name one page; the browser lists the others.",
        )
    serve(
        run_of(arguments, log, names=names),
        page=pages[0] if pages else "",
        port=arguments.port,
        opens_browser=arguments.browser,
        base=arguments.review,
    )
    return 0


def serve(run: Run, *, page: str, port: int, opens_browser: bool, base: str | None) -> None:
    """Serve the pages of the first locale of ``run`` until interrupted.

    An empty ``page`` opens the list of pages; port 0 is any free port. With a ``base``, the user
    reviews the changes since that commit; an empty ``base`` means the main branch. Missing docs are
    pulled, and missing catalogues are created. Raises ConfigError for an unknown page, an unusable
    port, or an unknown base.
    """
    lacking = packages.missing("serve")
    if lacking:
        raise ConfigError(
            f"{packages.names(lacking)} not installed",
            hint=packages.how_to_install("serve"),
        )
    locale = run.locales[0]
    # Check port and base first, so that an error comes at once and before any write.
    with bind(port) as listener:
        if base is not None:
            from pipeline.commands.review.reviewing import named_base

            named_base(run.settings, base)
        pages = pages_of_run(run, prepared(run, locale))
        first = page_named(page, pages)
        changes: Changes | None = None
        if base is not None:
            from pipeline.commands.serve.library import read_changes

            changes = read_changes(run, locale, base)

        def make() -> Desk:
            # Import it only here, because its modules take half a second to load.
            from pipeline.commands.serve.desk import Desk

            return Desk(run, locale, pages, first=first, changes=changes)

        _serve(run, make, listener, opens_browser=opens_browser)


def _serve(run: Run, make: Callable[[], Desk], listener: socket, *, opens_browser: bool) -> None:
    """Serve on a bound port until interrupted."""
    port: int = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{port}/{token}/"
    # From here on the socket accepts connections, so the browser can start while modules load.
    listener.listen()
    run.log.note(f"translating {run.name} ({run.locales[0]}) at {address}")
    run.log.note("Ctrl-C ends it")
    if opens_browser:
        _open_beside(run, address)
    from pipeline.adapters.web import application

    desk: Future[Desk] = Future()
    # First load the modules that serve static files. A thread then loads the modules that actions
    # need.
    load()
    app = application(STATIC, lambda: desk.result().site, port=port, token=token)
    threading.Thread(target=_warm_up, args=[desk, make], name="warm-up", daemon=True).start()
    folders = [run.paths.catalogs(run.locales[0]), run.paths.docs.parent]
    with watched(folders, lambda paths: desk.result().files_changed(paths)):
        serve_on(listener, app)


def page_named(word: str, pages: Sequence[Page]) -> str:
    """Return the page that ``word`` names: a page name, or the path of a file of the page.

    The path need not exist. Raises ConfigError, with similar pages, for an unknown name.
    """
    if not word:
        return ""
    names = [page.name for page in pages]
    name = word.removeprefix("./")
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    # A user may have completed a path in the shell:
    # "translations/zh_CN/jax/pallas/tpu/details.po". Compare whole path components, so that
    # "more-details" does not match "details".
    fitting = [known for known in names if f"/{name}".endswith(f"/{known}")]
    if fitting:
        return max(fitting, key=len)
    raise ConfigError(
        f"no page is called {word!r}",
        hint=f"{did_you_mean_any(name, names)}Pages are named by their path without suffix.",
    )


def prepared(run: Run, locale: str) -> Lock:
    """Pull missing docs, create missing catalogues, and return the lock."""
    try:
        lock = read_pulled(run)
    except UpstreamError:
        from pipeline.commands.pull import pull_docs

        with run_lock(run):
            lock = pull_docs(run, ref=None).lock
    if not run.paths.catalogs(locale).is_dir():
        from pipeline.commands.update import update_pulled

        with run_lock(run):
            update_pulled(run)
        run.paths.catalogs(locale).mkdir(parents=True, exist_ok=True)
    return lock


def _open_beside(run: Run, address: str) -> None:
    """Open the browser in a thread, because some browsers block until they are closed."""

    def open_it() -> None:
        if not open_browser(address):
            run.log.note("no browser could be opened: open the address yourself")

    threading.Thread(target=open_it, name="browser", daemon=True).start()


def _warm_up(desk: Future[Desk], make: Callable[[], Desk]) -> None:
    """Create the desk, read the first page, and import modules, while the browser starts.

    This is the order in which the browser will need them.
    """
    try:
        made = make()
    except BaseException as error:
        desk.set_exception(error)  # every request then fails with this error
        raise
    desk.set_result(made)
    with suppress(PipelineError):  # the browser's request reports the error
        made.read_first()
    from pipeline.adapters.html import notebook
    from pipeline.stages.publish import marked_page  # noqa: F401

    notebook.load()
