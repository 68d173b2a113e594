"""What all tests share: one thread, settings for hypothesis, the flag that rewrites golden files."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest
import torch

import lossguard

# Machines differ in speed, so no deadline; and a failure must be the same failure everywhere.
hypothesis.settings.register_profile("suite", deadline=None, derandomize=True, max_examples=200)
hypothesis.settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes what is expected anew, for a human to read in the diff."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files and look at the diff")


def pytest_configure() -> None:
    """Small tensors gain nothing from threads; and with LOSSGUARD_HOME set, that very package is under test."""
    torch.set_num_threads(1)
    # A busy machine makes a look back slow; it must not leave a line out because of that.
    os.environ.setdefault("LOSSGUARD_LOOK_SECONDS", "300")
    home = os.environ.get("LOSSGUARD_HOME")
    if home is not None and Path(home).resolve() not in Path(lossguard.__file__).resolve().parents:
        raise pytest.UsageError(f"lossguard is imported from {lossguard.__file__}, not from {home}")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether this run rewrites the golden files."""
    return bool(request.config.getoption("--update-golden"))
