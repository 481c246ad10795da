"""Drafts: translations by a language model, which a person must confirm.

``selection`` chooses the entries, ``question`` describes one entry for the model, and ``batch``
groups questions into requests, estimates their costs and counts results. Replies are untrusted:
``judge`` rejects invalid translations. ``drafts`` parses and stores replies, checks all drafts of a
page together, and puts them into its catalogue. ``stub`` answers without a model. Network access
does not belong here.
"""
