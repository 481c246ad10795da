"""The stage "pull": copies upstream's docs folders at one commit, and writes the lock.

The lock is a file that records the commit and the digest of every copied file. It is committed.

``stage`` is the entry point. ``source`` lists the files of upstream, in git or in a plain folder,
and ``selection`` decides which of them are pulled. ``checkout`` replaces the previous checkout,
completely or not at all. ``reference`` adds the docstrings of the API reference, and
``inventories`` fetches the inventories of other sites.

Access to git (``adapters.upstream``) and the format of the lock (``core.pin``) do not belong here.
"""
