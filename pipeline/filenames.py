"""Rules for names of files and folders that strangers chose: what every system can hold.

In goes a relative POSIX path, out comes the rule that it breaks. Windows has the strictest rules
(https://learn.microsoft.com/windows/win32/fileio/naming-a-file), macOS has the shortest paths.
"""

from __future__ import annotations

import re

# Bytes, of a file or folder. File systems allow 255, and what is made of a file has a longer name:
# "blocks/NAME.json", and before it has its name a temporary one.
_LONGEST_NAME = 200
# Bytes. macOS takes 1,024, and the folders of the project come before the path.
_LONGEST_PATH = 800
_DEEPEST = 100  # folders, one in another: Python's stack has room for a thousand calls

# Control characters, separators of lines, and halves of surrogate pairs, which stand for bytes that
# are no UTF-8.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# A colon leads to another drive, or to another stream of the file; a backslash to another folder.
_RESERVED = re.compile(r'[<>:"|?*\\]')
_IGNORED_END = re.compile(r"[. ]\Z")
# Whatever follows the first dot: "nul.tar.gz" is the device as well, and so is "nul .md".
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\ *(?:\..*)?",
    re.IGNORECASE,
)
# The second one is its short name on Windows.
_GIT = re.compile(r"\.git|git~1", re.IGNORECASE)
# The rules for one name, in this order: the first that is broken is told.
_RULES = (
    (_UNPRINTABLE.search, "holds a control character, or bytes that are no UTF-8"),
    (_GIT.fullmatch, "is the folder of git"),
    (_RESERVED.search, 'holds one of < > : " | ? * \\, which Windows reserves'),
    (_IGNORED_END.search, "ends with a dot or a space, which Windows drops"),
    (_DEVICE.fullmatch, "is the name of a device on Windows"),
)


def fault_of_path(path: str) -> str:
    """Return the rule that keeps ``path`` from being a file on any system; empty if none does.

    ``guide/aux.md`` → ``the name 'aux.md' is the name of a device on Windows``.
    """
    fault = fault_of_extent(path)
    if fault:
        return fault
    for name in path.split("/"):
        # An empty name stands for a path that is absolute, or holds "//".
        if name in ("", ".", ".."):
            return "the path is absolute, or leads out of its folder"
        for is_broken, rule in _RULES:
            if is_broken(name):
                return f"the name {name!r} {rule}"
        if len(name.encode("utf-8")) > _LONGEST_NAME:
            return f"the name {shortened(name)!r} is longer than {_LONGEST_NAME} bytes"
    return ""


def fault_of_extent(path: str) -> str:
    """Return why ``path`` is too deep or too long as a whole; empty if it is neither."""
    if path.count("/") > _DEEPEST:
        return f"it lies more than {_DEEPEST} folders deep"
    if len(path.encode("utf-8", "surrogatepass")) > _LONGEST_PATH:
        return f"the path is longer than {_LONGEST_PATH} bytes"
    return ""


def shortened(text: str, *, length: int = 120) -> str:
    """Return ``text`` with ``…`` for its middle if it is longer than ``length``."""
    if len(text) <= length:
        return text
    half = length // 2
    return f"{text[:half]}…{text[-half:]}"
