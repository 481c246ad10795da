"""Access to upstream: repositories, bundles, folders, the package index and other Sphinx sites.

Upstream is the project whose docs are translated. Most stages need two functions of ``repository``
only: ``open_upstream`` opens the configured upstream, and ``address_of`` returns its address.
``version_control`` reads the project's own git repository instead.
"""
