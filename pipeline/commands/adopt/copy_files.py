"""Reader of the files that a user gives to ``adopt``.

The input is command-line arguments. The output is decoded texts with their format. A file that
cannot be a translated page is rejected; the error names the reason, for example its language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from pipeline.adapters.copies import decode, html_to_markdown
from pipeline.adapters.files import files_below, read_bytes
from pipeline.core.adoption.blocks import count_han
from pipeline.core.adoption.copy_reader import Form
from pipeline.errors import ConfigError, InputError, check_limit, did_you_mean
from pipeline.limits import COPY_BYTES

_HTML = re.compile(
    r"^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body|div|article|main)\b",
    re.IGNORECASE,
)
_NOTEBOOK = re.compile(r'^\s*\{.*"cells"\s*:', re.DOTALL)
_CATALOG = re.compile(r'^msgid "', re.MULTILINE)
# A fenced block, such as "```po … ```"; the closing fence is equal to the opening one.
_FENCED = re.compile(
    r"^(?P<mark>`{3,}|~{3,})[ \t]*(?:po|pot|gettext)?[ \t]*\n(?P<inner>.*?)^(?P=mark)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
# Letters of other languages that a Chinese page hardly ever has.
_OTHERS = (
    ("Japanese", re.compile("[\u3041-\u3096\u30a1-\u30fa]")),
    ("Korean", re.compile("[\uac00-\ud7a3]")),
)
_FOREIGN = 0.1  # maximum number of these letters per Chinese character
_FEWEST = 20  # minimum number of Chinese characters in a translated page
_FORMS = {
    ".ipynb": Form.NOTEBOOK,
    ".md": Form.MARKDOWN,
    ".markdown": Form.MARKDOWN,
    ".myst": Form.MARKDOWN,
    ".rst": Form.RST,
    ".rest": Form.RST,
    ".txt": Form.PLAIN,
}
_WEB = (".html", ".htm", ".xhtml")
_PAGES = (*_FORMS, *_WEB, ".po")
_NO_TEXT = (".doc", ".docx", ".pdf", ".zip", ".gz", ".mht", ".mhtml")


class CopyFile(Struct, frozen=True, kw_only=True):
    """Decoded copy. ``form`` is None for a catalogue; ``shown_form`` is the format for reports."""

    name: str  # as given by the user
    text: str
    form: Form | None
    shown_form: str
    encoding: str


def find_files(words: Sequence[str]) -> list[Path]:
    """Return the named files, and the files in the named folders that have the suffix of a page.

    Raises ConfigError for a path that does not exist, and for a folder without such a file.
    """
    found: dict[Path, None] = {}
    for word in words:
        path = Path(word)
        if not path.exists():
            siblings = path.parent.glob("*") if path.parent.is_dir() else ()
            near = did_you_mean(path.name, [file.name for file in siblings])
            raise ConfigError(
                f"no file or folder is called {word!r}",
                hint=f"{near}Give the file of a translated page.",
            )
        files = [path]
        if path.is_dir():
            files = [file for file in files_below(path, "") if _may_be_page(file)]
        if not files:
            raise ConfigError(
                f"the folder {word!r} has no page",
                hint=f"Pages end in {', '.join(_PAGES)}.",
            )
        found.update(dict.fromkeys(files))
    return list(found)


def _may_be_page(path: Path) -> bool:
    return path.suffix.lower() in _PAGES


def read_file(path: Path) -> CopyFile:
    """Read and decode a copy. Raises InputError if the file has no text or is not in Chinese."""
    name = path.as_posix()
    suffix = path.suffix.lower()
    if suffix in _NO_TEXT:
        raise InputError(
            f"is no text: files that end in {suffix} cannot be read",
            where=name,
            hint="Save it as a web page or as text, and adopt that.",
        )
    check_limit(path.stat().st_size, COPY_BYTES, where=name)
    decoded = decode(read_bytes(path), where=name)
    text = decoded.text
    entries = _fenced_entries(text)
    form: Form | None = _FORMS.get(suffix, Form.PLAIN)
    shown = str(form)
    is_catalog = not _may_be_page(path) and _CATALOG.search(text)
    if entries or suffix == ".po" or is_catalog:
        form, shown = None, "suggestion" if entries else "catalogue"
        text = entries or text
    elif suffix in _WEB or _HTML.match(text):
        form, shown = Form.MARKDOWN, "HTML"
        text = html_to_markdown(text, where=name)
    elif _NOTEBOOK.match(text):
        form = Form.NOTEBOOK
        shown = str(form)
    if form is not None:
        _check_language(text, name)
    return CopyFile(name=name, text=text, form=form, shown_form=shown, encoding=decoded.encoding)


def _fenced_entries(text: str) -> str:
    """Return the catalogue entries in fenced blocks, as users post them in issues.

    Return an empty string if there are none.
    """
    lines = text.replace("\r\n", "\n")
    fenced = [match["inner"] for match in _FENCED.finditer(lines)]
    return "\n\n".join(inner for inner in fenced if _CATALOG.search(inner))


def _check_language(text: str, name: str) -> None:
    """Raise InputError unless the text is Chinese."""
    # A notebook's JSON may have Chinese as escapes: "\u4e2d\u6587".
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    count = count_han(text)
    for language, letters in _OTHERS:
        if len(letters.findall(text)) > _FOREIGN * max(1, count):
            raise InputError(
                f"is {language}, not Chinese",
                where=name,
                hint="Only Chinese copies can be adopted.",
            )
    if count < _FEWEST:
        what = "next to no Chinese" if count else "no Chinese: it is the English page"
        raise InputError(
            f"has {what}",
            where=name,
            hint="Give the translated page; English is pulled from upstream.",
        )
