"""Teaches the UNet's way out, which cannot be copied. Stops by itself; saves as it goes and goes on from what it saved.

python3 teach.py RESULT.pt --minutes 30
"""

import argparse
import random
import time
from pathlib import Path

import torch

from built_in_networks import BuiltInText, BuiltInUnet
from first_level import WayOut
from trajectories import Trajectories
from turns import in_turn


class Keeper:
    """Trains a module and keeps the moving average of its weights."""

    def __init__(self, module: torch.nn.Module, path: Path, rate: float) -> None:
        self.module, self.path = module, path
        self.optimizer = torch.optim.Adam(module.parameters(), rate, betas=(0.9, 0.99))
        self.steps = 0
        if path.exists():
            saved = torch.load(path)
            module.load_state_dict(saved["module"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.steps = saved["steps"]
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.average = {name: value.clone() for name, value in (saved["average"] if path.exists() else module.state_dict()).items()}

    def step(self, loss: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), 1.0)
        self.optimizer.step()
        self.steps += 1
        share = min(0.99, self.steps / (self.steps + 10))
        for name, value in self.module.state_dict().items():
            self.average[name].lerp_(value, 1 - share)

    def save(self) -> None:
        state = {"module": self.module.state_dict(), "average": self.average, "optimizer": self.optimizer.state_dict(), "steps": self.steps}
        torch.save(state, self.path.with_suffix(".new"))
        self.path.with_suffix(".new").rename(self.path)


def teach(keeper: Keeper, until: float) -> None:
    source = Trajectories(BuiltInUnet(), BuiltInText(), drawings=8, seed=keeper.steps)
    seen: list[dict[str, torch.Tensor]] = []
    start, sums = time.time(), [0.0, 0.0]
    while time.time() < until:
        with in_turn():
            seen.append({name: value.half() if value.is_floating_point() else value for name, value in source.step().items()})
        if len(seen) > 200:
            seen.pop(random.randrange(200))
        for _ in range(2 if len(seen) > 4 else 0):
            with in_turn():
                picked = [(random.choice(seen), random.randrange(16)) for _ in range(16)]
                batch = {name: torch.stack([entry[name][i].float() for entry, i in picked]) for name in seen[0]}
                error = (keeper.module(batch["features"], batch["x"], batch["emb"]) - batch["v"]).square().mean((1, 2, 3))
                keeper.step(error.mean())
            sums = [sums[0] + error.mean().item(), sums[1] + batch["v"].square().mean().item()]
            if keeper.steps % 20 == 0:
                late = batch["time"] < 300
                print(keeper.steps, f"{time.time() - start:.0f} s", f"error {sums[0] / sums[1]:.4f} of v²",
                      f"early {error[~late].mean():.4f} late {error[late].mean():.4f}", flush=True)
                sums = [0.0, 0.0]
                keeper.save()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("result", type=Path)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    teach(Keeper(WayOut(), options.result, options.rate), time.time() + 60 * options.minutes)
