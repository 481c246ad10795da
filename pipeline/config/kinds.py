"""What the values of the configuration may be: bounds, patterns, and what to do about others."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pipeline.config.tables import written

MOST = 1_000_000_000  # of any number: seconds, MiB, processes

Natural = Annotated[int, Meta(ge=0, le=MOST)]
Positive = Annotated[int, Meta(ge=1, le=MOST)]
Amount = Annotated[float, Meta(ge=0, le=MOST)]

Text = Annotated[str, Meta(min_length=1)]
Texts = Annotated[tuple[str, ...], Meta(min_length=1)]
Reason = Annotated[
    str,
    Meta(
        min_length=1,
        description="Say why: whoever comes later must know whether it still holds.",
    ),
]
# Names of folders and files.
Name = Annotated[
    str, written("[A-Za-z0-9][A-Za-z0-9_-]*", "a name", "Use letters, digits, - and _.")
]
Locale = Annotated[
    str,
    written(
        "[a-z]{2,3}(_[A-Z][A-Za-z]+)?",
        "a locale",
        "Write it as gettext does, e.g. zh_CN.",
    ),
]
# An address that a page may lead to: of the web, or on the same site. No scheme runs anything
# (javascript:), and no letter ends the attribute that it stands in.
Address = Annotated[
    str,
    written(
        r"(?a:(?:https?://|(?![\w+.-]*:))[^\s\x00-\x1f<>\"'`\\]*)",
        "an address that a page may link to",
        "Write one that begins with https://, without quotes, spaces, < and >.",
    ),
]
SiteAddress = Annotated[
    str,
    written(
        r"https?://[^\s/<>\"?#]+/(?:[^\s<>\"?#]*/)?",
        "the address of a site",
        "Write that of its first page: https://…/, with a slash at the end.",
    ),
]
Host = Annotated[
    str,
    written(
        r"(?a:[\w.-]+(?::\d+)?)",
        "a host",
        "Write its name alone, without https:// and slashes.",
    ),
]
Variable = Annotated[
    str,
    written(
        "[A-Za-z_][A-Za-z0-9_]*",
        "the name of an environment variable",
        "Use letters, digits and _.",
    ),
]
