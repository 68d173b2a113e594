"""What a call is for in a program, where that is more than what it does to numbers: a row a role."""

from __future__ import annotations

from typing import Final

#: Give batches of a dataset.
LOADERS: Final = frozenset({"DataLoader"})
#: Hand on, one by one, what they are given, with the number of each or with a sign of progress.
NUMBERING: Final = frozenset({"enumerate"})
PROGRESS: Final = frozenset({"tqdm", "iter", "trange", "track"})
#: Put what they are given side by side.
PAIRING: Final = frozenset({"zip"})
#: Make an empty container when nothing is given.
CONTAINERS: Final = frozenset({"list", "dict", "set", "defaultdict", "deque"})
#: Make an array of a size, filled with one value.
FILLING: Final = frozenset({"full", "new_full"})
#: Set an attribute of a module by its name.
REGISTERING: Final = frozenset({"register_buffer", "register_parameter"})
#: Set up an object.
CONSTRUCTING: Final = frozenset({"__init__"})
#: Say what a field of a record is where nothing is given for it.
FIELDS: Final = frozenset({"field"})
#: Give one sample, or several.
SAMPLING: Final = frozenset({"__getitem__", "__getitems__"})
#: Put a tensor on another device, or cast it.
MOVING: Final = frozenset({"to", "cuda", "cpu"})
CASTING_SCORES: Final = frozenset({"to", "float", "double"})
#: Take the dtype as an argument without its name.
CASTING: Final = frozenset({"astype", "cast", "type", "to"})
CASTING_COLUMNS: Final = frozenset({"cast_column"})
#: Keep numbers above a bound.
CLAMPING: Final = frozenset({"clamp", "clip", "maximum", "clamp_min"})
#: Statistics that are not finite for too few numbers, and the mean.
SPREADS: Final = frozenset({"mean", "std", "var"})
MEANS: Final = frozenset({"mean"})
SUMS: Final = frozenset({"sum", "nansum"})
#: Make a plain number of what they are given.
UNWRAPPING: Final = frozenset({"int", "item"})
#: Give a table row by row, each with one dtype for all that is in it.
IN_ROWS: Final = frozenset({"iterrows"})
#: Methods that call what they are given with their object.
PIPING: Final = frozenset({"pipe"})
#: Count elements, or different ones; or give the largest.
LENGTHS: Final = frozenset({"len"})
MEASURING: Final = frozenset({"len", "size"})
COUNTING: Final = frozenset({"len", "nunique"})
DISTINCT: Final = frozenset({"unique", "set", "nunique", "Counter"})
LARGEST: Final = frozenset({"max", "amax", "nanmax"})
#: Give numbers of classes, which are whole.
WHOLE_CLASSES: Final = frozenset({"one_hot", "argmax", "argmin"})
#: Give the number of the interval that a value lies in, which for the edge of the last one is a number too many.
BINNING: Final = frozenset({"bucketize", "digitize", "searchsorted"})
#: Draw whole numbers; and ranks, which need not be whole.
DRAWING: Final = frozenset({"randint", "integers", "randrange", "randperm"})
RANKING: Final = frozenset({"rank", "rankdata"})
#: Numbers one after the other, whose dtype is that of their bounds.
RANGES: Final = frozenset({"arange"})
#: Give a table in parts, some rows at a time.
IN_SLICES: Final = frozenset({"iter_slices"})
#: Give a table a column that numbers its rows, with a name that is given.
ROW_NUMBERS: Final = frozenset({"with_row_index", "with_row_count"})
#: Give a table columns, by words or by expressions with a name.
ADDING_COLUMNS: Final = frozenset({"assign", "with_columns", "select"})
#: Stand for a column of a table in an expression, and give what is computed a name.
COLUMN: Final = frozenset({"col"})
NAMING: Final = frozenset({"alias"})
#: Give a column of a table by its name.
COLUMNS: Final = frozenset({"get_column", "column", "pop", "get"})
#: Give a key and the rows that have it, for each key.
GROUPING: Final = frozenset({"groupby", "group_by"})
#: Casts of single numbers.
SCALAR_CASTS: Final = frozenset({"float32", "float64"})

#: Keywords that say how something is done, whatever is given for them.
OPTIONS: Final = frozenset({"dtype", "device", "dim", "axis", "size", "num_classes", "non_blocking", "copy", "keepdim"})
#: Keywords that say how many entries there are to be in a count.
ENTRIES: Final = frozenset({"minlength"})
#: Keywords whose number gets into the result, or bounds it.
FILLING_WORDS: Final = frozenset(
    {"value", "values", "fill_value", "padding_value", "pad_value", "constant_values", "masked_value", "na_value"}
    | {"nan", "posinf", "neginf", "other", "default", "initial"}
    | {"start", "stop", "end", "step", "low", "high", "min", "max", "lower", "upper", "a_min", "a_max", "cval"}
    | {"unknown_value", "alpha", "input", "x", "y", "data"}
)

#: What reads a file again that the program may have written: by which calls, with the place of what is written among
#: their arguments (entries by their names come after it), -1 for the object whose method it is.
STORING: Final[dict[str, dict[str, int]]] = {
    "joblib.load": {"dump": 0},
    "json.load": {"dump": 0},
    "json.loads": {"dumps": 0},
    "numpy.fromfile": {"tofile": -1},
    "numpy.genfromtxt": {"savetxt": 1},
    "numpy.load": {"save": 1, "savez": 1, "savez_compressed": 1},
    "numpy.loadtxt": {"savetxt": 1},
    "numpy.memmap": {"tofile": -1},
    "pandas.read_csv": {"to_csv": -1},
    "pandas.read_feather": {"to_feather": -1},
    "pandas.read_json": {"to_json": -1},
    "pandas.read_parquet": {"to_parquet": -1},
    "pandas.read_pickle": {"to_pickle": -1},
    "pickle.load": {"dump": 0},
    "pickle.loads": {"dumps": 0},
    "polars.read_csv": {"write_csv": -1},
    "polars.read_ipc": {"write_ipc": -1},
    "polars.read_json": {"write_json": -1},
    "polars.read_ndjson": {"write_ndjson": -1},
    "polars.read_parquet": {"write_parquet": -1},
    "torch.load": {"save": 0},
}
#: Keywords that have a file read in several pieces, one after the other.
IN_PIECES: Final = frozenset({"chunksize"})
#: Those that give what they are given as a text, or as bytes.
SERIALIZING: Final = frozenset({"dumps"})
#: Those of them that must be told which dtype a file was written with.
OF_BYTES: Final = frozenset({"numpy.fromfile", "numpy.memmap"})
#: Those of them that find out by the text of a file which dtype it has.
OF_TEXT: Final = frozenset({"json.load", "json.loads", "numpy.genfromtxt", "numpy.loadtxt"}) | {
    "pandas.read_csv",
    "pandas.read_json",
    "polars.read_csv",
    "polars.read_json",
    "polars.read_ndjson",
}
