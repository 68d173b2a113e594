"""Acting as soon as torch has been imported, in whatever way and however often it was looked for before."""

from __future__ import annotations

import importlib.abc
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


def when_torch_is_imported(act: Callable[[], None]) -> None:
    """Call `act` as soon as the program has imported torch: not before, for the program may set things up first."""
    if "torch" in sys.modules:
        act()
    else:
        sys.meta_path.insert(0, _TorchFinder(act))


class _TorchFinder(importlib.abc.MetaPathFinder):
    """Gives torch the loader that the other finders have for it, and acts when that has loaded it.

    Programs may ask for the spec without importing torch, as often as they like.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of torch, with a loader that acts afterwards; nothing for any other module."""
        if fullname != "torch":
            return None
        specs = (finder.find_spec(fullname, path, target) for finder in list(sys.meta_path) if finder is not self)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            self._act_after(spec)
        return spec

    def _act_after(self, spec: ModuleSpec) -> None:
        loader = spec.loader
        load = loader.exec_module  # type: ignore[union-attr]

        def exec_module(module: ModuleType) -> None:
            vars(loader).pop("exec_module", None)
            load(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._act()

        loader.exec_module = exec_module  # type: ignore[union-attr, method-assign]
