"""What is looked for in a translation: small pure functions, each with a stable code.

`table` has every check with its code, name and severity, and says which ones each language gets;
`engine` runs them and mends; `model` has the records. The functions stand in rooms by what they
check, and the first part of a code names the group:

M1  structure, M2  atoms (`markup`)     M4  typography (`typography`)
M3  content, M7  meaning (`meaning`)    M5  terminology (`terms`)
M6  the ``.po`` file (`hygiene`)        G   what the guard would refuse (`table`)

How a text is read (`parsed`, `inline_tree`, `placement`, `masked`) is shared by all rooms.
"""
