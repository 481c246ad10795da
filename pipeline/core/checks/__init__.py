"""What is looked for in a translation: small pure functions in tuples, each with a stable code.

M1 structure, M2 atoms, M3 content, M4 typography, M5 terminology, M6 the ``.po`` file itself. G is the guard's.
"""
