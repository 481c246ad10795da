"""No page asks another machine for anything, and nothing of upstream's runs in a browser.

What a browser would fetch when a page is read (images, films, styles) becomes a link, or goes
away; so do scripts. A link that one follows may lead anywhere.
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.nodes import (
    is_html,
    is_linked,
    replace_by_words,
    write_html,
)
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
# A script that stands in the page: it calls what others bring.
_CALL = re.compile(r"<script\b(?![^>]*\bsrc=)", re.IGNORECASE)
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
# A style sheet of any address: whether the file is there is looked up.
_SHEET = re.compile(
    r"<link\b[^>]*?\bhref=[\"'](?P<path>[^\"']+)[\"'][^>]*>", re.IGNORECASE
)
# A script, also one that nothing ends, and what would run without one.
_RUNS = re.compile(r"<script\b[^>]*>(?:.*?</script\s*>|.*\Z)", _ANY_CASE)
_BASE = re.compile(
    r"</?(?:base|meta|object|embed|applet|frame|iframe)\b[^>]*>", _ANY_CASE
)
_TAG = re.compile(r"<[a-z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", _ANY_CASE)
_HANDLER = re.compile(
    r"[\s/\"']on\w+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+)"
    r"|[\s/\"'](?:srcdoc|formaction)\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+)",
    _ANY_CASE,
)
_ADDRESS = re.compile(
    r"\b(?P<name>href|src|action|xlink:href)\s*=\s*"
    r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s>]+))",
    _ANY_CASE,
)
# A scheme with what browsers leave out of it: java\tscript:
_RUNNING = re.compile(r"(?:java|vb)script:|data:(?!image/)", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x20]+")


class StayOffline(SphinxTransform):
    """Comes before Sphinx looks for the files of images."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Replace remote images, and what HTML would fetch or run."""
        # Lists, since what is found changes the page.
        links = list(self.document.findall(nodes.reference))
        for link in filter(_is_badge, links):
            _remove_badge(link)
        for image in list(self.document.findall(nodes.image)):
            if _REMOTE.match(image.get("uri", "")):
                _replace_image(image)
        for link in links:
            if _runs(link.get("refuri", "")):
                # The words stay.
                link.replace_self(link.children)
        for raw in list(filter(is_html, self.document.findall(nodes.raw))):
            self._keep_what_rests(raw)

    def _keep_what_rests(self, raw: nodes.raw) -> None:
        """Leave nothing in HTML that runs, or comes from elsewhere.

        What a script would have drawn is a link away.
        """
        html = raw.astext()
        resting, scripts = _RUNS.subn("", html)
        if scripts and _CALL.search(html):
            # In the place where the picture would have been.
            raw.parent.insert(raw.parent.index(raw) + 1, elsewhere(self.env))
        html = _SHEET.sub(self._if_there, resting)
        if "//" in html:
            html = without_remote(html)
        write_html(raw, without_handlers(html))

    def _if_there(self, match: re.Match[str]) -> str:
        """A style sheet of upstream's, if it was pulled; a page can do without."""
        path = match["path"].partition("?")[0]
        if path.startswith("data:") or "//" in path:
            # ``without_remote`` knows more about what is elsewhere.
            return match[0]
        folder = Path(self.env.doc2path(self.env.docname)).parent
        return match[0] if (folder / path).is_file() else ""


def without_handlers(html: str) -> str:
    """A piece of HTML in which no attribute and no address runs anything.

    ``<b onclick="f()">`` → ``<b>``, ``<a href="javascript:f()">`` → ``<a href="">``. What is
    written in a way that this does not see, the policy of the page (``layout.html``) keeps from
    running.
    """
    html = _BASE.sub("", html)
    return _TAG.sub(_quiet_tag, html)


def _quiet_tag(match: re.Match[str]) -> str:
    """A tag without handlers of events, and without addresses that are programs."""
    tag = _HANDLER.sub("", match[0])
    return _ADDRESS.sub(_quiet_address, tag)


def _quiet_address(match: re.Match[str]) -> str:
    """An attribute with an address as it was, or an empty one."""
    address = match["double"] or match["single"] or match["bare"] or ""
    return f'{match["name"]}=""' if _runs(address) else match[0]


def _runs(address: str) -> bool:
    """Whether a browser would run an address, written as HTML: ``java&#115;cript:f()``."""
    return _RUNNING.match(_UNSEEN.sub("", unescape(address))) is not None


def _is_badge(link: nodes.reference) -> bool:
    """Whether a link is an image that starts the English notebook.

    It is not needed: the page starts its own notebook under the title. A figure is no badge, and
    cannot be written without its image.
    """
    if not _LAUNCHERS.match(link.get("refuri", "")):
        return False
    if isinstance(link.parent, nodes.figure):
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
    if is_linked(image):
        replace_by_words(image, nodes.inline("", words))
        return
    link = nodes.reference("", words, refuri=image["uri"], classes=["jz-remote"])
    replace_by_words(image, link)


def without_remote(html: str) -> str:
    """A piece of HTML that fetches nothing from elsewhere.

    ``<img src="https://a.org/b.png" alt="B">`` → ``<a class="jz-remote" href="…">B</a>``
    """
    # Whole elements first: what is left of them would be taken for something else.
    html = _LAUNCH_LINK.sub("", html)
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
