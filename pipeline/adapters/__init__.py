"""Typed facades over outside systems: files, git, polib, kernels, the network, language models.

Only modules of this package import third-party libraries that do input or output. Decisions about
translations belong in ``core``; the order of steps belongs in ``stages``.
"""
