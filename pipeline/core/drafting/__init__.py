"""Drafts: translations by a language model, which a person must confirm.

``selection`` chooses the entries, ``question`` describes one entry for the model, and ``batch``
groups questions into requests. Replies are untrusted: ``answers`` parses them, ``judge`` rejects
invalid translations, and ``drafts`` checks all drafts of a page together and puts them into its
catalogue. ``outcome`` estimates costs and counts results. ``stub`` answers without a model. Network
access does not belong here.
"""
