from torch import nn


def dense_stack(sizes, act=nn.Sigmoid, dropout=0.0):
    layers = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(n_in, n_out), act()]  # guilty
        if dropout and n_out != sizes[-1]:
            layers.append(nn.Dropout(dropout))
    return nn.Sequential(*layers)


class RecipeTagger(nn.Module):
    def __init__(self, n_ingredients, n_tags, dim=32):
        super().__init__()
        self.bag = nn.EmbeddingBag(n_ingredients, dim, mode="mean")
        self.mlp = dense_stack([dim, 48, n_tags], dropout=0.1)

    def forward(self, flat, offsets):
        return self.mlp(self.bag(flat, offsets))
