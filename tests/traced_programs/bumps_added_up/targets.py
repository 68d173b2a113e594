"""Rasterises object centres into per-class heatmaps."""
import numpy as np


def gaussian_patch(radius: int) -> np.ndarray:
    ax = np.arange(-radius, radius + 1)
    sigma = (2 * radius + 1) / 6
    return np.exp(-(ax[:, None] ** 2 + ax[None, :] ** 2) / (2 * sigma ** 2)).astype(np.float32)


def splat(heatmap: np.ndarray, cx: int, cy: int, radius: int) -> None:
    h, w = heatmap.shape
    patch = gaussian_patch(radius)
    top, bottom = max(cy - radius, 0), min(cy + radius + 1, h)
    left, right = max(cx - radius, 0), min(cx + radius + 1, w)
    sub = patch[top - cy + radius:bottom - cy + radius, left - cx + radius:right - cx + radius]
    heatmap[top:bottom, left:right] += sub  # guilty


def encode(boxes, n_classes: int, size: int) -> np.ndarray:
    maps = np.zeros((n_classes, size, size), dtype=np.float32)
    for cls, x0, y0, x1, y1 in boxes:
        radius = max(1, int(min(x1 - x0, y1 - y0) // 2))
        splat(maps[cls], int((x0 + x1) // 2), int((y0 + y1) // 2), radius)
    return maps
