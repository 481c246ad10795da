"""The line under the title of every page: how fresh the page is, and what became of its code.

It also tells how much of the page is translated, and where it is from. Facts of the run come in,
a line of HTML goes out. All words stand in the two tables; what is filled into them is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult

_CHINESE = {
    "commit": "上游提交 {commit}",
    "folder": "上游版本 {commit}",
    "date": "（<time>{date}</time>）",
    "passed": "全部 {total} 个代码单元已{on}运行{note}",
    "partial": "{total} 个代码单元中有 {cells} 个已{on}运行{note}，其余未运行{reason}",
    "failed": "代码{on}运行出错{reason}",
    "skipped": "代码未运行{reason}",
    "missing": "未附运行结果",
    "earlier": "运行结果来自较早的一次构建",
    "share": "已译 {share} %",
    "nothing": "尚未翻译，以下为英文原文",
    "fuzzy": "{fuzzy} 段译文待核对",
    "drafts": "{drafts} 段机器草稿",
    "on": "在 {release} 上",
    "source": "译自 {source}",
    "english": "原文 {source}",
    "license": "，{license} 许可证",
    "bracket": "（{words}）",
}
_ENGLISH = {
    "commit": "upstream commit {commit}",
    "folder": "upstream version {commit}",
    "date": " (<time>{date}</time>)",
    "passed": "all {total} code cells ran{on}{note}",
    "partial": "{cells} of {total} code cells ran{on}{note}, the others did not{reason}",
    "failed": "the code failed{on}{reason}",
    "skipped": "the code did not run{reason}",
    "missing": "without outputs",
    "earlier": "outputs of an earlier build",
    "share": "{share} % translated",
    "nothing": "not translated yet: this is the original",
    "fuzzy": "{fuzzy} translations to be reviewed",
    "drafts": "{drafts} machine drafts",
    "on": " on {release}",
    "source": "translated from {source}",
    "english": "original {source}",
    "license": ", licence {license}",
    "bracket": " ({words})",
}
# Why code did not run, in one word: what the table does not have is shown as it is.
_REASONS = {
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
    """HTML, its parts set apart by ``·``.

    ``JAX 0.10.2 · 上游提交 <code>…</code>（<time>2026-06-01</time>） · … · 已译 64 % · 译自 …``

    Of code it tells if the page ``is_notebook``; ``has_outputs`` means that the page shows what its
    code printed. ``fuzzy`` is the number of translations on it that wait for a person; the
    ``drafts`` of the page are among them.
    """
    line = _Line(locale=locale, page=page, lock=lock)
    # In the order in which readers ask: of what, since when, does it run, how much is Chinese.
    parts = [escape(lock.release)] if lock.release else []
    parts.append(line.commit())
    if is_notebook and page.code_cells:
        parts += line.run(has_outputs=has_outputs)
    if page.words:
        parts.append(line.share())
    drafts = min(fuzzy, page.drafts)
    if fuzzy > drafts:
        parts.append(line.say("fuzzy", fuzzy=fuzzy - drafts))
    if drafts:
        parts.append(line.say("drafts", drafts=drafts))
    if page.files:
        parts.append(line.source(source_url, license_name))
    return " · ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """The parts of one page's line."""

    locale: str
    page: PageResult
    lock: Lock

    @property
    def is_chinese(self) -> bool:
        """Whether the line is in Chinese; for all other locales it is in English."""
        return self.locale == "zh_CN"

    def say(self, key: str, **values: object) -> str:
        """A text of the table, with values that are HTML already."""
        # Other locales have the texts in English.
        texts = _CHINESE if self.is_chinese else _ENGLISH
        return texts[key].format(**values)

    def commit(self) -> str:
        """The state of upstream that the page was made of."""
        commit = f"<code>{escape(self.lock.commit[:12])}</code>"
        # What was pulled from a plain folder has no date: "commit" is then a digest of the folder.
        if not self.lock.date:
            return self.say("folder", commit=commit)
        date = self.say("date", date=escape(self.lock.date[:10]))
        return self.say("commit", commit=commit) + date

    def run(self, *, has_outputs: bool) -> Iterator[str]:
        """Whether the code ran, and whether what it printed is there."""
        run = self.page.execution
        if run is None:
            # This build ran no code at all; outputs that are there were made by one before.
            yield self.say("earlier" if has_outputs else "missing")
            return
        words = self.say(
            run.status,
            cells=run.cells,
            total=run.total,
            on=self.on_release(),
            note=self._bracket(run.note),
            reason=self._reason(run),
        )
        yield f'<span class="jz-run jz-run-{run.status}">{words}</span>'
        # Of code that did not run nobody expects any.
        if not has_outputs and run.status is not Status.SKIPPED:
            yield self.say("missing")

    def on_release(self) -> str:
        """What code ran on, as it stands in a sentence; empty if no version is pinned."""
        if not self.lock.release:
            return ""
        return self.say("on", release=escape(self.lock.release))

    def share(self) -> str:
        """How much of the page is translated, by its words."""
        if not self.page.translated_words:
            return self.say("nothing")
        # Rounded down: 100 only where all is done.
        share = self.say(
            "share", share=100 * self.page.translated_words // self.page.words
        )
        # Our extension says something else of a page that it cannot show.
        return f'<span class="jz-share">{share}</span>'

    def source(self, url: str, license_name: str) -> str:
        """Whose words these are: the licence asks for it."""
        path = escape(self.page.files[0].path)
        link = f'<a href="{escape(url)}">{path}</a>' if url else f"<code>{path}</code>"
        # Where nothing is translated the page is the original.
        key = "source" if self.page.translated else "english"
        words = self.say(key, source=link)
        # Where no licence is configured, none is claimed.
        if license_name:
            words += self.say("license", license=escape(license_name))
        return words

    def _reason(self, run: Execution) -> str:
        """Why, in one word; the whole of it is shown when one points at it.

        ``accelerator: from cell 5 on`` → ``（<span title="accelerator: …">需要加速器</span>）``
        """
        if run.failure:
            return self._bracket(run.failure.exception, title=run.reason)
        return self._bracket(run.reason.partition(":")[0], title=run.reason)

    def _bracket(self, text: str, *, title: str = "") -> str:
        """A word in the brackets of the language; empty without one."""
        if not text:
            return ""
        reasons = _REASONS if self.is_chinese else {}
        words = escape(reasons.get(text, text))
        if title:
            words = f'<span title="{escape(title)}">{words}</span>'
        return self.say("bracket", words=words)
