"""Latents on the built-in model's own way from noise to pictures: what a student has to answer."""

import random
from collections import deque
from dataclasses import dataclass

import torch

from built_in_networks import BuiltInText, BuiltInUnet
from captions import caption, random_parts

betas = torch.linspace(0.00085**0.5, 0.012**0.5, 1000) ** 2
signal = (1 - betas).cumprod(0)


@dataclass
class Drawing:
    """A picture being drawn: latents [4, 32, 32] at a timestep, its text and how strongly that counts."""

    latents: torch.Tensor
    time: int
    text: torch.Tensor
    pooled: torch.Tensor
    guidance: float


class Trajectories:
    def __init__(self, unet: BuiltInUnet, text: BuiltInText, drawings: int, change=lambda parts: parts, seed: int = 0) -> None:
        self.unet, self.text, self.change = unet, text, change
        self.chance = random.Random(seed)
        self.empty = text.encode([""])
        self.finished: deque[torch.Tensor] = deque(maxlen=256)
        self.drawings = [self.begin() for _ in range(drawings)]
        # Not all at the same place.
        for i, drawing in enumerate(self.drawings):
            drawing.time -= 40 * (i % 3)

    def begin(self) -> Drawing:
        text, pooled = self.text.encode([caption(*self.change(random_parts(self.chance)))])
        return Drawing(torch.randn(4, 32, 32), self.chance.randint(955, 999), text[0], pooled[0], self.chance.uniform(3, 6))

    @torch.no_grad()
    def step(self) -> dict[str, torch.Tensor]:
        """Takes a step in each drawing; returns what the UNet was given and answered, with the text and then without."""
        n = len(self.drawings)
        x = torch.stack([drawing.latents for drawing in self.drawings])
        times = torch.tensor([drawing.time for drawing in self.drawings])
        text = torch.cat([torch.stack([d.text for d in self.drawings]), self.empty[0].expand(n, -1, -1)])
        pooled = torch.cat([torch.stack([d.pooled for d in self.drawings]), self.empty[1].expand(n, -1)])
        emb = self.unet.embed(torch.cat([times, times]), pooled)
        both = torch.cat([x, x])
        features = self.unet.features(both, emb, text)
        v = self.unet.finish(features)
        for i, drawing in enumerate(self.drawings):
            guided = v[n + i] + drawing.guidance * (v[i] - v[n + i])
            self.advance(i, guided)
        return {"x": both, "emb": emb, "features": features, "v": v, "time": torch.cat([times, times])}

    def advance(self, i: int, v: torch.Tensor) -> None:
        drawing = self.drawings[i]
        a, s = signal[drawing.time].sqrt(), (1 - signal[drawing.time]).sqrt()
        clean, noise = a * drawing.latents - s * v, s * drawing.latents + a * v
        drawing.time -= self.chance.randint(30, 60)
        if drawing.time < 0:
            self.finished.append(clean)
            self.drawings[i] = self.begin()
        else:
            drawing.latents = signal[drawing.time].sqrt() * clean + (1 - signal[drawing.time]).sqrt() * noise
