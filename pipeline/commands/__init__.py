"""Commands of the command line. Similar commands share a file: ``merge`` is in ``build``.

A command decides which stages run and in which order; the stages do the work. For example,
``build`` runs split, update, merge, execute and publish.

Modules that several commands share are also in this folder. ``pages`` selects the pages of a run,
and ``update`` (the command ``split``) skips unchanged pages. ``run_lock`` handles locks.
``console`` prints to the terminal.
"""
