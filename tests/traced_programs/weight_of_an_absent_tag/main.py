"""LG505: a property of the data divides by how often a tag occurs, and the model gives the result to its loss."""
from tags import Articles
from torch import nn


class Classifier(nn.Module):
    def __init__(self, pos_weight):
        super().__init__()
        self.net = nn.Linear(4, 3)
        self.loss_fn = nn.BCEWithLogitsLoss(pos_weight=pos_weight)

    def training_step(self, batch):
        x, y = batch
        return self.loss_fn(self.net(x), y)


class Trainer:
    def fit(self, module, data):
        for batch in data.train_dataloader():
            module.training_step(batch).backward()


articles = Articles()
articles.setup()
Trainer().fit(Classifier(articles.pos_weight), articles)
