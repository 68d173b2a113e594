"""A twin answers, changes nothing outside of itself, and is gone afterwards."""

from __future__ import annotations

import atexit
import ctypes
import logging
import mmap
import multiprocessing
import os
import queue
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lossguard.tracing.evidence import twin
from lossguard.tracing.evidence.readonly import Refused
from lossguard.tracing.evidence.twin import ask_twin

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are twins on Linux only")
#: No twin here takes as long; a busy machine may be slow.
LONG = 120.0


def asked(work: Callable[[], Any], seconds: float = LONG) -> Any:
    """What `work` gives in a twin."""
    answer = ask_twin(lambda: [work()], seconds)
    assert answer.trouble == ""
    return answer.value


def has_no_children() -> bool:
    """Whether this process has no child left, not even one that has ended."""
    mine = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return not [pid for pid in mine if "resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_text()]


class Users:
    """An object of the user's."""

    made = 0

    def __reduce__(self) -> Any:
        return type(self)._made, ()

    @classmethod
    def _made(cls) -> Users:
        cls.made += 1
        return cls()


def test_the_last_thing_that_work_gives_is_the_answer() -> None:
    assert asked(lambda: {"list": [1, 2.5, None], "size": torch.Size([2]), "set": {3}}) == {
        "list": [1, 2.5, None],
        "size": torch.Size([2]),
        "set": {3},
    }
    assert asked(lambda: "x" * 1_000_000) == "x" * 1_000_000
    assert ask_twin(lambda: iter([1, 2, 3]), LONG) == twin.Answer(3, "")
    assert ask_twin(list, LONG) == twin.Answer(None, "")


def failing(how: Callable[[], Any]) -> Callable[[], Iterator[int]]:
    """Work that gives 1, and then does what it should not."""

    def work() -> Iterator[int]:
        yield 1
        how()
        yield 2

    return work


@pytest.mark.parametrize(
    "how",
    [lambda: os._exit(3), os.abort, sys.exit, lambda: 1 / 0, lambda: ctypes.string_at(1), exec_raise := lambda: None],
    ids=["os._exit", "abort", "exit", "raise", "segfault", "nothing"],
)
def test_work_that_ends_badly_keeps_what_it_gave(how: Callable[[], Any]) -> None:
    answer = ask_twin(failing(how), LONG)
    assert answer == (twin.Answer(2, "") if how is exec_raise else twin.Answer(1, "it ended early"))
    assert has_no_children()


def test_work_that_hangs_is_ended_and_keeps_what_it_gave() -> None:
    held = threading.Lock()
    held.acquire()
    start = time.monotonic()
    for hang in (lambda: time.sleep(600), held.acquire, lambda: queue.Queue().get()):
        answer = ask_twin(failing(hang), 1.0)
        assert answer.trouble == "it took too long"
        assert answer.value in {1, None}  # None on a machine so busy that a second is too short
    assert time.monotonic() - start < 300
    assert has_no_children()


def test_an_object_of_the_users_does_not_come_back() -> None:
    answer = ask_twin(lambda: iter([1, Users()]), LONG)
    assert answer == twin.Answer(1, "the answer is no plain data")
    assert Users.made == 0


def test_there_is_no_twin_of_a_twin() -> None:
    assert asked(lambda: ask_twin(lambda: [1], LONG).trouble) == "this is a look back already"


def test_where_there_is_no_fork_the_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "Linux" in ask_twin(lambda: [1], LONG).trouble


def test_no_code_of_the_users_runs_here() -> None:
    """Nothing that is registered around a fork; and Python's warning of threads is not given."""
    seen: list[str] = []
    on = True
    os.register_at_fork(
        before=lambda: seen.append("before") if on else None,
        after_in_parent=lambda: seen.append("after") if on else None,
    )
    thread = threading.Thread(target=time.sleep, args=(0.5,))
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asked(lambda: 5) == 5
    thread.join()
    on = False
    assert seen == []


def test_a_handler_for_children_is_not_set_off() -> None:
    calls: list[int] = []
    before = signal.signal(signal.SIGCHLD, lambda number, _: calls.append(number))
    try:
        answer = ask_twin(lambda: [1], LONG)
        time.sleep(0.1)
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert "SIGCHLD" in answer.trouble
    assert calls == []
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # then nobody has to be waited for
    try:
        assert asked(lambda: 1) == 1
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_the_children_of_the_program_are_its_own() -> None:
    # Tests before this one may have left children of their own, as multiprocessing's tracker is.
    before = _children()
    child = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    assert asked(lambda: 1) == 1
    assert child.wait() == 7
    assert _children() <= before


def _children() -> set[str]:
    """The processes that this one has started and not waited for."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_a_twin_can_be_asked_from_any_thread_while_others_run() -> None:
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            sum(range(1000))
            torch.ones(100, 100) @ torch.ones(100, 100)

    found: list[Any] = []
    spinning = [threading.Thread(target=spin) for _ in range(2)]
    asking = [threading.Thread(target=lambda: found.extend(asked(_computes) for _ in range(3))) for _ in range(2)]
    for thread in (*spinning, *asking):
        thread.start()
    for thread in asking:
        thread.join()
    over.set()
    for thread in spinning:
        thread.join()
    assert found == [_computes()] * 6


def _computes() -> float:
    large = torch.ones(300, 300)
    return float((large @ large).max(1).values.sum()) + float(np.ones((200, 200)).dot(np.ones((200, 200))).sum())


def test_a_twin_computes_after_its_parent_used_many_threads() -> None:
    many = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        expected = _computes()
        assert asked(_computes) == expected
        assert torch.get_num_threads() == 4
        assert asked(torch.get_num_threads) == 1
    finally:
        torch.set_num_threads(many)


def test_random_states_warnings_and_tracers_are_as_before() -> None:
    def work() -> bool:
        torch.rand(3)
        np.random.rand(3)  # noqa: NPY002 - it draws from the state that all share
        warnings.simplefilter("error")
        warnings.showwarning = lambda *_: None
        return sys.gettrace() is None and sys.getprofile() is None

    state, shown, filters = torch.get_rng_state(), warnings.showwarning, list(warnings.filters)
    traced: list[str] = []

    def tracer(frame: Any, _: str, __: Any) -> None:
        traced.append(frame.f_code.co_name)

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        alone = asked(work)
    finally:
        sys.settrace(before)
    assert alone
    assert "work" not in traced
    assert torch.equal(torch.get_rng_state(), state)
    assert warnings.showwarning is shown
    assert warnings.filters == filters


ACTIONS: dict[str, Callable[[Path], Any]] = {
    "open w": lambda p: (p / "a").open("w"),
    "open a": lambda p: (p / "a").open("a"),
    "open r+": lambda p: (p / "a").open("r+"),
    "open x": lambda p: (p / "new").open("x"),
    "os.open": lambda p: os.open(p / "a", os.O_RDWR),
    "os.open create": lambda p: os.open(p / "new", os.O_RDONLY | os.O_CREAT),
    "touch": lambda p: (p / "new").touch(),
    "touch old": lambda p: (p / "a").touch(),
    "remove": lambda p: os.remove(p / "a"),  # noqa: PTH107 - what is tried
    "unlink": lambda p: (p / "a").unlink(),
    "rename": lambda p: (p / "a").rename(p / "b"),
    "replace": lambda p: (p / "a").replace(p / "b"),
    "mkdir": lambda p: (p / "new").mkdir(),
    "makedirs": lambda p: os.makedirs(p / "x/y"),  # noqa: PTH103 - what is tried
    "rmdir": lambda p: (p / "folder").rmdir(),
    "truncate": lambda p: os.truncate(p / "a", 0),
    "chmod": lambda p: (p / "a").chmod(0o600),
    "link": lambda p: os.link(p / "a", p / "b"),
    "symlink": lambda p: (p / "b").symlink_to(p / "a"),
    "utime": lambda p: os.utime(p / "a", (1, 1)),
    "xattr": lambda p: os.setxattr(p / "a", "user.x", b"1"),
    "copy": lambda p: shutil.copy(p / "a", p / "b"),
    "move": lambda p: shutil.move(p / "a", p / "b"),
    "rmtree": shutil.rmtree,
    "mkstemp": lambda p: tempfile.mkstemp(dir=p),
    "mkdtemp": lambda p: tempfile.mkdtemp(dir=p),
    "TemporaryFile": lambda p: tempfile.TemporaryFile(dir=p),  # noqa: SIM115 - it is not made
    "mkfifo": lambda p: os.mkfifo(p / "new"),
    "torch.save": lambda p: torch.save(torch.ones(2), p / "a"),
    "np.save": lambda p: np.save(p / "b.npy", np.ones(2)),
    "np.memmap": lambda p: np.memmap(p / "a", mode="r+"),
    "np.tofile": lambda p: np.ones(2).tofile(p / "b"),
    "sqlite": lambda p: sqlite3.connect(p / "db").execute("insert into t values (2)"),
    "sqlite new": lambda p: sqlite3.connect(p / "new.db").execute("create table t (x)"),
    "logging": lambda p: logging.FileHandler(p / "log"),
    "shared memory": lambda _: SharedMemory(create=True, size=10),
    "connect": lambda _: socket.create_connection(("127.0.0.1", 9)),
    "bind": lambda _: socket.socket().bind(("127.0.0.1", 0)),
    "unix socket": lambda p: socket.socket(socket.AF_UNIX).bind(str(p / "s")),
    "sendto": lambda _: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
    "name lookup": lambda _: socket.getaddrinfo("localhost", 80),
    "subprocess": lambda p: subprocess.run(["touch", p / "new"], check=True),
    "os.system": lambda p: os.system(f"touch {p}/new"),  # noqa: S605 - as above
    "os.fork": lambda _: os.fork() or os._exit(0),
    "os.posix_spawn": lambda p: os.posix_spawn("/usr/bin/touch", ["touch", f"{p}/new"], {}),
    "os.execv": lambda p: os.execv("/usr/bin/touch", ["touch", f"{p}/new"]),  # noqa: S606 - as above
    "Process": lambda _: multiprocessing.get_context("fork").Process(target=print).start(),
    "kill": lambda _: os.kill(os.getppid(), signal.SIGUSR1),
    "killpg": lambda _: os.killpg(0, 0),
}


def _contents(folder: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mode,
            path.stat().st_mtime_ns,
            path.is_file() and path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
    }


def test_nothing_outside_of_a_twin_can_be_changed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("kept")
    (tmp_path / "folder").mkdir()
    with sqlite3.connect(tmp_path / "db") as database:
        database.execute("create table t (x)")
        database.execute("insert into t values (1)")
    database.close()
    before = _contents(tmp_path)

    def work() -> dict[str, str]:
        said: dict[str, str] = {}
        for name, action in ACTIONS.items():
            try:
                said[name] = f"done: {action(tmp_path)!r}"
            except (Refused, Exception) as error:  # noqa: BLE001 - whatever stops it
                said[name] = type(error).__name__
        return said

    said = asked(work)
    assert set(said) == set(ACTIONS)
    assert {name: how for name, how in said.items() if how.startswith("done")} == {}
    by_kernel = {name for name, how in said.items() if how != "Refused"}
    assert by_kernel <= {"sqlite", "sqlite new", "mkfifo", "shared memory", "np.tofile"}
    assert _contents(tmp_path) == before


def test_what_is_refused_names_the_line_and_passes_except_exception(tmp_path: Path) -> None:
    def work() -> str:
        try:
            try:
                (tmp_path / "new").write_text("x")
            except Exception:  # noqa: BLE001 - what is tried
                return "swallowed"
        except Refused as refused:
            return str(refused)
        return "written"

    line = work.__code__.co_firstlineno + 3
    assert asked(work) == f"test_twin.py:{line} wanted to write a file, and a look back changes nothing"


def test_reading_is_free(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    torch.save(torch.ones(2), tmp_path / "t.pt")
    np.save(tmp_path / "n.npy", np.arange(3))
    with sqlite3.connect(tmp_path / "db") as database:
        database.execute("create table t (x)")
        database.execute("insert into t values (4)")
    database.close()

    def work() -> list[Any]:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - as programs write it
            nowhere.write("nothing")
        sys.stdout.write("nothing")
        sys.stderr.write("nothing")
        pool = threading.Thread(target=lambda: None)
        pool.start()
        pool.join()
        return [
            (tmp_path / "a").read_text(),
            torch.load(tmp_path / "t.pt").tolist(),
            np.load(tmp_path / "n.npy", mmap_mode="r").tolist(),
            sqlite3.connect(tmp_path / "db").execute("select x from t").fetchall(),
            sqlite3.connect(":memory:").execute("select 1").fetchone(),
            sorted(path.name for path in tmp_path.iterdir()),
        ]

    assert asked(work) == ["text", [1.0, 1.0], [0, 1, 2], [(4,)], (1,), ["a", "db", "n.npy", "t.pt"]]


def test_c_code_cannot_write_either(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("kept")

    def work() -> list[int]:
        libc = ctypes.CDLL(None)
        name = bytes(tmp_path / "a")
        return [libc.open(name, os.O_WRONLY | os.O_TRUNC), libc.unlink(name), libc.system(b"touch " + name + b".new")]

    if ctypes.CDLL(None).syscall(444, None, 0, 1) < 1:
        pytest.skip("this kernel has no Landlock")
    opened, removed, started = asked(work)
    assert (opened, removed) == (-1, -1)
    assert started != 0
    assert _contents(tmp_path).keys() == {"a"}
    assert (tmp_path / "a").read_text() == "kept"


def test_open_files_sockets_and_pipes_are_not_read_from_or_written_to(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("".join(f"{number}\n" for number in range(9000)))
    here, there = socket.socketpair()
    there.sendall(b"hello")
    out, into = os.pipe()
    os.write(into, b"piped")
    results: multiprocessing.Queue[int] = multiprocessing.Queue()
    results.put(5)
    with path.open() as reading, path.open("rb", buffering=0) as raw, (tmp_path / "log").open("a") as log:
        assert [reading.readline(), raw.readline()] == ["0\n", b"0\n"]
        log.write("half")

        def work() -> list[Any]:
            seen = [reading.readline(), raw.readline(), len(reading.read())]
            for attempt in (
                lambda: here.recv(5),
                lambda: os.write(into, b"more"),
                lambda: log.write("more" * 10_000),
                lambda: results.get(timeout=1),
                lambda: there.sendall(b"more"),
            ):
                try:
                    attempt()
                except (OSError, EOFError):
                    continue
            os.read(out, 5)
            return seen

        assert asked(work) == ["1\n", b"1\n", len(path.read_text()) - 4]
        assert [reading.readline(), raw.readline()] == ["1\n", b"1\n"]
        assert reading.read().endswith("\n8999\n")
        log.flush()
        assert (tmp_path / "log").read_text() == "half"
    assert here.recv(100) == b"hello"
    assert os.read(out, 100) == b"piped"
    assert results.get() == 5
    assert results.empty()
    for end in (here, there):
        end.close()
    for number in (out, into):
        os.close(number)


def test_shared_memory_is_not_shared_with_a_twin(tmp_path: Path) -> None:
    (tmp_path / "map").write_bytes(bytes(8192))
    counter = torch.zeros(3).share_memory_()
    value, lock = multiprocessing.Value("i", 1), multiprocessing.Lock()
    block = SharedMemory(create=True, size=100)
    assert block.buf is not None
    held = block.buf
    anonymous = mmap.mmap(-1, 4096)
    mapped = np.memmap(tmp_path / "map", mode="r+", dtype="uint8")
    counter[1] = 4

    def work() -> list[Any]:
        seen = [counter[1].item(), value.value]
        counter.add_(1)
        with value.get_lock():
            value.value += 1
        lock.acquire()  # and never let go
        held[0] = 7
        anonymous[0] = 7
        mapped[5000] = 7
        return [*seen, value.value, held[0], anonymous[0], int(mapped[5000])]

    assert asked(work) == [4.0, 1, 2, 7, 7, 7]
    assert counter.tolist() == [0.0, 4.0, 0.0]
    assert value.value == 1
    assert lock.acquire(timeout=5)
    assert [held[0], anonymous[0], int(mapped[5000])] == [0, 0, 0]
    assert (tmp_path / "map").read_bytes() == bytes(8192)
    held.release()
    block.close()
    block.unlink()


def test_what_waits_for_the_end_of_a_process_does_not_run_in_a_twin(tmp_path: Path) -> None:
    here = os.getpid()
    ended = tmp_path / "ended"

    def at_the_end() -> None:
        if os.getpid() != here:
            os.close(os.open(ended, os.O_CREAT))

    atexit.register(at_the_end)
    folder = tempfile.TemporaryDirectory(dir=tmp_path)
    thing = Users()
    weakref.finalize(thing, at_the_end)
    multiprocessing.util.Finalize(None, at_the_end, exitpriority=1)
    assert asked(lambda: 1) == 1
    atexit.unregister(at_the_end)
    assert not ended.exists()
    assert Path(folder.name).is_dir()
    folder.cleanup()


PROGRAM = """
import os, sys
from lossguard.tracing.evidence.twin import ask_twin
for stream in map(int, sys.argv[1:]): os.close(stream)
if not sys.argv[1:]: sys.stdout.write("once, ")
answer = ask_twin(lambda: [print("never", flush=True) or 4], 120)
if not sys.argv[1:]: print("and", answer.value)
sys.exit(answer.value)
"""


@pytest.mark.parametrize("closed", ["", "0", "1", "0 1 2"])
def test_nothing_is_printed_twice_and_closed_streams_do_not_matter(closed: str) -> None:
    command = [sys.executable, "-c", PROGRAM, *closed.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout == ("" if closed else "once, and 4\n")
    assert done.returncode == 4, done.stderr
