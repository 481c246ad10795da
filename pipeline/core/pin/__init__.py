"""The pin of an upstream: its lock, the version in pyproject.toml, and newer releases.

The pin is the upstream commit and the version of the package that are in use. Pure functions on the
files that describe the pin belong here. Functions that fetch the commit (``adapters/upstream``,
``stages/pull``) do not.
"""
