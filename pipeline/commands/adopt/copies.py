"""The files that a person gives: found, read, and told what they are.

In go words of the command line, out come texts with their form. What cannot be a copy of a page is
refused with what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.copies import decode, html_to_markdown
from pipeline.adapters.files import files_below, read_bytes
from pipeline.config.suggesting import did_you_mean
from pipeline.core.adoption.evidence import count_han
from pipeline.core.adoption.reading import Form
from pipeline.errors import ConfigError, InputError

LARGEST = 8 << 20  # bytes of a copy; the largest page of upstream's has less than 3 MB
_HTML = re.compile(
    r"^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body|div|article|main)\b",
    re.IGNORECASE,
)
_NOTEBOOK = re.compile(r'^\s*\{.*"(?:cells|worksheets)"\s*:', re.DOTALL)
_CATALOG = re.compile(r'^msgid "', re.MULTILINE)
# A fence with what stands in it; its own mark closes it.
_FENCED = re.compile(
    r"^(?P<mark>`{3,}|~{3,})[ \t]*(?:po|pot|gettext)?[ \t]*\n(?P<inner>.*?)^(?P=mark)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_LETTER = re.compile(r"[^\W\d_]")
_FOREIGN = 0.1  # share of the letters; a Chinese page quotes a word or two at most
_FORMS = {
    ".ipynb": Form.NOTEBOOK,
    ".md": Form.MARKDOWN,
    ".markdown": Form.MARKDOWN,
    ".myst": Form.MARKDOWN,
    ".rst": Form.RST,
    ".rest": Form.RST,
    ".txt": Form.PLAIN,
}
_PAGES = (*_FORMS, ".html", ".htm", ".xhtml", ".po")
_OTHERS = {
    ".doc": "a Word document",
    ".docx": "a Word document",
    ".pdf": "a PDF",
    ".zip": "an archive",
    ".gz": "an archive",
    ".mht": "a web archive",
    ".mhtml": "a web archive",
}
_FEWEST = 20  # Chinese characters of a page


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyFile:
    """A copy as text. ``form`` is None for a catalogue, whose bytes are in ``data``."""

    name: str  # as it was given
    text: str
    form: Form | None
    shown_form: str
    encoding: str
    data: bytes = b""

    @property
    def stem(self) -> str:
        """The name of the file alone: it may be that of the page."""
        return Path(self.name).name.partition(".")[0]


def find_files(words: Sequence[str]) -> list[Path]:
    """The files that words of the command line stand for; of a folder all that may be pages.

    Raises ConfigError if one does not exist, or a folder has none.
    """
    found: dict[Path, None] = {}
    for word in words:
        path = Path(word)
        if path.is_dir():
            files = files_below(path, "")
            pages = [file for file in files if file.suffix.lower() in _PAGES]
            if not pages:
                raise ConfigError(
                    f"the folder {word!r} has no page",
                    hint=f"Pages end in {', '.join(_PAGES)}.",
                )
            found.update(dict.fromkeys(pages))
        elif path.exists():
            found[path] = None
        else:
            near = (
                [file.name for file in path.parent.glob("*")]
                if path.parent.is_dir()
                else []
            )
            raise ConfigError(
                f"no file or folder is called {word!r}",
                hint=f"{did_you_mean(path.name, near)}Give the file of a translated page.",
            )
    return list(found)


def read_file(path: Path) -> CopyFile:
    """The text of a file. Raises InputError if it is no page, or no Chinese."""
    name = path.as_posix()
    suffix = path.suffix.lower()
    if kind := _OTHERS.get(suffix):
        raise InputError(
            f"is {kind}",
            where=name,
            hint="Save it as a web page or as text, and adopt that.",
        )
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # reading it says what is wrong
    if size > LARGEST:
        raise InputError(
            f"has {size / (1 << 20):.0f} MB, and no page has more than {LARGEST >> 20}",
            where=name,
            hint="Take out pictures and outputs, or save the text alone.",
        )
    data = read_bytes(path)
    decoded = decode(data, where=name)
    entries = _fenced_entries(decoded.text)
    is_catalog = suffix not in _PAGES and _CATALOG.search(decoded.text)
    if suffix == ".po" or entries or is_catalog:
        text = entries or decoded.text
        return CopyFile(
            name=name,
            text=text,
            form=None,
            shown_form="suggestion" if entries else "catalogue",
            encoding=decoded.encoding,
            data=text.encode("utf-8"),
        )
    form = _FORMS.get(suffix, Form.PLAIN)
    text, shown = decoded.text, str(form)
    if suffix in (".html", ".htm", ".xhtml") or _HTML.match(text):
        text = html_to_markdown(text, where=name)
        form, shown = Form.MARKDOWN, "HTML"
    elif _NOTEBOOK.match(text):
        form, shown = Form.NOTEBOOK, "notebook"
    _check_language(text if form is not Form.NOTEBOOK else _unescaped(text), name)
    return CopyFile(
        name=name, text=text, form=form, shown_form=shown, encoding=decoded.encoding
    )


def _fenced_entries(text: str) -> str:
    """The entries of a catalogue that stand in fences, as in an issue; empty if there are none."""
    lines = text.replace("\r\n", "\n")
    fenced = [match["inner"] for match in _FENCED.finditer(lines)]
    return "\n\n".join(inner for inner in fenced if _CATALOG.search(inner))


def _unescaped(text: str) -> str:
    """The text of a notebook's JSON, whose Chinese may be escaped."""
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)


def _check_language(text: str, name: str) -> None:
    """Raise InputError unless there is Chinese in the text."""
    letters = max(1, len(_LETTER.findall(text)))
    for pattern, language in ((_KANA, "Japanese"), (_HANGUL, "Korean")):
        if len(pattern.findall(text)) > _FOREIGN * min(
            letters, max(1, count_han(text))
        ):
            raise InputError(
                f"is {language}, not Chinese",
                where=name,
                hint="Only Chinese copies can be adopted.",
            )
    count = count_han(text)
    if count < _FEWEST:
        what = (
            "has no Chinese: it is the English page"
            if not count
            else "has next to no Chinese"
        )
        raise InputError(
            what,
            where=name,
            hint="Give the translated page; English is pulled from upstream.",
        )


def each_file(paths: Sequence[Path]) -> Iterator[tuple[Path, CopyFile | InputError]]:
    """Every file, read, or why it cannot be."""
    for path in paths:
        try:
            yield path, read_file(path)
        except InputError as error:
            yield path, error
