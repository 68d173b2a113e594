"""LG501."""

from __future__ import annotations

from lossguard.findings import Certainty, Finding, Fix
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, lossless, passes
from lossguard.rules.saying import CTC, EVERYTHING, TorchMessage


class DeviceMismatch(Rule):
    """Tensors of one call are on different devices.

    Why it matters
        A kernel runs on one device and reads its memory only.

    Usual causes
        The target of the batch was not moved with the input; class weights made on the CPU and the loss
        module not moved with `.to(device)`; a target made with `torch.zeros(...)` inside the loop.

    Fix safety
        Moving a tensor keeps its values; only a meta tensor has none, and none can be moved to it.
    """

    code = "LG501"
    seek = "device"
    says = (
        TorchMessage(
            ("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"),
            versions="1.5 and later",
            shows=(
                "Expected all tensors to be on the same device, but found at least two devices, "
                "{first_device} and {second_device}"
            ),
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            (
                "Expected all tensors to be on the same device, but got target is on cpu, "
                "different from other tensors on cuda:0"
            ),
            versions="2.8 and later",
            shows=(
                "Expected all tensors to be on the same device, but got {word} is on "
                "{first_device}, different from other tensors on {second_device}"
            ),
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "Expected object of device type cuda but got device type cpu for argument #2 'target'",
            versions="1.3 to 1.6",
            shows=(
                "Expected object of device type {first_device} but got device type "
                "{second_device} for argument #{n:number} {target|index|indices}"
            ),
            ops=EVERYTHING,
            weight=70,
        ),
        TorchMessage(
            "Expected object of device type cuda but got device type cpu for argument #3 'weight'",
            versions="1.0 to 1.6",
            shows=(
                "Expected object of {device type|backend} {first_device} but got {device type|backend} "
                "{second_device} for argument #3 {weight|weights}"
            ),
            ops=EVERYTHING,
            weight=70,
            because="a layer's weight is its second argument, that of a loss the third",
        ),
        TorchMessage(
            "Expected object of device type cuda but got device type cpu for argument #1 'self' in call to _th_gather",
            versions="1.0 to 1.6",
            shows=(
                "Expected object of {device type|backend} {first_device} but got {device type|backend} "
                "{second_device} for argument #{n:number} {word}"
            ),
            ops=EVERYTHING,
            weight=60,
            needs="operation",
        ),
        TorchMessage(
            "Expected object of backend CUDA but got backend CPU for argument #2 'target'",
            versions="1.0 to 1.2",
            shows=(
                "Expected object of backend {first_device} but got backend {second_device} for "
                "argument #{n:number} {target|index|indices}"
            ),
            ops=EVERYTHING,
            weight=70,
        ),
        TorchMessage(
            ("Expected object of type torch.cuda.LongTensor but found type torch.LongTensor for argument #2 'target'"),
            versions="0.4",
            shows=(
                "Expected object of type torch.cuda.LongTensor but found type torch.LongTensor "
                "for argument #{n:number} {target|index|indices}"
            ),
            certainty=Certainty.CERTAIN,
            weight=90,
        ),
        TorchMessage(
            (
                "Expected object of type torch.cuda.FloatTensor but found type torch.FloatTensor "
                "for argument #2 'target'"
            ),
            versions="0.4",
            shows=(
                "Expected object of type torch.cuda.FloatTensor but found type torch.FloatTensor "
                "for argument #{n:number} target"
            ),
            ops=EVERYTHING,
            weight=90,
        ),
        TorchMessage(
            "Expected object of type torch.cuda.FloatTensor but found type torch.FloatTensor for argument #3 'weight'",
            versions="0.4",
            shows=(
                "Expected object of type torch.cuda.FloatTensor but found type torch.FloatTensor "
                "for argument #3 {weight|weights}"
            ),
            ops=EVERYTHING,
            weight=90,
        ),
        TorchMessage(
            "Expected object of type torch.FloatTensor but found type torch.cuda.FloatTensor for argument #2 'target'",
            versions="0.4",
            shows=(
                "Expected object of type torch.FloatTensor but found type torch.cuda.FloatTensor "
                "for argument #{n:number} target"
            ),
            ops=EVERYTHING,
            weight=90,
        ),
        TorchMessage(
            "expected device cuda:0 but got device cpu",
            versions="1.3 and 1.4",
            shows="expected device {first_device} but got device {second_device}",
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "expected device cpu and dtype Float but got device cuda:0 and dtype Float",
            versions="1.0 to 1.3",
            shows="expected {backend|device} cpu and dtype {dtype} but got {backend|device} cuda",
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
            weight=65,
        ),
        TorchMessage(
            "expected device cuda:0 and dtype Float but got device cpu and dtype Float",
            versions="1.0 to 1.3",
            shows="expected {backend|device} cuda{?:0} and dtype {dtype} but got {backend|device} cpu",
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
            weight=65,
        ),
        TorchMessage(
            ("Expected object of type torch.LongTensor but found type torch.cuda.LongTensor for argument #2 'target'"),
            versions="0.4",
            shows=(
                "Expected object of type torch.LongTensor but found type torch.cuda.LongTensor "
                "for argument #{n:number} {target|index|indices}"
            ),
            certainty=Certainty.CERTAIN,
            weight=90,
        ),
        TorchMessage(
            (
                "CudaClassNLLCriterion_updateOutput received an invalid combination of arguments "
                "- got (int, torch.cuda.FloatTensor, torch.LongTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "updateOutput received an invalid combination of arguments - got (int, "
                "torch.cuda.{dtype}Tensor, torch.{dtype}Tensor"
            ),
            weight=75,
        ),
        TorchMessage(
            (
                "CudaClassNLLCriterion_updateOutput received an invalid combination of arguments - got (int, "
                "torch.cuda.FloatTensor, torch.cuda.LongTensor, torch.cuda.FloatTensor, bool, torch.FloatTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "updateOutput received an invalid combination of arguments - got (int, torch.cuda.{dtype}Tensor, "
                "torch.cuda.{dtype}Tensor, torch.cuda.{dtype}Tensor, bool, torch.{dtype}Tensor"
            ),
            weight=75,
            cause="The class weights were made on the CPU and not moved with the input: `loss_fn.to(device)`.",
        ),
        TorchMessage(
            "Tensor for argument #2 'target' is on CPU, but expected it to be on GPU",
            versions="1.5 to 1.9",
            shows=(
                "Tensor for argument #{n:number} {word} is on {first_device}, but expected "
                "{it|them} to be on {second_device}"
            ),
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "Input, output and indices must be on the current device",
            versions="1.3 to 1.8",
            shows="Input, output and indices must be on the current device",
            weight=70,
        ),
        TorchMessage(
            "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
            versions="1.5 and later",
            shows="indices should be either on {} or on the same device as the indexed tensor",
            weight=70,
        ),
        TorchMessage(
            (
                "Expected tensor to have CPU Backend, but got tensor with CUDA Backend (while "
                "checking arguments for cudnn_ctc_loss)"
            ),
            shows="Expected tensor to have {word} Backend, but got tensor with {word} Backend",
            ops=CTC,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "Tensor on device cpu is not on the expected device meta!",
            versions="1.13 and later",
            shows="Tensor on device {first_device} is not on the expected device {second_device}",
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "Placeholder storage has not been allocated on MPS device!",
            devices="Metal",
            shows="Placeholder storage has not been allocated on MPS device",
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Input tensor is not an XLA tensor: CPUFloatType",
            devices="XLA",
            shows="Input tensor is not an XLA tensor",
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Check failed: xtensor",
            devices="XLA",
            versions="1.9 and before",
            shows="Check failed: xtensor",
            ops=EVERYTHING,
            certainty=Certainty.POSSIBLE,
            because="a tensor of the call is not on the XLA device",
        ),
    )
    verify = "print(input.device, target.device)"
    remedies = (
        changes_values("move the target to where the input is", "target.to(input.device)"),
        changes_values("or the loss with its class weights", "loss_fn.to(input.device)"),
    )
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
        """Broken when an argument is not where the others are."""
        tensors = [part for part in case.parts if not part.spec.plain_values and part.facts.kind in {None, "tensor"}]
        first = case.input or (tensors[0] if tensors else None)
        if first is None or first.facts.device is None:
            return CANNOT_TELL
        found: list[Finding] = []
        for part in tensors:
            device = part.facts.device
            if device is not None and device != first.facts.device:
                fix = _fix(part, first)
                message = (
                    f"{case.loss} needs all tensors on one device; {first.name} is on {first.facts.device} "
                    f"and {part.name} on {device}"
                )
                found.append(self.finding(case, part, message, fixes=[fix]))
        return found or HOLDS


def _fix(part: Part, first: Part) -> Fix:
    """Moving keeps the values, but a meta tensor has none, and what is moved there loses its own."""
    if "meta" in {part.facts.device, first.facts.device}:
        empty, other = (part, first) if part.facts.device == "meta" else (first, part)
        return changes_values(f"make {empty.name} on {other.facts.device}: a meta tensor has a shape and no values")
    title, code = f"move {part.name} to the device of {first.name}", f"{part.name}.to({first.name}.device)"
    return lossless(title, code, "the values stay")
