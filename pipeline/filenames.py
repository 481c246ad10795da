"""Rules for names of files and folders from upstream, catalogues and configuration.

The functions take a relative POSIX path, and return the rule that the path violates. A path that
violates none can exist on every system. Windows has the strictest rules
(https://learn.microsoft.com/windows/win32/fileio/naming-a-file), macOS the shortest paths.
"""

from __future__ import annotations

import re

from pipeline.limits import FOLDER_DEPTH, NAME_LENGTH, PATH_LENGTH

# Control characters, line separators, and lone surrogates. Python uses lone surrogates for bytes
# that are not UTF-8.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# On Windows, a colon separates a drive or a stream of the file, and a backslash separates folders.
_RESERVED = re.compile(r'[<>:"|?*\\]')
_IGNORED_END = re.compile(r"[. ]\Z")
# Windows ignores the part after the first dot: "nul.tar.gz" and "nul .md" are the device "nul".
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\ *(?:\..*)?",
    re.IGNORECASE,
)
# "git~1" is the short name of ".git" on Windows.
_GIT = re.compile(r"\.git|git~1", re.IGNORECASE)
# The rules for one name, and the text for a name that violates a rule.
_RULES = (
    (_UNPRINTABLE.search, "contains a control character, or bytes that are not UTF-8"),
    (_GIT.fullmatch, "is the folder of git"),
    (_RESERVED.search, 'contains one of < > : " | ? * \\, which Windows reserves'),
    (_IGNORED_END.search, "ends with a dot or a space, which Windows drops"),
    (_DEVICE.fullmatch, "is the name of a device on Windows"),
)


def fault_of_path(path: str) -> str:
    """Return the rule that ``path`` violates on some system, or an empty string.

    ``guide/aux.md`` → ``the name 'aux.md' is the name of a device on Windows``.
    """
    fault = fault_of_extent(path)
    if fault:
        return fault
    for name in path.split("/"):
        # An empty name means that the path is absolute, or contains "//".
        if name in ("", ".", ".."):
            return "the path is absolute, or leads out of its folder"
        for is_broken, rule in _RULES:
            if is_broken(name):
                return f"the name {name!r} {rule}"
        if len(name.encode("utf-8")) > NAME_LENGTH:
            return f"the name {shortened(name)!r} is longer than {NAME_LENGTH} bytes"
    return ""


def fault_of_extent(path: str) -> str:
    """Return why ``path`` as a whole is too deep or too long, or an empty string."""
    if path.count("/") > FOLDER_DEPTH:
        return f"it lies more than {FOLDER_DEPTH} folders deep"
    if len(path.encode("utf-8", "surrogatepass")) > PATH_LENGTH:
        return f"the path is longer than {PATH_LENGTH} bytes"
    return ""


def shortened(text: str, *, length: int = 120) -> str:
    """Return ``text``, with its middle replaced by ``…`` if it is longer than ``length``."""
    if len(text) <= length:
        return text
    half = length // 2
    return f"{text[:half]}…{text[-half:]}"
