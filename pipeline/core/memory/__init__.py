"""Translation memory: the committed form of catalogues, with digests in place of English.

Catalogues contain upstream's English, so they are not committed. A memory file has the same
translations, with a digest of each English message. Functions that convert catalogues to memories
and back, that merge memories, and that define the format of memory files belong here. Code that
finds the English of a digest in upstream's history (``stages/update``) does not.
"""
