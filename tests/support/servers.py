"""Web servers on a port of this machine, for the duration of a test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
POLL = 0.05  # seconds until the server sees that it shall stop


class FileHandler(SimpleHTTPRequestHandler):
    """Handler that serves files silently, like a web server that does not support git."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Do not print anything."""


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Run a server in a thread during the body. Yield its address, without a slash at its end."""
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(POLL,), daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def served(folder: Path, handler: type[FileHandler] = FileHandler) -> Iterator[str]:
    """Yield the address of a server for the files in ``folder``, with a slash at its end."""
    in_folder = partial(handler, directory=str(folder))
    with running(ThreadingHTTPServer((HOST, 0), in_folder)) as address:
        yield f"{address}/"
