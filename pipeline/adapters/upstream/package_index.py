"""The only one that asks the package index, through pip: so mirrors, proxies and passwords are those that pip is set up for."""

from __future__ import annotations

import json
import subprocess
import sys

from pipeline.adapters.upstream.git import without_password
from pipeline.errors import ConfigError, UpstreamError

_SECONDS = 300.0  # pip's own limits for one request are shorter; it tries again a few times


def released_versions(name: str) -> tuple[str, ...]:
    """The versions of ``name`` that this Python can install, newest first; no pre-releases.

    Raises UpstreamError if there are none or the index does not answer, ConfigError if there is no pip.
    """
    command = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "index", "versions", name, "--json")
    try:
        ended = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise _no_answer(name, f"no answer within {_SECONDS:g} s") from error
    if "No module named pip" in ended.stderr:
        raise ConfigError("pip is not installed, and only pip can ask the package index", hint="Run it through nox, or install pip.")
    try:
        return tuple(map(str, json.loads(ended.stdout)["versions"]))
    except (ValueError, KeyError, TypeError) as error:
        complaints = [line for line in ended.stderr.split("\n") if line.startswith("ERROR: ")]
        raise _no_answer(name, complaints[-1].removeprefix("ERROR: ") if complaints else "pip gives no reason") from error


def _no_answer(name: str, reason: str) -> UpstreamError:
    what = f"the package index has no {name} that can be installed here, or cannot be reached"
    return UpstreamError(what, hint=f"pip says: {without_password(reason)}. Check the network, or name the release yourself.")
