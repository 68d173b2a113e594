"""Frozen dataclasses that cost nothing to make.

The library's own `dataclass` compiles six methods for each class and loads `inspect`; for the forty classes of
this package that takes longer than everything else `lossguard explain` does. This one takes its place for
`@dataclass(frozen=True)`: the same look for users, type checkers, pickle, `dataclasses.replace` and
`dataclasses.fields`, with methods that all classes share. `slots` is taken for the type checker and makes no slots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:

    def dataclass(*, frozen: bool, slots: bool = False) -> Any:  # noqa: ARG001 - said for the type checker
        """A decorator for a class whose annotated names are its fields."""
        if not frozen:
            raise TypeError("records are frozen; take the library's own dataclass for others")
        return _make

    def field(*, default_factory: Any) -> Any:
        """A default that is made anew for each record."""
        return _Factory(default_factory)

    def replace(record: Any, /, **changes: Any) -> Any:
        """The same record with some fields changed."""
        values, names = record.__dict__, record.__match_args__
        if len(values) != len(names) or not values.keys() >= changes.keys():
            # Something worked out hangs on it, which must not be taken along; or the changes are to be complained of.
            return type(record)(**{name: values[name] for name in names} | changes)
        changed = object.__new__(type(record))
        changed.__dict__.update(values)
        changed.__dict__.update(changes)
        return changed


class _Factory:
    """Marks a default that is made anew for each record."""

    def __init__(self, make: Any) -> None:
        self.make = make


class _LibraryFields:
    """The fields as the library's own functions want them, made when one of these functions asks."""

    def __get__(self, instance: object, owner: Any) -> dict[str, Any]:
        import dataclasses

        shown = [(name, owner.__record_types__[name], _library_default(owner, name)) for name in owner.__match_args__]
        twin: Any = dataclasses.make_dataclass(owner.__name__, shown, kw_only=True)
        fields: dict[str, Any] = twin.__dataclass_fields__
        # Made once: `replace` asks in every check of a call.
        owner.__dataclass_fields__ = fields
        return fields


def _library_default(owner: Any, name: str) -> Any:
    import dataclasses

    if name in owner.__record_factories__:
        return dataclasses.field(default_factory=owner.__record_factories__[name])
    return (
        dataclasses.field(default=owner.__record_defaults__[name])
        if name in owner.__record_defaults__
        else dataclasses.field()
    )


def _make(cls: Any) -> Any:
    """Turn a class with annotations into a record."""
    types: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        types.update(vars(base).get("__record_types__", {}))
        defaults.update(vars(base).get("__record_all_defaults__", {}))
    own = {name: kind for name, kind in vars(cls).get("__annotations__", {}).items() if "ClassVar" not in str(kind)}
    defaults.update({name: vars(cls)[name] for name in own if name in vars(cls)})
    types.update(own)
    for name, value in defaults.items():
        if isinstance(value, _Factory) and name in vars(cls):
            delattr(cls, name)
    cls.__record_types__ = types
    cls.__record_all_defaults__ = defaults
    cls.__record_defaults__ = {name: value for name, value in defaults.items() if not isinstance(value, _Factory)}
    cls.__record_factories__ = {name: value.make for name, value in defaults.items() if isinstance(value, _Factory)}
    setattr(cls, "__match_args__", tuple(types))  # noqa: B010 - mypy takes a plain assignment for a mistake
    cls.__dataclass_fields__ = _LibraryFields()
    for method in (_init, _eq, _hash, _repr, _setattr, _delattr):
        name = f"__{method.__name__[1:]}__"
        if name not in vars(cls) or (name == "__hash__" and vars(cls)[name] is None):
            setattr(cls, name, method)
    return cls


def _init(self: Any, /, *args: Any, **kwargs: Any) -> None:
    """Put each value at its field, as a function with these parameters would."""
    names = self.__match_args__
    values = self.__dict__
    values.update(self.__record_defaults__)
    if args:
        values.update(zip(names, args))  # noqa: B905 - too many are complained about below
    values.update(kwargs)
    for name, make in self.__record_factories__.items():
        if name not in values:
            values[name] = make()
    twice = args and kwargs and not kwargs.keys().isdisjoint(names[: len(args)])
    if twice or len(values) != len(names) or len(args) > len(names):
        _complain(type(self).__name__, names, args, kwargs, values)


def _complain(cls: str, names: tuple[str, ...], args: tuple[Any, ...], kwargs: Any, values: Any) -> None:
    if len(args) > len(names):
        raise TypeError(f"{cls} takes {len(names)} values; {len(args)} were given")
    if twice := [name for name in names[: len(args)] if name in kwargs]:
        raise TypeError(f"{cls} was given {', '.join(twice)} twice")
    if strange := [name for name in kwargs if name not in names]:
        raise TypeError(f"{cls} has no field {', '.join(strange)}")
    raise TypeError(f"{cls} needs {', '.join(name for name in names if name not in values)}")


def _values(record: Any) -> tuple[Any, ...]:
    values = record.__dict__
    return tuple([values[name] for name in record.__match_args__])


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({shown})"


def _setattr(self: Any, name: str, value: Any) -> None:
    del value
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r} of {type(self).__name__}")


def _delattr(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r} of {type(self).__name__}")
