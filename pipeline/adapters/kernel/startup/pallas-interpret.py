"""Lets pages about Pallas on TPUs run on a CPU.

Interpret mode is turned on once a page imports Pallas, and not before: the import takes seconds.
JAX is told as soon as it is imported that programs end before the next one begins.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class OnImport(importlib.abc.MetaPathFinder):
    """Stands in the way of the first import of a module, calls ``then``, and is gone."""

    def __init__(self, module: str, then: Callable[[], None]) -> None:
        self._module = module
        self._then = then

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if name != self._module:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_go_on(module: ModuleType) -> None:
                load(module)
                self._then()

            spec.loader.exec_module = load_and_go_on  # type: ignore[method-assign]
        return spec


def wait_for_programs() -> None:
    """Let no program run while others are prepared; say so before JAX sets up its devices.

    The interpreter is called back from the program that it runs, and asks JAX for values: with one
    thread to run programs in, the one may wait for the other for ever.
    """
    import jax

    jax.config.update("jax_cpu_enable_async_dispatch", False)  # type: ignore[no-untyped-call]


def interpret() -> None:
    """Turn interpret mode on for the rest of the process.

    With ``PALLAS_INTERPRET=hlo`` it is the plain interpreter, which lets wrong kernels run to their
    wrong end.
    """
    from jax._src.pallas.mosaic import tpu_info
    from jax.experimental.pallas import tpu

    if os.environ.get("PALLAS_INTERPRET") == "hlo":
        # True is what pallas_call(interpret=True) is given.
        tpu.set_tpu_interpret_mode(True)  # type: ignore[arg-type]
        return
    # Some code asks what chip there is all the same; any one will do.
    tpu_info.registry.setdefault(
        "cpu", lambda: tpu.get_tpu_info_for_chip(tpu.ChipVersion.TPU_V5E, 1)
    )
    tpu.set_tpu_interpret_mode()


sys.meta_path.insert(0, OnImport("jax", wait_for_programs))
sys.meta_path.insert(0, OnImport("jax.experimental.pallas", interpret))
