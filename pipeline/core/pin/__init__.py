"""The pin of an upstream: the lock, the version in pyproject.toml, and available releases.

Pure functions on the texts that describe upstream's commit belong here. Fetching the commit
(``adapters/upstream``, ``stages/pull``) does not.
"""
