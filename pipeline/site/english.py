"""Upstream's own site: which addresses lead to its pages, and which to those shown here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.config import SitePolicy
from pipeline.core.pin.lock import Lock

# Versions that are the newest docs, or those of the newest release.
_NEWEST = ("latest", "stable")


def english_places(policy: SitePolicy, lock: Lock) -> Mapping[str, Sequence[str]]:
    """Return the hosts of upstream's site, and its paths: of all versions, and those shown here.

    ``https://docs.jax.dev/en/latest/`` → hosts ``docs.jax.dev`` and the configured ones, base
    ``/en/``, paths ``/en/latest/``, ``/en/stable/``, ``/en/0.10.2/`` … No hosts without an address.
    """
    host, _, folders = policy.english_url.partition("://")[2].partition("/")
    if not host:
        return {"hosts": (), "root": "", "base": "", "paths": ()}
    path = f"/{folders}" if folders.endswith("/") or not folders else f"/{folders}/"
    above, _, version = path.rstrip("/").rpartition("/")
    shown = (*_NEWEST, *filter(None, _pinned(lock)))
    has_versions = version in shown
    return {
        "hosts": [*map(str.lower, (host, *policy.english_hosts))],
        # The root of a host with versions leads to the newest.
        "root": "/" if has_versions else path,
        "base": f"{above}/" if has_versions else path,
        "paths": [f"{above}/{name}/" for name in shown] if has_versions else [path],
    }


def _pinned(lock: Lock) -> Sequence[str]:
    """Return what the docs of the pinned commit may be called: ``0.10.2``, ``v0.10.2``, the ref."""
    version = [lock.version, f"v{lock.version}"] if lock.version else []
    return [*dict.fromkeys([*version, lock.ref])]
