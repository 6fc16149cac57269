"""The built-in model's networks in PyTorch, as its ONNX files compute them."""

import json
import re

import torch
import torch.nn.functional as F

from built_in import folder, read_weights

Weights = dict[str, torch.Tensor]


def load(network: str) -> Weights:
    return {name: torch.from_numpy(value.copy()) for name, value in read_weights(network).items()}


def linear(w: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    return F.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))


def convolve(w: Weights, name: str, x: torch.Tensor, stride: int = 1) -> torch.Tensor:
    return F.conv2d(x, w[f"{name}.weight"], w[f"{name}.bias"], stride, 1 if w[f"{name}.weight"].shape[2] == 3 else 0)


def group_norm(w: Weights, name: str, x: torch.Tensor, groups: int = 32) -> torch.Tensor:
    return F.group_norm(x, groups, w[f"{name}.weight"], w[f"{name}.bias"])


def layer_norm(w: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"])


def attend(w: Weights, name: str, x: torch.Tensor, to: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    def heads(value: torch.Tensor) -> torch.Tensor:
        return value.unflatten(-1, (4, -1)).transpose(1, 2)

    q, k, v = heads(linear(w, f"{name}.q", x)), heads(linear(w, f"{name}.k", to)), heads(linear(w, f"{name}.v", to))
    scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    shares = (scores if mask is None else scores + mask).softmax(-1)
    return linear(w, f"{name}.o", (shares @ v).transpose(1, 2).flatten(2))


def sinusoids(t: torch.Tensor, width: int) -> torch.Tensor:
    half = width // 2
    angles = t[..., None].float() * torch.exp(-torch.arange(half) * (torch.log(torch.tensor(10000.0)) / half))
    return torch.cat([angles.cos(), angles.sin()], -1)


class BuiltInUnet:
    """Predicts v: `noise = sqrt(1 - a) · x + sqrt(a) · v`, which the ONNX file adds at its end."""

    def __init__(self) -> None:
        self.w = {name: value.contiguous(memory_format=torch.channels_last) if value.dim() == 4 else value for name, value in load("unet").items()}

    def embed(self, t: torch.Tensor, pooled: torch.Tensor) -> torch.Tensor:
        """The timestep, the pooled text and the sizes of a picture of 256 × 256, after their activation."""
        w = self.w
        ids = torch.tensor([256.0, 256, 0, 0, 256, 256])
        sizes = sinusoids(ids, 32).flatten().expand(pooled.shape[0], -1)
        time = linear(w, "time.2", F.silu(linear(w, "time.0", sinusoids(t, 128))))
        added = linear(w, "add.2", F.silu(linear(w, "add.0", torch.cat([pooled, sizes], 1))))
        return F.silu(time + added)

    def residual(self, name: str, x: torch.Tensor, emb: torch.Tensor) -> torch.Tensor:
        w = self.w
        h = convolve(w, f"{name}.c1", F.silu(group_norm(w, f"{name}.n1", x)))
        scale, shift = linear(w, f"{name}.t", emb)[:, :, None, None].chunk(2, 1)
        h = convolve(w, f"{name}.c2", F.silu(group_norm(w, f"{name}.n2", h) * (1 + scale) + shift))
        return h + (convolve(w, f"{name}.sk", x) if f"{name}.sk.weight" in w else x)

    def transform(self, name: str, x: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        w = self.w
        h = group_norm(w, f"{name}.n0", x).flatten(2).transpose(1, 2)
        if f"{name}.a.q.weight" in w:
            n = layer_norm(w, f"{name}.n1", h)
            h = h + attend(w, f"{name}.a", n, n)
        h = h + attend(w, f"{name}.x", layer_norm(w, f"{name}.n2", h), text)
        gate, value = linear(w, f"{name}.f1", layer_norm(w, f"{name}.n3", h)).chunk(2, -1)
        h = h + linear(w, f"{name}.f2", F.gelu(gate) * value)
        return x + linear(w, f"{name}.out", h).transpose(1, 2).unflatten(2, x.shape[2:])

    def features(self, x: torch.Tensor, emb: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        """What comes before the last normalization, [batch, 128, height / 2, width / 2]."""
        w = self.w
        h = convolve(w, "inp", F.pixel_unshuffle(x, 2).contiguous(memory_format=torch.channels_last))
        skips = [h]
        for i in (0, 1):
            h = self.transform(f"b0.{i}", self.residual(f"d0.{i}", h, emb), text)
            skips.append(h)
        h = convolve(w, "down", h, 2)
        skips.append(h)
        for i in (0, 1):
            h = self.transform(f"b1.{i}", self.residual(f"d1.{i}", h, emb), text)
            skips.append(h)
        h = self.residual("m.1", self.transform("mb", self.residual("m.0", h, emb), text), emb)
        for level in (1, 0):
            for i in (0, 1, 2):
                h = self.transform(f"ub{level}.{i}", self.residual(f"u{level}.{i}", torch.cat([h, skips.pop()], 1), emb), text)
            if level == 1:
                h = convolve(w, "up", F.interpolate(h, scale_factor=2.0))
        return h

    def finish(self, h: torch.Tensor) -> torch.Tensor:
        return F.pixel_shuffle(convolve(self.w, "out", F.silu(group_norm(self.w, "no", h))), 2)


class BuiltInText:
    """Both text encoders and the tokenizer."""

    def __init__(self) -> None:
        self.encoders = [load("text_encoder"), load("text_encoder_2")]
        self.vocabulary = json.loads((folder / "tokenizer" / "vocab.json").read_text())
        rules = (folder / "tokenizer" / "merges.txt").read_text().split("\n")[1:]
        self.ranks = {tuple(rule.split()): rank for rank, rule in enumerate(rules) if rule}

    def split(self, word: str) -> list[int]:
        """Ids of one word."""
        parts = [*word[:-1], f"{word[-1]}</w>"]
        while len(parts) > 1:
            rank, i = min((self.ranks.get(pair, 1 << 30), i) for i, pair in enumerate(zip(parts, parts[1:])))
            if rank == 1 << 30:
                break
            parts[i : i + 2] = ["".join(parts[i : i + 2])]
        return [self.vocabulary[part] for part in parts]

    def tokens(self, text: str) -> list[int]:
        words = re.findall(r"[a-z]+|[0-9]|[^\sa-z0-9]+", text.lower())
        ids = [2530, *(id for word in words for id in self.split(word)), 2531]
        return [*ids, *[2531] * (77 - len(ids))]

    @torch.no_grad()
    def encode(self, texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Hidden states [batch, 77, 256] of the last layer but one, and the pooled text [batch, 128]."""
        ids = torch.tensor([self.tokens(text) for text in texts])
        mask = torch.full((77, 77), float("-inf")).triu(1)
        hidden, last = [], []
        for w in self.encoders:
            h = w["emb.weight"][ids] + w["pos"]
            for i in range(3):
                if i == 2:
                    hidden.append(h)
                n = layer_norm(w, f"layers.{i}.n1", h)
                h = h + attend(w, f"layers.{i}.a", n, n, mask)
                n = layer_norm(w, f"layers.{i}.n2", h)
                h = h + linear(w, f"layers.{i}.m.2", F.gelu(linear(w, f"layers.{i}.m.0", n)))
            last.append(layer_norm(w, "norm", h))
        ends = (ids == 2531).int().argmax(1)
        return torch.cat(hidden, -1), linear(self.encoders[1], "text_embeds", last[1][torch.arange(len(texts)), ends])


class BuiltInDecoder:
    """The VAE's decoder."""

    def __init__(self) -> None:
        self.w = load("vae_decoder")

    def residual(self, i: int, x: torch.Tensor) -> torch.Tensor:
        w, name = self.w, f"decoder.net.{i}"
        h = convolve(w, f"{name}.c1", F.silu(group_norm(w, f"{name}.n1", x, 8)))
        return x + convolve(w, f"{name}.c2", F.silu(group_norm(w, f"{name}.n2", h, 8)))

    def features(self, latents: torch.Tensor) -> torch.Tensor:
        """What comes before the last normalization: [batch, 48, 128, 128] of unscaled latents [batch, 4, 32, 32]."""
        w = self.w
        h = convolve(w, "decoder.net.0", latents)
        for i in (1, 2, 3):
            h = self.residual(i, h)
        h = convolve(w, "decoder.net.5", F.interpolate(h, scale_factor=2.0))
        for i in (6, 7):
            h = self.residual(i, h)
        h = convolve(w, "decoder.net.9", F.interpolate(h, scale_factor=2.0))
        for i in (10, 11):
            h = self.residual(i, h)
        return h

    def finish(self, h: torch.Tensor) -> torch.Tensor:
        h = convolve(self.w, "decoder.net.14", F.silu(group_norm(self.w, "decoder.net.12", h, 8)))
        return convolve(self.w, "decoder.net.17", F.silu(F.pixel_shuffle(h, 2)))
