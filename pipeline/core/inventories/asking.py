"""Which names docs ask other sites for: what stands in roles, in Markdown and in reStructuredText.

What is found in the text is more than what Sphinx makes of it (a role in a code block counts), and
that does no harm: a name that no inventory knows is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

Asked = frozenset[tuple[str, str]]  # (domain, name): ("py", "numpy.sin")

PYTHON, STANDARD = "py", "std"  # domains

_ROLE = re.compile(r"(?::([A-Za-z][\w:+.-]*):|\{([A-Za-z][\w:+.-]*)\})`([^`]+)`")
# (label)= and .. _label:
_LABEL = re.compile(r"\(([\w.:-]+)\)=|\.\. _([^:`\n]+):")
_TARGET = re.compile(r"<([^<>]+)>\s*\Z")  # title <target>
# Roles that are of no language.
# Not "doc": it names pages of the docs themselves.
_STANDARD = frozenset("ref numref term option envvar keyword token confval".split())
_PYTHON = frozenset(
    "func class mod meth attr data exc obj const type deco property".split()
)
_ANY = "any"


def asked_for(texts: Iterable[str], usual: Mapping[str, str]) -> Asked:
    """The names that documents ask for. ``usual`` is what they call modules: ``np`` is ``numpy``.

    ``:func:`~numpy.sin```, ``{func}`sine <numpy.sin>``` → ``("py", "numpy.sin")``
    """
    found: set[tuple[str, str]] = set()
    labels: set[tuple[str, str]] = set()
    for text in texts:
        for in_myst, in_rest in _LABEL.findall(text):
            labels.add((STANDARD, (in_rest or in_myst).lower()))
        for in_rest, in_myst, content in _ROLE.findall(text):
            for domain in _domains(in_rest or in_myst):
                name = _name(domain, content)
                found.add((domain, name))
                found.add((domain, spelled_out(name, usual)))
    # What the docs have themselves, another site may have under the same name.
    return frozenset(found - labels)


def spelled_out(name: str, usual: Mapping[str, str]) -> str:
    """A name with what its first part stands for: ``np.sin`` → ``numpy.sin``"""
    first, dot, rest = name.partition(".")
    return f"{usual.get(first, first)}{dot}{rest}"


def _domains(role: str) -> Iterator[str]:
    """Whose names a role names: ``func`` and ``external+numpy:py:func`` are of ``py``."""
    *before, kind = role.split(":")
    if kind == _ANY:
        yield from (PYTHON, STANDARD)
    elif before and not before[-1].startswith("external"):
        yield before[-1]
    elif kind in _STANDARD:
        yield STANDARD
    elif kind in _PYTHON:
        yield PYTHON


def _name(domain: str, content: str) -> str:
    """What a role names: ``sine <numpy.sin>`` → ``numpy.sin``, ``~numpy.sin()`` → ``numpy.sin``"""
    # A line may be broken within a role.
    content = " ".join(content.split())
    target = _TARGET.search(content)
    name = target[1].strip() if target else content
    if domain == STANDARD:
        # Terms and labels are found whatever their case.
        return name.lower()
    return name.lstrip("~.!").removesuffix("()")
