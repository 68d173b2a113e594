from torch import nn

from heads import HEADS


class MultiTaskNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(cfg.n_features, cfg.hidden),
            nn.LayerNorm(cfg.hidden),
            nn.GELU(),
        )
        self.heads = nn.ModuleDict(
            {spec.name: HEADS[spec.kind](cfg.hidden, spec.out_dim) for spec in cfg.heads}
        )

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}
