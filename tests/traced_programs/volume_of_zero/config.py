from dataclasses import dataclass
from pathlib import Path


@dataclass
class Config:
    csv_path: Path = Path(__file__).resolve().parent / "bars.csv"
    tickers: tuple = ("ALFA", "BRVO", "CHRL", "DLTA", "ECHO")
    days: int = 60
    window: int = 8
    batch_size: int = 32
    hidden: int = 16
    lr: float = 1e-3
