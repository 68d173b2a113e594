"""The lines that a device prints when an assert in a kernel fails, thousands of them: read and counted."""

from __future__ import annotations

import re
from typing import Final

from lossguard.explain.operations import operation, operation_of_file
from lossguard.records import dataclass

_LINE: Final = r":(\d{1,6}):(?=\s|$)"
_CONDITION: Final = r"Assertion(?: failed:)?\s?[`'](.{1,300}?)['`](?: failed|: |\.|$)"
_NAME: Final = r"([A-Za-z_]\w+)(?:<[^()]{0,200}>)?(?:::operator\(\))?\s?\(|^([A-Za-z_]\w+)$"

#: The line of an assert moves from version to version, and so tells it: file and kernel, then line, then torch.
_VERSIONS: Final[dict[tuple[str, str], dict[int, str]]] = {
    ("loss.cu", "nll_loss_forward_reduce_cuda_kernel_2d"): {
        247: "1.10",
        257: "1.11",
        271: "1.12",
        242: "1.13, 2.6 or 2.7",
        240: "2.0",
        250: "2.1 to 2.5",
        245: "2.8 or later",
    },
    ("nllloss2d.cu", "nll_loss2d_forward_kernel"): {
        95: "1.10",
        93: "1.11",
        103: "1.12, 2.0 or 2.1",
        104: "1.13 or 2.2",
        106: "2.3 or later",
    },
    ("indexing.cu", "indexselectlargeindex"): {
        658: "1.7",
        662: "1.8",
        702: "1.9",
        699: "1.10",
        703: "1.11",
        975: "1.12",
        1141: "1.13",
        1146: "2.0",
        1292: "2.1",
        1290: "2.2",
        1289: "2.3",
        1284: "2.4",
        1308: "2.5",
        1422: "2.6",
        1553: "2.7",
    },
}


@dataclass(frozen=True, slots=True)
class DeviceAssert:
    """One assert of a kernel, and how often it was printed."""

    file: str
    line: int
    kernel: str
    condition: str
    times: int = 1

    @property
    def operation(self) -> str | None:
        """The operation the kernel belongs to. It can be trusted, the Python frame cannot."""
        return operation(self.kernel) or operation_of_file(self.file)

    @property
    def torch(self) -> str:
        """The torch versions in which this assert stands at this line; empty when that is not known."""
        file = self.file.replace("\\", "/").rpartition("/")[2].lower()
        for (known, kernel), lines in _VERSIONS.items():
            if file == known and self.kernel.lower() in {kernel, ""} and self.line in lines:
                return lines[self.line]
        return ""


def asserts_in(lines: list[str]) -> list[DeviceAssert]:
    """Every different assert in the lines, in the order in which they were printed first."""
    counts: dict[tuple[str, int, str, str], int] = {}
    for line in lines:
        if "Assertion" in line and (key := _parts(line[:4000])) is not None:
            counts[key] = counts.get(key, 0) + 1
    return [DeviceAssert(*key, count) for key, count in counts.items()]


def _parts(line: str) -> tuple[str, int, str, str] | None:
    """File, line, kernel and condition of `file:line: kernel: block: [..], thread: [..] Assertion `..` failed`."""
    head, _, tail = line.partition("Assertion")
    number, condition = re.search(_LINE, head), re.match(_CONDITION, "Assertion" + tail)
    if number is None or condition is None:
        return None
    file = head[: number.start()].split()
    kernel = head[number.end() :].partition("block: [")[0].strip().removesuffix("...").rstrip(" :")
    return (file[-1] if file else "", int(number[1]), _kernel(kernel), condition[1])


def _kernel(written: str) -> str:
    """The bare name in a C++ signature; Windows builds print none."""
    found = re.search(_NAME, written.strip())
    name = next(filter(None, found.groups()), "") if found else ""
    return "" if name in {"operator", "unknown"} else name
