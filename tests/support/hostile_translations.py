"""Translations that insert active markup.

Each translation is the English with a payload at a random position: before, after or between words,
or inside an atom.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

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
