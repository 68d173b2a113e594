from dataclasses import dataclass, field


@dataclass
class GanConfig:
    latent: int = 8
    data_dim: int = 16
    batch_size: int = 32
    n_samples: int = 256
    epochs: int = 3
    lr: float = 1e-3
    generator: list = field(default_factory=lambda: [
        {"type": "linear", "out": 32}, {"type": "relu"},
        {"type": "linear", "out": 16}, {"type": "tanh"},
    ])
    discriminator: list = field(default_factory=lambda: [
        {"type": "linear", "out": 32}, {"type": "leaky_relu", "slope": 0.2},
        {"type": "linear", "out": 16}, {"type": "leaky_relu", "slope": 0.2},
        {"type": "linear", "out": 1}, {"type": "sigmoid"},  # guilty
    ])
