"""Queries to indexes on the web: versions on the package index, and inventories of Sphinx sites.

pip queries the package index, with the mirrors, proxies and credentials that it is configured for.
An inventory (``objects.inv``) lists the names that a Sphinx site documents; ``core.inventories``
parses it. A missing inventory is not an error, because a site can be built without it.
"""

from __future__ import annotations

import http.client
import json
import platform
import re
import subprocess
import sys
from urllib.parse import urlsplit

from pipeline.adapters.upstream.address import without_password
from pipeline.errors import ConfigError, UpstreamError
from pipeline.limits import FILE_BYTES

# Time limit of a pip command. pip's own limits for a request are shorter, but it retries.
_SECONDS = 300.0
_PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input")


def released_versions(name: str) -> tuple[str, ...]:
    """Return the versions of the package ``name`` that this Python can install, newest first.

    Pre-releases are left out. Raises UpstreamError if there are no versions or the index does not
    answer, and ConfigError if pip is not installed.
    """
    ended = _ask_pip(name, "index", "versions", name, "--json")
    try:
        return tuple(map(str, json.loads(ended.stdout)["versions"]))
    except (ValueError, KeyError, TypeError) as error:
        raise _no_answer(name, _last_complaint(ended.stderr)) from error


def python_fault(name: str, version: str) -> str:
    """Return why this Python cannot run ``version`` of the package ``name``, or "" if it can.

    Example: ``jax 0.11.0 needs Python 3.12 or later; this is 3.11.7``. Also return "" if the index
    does not say which Python the version needs. Raises UpstreamError if there is no answer in time,
    and ConfigError if pip is not installed.
    """
    # Wheels only, because pip would build a source archive to read its requirements.
    words = ("install", "--dry-run", "--no-deps", "--only-binary=:all:", "--quiet")
    ended = _ask_pip(name, *words, f"{name}=={version}")
    found = re.search(rf"[:;] {re.escape(version)} Requires-Python ([^;\n]+)", ended.stderr)
    if ended.returncode == 0 or not found:
        return ""
    needed = re.sub(r"^>=([\d.]+)$", r"\1 or later", found[1].strip())
    return f"{name} {version} needs Python {needed}; this is {platform.python_version()}"


def _ask_pip(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run this Python's pip with the arguments ``words`` and return its result.

    ``name`` is the package, for the error. Raises UpstreamError if pip times out, and ConfigError
    if pip is not installed.
    """
    try:
        ended = subprocess.run(
            (sys.executable, *_PIP, *words),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _no_answer(name, f"no answer within {_SECONDS:g} s") from error
    if "No module named pip" in ended.stderr:
        what = "pip is not installed, and only pip can ask the package index"
        raise ConfigError(what, hint="Install pip beside the pipeline; nox -s upgrade has it.")
    return ended


def _last_complaint(stderr: str) -> str:
    """Return the last line of pip's errors, which has the reason; earlier lines report attempts."""
    for line in reversed(stderr.split("\n")):
        if line.startswith("ERROR: "):
            return line.removeprefix("ERROR: ")
    return "pip gives no reason"


def _no_answer(name: str, reason: str) -> UpstreamError:
    shown = without_password(reason)
    return UpstreamError(
        f"the package index has no {name} that can be installed here, or cannot be reached",
        hint=f"pip says: {shown}. Check the network, or name the release yourself.",
    )


def fetch_inventory(site: str, *, timeout: float = 10.0) -> bytes | None:
    """Return the inventory of ``site`` (a URL with a final slash), or None if it is unavailable.

    ``timeout`` is in seconds. At most one byte more than the limit is read, so that the parser
    notices a file that is too large.
    """
    from urllib.request import Request, urlopen

    try:
        # Refuse "file:", which would read a file of this machine.
        if urlsplit(site).scheme not in ("http", "https"):
            return None
        request = Request(  # noqa: S310 - the scheme is checked above
            f"{site}objects.inv", headers={"User-Agent": "jax-docs-zh"}
        )
        with urlopen(request, timeout=timeout) as answer:  # noqa: S310
            data: bytes = answer.read(FILE_BYTES[".inv"].most + 1)
    except (OSError, ValueError, http.client.HTTPException):
        return None
    return data
