"""Leaving no trace and being left in peace: random states are the same after a look, and nothing else runs in it."""

from __future__ import annotations

import contextlib
import gc
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
def _undisturbed() -> Iterator[None]:
    """Keep the collector from running the finalisers of other objects, which may take long.

    A loader that was left in mid-pass is one of them: it waits up to five seconds for each of its workers.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextlib.contextmanager
def isolated() -> Iterator[None]:
    """Save every random state, show no warning, compute without gradients, collect nothing; put all back at the end."""
    import torch

    numpy = sys.modules.get("numpy")
    python_state = random.getstate()
    numpy_state = numpy.random.get_state() if numpy is not None else None
    cuda = torch.cuda.is_initialized()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_undisturbed())
        stack.enter_context(torch.random.fork_rng(devices=range(torch.cuda.device_count()) if cuda else []))
        stack.enter_context(torch.no_grad())
        stack.enter_context(_unshown_warnings())
        try:
            yield
        finally:
            random.setstate(python_state)
            if numpy is not None:
                numpy.random.set_state(numpy_state)
