from dataclasses import dataclass
import tempfile
from pathlib import Path


@dataclass
class Config:
    workdir: Path = Path(tempfile.mkdtemp()) / "cache"
    n_rows: int = 900
    n_products: int = 160
    n_features: int = 16
    batch_size: int = 32
    hidden: int = 48
    epochs: int = 2
    lr: float = 3e-3
