"""The dtypes of tensors, by name: which are whole, which are floating, and how far each is exact."""

from __future__ import annotations

from typing import Final

INT64: Final = frozenset({"int64"})
UINT8: Final = frozenset({"uint8"})
BOOL: Final = frozenset({"bool"})

#: Integer dtypes other than int64 and uint8, which class-index losses refuse.
NARROW_INTEGERS: Final = frozenset({"int8", "int16", "int32", "uint16", "uint32", "uint64"})
INTEGERS: Final = INT64 | UINT8 | NARROW_INTEGERS

#: Floating dtypes every kernel of a loss has.
COMMON_FLOATS: Final = frozenset({"float16", "bfloat16", "float32", "float64"})
#: Those that autocast brings to one before a loss sees them.
AUTOCAST_FLOATS: Final = COMMON_FLOATS - {"float64"}
SMALL_FLOATS: Final = frozenset(
    {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"}
)
FLOATS: Final = COMMON_FLOATS | SMALL_FLOATS
#: Dtypes that promote to a common floating one beside a floating tensor.
REALS: Final = COMMON_FLOATS | INTEGERS | BOOL
COMPLEX: Final = frozenset({"complex32", "complex64", "complex128"})

#: Every whole number below this is held exactly; at it and above, neighbours share one value.
FIRST_INEXACT: Final = {
    "float64": 2**53,
    "float32": 2**24,
    "float16": 2**11,
    "bfloat16": 2**8,
    "float8_e4m3fn": 2**4,
    "float8_e4m3fnuz": 2**4,
    "float8_e5m2": 2**3,
    "float8_e5m2fnuz": 2**3,
    "float8_e8m0fnu": 2,
}

#: The largest gap that rounding leaves between 1 and the next value.
EPSILON: Final = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}

#: How many binary digits a floating dtype holds, and its largest exponent.
_DIGITS: Final = {
    "float64": (53, 1023),
    "float32": (24, 127),
    "float16": (11, 15),
    "bfloat16": (8, 127),
    "float8_e4m3fn": (4, 8),
    "float8_e4m3fnuz": (4, 7),
    "float8_e5m2": (3, 15),
    "float8_e5m2fnuz": (3, 15),
    "float8_e8m0fnu": (1, 127),
}

#: What `.long()` and `.int()` make of NaN and infinity.
INT64_MIN: Final = -(2**63)
INT32_MIN: Final = -(2**31)

INT64_MAX: Final = 2**63 - 1

_NAMES_IN_MESSAGES: Final = {
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
    "ComplexHalf": "complex32",
    "UInt16": "uint16",
    "UInt32": "uint32",
    "UInt64": "uint64",
}

#: The same in lower case, as they are written in code: `torch.long`, `.double()`.
WORDS: Final = {word.lower(): dtype for word, dtype in _NAMES_IN_MESSAGES.items()}
#: What Python's own types become in arrays, and the codes of arrays.
PYTHON_WORDS: Final = {"float": "float64", "int": "int64", "bool": "bool"}
ARRAY_CODES: Final = {
    f"{letter}{size // 8}": f"{word}{size}"
    for letter, word, sizes in (
        ("f", "float", (16, 32, 64)),
        ("i", "int", (8, 16, 32, 64)),
        ("u", "uint", (8, 16, 32, 64)),
    )
    for size in sizes
}


def dtype_named(word: str) -> str | None:
    """The dtype that torch's messages call `word` ("Float" is float32); None for a word that is none."""
    return _NAMES_IN_MESSAGES.get(word)


def word_for(dtype: str) -> str:
    """What torch's messages call `dtype` ("int64" is "Long")."""
    return next((word for word, name in _NAMES_IN_MESSAGES.items() if name == dtype), dtype)


def is_floating(dtype: str) -> bool:
    """Whether `dtype` is a real floating dtype, the 8-bit ones among them."""
    return dtype in FLOATS or dtype.startswith("float")


def has_fewer_digits(dtype: str, other: str) -> bool:
    """Whether a floating `dtype` rounds more coarsely than `other`; False where one of them is none."""
    return dtype in _DIGITS and other in _DIGITS and _DIGITS[dtype][0] < _DIGITS[other][0]


def holds_every(wide: str, narrow: str) -> bool:
    """Whether every value of the floating dtype `narrow` is one of `wide`: digits and exponents both count."""
    if wide not in _DIGITS or narrow not in _DIGITS:
        return False
    return all(here >= there for here, there in zip(_DIGITS[wide], _DIGITS[narrow], strict=True))


def is_whole(dtype: str) -> bool:
    """Whether `dtype` holds integers or truth values only."""
    return dtype in INTEGERS or dtype in BOOL


def largest_of(dtype: str) -> int | None:
    """The largest whole number an integer `dtype` holds; None for other dtypes."""
    if dtype == "bool":
        return 1
    if dtype not in INTEGERS:
        return None
    bits = int(dtype.lstrip("uint"))
    return (1 << bits) - 1 if dtype.startswith("u") else (1 << (bits - 1)) - 1
