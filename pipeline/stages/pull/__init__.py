"""pull: bring upstream's docs folder here, file for file, at one commit, and write down which.

``source`` says what upstream has, whether that is git or a plain folder, and ``selection`` which
of it is taken. ``checkout`` puts it in the place of what was pulled before, whole or not at all.
``stage`` does both. ``names`` fetches what the English docs document, for the site.
"""
