"""Access to upstream: repositories, bundles, folders, the package index and other Sphinx sites.

Upstream is the project whose docs are translated. Most stages need two functions only:
``open_upstream`` opens the configured upstream, and ``address_of`` returns its address.
``version_control`` reads the project's own git repository instead.
"""

from pipeline.adapters.upstream.address import (
    Address,
    Kind,
    read_address,
    without_password,
)
from pipeline.adapters.upstream.repository import (
    CHECK_ADDRESS,
    Repository,
    TreeEntry,
    address_of,
    open_repository,
    open_upstream,
)

__all__ = [
    "CHECK_ADDRESS",
    "Address",
    "Kind",
    "Repository",
    "TreeEntry",
    "address_of",
    "open_repository",
    "open_upstream",
    "read_address",
    "without_password",
]
