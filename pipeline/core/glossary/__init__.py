"""Glossaries: rows of their CSV files, inflected forms of English terms, and terms in translations.

The checks of terms (``core.checks.terms``) and drafts use this package.
"""
