"""The pin of an upstream: the lock, the version in pyproject.toml, and available releases.

What describes upstream's commit belongs here, as pure functions on text. Fetching the commit
(``adapters/upstream``, ``stages/pull``) does not.
"""
