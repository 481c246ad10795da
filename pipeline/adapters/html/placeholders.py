"""Elements that keep room for what a script or a frame would show, without it.

Pages that are read here run no scripts and show no frames. What is left of their places would be
blank: hundreds of pixels, by a style or a class. In goes clean HTML, out comes HTML without such
room; anchors stay, for links lead to them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bs4 import Tag

FRAME = "jz-frame"  # the class of a link in the place of a film or frame
# What has no look of its own: nothing is to be seen of it when nothing stands in it.
_BOXES = ("center", "div", "figure", "p", "section")
_ANCHOR = "span"
# An element with an id and nothing in it: a script finds it by the id.
_WAITING = re.compile(
    r"<(canvas|div|figure|p|section|span|svg)\b[^>]*?\sid\s*=\s*[\"']?(?P<id>[^\"'\s>]+)[^>]*>"
    r"\s*</\1\s*>",
    re.IGNORECASE,
)


def waiting_ids(html: str) -> list[str]:
    """Return the ids of empty elements, which a script may fill.

    ``<div id="plot" style="height:9em"></div>`` → ``["plot"]``
    """
    return [match["id"] for match in _WAITING.finditer(html)]


def without_placeholders(html: str) -> str:
    """Return clean HTML without the room of what is empty, or holds links to frames alone.

    ``<div id="plot" style="height:9em"></div>`` → ``<span id="plot"></span>``
    """
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "html.parser")
    # By identity: two elements are equal to Beautiful Soup if all that stands in them is.
    bare: dict[int, Tag] = {}
    # From the inside out: what stands in a box has been looked at before.
    for box in reversed(soup.find_all(_BOXES)):
        held: list[Any] = [part for part in box.children if not _is_blank(part)]
        if not all(_is_frame(part) or id(part) in bare for part in held):
            continue
        box.attrs = {"id": box["id"]} if box.get("id") else {}
        bare[id(box)] = box
        if all(part.name == _ANCHOR for part in held):
            box.name = _ANCHOR
    for box in bare.values():
        if box.name == _ANCHOR and not box.attrs:
            box.unwrap()
    return soup.decode(formatter="minimal")


def _is_blank(part: Any) -> bool:
    """Return whether a part of an element is white space."""
    return not part.name and not str(part).strip()


def _is_frame(part: Any) -> bool:
    """Return whether a part of an element is a link in the place of a film or frame."""
    return part.name == "a" and FRAME in part.get("class", ())
