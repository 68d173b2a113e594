"""Thousands of seeded random calls: broken is said exactly when torch raises or the loss has a NaN."""

from __future__ import annotations

import pytest

import lossguard
from judged_calls import disagreement
from random_calls import random_call

BATCHES, PER_BATCH = 12, 300


@pytest.mark.parametrize("batch", range(BATCHES))
def test_broken_is_said_exactly_when_torch_fails(batch: int) -> None:
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        complaint = disagreement(random_call(seed))
        assert complaint is None, f"seed {seed}: {complaint}"


def test_random_calls_are_many_sided() -> None:
    """Half of the calls fail, and most rules about class indices are met: the test above is no walkover."""
    verdicts: dict[str, int] = {}
    codes = set()
    for seed in range(1200):
        call = random_call(seed)
        report = lossguard.check(call.loss, call.input, call.target, **call.settings)
        verdicts[report.verdict] = verdicts.get(report.verdict, 0) + 1
        codes |= {finding.code for finding in report}
    assert min(verdicts[word] for word in ("broken", "sound", "suspicious")) > 60, verdicts
    assert len(codes) >= 22, sorted(codes)
