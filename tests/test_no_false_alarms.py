"""Sound programs, as people write them: a strict guard that looks at every call lets each of them through, unchanged.

Each function trains or evaluates in a way that looks odd to a careless rule and is right. It gives its losses.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody uses
from torch import Tensor, nn

import lossguard

Program = Callable[[], list[float]]
PROGRAMS: list[Program] = []


def sound(program: Program) -> Program:
    """Run this program in the tests below."""
    PROGRAMS.append(program)
    return program


def network(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, outputs))


def trained(parameters: Iterable[Tensor], loss: Callable[[], Tensor]) -> list[float]:
    """The losses of a few steps of training."""
    optimiser = torch.optim.Adam(list(parameters), lr=1e-3)
    losses = []
    for _ in range(5):
        optimiser.zero_grad()
        value = loss()
        value.backward()
        optimiser.step()
        losses.append(value.item())
    return losses


@sound
def fresh_discriminators() -> list[float]:
    """The outputs of a fresh deep network lie close to its bias, which may be between 0 and 1."""
    losses = []
    for seed in range(20):
        torch.manual_seed(seed)
        scores = network(16, 1)(torch.randn(64, 16))
        losses.append(F.binary_cross_entropy_with_logits(scores, torch.full((64, 1), 0.9)).item())
        with torch.no_grad():
            losses.append(F.binary_cross_entropy_with_logits(scores.squeeze(1), torch.zeros(64)).item())
    return losses


@sound
def smoothed_labels_with_padding() -> list[float]:
    """Label smoothing by kl_div, with rows of zeros where the token is padding."""
    model, x = network(8, 11), torch.randn(20, 8)
    labels = torch.cat([torch.randint(1, 11, (16,)), torch.zeros(4, dtype=torch.long)])
    smooth = torch.full((20, 11), 0.1 / 9).scatter(1, labels.unsqueeze(1), 0.9)
    smooth[:, 0] = 0
    smooth[labels == 0] = 0
    criterion = nn.KLDivLoss(reduction="sum")
    return trained(model.parameters(), lambda: criterion(model(x).log_softmax(-1), smooth) / 16)


@sound
def soft_contrast_with_a_last_batch_of_one() -> list[float]:
    model, losses = network(8, 16), []
    for part in torch.randn(9, 8).split(4):
        features = F.normalize(model(part), dim=1)
        alike = features @ features.T
        losses.append(F.cross_entropy(alike, alike.softmax(-1).detach()).item())
    return losses


@sound
def pairs_compared_all_with_all() -> list[float]:
    """Axes of size 1 that were lined up by hand."""
    model, good, bad = network(8, 1), torch.randn(6, 8), torch.randn(10, 8)
    rows = torch.randn(7, 5).log_softmax(1)
    apart = F.kl_div(rows[:, None], rows[None], reduction="none", log_target=True).sum(-1)
    losses = trained(model.parameters(), lambda: F.margin_ranking_loss(model(good), model(bad).T, torch.ones(1, 1)))
    return [*losses, apart.mean().item()]


@sound
def policy_gradient() -> list[float]:
    """Advantages have both signs, as weights of entries and as factors of log-probabilities."""
    model, states, advantage = network(4, 3), torch.randn(16, 4), torch.randn(16)
    actions, pushed = torch.randint(3, (16,)), torch.randint(2, (16,)).float()

    def loss() -> Tensor:
        log_probs, push = model(states).log_softmax(1), model(states)[:, 0]
        return (
            F.nll_loss(log_probs * advantage[:, None], actions)
            + (F.nll_loss(log_probs, actions, reduction="none") * advantage).mean()
            + F.binary_cross_entropy_with_logits(push, pushed, weight=advantage)
            + F.binary_cross_entropy(push.sigmoid(), pushed, weight=advantage)
        )

    return trained(model.parameters(), loss)


@sound
def unknown_labels_masked() -> list[float]:
    """-1 for "unknown", left out after the loss or by its weight."""
    model, x, y = network(8, 6), torch.randn(16, 8), torch.randint(-1, 2, (16, 6)).float()
    known = (y >= 0).float()

    def loss() -> Tensor:
        each = F.binary_cross_entropy_with_logits(model(x), y, reduction="none")
        return (each * known).sum() / known.sum() + F.binary_cross_entropy_with_logits(model(x), y, weight=known)

    return trained(model.parameters(), loss)


@sound
def changed_log_probabilities() -> list[float]:
    """Focal, masked and bounded log-probabilities do not add up to 1 any more."""
    model, x, y = network(8, 200), torch.randn(16, 8), torch.randint(200, (16,))
    masked = (torch.rand(16, 200) < 0.3).scatter(1, y.unsqueeze(1), value=False)

    def loss() -> Tensor:
        probabilities, log_probs = model(x).softmax(1), model(x).log_softmax(1)
        return (
            F.nll_loss((1 - probabilities) ** 2 * log_probs, y)
            + F.nll_loss(log_probs.masked_fill(masked, -1e9), y)
            + F.nll_loss((probabilities + 1e-4).log(), y)
        )

    losses = trained(model.parameters(), loss)
    with torch.no_grad():
        return [*losses, loss().item()]


@sound
def autocast() -> list[float]:
    """Under autocast the dtypes need not agree, and no kernel has to know bfloat16."""
    hidden = torch.randn(16, 5, requires_grad=True)
    y, weight, real = torch.randint(5, (16,)), torch.rand(5), torch.rand(16, 5)

    def loss() -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            # As a layer gives them; without a layer, because not every processor multiplies bfloat16.
            scores = hidden.bfloat16()
            return (
                F.cross_entropy(scores, y, weight=weight)
                + F.nll_loss(scores.log_softmax(1), y, weight=weight)
                + F.binary_cross_entropy(scores.sigmoid(), real)
                + F.binary_cross_entropy_with_logits(scores, real, pos_weight=weight)
                + F.huber_loss(scores, real)
                + F.mse_loss(scores, real)
                + F.multi_margin_loss(scores, y)
                + F.kl_div(scores.log_softmax(1), real.softmax(1), reduction="batchmean")
                + F.ctc_loss(
                    scores.log_softmax(1).unsqueeze(1), torch.tensor([[1, 2, 3]]), torch.tensor([16]), torch.tensor([3])
                )
            )

    return trained([hidden], loss)


@sound
def third_tensors_that_change() -> list[float]:
    """A loss that takes its third tensor among the positional arguments, new at every call."""
    model, x, y = network(8, 2), torch.randn(16, 8), torch.randn(16)
    apart = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(1))

    def loss() -> Tensor:
        mean, spread = model(x).unbind(1)
        labels, weight = torch.randint(2, (16, 2)).float(), torch.rand(2)
        triplets: Tensor = apart(model(x), torch.randn(16, 2), torch.randn(16, 2))
        return (
            F.gaussian_nll_loss(mean, y, F.softplus(spread))
            + triplets
            + F.multilabel_soft_margin_loss(model(x), labels, weight)
        )

    return trained(model.parameters(), loss)


@sound
def errors_measured_without_gradients() -> list[float]:
    """What would fail in backward is no fault where there is none."""
    predicted, counts = torch.randn(16), torch.randint(9, (16,))
    with torch.no_grad():
        one = F.huber_loss(predicted, counts.double()).item()
    with torch.inference_mode():
        return [one, F.huber_loss(predicted, counts).item(), F.mse_loss(predicted, counts).item()]


@sound
def speech_with_padded_targets() -> list[float]:
    model, sound_waves = nn.Linear(6, 7), torch.randn(20, 3, 6)
    targets = torch.tensor([[1, 2, 3, 4], [5, 6, -1, -1], [-1, -1, -1, -1]])
    lengths = torch.tensor([4, 2, 0])
    return trained(
        model.parameters(),
        lambda: F.ctc_loss(model(sound_waves).log_softmax(2), targets, torch.full((3,), 20), lengths),
    )


@sound
def tokens_as_many_as_classes() -> list[float]:
    tagger, x, y = nn.Linear(8, 9), torch.randn(4, 9, 8), torch.randint(9, (4, 9))
    y[0, 5:] = -100
    return trained(tagger.parameters(), lambda: F.cross_entropy(tagger(x).transpose(1, 2), y))


@sound
def heads_that_say_nothing_or_too_much() -> list[float]:
    """All logits equal, rectified logits, and logits so sure that the softmax is one-hot."""
    y = torch.randint(5, (16,))
    sure = F.one_hot(y, 5) * 200.0
    losses = []
    for scores in (torch.zeros(16, 5), torch.randn(16, 5).relu(), sure, sure.roll(1, 1), sure - 400):
        losses.append(F.cross_entropy(scores, y).item())
        losses.append(F.nll_loss(scores.log_softmax(1), y).item())
        losses.append(F.binary_cross_entropy_with_logits(scores, F.one_hot(y, 5).float()).item())
        losses.append(F.binary_cross_entropy(scores.sigmoid(), F.one_hot(y, 5).float()).item())
    return losses


@sound
def a_picture_without_objects() -> list[float]:
    """Sums over nothing are 0."""
    scores, none = torch.randn(5, 4, requires_grad=True), torch.zeros(0, dtype=torch.long)
    return trained(
        [scores],
        lambda: (
            F.cross_entropy(scores[none], none, reduction="sum")
            + F.smooth_l1_loss(scores[none], scores[none].detach(), reduction="sum")
            + F.binary_cross_entropy_with_logits(scores[none], torch.zeros(0, 4), reduction="sum")
        ),
    )


@sound
def soft_labels_that_were_stored_in_half_precision() -> list[float]:
    """What a teacher gave was saved in float16 or bfloat16, read as float32, and perhaps mixed."""
    model, x, teacher = network(8, 300), torch.randn(32, 8), (4 * torch.randn(32, 300)).softmax(1)
    stored = [teacher.half().float(), teacher.bfloat16().float(), teacher.bfloat16(), teacher.half().double()]
    mixed = 0.3 * stored[1] + 0.7 * stored[1].flip(0)
    mixed[3] = 0
    assert 1e-3 < (stored[1].sum(1) - 1).abs().max() < 4e-3

    def loss() -> Tensor:
        scores = model(x)
        each = [F.cross_entropy(scores.to(soft.dtype), soft).float() for soft in (*stored, mixed)]
        return torch.stack(each).sum() + F.kl_div(scores.log_softmax(1), mixed, reduction="batchmean")

    return trained(model.parameters(), loss)


@sound
def labels_with_the_weights_of_their_samples() -> list[float]:
    """One-hot rows times a weight, where the program itself divides by the sum of the weights."""
    model, x, weight = network(8, 3), torch.randn(12, 8), torch.rand(12) * 3
    rows = F.one_hot(torch.randint(3, (12,)), 3).float() * weight[:, None]
    whole = F.one_hot(torch.randint(3, (12,)), 3).float() * torch.randint(2, 5, (12, 1))
    return trained(
        model.parameters(),
        lambda: (
            F.cross_entropy(model(x), rows, reduction="sum") / weight.sum()
            + F.cross_entropy(model(x), whole, reduction="none").mean()
        ),
    )


@sound
def smoothed_labels_with_marks() -> list[float]:
    """A mark for "no label" is smoothed with the labels, and left out after the loss or by its weight."""
    model, x, known = network(8, 6), torch.randn(16, 8), torch.rand(16, 6) > 0.2
    losses = []
    for mark in (-100.0, -1.0, 255.0):
        labels = torch.where(known, torch.randint(2, (16, 6)).float(), mark)
        smooth = labels * 0.8 + 0.1

        def loss(smooth: Tensor = smooth) -> Tensor:
            each = F.binary_cross_entropy_with_logits(model(x), smooth, reduction="none")
            return each[known].mean() + F.binary_cross_entropy_with_logits(model(x), smooth, weight=known.float())

        losses += trained(model.parameters(), loss)
    smooth = torch.where(known, 0.1, -79.9)  # not one label that says yes
    return [*losses, F.binary_cross_entropy_with_logits(model(x), smooth, reduction="none")[known].mean().item()]


@sound
def classes_by_their_densities() -> list[float]:
    """The logarithm of a density may lie above 0, and those of the classes need not add up to anything."""
    mean, scale = torch.randn(3, 2, requires_grad=True), torch.full((3, 2), -3.0, requires_grad=True)
    y = torch.randint(3, (16,))
    x = (mean[y] + 0.05 * torch.randn(16, 2)).detach()
    spread = scale.exp()
    weights = torch.distributions.Categorical(torch.ones(3, 4))
    several = torch.randn(3, 4, requires_grad=True)

    def loss() -> Tensor:
        spread, at = scale.exp(), x[:, None]
        normal = torch.distributions.Independent(torch.distributions.Normal(mean, spread), 1).log_prob(at)
        apart = torch.distributions.Laplace(mean, spread).log_prob(at).sum(-1)
        full = torch.distributions.MultivariateNormal(mean, scale_tril=torch.diag_embed(spread)).log_prob(at)
        parts = torch.distributions.Normal(several, 0.01)
        mixture = torch.distributions.MixtureSameFamily(weights, parts).log_prob(x[:, :1])
        by_hand = torch.stack([-0.5 * ((x - mean[k]) / spread[k]).pow(2).sum(1) - scale[k].sum() for k in range(3)], 1)
        return sum((F.nll_loss(each, y) for each in (normal, apart, full, mixture, by_hand)), torch.zeros(()))

    assert spread.max() < 0.1
    return trained([mean, scale, several], loss)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("deep", ["schedule", "always"])
def test_a_sound_program_is_let_through_with_the_same_losses(program: Program, deep: str) -> None:
    torch.manual_seed(0)
    alone = program()
    torch.manual_seed(0)
    with lossguard.guard(strict=True, deep=deep) as watch:  # type: ignore[arg-type]
        watched = program()
    assert watched == alone
    assert not watch.report.findings


STYLES = sorted((Path(__file__).parent / "programs" / "styles").glob("*.py"))


def _printed(program: Path) -> tuple[str, list[str]]:
    """What a program prints, and what it is warned of."""
    code = compile(program.read_text(), str(program), "exec", dont_inherit=True)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        exec(code, {"__name__": "__main__"})  # noqa: S102 - our own programs
    return out.getvalue(), [str(warning.message) for warning in said]


@pytest.mark.parametrize("program", STYLES, ids=lambda path: path.stem)
def test_a_program_as_people_write_them_does_not_notice(program: Path) -> None:
    """Whatever the style: the same output, digit for digit, no warning of ours, nothing in the report."""
    alone = _printed(program)
    assert alone[0]
    for deep in ("schedule", "always"):
        with lossguard.guard(deep=deep) as watch:
            assert _printed(program) == alone
        assert not watch.report.findings
        assert not watch.session.troubles


def test_there_are_styles_enough() -> None:
    assert len(STYLES) >= 40


@pytest.mark.parametrize("loss", ["soft_margin_loss", "margin_ranking_loss", "cosine_embedding_loss"])
def test_zeros_and_ones_are_signs_of_a_fault_once_there_are_enough(loss: str) -> None:
    """Two signs and a tie may be chance in a running program; eight labels are not. Who asks is always told."""
    for number, said in ((3, False), (7, False), (8, True), (32, True)):
        labels = (torch.arange(number) % 2).float()
        tensors = [torch.randn(number, 4) if "cosine" in loss else torch.randn(number) for _ in range(2)]
        arguments = (*tensors[: 1 if "soft" in loss else 2], labels)
        assert [finding.code for finding in lossguard.check(loss, *arguments)] == ["LG212"]
        with lossguard.guard() as watch, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(F, loss)(*arguments)
        assert [finding.code for finding in watch.report] == (["LG212"] if said else [])


def test_a_loop_over_axes_is_judged_axis_by_axis() -> None:
    """The plan for one axis must not serve another: it is the axis that says how far an index may go."""
    table, index = torch.randn(3, 9), torch.tensor([[8, 7, 6], [2, 1, 0], [5, 4, 3]])
    with lossguard.guard(strict=True, deep="always") as watch:
        for dim, used in ((0, index % 3), (1, index)):
            assert torch.equal(torch.gather(table, dim, used), table.gather(dim, used))
    assert not watch.report.findings


@pytest.mark.parametrize("scores", [lambda: nn.Linear(4, 1)(torch.randn(8, 4)), lambda: torch.randn(64, 1)])
def test_a_sigmoid_before_the_logits_is_still_seen(scores: Callable[[], Tensor]) -> None:
    """By its history, or by many values that fill the space between 0 and 1."""
    given = scores().sigmoid()
    report = lossguard.check(F.binary_cross_entropy_with_logits, given, torch.ones_like(given))
    assert [finding.code for finding in report.findings] == ["LG303"]


def test_scores_that_are_exactly_zero_and_one_are_not_called_probabilities() -> None:
    assert lossguard.check("cross_entropy", torch.eye(4), torch.arange(4)).verdict == "sound"
    made = lossguard.check("cross_entropy", (torch.eye(4) * 9).softmax(1), torch.arange(4))
    assert [finding.code for finding in made] == ["LG303"]
