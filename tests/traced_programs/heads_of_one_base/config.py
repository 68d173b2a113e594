from dataclasses import dataclass, field


@dataclass
class HeadSpec:
    name: str
    kind: str
    out_dim: int
    weight: float = 1.0


@dataclass
class Config:
    n_samples: int = 320
    n_features: int = 12
    hidden: int = 32
    batch_size: int = 32
    epochs: int = 3
    lr: float = 3e-3
    heads: list = field(
        default_factory=lambda: [
            HeadSpec("segment", "multiclass", 4),
            HeadSpec("churn", "binary", 1),
            HeadSpec("spend", "regression", 1, weight=0.5),
        ]
    )
