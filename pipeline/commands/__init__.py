"""Commands of the command line, one file or folder each.

A command decides which stages run and in which order; the stages do the work. Modules that several
commands share are here, too: ``pages`` and ``update`` (which pages a run covers, and which it can
skip), ``holding`` and ``signals`` (locking and interrupts), ``reporting`` and ``showing`` (reports
and terminal output).
"""
