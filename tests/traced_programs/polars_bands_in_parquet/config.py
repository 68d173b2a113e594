from dataclasses import dataclass, field


@dataclass(frozen=True)
class DataConfig:
    rows: int = 480
    seed: int = 11
    features: tuple[str, ...] = ("hours", "attendance", "homework")
    band_width: int = 20
    top_band: int = 4


@dataclass(frozen=True)
class TrainConfig:
    data: DataConfig = field(default_factory=DataConfig)
    hidden: int = 16
    lr: float = 1e-2
    epochs: int = 2
    batch_size: int = 32
