"""The row type of the table of operations, and the words that may stand in its columns.

How to add a row
    1. Find the file by the home of the call: `arrays.py` for torch and numpy, `frames.py` for pandas and datasets,
       `layers.py` for classes of `torch.nn`, `python.py` for Python's own.
    2. Write `row("name", "home home", column="word word", ...)` in alphabetical order. Leave a column out if nothing is
       sure: an unknown effect is never guessed.
    3. Take words from `COLUMNS` below. A new word is an entry there with its meaning; a test refuses any other.
    4. Run `pytest tests/test_operation_table.py`. It calls what the row says is pure and compares dtype and finiteness.

A name may have several rows, one for each home in which it means something else. Nothing here imports torch.
"""

from __future__ import annotations

from typing import Final

from lossguard.records import dataclass

#: Every column with the words that may stand in it, and what each word says.
COLUMNS: Final[dict[str, dict[str, str]]] = {
    "home": {
        "torch": "a function of torch or torch.nn.functional, or a method of a tensor",
        "numpy": "a function of numpy or of a generator, or a method of an array",
        "pandas": "a function of pandas, or a method of a frame, a series or a group",
        "polars": "a function of polars, or a method of a frame or a series of it",
        "python": "a builtin, a function of the standard library, or a method of its containers and texts",
        "layer": "a class of torch.nn: the row speaks of calling an object of it",
        "datasets": "a method of a dataset of Hugging Face or WebDataset",
        "sklearn": "a function or a method of scikit-learn",
        "scipy": "a function of scipy",
        "tqdm": "a function of tqdm",
        "pillow": "a method of an image of Pillow",
        "attribute": "no call, but an attribute that is read",
    },
    "pure": {
        "function": "it may be run again as a function: it has no effect but its result",
        "method": "it may be run again as a method of data",
        "builtin": "it may be run again as a builtin",
        "layer": "an object of it may be called again",
        "transformer": "an object of it may be made again, and its transforming methods run on a copy of it",
        "transforming": "a transformer's method that gives data, or the transformer itself",
        "counting-layer": "an object of it may be called again if its running mean is put aside",
    },
    "dtype": {
        "float": "the result is floating, whatever is given",
        "whole": "the result holds whole numbers in an integer dtype, whatever is given",
        "bool": "the result is true or false",
        "cast": "it changes the dtype and nothing else: to the one that it is named after or is given",
        "of-array": "a tensor takes over the dtype of the array that is given, so that float64 gets into tensors here",
        **dict.fromkeys(
            ("float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64"),
            "the result has this dtype, when the call is made without a dtype",
        ),
    },
    "values": {
        "same": "the result holds the numbers that were given, all or some, in any order or arrangement",
        "mixed": "the result holds new numbers of any size, made out of many",
        "fractional": "whole numbers become fractions",
        "codes": "the result holds whole numbers of its own making, such as those of classes or places",
        "numbered": "the result holds numbers of places, ranks or counts, whatever the operands are",
        "dense": "each different thing that is given gets a number, from 0 and with none left out",
        "sized": "what is given is sizes and bounds, which are no values yet",
        "like": "the result has new values, and only the shape and the dtype of what is given",
        "drawn": "the result is drawn at random below a bound that is given",
        "filled": "places are filled with a constant that is given",
        "looked-up": "the first operand is a table in which the others are looked up",
        "text": "the result is text or an image, in which there are no numbers yet",
        "text-of-text": "the same, if nothing is given or only texts: parts of a text",
    },
    "shape": {
        "row-by-row": "the result has one row for each row that is given",
        "entry-by-entry": "the result has the shape of what is given",
        "column": "an axis of size 1 may be added",
        "one-hot": "an axis of classes is added",
    },
    "axes": {
        "as-given": "the result has the axes of the first operand",
        "broadcast": "the axes of all operands are broadcast",
        "reduced": "the axis that `dim` names is gone, or all are; with `keepdim` it has size 1",
        "of-sizes": "the arguments are the sizes",
        "of-size": "the first argument is the size or a sequence of sizes",
        "drawn-sizes": "bounds come first, then the sizes",
        "one": "the result has one axis",
        "square": "the argument is the number of rows and of columns",
        "distinct": "the result has one axis, with an entry for each different thing, or each number to the largest",
        "counted": "the result has one axis, and the third argument is its size",
        "chosen-sizes": "the sizes come after what is drawn from",
        "padded": "sequences are put one after the other along a new axis, with the first or second for their places",
        "joined": "operands are put one after the other along an axis",
        "stacked": "operands are put one after the other along a new axis",
        "columns": "operands are put beside each other, each as a column",
        "tiled": "the whole is repeated along its axes, as often as the arguments say; of numpy and pandas, each entry",
        "repeated": "each entry is repeated along an axis, or in one axis for all",
        "split": "the result is several parts of the first operand",
        "expanded": "axes of size 1 get the sizes that are given",
        "with-one": "an axis of size 1 is added where the argument says",
        "without-ones": "axes of size 1 are dropped",
        "flattened": "axes are joined into one, from `start_dim` to `end_dim`",
        "flattened-samples": "all axes but the first are joined into one, where nothing else is said",
        "viewed": "the result has the sizes that are given",
        "permuted": "the axes come in the order that is given",
        "swapped": "two axes change places",
        "moved": "an axis moves to another place",
        "turned": "the last two axes change places",
        "picked": "the result has the shape of the index",
        "with-classes": "an axis of classes is added at the end",
        "with-features": "an axis of features is added at the end",
        "pair": "the result is two values",
        "with-state": "the result is a tuple: the output, and the state or the weights",
        "multiplied": "matrices are multiplied",
        "linear": "the last axis gets the size of the outputs",
        "channels": "the axis of channels gets the size of the outputs; places may become more or fewer",
        "same-rank": "there are as many axes as before, and the first two are the same",
        "none": "the result is a single number",
    },
    "finiteness": {
        "always": "the result is finite, whatever is given",
        "keeps": "the result is finite if all operands are",
        "gaps": "places may be left empty, which makes them NaN and their dtype floating",
        "edge-gaps": "the first or the last places are always left empty",
    },
    "rows": {
        "moved": "rows are left out or put into another order",
        "passed": "rows of a dataset come out as they went in, all or some",
        "of-columns": "a dataset is made of columns",
        "mapped": "a function is applied to each row",
        "handed-on": "what is given, or its elements, is handed on",
    },
    "meaning": {
        "probabilities": "the result lies between 0 and 1 and may be taken for probabilities",
        "log-probabilities": "the result is logarithms of probabilities",
        "scores": "the result is scores of any size and sign",
        "distribution": "each row of the result sums to 1, whatever is given",
        "kept": "the meaning of what is given is kept",
        "linear": "scores stay scores; what means anything else means it no longer",
    },
    "takes": {
        "sizes": "the arguments are sizes, bounds and settings: the result comes into being here",
        "data-then-sizes": "whole numbers after the data are sizes and axes",
        "data-third": "places come first, and the third argument has the numbers that the result is made of",
    },
    "kind": {
        "grouped": "the result is rows put into groups, whose methods do something else",
        "no-tensor": "the result is an array, a list or a number, and no tensor",
    },
    "writes": {
        "grows": "an element is added to the container whose method it is",
        "entry": "the entry of a table is given, and made where there is none",
    },
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of a library, and what it does: each column is a set of words of `COLUMNS`, empty if nothing is sure."""

    name: str
    home: frozenset[str]
    pure: frozenset[str] = frozenset()
    dtype: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    shape: frozenset[str] = frozenset()
    axes: frozenset[str] = frozenset()
    finiteness: frozenset[str] = frozenset()
    rows: frozenset[str] = frozenset()
    meaning: frozenset[str] = frozenset()
    takes: frozenset[str] = frozenset()
    kind: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()


def row(name: str, home: str, **columns: str) -> Operation:
    """A row of the table; the words of a column are separated by spaces."""
    return Operation(name, frozenset(home.split()), **{key: frozenset(words.split()) for key, words in columns.items()})
