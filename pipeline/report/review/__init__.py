"""What a reviewer is shown: one record, as HTML, as Markdown, as JSON and on a terminal."""
