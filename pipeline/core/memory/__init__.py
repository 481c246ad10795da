"""Translation memory: the committed form of catalogues, with digests in place of English.

Catalogues contain upstream's English, so they are not committed. A memory file has the same
translations, with a digest of each English message. This package converts catalogues to memories
and back, merges memories, and defines the format of memory files. Code that finds the English of a
digest in upstream's history belongs in ``stages/update``.
"""
