"""Draws the pictures of docs/images.md that show the checkpoint, asking a running service for them.

TOKEN=… python3 draw_page.py http://127.0.0.1:8080 KEPT

The service was started with `--models FOLDER`, which holds what `write_checkpoint.py` wrote and `loras/black-background.safetensors`.
"""

import base64
import io
import itertools
import json
import os
import sys
import urllib.request
from pathlib import Path

from PIL import Image

from turns import in_turn

folder = Path(__file__).resolve().parents[2] / "docs" / "images"
prompts = [
    "a glossy tiger on a light blue background",
    "pizza, flat style, on a lavender background",
    "a glossy fox on a white background",
    "a glossy rocket on an orange background",
    "a glossy strawberry on a light green background",
]
looks = [
    {"model": "sepia-mini-image"},
    {"model": "sepia-mini-xl"},
    {"model": "sepia-mini-xl", "loras": {"black-background": 0.5}},
    {"model": "sepia-mini-xl", "loras": {"black-background": 1}},
]
side, gap, quality = 160, 4, 82


def draw(address: str, change: dict) -> Image.Image:
    # An empty negative prompt is encoded, as the built-in model learned it; none at all is zeros in SDXL, which it was never shown.
    request = {"negative_prompt": "", "seed": 1, "steps": 12, "cfg_scale": 5, "sampler": "DDIM", "width": 256, "height": 256, **change}
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"}
    with in_turn(), urllib.request.urlopen(urllib.request.Request(f"{address}/generate/sdxl", json.dumps(request).encode(), headers)) as answer:
        return Image.open(io.BytesIO(base64.b64decode(json.load(answer)["images"][0]["image_b64"])))


def main(address: str, kept: Path) -> None:
    """@param kept: folder of the pictures drawn so far, so that a run that was cut short goes on."""

    def place(i: int) -> int:
        return gap + i * (side + gap)

    sheet = Image.new("RGB", (place(len(prompts)), place(len(looks))), "#ffffff")
    for (y, look), (x, prompt) in itertools.product(enumerate(looks), enumerate(prompts)):
        path = kept / f"{y}-{x}.png"
        if not path.exists():
            draw(address, {"prompt": prompt, **look}).save(path)
        sheet.paste(Image.open(path).resize((side, side), Image.LANCZOS), (place(x), place(y)))
    sheet.save(folder / "original-layout.jpg", quality=quality)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
