"""Set a project up in Weblate: its first page with every setting, then all others by discovery.

    WEBLATE_URL=https://weblate.example.org WEBLATE_TOKEN=wlu_… \
        python docs/examples/weblate_setup.py git@example.org:private/jax-docs-zh.git
"""

import json
import os
import sys
from collections.abc import Mapping
from urllib.error import HTTPError
from urllib.request import Request, urlopen

DOCS, LOCALE, FIRST, BRANCH = "jax", "zh_CN", "index", "weblate"

# `nox -s check` looks at all this, and knows what is right in these docs.
FLAGS = (
    "ignore-same, ignore-end-stop, ignore-end-semicolon, ignore-end-colon, "
    "ignore-end-exclamation, ignore-ellipsis, ignore-optional-plural, ignore-multiple-capital, "
    "ignore-duplicate, ignore-xml-chars-around-tags"
)
PROJECT = {
    "name": "JAX docs",
    "slug": DOCS,
    "web": "https://docs.jax.dev/",
    "access_control": 100,  # private: the catalogues hold upstream's English
    "check_flags": FLAGS,
}
# Discovery copies these to the other pages: later each of them would have to be changed.
COMPONENT = {
    "name": FIRST,
    "slug": FIRST,
    "vcs": "git",
    "branch": BRANCH,
    "filemask": f"translations/*/{DOCS}/{FIRST}.po",
    "language_regex": f"^{LOCALE}$",
    "source_language": "en",
    "file_format": "po",
    "file_format_params": {
        "po_line_wrap": 65535,  # as `sync` writes: a line break in the text, and nowhere else
        "po_set_x_generator": False,
        "po_set_language_team": False,
    },
    "allow_translation_propagation": False,
    "new_lang": "none",
    "inherit_new_lang": False,
    "edit_template": False,
    "manage_units": False,
    "merge_style": "rebase",
}
DISCOVERY = {
    "match": rf"translations/(?P<language>{LOCALE})/{DOCS}/(?P<component>.*)\.po",
    "language_regex": f"^{LOCALE}$",
    "file_format": "po",
    "name_template": "{{ component }}",
    "remove": True,
}


def post(path: str, values: Mapping[str, object]) -> None:
    """Send values to Weblate's API; stop with its answer if it refuses them."""
    request = Request(  # noqa: S310 - of one's own server
        f"{os.environ['WEBLATE_URL']}/api/{path}/",
        json.dumps(values).encode(),
        {
            "Authorization": f"Token {os.environ['WEBLATE_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    try:
        urlopen(request).close()  # noqa: S310
    except HTTPError as error:
        sys.exit(f"{path}: {error}\n{error.read().decode()}")
    print("made", path)  # noqa: T201


if __name__ == "__main__":
    repository = {"repo": sys.argv[1], "push": sys.argv[1]}
    discovery = {"name": "weblate.discovery.discovery", "configuration": DISCOVERY}
    post("projects", PROJECT)
    post(f"projects/{DOCS}/components", {**COMPONENT, **repository})
    post(f"components/{DOCS}/{FIRST}/addons", discovery)
