"""Drafts by a language model: the requests, and what is accepted from the replies.

``selection`` chooses the entries, ``question`` describes one entry with its atoms masked, and
``batch`` groups questions into requests. Replies are untrusted: ``answers`` parses them, ``judge``
rejects what is no valid translation, and ``drafts`` checks all drafts of a page together and puts
them into its catalogue. ``outcome`` estimates costs and counts results; ``stub`` answers without a
model. Network access does not belong here.
"""
