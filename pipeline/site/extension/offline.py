"""No page asks another machine for anything.

What a browser would fetch when a page is read (images, films, scripts, styles) becomes a link, or
goes away. A link that one follows may lead anywhere.
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.nodes import is_html, replace_by_words, write_html
from pipeline.site.extension.stubs import elsewhere

_ANY_CASE = re.IGNORECASE | re.DOTALL
_REMOTE_URL = r"(?:https?:)?//"
_REMOTE = re.compile(_REMOTE_URL)
_LAUNCHERS = re.compile(
    r"https?://(?:colab\.research\.google\.com|(?:www\.)?kaggle\.com|mybinder\.org)/"
)
_LAUNCH_LINK = re.compile(
    rf"<a\b[^>]*\bhref=[\"']?{_LAUNCHERS.pattern}[^>]*>.*?</a>", _ANY_CASE
)
_SCRIPT = re.compile(
    rf"<script\b[^>]*\bsrc=[\"']?{_REMOTE_URL}[^>]*>\s*</script>", re.IGNORECASE
)
_STYLE = re.compile(
    rf"<link\b[^>]*\bhref=[\"']?{_REMOTE_URL}[^>]*>"
    rf"|@import\s+(?:url\()?[\"']?{_REMOTE_URL}[^;]*;",
    re.IGNORECASE,
)
_FRAME = re.compile(
    rf"<(iframe|video|audio|embed)\b[^>]*?\bsrc=([\"'])(?P<url>{_REMOTE_URL}.*?)\2[^>]*>"
    r"(?:.*?</\1>)?",
    _ANY_CASE,
)
_IMAGE = re.compile(
    rf"<img\b[^>]*?\bsrc=([\"'])(?P<url>{_REMOTE_URL}.*?)\1[^>]*>", _ANY_CASE
)
_ALT = re.compile(r"\balt=([\"'])(?P<words>.*?)\1", _ANY_CASE)
_URL = re.compile(rf"url\(\s*[\"']?{_REMOTE_URL}[^)]*\)", re.IGNORECASE)
# A script or style sheet of any address, and a script that stands in the page.
_LOADED = re.compile(
    r"<(?:script|link)\b[^>]*?\b(?:src|href)=[\"'](?P<path>[^\"']+)[\"'][^>]*>(?:\s*</script>)?",
    re.IGNORECASE,
)
_CALL = re.compile(r"<script\b(?![^>]*\bsrc=)[^>]*>.*?</script>", _ANY_CASE)


class StayOffline(SphinxTransform):
    """Comes before Sphinx looks for the files of images."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Replace remote images, and what HTML would fetch."""
        # Lists, since what is found changes the page.
        for link in list(filter(_is_badge, self.document.findall(nodes.reference))):
            _remove_badge(link)
        for image in list(self.document.findall(nodes.image)):
            if _REMOTE.match(image.get("uri", "")):
                _replace_image(image)
        self._lacks_scripts = False
        for raw in list(filter(is_html, self.document.findall(nodes.raw))):
            self._keep_what_works(raw)

    def _keep_what_works(self, raw: nodes.raw) -> None:
        """Scripts of a page that lacks one do not run: what they would show is a link away."""
        html = _LOADED.sub(self._if_there, raw.astext())
        if "//" in html:
            html = without_remote(html)
        # Later pieces of the page too: they call what is missing.
        if self._lacks_scripts and _CALL.search(html):
            html = _CALL.sub("", html)
            # In the place where the picture would have been.
            raw.parent.insert(raw.parent.index(raw) + 1, elsewhere(self.env))
        write_html(raw, html)

    def _if_there(self, match: re.Match[str]) -> str:
        """A script or style sheet of upstream's, if it was pulled."""
        path = match["path"].partition("?")[0]
        if path.startswith("data:"):
            return match[0]
        is_remote = "//" in path
        folder = Path(self.env.doc2path(self.env.docname)).parent
        if not is_remote and (folder / path).is_file():
            return match[0]
        # A page can do without a style sheet.
        self._lacks_scripts |= match[0].lower().startswith("<script")
        # ``without_remote`` knows more about what is elsewhere.
        return match[0] if is_remote else ""


def _is_badge(link: nodes.reference) -> bool:
    """Whether a link is an image that starts the English notebook.

    It is not needed: the page starts its own notebook under the title.
    """
    if not _LAUNCHERS.match(link.get("refuri", "")):
        return False
    return any(link.findall(nodes.image))


def _remove_badge(link: nodes.reference) -> None:
    """Remove a badge, and the paragraph that held nothing else.

    Badges mostly stand side by side: the paragraph goes with the last of them.
    """
    above = link.parent
    above.remove(link)
    is_empty = not above.astext().strip() and not any(above.findall(nodes.image))
    if isinstance(above, nodes.paragraph) and is_empty:
        above.parent.remove(above)


def _replace_image(image: nodes.image) -> None:
    """Put a link in the place of an image, or words where there is a link already."""
    # An image without words of its own is called by its file.
    words = image.get("alt") or image["uri"].rpartition("/")[2] or image["uri"]
    # A link in a link leads to one of the two only.
    if isinstance(image.parent, nodes.reference):
        image.parent.replace(image, nodes.Text(words))
        return
    link = nodes.reference("", words, refuri=image["uri"], classes=["jz-remote"])
    replace_by_words(image, link)


def without_remote(html: str) -> str:
    """A piece of HTML that fetches nothing from elsewhere.

    ``<img src="https://a.org/b.png" alt="B">`` → ``<a class="jz-remote" href="…">B</a>``
    """
    # Whole elements first: what is left of them would be taken for something else.
    html = _LAUNCH_LINK.sub("", html)
    html = _SCRIPT.sub("", html)
    html = _STYLE.sub("", html)
    html = _FRAME.sub(lambda match: _link(match["url"], ""), html)
    html = _IMAGE.sub(_link_to_image, html)
    return _URL.sub("none", html)


def _link_to_image(match: re.Match[str]) -> str:
    """A link with the words that ``<img>`` has for those who do not see it."""
    alt = _ALT.search(match[0])
    return _link(match["url"], alt["words"] if alt else "")


def _link(url: str, words: str) -> str:
    """A link with words that are HTML, as they stood there; without any, with its address."""
    address = escape(unescape(url))
    return f'<a class="jz-remote" href="{address}">{escape(unescape(words)) or address}</a>'
