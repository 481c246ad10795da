"""Checks of translations: pure functions, each with a code that never changes, such as M104.

A check compares a translation (the ``msgstr`` of an entry) with "the English" (its ``msgid``), and
yields a `Problem` for each mistake. `table` lists all checks with their codes, names and
severities, and selects the checks for each language. `engine` runs the checks and applies their
fixes. `model` defines the records.

The start of a code names the subject of the check. The module or folder in brackets has the
function of the check:

M1  structure, M2  atoms (`markup`)     M4  typography (`typography`)
M3  content, M7  meaning (`meaning`)    M5  terminology (`terms`)
M6  the ``.po`` file (`hygiene`)        G   rejections by the guard (`table`)

Atoms are the parts of a text that a translation must preserve, such as code and link targets. The
guard is the safety check that keeps a translation out of the merged page.

The checks parse texts in two ways. `parsed` (with `inline_tree` and `placement`) parses the markup,
as the renderer of the page does. `masked` hides the markup.
"""
