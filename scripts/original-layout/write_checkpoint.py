"""Writes the built-in model as an SDXL checkpoint in the original single-file layout.

python3 write_checkpoint.py TAUGHT.pt MODELS

MODELS is a folder of models; the checkpoint gets a folder in it, with a `model.json` that says how large it draws.
"""

import json
import sys
from pathlib import Path

import torch

import safetensors_file
from built_in_networks import BuiltInText, BuiltInUnet
from carry_text import carry_clip, carry_open_clip
from carry_unet import carry_unet
from carry_vae import carry_vae
from trajectories import Trajectories

scaling = 0.13025
name = "sepia-mini-xl"
description = {
    "id": name,
    "name": "Sepia Mini Image in SDXL's layout",
    "kind": "image",
    "format": "safetensors",
    "file": f"{name}.safetensors",
    "native": {"width": 256, "height": 256},
    "draws": "native",
    "sizes": {"min": 64, "max": 2048},
    "defaults": {"steps": 20, "cfg_scale": 5, "sampler": "DDIM"},
    "license": "Apache-2.0",
}


def draw_latents(text: BuiltInText, count: int) -> torch.Tensor:
    """Unscaled latents of pictures that the built-in model draws."""
    source = Trajectories(BuiltInUnet(), text, drawings=8, seed=1)
    while len(source.finished) < count:
        source.step()
    return torch.stack(list(source.finished))[:count] / scaling


def main(taught: Path, models: Path) -> None:
    torch.set_num_threads(1)
    folder = models / name
    folder.mkdir(parents=True, exist_ok=True)
    text = BuiltInText()
    tensors = carry_unet(torch.load(taught)["average"]) | carry_clip(text) | carry_open_clip(text) | carry_vae(draw_latents(text, 16))
    # The UNet predicts v, as the built-in one does inside.
    tensors["v_pred"] = torch.zeros(0)
    halves = {key: value.half() if value.is_floating_point() and value.numel() else value for key, value in tensors.items()}
    safetensors_file.write(folder / f"{name}.safetensors", halves, {"modelspec.title": description["name"], "modelspec.license": "Apache-2.0"})
    (folder / "model.json").write_text(json.dumps(description, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
