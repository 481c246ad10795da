"""The line under the title of every page with a translation: where it comes from, and under which terms."""

from __future__ import annotations

from pipeline.core.pin.lock import Lock

_TEMPLATES = {
    "zh_CN": "本页译自 {source}（{version}），译文与原文均以 {license} 许可证发布。",
}
_DEFAULT = (
    "Translated from {source} ({version}). Original and translation are licensed under {license}."
)
_COMMIT = {"zh_CN": "JAX {jax}，提交 {commit}"}
_DEFAULT_COMMIT = "JAX {jax}, commit {commit}"


def attribution(*, locale: str, path: str, lock: Lock, page_url: str, license_name: str) -> str:
    """One line of Markdown, or of reStructuredText if ``path`` is written in that.

    ``page_url`` is a template with ``{ref}``, ``{commit}`` and ``{path}``, or empty.
    """
    label = path.removeprefix("./")
    url = page_url.format(ref=lock.ref, commit=lock.commit, path=path) if page_url else ""
    is_rst = path.endswith(".rst")
    mark = "``" if is_rst else "`"
    link = f"`{label} <{url}>`__" if is_rst else f"[{label}]({url})"
    source = link if url else f"{mark}{label}{mark}"
    version = _COMMIT.get(locale, _DEFAULT_COMMIT).format(
        jax=lock.jax, commit=f"{mark}{lock.commit[:12]}{mark}"
    )
    return _TEMPLATES.get(locale, _DEFAULT).format(
        source=source, version=version, license=license_name or "Apache-2.0"
    )
