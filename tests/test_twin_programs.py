"""A program is served the same, and leaves the same behind, with and without a guard that looks back."""

from __future__ import annotations

import collections
import functools
import itertools
import logging
import multiprocessing
import os
import queue
import random
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch.utils.data import DataLoader, Dataset

import lossguard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are twins on Linux only")
SIZE = 8


class Base(Dataset[Any]):
    """Serves a number for each index, with a label that the loss does not take."""

    #: Whether two workers take turns by chance, so that no two runs are the same.
    races = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.used: list[Any] = []
        self._begin()

    def _begin(self) -> None:
        """Make what is needed; what is `used` is closed at the end."""

    def __len__(self) -> int:
        return SIZE

    def _number(self, index: int) -> float:
        """The number that is served."""
        return float(index)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.full((3,), self._number(index)), torch.tensor(float(index % 3))


class Popping(Base):
    """Pops from a pool."""

    def _begin(self) -> None:
        self.pool = list(range(4 * SIZE))

    def _number(self, index: int) -> float:
        return float(self.pool.pop(0)) + index


class Counting(Base):
    """Counts its calls, in an attribute, in the class and in memory that processes share."""

    calls = 0

    def _begin(self) -> None:
        Counting.calls = self.count = 0
        self.shared = torch.zeros(1).share_memory_()
        self.value = multiprocessing.Value("i", 0)

    def _number(self, index: int) -> float:
        self.count += 1
        Counting.calls += 1
        self.shared += 1
        with self.value.get_lock():
            self.value.value += 1
        return float(index * 1000 + self.count)

    def __repr__(self) -> str:
        return f"{self.count} {Counting.calls} {self.shared.item()} {self.value.value}"


class Caching(Base):
    """Remembers in dicts of its own make, by functools and on disk."""

    def _begin(self) -> None:
        self.made: list[int] = []
        self.cache: DiskCache = DiskCache(self.folder)
        self.slow = functools.lru_cache(maxsize=2)(self._slow)

    def _slow(self, index: int) -> int:
        self.made.append(index)
        return len(self.made)

    def _number(self, index: int) -> float:
        if index not in self.cache:
            self.cache[index] = torch.tensor(self.slow(index % 3))
        return float(self.cache[index])


class DiskCache(collections.OrderedDict[int, Any]):
    """Writes what it is given into files, and removes them when it is emptied."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __setitem__(self, key: int, value: Any) -> None:
        torch.save(value, self.folder / f"{key}.pt")
        super().__setitem__(key, value)

    def clear(self) -> None:
        """Forget all, on disk too."""
        for path in self.folder.iterdir():
            path.unlink()
        super().clear()


class Files(Base):
    """Reads a file line by line, writes to another, makes and removes more, and keeps a log."""

    races = True

    def _begin(self) -> None:
        (self.folder / "numbers").write_text("".join(f"{number}\n" for number in range(9000)))
        for index in range(SIZE):
            (self.folder / f"used{index}").touch()
        self.lines = (self.folder / "numbers").open("rb", buffering=0)
        self.log = (self.folder / "log").open("a")
        self.logger = logging.getLogger("files")
        self.logger.handlers = [logging.FileHandler(self.folder / "logged")]
        self.used = [self.lines, self.log, *self.logger.handlers]

    def _number(self, index: int) -> float:
        (self.folder / f"used{index}").unlink(missing_ok=True)
        (self.folder / f"made{index}").write_text("x")
        self.log.write(f"{index}\n")
        self.log.flush()
        self.logger.warning("read %d", index)
        return float(self.lines.readline())


class Generating(Base):
    """Takes what comes next: of a generator, an iterator, a queue, a socket and a pipe."""

    races = True

    def _begin(self) -> None:
        self.generator = (number * 2 for number in itertools.count())
        self.next = itertools.count()
        self.queue: queue.Queue[int] = queue.Queue()
        self.socket, self.other = socket.socketpair()
        self.pipe, into = os.pipe()
        for number in range(SIZE):
            self.queue.put(number)
        os.write(into, bytes(range(SIZE)))
        os.close(into)
        self.other.sendall(bytes(range(SIZE)))
        self.used = [self.socket, self.other, os.fdopen(self.pipe)]

    def _number(self, index: int) -> float:
        parts = (
            next(self.generator),
            next(self.next),
            self.queue.get(),
            self.socket.recv(1)[0],
            os.read(self.pipe, 1)[0],
        )
        return float(index * 100_000 + sum(part * 10**place for place, part in enumerate(parts)))


class Drawing(Base):
    """Draws from every random state there is."""

    def _begin(self) -> None:
        self.own, self.old = np.random.default_rng(0), np.random.RandomState(0)
        self.pythons, self.torchs = random.Random(0), torch.Generator().manual_seed(0)

    def _number(self, index: int) -> float:
        drawn = (
            self.own.random() + self.old.rand() + self.pythons.random() + torch.rand(1, generator=self.torchs).item()
        )
        return index + drawn + random.random() + np.random.rand() + torch.rand(1).item()  # noqa: NPY002 - what is tried


class Talking(Base):
    """Prints, writes to the standard streams, warns, and starts a process and threads for each sample."""

    def _begin(self) -> None:
        self.executor = ThreadPoolExecutor(1)
        self.executor.submit(int).result()
        self.times = 0

    def _number(self, index: int) -> float:
        self.times += 1
        sys.stdout.write(f"read {index}\n")
        os.write(1, b"read\n")
        warnings.warn(f"read {index}", UserWarning, stacklevel=1)
        subprocess.run(["sh", "-c", f"echo {index} >> {self.folder}/said"], check=True)
        thread = threading.Thread(target=(self.folder / f"thread{index}").touch)
        thread.start()
        thread.join()
        return float(self.times)


class Locking(Base):
    """Takes locks, and one of them is held for long when it is asked once too often."""

    def _begin(self) -> None:
        self.lock, self.shared, self.count = threading.Lock(), multiprocessing.Lock(), 0

    def _number(self, index: int) -> float:
        self.lock.acquire()
        self.shared.acquire()
        self.count += 1
        if self.count > SIZE:
            time.sleep(600)
        self.lock.release()
        self.shared.release()
        return float(index)

    def __repr__(self) -> str:
        return f"{self.lock.locked()} {self.shared.acquire(block=False)}"


class Database(Base):
    """Counts in a database that is open, and in one that it opens each time."""

    races = True

    def _begin(self) -> None:
        self.held = sqlite3.connect(self.folder / "held.db", check_same_thread=False)
        self.held.execute("create table if not exists t (x)")
        self.held.commit()
        self.used = [self.held]

    def _number(self, index: int) -> float:
        for connection in (self.held, sqlite3.connect(self.folder / "new.db")):
            connection.execute("create table if not exists t (x)")
            connection.execute("insert into t values (?)", (index,))
            connection.commit()
            if connection is not self.held:
                connection.close()
        return float(self.held.execute("select count(*) from t").fetchone()[0])


class Odd(Base):
    """Counts whatever is asked of it: its length, its text, whether it is equal, attributes, properties."""

    def _begin(self) -> None:
        self.asked: list[str] = []

    @property
    def labels(self) -> torch.Tensor:
        """Labels, made whenever they are asked for."""
        self.asked.append("labels")
        return torch.arange(SIZE) % 3

    @functools.cached_property
    def table(self) -> list[float]:
        """Numbers, made once."""
        self.asked.append("table")
        return [float(number) for number in range(SIZE)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "asked":
            raise AttributeError(name)
        self.asked.append(name)
        raise AttributeError(name)

    def __eq__(self, other: object) -> bool:
        self.asked.append("eq")
        return self is other

    def __hash__(self) -> int:
        self.asked.append("hash")
        return 1

    def __bool__(self) -> bool:
        self.asked.append("bool")
        return True

    def _number(self, index: int) -> float:
        self.asked.append(str(index))
        return self.table[index] + float(self.labels[index])

    def __repr__(self) -> str:
        self.asked.append("repr")
        return f"{self.asked}"


DATASETS = (Popping, Counting, Caching, Files, Generating, Drawing, Talking, Locking, Database, Odd)
CASES = [(make, workers) for make in DATASETS for workers in (0, 2) if not (workers and make.races)]


def refused(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Torch refuses these labels, and the program goes on."""
    try:
        return F.cross_entropy(scores, labels)
    except RuntimeError:
        return scores.sum()


def taken(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Torch takes these labels, and the guard warns."""
    return F.binary_cross_entropy_with_logits(scores[:, 0], labels)


def program(make: type[Base], loss: Callable[..., torch.Tensor], workers: int, folder: Path) -> list[Any]:
    """What a program is served, what its model learns of it, and what it leaves behind."""
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - what programs do
    data = make(folder)
    weights = torch.ones(3, 3, requires_grad=True)
    seen: list[Any] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for features, labels in DataLoader(data, batch_size=2, num_workers=workers):
            loss(features @ weights, labels).backward()
            seen.append((features.tolist(), labels.tolist()))
    state = repr(data) if type(data).__repr__ is not Base.__repr__ else sorted(map(str, vars(data)))
    said = sorted(str(each.message) for each in caught if not issubclass(each.category, lossguard.LossWarning))
    for each in data.used:
        each.close()
    left = sorted((path.name, path.stat().st_size) for path in folder.iterdir())
    assert weights.grad is not None
    return [seen, state, said, left, weights.grad.tolist(), random.random(), torch.rand(1).item()]


@pytest.mark.parametrize("loss", [refused, taken])
@pytest.mark.parametrize(("make", "workers"), CASES)
def test_the_guarded_program_is_the_plain_one(
    make: type[Base], loss: Callable[..., torch.Tensor], workers: int, tmp_path: Path, capfd: Any
) -> None:
    folders = tmp_path / "plain", tmp_path / "guarded"
    for folder in folders:
        folder.mkdir()
    plain = program(make, loss, workers, folders[0])
    printed = capfd.readouterr()
    with lossguard.guard() as watch:
        guarded = program(make, loss, workers, folders[1])
    assert guarded == plain
    if not workers:  # those of two workers come in any order
        assert capfd.readouterr() == printed
    assert watch.report.findings


class Writing(Base):
    """Writes a file for each sample."""

    def _number(self, index: int) -> float:
        (self.folder / f"{index}").write_text("x")
        return float(index)


def test_a_refused_replay_says_so_and_can_be_turned_off(tmp_path: Path) -> None:
    with lossguard.guard() as watch:
        program(Writing, refused, 0, tmp_path)
    line = Writing._number.__code__.co_firstlineno + 1
    remark = watch.report.findings[0].evidence["replay"]
    assert remark.endswith(f"test_twin_programs.py:{line} wanted to write a file, and a look back changes nothing")
    with lossguard.guard(replay=False) as watch:
        program(Writing, refused, 0, tmp_path)
    # Nothing was asked of the dataset, so nothing was refused; that the recorder has ended by now may be said.
    assert "wanted to" not in str(watch.report.findings[0].evidence.get("replay", ""))


SCRIPT = """
import os, torch, torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self): return 2
    def __getitem__(self, index):
        os.makedirs("made", exist_ok=True)
        return torch.ones(3), index / 1
for features, labels in DataLoader(Data(), batch_size=2):
    F.cross_entropy(features[None].repeat(1, 1, 1)[0], labels)
"""


def test_run_can_do_without_replays(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "lossguard", "run", "--no-replay", "--record=off", "main.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 1
    assert "LG101" in done.stderr
    assert "wanted to" not in done.stderr
    command.remove("--no-replay")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert "main.py:7 wanted to make a folder" in done.stderr


COVERED = """
import warnings
import torch, torch.nn.functional as F, lossguard
from torch.utils.data import DataLoader, Dataset
warnings.simplefilter("ignore")
class Data(Dataset):
    def __len__(self): return 2
    def __getitem__(self, index):
        return torch.ones(1) * index, torch.tensor([2.0 * index])
def train():
    total = 0.0
    for features, labels in DataLoader(Data(), batch_size=2):
        total += F.binary_cross_entropy_with_logits(features, labels)
        total *= 2
    return total
with lossguard.guard():
    train()
print("done")
"""


@pytest.mark.parametrize("core", ["ctrace", "pytrace"])
def test_coverage_of_a_program_with_a_fault_misses_no_line(core: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(COVERED)
    environment = {**os.environ, "COVERAGE_CORE": core, "COVERAGE_FILE": str(tmp_path / "data")}

    def coverage(*words: str) -> str:
        command = [sys.executable, "-m", "coverage", *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert coverage("run", "--include=main.py", "main.py") == "done\n"
    assert "100%" in coverage("report")
