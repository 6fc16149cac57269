import { readFile } from 'node:fs/promises'
import { miniChat } from '../mini-chat.ts'
import {
  type GgufEntry,
  type GgufTensor,
  ggufValue,
  readGgufHeader,
  readGgufTensors,
  readNumbers,
  readTexts,
  writeGguf,
} from './gguf-file.ts'

/** Control tokens by which models of some kinds are shown pictures. */
const pictureTokens = [
  '<fake_token_around_image>',
  '<global-img>',
  '\n\n', // llama.cpp wants it as one token
  ...[1, 2].flatMap((row) => [1, 2].map((column) => `<row_${row}_col_${column}>`)),
  '<start_of_image>',
  '<end_of_image>',
  '<|vision_start|>',
  '<|vision_end|>',
]
const control = 3

/** Kinds of language models that the miniature can be. */
export type TextArchitecture = 'llama' | 'qwen2vl' | 'qwen3vl'

/** Pairs of a head that turn by a token's time, its line and its column. */
const sections = { qwen2vl: [16, 8, 8, 0], qwen3vl: [12, 10, 10, 0] } as const
const headWidth = 64
/** Layers of Qwen3-VL's miniature that pictures reach besides the first. */
export const deepLayers = 2

/** The built-in miniature, as a model of another kind, with the control tokens of models that see in place of its rarest ones. */
export async function writeSeeingModel(architecture: TextArchitecture = 'llama'): Promise<Buffer> {
  const file = await readFile(miniChat.file)
  const header = readGgufHeader(file).map(([key, value]): GgufEntry => {
    const types = pictureTokens.map(() => control)
    if (key === 'tokenizer.ggml.tokens') return [key, ggufValue(replaceLast(readTexts(value), pictureTokens))]
    if (key === 'tokenizer.ggml.token_type') return [key, ggufValue(replaceLast(readNumbers(value), types))]
    if (key === 'general.architecture') return [key, ggufValue(architecture)]
    return [key.replace(/^llama\./, `${architecture}.`), value]
  })
  const tensors = readGgufTensors(file)
  if (architecture === 'llama') return writeGguf(header, tensors)
  const places: GgufEntry = [`${architecture}.rope.dimension_sections`, ggufValue([...sections[architecture]])]
  const deep: GgufEntry = [`${architecture}.n_deepstack_layers`, ggufValue(deepLayers)]
  const paired = tensors.map(pairHalves)
  if (architecture === 'qwen2vl') return writeGguf([...header, places], paired)
  return writeGguf([...header, places, deep], [...paired, ...normsOfHeads(tensors)])
}

function replaceLast<Item>(items: readonly Item[], last: readonly Item[]): readonly Item[] {
  return [...items.slice(0, items.length - last.length), ...last]
}

/** Norms that change no lengths of their own. */
function normsOfHeads(tensors: readonly GgufTensor[]): readonly GgufTensor[] {
  const data = Buffer.from(new Float32Array(headWidth).fill(1).buffer)
  return tensors.flatMap(({ name }) => {
    const norm = /^(blk\.\d+\.attn_[qk])\.weight$/.exec(name)?.[1]
    return norm === undefined ? [] : [{ name: `${norm}_norm.weight`, shape: [headWidth], type: 0, data }]
  })
}

/** Llama's heads turn neighbours together, Qwen's one half with the other: with its rows in that order the model writes what it wrote. */
function pairHalves(tensor: GgufTensor): GgufTensor {
  if (!/attn_[qk]\.weight$/.test(tensor.name)) return tensor
  const rows = tensor.shape[1] ?? 0
  const bytes = tensor.data.length / rows
  const moved = Array.from({ length: rows }, (_, row) => {
    const [head, place] = [Math.floor(row / headWidth), row % headWidth]
    const half = headWidth / 2
    const from = head * headWidth + (place < half ? 2 * place : 2 * (place - half) + 1)
    return tensor.data.subarray(from * bytes, (from + 1) * bytes)
  })
  return { ...tensor, data: Buffer.concat(moved) }
}
