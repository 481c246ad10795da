"""Pure logic: functions that take bytes and records, and return bytes and records.

All decisions about documents, catalogues, memories and pins belong here. Input and output belong to
``stages/`` and ``adapters/``: no module here uses files, git, the network or a clock.
"""
