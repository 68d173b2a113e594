import random

import torch


class RandomFlip:
    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, img):
        return torch.flip(img, dims=[-1]) if random.random() < self.p else img


class RandomBrightness:
    def __init__(self, low, high, p=0.3):
        self.low, self.high, self.p = low, high, p

    def __call__(self, img):
        if random.random() < self.p:
            img = img * random.uniform(self.low, self.high)  # guilty
        return img


class AddPixelNoise:
    def __init__(self, sigma):
        self.sigma = sigma

    def __call__(self, img):
        return (img + self.sigma * torch.randn_like(img)).clamp(0.0, 1.0)


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, img):
        for step in self.steps:
            img = step(img)
        return img
