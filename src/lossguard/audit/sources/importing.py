"""An object of the user's by its name: `train.py:train_set` or `package.module:loader`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from lossguard.audit.trouble import CannotAudit, nearest


def is_object(source: str) -> bool:
    """Whether a source is written as module:attribute; a drive letter or an address is not."""
    module, colon, attribute = source.rpartition(":")
    bare = attribute.removesuffix("()").replace(".", "")
    return bool(colon) and bool(module) and "//" not in attribute and bare.isidentifier() and len(module) > 1


def load_object(source: str) -> Any:
    """The object. The module is imported, so that what stands below `if __name__ == "__main__"` does not run."""
    module, _, attribute = source.rpartition(":")
    loaded = _load(module)
    found: Any = loaded
    for name in attribute.removesuffix("()").split("."):
        if not hasattr(found, name):
            names = [known for known in vars(loaded) if not known.startswith("_")] if found is loaded else dir(found)
            raise CannotAudit(
                f"{module} has no {attribute!r} after its import{nearest(name, names)}; "
                'what is made below `if __name__ == "__main__"` is not there'
            )
        found = getattr(found, name)
    if attribute.endswith("()"):
        found = _run(f"{attribute} of {module}", found)
    elif isinstance(found, type) or (
        callable(found) and not hasattr(found, "__getitem__") and not hasattr(found, "__iter__")
    ):
        kind = "class" if isinstance(found, type) else "function"
        if isinstance(found, type) or not hasattr(found, "forward"):
            raise CannotAudit(f"{source} is a {kind}; to audit what it gives, write {source}()")
    return found


def _load(module: str) -> ModuleType:
    path = Path(module)
    if not module.endswith(".py"):
        if "" not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        imported: ModuleType = _run(f"the import of {module}", lambda: importlib.import_module(module))
        return imported
    if not path.is_file():
        raise CannotAudit(f"there is no file {module}")
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise CannotAudit(f"{module} is no module of Python")
    loaded = importlib.util.module_from_spec(spec)
    # Classes of the file must be found by their module's name when they are pickled for workers.
    sys.modules[path.stem] = loaded
    loader = spec.loader
    _run(f"the import of {module}", lambda: loader.exec_module(loaded))
    return loaded


def _run(what: str, function: Any) -> Any:
    try:
        return function()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        where = _line_of(error)
        raise CannotAudit(f"{what} raises {type(error).__name__}: {_short(error)}{where}") from error


def _short(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0][:200]


def _line_of(error: BaseException) -> str:
    """The last line of the user's in a traceback."""
    from lossguard.paths import is_users, shown_path

    found = ""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_users(file):
            found = f" ({shown_path(file)}:{trace.tb_lineno})"
        trace = trace.tb_next
    return found


def raised(what: str, error: BaseException) -> CannotAudit:
    """What the user's own code raised, with its line."""
    return CannotAudit(f"{what} raises {type(error).__name__}: {_short(error)}{_line_of(error)}")
