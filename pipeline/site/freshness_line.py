"""The freshness line below a page's title: release, state of its code, translated share, source.

The input is the results of a run; the output is HTML. All words come from the tables in ``texts``,
and every inserted value is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from msgspec import Struct

from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.site.names import ShownOutputs
from pipeline.site.texts import text, words


def freshness(
    page: PageResult,
    lock: Lock,
    *,
    locale: str,
    sources: Mapping[str, str] | None = None,
    license_name: str = "",
    is_notebook: bool = True,
    outputs: ShownOutputs = ShownOutputs.RAN,
    fuzzy: int = 0,
) -> str:
    """Return the freshness line as HTML, with ``·`` between its parts.

    ``JAX 0.10.2 · 上游提交 <code>…</code>（<time>2026-06-01</time>） · … · 已译 64 % · 译自 …``

    Only a page that ``is_notebook`` has a part about its code; ``outputs`` is the kind of outputs
    that it shows. ``fuzzy`` is the number of fuzzy translations on the page, including drafts.
    ``sources`` maps the names of the page's sources to their addresses.
    """
    line = _Line(locale=locale, page=page, lock=lock)
    # The parts are in the order in which readers ask: which release, how old, does it run, how much
    # is translated?
    parts = [escape(lock.release)] if lock.release else []
    parts.append(line.commit())
    if is_notebook and page.code_cells:
        parts += line.run(outputs)
    if page.words:
        parts.append(line.share())
    drafts = min(fuzzy, page.drafts)
    if fuzzy > drafts:
        parts.append(line.text("fuzzy", fuzzy=fuzzy - drafts))
    if drafts:
        parts.append(line.text("drafts", drafts=drafts))
    if page.rest_words:
        parts.append(line.text("rest", words=f"{page.rest_words:,}"))
    if page.files and not sources:
        sources = {page.files[0].path: ""}
    if sources:
        parts.append(line.source(sources, license_name))
    return " · ".join(parts)


def shared_line(releases: Mapping[str, str], *, locale: str, has_code: bool) -> str:
    """Return a sentence as HTML: these other releases have the same page.

    ``releases`` maps the names of these releases to the addresses of their first pages. If the page
    ``has_code``, the sentence adds that the code did not run on them.
    """
    said = words(locale, "freshness")["shared code" if has_code else "shared"]
    return said.format(releases=_links(releases, locale))


def _links(addresses: Mapping[str, str], locale: str) -> str:
    """Return a list of links as HTML. A name without an address becomes code."""
    links: list[str] = []
    for path, url in addresses.items():
        name = escape(path)
        links.append(f'<a href="{escape(url)}">{name}</a>' if url else f"<code>{name}</code>")
    return text(locale, "list").join(links)


class _Line(Struct, frozen=True, kw_only=True):
    """Renderer of the parts of one page's line."""

    locale: str
    page: PageResult
    lock: Lock

    def text(self, key: str, **values: object) -> str:
        """Return a text of the table with its fields filled in. Values must be HTML already."""
        return words(self.locale, "freshness")[key].format(**values)

    def commit(self) -> str:
        """Return the upstream commit that the page was made from, with its date."""
        commit = f"<code>{escape(self.lock.commit[:12])}</code>"
        # If upstream is a folder without git, the "commit" is a digest of its files, without date.
        if not self.lock.date:
            return self.text("folder", commit=commit)
        date = self.text("date", date=escape(self.lock.date[:10]))
        return self.text("commit", commit=commit) + date

    def run(self, outputs: ShownOutputs) -> Iterator[str]:
        """Yield whether the code ran, and which outputs are shown."""
        run = self.page.execution
        if outputs in (ShownOutputs.STORED, ShownOutputs.UNRUN):
            sentence = self.text("not run", on=self.on_release())
            yield f'<span class="jz-run jz-run-skipped">{sentence}</span>'
            if outputs is ShownOutputs.STORED:
                yield self.text("stored")
            return
        if run is None:
            # This run executed no code. If there are outputs, they come from an earlier run.
            has_outputs = outputs is ShownOutputs.RAN
            yield self.text("earlier" if has_outputs else "missing")
            return
        sentence = self.text(
            run.status,
            cells=run.cells,
            total=run.total,
            on=self.on_release(),
            note=self._bracket(run.note),
            reason=self._reason(run),
        )
        yield f'<span class="jz-run jz-run-{run.status}">{sentence}</span>'
        # Code that was skipped on purpose has no outputs. Do not report these outputs as missing.
        if outputs is ShownOutputs.MISSING and run.status is not Status.SKIPPED:
            yield self.text("missing")

    def on_release(self) -> str:
        """Return the release that the code ran on, as part of a sentence; empty if unpinned."""
        if not self.lock.release:
            return ""
        return self.text("on", release=escape(self.lock.release))

    def share(self) -> str:
        """Return the translated share of the page's words."""
        if not self.page.translated_words:
            return self.text("nothing")
        # Round down, so that 100 means complete.
        share = self.text("share", share=100 * self.page.translated_words // self.page.words)
        # By this class, the extension finds the share, to replace it on a page that is shown as
        # source.
        return f'<span class="jz-share">{share}</span>'

    def source(self, sources: Mapping[str, str], license_name: str) -> str:
        """Return a sentence with the page's sources and licence, as the licence requires."""
        link = _links(sources, self.locale)
        # The sentence must not call a page without translations a translation.
        key = "source" if self.page.translated else "english"
        sentence = self.text(key, source=link)
        # If no licence is configured, the sentence names none.
        if license_name:
            sentence += self.text("license", license=escape(license_name))
        return sentence

    def _reason(self, run: Execution) -> str:
        """Return the reason in one word, with the full reason as a tooltip.

        ``accelerator: from cell 5 on`` → ``（<span title="accelerator: …">需要加速器</span>）``
        """
        if run.failure:
            return self._bracket(run.failure.exception, title=run.reason)
        return self._bracket(run.reason.partition(":")[0], title=run.reason)

    def _bracket(self, text: str, *, title: str = "") -> str:
        """Return a word in brackets, as the language writes them; empty if there is no word."""
        if not text:
            return ""
        # If the table lacks the word, show it unchanged.
        html = escape(words(self.locale, "reasons").get(text, text))
        if title:
            html = f'<span title="{escape(title)}">{html}</span>'
        return self.text("bracket", words=html)
