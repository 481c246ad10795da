"""init: a project of one's own, to translate other docs than those of this project.

``starting`` makes its files of the ``skeleton`` and writes them, ``asking`` fills in what the
command line does not say.
"""
