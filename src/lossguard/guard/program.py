"""Running somebody's program as Python itself would: `python train.py`, `python -m package`, with our eyes on it."""

from __future__ import annotations

import builtins
import importlib.machinery
import io
import os
import runpy
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType

_OUR_FOLDER = str(Path(__file__).parent.parent) + os.sep


class CannotRun(Exception):
    """There is no such program."""


@dataclass(frozen=True, slots=True)
class Program:
    """A script or a module, and its arguments."""

    name: str
    arguments: Sequence[str] = ()
    is_module: bool = False

    def run(self) -> None:
        """Run it in this process as `__main__`. Whatever it raises comes out."""
        sys.argv[:] = [self.name, *self.arguments]
        if self.is_module:
            _set_first_path(str(Path.cwd()))
            _new_main()
            # What `python -m` itself calls: the module's own __spec__ is what multiprocessing needs.
            runpy._run_module_as_main(self.name, alter_argv=True)  # type: ignore[attr-defined]  # noqa: SLF001
            return
        if self.name == "-":
            _set_first_path("")
            code = compile(sys.stdin.read(), "<stdin>", "exec")
            exec(code, vars(_new_main("<stdin>")))  # noqa: S102 - running a program is what was asked for
            return
        # Python gives a script its absolute name everywhere but in argv.
        path = Path(self.name).absolute()
        if path.is_dir() or path.suffix in {".zip", ".pyz"}:
            _set_first_path(self.name)
            _new_main()
            runpy.run_path(self.name, run_name="__main__")
            return
        _set_first_path(str(path.resolve().parent))
        try:
            with io.open_code(str(path)) as file:
                source = file.read()
        except OSError as error:
            raise CannotRun(f"can't open {self.name!r}: {error.strerror}") from None
        # compile() would hand on the __future__ imports of this very file.
        code = compile(source, str(path), "exec", dont_inherit=True)
        exec(code, vars(_new_main(str(path))))  # noqa: S102 - running a program is what was asked for

    def check(self) -> None:
        """Raise `CannotRun` if there is nothing to run, before anything else happens."""
        if self.is_module or self.name == "-":
            return
        if not Path(self.name).exists():
            raise CannotRun(f"can't open {self.name!r}: no such file")


def _set_first_path(folder: str) -> None:
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _new_main(filename: str | None = None) -> ModuleType:
    """A fresh `__main__`, as a new interpreter would have it."""
    main = ModuleType("__main__")
    vars(main)["__builtins__"] = builtins
    if filename is not None:
        main.__file__ = filename
        main.__loader__ = importlib.machinery.SourceFileLoader("__main__", filename)
        vars(main)["__cached__"] = None
    sys.modules["__main__"] = main
    return main


def without_us(trace: TracebackType | None) -> TracebackType | None:
    """A traceback that begins where the program does."""
    while trace is not None and _is_launcher(trace):
        trace = trace.tb_next
    return trace


def _is_launcher(trace: TracebackType) -> bool:
    code = trace.tb_frame.f_code
    return code.co_filename.startswith(("<frozen runpy", _OUR_FOLDER))
