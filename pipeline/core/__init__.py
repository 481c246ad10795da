"""Pure logic: bytes and records in, records out.

Decisions about documents, catalogues, memories and pins belong here. Input and output do not: no
module imports files, git, the network or a clock.
"""
