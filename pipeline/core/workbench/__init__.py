"""Model of the workbench, the editor in the browser that ``serve`` starts.

``page_messages`` returns the state of each message on a page, and the part of the page that is
needed to preview one message. ``editing`` puts a translation into a catalogue. ``marks`` finds
messages in a rendered page. Code that needs files or a browser does not belong here.
"""
