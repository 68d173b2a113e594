"""Leaving no trace: the random states of torch, numpy and Python are the same after a look as before."""

from __future__ import annotations

import contextlib
import random
import sys
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def _unshown_warnings() -> Iterator[None]:
    """No warning is shown. The filters stay: to change them makes Python say again what it has said once."""
    shown = warnings.showwarning
    warnings.showwarning = lambda *_args, **_kwargs: None
    try:
        yield
    finally:
        warnings.showwarning = shown


@contextlib.contextmanager
def stillness() -> Iterator[None]:
    """Save every random state, silence warnings, compute without gradients; put all back at the end."""
    import torch

    numpy = sys.modules.get("numpy")
    python_state = random.getstate()
    numpy_state = numpy.random.get_state() if numpy is not None else None
    cuda = torch.cuda.is_initialized()
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=range(torch.cuda.device_count()) if cuda else []))
        stack.enter_context(torch.no_grad())
        stack.enter_context(_unshown_warnings())
        try:
            yield
        finally:
            random.setstate(python_state)
            if numpy is not None:
                numpy.random.set_state(numpy_state)
