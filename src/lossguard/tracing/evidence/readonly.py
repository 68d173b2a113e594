"""What a twin gives up, so that nothing outside of it changes: files, sockets, processes, shared memory.

A forked process still shares some things with its parent: the position in an open file, sockets, pipes, memory that is
mapped as shared, and the files of the system. `keep_private` copies or gives up all but the last. `refuse` is an audit
hook (PEP 578) that stops Python code before it changes files, connects or starts a process; where the kernel has
Landlock (Linux 5.13), C code cannot open a file for writing either.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import stat
import struct
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from lossguard.paths import is_users

#: What is refused, as it is said, and the beginnings of the names of its audit events.
_REFUSED: Final = {
    "remove a file": ("os.remove",),
    "rename a file": ("os.rename",),
    "make a folder": ("os.mkdir",),
    "remove a folder": ("os.rmdir",),
    "cut a file": ("os.truncate",),
    "change the rights of a file": (
        "os.ch",
        "os.lchown",
    ),  # chmod, chown, chflags; chdir and chroot are taken out below
    "link a file": ("os.link", "os.symlink"),
    "change the times of a file": ("os.utime",),
    "change a file": ("os.setxattr", "os.removexattr"),
    "copy, move or remove files": ("shutil.",),
    "make a temporary file": ("tempfile.",),
    "open a connection": ("socket.bind", "socket.connect"),
    "ask the network": ("socket.get",),  # getaddrinfo, gethostbyname, ...
    "send over the network": ("socket.send",),
    "start a process": ("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn"),
    "send a signal": ("os.kill", "signal.pthread_kill"),
    "write to the system's log": ("syslog.",),
}
_HARMLESS: Final = frozenset({"os.chdir", "os.fchdir", "os.chroot", "socket.gethostname"})
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
#: Shared memory whose file has no name any more is copied up to this size; above it, a write ends the twin.
_COPIED: Final = 256 << 20
_MAP_PRIVATE, _MAP_FIXED, _MAP_ANONYMOUS = 0x02, 0x10, 0x20
_PROT_READ, _PROT_WRITE = 0x1, 0x2


class Refused(BaseException):
    """Code that only a twin runs wanted to change something outside of it. No `except Exception` stops this."""


class NotPrivate(Exception):
    """The twin could not give up what it must not touch, so it does nothing."""


#: What this process knows of itself, and a parent never does: `hooked` if the hook is there, as it says when it is
#: asked; `walled` if the kernel refuses to open files for writing.
_known: set[str] = set()


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """The audit hook: raise `Refused` when Python is about to change anything outside of this process."""
    if event == "open":
        path, _, flags = arguments
        # A number is a file that is open already, for reading only.
        words = "write a file" if flags & _WRITING and not isinstance(path, int) and path != os.devnull else None
    elif event == "sqlite3.connect":
        # Behind the wall a database opens for reading only.
        words = None if "walled" in _known or arguments[0] in {":memory:", b":memory:"} else "open a database"
    elif event == "lossguard.twin":
        _known.add("hooked")
        words = None
    else:
        words = next((said for said, starts in _REFUSED.items() if event.startswith(starts)), None)
    if words is not None and event not in _HARMLESS:
        raise Refused(f"{_user_line()} wanted to {words}, and a look back changes nothing")


def _user_line() -> str:
    """The line of the user's that runs, or what stands for it."""
    frame: types.FrameType | None = sys._getframe(2)  # noqa: SLF001 - its documented name
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        frame = frame.f_back
    return "the program"


def keep_private(answer: int) -> None:
    """Make this process unable to change anything outside of it, but for the file descriptor `answer`."""
    sys.audit("lossguard.twin")
    if "hooked" not in _known:
        raise NotPrivate("another audit hook has refused ours")
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL: a twin does not outlive the thread that waits for it
    _own_files(answer)
    _own_memory(libc)
    _refuse_torch_save()
    if _wall(libc):
        _known.add("walled")


def _own_files(answer: int) -> None:
    """Open anew what is open for reading, with a position of its own; all else that is open leads nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for path in list(Path("/proc/self/fd").iterdir()):
        number = int(path.name)
        if number in {answer, nowhere}:
            continue
        try:
            kind = os.fstat(number).st_mode
        except OSError:
            continue  # the folder itself, which was open while it was listed
        is_file = stat.S_ISREG(kind) or stat.S_ISDIR(kind)
        if not is_file or fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
            os.dup2(nowhere, number)
            continue
        try:
            own = os.open(path, os.O_RDONLY)
            os.lseek(own, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
        except OSError:
            os.dup2(nowhere, number)
        else:
            os.dup2(own, number)
            os.close(own)


def _own_memory(libc: Any) -> None:
    """Put a private copy in the place of all memory that is shared with other processes and can be written."""
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    both, left = _PROT_READ | _PROT_WRITE, _COPIED
    for start, size, offset, path in list(_shared_mappings()):
        with contextlib.suppress(OSError):
            file = os.open(path, os.O_RDONLY)
            if libc.mmap(start, size, both, _MAP_PRIVATE | _MAP_FIXED, file, offset) != start:
                raise NotPrivate(path)
            os.close(file)
            continue
        if size > left:
            libc.mprotect(start, size, _PROT_READ)
            continue
        left -= size
        held = ctypes.string_at(start, size)
        if libc.mmap(start, size, both, _MAP_PRIVATE | _MAP_FIXED | _MAP_ANONYMOUS, -1, 0) != start:
            raise NotPrivate(path)
        ctypes.memmove(start, held, size)


def _shared_mappings() -> Iterator[tuple[int, int, int, str]]:
    """Where memory begins that is shared and can be written, its size, its offset in its file, and the file."""
    for line in Path("/proc/self/maps").read_text(errors="surrogateescape").splitlines():
        place, rights, offset, _, _, *path = line.split(maxsplit=5)
        name = path[0] if path else ""
        is_device = name.startswith("/dev/") and not name.startswith(("/dev/shm/", "/dev/zero"))  # noqa: S108 - compared, not written to
        if rights.startswith("rw") and rights.endswith("s") and not is_device:
            start, end = (int(text, 16) for text in place.split("-"))
            yield start, end - start, int(offset, 16), name


def _refuse_torch_save() -> None:
    """`torch.save` opens its file in C++, where no audit hook sees it."""
    torch = sys.modules.get("torch")
    if torch is None:
        return

    def refused(*_: Any, **__: Any) -> None:
        raise Refused(f"{_user_line()} wanted to write a file, and a look back changes nothing")

    torch._C.PyTorchFileWriter = refused  # noqa: SLF001 - torch.save looks it up there


def _wall(libc: Any) -> bool:
    """Ask the kernel to refuse what C code might write; whether it does. Landlock has one number on every machine."""
    version = libc.syscall(444, None, 0, 1)
    if version < 1:
        return False
    # Executing, writing, removing and making; all but reading. Later versions know how to link and to cut files.
    writing = 0b1_1111_1111_0011 | (1 << 13 if version >= 2 else 0) | (1 << 14 if version >= 3 else 0)
    # `struct landlock_ruleset_attr`: files, network, scope; and below `struct landlock_path_beneath_attr`.
    rules = struct.pack("=QQQ", writing, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
    ruleset = libc.syscall(444, rules, len(rules), 0)
    if ruleset < 0:
        return False
    nowhere = struct.pack("=Qi", writing & (1 << 1 | 1 << 14), os.open(os.devnull, os.O_PATH))
    libc.syscall(445, ruleset, 1, nowhere, 0)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, without which nobody may restrict himself
    return bool(libc.syscall(446, ruleset, 0) == 0)
