from dataclasses import dataclass


@dataclass
class GestureConfig:
    sensors: int = 6
    steps: int = 20
    gestures: int = 5
    n_recordings: int = 160
    channels: int = 12
    output: str = "log_probs"
    batch_size: int = 16
    lr: float = 5e-3
    epochs: int = 3
