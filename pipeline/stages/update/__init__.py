"""update: catalogues from the memory, brought up to date with upstream, and back into the memory.

``stage`` takes the three steps: ``opening``, ``catalogs`` (with ``files``) and ``storing``. Around
the memory are ``english`` and ``rebuild``, which give it its English back, ``old_memory``,
``state``, which knows what was opened last, and ``workspace``, its files. ``verifying`` proves that
all agree.
"""
