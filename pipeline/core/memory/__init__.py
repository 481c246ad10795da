"""Translation memory: the committed form of catalogues, with digests in place of English.

The conversion of catalogues to memories and back, their merges, and the format of memory files
belong here. Finding the English of a digest in upstream's history (``stages/update``) does not.
"""
