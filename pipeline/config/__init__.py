"""Configuration: ``[tool.pipeline]`` in ``pyproject.toml``.

``settings`` declares a record for each table, with its fields. ``schema`` converts TOML to these
records and explains errors. ``reader`` adds values from other places (pinned versions, environment
variables, locks), and returns the ``Settings`` that all commands use.
"""
