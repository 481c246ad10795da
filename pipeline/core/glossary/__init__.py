"""Glossaries: the rows of their CSV files, inflected English forms, and terms in translations.

Checks and drafts use this package; the messages about terms belong to ``core.checks``.
"""
