"""Model of the workbench (``serve``), as far as it needs no file and no browser.

``blocks`` gives the state of each message on a page, and cuts out the excerpt needed to preview
one. ``editing`` puts a translation into a catalogue, ``marks`` finds messages in a rendered page,
and ``suggestions`` finds similar texts.
"""
