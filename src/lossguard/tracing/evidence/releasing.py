"""A frame that is traced keeps no copy of its variables longer than an event lasts."""

from __future__ import annotations

import ctypes
import inspect
import sys
import types
from typing import Any, Final

#: Until Python 3.12 a frame whose variables are read keeps a dictionary of them, and Python reads them at every event.
_KEEPS_A_COPY: Final = sys.version_info < (3, 13)
if _KEEPS_A_COPY:
    _to_fast: Any = ctypes.pythonapi.PyFrame_LocalsToFast
    _to_fast.argtypes, _to_fast.restype = [ctypes.py_object, ctypes.c_int], None
#: What is raised where the program has used up its stack: nothing fits in there but to stop. Ctypes wraps it.
NO_STACK: Final = (RecursionError, ctypes.ArgumentError)
#: References to the dictionary if only the frame has it: the frame's, our own, and that of the call that counts.
_OWN: Final = 3


def release(frame: types.FrameType, left: Any = None) -> bool:
    """Empty the copy of its variables that a traced frame keeps, unless the program has it by `locals()`.

    After an event Python writes that copy back into the variables. It does so once: here, where an empty dictionary
    changes none of them. What is `left` in it ends with the frame; whether it is there is told.
    """
    code = frame.f_code
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return False
    if not _KEEPS_A_COPY:
        if left is not None:
            frame.f_locals[left.NAME] = left
        return left is not None
    copy = frame.f_locals
    if sys.getrefcount(copy) > _OWN or len(copy) > code.co_nlocals + len(code.co_cellvars) + len(code.co_freevars):
        return False
    copy.clear()
    if left is not None:
        copy[left.NAME] = left
    try:
        _to_fast(frame, 0)
    except NO_STACK:
        copy = frame.f_locals  # which fills it again: empty, it would be written into the variables after all
        raise
    return left is not None
