"""No page reads a file outside of its docs folder: a folder of pages that try to, in one build.

A secret lies beside the project. Every page asks for it in the ways that its language has; nothing
of the secret may stand anywhere in ``build``, as text or as base64.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from folders import copy_project, write_tree
from places import ROOT
from site_builds import LACKING

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}"),
]

SECRET = "key-4b1d7f0c92e5a836"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)
# The secret as a file of every kind that something reads.
SECRETS = {
    "secret.txt": SECRET.encode(),
    "secret.md": f"# {SECRET}\n\nWords.\n".encode(),
    "secret.csv": f"a,{SECRET}\n".encode(),
    "secret.py": f"# tag: a\nkey = '{SECRET}'\n# tag: a\n".encode(),
    "secret.html": f"<b>{SECRET}</b>".encode(),
    "secret.svg": f"<svg xmlns='http://www.w3.org/2000/svg'><text>{SECRET}</text></svg>".encode(),
    "secret.png": PIXEL + SECRET.encode(),
}
MYST = """{download}`words <PLACE.txt>` and {download}`PLACE.csv`, a [link](PLACE.txt),
a [file](<path:PLACE.py>), an image ![a](PLACE.png), <img src="PLACE.png" alt="b"> too.

```{image} PLACE.png
:alt: c
```

```{figure} PLACE.svg
:figwidth: image
:scale: 50 %

A caption.
```

```{include} PLACE.md
```

```{include} <PLACE.txt>
```

```{literalinclude} PLACE.py
```

```{literalinclude} own.py
:diff: PLACE.py
```

```{csv-table} A table
:file: PLACE.csv
```

```{csv-table} A table
:url: file://PLACE.csv
```

```{raw} html
:file: PLACE.html
```

```{raw} html
:url: file://PLACE.html
```

```{tagged-block} PLACE.py a
```

```{card} A card
:img-top: PLACE.png
:img-background: PLACE.svg

Words.
```

```{article-info}
:avatar: PLACE.png
:author: nobody
```

```{eval-rst}
.. include:: PLACE.txt

.. csv-table:: A table
   :file: PLACE.csv

.. image:: PLACE.svg
   :loading: embed
```
"""
REST = """:download:`words <PLACE.txt>` and :download:`PLACE.csv`, |an image| and more.

.. |an image| image:: PLACE.png

.. image:: PLACE.svg
   :loading: embed
   :scale: 50 %

.. image:: file://PLACE.svg
   :loading: embed

.. figure:: PLACE.png
   :figwidth: image

   A caption.

.. include:: PLACE.txt

.. include:: PLACE.py
   :code: python

.. include:: PLACE.md
   :parser: myst_parser.sphinx_

.. include:: <PLACE.txt>

.. literalinclude:: PLACE.py

.. literalinclude:: own.py
   :diff: PLACE.py

.. csv-table:: A table
   :file: PLACE.csv

.. csv-table:: A table
   :url: file://PLACE.csv

.. raw:: html
   :file: PLACE.html

.. raw:: html
   :url: file://PLACE.html

.. tagged-block:: PLACE.py a
"""
# Words that MyST fills in with Jinja, which gets at every object of Python unless it is kept from.
FILLED_IN = """---
myst:
  enable_extensions: [substitution]
  substitutions: {word: a plain word}
---
# Filled in

It has {{ word }}, and it is {{ env.docname }}.

{{ cycler.__init__.__globals__.os.popen('cat PLACE.txt').read() }}

{{ env.srcdir.joinpath('PLACE.txt').read_text() }}

{{ env.app.builder.templates.render_string('{% include "PLACE.txt" %}', {}) }}
"""
# Cells that ask Sphinx to run them, and to read their code from a file.
RUNNING = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {name: python3, display_name: x}
mystnb:
  execution_mode: force
  execution_cache_path: RAN
  output_folder: RAN
---
# Running

```{code-cell}
:load: PLACE.py
```

```{code-cell}
open("RAN", "w").write("it ran")
```
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The folder ``build``, what was said of it, and where code would have left a file."""

    folder: Path
    said: str
    ran: Path


def nested(text: str, mark: str) -> str:
    """Return ``text`` below an item of a list, where ``mark`` begins the item."""
    indent = " " * len(mark)
    lines = [f"{indent}{line}" if line else "" for line in text.split("\n")]
    return mark + "\n".join(lines).lstrip()


def cell(kind: str, source: str) -> dict[str, object]:
    code: dict[str, object] = {"outputs": [], "execution_count": None}
    return {
        "cell_type": kind,
        "metadata": {},
        "source": source,
        **(code if kind == "code" else {}),
    }


def pages(secrets: Path, ran: Path) -> dict[str, str]:
    """Return hostile pages: each way to name a secret, in each language, and within other blocks."""
    folder = secrets.as_posix()
    # However deep the folder lies that the page is read in.
    up = "../" * 24 + folder.lstrip("/")
    texts: dict[str, str] = {}
    places = {"up": up, "top": f"/{up}", "absolute": folder, "link": "linked"}
    for name, place in places.items():
        myst = MYST.replace("PLACE", f"{place}/secret")
        rest = REST.replace("PLACE", f"{place}/secret")
        note = myst.replace("```", "~~~")
        table = f"| a | b |\n|---|---|\n| {{download}}`{place}/secret.txt` | ![x]({place}/secret.png) |\n"
        texts[f"{name}.md"] = (
            f"# Up\n\n{myst}\n{nested(myst, '- ')}\n````{{note}}\n{note}````\n\n{table}"
        )
        indented = nested(rest.replace("|an image|", "it"), "- ")
        grid = f"=====  =====\n:download:`{place}/secret.txt`  b\n=====  =====\n"
        texts[f"{name}_rest.rst"] = (
            f"Up\n==\n\n{rest}\n{indented}\n.. note::\n\n   {nested(rest, '   ').strip()}\n\n{grid}"
        )
        cells = [cell("markdown", f"# Up\n\n{myst}"), cell("code", "1")]
        metadata = {"mystnb": {"execution_mode": "force", "render_plugin": "x"}}
        texts[f"{name}_cells.ipynb"] = json.dumps(
            {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
        )
    filled = FILLED_IN.replace("PLACE", f"{folder}/secret")
    texts["filled.md"] = filled
    texts["running.md"] = RUNNING.replace("PLACE", f"{up}/secret").replace(
        "RAN", str(ran)
    )
    texts["own.py"] = "key = 1\n"
    texts["docutils.conf"] = f"[general]\nwarning_stream: {ran}\n"
    included = f'{{% include "{folder}/secret.txt" %}}'
    texts["_static/a.html.jinja"] = texts["_static/b.css_t"] = included
    # A file of the docs that is called like the secret: it is there, whoever looks for it.
    for name in SECRETS:
        texts[f"{folder.lstrip('/')}/{name}"] = "a file of the docs\n"
    names = "\n".join(path for path in texts if path.count("/") == 0)
    texts["index.md"] = f"# Index\n\n```{{toctree}}\n{names}\n```\n"
    return texts


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    base = tmp_path_factory.mktemp("boundary")
    secrets, ran, root = base / "secrets", base / "ran", base / "project"
    copy_project(root)
    for path in (root / "translations").rglob("*.po"):
        path.unlink()
    write_tree(secrets, SECRETS)
    docs = root / "upstream" / "sample"
    write_tree(docs, pages(secrets, ran))
    # It is left out when it is pulled; the preview would look below it all the same.
    (docs / "linked").symlink_to(secrets)
    said = ""
    for words in (("sync", "sample", "--no-execute"), ("site", "sample")):
        command = (sys.executable, "-m", "pipeline", *words, "--no-execute")
        done = subprocess.run(
            command,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        said += done.stdout + done.stderr
    return Built(folder=root / "build", said=said, ran=ran)


def test_nothing_of_a_secret_is_built(built: Built) -> None:
    for path in sorted(built.folder.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        assert SECRET.encode() not in data, path
        for shift in range(3):
            held = base64.b64encode(b"x" * shift + SECRET.encode())[4:-4]
            assert held not in data, path


def test_nothing_ran(built: Built) -> None:
    assert not built.ran.exists(), built.ran.read_text()
