"""Adoption of copies: translations of upstream's pages that people made elsewhere.

The version of upstream that a copy translates is unknown. ``copy_reader`` reads a copy,
``candidates`` chooses page and version, ``alignment`` finds the English of each Chinese passage,
and ``offers`` carries the translations to the pin: the version of upstream that the project
translates now. Reading files and upstream's history belongs in ``commands/adopt``.
"""
