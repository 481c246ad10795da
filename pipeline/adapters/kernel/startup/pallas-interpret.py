"""Lets pages about Pallas on TPUs run on a CPU.

Interpret mode is turned on once a page imports Pallas, and not before: the import takes seconds.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

PALLAS = "jax.experimental.pallas"


class OnImport(importlib.abc.MetaPathFinder):
    """Stands in the way of the first import of Pallas, and then no more."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if name != PALLAS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_interpret(module: ModuleType) -> None:
                load(module)
                interpret()

            spec.loader.exec_module = load_and_interpret  # type: ignore[method-assign]
        return spec


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


sys.meta_path.insert(0, OnImport())
