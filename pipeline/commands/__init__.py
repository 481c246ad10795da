"""The verbs of the command line, a file or folder each.

A verb says which stages it runs and in which order, and nothing else. Beside them stands what
several verbs share: ``pages`` and ``known`` (what a run is about, what need not be done again),
``updating``, ``holding`` and ``signals`` (other runs, and its own end), ``reporting`` and
``showing`` (what it leaves and tells).
"""
