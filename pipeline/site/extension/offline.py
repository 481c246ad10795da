"""No page asks another machine for anything: what would be fetched when a page is read becomes a link, or goes away."""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.nodes import write_html
from pipeline.site.extension.stubs import elsewhere

_LAUNCHERS = re.compile(
    r"https?://(?:colab\.research\.google\.com|(?:www\.)?kaggle\.com|mybinder\.org)/"
)
_REMOTE = re.compile(r"(?:https?:)?//")
_LAUNCH_LINK = re.compile(
    r"<a\b[^>]*\bhref=[\"']?" + _LAUNCHERS.pattern + r"[^>]*>.*?</a>", re.IGNORECASE | re.DOTALL
)
_SCRIPT = re.compile(r"<script\b[^>]*\bsrc=[\"']?(?:https?:)?//[^>]*>\s*</script>", re.IGNORECASE)
_STYLE = re.compile(
    r"<link\b[^>]*\bhref=[\"']?(?:https?:)?//[^>]*>|@import\s+(?:url\()?[\"']?(?:https?:)?//[^;]*;",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"<(iframe|video|audio|embed)\b[^>]*?\bsrc=([\"'])((?:https?:)?//.*?)\2[^>]*>(?:.*?</\1>)?",
    re.IGNORECASE | re.DOTALL,
)
_LOADED = re.compile(
    r"<(?:script|link)\b[^>]*?\b(?:src|href)=[\"']([^\"']+)[\"'][^>]*>(?:\s*</script>)?",
    re.IGNORECASE,
)
_CALL = re.compile(r"<script\b(?![^>]*\bsrc=)[^>]*>.*?</script>", re.IGNORECASE | re.DOTALL)
_IMAGE = re.compile(
    r"<img\b[^>]*?\bsrc=([\"'])((?:https?:)?//.*?)\1[^>]*>", re.IGNORECASE | re.DOTALL
)
_ALT = re.compile(r"\balt=([\"'])(.*?)\1", re.IGNORECASE | re.DOTALL)
_URL = re.compile(r"url\(\s*[\"']?(?:https?:)?//[^)]*\)", re.IGNORECASE)


class StayOffline(SphinxTransform):
    """Comes before Sphinx looks for the files of images."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Replace remote images and what HTML would fetch; badges that start the English notebook go: ours is started under the title."""
        for link in list(self.document.findall(nodes.reference)):
            if _LAUNCHERS.match(link.get("refuri", "")) and any(link.findall(nodes.image)):
                _remove_badge(link)
        for image in list(self.document.findall(nodes.image)):
            if _REMOTE.match(image.get("uri", "")):
                _replace_image(image)
        self._lacks_scripts = False
        for raw in list(self.document.findall(nodes.raw)):
            if "html" in raw.get("format", "").split():
                self._keep_what_works(raw)

    def _keep_what_works(self, raw: nodes.raw) -> None:
        """Scripts of a page that lacks one do not run: what they would show is a link away."""
        html = _LOADED.sub(self._if_there, raw.astext())
        html = without_remote(html) if "//" in html else html
        if self._lacks_scripts and _CALL.search(html):
            html = _CALL.sub("", html)
            raw.parent.insert(raw.parent.index(raw) + 1, elsewhere(self.env))
        write_html(raw, html)

    def _if_there(self, match: re.Match[str]) -> str:
        """A script or style sheet of upstream's, if it was pulled."""
        path = match[1].partition("?")[0]
        folder = Path(self.env.doc2path(self.env.docname)).parent
        is_remote = "//" in path
        is_there = path.startswith("data:") or (not is_remote and (folder / path).is_file())
        self._lacks_scripts |= not is_there and match[0].lower().startswith("<script")
        return match[0] if is_there or is_remote else ""


def _remove_badge(link: nodes.reference) -> None:
    above = link.parent
    above.remove(link)
    if (
        isinstance(above, nodes.paragraph)
        and not above.astext().strip()
        and not any(above.findall(nodes.image))
    ):
        above.parent.remove(above)


def _replace_image(image: nodes.image) -> None:
    words = image.get("alt") or image["uri"].rpartition("/")[2] or image["uri"]
    if isinstance(image.parent, nodes.reference):
        image.parent.replace(image, nodes.Text(words))
        return
    link = nodes.reference("", words, refuri=image["uri"], classes=["jz-remote"])
    inside = isinstance(image.parent, nodes.TextElement)
    image.parent.replace(image, link if inside else nodes.paragraph("", "", link))


def without_remote(html: str) -> str:
    """A piece of HTML that fetches nothing from elsewhere."""
    html = _STYLE.sub("", _SCRIPT.sub("", _LAUNCH_LINK.sub("", html)))
    html = _FRAME.sub(lambda match: _link(match[3], ""), html)
    html = _IMAGE.sub(
        lambda match: _link(match[2], found[2] if (found := _ALT.search(match[0])) else ""), html
    )
    return _URL.sub("none", html)


def _link(url: str, words: str) -> str:
    return f'<a class="jz-remote" href="{escape(unescape(url))}">{escape(unescape(words)) or escape(unescape(url))}</a>'
