"""Adoption: match a translated copy of unknown version with upstream's pages.

What belongs here: aligning texts, choosing versions, and carrying translations to the pin. Reading
files and history from disk does not; see ``commands/adopt``.
"""
