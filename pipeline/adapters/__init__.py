"""Typed facades over outside systems: files, git, polib, kernels, the network, models.

Only modules of this package import third-party libraries that do input or output. Decisions about
translations belong in ``core``, the order of steps in ``stages``.
"""
