"""The line under the title of every page of the site: how fresh it is, whether its code ran, how much is translated, where it is from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult

_CHINESE = {
    "release": "JAX {jax}",
    "commit": "上游提交 {commit}",
    "folder": "上游版本 {commit}",
    "date": "（<time>{date}</time>）",
    "passed": "全部 {total} 个代码单元已在 JAX {jax} 上运行{note}",
    "partial": "{total} 个代码单元中有 {cells} 个已在 JAX {jax} 上运行{note}，其余未运行{reason}",
    "failed": "代码在 JAX {jax} 上运行出错{reason}",
    "skipped": "代码未运行{reason}",
    "missing": "未附运行结果",
    "earlier": "运行结果来自较早的一次构建",
    "share": "已译 {share} %",
    "nothing": "尚未翻译，以下为英文原文",
    "fuzzy": "{fuzzy} 段译文待核对",
    "source": "译自 {source}，{license} 许可证",
    "english": "原文 {source}，{license} 许可证",
}
_ENGLISH = {
    "release": "JAX {jax}",
    "commit": "upstream commit {commit}",
    "folder": "upstream version {commit}",
    "date": " (<time>{date}</time>)",
    "passed": "all {total} code cells ran on JAX {jax}{note}",
    "partial": "{cells} of {total} code cells ran on JAX {jax}{note}, the others did not{reason}",
    "failed": "the code failed on JAX {jax}{reason}",
    "skipped": "the code did not run{reason}",
    "missing": "without outputs",
    "earlier": "outputs of an earlier build",
    "share": "{share} % translated",
    "nothing": "not translated yet: this is the original",
    "fuzzy": "{fuzzy} translations to be reviewed",
    "source": "translated from {source}, licence {license}",
    "english": "original {source}, licence {license}",
}
_WORDS = {
    "accelerator": "需要加速器",
    "network data": "需要下载数据",
    "heavy package": "需要大型软件包",
    "upstream bug": "上游代码有误",
    "in interpret mode": "解释模式",
    "with stand-in data": "用替代数据",
}


def freshness(
    page: PageResult,
    lock: Lock,
    *,
    locale: str,
    source_url: str = "",
    license_name: str = "",
    is_notebook: bool = True,
    has_outputs: bool = True,
    fuzzy: int = 0,
) -> str:
    """HTML, the parts set apart by ``·``.

    Of code it tells if the page ``is_notebook``; ``has_outputs``: it shows what the code printed. ``fuzzy`` translations are shown.
    """
    texts = _CHINESE if locale == "zh_CN" else _ENGLISH
    parts = [texts["release"].format(jax=escape(lock.jax)), _commit(texts, lock)]
    if is_notebook and page.code_cells:
        parts += _run(texts, page, lock, has_outputs=has_outputs, locale=locale)
    if page.words:
        share = 100 * page.translated_words // page.words
        parts.append(texts["share" if page.translated_words else "nothing"].format(share=share))
    if fuzzy:
        parts.append(texts["fuzzy"].format(fuzzy=fuzzy))
    parts += _source(texts, page, source_url, license_name)
    return " · ".join(parts)


def _commit(texts: Mapping[str, str], lock: Lock) -> str:
    date = texts["date"].format(date=escape(lock.date[:10])) if lock.date else ""
    return (
        texts["commit" if lock.date else "folder"].format(
            commit=f"<code>{escape(lock.commit[:12])}</code>"
        )
        + date
    )


def _run(
    texts: Mapping[str, str], page: PageResult, lock: Lock, *, has_outputs: bool, locale: str
) -> Iterator[str]:
    run = page.execution
    if run is None:
        yield texts["earlier" if has_outputs else "missing"]
        return
    said = texts[run.status].format(
        cells=run.cells,
        total=run.total,
        jax=escape(lock.jax),
        note=_bracket(run.note, locale),
        reason=_reason(run, locale),
    )
    yield f'<span class="jz-run jz-run-{run.status}">{said}</span>'
    if not has_outputs and run.status is not Status.SKIPPED:
        yield texts["missing"]


def _reason(run: Execution, locale: str) -> str:
    """Why, in one word; the whole of it is shown when one points at it."""
    word = run.failure.exception if run.failure else run.reason.partition(":")[0]
    return _bracket(word, locale, title=run.reason)


def _bracket(text: str, locale: str, title: str = "") -> str:
    if not text:
        return ""
    known = _WORDS.get(text, text) if locale == "zh_CN" else text
    shown = f'<span title="{escape(title)}">{escape(known)}</span>' if title else escape(known)
    return f"（{shown}）" if locale == "zh_CN" else f" ({shown})"


def _source(
    texts: Mapping[str, str], page: PageResult, url: str, license_name: str
) -> Iterator[str]:
    if page.files:
        path = escape(page.files[0].path)
        link = f'<a href="{escape(url)}">{path}</a>' if url else f"<code>{path}</code>"
        yield texts["source" if page.translated else "english"].format(
            source=link, license=escape(license_name or "Apache-2.0")
        )
