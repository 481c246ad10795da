"""review: what a branch has done to the translations, for the person who reviews it.

``sides`` finds the two commits and the memory files that differ, ``english`` the English of their
entries, ``reviewing`` puts together what a person looks at. Nothing here pulls or builds.
"""
