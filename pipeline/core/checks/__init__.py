"""What is looked for in a translation: small pure functions in tuples, each with a stable code.

The first part of a code names the group:

M1  structure (`structure`)         M4  typography (`typography`)
M2  atoms (`atoms`)                 M5  terminology (`terms`)
M3  content (`content`, `shifted`)  M6  the ``.po`` file itself (`hygiene`)
M7  meaning (`meaning`: `omissions`, `slips`, `alike`)
G   what the guard would refuse (`guarded`)

`base` has what a check is given and gives, `sets` which ones each language gets, `run` runs them.
"""
