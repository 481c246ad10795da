"""serve: translate a page in the browser, on the page itself.

``serving`` starts the server, ``desk`` answers what the browser asks. ``opening`` reads a page and
its catalogue, ``telling`` says what there is to know of one message, ``saving`` writes. The
interface is in ``static/``. Files are the truth: whatever else edits them, nothing is overwritten
unseen.

What a page needs to be translated is loaded first, and all else while somebody looks at it: the
browser is opened before the desk is there, messages are told before the page is rendered.
"""

from pathlib import Path

STATIC = Path(__file__).with_name("static")
