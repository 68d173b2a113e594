"""Lightning, Trainer, Ignite, skorch, fastai: one line more, the same numbers, findings at the user's line."""

from __future__ import annotations

import csv
import logging
import subprocess
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it
from torch import nn
from torch.utils.data import DataLoader, Dataset

import lossguard
from lossguard.guard import active

pytestmark = pytest.mark.filterwarnings("default")


class Labelled(Dataset[Any]):
    """A few samples; `spoil` makes the labels what they should not be."""

    def __init__(self, *, spoil: bool = False) -> None:
        self.features = torch.randn(32, 8, generator=torch.Generator().manual_seed(0))
        self.labels = torch.arange(32) % 5
        self.spoil = spoil

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, index: int) -> Any:
        label = self.labels[index]
        return self.features[index], label / 1 if self.spoil else label


#: The line that spoils the labels.
SPOILT = Labelled.__getitem__.__code__.co_firstlineno + 2


def origin(report: lossguard.Report) -> list[tuple[str, int]]:
    """Code and line of origin of each finding, in this file."""
    assert all(Path(step.place.file).name == Path(__file__).name for each in report for step in each.origin)
    return [(each.code, each.origin[0].place.line if each.origin else 0) for each in report]


def findings(report: lossguard.Report) -> list[tuple[str, str]]:
    """Code and file of each finding."""
    return [(each.code, Path(each.place.file).name if each.place else "") for each in report]


class TestLightning:
    """`Trainer(callbacks=[LossguardCallback()])`."""

    lightning = pytest.importorskip("lightning.pytorch")

    def module(self, *, silent: bool = False) -> Any:
        class Net(self.lightning.LightningModule):  # type: ignore[name-defined, misc]
            def __init__(self) -> None:
                super().__init__()
                torch.manual_seed(0)
                self.net = nn.Linear(8, 5)

            def training_step(self, batch: Any, batch_idx: int) -> Any:
                del batch_idx
                features, labels = batch
                loss: Any = F.nll_loss if silent else F.cross_entropy
                return loss(self.net(features) + 3, labels)

            validation_step = training_step

            def configure_optimizers(self) -> Any:
                return torch.optim.SGD(self.parameters(), 0.1)

        return Net()

    def fit(
        self, folder: Path, module: Any, data: Dataset[Any], *callbacks: Any, workers: int = 0, **settings: Any
    ) -> Any:
        logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
        trainer = self.lightning.Trainer(
            max_epochs=2,
            accelerator="cpu",
            enable_progress_bar=False,
            enable_model_summary=False,
            enable_checkpointing=False,
            default_root_dir=folder,
            callbacks=list(callbacks),
            **{"logger": False, "log_every_n_steps": 1, **settings},
        )
        loader = DataLoader(data, batch_size=8, num_workers=workers)
        trainer.fit(module, loader, loader)
        return trainer

    def callback(self, **settings: Any) -> Any:
        from lossguard.integrations.lightning import LossguardCallback

        return LossguardCallback(**settings)

    def test_a_sound_training_is_the_same_to_the_last_bit(self, tmp_path: Path) -> None:
        plain, guarded, callback = self.module(), self.module(), self.callback()
        self.fit(tmp_path, plain, Labelled())
        self.fit(tmp_path, guarded, Labelled(), callback, accumulate_grad_batches=2)
        self.fit(tmp_path, again := self.module(), Labelled(), accumulate_grad_batches=2)
        assert torch.equal(guarded.net.weight, again.net.weight)
        assert callback.report.verdict == "sound"

    def test_what_raises_is_told_at_the_users_line(self, tmp_path: Path) -> None:
        callback = self.callback(sanity=False)
        with pytest.raises(RuntimeError, match=r"Long or Byte|Float") as caught:
            self.fit(tmp_path, self.module(), Labelled(spoil=True), callback, num_sanity_val_steps=0, workers=1)
        assert "LG101" in caught.value.__notes__[0]
        assert findings(callback.report) == [("LG101", Path(__file__).name)]
        (finding,) = callback.report
        assert (finding.evidence["epoch"], finding.evidence["batch_idx"], finding.evidence["rank"]) == (0, 0, 0)
        assert origin(callback.report) == [("LG101", SPOILT)]
        assert all(fix.place is not None for fix in finding.fixes if fix.code)

    def test_what_is_silent_goes_into_the_loggers(self, tmp_path: Path) -> None:
        callback = self.callback()
        logger = self.lightning.loggers.CSVLogger(tmp_path)
        pytest.importorskip("tensorboard")
        board = self.lightning.loggers.TensorBoardLogger(tmp_path)
        compiled = torch.compile(self.module(silent=True), backend="eager")
        with pytest.warns(lossguard.LossWarning, match="LG301"):
            self.fit(tmp_path, compiled, Labelled(), callback, logger=[logger, board])
        (events,) = Path(board.log_dir).glob("events.*")
        assert b"warning[LG301] logits-as-log-probabilities" in (told := events.read_bytes())
        assert b"seen     stage sanity check, epoch 0, batch_idx 0, dataloader_idx 0, rank 0" in told
        assert findings(callback.report)[0] == ("LG301", Path(__file__).name)
        with (Path(logger.log_dir) / "metrics.csv").open() as file:
            assert any(float(row["lossguard/findings"] or 0) >= 1 for row in csv.DictReader(file))

    def test_strict_allow_and_fast_dev_run(self, tmp_path: Path) -> None:
        with pytest.raises(lossguard.LossError):
            self.fit(tmp_path, self.module(silent=True), Labelled(), self.callback(strict=True), fast_dev_run=True)
        allowed = self.callback(allow=["LG301"])
        with warnings.catch_warnings():
            warnings.simplefilter("error", lossguard.LossWarning)
            self.fit(tmp_path, self.module(silent=True), Labelled(), allowed, fast_dev_run=True)
        assert allowed.report.verdict == "sound"


class Reviews(Dataset[Any]):
    """Texts with labels."""

    def __init__(self, labels: torch.Tensor) -> None:
        self.ids = torch.arange(32 * 6).reshape(32, 6) % 50
        self.labels = labels

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> Any:
        return {"input_ids": self.ids[index], "labels": self.labels[index]}


class Marked(Reviews):
    """Texts whose labels are made when they are asked for, as they should not be."""

    def __init__(self) -> None:
        super().__init__(torch.arange(32))
        self.marks = self.__dict__.pop("labels") % 5

    def __getitem__(self, index: int) -> Any:
        return {"input_ids": self.ids[index], "labels": self.marks[index] / 1}


def collate(samples: list[Any]) -> Any:
    ids = torch.stack([sample["input_ids"] for sample in samples])
    return {"input_ids": ids, "labels": torch.Tensor([int(sample["labels"]) for sample in samples])}


class TestTrainer:
    """`Trainer(..., callbacks=[LossguardCallback()])`."""

    transformers = pytest.importorskip("transformers")

    def train(self, folder: Path, labels: Any, *callbacks: Any, num_labels: int = 5, **settings: Any) -> Any:
        torch.manual_seed(0)
        model = self.transformers.BertForSequenceClassification(
            self.transformers.BertConfig(vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
                                         intermediate_size=8, num_labels=num_labels,
                                         problem_type="single_label_classification")
        )  # fmt: skip
        arguments = self.transformers.TrainingArguments(
            str(folder), max_steps=2, per_device_train_batch_size=8, report_to=[], use_cpu=True, disable_tqdm=True,
            save_strategy="no", dataloader_num_workers=settings.pop("workers", 0),
        )  # fmt: skip
        data = Reviews(labels) if isinstance(labels, torch.Tensor) else labels
        trainer = settings.pop("trainer", self.transformers.Trainer)(
            model=model, args=arguments, train_dataset=data, callbacks=list(callbacks), **settings
        )
        trainer.train()
        return model

    def callback(self) -> Any:
        from lossguard.integrations.transformers import LossguardCallback

        return LossguardCallback()

    def test_a_sound_training_is_the_same_to_the_last_bit(self, tmp_path: Path) -> None:
        callback, labels = self.callback(), torch.arange(32) % 5
        plain, guarded = self.train(tmp_path, labels), self.train(tmp_path, labels, callback)
        assert torch.equal(plain.classifier.weight, guarded.classifier.weight)
        assert callback.report.verdict == "sound"

    def test_labels_without_a_class_are_told_before_the_first_step(self, tmp_path: Path) -> None:
        callback = self.callback()
        with pytest.warns(lossguard.LossWarning, match='column "labels"'), pytest.raises(IndexError):
            self.train(tmp_path, torch.arange(32) % 5 + 1, callback)
        callback.close()
        assert not active.EVERYWHERE
        first, *others = callback.report
        assert (first.code, list(first.evidence["shape"])) == ("LG201", [32])
        assert "6 of 32" in first.message
        assert first.place is not None
        assert first.place.code == "trainer.train()"
        assert "count from 0" in first.fixes[0].title
        assert first.fixes[0].checked
        assert all(fix.place is not None for fix in first.fixes if fix.code)
        assert {each.code for each in others} <= {"LG201"}
        assert [Path(each.place.file).name for each in others if each.place] == [Path(__file__).name] * len(others)

    def test_strict_ends_before_the_first_step_and_what_is_allowed_is_not_told(self, tmp_path: Path) -> None:
        from lossguard.integrations.transformers import LossguardCallback

        strict = LossguardCallback(strict=True)
        with pytest.raises(lossguard.LossError, match='column "labels"'):
            self.train(tmp_path, torch.arange(32) % 5 + 1, strict)
        assert not active.EVERYWHERE
        allowing = LossguardCallback(allow=["LG201"])
        with warnings.catch_warnings():
            warnings.simplefilter("error", lossguard.LossWarning)
            with pytest.raises(IndexError):
                self.train(tmp_path, torch.arange(32) % 5 + 1, allowing)
        allowing.close()

    def test_labels_that_the_dataset_or_the_collate_function_corrects_are_not_accused(self, tmp_path: Path) -> None:
        class FromOne(Reviews):
            def __getitem__(self, index: int) -> Any:
                return {"input_ids": self.ids[index], "labels": self.labels[index] - 1}

        def from_one(samples: list[Any]) -> Any:
            return {name: torch.stack([s[name] for s in samples]) - int(name == "labels") for name in samples[0]}

        labels = torch.arange(32) % 5 + 1
        cases: list[tuple[Any, Any]] = [(FromOne(labels), {}), (Reviews(labels), {"data_collator": from_one})]
        for data, settings in cases:
            callback = self.callback()
            with warnings.catch_warnings():
                warnings.simplefilter("error", lossguard.LossWarning)
                self.train(tmp_path, data, callback, **settings)
            assert callback.report.verdict == "sound"

    @pytest.mark.parametrize("form", ["list", "subset", "column", "tokens"])
    def test_labels_are_found_wherever_a_dataset_holds_them_as_a_whole(self, form: str) -> None:
        """As a list, in a part of another dataset, in a column of Hugging Face, one for each token."""
        from lossguard.integrations.transformers_labels import judged_ahead

        labels = torch.arange(32) % 5 + 1
        whole = Reviews(labels)
        data: Any = whole
        if form == "list":
            whole.__dict__["labels"] = labels.tolist()
        elif form == "subset":
            data = torch.utils.data.Subset(whole, range(3, 32))
        elif form == "column":
            rows = {"input_ids": whole.ids.tolist(), "label": labels.tolist()}
            data = pytest.importorskip("datasets").Dataset.from_dict(rows)
        else:
            whole.labels = torch.full((32, 6), -100).index_fill(1, torch.tensor([2]), 7)
        loader = DataLoader(data, batch_size=8, collate_fn=self.transformers.default_data_collator)
        sizes = {"vocab_size": 50, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
        model = self.transformers.BertForSequenceClassification(self.transformers.BertConfig(num_labels=5, **sizes))
        report, _ = judged_ahead(types.SimpleNamespace(label_names=None), model, loader, sys._getframe())
        (finding,) = report
        told = {"list": "6 of 32", "subset": "6 of 29", "column": 'column "label"', "tokens": "32 of 192"}
        assert told[form] in finding.message
        assert finding.samples[0].index == {"list": 4, "subset": 1, "column": 4, "tokens": 0}[form]
        (fix,) = [fix for fix in finding.fixes if fix.place]
        assert fix.code.endswith(f"BertConfig(num_labels={8 if form == 'tokens' else 6}, **sizes))")
        assert fix.place is not None
        assert fix.place.file.endswith(Path(__file__).name)

    def test_a_dataset_that_refuses_is_left_alone(self) -> None:
        from lossguard.integrations.transformers_labels import judged_ahead

        class Refusing(Reviews):
            column_names = ("labels",)

        config = self.transformers.BertConfig(vocab_size=50, hidden_size=8, num_attention_heads=2, num_hidden_layers=1)
        model = self.transformers.BertForSequenceClassification(config)
        refusing: tuple[Any, ...] = (Refusing(torch.arange(32)), iter([]))
        for data in refusing:
            loader = types.SimpleNamespace(dataset=data)
            report, _ = judged_ahead(types.SimpleNamespace(label_names=None), model, loader, None)
            assert not report.findings

    @pytest.mark.parametrize(
        ("data", "settings", "line"),
        [
            (Marked(), {"workers": 1}, Marked.__getitem__.__code__.co_firstlineno + 1),
            (Reviews(torch.arange(32) % 5), {"data_collator": collate}, collate.__code__.co_firstlineno + 2),
        ],
        ids=["dataset", "collate"],
    )
    def test_the_line_of_the_dataset_or_the_collate_function_is_named(
        self, data: Any, settings: Any, line: int, tmp_path: Path
    ) -> None:
        """Though the Trainer itself calls the loss, and its loader is a batch ahead."""
        callback = self.callback()
        with pytest.raises(RuntimeError, match="Long or Byte"):
            self.train(tmp_path, data, callback, **settings)
        callback.close()
        (finding,) = callback.report
        assert origin(callback.report) == [("LG101", line)]
        assert findings(callback.report) == [("LG101", Path(__file__).name)]
        assert finding.evidence["step"] == 0
        assert [fix.place.line for fix in finding.fixes if fix.place] == [line]
        assert all(fix.place for fix in finding.fixes if fix.code)

    def test_a_loss_of_ones_own_is_told_at_its_line(self, tmp_path: Path) -> None:
        def plain_scores(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
            del num_items_in_batch
            return F.nll_loss(outputs.logits + 5, labels)

        callback = self.callback()
        with pytest.warns(lossguard.LossWarning, match="LG301"):
            self.train(tmp_path, torch.arange(32) % 5, callback, compute_loss_func=plain_scores)
        (finding,) = callback.report
        assert finding.place is not None
        assert finding.place.line == plain_scores.__code__.co_firstlineno + 2


class TestIgnite:
    """`attach(engine)`."""

    engine = pytest.importorskip("ignite.engine")

    def test_an_engine_is_guarded_from_start_to_end(self) -> None:
        from lossguard.integrations.ignite import attach

        scores = torch.randn(4, 3) + 9
        trainer = self.engine.Engine(lambda _, target: F.nll_loss(scores, target))
        watch = attach(trainer)
        with pytest.warns(lossguard.LossWarning, match="LG301"):
            trainer.run([torch.tensor([0, 1, 2, 0])], max_epochs=2)
        assert findings(watch.report) == [("LG301", Path(__file__).name)]
        assert watch.report.findings[0].evidence["epoch"] == 1
        with pytest.raises(RuntimeError, match="Long or Byte"):
            trainer.run([torch.tensor([0.0, 1, 2, 0])], max_epochs=2)
        assert not active.EVERYWHERE

    def test_sound_steps_are_the_same_and_a_worker_is_traced(self) -> None:
        from lossguard.integrations.ignite import attach

        def run(*, spoil: bool = False, guarded: bool = True) -> tuple[Any, Any]:
            torch.manual_seed(0)
            net = nn.Linear(8, 5)
            optimizer = torch.optim.SGD(net.parameters(), 0.1)

            def step(_: Any, batch: Any) -> None:
                optimizer.zero_grad()
                F.cross_entropy(net(batch[0]), batch[1]).backward()
                optimizer.step()

            engine = self.engine.Engine(step)
            watch = attach(engine) if guarded else None
            try:
                engine.run(DataLoader(Labelled(spoil=spoil), batch_size=8, num_workers=int(spoil)), max_epochs=1)
            except RuntimeError as error:
                assert "LG101" in error.__notes__[0]  # noqa: PT017 - the same run must not raise without a fault
            return net.weight, watch

        assert torch.equal(run(guarded=False)[0], run()[0])
        assert origin(run(spoil=True)[1].report) == [("LG101", SPOILT)]


class TestSkorch:
    """`NeuralNet(..., callbacks=[LossguardCallback()])`."""

    skorch = pytest.importorskip("skorch")

    def callback(self) -> Any:
        from lossguard.integrations.skorch import LossguardCallback

        return LossguardCallback()

    def fit(self, data: Any, *, guarded: bool = True, **settings: Any) -> tuple[Any, Any]:
        torch.manual_seed(0)
        callback = self.callback()
        given = {"criterion": nn.CrossEntropyLoss, "max_epochs": 2, "verbose": 0, "train_split": None, **settings}
        module = given.pop("module", nn.Linear(8, 5))
        net = self.skorch.NeuralNet(module, callbacks=[callback] if guarded else None, **given)
        try:
            net.fit(data, None)
        finally:
            callback.close()
            assert not active.EVERYWHERE
            self.report = callback.report
        return next(net.module_.parameters()), callback.report

    def test_sound_raising_silent_and_in_a_worker(self) -> None:
        plain, (guarded, report) = self.fit(Labelled(), guarded=False)[0], self.fit(Labelled())
        assert torch.equal(plain, guarded)
        assert report.verdict == "sound"
        with pytest.raises(RuntimeError, match="Long or Byte"):
            self.fit(Labelled(spoil=True), iterator_train__num_workers=1)
        assert origin(self.report) == [("LG101", SPOILT)]
        assert self.report.findings[0].evidence["batch_idx"] == 0
        with pytest.warns(lossguard.LossWarning, match="LG301"):
            _, report = self.fit(Labelled(), criterion=nn.NLLLoss)
        assert findings(report) == [("LG301", Path(__file__).name)]

    def test_an_array_that_skorch_holds_is_followed_and_no_fix_names_what_is_not_there(self) -> None:
        features, labels = torch.randn(30, 8).numpy(), (torch.arange(30) % 5).numpy()
        labels = labels + 1
        line, callback = sys._getframe().f_lineno - 1, self.callback()
        settings: Any = {"criterion": nn.CrossEntropyLoss, "callbacks": [callback], "max_epochs": 1, "verbose": 0}
        net = self.skorch.NeuralNetClassifier(nn.Linear(8, 5), **settings)
        with pytest.raises(IndexError):
            net.fit(features, labels)
        callback.close()
        assert origin(callback.report) == [("LG201", line)]
        assert callback.report.findings[0].fixes[0].code == "labels = labels"
        with pytest.warns(lossguard.LossWarning, match="LG303"):
            _, report = self.fit(Labelled(), module=nn.Sequential(nn.Linear(8, 5), nn.Softmax(1)))
        assert report.findings[0].fixes
        assert all(fix.place is not None for fix in report.findings[0].fixes if fix.code)


class TestFastai:
    """`Learner(..., cbs=LossguardCallback())`."""

    learner = pytest.importorskip("fastai.learner")

    def fit(self, *, spoil: bool = False, guarded: bool = True, loss: Any = F.cross_entropy) -> tuple[Any, Any]:
        from fastai.data.core import DataLoaders
        from fastai.optimizer import SGD

        from lossguard.integrations.fastai import LossguardCallback

        torch.manual_seed(0)
        callback, net = LossguardCallback(), nn.Linear(8, 5)
        loader = DataLoader(Labelled(spoil=spoil), batch_size=8, num_workers=int(spoil))
        settings = {"loss_func": loss, "opt_func": SGD, "cbs": callback if guarded else None}
        learner = self.learner.Learner(DataLoaders(loader, loader), net, **settings)
        learner.logger = lambda _: None
        try:
            learner.fit(1, 0.1)
        finally:
            callback.close()
            assert not active.EVERYWHERE
            self.report = callback.report
        return net.weight, callback.report

    def test_sound_raising_silent_and_in_a_worker(self) -> None:
        plain, (guarded, report) = self.fit(guarded=False)[0], self.fit()
        assert torch.equal(plain, guarded)
        assert report.verdict == "sound"
        with pytest.raises(RuntimeError, match="Long or Byte"):
            self.fit(spoil=True)
        assert origin(self.report) == [("LG101", SPOILT)]
        with pytest.warns(lossguard.LossWarning, match="LG301"):
            _, report = self.fit(loss=F.nll_loss)
        assert findings(report) == [("LG301", Path(__file__).name)]
        assert report.findings[0].evidence["epoch"] == 0


def test_a_missing_framework_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a new interpreter without it; everything else works there."""
    monkeypatch.setenv("PYTHONPATH", str(Path(lossguard.__file__).parents[1]))
    probe = (
        "import sys\n"
        "names = ['lightning', 'pytorch_lightning', 'transformers', 'ignite', 'skorch', 'fastai']\n"
        "sys.modules.update(dict.fromkeys(names))\n"
        "import lossguard\n"
        "for name in ('lightning', 'transformers', 'skorch', 'fastai'):\n"
        "    try: __import__(f'lossguard.integrations.{name}')\n"
        "    except ImportError as error: print(error)\n"
        "from lossguard.integrations.ignite import attach\n"
        "try: attach(None)\n"
        "except ImportError as error: print(error)\n"
        "print(lossguard.explain('IndexError: Target 7 is out of bounds.').verdict)\n"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.splitlines() == [
        "lightning is not installed: pip install lightning",
        "transformers is not installed: pip install transformers",
        "skorch is not installed: pip install skorch",
        "fastai is not installed: pip install fastai",
        "pytorch-ignite is not installed: pip install pytorch-ignite",
        "broken",
    ]
