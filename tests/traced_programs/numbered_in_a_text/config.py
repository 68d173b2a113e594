from dataclasses import dataclass, field
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass
class DataConfig:
    root: Path = Path(tempfile.mkdtemp()) / "artifacts"
    max_len: int = 8
    batch_size: int = 16


@dataclass
class ModelConfig:
    emb_dim: int = 16
    hidden: int = 24


@dataclass
class Config:
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    lr: float = 5e-3
    epochs: int = 3
    seed: int = 7
