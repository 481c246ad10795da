"""What start-up code may import in every kernel: ``from pipeline_startup import on_import``.

It is in no package, and imports nothing of ours: where a page's code runs there is only what the
page may see.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["on_import"]


def on_import(module: str, then: Callable[[ModuleType], object]) -> None:
    """Call ``then`` with a module, once, as soon as it has been imported.

    If it is imported already, that is now. What ``then`` raises is raised by the ``import`` of the
    page. Several calls about one module are made in the order in which they were asked for.
    """
    # What is built in costs nothing. All of it is loaded by one class, which must not be changed.
    if module in sys.modules or module in sys.builtin_module_names:
        then(importlib.import_module(module))
        return
    sys.meta_path.insert(0, _Finder(module, then))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module as the others do, and has it loaded with something after it."""

    def __init__(self, module: str, then: Callable[[ModuleType], object]) -> None:
        self._module = module
        self._then = then
        self._is_asking = False

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        # The others are asked by way of all, this one included.
        if name != self._module or self._is_asking:
            return None
        self._is_asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._is_asking = False
        # Modules that are frozen share their loader, too. Nobody waits for them.
        if spec is None or spec.loader is None or isinstance(spec.loader, type):
            return spec
        load = spec.loader.exec_module

        def load_and_go_on(module: ModuleType) -> None:
            load(module)
            # Not before: code may look whether a module is there, and import it later.
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._then(module)

        spec.loader.exec_module = load_and_go_on  # type: ignore[method-assign]
        return spec
