import torch.nn as nn


class QNetwork(nn.Sequential):
    def __init__(self, obs_dim, n_actions):
        super().__init__(nn.Linear(obs_dim, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(),
                         nn.Linear(32, n_actions))
