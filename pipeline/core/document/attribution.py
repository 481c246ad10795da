"""Attribution: the line under the title of a translated page that names its source and licence.

This module builds the text of the line from ``attribution.toml``. The placement modules of
``markdown/`` and ``rst/`` put it into the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from pipeline.core.pin.lock import DOCSTRING_SUFFIX, Lock
from pipeline.tables import read_table

_TEXTS = read_table(__name__, "attribution")
# Characters that a name or a licence does not need, because they may be markup.
_NO_NAME = re.compile(r"[^\w .'-]+")
# Characters that Markdown or reST could parse as markup, or that would end a URL. The colon is
# among them because reST turns "javascript:…" into a link anywhere in a sentence.
_MARKUP = re.compile(r"[\\`*<>&$|\[\]]|(?<=script):|(?<=data):", re.IGNORECASE)
_NO_ADDRESS = re.compile(r"[\s<>()\"'`\\\[\]]")
_COMMIT_LENGTH = 12  # number of characters of the commit id that the line shows


def attribution(
    *,
    locale: str,
    path: str,
    lock: Lock,
    page_url: str,
    license_name: str,
    adopted: Iterable[tuple[str, str]] = (),
) -> str:
    """Return the attribution of a page as one line, or an empty string for a docstring.

    The line is reST if ``path`` ends with ``.rst``, otherwise Markdown.

    ``page_url`` is a template with ``{ref}``, ``{commit}`` and ``{path}``, or empty. ``adopted``
    has the author and the licence of each set of translations that was adopted from elsewhere.
    """
    if path.endswith(DOCSTRING_SUFFIX):
        return ""  # a docstring has no title; the page that shows it names the source
    is_rst = path.endswith(".rst")
    mark = "``" if is_rst else "`"
    label = lock.docs.shown(path).removeprefix("./")
    # A backtick in the name would end the code span.
    source = _plain(label) if "`" in label else f"{mark}{label}{mark}"
    if page_url:
        url = address_of_page(page_url, lock, path)
        label = _plain(label)
        source = f"`{label} <{url}>`__" if is_rst else f"[{label}]({url})"
    texts = _TEXTS.get(locale, _TEXTS["default"])
    version = texts["release" if lock.release else "commit"].format(
        release=_plain(lock.release),
        commit=f"{mark}{lock.commit[:_COMMIT_LENGTH]}{mark}",
    )
    template = texts["licensed" if license_name else "unlicensed"]
    line: str = template.format(source=source, version=version, license=_plain(license_name))
    for author, licence in adopted:
        # Leave out the e-mail address: "Li Lei <li@example.org>" → "Li Lei".
        name = _NO_NAME.sub("", author.partition(" <")[0])
        line += texts["credit"].format(author=name, licence=_NO_NAME.sub("", licence))
    return line


def address_of_page(template: str, lock: Lock, path: str) -> str:
    """Return the URL at which upstream shows the file ``path``.

    ``template`` is the ``page_url`` of :func:`attribution`.
    """
    path = _NO_ADDRESS.sub(lambda letter: quote(letter[0]), lock.docs.shown(path))
    return template.format(ref=lock.ref, commit=lock.commit, path=path)


def _plain(words: str) -> str:
    """Return ``words`` escaped, so that neither Markdown nor reST finds markup in them."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(words.split()))
