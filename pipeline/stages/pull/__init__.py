"""The stage "pull": copies upstream's docs folders at one commit, and records it in the lock.

``stage`` is the entry point. ``source`` lists the files of upstream, in git or in a plain folder,
and ``selection`` decides which of them are pulled. ``checkout`` replaces the previous checkout,
completely or not at all. ``reference`` adds the docstrings of the API reference, and
``inventories`` fetches the inventories of other sites.

Access to git (``adapters.upstream``) and the format of the lock (``core.pin``) do not belong here.
"""
