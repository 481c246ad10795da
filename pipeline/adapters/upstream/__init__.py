"""Access to upstream: repositories, bundles, folders, the package index and other Sphinx sites.

``open_upstream`` opens the configured upstream, and ``address_of`` returns its address. Stages need
only these two; ``open_repository`` is their building block. The project's own git repository is in
``adapters.version_control``.
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
