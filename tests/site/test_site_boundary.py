"""No page reads a file outside of its docs folder: a folder of pages that try to, in one build.

A secret lies beside the project. Every page asks for it in the ways that its language has; nothing
of the secret may stand anywhere in ``build``, as text or as base64.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from folders import copy_project, write_tree
from in_process import run_in
from msgspec import Struct
from notebooks import code, notebook_value, prose
from workshop import PIXEL

pytestmark = pytest.mark.slow

SECRET = "key-4b1d7f0c92e5a836"
# The secret as a file of every kind that something reads.
SECRETS = {
    "secret.txt": SECRET.encode(),
    "secret.md": f"# {SECRET}\n\nWords.\n".encode(),
    "secret.csv": f"a,{SECRET}\n".encode(),
    "secret.py": f"# tag: a\nkey = '{SECRET}'\n# tag: a\n".encode(),
    "secret.html": f"<b>{SECRET}</b>".encode(),
    "secret.svg": f"<svg xmlns='http://www.w3.org/2000/svg'><text>{SECRET}</text></svg>".encode(),
    "secret.png": base64.b64decode(PIXEL) + SECRET.encode(),
}
# Each way to name a file is a page, so that one that breaks its page hides no other.
MYST = {
    "download": "{download}`words <PLACE.txt>`, {download}`PLACE.csv`",
    "link": "a [link](PLACE.txt), a [file](<path:PLACE.py>), [](PLACE.csv)",
    "image": "![a](PLACE.png) <img src='PLACE.png' alt='b'>\n\n```{image} PLACE.png\n```",
    "figure": "```{figure} PLACE.svg\n:figwidth: image\n:scale: 50 %\n\nWords.\n```",
    "embedded": "```{image} PLACE.svg\n:loading: embed\n```",
    "include": "```{include} PLACE.md\n```",
    "standard": "```{include} <PLACE.txt>\n```",
    "literal": "```{literalinclude} PLACE.py\n```",
    "difference": "```{literalinclude} /own.py\n:diff: PLACE.py\n```",
    "table": "```{csv-table} A table\n:file: PLACE.csv\n```",
    "table_url": "```{csv-table} A table\n:url: file://PLACE.csv\n```",
    "raw": "```{raw} html\n:file: PLACE.html\n```",
    "raw_url": "```{raw} html\n:url: file://PLACE.html\n```",
    "tagged": "```{tagged-block} PLACE.py a\n```",
    "card": "```{card} A card\n:img-top: PLACE.png\n:img-background: PLACE.svg\n\nWords.\n```",
    "avatar": "```{article-info}\n:avatar: PLACE.png\n:author: nobody\n```",
    "rest": "```{eval-rst}\n.. include:: PLACE.txt\n```",
    "cells": "| a | b |\n|---|---|\n| {download}`PLACE.txt` | ![x](PLACE.png) |",
}
REST = {
    "download": ":download:`words <PLACE.txt>` and :download:`PLACE.csv`",
    "image": ".. image:: PLACE.png\n   :loading: embed\n   :scale: 50 %",
    "image_url": ".. image:: file://PLACE.svg\n   :loading: embed",
    "vector": ".. image:: PLACE.svg\n   :loading: embed",
    "figure": ".. figure:: PLACE.png\n   :figwidth: image\n\n   Words.",
    "include": ".. include:: PLACE.txt",
    "code": ".. include:: PLACE.py\n   :code: python",
    "markdown": ".. include:: PLACE.md\n   :parser: myst_parser.sphinx_",
    "standard": ".. include:: <PLACE.txt>",
    "literal": ".. literalinclude:: PLACE.py",
    "difference": ".. literalinclude:: /own.py\n   :diff: PLACE.py",
    "table": ".. csv-table:: A table\n   :file: PLACE.csv",
    "table_url": ".. csv-table:: A table\n   :url: file://PLACE.csv",
    "raw": ".. raw:: html\n   :file: PLACE.html",
    "raw_url": ".. raw:: html\n   :url: file://PLACE.html",
    "tagged": ".. tagged-block:: PLACE.py a",
    "cells": ".. list-table::\n\n   * - :download:`PLACE.txt`\n     - :download:`PLACE.csv`",
}
# Those that differ in how they take a path: the others are tried with one path.
_FEW = frozenset(("download", "image", "include", "standard", "table", "literal"))
# Words that MyST fills in with Jinja, which gets at every object of Python unless it is kept from.
FILLING = """---
myst:
  enable_extensions: [substitution]
  substitutions: {word: a plain word}
---
# Filled in

It has {{ word }}, and it is {{ env.docname }}.

{{ WORDS }}
"""
FILLED_IN = (
    "cycler.__init__.__globals__.os.popen('cat PLACE.txt').read()",
    "env.srcdir.joinpath('PLACE.txt').read_text()",
    "env.app.builder.templates.render_string('{% include \"PLACE.txt\" %}', {})",
    "word.__class__.__mro__[1].__subclasses__()",
)
# Cells that ask Sphinx to run them, and to read their code from a file.
LOADING = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {name: python3, display_name: x}
---
# Loading

```{code-cell}
:load: PLACE.py
```
"""
RUNNING = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {name: python3, display_name: x}
mystnb:
  execution_mode: force
---
# Running

```{code-cell}
open("RAN", "w").write("it ran")
```
"""


class Built(Struct, frozen=True, kw_only=True):
    """The folder ``build``, what was said of pages, and where code would have left a file."""

    folder: Path
    said: tuple[str, ...]
    ran: Path


def nested(text: str, indent: str) -> str:
    """Return a block as it stands below an item of a list, or a directive of reST."""
    return "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))


def in_myst(block: str, place: str) -> str:
    """Return a page with a block: by itself, in a list and in a note."""
    block = block.replace("PLACE", f"{place}/secret")
    return f"# A\n\n{block}\n\n- b\n\n{nested(block, '  ')}\n\n::::{{note}}\n{block}\n::::\n"


def in_rest(block: str, place: str) -> str:
    """Return the same in reST."""
    block = block.replace("PLACE", f"{place}/secret")
    inner = nested(block, "  ")
    return f"A\n=\n\n{block}\n\n- b\n\n{inner}\n\n.. note::\n\n{inner}\n"


def pages(secrets: Path, ran: Path) -> dict[str, str]:
    """Return hostile pages: each way to name a secret, in each language."""
    folder = secrets.as_posix()
    # However deep the folder lies that the page is read in.
    up = "../" * 24 + folder.lstrip("/")
    texts: dict[str, str] = {}
    places = {"up": up, "top": f"/{up}", "absolute": folder, "link": "linked"}
    for name, place in places.items():
        for way, block in MYST.items():
            if name == "up" or way in _FEW:
                texts[f"{name}_{way}.md"] = in_myst(block, place)
        for way, block in REST.items():
            if name == "up" or way in _FEW:
                texts[f"{name}_{way}_rest.rst"] = in_rest(block, place)
        cells = [prose(in_myst(block, place)) for block in MYST.values()]
        cells.append(code(f"open('{ran}', 'w').write('it ran')"))
        run = {"execution_mode": "force"}
        texts[f"{name}_cells.ipynb"] = json.dumps(notebook_value(*cells, mystnb=run))
    for number, words in enumerate(FILLED_IN):
        filled = FILLING.replace("WORDS", words)
        texts[f"filled_{number}.md"] = filled.replace("PLACE", f"{folder}/secret")
    texts["loading.md"] = LOADING.replace("PLACE", f"{up}/secret")
    texts["running.md"] = RUNNING.replace("RAN", str(ran))
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


def build(base: Path) -> Built:
    secrets, ran, root = base / "secrets", base / "ran", base / "project"
    copy_project(root)
    for path in (root / "translations").rglob("*.po"):
        path.unlink()
    write_tree(secrets, SECRETS)
    docs = root / "upstream" / "sample"
    write_tree(docs, pages(secrets, ran))
    # It is left out when it is pulled; the preview would look below it all the same.
    (docs / "linked").symlink_to(secrets)
    said: list[str] = []
    for verb in ("sync", "site"):
        done = run_in(root, verb, "sample", "--no-execute", "--json")
        assert done.returncode in (0, 7), done.stderr
        findings = json.loads(done.stdout)["findings"]
        said += [f"{verb} {one['page']} {one['text']}" for one in findings]
    assert (root / "build" / "site" / "sample" / "index.html").is_file()
    return Built(folder=root / "build", said=tuple(said), ran=ran)


# Pages of which something is left out, and the name of the file that they ask for.
LEFT_OUT = (
    ("sync up_image ", "secret.png"),
    ("sync up_image_rest ", "secret.png"),
    ("sync up_cells ", "secret.png"),
    ("site up_download ", "secret.txt"),
    ("site up_figure ", "secret.svg"),
    ("site up_image_rest ", "secret.png"),
    ("site top_include_rest ", "secret.txt"),
    ("site loading ", "secret.py"),
    ("site up_cells ", "secret.csv"),
)


def test_nothing_of_a_secret_is_built_nothing_ran_and_what_is_left_out_is_said(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    built = build(tmp_path)
    held = [base64.b64encode(b"x" * shift + SECRET.encode())[4:-4] for shift in range(3)]
    for path in sorted(built.folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        assert not any(secret in data for secret in (SECRET.encode(), *held)), path
    assert not built.ran.exists(), built.ran.read_text()
    for where, name in LEFT_OUT:
        with subtests.test(where=where, name=name):
            said = [text for text in built.said if text.startswith(where)]
            assert any(name in text and "outside of the docs folder" in text for text in said)
