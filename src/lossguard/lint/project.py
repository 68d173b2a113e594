"""The files of a project: their syntax trees, their imports followed statically, and what is set from outside."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path
from typing import Any, Final

from lossguard.contracts.loss import known_losses
from lossguard.lint.interpreter import Exhausted, Frame, Interpreter, State
from lossguard.lint.values import Class, Imported, Library, Module, Unknown, Value

#: Libraries are known by name, whatever files are around; the table says what their calls do.
_LIBRARIES: Final = frozenset({"torch", "numpy", "pandas", "sklearn", "torchvision", "scipy", "tqdm", "datasets"})
#: What people call libraries in code that they paste.
USUAL_NAMES: Final = {
    "torch": Library("torch"),
    "nn": Library("torch.nn"),
    "F": Library("torch.nn.functional"),
    "np": Library("numpy"),
    "pd": Library("pandas"),
    **{name: Library(f"torch.utils.data.{name}") for name in ("DataLoader", "TensorDataset", "Dataset")},
    **{loss.module: Library(f"torch.nn.{loss.module}") for loss in known_losses().values() if loss.module},
}
MODULE_STEPS: Final = 30_000
_MANY_TIMES: Final = 1_000_000
_LARGEST_IMPORT: Final = 400_000


class Source:
    """A file: its text and tree, and where it stands in its package."""

    def __init__(self, path: str, text: str, *, cells: list[Any] | None = None) -> None:
        self.path, self.text = path, text
        #: For a notebook: its code cells, and where they begin in `text`.
        self.cells = cells
        self.lines = text.split("\n")
        self.folder = Path(path).parent
        self.package = _package(Path(path))
        self.state = State()
        self.is_ready = False
        #: Names that are taken for libraries where nothing says what they are.
        self.implied: dict[str, Value] = {}
        #: Whether dtypes may change by themselves in here.
        self.autocasts = "autocast" in text or "amp." in text
        self.tree: ast.Module | None = None
        self._counts: dict[str, int] | None = None
        #: Whether its body is at work, so that its names have the values of this moment.
        self.is_running = False
        #: How often its body has given a name a value so far: what its functions give may depend on it.
        self.changes = 0

    def parse(self) -> ast.Module:
        """The syntax tree; what `ast.parse` raises is raised here."""
        if self.tree is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.tree = ast.parse(self.text)
        return self.tree

    def is_settled(self, name: str) -> bool:
        """Whether a global name is given a value once only, or several by the body of the module that is at work."""
        if self._counts is None:
            self._counts = _assignments(self.parse())
        return self._counts.get(name, 0) <= (_MANY_TIMES if self.is_running else 1)


def _assignments(tree: ast.Module) -> dict[str, int]:
    """How often each name is given a value outside of functions; what functions call global counts as too often."""
    counts: dict[str, int] = {}
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            counts[getattr(node, "name", "")] = counts.get(getattr(node, "name", ""), 0) + 1
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] = counts.get(node.id, 0) + 1
        todo.extend(ast.iter_child_nodes(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            counts.update(dict.fromkeys(node.names, _MANY_TIMES + 1))
    return counts


def _package(path: Path) -> str:
    """The dotted name of a file, by the folders around it that are packages."""
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder.name:
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


class Project:
    """The files that are linted or imported by those, read once each."""

    def __init__(self) -> None:
        self.sources: dict[str, Source | None] = {}
        self.interpreter: Interpreter | None = None
        self._elsewhere: dict[str, frozenset[str]] = {}
        self._by_class: dict[Class, set[str]] = {}

    def prepare(self, source: Source) -> State:
        """The names of a module, interpreted when first asked for; as far as it has come while it is at work."""
        if source.is_ready or self.interpreter is None:
            return source.state
        source.is_ready = True
        interpreter = self.interpreter
        kept, silent, calls = interpreter.steps, interpreter.found, interpreter.calls
        interpreter.steps, interpreter.found, interpreter.calls = MODULE_STEPS, [], []
        try:
            with interpreter.within(Frame(source, source.state)):
                interpreter.execute(source.parse().body)
        except (Exhausted, SyntaxError, ValueError, RecursionError, MemoryError):
            source.state.names.clear()
        finally:
            interpreter.steps, interpreter.found, interpreter.calls = kept, silent, calls
        return source.state

    def imported(self, source: Source, name: str, level: int = 0) -> Value:
        """What `import name` means in a file: a module of the project, or something of a library."""
        if level:
            parts = source.package.split(".")
            is_package = Path(source.path).stem == "__init__"
            drop = level - 1 if is_package else level
            base = parts[: len(parts) - drop] if drop else parts
            full = ".".join([*base, name] if name else base)
            if full.partition(".")[0] in _LIBRARIES:
                return Library(full)
            folder = source.folder
            for _ in range(level - 1):
                folder = folder.parent
            return self._at(folder, name) or Library(full or name)
        if name.partition(".")[0] in _LIBRARIES:
            return Library(name)
        folder = source.folder
        if (found := self._at(folder, name)) is not None:
            return found
        parts = source.package.split(".")
        if name.partition(".")[0] == parts[0] and len(parts) > 1:
            # Other packages beside this one are libraries: they are not followed.
            up = len(parts) - (0 if Path(source.path).stem == "__init__" else 1)
            return self._at(folder.parents[up - 1], name) or Library(name)
        return Library(name)

    def _at(self, folder: Path, name: str) -> Module | None:
        path = folder.joinpath(*name.split(".")) if name else folder
        for candidate in (path.with_name(f"{path.name}.py"), path / "__init__.py"):
            if (source := self._load(candidate)) is not None:
                return Module(source)
        return None

    def _load(self, path: Path) -> Source | None:
        key = str(path)
        if key not in self.sources:
            self.sources[key] = None
            try:
                if path.is_file() and path.stat().st_size < _LARGEST_IMPORT:
                    found = Source(key, path.read_text(encoding="utf-8"))
                    found.parse()
                    self.sources[key] = found
            except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
                pass
        return self.sources[key]

    def member(self, module: Module, name: str) -> Value:
        """A name of a module of the project: a global, or a module inside the package."""
        source: Source = module.source
        state = self.prepare(source)
        if name in state.names:
            value = state.names[name]
            while isinstance(value, Imported) and value.module is not module:
                value = self.member(value.module, value.name)
            settled = source.is_settled(name) or isinstance(value, Class | Library | Module)
            return value if settled and not isinstance(value, Imported) else Unknown(name)
        if Path(source.path).stem == "__init__":
            return self._at(source.folder, name) or Unknown(name)
        return Unknown(name)

    def attributes_set_elsewhere(self, cls: Class) -> frozenset[str]:
        """The attributes of a class that are set outside of its `__init__`: by its methods, or through other names."""
        found: set[str] = set()
        for each in cls.lineage():
            if each not in self._by_class:
                methods = [method for name, method in each.methods.items() if name != "__init__"]
                self._by_class[each] = set().union(*map(_attributes_stored, methods))
            found |= self._by_class[each] | self.stored_through_names(each.module)
        return frozenset(found)

    def stored_through_names(self, source: Any) -> frozenset[str]:
        """The attributes that a file gives a value through any name but `self`."""
        if source.path not in self._elsewhere:
            stored = re.findall(r"(?<![\w.])(?!self\.)[A-Za-z_]\w*(?:\.\w+)*\.(\w+)\s*=(?!=)", source.text)
            self._elsewhere[source.path] = frozenset(stored)
        return self._elsewhere[source.path]


def _attributes_stored(method: ast.AST) -> set[str]:
    return {
        node.attr for node in ast.walk(method) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
