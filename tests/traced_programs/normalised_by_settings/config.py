from dataclasses import dataclass, field


def default_transforms():
    return [
        {"name": "scale", "max_value": 16.0},
        {"name": "normalize", "mean": 0.31, "std": 0.38},  # guilty
        {"name": "flatten"},
    ]


@dataclass
class VAEConfig:
    n_images: int = 640
    n_pixels: int = 64
    hidden: int = 48
    latent: int = 6
    beta: float = 0.5
    batch_size: int = 32
    epochs: int = 4
    lr: float = 3e-3
    transforms: list = field(default_factory=default_transforms)
