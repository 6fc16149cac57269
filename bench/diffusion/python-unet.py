"""The rival in Python: onnxruntime on the same file and threads. Prints the milliseconds of each guided step as JSON."""
import json
import sys
import time

import numpy as np
import onnxruntime as ort

folder, threads, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
options = ort.SessionOptions()
options.intra_op_num_threads = threads
options.inter_op_num_threads = 1
session = ort.InferenceSession(f"{folder}/unet/model.onnx", options, providers=["CPUExecutionProvider"])


def wave(*dims):
    return np.sin(np.arange(np.prod(dims), dtype=np.float32)).reshape(dims)


def feeds(batch):
    return {
        "sample": wave(batch, 4, 32, 32),
        "timestep": np.array([500], dtype=np.float32),
        "encoder_hidden_states": wave(batch, 77, 256),
        "text_embeds": wave(batch, 128),
        "time_ids": np.full((batch, 6), 256, dtype=np.float32),
    }


one, two = feeds(1), feeds(2)
times = {"batched": [], "split": []}
for step in range(steps + 2):
    started = time.perf_counter()
    session.run(None, two)
    middle = time.perf_counter()
    session.run(None, one)
    session.run(None, one)
    if step >= 2:
        times["batched"].append((middle - started) * 1000)
        times["split"].append((time.perf_counter() - middle) * 1000)
print(json.dumps(times))
