"""Checks of a translation: small pure functions, each with a stable code.

`table` lists every check with its code, name and severity, and selects the checks of each language.
`engine` runs checks and applies fixes; `model` has the records. The check functions are grouped by
subject, and the first part of a code names the group:

M1  structure, M2  atoms (`markup`)     M4  typography (`typography`)
M3  content, M7  meaning (`meaning`)    M5  terminology (`terms`)
M6  the ``.po`` file (`hygiene`)        G   rejections by the guard (`table`)

All groups share the parsing of texts: `parsed`, `inline_tree`, `placement`, `masked`.
"""
