"""Commands of the command line, one file or folder each.

A command decides which stages run and in which order; the stages do the work. Modules that several
commands share are here, too. ``pages`` and ``update`` decide which pages a run covers, and which it
can skip. ``run_lock`` and ``signals`` handle locks and interrupts. ``reporting`` and ``showing``
write reports and terminal output.
"""
