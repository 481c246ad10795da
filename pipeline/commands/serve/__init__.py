"""serve: translate a page in the browser, on the rendered page itself.

``server`` starts the server; ``desk`` has the actions that the browser calls. ``page`` reads a page
and writes its catalogue. ``live_checks`` checks the text that the user types. ``library`` indexes
all catalogues of the locale. The user interface is in ``static/``.

The server stores no translations itself: it writes each edit to the catalogue at once. If another
program has changed an entry, the user sees the conflict, and nothing is overwritten.

The user should not wait at the start. The browser opens before the desk is ready, and the messages
of a page are sent before the page is rendered.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from pipeline.commands.options import add_shared, count, run_of
from pipeline.config import read_settings
from pipeline.errors import ConfigError
from pipeline.log import Log

STATIC = Path(__file__).with_name("static")
_LAST_PORT = 65535


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
    from pipeline.commands.serve.server import serve

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
