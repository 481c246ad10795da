"""Reports: render the results of commands as text, JSON, JUnit, SARIF, HTML and Markdown.

The modules turn records into text or bytes. They neither run anything nor write files. ``result``
has the records that commands fill in. ``value`` is the form of a report before it is written.
"""
