import { ggmlTypes, isBlockType } from '../gguf/ggml-types.ts'
import { type GgufHeader, readGgufHeader } from '../gguf/gguf-header.ts'
import { type GgufTensor, weightBytes } from '../gguf/gguf-tensors.ts'
import { type ReadBytes, readSafetensorsHeader, SafetensorsFault, type SafetensorsHeader, type TensorPlace } from './safetensors-header.ts'

const ggufMark = 0x47475546

/**
 * Reads and checks the header of a file of weights, safetensors or GGUF.
 *
 * @throws {SafetensorsFault} with the reason, completing a sentence that begins with the file's name.
 */
export async function readWeightsHeader(read: ReadBytes, fileBytes: number): Promise<SafetensorsHeader> {
  const mark = await read(0, 4)
  if (mark.length < 4 || new DataView(mark.buffer, mark.byteOffset).getUint32(0) !== ggufMark) return readSafetensorsHeader(read, fileBytes)
  const header = await readGgufHeader(read)
  if ('fault' in header) throw new SafetensorsFault(header.fault)
  if (fileBytes < header.promisedBytes)
    throw new SafetensorsFault(`is cut short: it has ${fileBytes} bytes where its header promises ${header.promisedBytes}`)
  const weights = readGgufWeights(header)
  if ('fault' in weights) throw new SafetensorsFault(weights.fault)
  return weights
}

const plainTypes = new Set(['F64', 'F32', 'F16', 'BF16'] as const)
const maxDimensions = 4

/** llama.cpp's names of a language model's layers and the names in transformers. */
const languageModel: readonly (readonly [RegExp, string])[] = [
  [/^token_embd\./u, 'model.embed_tokens.'],
  [/^output_norm\./u, 'model.norm.'],
  [/^output\./u, 'lm_head.'],
  [/^blk\.(\d+)\.attn_(q|k)_norm\./u, 'model.layers.$1.self_attn.$2_norm.'],
  [/^blk\.(\d+)\.attn_(q|k|v)\./u, 'model.layers.$1.self_attn.$2_proj.'],
  [/^blk\.(\d+)\.attn_output\./u, 'model.layers.$1.self_attn.o_proj.'],
  [/^blk\.(\d+)\.attn_norm\./u, 'model.layers.$1.input_layernorm.'],
  [/^blk\.(\d+)\.ffn_norm\./u, 'model.layers.$1.post_attention_layernorm.'],
  [/^blk\.(\d+)\.ffn_(gate|up|down)\./u, 'model.layers.$1.mlp.$2_proj.'],
]

/** llama.cpp's names of T5's encoder layers and the names in transformers. */
const t5: readonly (readonly [RegExp, string])[] = [
  [/^token_embd\./u, 'shared.'],
  [/^enc\.output_norm\./u, 'encoder.final_layer_norm.'],
  [/^enc\.blk\.(\d+)\.attn_rel_b\./u, 'encoder.block.$1.layer.0.SelfAttention.relative_attention_bias.'],
  [/^enc\.blk\.(\d+)\.attn_(q|k|v|o)\./u, 'encoder.block.$1.layer.0.SelfAttention.$2.'],
  [/^enc\.blk\.(\d+)\.attn_norm\./u, 'encoder.block.$1.layer.0.layer_norm.'],
  [/^enc\.blk\.(\d+)\.ffn_gate\./u, 'encoder.block.$1.layer.1.DenseReluDense.wi_0.'],
  [/^enc\.blk\.(\d+)\.ffn_up\./u, 'encoder.block.$1.layer.1.DenseReluDense.wi_1.'],
  [/^enc\.blk\.(\d+)\.ffn_down\./u, 'encoder.block.$1.layer.1.DenseReluDense.wo.'],
  [/^enc\.blk\.(\d+)\.ffn_norm\./u, 'encoder.block.$1.layer.1.layer_norm.'],
]

const renamed: Readonly<Record<string, typeof t5>> = { qwen3: languageModel, t5, t5encoder: t5 }

/**
 * Describes the weights of a GGUF file like those of a safetensors file: slowest dimension first, and text encoders named as in
 * transformers.
 *
 * @returns The weights, or the fault of an unsupported file, completing a sentence about it.
 */
function readGgufWeights({ values, tensors, weightsStart }: GgufHeader): SafetensorsHeader | { readonly fault: string } {
  const parts = Number(values.get('split.count') ?? 1)
  if (parts > 1)
    return { fault: `is one of the ${parts} parts of a split GGUF file; an image model needs one file (llama-gguf-split --merge)` }
  const rules = renamed[String(values.get('general.architecture') ?? '')] ?? []
  const places = new Map<string, TensorPlace>()
  for (const tensor of tensors) {
    const place = placeOf(tensor, weightsStart, values.get(`comfy.gguf.orig_shape.${tensor.name}`))
    if ('fault' in place) return place
    const rule = rules.find(([pattern]) => pattern.test(tensor.name))
    const name = rule === undefined ? tensor.name : tensor.name.replace(...rule)
    if (places.has(name)) return { fault: `holds the tensor "${name}" twice` }
    places.set(name, place)
  }
  return { tensors: places, metadata: new Map() }
}

/** ComfyUI's converter stores the original shape of tensors whose rows are not a multiple of a block. */
function placeOf(tensor: GgufTensor, start: number, kept: unknown): TensorPlace | { readonly fault: string } {
  const type = ggmlTypes.get(tensor.type)
  const named = type?.name ?? `type ${tensor.type}`
  const known = isBlockType(named) ? named : [...plainTypes].find((plain) => plain === named)
  const unreadable = { fault: `stores "${tensor.name}" as ${named}, which Sepia cannot read in image models; use Q8_0, Q4_0 or Q4_K` }
  if (known === undefined || type === undefined) return unreadable
  const shape = tensor.shape.toReversed()
  const isKept = Array.isArray(kept) && kept.length <= maxDimensions + 1 && productOf(kept.map(Number)) === productOf(shape)
  return { type: known, shape: isKept ? kept.map(Number) : shape, offset: start + tensor.offset, bytes: weightBytes(tensor) }
}

function productOf(sizes: readonly number[]): number {
  return sizes.reduce((product, size) => product * size, 1)
}
