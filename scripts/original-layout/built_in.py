"""The built-in model's weights, read out of its ONNX files and named after the layers they belong to."""

from pathlib import Path

import numpy
import onnx
from onnx import numpy_helper

folder = Path(__file__).resolve().parents[2] / "models" / "sepia-mini-image"


def layer_of(output: str) -> str:
    """`/layers.0/m/m.2/MatMul_output_0` → `layers.0.m.2`."""
    path = output.rsplit("/", 1)[0].strip("/").replace("/", ".")
    return path.replace(".net.net.", ".net.").replace(".m.m.", ".m.")


def read_weights(network: str) -> dict[str, numpy.ndarray]:
    """Weights of `unet`, `text_encoder`, `text_encoder_2`, `vae_encoder` or `vae_decoder` as float32; linear layers as [outputs, inputs]."""
    graph = onnx.load(folder / network / "model.onnx").graph
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    named = {}
    for node in graph.node:
        values = [known.get(name) for name in node.input]
        path = layer_of(node.output[0])
        # Weights are stored as int8 and one scale per output.
        if node.op_type == "Cast" and node.input[0].endswith("_i8"):
            known[node.output[0]] = values[0].astype(numpy.float32)
        elif node.op_type == "Identity" and values[0] is not None:
            known[node.output[0]] = values[0]
        elif node.op_type == "Mul" and all(value is not None for value in values):
            known[node.output[0]] = values[0] * values[1]
        elif node.op_type == "MatMul" and values[1] is not None:
            named[f"{path}.weight"] = values[1].T
        elif node.op_type == "Mul" and node.input[1].startswith("onnx::Mul_"):
            named[f"{path}.weight"] = values[1].reshape(-1)
        elif node.op_type == "Add" and node.input[1].startswith("onnx::Add_"):
            named[f"{path}.bias"] = values[1].reshape(-1)
    for name, value in known.items():
        if not name.startswith("onnx::") and name.endswith(("weight", "bias", "pos")):
            named[name if network == "unet" else name.removeprefix("m.")] = value
    return named
