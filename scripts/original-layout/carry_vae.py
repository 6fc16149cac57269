"""The built-in VAE under the names and in the shapes of the original layout: 128, 192, 384 and 512 channels.

The built-in one normalizes in 8 groups, the original layout in 32: each group of channels is there four times, which is exact. The
built-in decoder ends with an unfolding of 2 × 2, which the original layout cannot say: there the last convolution before it is
replaced by the linear one that comes nearest on pictures of the model's own (`fit_last`). The built-in encoder shrinks around even
pixels and the original layout beside them: what it encodes lies six pixels off, to the upper left.
"""

import itertools

import torch
import torch.nn.functional as F

from built_in_networks import BuiltInDecoder, load
from first_level import carrier

last, widths = 128, (128, 192, 384, 512)


def four(weight: torch.Tensor, inputs: bool = False, outputs: bool = True) -> torch.Tensor:
    """Repeats each of the eight groups of channels four times, and quarters what reads them."""
    if outputs:
        weight = weight.unflatten(0, (8, 1, -1)).expand(8, 4, *[-1] * weight.dim()).flatten(0, 2)
    if inputs:
        weight = weight.unflatten(1, (8, 1, -1)).expand(-1, 8, 4, *[-1] * (weight.dim() - 1)).flatten(1, 3) / 4
    return weight


def residual(w: dict, old: str) -> dict[str, torch.Tensor]:
    out = {}
    for new, name in (("norm1", "n1"), ("norm2", "n2"), ("conv1", "c1"), ("conv2", "c2")):
        out[f"{new}.weight"] = four(w[f"{old}.{name}.weight"], name in ("c1", "c2"))
        out[f"{new}.bias"] = four(w[f"{old}.{name}.bias"])
    return out


def idle(inputs: int, outputs: int, skip: torch.Tensor | None = None) -> dict[str, torch.Tensor]:
    """A residual block that adds nothing."""
    out = {"norm1.weight": torch.ones(inputs), "norm1.bias": torch.zeros(inputs), "norm2.weight": torch.ones(outputs), "norm2.bias": torch.zeros(outputs)}
    out |= {"conv1.weight": torch.zeros(outputs, inputs, 3, 3), "conv1.bias": torch.zeros(outputs)}
    out |= {"conv2.weight": torch.zeros(outputs, outputs, 3, 3), "conv2.bias": torch.zeros(outputs)}
    if skip is not None:
        out |= {"nin_shortcut.weight": skip[:, :, None, None], "nin_shortcut.bias": torch.zeros(outputs)}
    return out


def idle_attention() -> dict[str, torch.Tensor]:
    n = widths[3]
    out = {"norm.weight": torch.ones(n), "norm.bias": torch.zeros(n)}
    for name in ("q", "k", "v", "proj_out"):
        out |= {f"{name}.weight": torch.zeros(n, n, 1, 1), f"{name}.bias": torch.zeros(n)}
    return out


def fill(tensor: torch.Tensor, *sizes: int) -> torch.Tensor:
    """Zeros of some sizes with a smaller tensor in their first corner."""
    out = torch.zeros(*sizes)
    out[tuple(slice(0, n) for n in tensor.shape)] = tensor
    return out


@torch.no_grad()
def fit_last(decoder: BuiltInDecoder, latents: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The 3 × 3 convolution of enlarged features nearest to what is unfolded: [16, 48, 3, 3], its bias, and the squares' mean."""
    w, sums, targets, squares = decoder.w, 0, 0, 0
    for picture in latents.split(1):
        s = F.silu(F.group_norm(decoder.features(picture), 8, w["decoder.net.12.weight"], w["decoder.net.12.bias"]))
        z = F.pixel_shuffle(F.conv2d(s, w["decoder.net.14.weight"], w["decoder.net.14.bias"], padding=1), 2)
        patches = F.unfold(F.interpolate(s, scale_factor=2.0), 3, padding=1)[0]
        patches = torch.cat([patches, torch.ones(1, patches.shape[1])]).double()
        sums, targets = sums + patches @ patches.T, targets + patches @ z[0].flatten(1).T.double()
        squares = squares + z.square().mean((0, 2, 3)) / len(latents)
    solved = torch.linalg.solve(sums + 1e-6 * sums.diagonal().mean() * torch.eye(len(sums)), targets).T.float()
    return solved[:, :-1].reshape(16, 48, 3, 3), solved[:, -1], squares


def last_block(w: dict, fitted: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Groups of {z, −z, m, −m}: the second activation is that of z itself, and the last one adds up to the colours."""
    weight, bias, squares = fitted
    block, n = idle(widths[1], last, torch.zeros(last, widths[1])), 4
    block["norm1.weight"], block["norm1.bias"] = four(w["decoder.net.12.weight"]), four(w["decoder.net.12.bias"])
    weight = four(weight, True, False)
    block["norm2.weight"] = torch.zeros(last)
    for i, sign in itertools.product(range(16), (1, -1)):
        place = n * i + (sign < 0)
        block["conv1.weight"][place], block["conv1.bias"][place] = sign * weight[i], sign * bias[i]
        block["conv1.bias"][place + 2] = sign * carrier
        block["norm2.weight"][place] = ((carrier**2 + squares[i]) / 2) ** 0.5
    for colour, sign in itertools.product(range(3), (1, -1)):
        place = n * colour + (sign < 0)
        block["conv2.weight"][place, 0:64:n] = sign * w["decoder.net.17.weight"][colour]
        block["conv2.bias"][place] = sign * w["decoder.net.17.bias"][colour]
        block["conv2.bias"][place + 2] = sign * carrier
    # Colours of −1 to 1 on plain backgrounds have a mean square near one.
    norm, out = torch.zeros(last), torch.zeros(3, last, 3, 3)
    norm[[0, 1, 4, 5, 8, 9]] = ((carrier**2 + 0.7) / 2) ** 0.5
    for colour in range(3):
        out[colour, n * colour, 1, 1], out[colour, n * colour + 1, 1, 1] = 1, -1
    rest = {"norm_out.weight": norm, "norm_out.bias": torch.zeros(last), "conv_out.weight": out, "conv_out.bias": torch.zeros(3)}
    return {f"up.0.block.0.{name}": value for name, value in block.items()} | rest


def carry_decoder(latents: torch.Tensor) -> dict[str, torch.Tensor]:
    decoder, out = BuiltInDecoder(), {}
    w = decoder.w

    def put(prefix: str, part: dict) -> None:
        out.update({f"{prefix}.{name}": value for name, value in part.items()})

    def net(i: int) -> str:
        return f"decoder.net.{i}"

    put("conv_in", {"weight": four(w["decoder.net.0.weight"]), "bias": four(w["decoder.net.0.bias"])})
    put("mid.block_1", residual(w, net(1)))
    put("mid.attn_1", idle_attention())
    put("mid.block_2", residual(w, net(2)))
    put("up.3.block.0", residual(w, net(3)))
    for i in (1, 2):
        put(f"up.3.block.{i}", idle(512, 512))
        put(f"up.0.block.{i}", idle(last, last))
    for level, enlarge, blocks in ((2, 5, (6, 7)), (1, 9, (10, 11))):
        before, here = widths[level + 1], widths[level]
        weight, bias = four(w[f"{net(enlarge)}.weight"], True), four(w[f"{net(enlarge)}.bias"])
        put(f"up.{level + 1}.upsample.conv", {"weight": fill(weight, before, before, 3, 3), "bias": fill(bias, before)})
        put(f"up.{level}.block.0", idle(before, here, torch.eye(here, before)))
        for i, block in enumerate(blocks):
            put(f"up.{level}.block.{i + 1}", residual(w, net(block)))
    same = torch.zeros(192, 192, 3, 3)
    same[torch.arange(192), torch.arange(192), 1, 1] = 1
    put("up.1.upsample.conv", {"weight": same, "bias": torch.zeros(192)})
    out |= last_block(w, fit_last(decoder, latents))
    return {f"decoder.{name}": value for name, value in out.items()}


def carry_encoder() -> dict[str, torch.Tensor]:
    w, out = load("vae_encoder"), {}

    def put(prefix: str, part: dict) -> None:
        out.update({f"{prefix}.{name}": value for name, value in part.items()})

    # Pixels −2 … 3 of the fold's neighbourhood: shifts of −1, 0 and 1 that the first convolution makes, doubled by the first block.
    first, bias = torch.zeros(last, 3, 3, 3), torch.zeros(last)
    block = idle(last, last)
    block["norm1.weight"], block["norm2.weight"] = torch.zeros(last), torch.zeros(last)
    gain = ((carrier**2 + 0.7) / 2) ** 0.5
    shifts = list(itertools.product((-1, 0, 1), repeat=2))
    for s, colour in itertools.product(range(9), range(3)):
        (y, x), place = shifts[s], 4 * (3 * s + colour)
        for sign in (0, 1):
            first[place + sign, colour, 1 + y, 1 + x] = 1 - 2 * sign
            bias[place + 2 + sign] = block["conv1.bias"][place + 2 + sign] = carrier * (1 - 2 * sign)
            for old in (0, 1):
                block["conv2.weight"][place + sign, place + old, 1, 1] = (1 - 2 * sign) * (1 - 2 * old)
                # What the block adds to its input is the difference.
                block["conv1.weight"][place + sign, place + old, 1 + y, 1 + x] += (1 - 2 * sign) * (1 - 2 * old)
                block["conv1.weight"][place + sign, place + old, 1, 1] -= (1 - 2 * sign) * (1 - 2 * old)
        block["norm1.weight"][place : place + 2] = block["norm2.weight"][place : place + 2] = gain
    put("conv_in", {"weight": first, "bias": bias})
    put("down.0.block.0", block)
    put("down.0.block.1", idle(last, last))
    shrink = torch.zeros(last, last, 3, 3)
    folded = w["encoder.net.1.weight"]
    for colour, ky, kx, y, x in itertools.product(range(3), range(3), range(3), range(2), range(2)):
        place = 4 * (3 * shifts.index((ky - 1, kx - 1)) + colour)
        shrink[:48, place, y, x] = folded[:, 4 * colour + 2 * y + x, ky, kx]
    put("down.0.downsample.conv", {"weight": shrink, "bias": fill(w["encoder.net.1.bias"], last)})
    # Each of 48 channels, four times.
    put("down.1.block.0", idle(last, 192, four(torch.eye(48, last))))
    put("down.1.block.1", residual(w, "encoder.net.2"))
    put("down.1.downsample.conv", {"weight": fill(four(w["encoder.net.3.weight"], True, False), 192, 192, 3, 3), "bias": fill(w["encoder.net.3.bias"], 192)})
    put("down.2.block.0", idle(192, 384, four(torch.eye(96, 192))))
    put("down.2.block.1", residual(w, "encoder.net.4"))
    put("down.2.downsample.conv", {"weight": fill(four(w["encoder.net.5.weight"], True, False), 384, 384, 3, 3), "bias": fill(w["encoder.net.5.bias"], 384)})
    put("down.3.block.0", idle(384, 512, four(torch.eye(128, 384))))
    put("down.3.block.1", residual(w, "encoder.net.6"))
    put("mid.block_1", residual(w, "encoder.net.7"))
    put("mid.attn_1", idle_attention())
    put("mid.block_2", idle(512, 512))
    put("norm_out", {"weight": four(w["encoder.net.8.weight"]), "bias": four(w["encoder.net.8.bias"])})
    put("conv_out", {"weight": four(w["encoder.net.10.weight"], True, False), "bias": w["encoder.net.10.bias"]})
    return {f"encoder.{name}": value for name, value in out.items()}


def carry_vae(latents: torch.Tensor) -> dict[str, torch.Tensor]:
    """@param latents: the model's own, unscaled, [count, 4, 32, 32]."""
    out = carry_decoder(latents) | carry_encoder()
    for name, n in (("quant_conv", 8), ("post_quant_conv", 4)):
        out |= {f"{name}.weight": torch.eye(n)[:, :, None, None], f"{name}.bias": torch.zeros(n)}
    return {f"first_stage_model.{name}": value for name, value in out.items()}
