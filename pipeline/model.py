"""All records that pass between stages. Frozen: to change one, make a changed copy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pipeline.errors import ExecutionError, FindingsError, PipelineError, worst


class Kind(StrEnum):
    """What block of a page a message was taken from."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list item"
    TABLE_CELL = "table cell"
    QUOTE = "quote"
    FOOTNOTE = "footnote"
    TERM = "definition term"
    DEFINITION = "definition"
    ADMONITION = "admonition"
    TITLE = "directive title"
    CAPTION = "caption"
    HTML = "html"
    IMAGE = "image text"


class Markup(StrEnum):
    """In which language a message is marked up."""

    MARKDOWN = "Markdown"
    RST = "reST"


class Severity(StrEnum):
    """How much a finding weighs. Only ``ERROR`` makes a run end with a non-zero code."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class Status(StrEnum):
    """How the execution of a page ended."""

    PASSED = "passed"
    PARTIAL = "partial"  # up to a cell that this machine cannot run; the reason says why
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One upstream document. ``path`` is POSIX, relative to the docs folder, with suffix."""

    path: str
    blob: str  # git blob id of the content (40 hex digits), also for plain folders


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One upstream page: a single document, or a jupytext pair (``.ipynb`` first, then ``.md``).

    ``name`` is the path under the docs folder without suffix.
    """

    name: str
    files: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """What was pulled, as written to ``upstream/<name>.lock``."""

    url: str
    ref: str
    commit: str  # 40 hex digits; for a plain folder the digest of its listing
    date: str  # ISO 8601 with offset, of the commit; empty for a plain folder
    jax: str  # the JAX version that the pages are executed with
    docs: str  # docs folder inside the repository, POSIX
    files: tuple[SourceFile, ...]  # every file that was pulled, assets included, sorted by path


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a person should know. ``code`` is stable; ``where`` is ``file:line`` or ``page, cell N``."""

    code: str
    severity: Severity
    where: str
    text: str
    page: str = ""
    hint: str = ""
    exit_code: int = 1  # what a run ends with for it, if it is an ``ERROR``

    @classmethod
    def of(cls, error: PipelineError, *, page: str = "") -> Finding:
        """``error`` as a finding: for a page that fails while the others go on."""
        code = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__).lower()
        return cls(
            code=code,
            severity=Severity.ERROR,
            where=error.where or page,
            text=error.what,
            page=page,
            hint=error.hint,
            exit_code=error.exit_code,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One translatable block of prose, and what it takes to put a translation in its place.

    ``start``/``end`` are character offsets into the text that was split: a whole MyST page, or the
    source of one notebook cell. ``msgid`` is the block's Markdown with soft line breaks folded to a
    space and container prefixes removed; hard breaks are ``\\n``; payloads of data URIs are numbered.
    """

    msgid: str
    kind: Kind
    start: int
    end: int
    line: int  # 1-based, of the first line
    headings: tuple[str, ...] = ()  # titles of the sections around it, outermost first
    prefix: str = ""  # what continuation lines start with (quote marks, indentation); of a field of CSV its quotation mark
    breaks: tuple[str, ...] = ()  # how each hard break is marked: "\\" or spaces
    payloads: tuple[str, ...] = ()  # data URI payloads, in the order of their numbers
    is_top_level: bool = False  # stands in no list, quote, table or directive
    block_end: int = 0  # offset behind the block's last line, without its line end
    markup: Markup = Markup.MARKDOWN
    # Of reStructuredText only:
    pieces: tuple[tuple[int, int], ...] = ()  # the parts of the text that make up the message, where others lie between them
    rules: tuple[tuple[int, int], ...] = ()  # spans of a title's overline and underline
    mark: str = ""  # what stands behind the words within [start, end) and announces a literal block: "::"

    @property
    def section(self) -> str:
        """The titles around it in one line. A msgctxt that equals it names the place that its msgstr is for."""
        return " › ".join(self.headings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a catalogue. ``line`` is the 1-based line where it starts in the file read, or 0."""

    msgid: str
    msgstr: str = ""
    fuzzy: bool = False
    previous: str | None = None  # the msgid that a fuzzy msgstr was written for (``#| msgid``)
    context: str | None = None  # msgctxt
    obsolete: bool = False
    comments: tuple[str, ...] = ()  # translator comments, ``# ``
    notes: tuple[str, ...] = ()  # extracted comments, ``#. ``
    references: tuple[str, ...] = ()  # ``#: ``, page names
    flags: tuple[str, ...] = ()  # other flags than fuzzy
    line: int = 0

    @property
    def is_translated(self) -> bool:
        """Whether the translation may be shown to readers."""
        return bool(self.msgstr) and not self.fuzzy and not self.obsolete


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The catalogue of one page: header fields, the comment above them, entries in page order."""

    header: Mapping[str, str] = field(default_factory=dict)
    comment: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFailure:
    """Why the execution of a page stopped, at code cell ``cell`` (0-based index among all cells)."""

    cell: int
    source: str
    exception: str  # class name, e.g. ``ModuleNotFoundError``
    message: str
    traceback: str  # may hold colours (ANSI escape sequences)
    blame: str  # "upstream" | "environment" | "expectation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How the code cells of one page ran. ``seconds`` is wall time; ``cells`` counts code cells run.

    ``started`` (seconds since the run began) and ``worker`` (from 1; 0: not run now) are of this run: no report.json keeps them.
    """

    page: str
    status: Status
    reason: str = ""  # why skipped, why only in part, or a one-line summary of the failure
    cells: int = 0
    total: int = 0
    seconds: float = 0.0
    cached: bool = False
    failure: CellFailure | None = None
    note: str = ""  # how it ran, if not as it is: "in interpret mode", "with stand-in data"
    started: float = 0.0
    worker: int = 0
    cell_seconds: tuple[float, ...] = ()  # of each code cell that ran


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateCounts:
    """How the messages of one page came to their translations in one update."""

    kept: int = 0
    carried: int = 0  # finished translations taken from equal text elsewhere
    fuzzy: Mapping[str, int] = field(default_factory=dict)  # by class of change
    new: int = 0  # without any translation
    obsolete: int = 0
    moved_from: str = ""  # the page that most translations came from, if it is another one


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChange:
    """How the English of one page differs between two commits, in messages. Pages that are equal have none."""

    page: str
    appeared: bool = False
    vanished: bool = False
    renamed_from: str = ""  # the vanished page that most of the text stood on
    added: int = 0  # messages that stood nowhere before
    changed: int = 0  # messages like one that stood on the page before
    moved: int = 0  # messages that stood on another page
    dropped: int = 0
    words: int = 0  # English words of what was added or changed
    code_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two commits of one upstream. ``commits`` counts those on the way there and those on the way back."""

    before: Lock
    after: Lock
    pages: tuple[PageChange, ...]
    commits: tuple[int, int] | None = None  # None: the history between them is not known here


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """All that a run knows of one page in one locale: a row of ``report.json``."""

    page: str
    files: tuple[SourceFile, ...] = ()
    title: str = ""
    messages: int = 0
    words: int = 0
    translated: int = 0
    fuzzy: int = 0
    obsolete: int = 0
    translated_words: int = 0
    fuzzy_words: int = 0
    classes: Mapping[str, int] = field(default_factory=dict)  # fuzzy messages by class of change
    code_cells: int = 0
    findings: tuple[Finding, ...] = ()
    execution: Execution | None = None
    update: UpdateCounts | None = None  # of this run's update; no report keeps it

    @property
    def untranslated(self) -> int:
        """Messages without any msgstr."""
        return self.messages - self.translated - self.fuzzy


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPage:
    """What merge made of one page, kept for the next run: with an equal ``key`` it would make the same again."""

    key: str  # digest of all that merge reads for the page
    outputs: tuple[SourceFile, ...]  # what it wrote
    result: PageResult  # with merge's own findings only


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line asks of one run; defaults are already filled in from the settings."""

    ref: str | None = None  # instead of the configured one
    pages: tuple[str, ...] = ()  # glob patterns; empty: every page
    locales: tuple[str, ...] = ()
    jobs: int = 0  # kernels at a time; 0: one per core
    execute: bool = True
    check_only: bool = False  # compute, write nothing, end with 1 on a difference
    target: str = ""  # the release or ref to upgrade to
    jax: str | None = None  # the JAX version that goes with a target that is no release
    dry_run: bool = False  # compute, write nothing
    against: str | None = None  # the ref to compare the pin with
    badges: bool = False
    show_fuzzy: bool = False  # on the site
    retry_failed: bool = False  # run again what failed the last time
    use_cache: bool = True  # False: run everything again
    offline: bool = False  # kernels cannot reach the network
    shard: tuple[int, int] | None = None  # run only this part of the pages: number, of how many
    scheduler: str = ""  # address of a Dask cluster
    config: Path = Path("pyproject.toml")  # what the settings were read from
    summaries: tuple[Path, ...] = ()  # files that the run in short, as Markdown, is added to


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """All that one command found out about one upstream. ``pages`` is by locale, in page order."""

    name: str
    lock: Lock
    pages: Mapping[str, tuple[PageResult, ...]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()  # those that belong to no page
    changes: tuple[str, ...] = ()  # files written, or with ``check_only`` the files that would be
    check_only: bool = False
    dry_run: bool = False  # nothing was written, and ``changes`` are what would have been
    comparison: Comparison | None = None
    gone: Mapping[str, tuple[PageResult, ...]] = field(default_factory=dict)  # what is left of pages that upstream dropped, by locale

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Every finding of the run, once: those that two locales share are told once."""
        found = (finding for pages in (*self.gone.values(), *self.pages.values()) for page in pages for finding in page.findings)
        return tuple(dict.fromkeys((*self.findings, *found)))

    @property
    def executions(self) -> tuple[Execution, ...]:
        """How each page ran, once: code is the same in every locale."""
        ran = (page.execution for pages in self.pages.values() for page in pages if page.execution)
        return tuple({execution.page: execution for execution in ran}.values())

    @property
    def exit_code(self) -> int:
        """The worst of what was found (``errors.worst``); 1 if ``check_only`` and files differ."""
        codes = [finding.exit_code for finding in self.all_findings if finding.severity is Severity.ERROR]
        if any(execution.status is Status.FAILED for execution in self.executions):
            codes.append(ExecutionError.exit_code)
        if self.check_only and self.changes:
            codes.append(FindingsError.exit_code)
        return worst(codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """What a check found in a catalogue. ``file`` is as people read it; ``line`` is the entry's, from 1."""

    code: str
    name: str
    severity: Severity
    file: str
    line: int
    text: str
    hint: str
    page: str = ""
    section: str = ""  # titles of the sections around the message
    msgid: str = ""
    msgstr: str = ""
    spans: tuple[tuple[int, int], ...] = ()  # of the msgstr, in characters: the words that are wrong
    fixed: str | None = None  # the msgstr that ``--fix`` would make of it
    exit_code: int = 1  # what a run ends with for it, if it is an ``ERROR``


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What ``check`` found, in the order of files and entries."""

    mistakes: tuple[Mistake, ...] = ()
    files: int = 0
    entries: int = 0  # finished translations that were looked at
    silenced: int = 0  # mistakes that a comment or the configuration has taken out
    written: tuple[str, ...] = ()  # files that ``--fix`` mended
    diffs: str = ""  # what it changed
    strict: bool = False  # warnings count as errors

    @property
    def exit_code(self) -> int:
        """The worst of the errors; 1 for warnings if ``strict``."""
        bad = (Severity.ERROR, Severity.WARNING) if self.strict else (Severity.ERROR,)
        return worst(mistake.exit_code for mistake in self.mistakes if mistake.severity in bad)
