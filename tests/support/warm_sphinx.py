"""Sphinx builds in copies of a process that has loaded Sphinx already.

Loading Sphinx takes about as long as building a small site, so tests load it once. Each build is
still a process of its own, with its arguments, environment and folder. Run as a script, this module
is the process that copies itself. It reads requests for builds from its standard input, which is a
socket.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache, partialmethod
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Self

TEMPLATES = "WARM_TEMPLATES"  # variable with the folder of compiled templates
# Of ``conf.py``, with the modules that their ``setup`` imports.
_EXTENSIONS = (
    *("myst_nb.sphinx_ext", "sphinx_design", "sphinx_copybutton", "sphinx_book_theme"),
    *("sphinx.ext.mathjax", "sphinx.ext.intersphinx", "sphinx.writers.html5"),
)
_ORDER = 1 << 18  # bytes that an order may have
_servers: list[subprocess.Popen[bytes]] = []  # kept: Python complains of one let go


class WarmPopen:
    """Replacement for the parts of ``subprocess.Popen`` that ``run_sphinx`` uses."""

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str], **options: object
    ) -> None:
        """Start a build. ``options`` are those of ``Popen`` and are ignored."""
        self._server = _started()
        self.returncode = 0
        read, write = os.pipe()
        order = {"words": command[3:], "env": dict(env), "folder": str(Path.cwd())}
        socket.send_fds(self._server, [json.dumps(order).encode()], [write])
        os.close(write)
        self.stdout = os.fdopen(read, encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stdout.close()
        self.returncode = int(self._server.recv(16))


def popen(command: Sequence[str], **options: object) -> object:
    """Start a build in a copy of the process that has loaded Sphinx, if possible.

    If the docs have extensions, which may load other modules, start Sphinx in a new process.
    """
    sources = Path(command[-2])
    if command[1:3] != ["-m", "sphinx"] or _has_extensions(sources):
        return subprocess.Popen(command, **options)  # type: ignore[call-overload]
    return WarmPopen(command, **options)  # type: ignore[arg-type]


def _has_extensions(sources: Path) -> bool:
    """Return whether a site has extensions of its docs."""
    site = sources / "site.json"
    return not site.is_file() or bool(json.loads(site.read_bytes())["extensions"])


@cache
def _started() -> socket.socket:
    """Return the socket of the process with Sphinx. The first call starts that process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
    command = [sys.executable, __file__]
    _servers.append(subprocess.Popen(command, stdin=theirs.fileno(), env=environment))
    theirs.close()
    return ours


def _serve() -> None:
    """Build what is requested, one after the other, until all clients have closed the socket."""

    _load_modules()
    orders = socket.socket(fileno=0)
    while True:
        order, pipes, _, _ = socket.recv_fds(orders, _ORDER, 1)
        if not order:
            return
        child = os.fork()
        if not child:
            os.dup2(pipes[0], 1)
            os.dup2(pipes[0], 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            _build(**json.loads(order))
        os.close(pipes[0])
        _, status = os.waitpid(child, 0)
        orders.send(str(os.waitstatus_to_exitcode(status)).encode())


def _load_modules() -> None:
    """Load what every build loads: the extensions of ``conf.py``, Sphinx's and ours."""
    import pipeline.site.extension as ours
    from pipeline.site.extension.speed import skip_unused_imports

    skip_unused_imports(beside_others=False)
    from ipython_pygments_lexers import IPython3Lexer
    from jinja2 import Environment, FileSystemBytecodeCache
    from sphinx.application import builtin_extensions

    from pipeline.site.extension.own_pages import _template
    from pipeline.site.extension.search import readings_of

    parts = walk_packages(ours.__path__, f"{ours.__name__}.")
    names = {part.name for part in parts} - {"pipeline.site.extension.conf"}
    for name in (*_EXTENSIONS, *builtin_extensions, *names):
        import_module(name)
    # These load dictionaries, tables and a template when they are first used.
    readings_of(("词",))
    IPython3Lexer()
    _template()
    # Each build would compile the templates of the theme.
    compiled = FileSystemBytecodeCache(os.environ[TEMPLATES])
    made: Any = Environment
    made.__init__ = partialmethod(Environment.__init__, bytecode_cache=compiled)
    gc.freeze()


def _build(*, words: list[str], env: dict[str, str], folder: str) -> None:
    """Build like ``python -m sphinx`` in the requested environment, and end the process."""
    from sphinx.cmd.build import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    known = set(sys.path)
    sys.path[:0] = [path for path in env["PYTHONPATH"].split(os.pathsep) if path not in known]
    sys.argv = ["sphinx", *words]
    sys.exit(main(words))


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    _serve()
