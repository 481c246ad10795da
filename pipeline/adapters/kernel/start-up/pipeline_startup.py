"""Helper for start-up code in every kernel: ``from pipeline_startup import on_import``.

It belongs to no package, and imports no module of this project, because a page's code runs in the
same process.
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

    If the module is imported already, the call is made at once. Exceptions of ``then`` are raised
    by the page's ``import``. Several callbacks for one module are called in the order of
    registration.
    """
    # Built-in modules are cheap to import. They share one loader class, which must not be patched.
    if module in sys.modules or module in sys.builtin_module_names:
        then(importlib.import_module(module))
        return
    sys.meta_path.insert(0, _Finder(module, then))


class _Finder(importlib.abc.MetaPathFinder):
    """Finder that wraps the loader of one module, to run a function after it."""

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
        # `find_spec` asks all finders, including this one.
        if name != self._module or self._is_asking:
            return None
        self._is_asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._is_asking = False
        # Frozen modules share a loader class, too, so callbacks for them are not supported.
        if spec is None or spec.loader is None or isinstance(spec.loader, type):
            return spec
        load = spec.loader.exec_module

        def load_and_go_on(module: ModuleType) -> None:
            load(module)
            # Only after loading: code may look for a module with `find_spec`, and import it later.
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._then(module)

        spec.loader.exec_module = load_and_go_on  # type: ignore[method-assign]
        return spec
