"""The built-in UNet under the names and in the shapes of SDXL's original layout.

Levels of 32², 16² and 8² latents with 1, 3 and 2 residual blocks, 128, 256 and 256 channels, attention in the inner two with heads
of 64, feed-forward layers four times as wide, time given by scale and shift. The built-in model's level of 16² has 128 channels and
heads of 32: each channel is there twice, which no normalization notices, and a head's other 32 places are zero.
"""

import torch

from built_in_networks import load
from first_level import WayOut, fold_convolution, way_in, width

context, emb_width = 512, 512


def twice(weight: torch.Tensor, inputs: bool = False, outputs: bool = False) -> torch.Tensor:
    """Doubles channels, and halves what reads two of them."""
    if outputs:
        weight = weight.repeat_interleave(2, 0)
    return weight.repeat_interleave(2, 1) / 2 if inputs else weight


def heads_of_64(weight: torch.Tensor, of: str) -> torch.Tensor:
    """Fills up four heads of 32; scores are divided by √64 instead of √32."""
    if of == "o":
        return torch.cat([weight.unflatten(1, (4, 32)), torch.zeros(weight.shape[0], 4, 32)], 2).flatten(1)
    filled = torch.cat([weight.unflatten(0, (4, 32)), torch.zeros(4, 32, weight.shape[1])], 1).flatten(0, 1)
    return filled * 2**0.5 if of == "q" else filled


def carry_residual(w: dict, old: str, doubled: bool) -> dict:
    out = {
        "in_layers.0.weight": w[f"{old}.n1.weight"].repeat_interleave(1 + doubled),
        "in_layers.0.bias": w[f"{old}.n1.bias"].repeat_interleave(1 + doubled),
        "in_layers.2.weight": twice(w[f"{old}.c1.weight"], doubled, doubled),
        "in_layers.2.bias": twice(w[f"{old}.c1.bias"], False, doubled),
        "emb_layers.1.weight": twice(w[f"{old}.t.weight"], False, doubled),
        "emb_layers.1.bias": twice(w[f"{old}.t.bias"], False, doubled),
        "out_layers.0.weight": twice(w[f"{old}.n2.weight"], False, doubled),
        "out_layers.0.bias": twice(w[f"{old}.n2.bias"], False, doubled),
        "out_layers.3.weight": twice(w[f"{old}.c2.weight"], doubled, doubled),
        "out_layers.3.bias": twice(w[f"{old}.c2.bias"], False, doubled),
    }
    if f"{old}.sk.weight" in w:
        out["skip_connection.weight"] = twice(w[f"{old}.sk.weight"], doubled, doubled)
        out["skip_connection.bias"] = twice(w[f"{old}.sk.bias"], False, doubled)
    return out


def idle_residual(inputs: int, outputs: int, skip: torch.Tensor | None) -> dict:
    """A residual block that adds nothing; `skip`: how it maps its input, [outputs, inputs]."""
    out = {
        "in_layers.0.weight": torch.ones(inputs),
        "in_layers.0.bias": torch.zeros(inputs),
        "in_layers.2.weight": torch.zeros(outputs, inputs, 3, 3),
        "in_layers.2.bias": torch.zeros(outputs),
        "emb_layers.1.weight": torch.zeros(2 * outputs, emb_width),
        "emb_layers.1.bias": torch.zeros(2 * outputs),
        "out_layers.0.weight": torch.ones(outputs),
        "out_layers.0.bias": torch.zeros(outputs),
        "out_layers.3.weight": torch.zeros(outputs, outputs, 3, 3),
        "out_layers.3.bias": torch.zeros(outputs),
    }
    if skip is not None:
        out["skip_connection.weight"], out["skip_connection.bias"] = skip[:, :, None, None], torch.zeros(outputs)
    return out


def idle_transformer() -> dict:
    """A transformer of 256 channels that adds nothing."""
    n = 2 * width
    out = {f"norm.{kind}": torch.full((n,), float(kind == "weight")) for kind in ("weight", "bias")}
    for layer in ("proj_in", "proj_out"):
        out[f"{layer}.weight"], out[f"{layer}.bias"] = torch.zeros(n, n), torch.zeros(n)
    block = "transformer_blocks.0"
    for norm in ("norm1", "norm2", "norm3"):
        out[f"{block}.{norm}.weight"], out[f"{block}.{norm}.bias"] = torch.ones(n), torch.zeros(n)
    for attention, reads in (("attn1", n), ("attn2", context)):
        out[f"{block}.{attention}.to_q.weight"] = torch.zeros(n, n)
        out[f"{block}.{attention}.to_k.weight"] = torch.zeros(n, reads)
        out[f"{block}.{attention}.to_v.weight"] = torch.zeros(n, reads)
        out[f"{block}.{attention}.to_out.0.weight"], out[f"{block}.{attention}.to_out.0.bias"] = torch.zeros(n, n), torch.zeros(n)
    out[f"{block}.ff.net.0.proj.weight"], out[f"{block}.ff.net.0.proj.bias"] = torch.zeros(8 * n, n), torch.zeros(8 * n)
    out[f"{block}.ff.net.2.weight"], out[f"{block}.ff.net.2.bias"] = torch.zeros(n, 4 * n), torch.zeros(n)
    return out


def carry_transformer(w: dict, old: str, doubled: bool) -> dict:
    out = idle_transformer()
    n, block = 2 * width, "transformer_blocks.0"
    copies = 1 + doubled
    for kind in ("weight", "bias"):
        out[f"norm.{kind}"] = w[f"{old}.n0.{kind}"].repeat_interleave(copies)
        for norm in ("n2", "n3"):
            out[f"{block}.norm{norm[1]}.{kind}"] = w[f"{old}.{norm}.{kind}"].repeat_interleave(copies)
    out["proj_in.weight"] = torch.eye(n)
    out["proj_out.weight"] = twice(w[f"{old}.out.weight"], doubled, doubled)
    out["proj_out.bias"] = twice(w[f"{old}.out.bias"], False, doubled)
    fill = heads_of_64 if doubled else lambda weight, of: weight
    for attention, name in (("attn1", "a"), ("attn2", "x")):
        if f"{old}.{name}.q.weight" not in w:
            continue
        for of in "qkv":
            weight = w[f"{old}.{name}.{of}.weight"]
            # Both text encoders have each channel twice too.
            reads_twice = doubled if of == "q" or name == "a" else True
            out[f"{block}.{attention}.to_{of}.weight"] = twice(fill(weight, of), reads_twice)
        out[f"{block}.{attention}.to_out.0.weight"] = twice(fill(w[f"{old}.{name}.o.weight"], "o"), False, doubled)
        out[f"{block}.{attention}.to_out.0.bias"] = twice(w[f"{old}.{name}.o.bias"], False, doubled)
    if f"{old}.n1.weight" in w:
        for kind in ("weight", "bias"):
            out[f"{block}.norm1.{kind}"] = w[f"{old}.n1.{kind}"]
    # The built-in model has the gate first.
    for kind in ("weight", "bias"):
        gate, value = w[f"{old}.f1.{kind}"].chunk(2)
        inner = gate.shape[0]
        name = f"{block}.ff.net.0.proj.{kind}"
        for start, part in ((0, value), (4 * n, gate)):
            out[name][start : start + inner] = twice(part, doubled) if kind == "weight" else part
    out[f"{block}.ff.net.2.weight"][:, :inner] = twice(w[f"{old}.f2.weight"], False, doubled)
    out[f"{block}.ff.net.2.bias"] = twice(w[f"{old}.f2.bias"], False, doubled)
    return out


def residual_of_way_in() -> dict:
    w = way_in()
    out = idle_residual(width, width, None)
    for norm in ("in_layers.0", "out_layers.0"):
        out[f"{norm}.weight"] = w["gain"]
    for layer, conv in (("in_layers.2", "conv1"), ("out_layers.3", "conv2")):
        out[f"{layer}.weight"], out[f"{layer}.bias"] = w[f"{conv}.weight"], w[f"{conv}.bias"]
    return out


def taught_residual(state: dict, name: str, active: torch.Tensor) -> dict:
    part = {key.removeprefix(f"{name}."): value for key, value in state.items() if key.startswith(f"{name}.")}
    read = torch.zeros(part["conv1.weight"].shape[1])
    read[active] = 1
    names = {"norm1": "in_layers.0", "conv1": "in_layers.2", "time": "emb_layers.1", "norm2": "out_layers.0", "conv2": "out_layers.3", "skip": "skip_connection"}
    out = {f"{names[key.split('.')[0]]}.{key.split('.')[1]}": value for key, value in part.items()}
    for layer in ("in_layers.2", "skip_connection"):
        out[f"{layer}.weight"] = out[f"{layer}.weight"] * read[:, None, None]
    return out


def carry_unet(state: dict) -> dict[str, torch.Tensor]:
    """@param state: what the way out was taught."""
    w, out = load("unet"), {}

    def put(prefix: str, part: dict) -> None:
        out.update({f"{prefix}.{name}": value for name, value in part.items()})

    entry, taught = way_in(), WayOut()
    put("input_blocks.0.0", {"weight": entry["conv_in.weight"], "bias": entry["conv_in.bias"]})
    put("time_embed.0", {"weight": w["time.0.weight"], "bias": w["time.0.bias"]})
    put("time_embed.2", {"weight": w["time.2.weight"], "bias": w["time.2.bias"]})
    # Sizes are given in features of 256 instead of 32: every eighth frequency is the same.
    added = torch.zeros(emb_width, 256 + 6 * 256)
    added[:, :128] = w["add.0.weight"][:, :128]
    sizes = w["add.0.weight"][:, 128:].unflatten(1, (6, 2, 16))
    added[:, 256:] = torch.zeros(emb_width, 6, 2, 16, 8).index_copy(4, torch.tensor([0]), sizes[..., None]).flatten(1)
    put("label_emb.0.0", {"weight": added, "bias": w["add.0.bias"]})
    put("label_emb.0.2", {"weight": w["add.2.weight"], "bias": w["add.2.bias"]})
    put("input_blocks.1.0", residual_of_way_in())
    put("input_blocks.2.0.op", {"weight": fold_convolution(w["inp.weight"]), "bias": w["inp.bias"]})
    put("input_blocks.3.0", idle_residual(width, 2 * width, twice(torch.eye(width), False, True)))
    put("input_blocks.3.1", idle_transformer())
    for i in (0, 1):
        put(f"input_blocks.{4 + i}.0", carry_residual(w, f"d0.{i}", True))
        put(f"input_blocks.{4 + i}.1", carry_transformer(w, f"b0.{i}", True))
        put(f"input_blocks.{7 + i}.0", carry_residual(w, f"d1.{i}", False))
        put(f"input_blocks.{7 + i}.1", carry_transformer(w, f"b1.{i}", False))
    put("input_blocks.6.0.op", {"weight": twice(w["down.weight"], True), "bias": w["down.bias"]})
    put("middle_block.0", carry_residual(w, "m.0", False))
    put("middle_block.1", carry_transformer(w, "mb", False))
    put("middle_block.2", carry_residual(w, "m.1", False))
    for i in (0, 1, 2):
        put(f"output_blocks.{i}.0", carry_residual(w, f"u1.{i}", False))
        put(f"output_blocks.{i}.1", carry_transformer(w, f"ub1.{i}", False))
        put(f"output_blocks.{3 + i}.0", carry_residual(w, f"u0.{i}", True))
        put(f"output_blocks.{3 + i}.1", carry_transformer(w, f"ub0.{i}", True))
    put("output_blocks.2.2.conv", {"weight": twice(w["up.weight"], False, True), "bias": twice(w["up.bias"], False, True)})
    put("output_blocks.6.0", idle_residual(3 * width, 2 * width, torch.eye(2 * width, 3 * width)))
    put("output_blocks.6.1", idle_transformer())
    enlarge, bias = torch.zeros(2 * width, 2 * width, 3, 3), torch.zeros(2 * width)
    enlarge[:width], bias[:width] = twice(state["enlarge.weight"], True), state["enlarge.bias"]
    put("output_blocks.6.2.conv", {"weight": enlarge, "bias": bias})
    put("output_blocks.7.0", taught_residual(state, "first", taught.first.conv1.active))
    put("output_blocks.8.0", taught_residual(state, "second", taught.second.conv1.active))
    put("out.0", {"weight": state["norm.weight"], "bias": state["norm.bias"]})
    put("out.2", {"weight": state["out.weight"], "bias": state["out.bias"]})
    return {f"model.diffusion_model.{name}": value for name, value in out.items()}
