"""MyST Markdown: where its prose stands, and what a translation may not do to it."""
