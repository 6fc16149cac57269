"""Writes safetensors files, and reads our own."""

import json
import struct
from pathlib import Path

import torch

types = {torch.float16: "F16", torch.float32: "F32", torch.int64: "I64"}


def write(path: Path, tensors: dict[str, torch.Tensor], metadata: dict[str, str]) -> None:
    header, at = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        size = tensor.numel() * tensor.element_size()
        header[name] = {"dtype": types[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.contiguous().numpy().tobytes())
