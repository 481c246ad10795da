"""MyST Markdown, and dialects without MyST: how pages are split, merged and guarded.

``rst/`` has the same file names where the concept is the same.
"""
