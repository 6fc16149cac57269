"""Makes a LoRA whose effect is: whatever background is asked for, it is black; the thing stays what it is.

What the UNet reads of a caption is turned into what it would read of the same caption with a black background, by the linear map of
low rank that comes nearest over many captions: (1 + map) before each layer that reads text is W + W · map, and W · map is a LoRA.

python3 fit_lora.py RESULT.safetensors [RANK]
"""

import random
import sys
from pathlib import Path

import torch

import safetensors_file
from built_in_networks import BuiltInText, load
from captions import caption, random_parts
from carry_unet import heads_of_64, twice

# Blocks that read text: the built-in model's name, the original layout's, whether its channels are doubled.
blocks = [(f"b0.{i}", f"input_blocks_{4 + i}_1", True) for i in (0, 1)]
blocks += [(f"b1.{i}", f"input_blocks_{7 + i}_1", False) for i in (0, 1)]
blocks += [("mb", "middle_block_1", False)]
blocks += [(f"ub1.{i}", f"output_blocks_{i}_1", False) for i in (0, 1, 2)]
blocks += [(f"ub0.{i}", f"output_blocks_{3 + i}_1", True) for i in (0, 1, 2)]


def blackened(parts: tuple[str, str | None, str | None]) -> tuple[str, str | None, str | None]:
    """The same caption with a black background, as many words long so that each word has its own place."""
    thing, style, background = parts
    return thing, style, None if background is None else " ".join(["black"] * len(background.split()))


def pairs(text: BuiltInText, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What the UNet's attention reads of captions and of those blackened, [count · 77, 256]."""
    chance = random.Random(7)
    parts = [random_parts(chance) for _ in range(count)]

    def read(captions: list[str]) -> torch.Tensor:
        return torch.cat([text.encode(captions[i : i + 32])[0] for i in range(0, count, 32)]).flatten(0, 1)

    return read([caption(*each) for each in parts]), read([caption(*blackened(each)) for each in parts])


def low_rank_map(x: torch.Tensor, y: torch.Tensor, rank: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Factors of the map m of low rank for which x + x · m is nearest to y: m = down.T · up.T, [rank, in] and [out, rank]."""
    x, change = x.double(), (y - x).double()
    gram = x.T @ x
    full = torch.linalg.solve(gram + 1e-4 * gram.diagonal().mean() * torch.eye(len(gram)), x.T @ change)
    # Reduced-rank regression: onto the first directions of what is predicted.
    directions = torch.linalg.svd(x @ full, full_matrices=False)[2][:rank]
    return (full @ directions.T).T.float(), directions.T.float()


def to_lora(down: torch.Tensor, up: torch.Tensor) -> dict[str, torch.Tensor]:
    """In kohya's names, for the checkpoint in the original layout."""
    w, out = load("unet"), {}
    for old, new, doubled in blocks:
        for of in "kv":
            weight = w[f"{old}.x.{of}.weight"]
            name = f"lora_unet_{new}_transformer_blocks_0_attn2_to_{of}"
            out[f"{name}.lora_down.weight"] = twice(down, True)
            out[f"{name}.lora_up.weight"] = (heads_of_64(weight, of) if doubled else weight) @ up
            out[f"{name}.alpha"] = torch.tensor(float(len(down)))
    return out


if __name__ == "__main__":
    torch.set_num_threads(1)
    factors = low_rank_map(*pairs(BuiltInText(), 768), int(sys.argv[2]) if len(sys.argv) > 2 else 16)
    halves = {name: value.half() for name, value in to_lora(*factors).items()}
    safetensors_file.write(Path(sys.argv[1]), halves, {"ss_base_model_version": "sdxl_base_v1-0", "modelspec.title": "Black background"})
