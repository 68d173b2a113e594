"""The file through which the processes of one run bring home what they found."""

from __future__ import annotations

import os
import pickle
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from lossguard.guard.ledger import Entered

#: The number of the open file is at least this.
_HIGH: Final = 100
#: What stands before each record. A process that was killed while it wrote spoils its own record only.
_MARK: Final = b"\x00lossguard\x00record\x00"


class Entries(Protocol):
    """What has found something: a ledger, for one."""

    def entries(self) -> list[Entered]:
        """What was found so far."""


@dataclass(frozen=True, slots=True)
class Spool:
    """A file without a name, so that nothing is left behind however the program ends.

    Each process appends what it knows, at each new finding and at its end; of each process the last record counts.
    """

    #: Where other processes find it, for as long as the process that made it lives.
    path: str
    #: Device and number of the file: the same path may lead elsewhere when that process has ended.
    identity: tuple[int, int]

    @staticmethod
    def make() -> Spool:
        """A spool of this process. Where files need names, the program's end removes it."""
        if hasattr(os, "memfd_create"):
            number = _out_of_the_way(os.memfd_create("lossguard"))
            path = f"/proc/{os.getpid()}/fd/{number}"
        else:
            number, path = tempfile.mkstemp(prefix="lossguard-")
        return Spool(path, _identity(number))

    def write(self, ledger: Entries) -> None:
        """Append what this process has found, if anything."""
        entries = ledger.entries()
        if not entries:
            return
        record = _MARK + pickle.dumps((os.getpid(), entries))
        try:
            number = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            # The process that made it has ended.
            return
        try:
            if _identity(number) == self.identity:
                os.write(number, record)
        except OSError:
            return
        finally:
            os.close(number)

    def read(self) -> list[Entered]:
        """What all other processes have written."""
        try:
            with open(self.path, "rb") as file:  # noqa: PTH123 - the path may be a link to a file without a name
                data = file.read() if _identity(file.fileno()) == self.identity else b""
        except OSError:
            return []
        latest: dict[int, list[Entered]] = {}
        for record in data.split(_MARK)[1:]:
            try:
                process, entries = pickle.loads(record)  # noqa: S301 - a file that this run made for itself
            except Exception:  # noqa: BLE001, S112 - whatever half a record leads to
                continue
            latest[process] = entries
        latest.pop(os.getpid(), None)
        return [entered for entries in latest.values() for entered in entries]

    def remove(self) -> None:
        """Remove the file where it has a name."""
        if not self.path.startswith("/proc/"):
            try:
                os.unlink(self.path)  # noqa: PTH108 - os is what the rest of this file uses
            except OSError:
                return


def _out_of_the_way(number: int) -> int:
    """The same file under a high number: the low ones are given out as they would be without us."""
    import fcntl

    try:
        return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    except OSError:
        return os.dup(number)
    finally:
        os.close(number)


def _identity(number: int) -> tuple[int, int]:
    found = os.fstat(number)
    return found.st_dev, found.st_ino
