"""The line under the title of every page: how fresh the page is, and what became of its code.

It also tells how much of the page is translated, and where it is from. Facts of the run come in,
a line of HTML goes out. All words stand in the tables of ``pipeline.site.texts``; what is filled
into them is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.site.texts import text, words


def freshness(
    page: PageResult,
    lock: Lock,
    *,
    locale: str,
    sources: Mapping[str, str] | None = None,
    license_name: str = "",
    is_notebook: bool = True,
    has_outputs: bool = True,
    fuzzy: int = 0,
) -> str:
    """Return the line as HTML, its parts separated by ``·``.

    ``JAX 0.10.2 · 上游提交 <code>…</code>（<time>2026-06-01</time>） · … · 已译 64 % · 译自 …``

    Of code it tells if the page ``is_notebook``; ``has_outputs`` means that the page shows what its
    code printed. ``fuzzy`` is the number of translations on it that wait for a person; the
    ``drafts`` of the page are among them. ``sources`` are the documents that it is made of, its own
    first, with their addresses.
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
    if page.rest_words:
        parts.append(line.say("rest", words=f"{page.rest_words:,}"))
    if page.files:
        sources = sources or {page.files[0].path: ""}
        parts.append(line.source(sources, license_name))
    return " · ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """The parts of one page's line."""

    locale: str
    page: PageResult
    lock: Lock

    def say(self, key: str, **values: object) -> str:
        """Return a text of the table, filled with values that are HTML already."""
        return words(self.locale, "freshness")[key].format(**values)

    def commit(self) -> str:
        """Return the state of upstream that the page was made of."""
        commit = f"<code>{escape(self.lock.commit[:12])}</code>"
        # What was pulled from a plain folder has no date: "commit" is then a digest of the folder.
        if not self.lock.date:
            return self.say("folder", commit=commit)
        date = self.say("date", date=escape(self.lock.date[:10]))
        return self.say("commit", commit=commit) + date

    def run(self, *, has_outputs: bool) -> Iterator[str]:
        """Yield whether the code ran, and whether its outputs are there."""
        run = self.page.execution
        if run is None:
            # This build ran no code at all; outputs that are there were made by one before.
            yield self.say("earlier" if has_outputs else "missing")
            return
        told = self.say(
            run.status,
            cells=run.cells,
            total=run.total,
            on=self.on_release(),
            note=self._bracket(run.note),
            reason=self._reason(run),
        )
        yield f'<span class="jz-run jz-run-{run.status}">{told}</span>'
        # Of code that did not run nobody expects any.
        if not has_outputs and run.status is not Status.SKIPPED:
            yield self.say("missing")

    def on_release(self) -> str:
        """Return the release that code ran on, as part of a sentence; empty if none is pinned."""
        if not self.lock.release:
            return ""
        return self.say("on", release=escape(self.lock.release))

    def share(self) -> str:
        """Return how much of the page is translated, by its words."""
        if not self.page.translated_words:
            return self.say("nothing")
        # Rounded down: 100 only where all is done.
        share = self.say(
            "share", share=100 * self.page.translated_words // self.page.words
        )
        # Our extension says something else of a page that it cannot show.
        return f'<span class="jz-share">{share}</span>'

    def source(self, sources: Mapping[str, str], license_name: str) -> str:
        """Return where the page comes from, as the licence requires."""
        links: list[str] = []
        for path, url in sources.items():
            name = escape(path)
            links.append(
                f'<a href="{escape(url)}">{name}</a>' if url else f"<code>{name}</code>"
            )
        link = text(self.locale, "list").join(links)
        # Where nothing is translated the page is the original.
        key = "source" if self.page.translated else "english"
        told = self.say(key, source=link)
        # Where no licence is configured, none is claimed.
        if license_name:
            told += self.say("license", license=escape(license_name))
        return told

    def _reason(self, run: Execution) -> str:
        """Return the reason in one word; its title has the whole reason.

        ``accelerator: from cell 5 on`` → ``（<span title="accelerator: …">需要加速器</span>）``
        """
        if run.failure:
            return self._bracket(run.failure.exception, title=run.reason)
        return self._bracket(run.reason.partition(":")[0], title=run.reason)

    def _bracket(self, text: str, *, title: str = "") -> str:
        """Return a word in the brackets of the language; empty without one."""
        if not text:
            return ""
        # What the table does not have is shown as it is.
        html = escape(words(self.locale, "reasons").get(text, text))
        if title:
            html = f'<span title="{escape(title)}">{html}</span>'
        return self.say("bracket", words=html)
