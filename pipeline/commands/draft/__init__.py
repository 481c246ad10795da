"""draft: machine translations for what nobody has translated yet, each as safe as an empty entry.

``drafting`` is the verb. ``planning`` finds out what is to be asked, ``sending`` asks it,
``writing`` puts what was accepted into catalogues; ``rehearsing`` is ``--stub``.
"""
