"""The line under the title of every page with a translation: its source and its terms.

This is its text; where it stands is a matter of the language that the page is written in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.core.pin.lock import Lock

_TEMPLATES = {
    "zh_CN": "本页译自 {source}（{version}），译文与原文均以 {license} 许可证发布。",
}
_DEFAULT = (
    "Translated from {source} ({version}). "
    "Original and translation are licensed under {license}."
)
_COMMIT = {"zh_CN": "JAX {jax}，提交 {commit}"}
_DEFAULT_COMMIT = "JAX {jax}, commit {commit}"
_CREDIT = {"zh_CN": "部分译文采自 {author}（{licence}）。"}
_DEFAULT_CREDIT = " Some of the translation is by {author} ({licence})."
_NO_NAME = re.compile(r"[^\w .'-]+")  # what could be mark-up, in a name or a licence
_DEFAULT_LICENSE = "Apache-2.0"
_COMMIT_LENGTH = 12  # characters of a commit that are shown


def attribution(
    *,
    locale: str,
    path: str,
    lock: Lock,
    page_url: str,
    license_name: str,
    adopted: Iterable[tuple[str, str]] = (),
) -> str:
    """One line of Markdown, or of reStructuredText if ``path`` is written in that.

    ``page_url`` is a template with ``{ref}``, ``{commit}`` and ``{path}``, or empty. ``adopted``
    are the authors of translations that were adopted, each with the licence.
    """
    is_rst = path.endswith(".rst")
    mark = "``" if is_rst else "`"
    label = path.removeprefix("./")
    source = f"{mark}{label}{mark}"
    if page_url:
        url = page_url.format(ref=lock.ref, commit=lock.commit, path=path)
        source = f"`{label} <{url}>`__" if is_rst else f"[{label}]({url})"
    version = _COMMIT.get(locale, _DEFAULT_COMMIT).format(
        jax=lock.jax, commit=f"{mark}{lock.commit[:_COMMIT_LENGTH]}{mark}"
    )
    line = _TEMPLATES.get(locale, _DEFAULT).format(
        source=source, version=version, license=license_name or _DEFAULT_LICENSE
    )
    credit = _CREDIT.get(locale, _DEFAULT_CREDIT)
    for author, licence in adopted:
        # "Li Lei <li@example.org>" → "Li Lei": readers need no address.
        name = _NO_NAME.sub("", author.partition(" <")[0])
        line += credit.format(author=name, licence=_NO_NAME.sub("", licence))
    return line
