"""The student's level of full size: its way in computes exactly what the built-in model's fold needs, its way out is taught.

The way in. A residual block passes a value on unchanged when a channel x stands beside −x, because silu(x) − silu(−x) = x, and
beside two constants of ±`carrier`, which hold the group's deviation still. A group of four channels carries one value so, and
shifts it by a pixel in each convolution. A fold of 2 × 2 and a convolution of 3 × 3 read pixels −2 to 3 around an even pixel:
shifts of −1, 1 and 2 pixels, then a convolution of 3 × 3 that strides over two.
"""

import itertools

import torch
import torch.nn.functional as F
from torch import nn

carrier = 16.0
width = 128
# Shifts (y, x) that the first convolution makes, and those that the residual block makes of them: (from, shift) → shift.
near = list(itertools.product((-1, 1), repeat=2))
far = {(2, -1): ((1, -1), (1, 0)), (2, 1): ((1, 1), (1, 0)), (2, 2): ((1, 1), (1, 1)), (-1, 2): ((-1, 1), (0, 1)), (1, 2): ((1, 1), (0, 1))}


def channel_of(shift: tuple[int, int], latent: int) -> int:
    """Where a latent channel, shifted, lies after the residual block."""
    if shift in near:
        return 4 * (4 * near.index(shift) + latent)
    return 64 + 4 * list(far).index(shift) + latent


def way_in() -> dict[str, torch.Tensor]:
    """Weights of the first convolution, the residual block after it and the constant part of both."""
    w = {"conv_in.weight": torch.zeros(width, 4, 3, 3), "conv_in.bias": torch.zeros(width)}
    for conv in ("conv1", "conv2"):
        w[f"{conv}.weight"], w[f"{conv}.bias"] = torch.zeros(width, width, 3, 3), torch.zeros(width)
    gain = torch.zeros(width)
    for shift, latent in itertools.product(near, range(4)):
        c = channel_of(shift, latent)
        y, x = shift
        for sign in (0, 1):
            w["conv_in.weight"][c + sign, latent, 1 + y, 1 + x] = 1 - 2 * sign
            w["conv_in.bias"][c + 2 + sign] = w["conv1.bias"][c + 2 + sign] = carrier * (1 - 2 * sign)
            w["conv1.weight"][c + sign, c, 1, 1] = 1 - 2 * sign
            w["conv1.weight"][c + sign, c + 1, 1, 1] = 2 * sign - 1
        # The deviation of {x, −x, m, −m} for latents of variance 1.
        gain[c : c + 2] = ((carrier**2 + 1) / 2) ** 0.5
    for shift, (origin, (y, x)) in far.items():
        for latent in range(4):
            c = channel_of(origin, latent)
            w["conv2.weight"][channel_of(shift, latent), c, 1 + y, 1 + x] = 1
            w["conv2.weight"][channel_of(shift, latent), c + 1, 1 + y, 1 + x] = -1
    w["gain"] = gain
    return w


def fold_convolution(weight: torch.Tensor) -> torch.Tensor:
    """The built-in model's first convolution [out, 16, 3, 3] as one of stride 2 over the channels above: [out, 128, 3, 3]."""
    # Per axis: pixel −2 … 3 of the fold's neighbourhood → shift and place in the kernel.
    places = {-2: (-1, 0), -1: (-1, 1), 0: (-1, 2), 1: (1, 1), 2: (1, 2), 3: (2, 2)}
    result = torch.zeros(weight.shape[0], width, 3, 3)
    for latent, ky, kx, y, x in itertools.product(range(4), range(3), range(3), range(2), range(2)):
        (shift_y, place_y), (shift_x, place_x) = places[2 * (ky - 1) + y], places[2 * (kx - 1) + x]
        result[:, channel_of((shift_y, shift_x), latent), place_y, place_x] = weight[:, 4 * latent + 2 * y + x, ky, kx]
    return result


class Convolution(nn.Conv2d):
    """Reads the channels that are not always zero, in bfloat16, which is twice as fast on a processor that has it."""

    def __init__(self, inputs: int, outputs: int, kernel: int, active: torch.Tensor | None = None) -> None:
        super().__init__(inputs, outputs, kernel, padding=kernel // 2)
        self.active = active
        if active is not None:
            with torch.no_grad():
                self.weight *= (inputs / len(active)) ** 0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = self.weight
        if self.active is not None:
            x, weight = x[:, self.active], weight[:, self.active]
        low = torch.bfloat16
        x = x.to(low).contiguous(memory_format=torch.channels_last)
        return F.conv2d(x, weight.to(low), self.bias.to(low), padding=self.padding).float()


class Residual(nn.Module):
    """A residual block that gets the time by scale and shift (`use_scale_shift_norm` in the original code)."""

    def __init__(self, inputs: int, active: torch.Tensor, gain: torch.Tensor) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(32, inputs), nn.GroupNorm(32, width)
        self.norm1.weight.data = gain.clone()
        self.conv1, self.conv2 = Convolution(inputs, width, 3, active), Convolution(width, width, 3)
        self.time, self.skip = nn.Linear(512, 2 * width), Convolution(inputs, width, 1, active)
        for layer in (self.conv2, self.time):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x: torch.Tensor, emb: torch.Tensor) -> torch.Tensor:
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.time(emb)[:, :, None, None].chunk(2, 1)
        return self.skip(x) + self.conv2(F.silu(self.norm2(h) * (1 + scale) + shift))


class WayOut(nn.Module):
    """From the built-in model's last features at half size to v at full size."""

    def __init__(self) -> None:
        super().__init__()
        constant = way_in()
        self.register_buffer("conv_in", constant["conv_in.weight"])
        self.register_buffer("bias_in", constant["conv_in.bias"])
        values = torch.cat([torch.arange(0, 64, 4), torch.arange(1, 64, 4)]).sort()[0]
        far_values = torch.arange(64, 84)
        # Of 256 channels that the enlarging convolution gives, the second half stays zero.
        self.enlarge = Convolution(128, 128, 3)
        with torch.no_grad():
            self.enlarge.weight.zero_()
            self.enlarge.weight[torch.arange(128), torch.arange(128), 1, 1] = 1
        gain = torch.ones(384)
        gain[256 : 256 + 64] = 0
        gain[256 + values] = carrier / 2**0.5
        self.first = Residual(384, torch.cat([torch.arange(128), 256 + values, 256 + far_values]), gain)
        gain = torch.ones(256)
        gain[128 : 128 + 64] = 0
        gain[128 + values] = carrier / 2**0.5
        self.second = Residual(256, torch.cat([torch.arange(128), 128 + values]), gain)
        self.norm, self.out = nn.GroupNorm(32, 128), Convolution(128, 4, 3)

    def forward(self, h: torch.Tensor, x: torch.Tensor, emb: torch.Tensor) -> torch.Tensor:
        skip = F.conv2d(x, self.conv_in, self.bias_in, padding=1)
        after = skip.clone()
        for shift in far:
            for latent in range(4):
                y, s = shift
                padded = F.pad(x[:, latent], (2, 2, 2, 2))
                after[:, channel_of(shift, latent)] = padded[:, 2 + y : 2 + y + x.shape[2], 2 + s : 2 + s + x.shape[3]]
        up = self.enlarge(F.interpolate(h, scale_factor=2.0))
        h = self.first(torch.cat([up, torch.zeros_like(up), after], 1), emb)
        h = self.second(torch.cat([h, skip], 1), emb)
        return self.out(F.silu(self.norm(h)))
