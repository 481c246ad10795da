"""Documents with messages of every kind, and translations that insert active markup.

Each translation is the English with a payload at a random position: before, after or between words,
or inside an atom.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from folders import copy_project, write_tree

from pipeline.adapters import po
from pipeline.entries import Catalog, Entry

_ACTS = (
    "<script src=_static/evil.js></script>",
    "<script>window.hit=1</script>",
    '<img src="x" onerror="window.hit=1">',
    "<img/src=x/onerror=window.hit=1>",
    "< img/src=x onerror=window.hit=1>",
    "<svg onload=window.hit=1>",
    "<scr<script></script>ipt src='_static/evil.js'></script>",
    "<me<base>ta http-equiv=refresh content=0;url=//evil.example>",
    "<meta/http-equiv=refresh content=0;url=//evil.example>",
    "<base href=//evil.example/>",
    "<iframe srcdoc='<script>window.hit=1</script>'></iframe>",
    "<form action=//evil.example><button>go",
    "<a href='java&#115;cript:window.hit=1'>a</a>",
    "<style>*{display:none}</style>",
    "<!--><img src=x onerror=window.hit=1>-->",
    "<!-- ",
    "</p></div></main><h1 id=evil>",
    "<math><mtext><img src=x onerror=window.hit=1></mtext></math>",
    "<details open ontoggle=window.hit=1>",
    "<b",
    "&lt;img src=x onerror=window.hit=1&gt;",
    "&#60;img src=x onerror=window.hit=1&#62;",
    "\\<img src=x onerror=window.hit=1\\>",
)
_ADDRESSES = (
    "[a](javascript:window.hit=1)",
    "[a](<java\tscript:window.hit=1>)",
    "[a](//evil.example/)",
    "![a](//evil.example/x.png)",
    "![a](x.png 'onerror=window.hit=1')",
    "<javascript:window.hit=1>",
    "<https://evil.example/>",
    "https://evil.example/",
    "[evil]: //evil.example/",
    "[^evil]",
    "[a][evil]",
    "`a <javascript:window.hit=1>`_",
    "`a <//evil.example/>`__",
    "|evil|",
    "evil_",
    "[evil]_",
    "图 href=data:! style=position:fixed;inset:0 on'onx='z'error=window.hit=1 字",
    "图 onx=1",
)
_FORMULAS = (
    r"$\text{<img src=x onerror=window.hit=1>}$",
    r"$\verb!{a}`<img/src=x/onerror=window.hit=1>`!$",
    r'$\colorbox{red}{< img/src="x"onerror="window.hit=1">}$',
    r"$\href{javascript:window.hit=1}{x}$",
    r"$$\unicode{x3c}img$$",
    r"\(\text{<b>}\)",
    r"\[x\]",
    r"\begin{equation}\text{<b>}\end{equation}",
    r":math:`\text{<script/src=_static/evil.js></script>}`",
    r"{math}`\text{<script/src=_static/evil.js></script>}`",
    r"\text{<img src=x onerror=window.hit=1>}",
    r"} \class{evil}{x} \text{",
    r"\require{html}\style{position:fixed}{x}",
    r"}{< img/src=x onerror=window.hit=1",
)
_ROLES = (
    '{octicon}`alert;1em;x"onload="window.hit=1`',
    "{download}`/../../../../../../etc/hostname`",
    "{raw}`<b>`",
    '{fas}`a" onclick="window.hit=1`',
    "{abbr}`a (b\" onclick='window.hit=1')`",
    "{doc}`evil </index>`",
    "{ref}`<b>evil</b> <search>`",
    ":raw-html:`<b>`",
    ":download:`/../../../../../../etc/hostname`",
    ':octicon:`alert;1em;x"onload="window.hit=1`',
    ":doc:`evil </index>`",
    "{{ evil }}",
    "{.evil onclick='window.hit=1'}",
    '{onclick="window.hit=1" href=x}',
)
_BLOCKS = (
    "```{raw} html\n<b>\n```",
    "\n\n<div onclick=window.hit=1>\n\n",
    "\n\n.. raw:: html\n\n   <b>\n\n",
    "\n+++\n",
    "# evil",
    "* * *",
    ":::{note}\n",
    "%",
    "```",
    "::",
)
PAYLOADS = (*_ACTS, *_ADDRESSES, *_FORMULAS, *_ROLES, *_BLOCKS)
_WORD = re.compile(r"\w+|\W")
# What an attack is likely to go for: the inside of an atom.
_INSIDE = re.compile(r"(?<=[`{$(<\[\"])[^`}$)>\]\"\n]+(?=[`}$)>\]\"])")
COLLECT = """(html) => {
  // Everything that a browser would make of a page, named once: elements, attributes, addresses.
  const found = new Set();
  const address = /^(href|src|srcset|action|formaction|data|poster|xlink:href|ping|background)$/;
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const name = element.localName;
      found.add(name);
      for (const own of element.attributes) {
        found.add(`${name} ${own.name}`);
        if (address.test(own.name) || own.name === "style" || own.name === "http-equiv") {
          found.add(`${name} ${own.name}=${own.value}`);
        }
      }
      if (element.localName === "template") look(element.content);
    }
  };
  look(new DOMParser().parseFromString(html, "text/html"));
  return [...found];
}"""


def make_project(root: Path, pages: int, blocks: int) -> None:
    """Write a project into ``root``, with ``pages`` pages in each language.

    Its upstream is called ``sample``, and nothing is translated.
    """
    copy_project(root)
    files: dict[str, str] = {"pot.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>'}
    names: list[str] = []
    for page in range(pages):
        for name, text in (
            (f"myst{page}.md", _myst(page, blocks)),
            (f"rest{page}.rst", _rest(page, blocks)),
            (f"book{page}.ipynb", _notebook(page, blocks)),
        ):
            files[name] = text
            names.append(name.partition(".")[0])
    contents = "\n".join(names)
    files["index.md"] = f"# Pots\n\n```{{toctree}}\n{contents}\n```\n"
    write_tree(root / "upstream" / "sample", files)
    for path in (root / "translations").rglob("*.po"):
        path.unlink()


def translate(root: Path, change: Callable[[str], str]) -> int:
    """Set the translation of each entry to ``change(msgid)``. Return the number of entries."""
    count = 0
    for path in sorted((root / "translations" / "zh_CN" / "sample").rglob("*.po")):
        catalog = po.read_catalog(path.read_bytes(), where=path.name).catalog
        entries = tuple(_translated(entry, change) for entry in catalog.entries)
        count += len(entries)
        path.write_bytes(
            po.format_catalog(Catalog(header=catalog.header, entries=entries))
        )
    return count


def _translated(entry: Entry, change: Callable[[str], str]) -> Entry:
    comments = ("pipeline: ignore=M101, M102, M106, M203, M205 it is meant so",)
    return replace(entry, msgstr=change(entry.msgid), fuzzy=False, comments=comments)


def attacks(
    seed: int | str, payloads: Sequence[str] = PAYLOADS
) -> Callable[[str], str]:
    """Return a function that inserts a payload into a message. Equal seeds give equal results."""
    chance = random.Random(seed)

    def attack(msgid: str) -> str:
        text = msgid
        for _ in range(chance.choice((1, 1, 1, 2))):
            payload = chance.choice(payloads)
            if chance.random() < 0.2:
                payload += chance.choice(payloads)
            start, end = chance.choice(list(_places(text)))
            text = f"{text[:start]}{payload}{text[end:]}"
        return f"译文 {text}" if chance.random() < 0.5 else text

    return attack


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text where a payload can go: empty ones, and those inside atoms."""
    yield 0, 0
    yield len(text), len(text)
    for match in _WORD.finditer(text):
        yield match.start(), match.start()
    for match in _INSIDE.finditer(text):
        yield match.span()
        yield match.end(), match.end()


def harmless(msgid: str) -> str:
    """Return a translation that inserts nothing."""
    if msgid.startswith("<"):
        return msgid.replace(">", ">译文 ", 1)
    return f"译文 {msgid}"


def _myst(page: int, blocks: int) -> str:
    parts = [f"# Pots of `shelf` {page}\n"]
    for block in range(blocks):
        at = f"{page}.{block}"
        parts.append(rf"""
(pot-{page}-{block})=
## Pot {at} with `code` and $x \text{{ if }} y_{block}$

Words {at} with {{ref}}`a title <pot-{page}-0>` and [a link](https://a.org/{block}), <b>b</b>.

Take {at} of $a_{block} \text{{ for all }} b$ and {{abbr}}`HT (Hot Tea)`, *s* **h**[^n{block}].

- Item {at} of a list
  - Nested {at} with `code`

> Quote {at} of a book

| Head {at} | of $y$ |
|---|---|
| cell {at} | `c` |

:::{{note}}
Body {at} of a note
:::

```{{admonition}} Title {at} of a box
Body {at} of a box
```

Term {at}
: Definition {at} of it

```{{figure}} pot.svg
Caption {at} of a pot
```

![Image {at} of a pot](pot.svg)

<div class="box">Block {at} of HTML, <i>slanted</i></div>

::::{{tab-set}}
:::{{tab-item}} Tab {at}
Body {at} of a tab
:::
::::

[^n{block}]: Footnote {at} at the end
""")
    return "".join(parts)


def _rest(page: int, blocks: int) -> str:
    title = f"Lids of ``shelf`` {page}"
    parts = [f"{title}\n{'=' * len(title)}\n"]
    for block in range(blocks):
        at = f"{page}.{block}"
        heading = f"Lid {at} with ``code``"
        parts.append(rf"""
.. _lid-{page}-{block}:

{heading}
{"-" * len(heading)}

Words {at} with :ref:`a title <lid-{page}-0>` and `a link <https://a.org/{block}>`__, **b**.

Take {at} of :math:`a_{block} \text{{ for all }} b` and :abbr:`HT (Tea)`, *s* [#n{page}x{block}]_.

* Item {at} of a list

  * Nested {at} with ``code``

  Quote {at} of a book

.. list-table::
   :header-rows: 1

   * - Head {at}
     - of
   * - cell {at}
     - ``c``

.. note::

   Body {at} of a note

.. admonition:: Title {at} of a box

   Body {at} of a box

Term {at}
   Definition {at} of it

.. figure:: pot.svg
   :alt: Image {at} of a pot

   Caption {at} of a pot

.. [#n{page}x{block}] Footnote {at} at the end
""")
    return "".join(parts)


def _notebook(page: int, blocks: int) -> str:
    text = _myst(page, blocks).replace("pot-", "nb-")
    cells: list[dict[str, object]] = []
    for part in text.split("\n(nb-"):
        source = part if part.startswith("#") else f"(nb-{part}"
        cells.append({"cell_type": "markdown", "metadata": {}, "source": source})
        code: dict[str, object] = {
            "execution_count": None,
            "metadata": {},
            "outputs": [],
        }
        cells.append({"cell_type": "code", "source": "1 + 1", **code})
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    )
