import torch
import torch.nn.functional as F


class ScoreCollector:
    """Collects the scores of a whole split so that metrics can be taken at once."""

    def __init__(self, labels: torch.Tensor, n_classes: int):
        self.labels = labels
        self.scores = labels.new_zeros(len(labels), n_classes)  # guilty
        self.cursor = 0

    def add(self, logits):
        n = len(logits)
        self.scores[self.cursor:self.cursor + n] = logits
        self.cursor += n

    def summary(self):
        top1 = (self.scores.argmax(1) == self.labels).float().mean().item()
        return {"top1": top1, "nll": F.cross_entropy(self.scores, self.labels).item()}


def evaluate(model, dataset, n_classes, batch=50):
    x, y = dataset
    collector = ScoreCollector(y, n_classes)
    model.eval()
    with torch.no_grad():
        for part in x.split(batch):
            collector.add(model(part))
    return collector.summary()
