"""Running somebody's program as Python itself would: `python train.py`, `python -m package`, with our eyes on it."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import io
import marshal
import os
import pkgutil
import runpy
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Final

from lossguard.paths import OURS

#: Compiled code begins with a magic number and twelve more bytes.
_HEADER: Final = 16
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


class CannotRun(Exception):
    """There is no such program, or what is there is none."""


@dataclass(frozen=True, slots=True)
class Program:
    """A script or a module, and its arguments."""

    name: str
    arguments: Sequence[str] = ()
    is_module: bool = False

    def run(self) -> None:
        """Run it in this process as `__main__`. Whatever it raises comes out; `CannotRun` before it has begun."""
        sys.argv[:] = [self.name, *self.arguments]
        if self.is_module:
            _set_first_path(_cwd())
            self._run_module()
        elif self.name == "-":
            _set_first_path("")
            code = compile(sys.stdin.read(), "<stdin>", "exec", dont_inherit=True)
            exec(code, vars(_new_main("<stdin>")))  # noqa: S102 - running a program is what was asked for
        elif self._holds_modules:
            self._run_inner_main()
        else:
            self._run_file()

    def leave(self) -> None:
        """Take from `__main__` what Python takes when a script has ended, before exit callbacks run."""
        if not self.is_module:
            for name in ("__file__", "__cached__"):
                vars(sys.modules["__main__"]).pop(name, None)

    def check(self) -> None:
        """Raise `CannotRun` if there is nothing to run, as far as that is seen before anything else happens."""
        if self.is_module or self.name == "-":
            return
        if not Path(self.name).exists():
            raise CannotRun(f"can't open {self.name!r}: no such file")
        finder = pkgutil.get_importer(self._path)
        if finder is not None and finder.find_spec("__main__") is None:
            what = "directory" if Path(self.name).is_dir() else "archive"
            raise CannotRun(f"can't run {self.name!r}: this {what} has no __main__.py{_scripts_in(self.name)}")

    @property
    def _holds_modules(self) -> bool:
        """Whether Python looks for a `__main__` inside: a directory, or an archive of any name."""
        return pkgutil.get_importer(self._path) is not None

    @property
    def _path(self) -> str:
        """The name as Python makes it absolute: what is written stays, and so it does where there is no folder."""
        folder = _cwd()
        return os.path.join(folder, self.name) if folder else self.name  # noqa: PTH118 - Path takes out "./"

    def _run_module(self) -> None:
        """What `python -m` itself does: the module's own __spec__ is what multiprocessing needs."""
        sys.argv[0] = "-m"
        main = _new_main()
        try:
            _, spec, code = runpy._get_module_details(self.name, CannotRun)  # type: ignore[attr-defined]  # noqa: SLF001 - public ones change __main__
        except CannotRun as error:
            raise CannotRun(f"can't run module {self.name!r}: {error}") from None
        sys.argv[0] = spec.origin
        runpy._run_code(code, vars(main), None, "__main__", spec)  # type: ignore[attr-defined]  # noqa: SLF001 - see above

    def _run_inner_main(self) -> None:
        """What Python does with a directory or an archive: it comes first in the path, and its __main__ runs."""
        folder = self._path
        if sys.flags.safe_path:
            sys.path.insert(0, folder)
        _set_first_path(folder)
        _new_main()
        runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]  # noqa: SLF001 - what Python calls

    def _run_file(self) -> None:
        # Python gives a script its absolute name everywhere but in argv.
        path = self._path
        try:
            with io.open_code(path) as file:
                source = file.read()
        except OSError as error:
            raise CannotRun(f"can't open {self.name!r}: {error.strerror}") from None
        code = _compiled(self.name, source)
        if code is None and (why := _no_source(self.name, source)):
            raise CannotRun(f"can't run {self.name!r}: {why}")
        _set_first_path(_folder_of(path))
        loader = importlib.machinery.SourceFileLoader if code is None else importlib.machinery.SourcelessFileLoader
        main = _new_main(path, loader)
        # compile() would hand on the __future__ imports of this very file.
        code = code or compile(source, path, "exec", dont_inherit=True)
        exec(code, vars(main))  # noqa: S102 - running a program is what was asked for


def _compiled(name: str, data: bytes) -> CodeType | None:
    """The code in a .pyc file; None if this is none."""
    if data.startswith(importlib.util.MAGIC_NUMBER):
        code: CodeType = marshal.loads(data[_HEADER:])  # noqa: S302 - running a program is what was asked for
        return code
    if name.endswith(".pyc"):
        raise CannotRun(f"can't run {name!r}: it was not compiled by this version of Python")
    return None


def _no_source(name: str, data: bytes) -> str:
    """Why this is no Python source at all; empty if it may be. Faults of syntax are the program's own."""
    if name.lower().endswith(".ipynb") and data.lstrip().startswith(b"{"):
        return (
            "it is a notebook; put `%load_ext lossguard` into its first cell, or make a script of it with "
            f"`jupyter nbconvert --to script {name}`"
        )
    if data.startswith(_UTF_16):
        return "it is text in UTF-16; save it in UTF-8, which is what Python reads"
    return "it is not Python source, but a binary file" if b"\0" in data else ""


def _scripts_in(folder: str) -> str:
    """What could have been meant, where there are few."""
    scripts = sorted(path.name for path in Path(folder).glob("*.py")) if Path(folder).is_dir() else []
    return f"; there is {', '.join(scripts)} in it" if 0 < len(scripts) <= 5 else ""


def _cwd() -> str:
    """The working folder; empty if it is gone."""
    try:
        return os.getcwd()  # noqa: PTH109 - as Python has it
    except OSError:
        return ""


def _folder_of(script: str) -> str:
    """The folder that a script lies in, behind all links, as far as that can be found out."""
    try:
        return str(Path(script).resolve().parent)
    except OSError:
        return str(Path(script).parent)


def _set_first_path(folder: str) -> None:
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _new_main(
    filename: str | None = None,
    loader: type[importlib.machinery.SourceFileLoader | importlib.machinery.SourcelessFileLoader] | None = None,
) -> ModuleType:
    """A fresh `__main__`, as a new interpreter would have it."""
    main = ModuleType("__main__")
    vars(main)["__builtins__"] = builtins
    vars(main)["__annotations__"] = {}
    main.__loader__ = importlib.machinery.BuiltinImporter
    if filename is not None:
        main.__file__ = filename
        vars(main)["__cached__"] = None
        if loader is not None:
            main.__loader__ = loader("__main__", filename)
    sys.modules["__main__"] = main
    return main


def without_us(trace: TracebackType | None) -> TracebackType | None:
    """A traceback that begins where the program does."""
    while trace is not None and _is_launcher(trace):
        trace = trace.tb_next
    return trace


def _is_launcher(trace: TracebackType) -> bool:
    code = trace.tb_frame.f_code
    return code.co_filename.startswith(("<frozen runpy", OURS))
