"""LG501."""

from __future__ import annotations

from lossguard.findings import Finding
from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, lossless, passes


class DeviceMismatch(Rule):
    """Tensors of one call are on different devices.

    Why it matters
        A kernel runs on one device and reads its memory only.

    Usual causes
        The target of the batch was not moved with the input; class weights made on the CPU and the loss
        module not moved with `.to(device)`; a target made with `torch.zeros(...)` inside the loop.

    Repair safety
        Moving a tensor keeps its values.
    """

    code = "LG501"
    says = (Saying("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"),)
    examples = (
        breaks("F.cross_entropy", "torch.randn(2, 5), torch.tensor([0, 1], device='meta')", "raises RuntimeError"),
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 5), torch.tensor([0, 1]), weight=torch.ones(5, device='meta')",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([0, 1])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an argument is not where the input is."""
        given = case.input
        if given is None or given.facts.device is None:
            return CANNOT_TELL
        found: list[Finding] = []
        for part in case.parts:
            device = part.facts.device
            if device is not None and device != given.facts.device:
                repair = lossless(
                    f"move {part.name} to the device of {given.name}",
                    f"{part.name}.to({given.name}.device)",
                    "the values stay",
                )
                message = (
                    f"{case.loss} needs all tensors on one device; {given.name} is on {given.facts.device} "
                    f"and {part.name} on {device}"
                )
                found.append(self.finding(case, part, message, repairs=[repair]))
        return found or HOLDS
