"""The recorder: what it keeps, what it leaves alone, and when it ends."""

from __future__ import annotations

import gc
import linecache
import signal
import subprocess
import sys
import textwrap
import traceback
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from lossguard.tracing.evidence import phases, recorder, recorders
from lossguard.tracing.evidence.keeping import MOST, SMALL, is_same
from lossguard.tracing.evidence.recorder import Recorder
from lossguard.tracing.evidence.recordings import Recording
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import Workshop, working


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """No recorder is left over, before or after."""
    recorders.end()
    if sys.gettrace() is not None:
        pytest.skip("somebody else traces")
    yield
    recorders.end()


def run(text: str, name: str, **names: Any) -> tuple[Recorder, Recording, dict[str, Any]]:
    """Run a program of the user's under a recorder."""
    filename = f"<recorded {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    code = compile(text, filename, "exec")
    found = recorders.begin()
    assert found is not None
    scope = {"__name__": "recorded", **names}
    try:
        exec(code, scope)  # noqa: S102 - a program of the test
    finally:
        found.stop()
    return found, found.modules[id(scope)], scope


def test_every_line_is_kept_with_what_it_wrote() -> None:
    _, module, _ = run("a = [1, 2]\na.append(3)\nb = a\n", "lines")
    assert [visit.before.get("a") for visit in module.visits] == [None, [1, 2], [1, 2, 3], [1, 2, 3]]
    assert [visit.line for visit in module.visits] == [1, 2, 3, 0]


def test_what_a_function_returned_is_kept_after_it_is_gone() -> None:
    text = "import torch\ndef load():\n    raw = torch.arange(5)\n    return raw / 2\ny = load()\ndel y\n"
    _, module, _ = run(text, "helper")
    call = next(call for visit in module.visits for call in visit.calls if call.code.co_name == "load")
    assert call.returned.tolist() == [0, 0.5, 1, 1.5, 2]
    assert call.visits[-1].before["raw"].dtype == torch.int64


def test_a_tensor_that_is_not_small_lives_no_longer() -> None:
    _, module, scope = run("import torch\nbig = torch.zeros(600_000)\n", "large")
    assert module.visits[-1].before["big"] is scope["big"]
    gone = weakref.ref(scope.pop("big"))
    gc.collect()
    assert gone() is None
    assert module.visits[-1].before["big"] is UNKNOWN


def test_the_form_of_a_tensor_is_known_when_it_is_gone() -> None:
    text = "import torch\nbig = torch.zeros(6000, 100, dtype=torch.float64)\ndel big\n"
    _, module, _ = run(text, "form")
    torch.optim.SGD([torch.zeros(1)], lr=1.0).zero_grad()  # loads what torch needs for tensors without values
    with working(Workshop(formal=True)):
        form = module.visits[2].before["big"]
    assert (form.shape, form.dtype, form.device.type) == ((6000, 100), torch.float64, "meta")
    assert module.visits[2].before["big"] is UNKNOWN


def test_an_object_of_the_users_lives_no_longer() -> None:
    _, _, scope = run("class Thing:\n    pass\nthing = Thing()\nthing.x = [1.5]\n", "object")
    gone = weakref.ref(scope.pop("thing"))
    gc.collect()
    assert gone() is None


def test_an_attribute_is_known_as_it_was() -> None:
    text = "class Thing:\n    pass\nthing = Thing()\nthing.x = 1\nthing.x = 2.5\n"
    found, module, scope = run(text, "attribute")
    times = [module.clocks[number] for number, visit in enumerate(module.visits) if visit.line in {4, 5}]
    assert [found.attribute(scope["thing"], "x", time) for time in times] == [None, (1,)]
    assert len(found.setters(scope["thing"], "x", float("inf"))) == 2


def test_a_long_loop_is_left_alone_and_what_it_filled_is_known() -> None:
    _, module, scope = run("found = []\nfor i in range(1000):\n    found.append(i)\ndone = len(found)\n", "loop")
    assert len(module.visits) < 30
    assert module.visits[-1].before["found"] == scope["found"]


def test_results_are_the_same_to_the_last_bit() -> None:
    text = "import torch\ntorch.manual_seed(0)\nx = torch.randn(50)\nfor _ in range(3):\n    x = (x * 2).sin()\n"
    first = run(text, "same")[2]["x"]
    plain: dict[str, Any] = {"__name__": "plain"}
    recorders.end()
    exec(compile(text, "<plain>", "exec"), plain)  # noqa: S102 - as above
    assert torch.equal(first, plain["x"])


def test_nothing_is_recorded_where_somebody_else_traces() -> None:
    def other(_frame: types.FrameType, _event: str, _argument: Any) -> None:
        return None

    sys.settrace(other)
    try:
        assert recorders.begin() is None
        assert sys.gettrace() is other
    finally:
        sys.settrace(None)


def test_whoever_traces_later_is_left_in_place() -> None:
    found = recorders.begin()
    assert found is not None
    sys.settrace(None)
    assert not found.is_on
    found.stop()


def test_an_object_that_cannot_be_kept_stops_the_recorder_and_not_the_program() -> None:
    class Odd(np.ndarray):
        def copy(self, *_args: Any) -> Any:
            raise RuntimeError("no copies")

    Odd.__module__ = "numpy"
    found, _, scope = run("y = x\nz = 1\n", "odd", x=np.zeros(3).view(Odd))
    assert scope["z"] == 1
    assert not found.is_on


def test_the_budget_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    text = "def f():\n    pass\nfor _ in range(3000):\n    f()\non = __import__('sys').gettrace() is not None\n"
    assert run(text, "budget")[2]["on"] is False


def test_there_is_one_recorder_at_a_time_and_one_budget() -> None:
    first = recorders.begin()
    assert first is not None
    assert recorders.begin() is None
    first.stop()
    first.spent = recorder.SECONDS / 2
    second = recorders.begin()
    assert second is not None
    assert second.spent >= recorder.SECONDS / 2
    second.stop()
    second.spent = recorder.SECONDS * 2
    assert recorders.begin() is None
    assert recorders.current() is second


def test_always_keeps_the_last_turns_of_a_long_loop() -> None:
    text = "def step(i):\n    y = i * 2\n    return y\nfor i in range(100):\n    z = step(i)\nend = 1\n"
    filename = "<recorded always>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    found = recorders.begin(always=True)
    assert found is not None
    scope: dict[str, Any] = {"__name__": "recorded"}
    exec(compile(text, filename, "exec"), scope)  # noqa: S102 - a program of the test
    found.stop()
    module = found.modules[id(scope)]
    assert len(module.visits) < 40
    last = next(visit for visit in reversed(module.visits) if visit.line == 5)
    assert last.before["i"] == 99
    assert [call.returned for call in last.calls] == [198]
    assert last.calls[0].parent_visit == module.visits.index(last)


def test_a_long_loop_is_left_alone_until_the_collector_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_REST", 0.0)
    text = (
        "import gc, sys\nx = 0\nfor i in range(20000):\n    x += i\nresting = sys.gettrace() is None\n"
        "gc.collect()\nawake = sys.gettrace() is not None\n"
    )
    _, module, scope = run(text, "hot")
    assert (scope["resting"], scope["awake"]) == (True, True)
    assert not module.is_broken
    (place, unseen), seen = module.gaps[0], module.visits[-1].before
    assert module.visits[place].line == 7
    assert {"x", "i", "resting"} <= unseen
    assert "gc" not in unseen
    assert (seen["x"], seen["resting"]) == (scope["x"], True)


@pytest.mark.filterwarnings("ignore:.*torch.jit.trace:DeprecationWarning")
def test_nothing_is_copied_while_torch_traces_a_graph() -> None:
    """Sizes are tensors there, and a copy would be part of the graph."""
    text = "import torch\ndef double(x):\n    y = x * 2\n    return y + 1\n"
    text += "graph = torch.jit.trace(double, torch.ones(3)).graph\n"
    plain: dict[str, Any] = {"__name__": "plain"}
    exec(compile(text, "<plain>", "exec"), plain)  # noqa: S102 - our own program
    _, _, scope = run(text, "traced")
    assert [node.kind() for node in scope["graph"].nodes()] == [node.kind() for node in plain["graph"].nodes()]


def test_a_frame_keeps_no_copy_of_what_its_variables_held() -> None:
    text = (
        "import weakref\nclass Thing:\n    pass\n"
        "def replaced():\n    x = Thing()\n    gone = weakref.ref(x)\n    x = 1\n    return gone() is None\n"
        "def used():\n    x = 1\n    held = locals()\n    held.pop('x')\n    y = 2\n    return held\n"
        "def shared():\n    x = 1\n    def more():\n        nonlocal x\n        x += 1\n    more()\n    return x\n"
        "def turns():\n    for _ in range(2):\n        x = Thing()\n        yield weakref.ref(x)\n        x = None\n"
        "first, second, third = replaced(), used(), shared()\n"
        "walk = turns()\none = next(walk)\ntwo = next(walk)\nfourth = one() is None\n"
    )
    _, _, scope = run(text, "copies")
    assert (scope["first"], scope["third"], scope["fourth"]) == (True, 2, True)
    assert scope["second"] == {}


def test_a_library_is_left_to_itself_unless_it_is_given_a_function_of_the_users() -> None:
    text = (
        "import sys\nimport pandas as pd\nseen = []\n"
        "def twice(x):\n    seen.append(sys.gettrace() is not None)\n    return 2 * x\n"
        "a = pd.Series([1, 2]).add(1)\nb = a.apply(twice)\n"
        "try:\n    pd.Series([1]).reindex(columns=[1])\nexcept TypeError:\n    c = 1\nd = b + 1\n"
    )
    found, module, scope = run(text, "library")
    assert scope["seen"] == [True, True]
    assert [call.code.co_name for visit in module.visits for call in visit.calls] == ["twice", "twice"]
    assert module.visits[-1].before["d"].tolist() == [5, 7]
    assert not found.is_on


def test_nothing_is_recorded_while_python_takes_itself_apart() -> None:
    """A program that ends under guard ends without a word of ours, though weak references call back to the very end."""
    program = """
        import builtins, weakref
        import torch, lossguard
        lossguard.guard().install()
        class Held: pass
        held = Held()
        builtins.kept = held, weakref.WeakValueDictionary(one=held)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    "line", ["return walk(left - 1) if left else 0", "x = left\n    return walk(x - 1) if x else 0"]
)
def test_a_program_may_use_its_whole_stack(line: str) -> None:
    """Within the few frames that Python itself needs to call a tracer."""
    text = (
        f"def walk(left):\n    {line}\n"
        "def deepest():\n    for left in range(300, 0, -1):\n        try:\n            walk(left)\n"
        "        except RecursionError:\n            continue\n        return left\n"
        "limit = sys.getrecursionlimit()\nsys.setrecursionlimit(room)\n"
        "try:\n    found = deepest()\nfinally:\n    sys.setrecursionlimit(limit)\n"
    )
    room = len(traceback.extract_stack()) + 200
    plain: dict[str, Any] = {"sys": sys, "room": room}
    exec(text, plain)  # noqa: S102 - a program of the test
    _, _, scope = run(text, f"deep {len(line)}", sys=sys, room=room + 1)  # `run` is one frame
    assert plain["found"] - scope["found"] <= 1


def test_what_a_handler_of_a_signal_raises_comes_to_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGUSR1, stop)
    monkeypatch.setattr(Recording, "_write", lambda *_: signal.raise_signal(signal.SIGUSR1))
    text = "x = 1\ny = 2\n"
    try:
        with pytest.raises(TimeoutError):
            run(text, "interrupted")
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_what_a_running_function_has_of_its_variables_is_left_alone() -> None:
    def train(rate: float) -> dict[str, Any]:
        known = locals()
        found = recorders.begin(sys._getframe())
        assert found is not None
        found.stop()
        return dict(known)

    assert train(0.1) == {"rate": 0.1}


def test_the_line_that_made_an_object_is_known() -> None:
    text = """\
from dataclasses import dataclass
from torch import nn
@dataclass
class Settings:
    width: int
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(4, width)
def softmax():
    return nn.Softmax(dim=1)
settings = Settings(3)
net = Net(settings.width)
layers = [nn.ReLU() for _ in range(2)]
model = nn.Sequential(net, *layers, softmax())
"""
    found, _, scope = run(text, "births", __name__=__name__)

    def line(thing: Any) -> int:
        birth = found.births.of(thing)
        assert birth is not None
        assert birth.number is not None
        return birth.recording.visits[birth.number].line

    made = (scope["settings"], scope["net"], scope["net"].head, scope["layers"][1], scope["model"], scope["model"][-1])
    assert [line(thing) for thing in made] == [12, 13, 9, 14, 15, 11]


def test_an_object_is_not_kept_alive_to_know_its_line() -> None:
    found, _, _ = run("from torch import nn\nlayer = nn.ReLU()\ndel layer\n", "birth of what is gone")
    gc.collect()
    assert all(held() is None for held, _ in found.births._known.values())


def test_objects_beyond_a_number_are_not_counted_and_no_code_of_theirs_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lossguard.tracing.evidence.births._MOST", 3)
    text = """\
class Touchy:
    __slots__ = ("__weakref__",)
    def __init__(self): pass
    def __hash__(self): raise SystemExit
    __eq__ = __getattribute__ = __hash__
things = [Touchy() for _ in range(9)]
"""
    found, _, scope = run(text, "touchy")
    assert [found.births.of(thing) is not None for thing in scope["things"]] == [True] * 4 + [False] * 5


@pytest.mark.parametrize(
    ("kept", "value", "same"),
    [
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 3], False),
        ({"a": 1}, {"a": 1}, True),
        ({1, 2}, {1, 2}, True),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([1.0]), np.array([1]), False),
        (np.array([[1, 2]]), np.array([1, 2]), False),
        (torch.tensor([1.0, torch.nan]), torch.tensor([1.0, torch.nan]), True),
        (torch.tensor([1.0]), torch.tensor([2.0]), False),
        (torch.tensor([1.0], dtype=torch.bfloat16), torch.tensor([1.0], dtype=torch.bfloat16), False),
        (np.array(["a"], dtype=object), np.array(["a"], dtype=object), False),
    ],
)
def test_what_a_name_holds_is_known_again_after_a_rest(kept: Any, value: Any, same: bool) -> None:
    assert is_same(kept, value) is same


def test_a_rest_ends_with_the_function_it_began_in() -> None:
    text = """\
import sys
def build(many):
    rows = []
    for i in range(many):
        rows.append(i % 5)
    return rows
rows = build(6000)
first = rows[0]
awake = sys.gettrace() is not None
"""
    gc.disable()
    try:
        _, module, scope = run(text, "long function")
    finally:
        gc.enable()
    assert (scope["awake"], module.is_broken) == (True, False)
    assert [visit.line for visit in module.visits] == [1, 2, 7, 8, 9, 0]
    assert module.visits[-1].before["first"] == 0


def test_a_function_in_which_a_rest_began_has_its_variables_and_lets_go_of_them() -> None:
    text = """\
import weakref
class Held: pass
def work(many):
    total, held = 0, Held()
    for i in range(many):
        total += i
    gone = weakref.ref(held)
    del held
    return total, gone() is None
answer = work(5000)
"""
    gc.disable()
    try:
        _, _, scope = run(text, "variables of a long function")
    finally:
        gc.enable()
    assert scope["answer"] == (sum(range(5000)), True)


def test_recording_goes_on_with_the_next_phase_of_a_program() -> None:
    text = """\
import sys
def pretrain():
    for i in range(5):
        loss()
    return sys.gettrace() is None
left_alone = pretrain()
awake = sys.gettrace() is not None
rows = [1, 2]
again = [pretrain(), sys.gettrace() is None]
"""
    _, module, scope = run(text, "two phases", loss=recorders.seen_losses)
    assert (scope["left_alone"], scope["awake"], module.is_broken) == (True, True, False)
    assert module.visits[-1].before["rows"] == [1, 2]
    # A function that has ended so before is called again and again.
    assert scope["again"] == [True, True]


def test_recording_goes_on_when_a_loop_is_left_in_which_losses_were_called() -> None:
    text = """\
import gc, sys
def train():
    for i in range(5):
        loss()
    still = sys.gettrace() is None
    gc.collect()
    return still, sys.gettrace() is not None
for epoch in range(3):
    loss()
left_alone = sys.gettrace() is None
gc.collect()
awake = sys.gettrace() is not None
rows = [1, 2]
inside = train()
"""
    _, module, scope = run(text, "two loops", loss=recorders.seen_losses)
    assert (scope["left_alone"], scope["awake"], scope["inside"]) == (True, True, (True, True))
    assert module.visits[-1].before["rows"] == [1, 2]
    assert not module.is_broken


def test_recording_goes_on_when_a_loss_is_called_for_the_first_time() -> None:
    text = """\
import sys
for epoch in range(3):
    loss()
    if epoch == 1:
        asleep = sys.gettrace() is None
        new_loss(sys._getframe())
        awake = sys.gettrace() is not None
"""
    scope = run(text, "a second loss", loss=recorders.seen_losses, new_loss=recorders.new_loss)[2]
    assert (scope["asleep"], scope["awake"]) == (True, True)


def test_one_who_has_ended_does_not_go_on_with_a_new_loss() -> None:
    begun = recorders.begin()
    assert begun is not None
    recorders.seen_enough()
    recorders.new_loss(sys._getframe())
    assert begun.is_over


def test_waiting_for_the_next_phase_raises_nothing_and_stops_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> bool:
        raise ValueError("no place")

    monkeypatch.setattr(phases, "release", fails)
    begun = recorders.begin()
    assert begun is not None
    begun.wait(sys._getframe())
    assert begun.is_over
    monkeypatch.undo()
    again = recorders.begin()
    assert again is not None
    again.rest(None)
    assert not again.is_over
    recorders.seen_losses()
    assert again.is_over


def test_an_array_that_is_looked_at_again_and_again_is_kept_once() -> None:
    text = (
        "import numpy as np\nlong = np.zeros(2000)\n\ndef cut():\n    for start in range(300):\n"
        "        yield long[start : start + 10]\n\ndef gather(long):\n"
        "    return [part.sum() for part in cut() if len(long)]\n"
        "\nfor _ in range(7):\n    found = gather(long)\nlong[0] = 1\nend = long.sum()\n"
    )
    found, module, _ = run(text, "looked at")
    assert MOST - found._keeper._left[SMALL] < 3 * 2000 + 7 * 600
    changes = [(float(before[0]), float(after[0])) for _, before, after in module.changes("long", 99)]
    assert [(before, after) for before, after in changes if before != after] == [(0.0, 1.0)]


def test_after_thousands_of_calls_recording_goes_on_where_the_function_around_them_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recorder, "_REST", 0.09)  # longer than it takes, and shorter than the longest
    text = (
        "import sys\n\ndef events():\n    for number in range(6000):\n        yield number\n\ndef count():\n"
        "    total = sum(events())\n    return total, sys.gettrace() is None\n\ndef work():\n    counted = count()\n"
        "    return counted, sys.gettrace() is not None\n\nseen = work()\n"
    )
    _, _, scope = run(text, "events")
    assert scope["seen"] == ((17997000, True), True)


class Touchy:
    """Must not be compared."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("code of the program's was run")

    __hash__ = None  # type: ignore[assignment] # as Python itself has it where __eq__ is defined


def test_a_table_that_did_not_change_is_the_same_and_nothing_of_the_programs_is_run() -> None:
    table = pd.DataFrame({"a": [1.0, None], "word": ["x", "y"], "thing": [Touchy(), Touchy()]})
    kept = table.copy()
    assert is_same(kept, table)
    assert not is_same(kept[["a"]], table)
    table.loc[0, "a"] = 2.0
    assert not is_same(kept, table)
    assert not is_same(kept["thing"], pd.Series([Touchy(), Touchy()], name="thing"))
