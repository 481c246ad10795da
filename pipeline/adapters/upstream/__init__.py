"""Where the English comes from: repositories, bundles, folders; and who else is asked for what.

``open_upstream`` opens the upstream that the configuration names, and ``address_of`` tells where it
is. Stages need no more than these two; ``open_repository`` is what they are made of.
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
