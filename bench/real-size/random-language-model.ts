import { open, readFile } from 'node:fs/promises'
import { align, ggufValue, readGgufHeader, writeGgufHead } from '../../test/support/model-files/gguf-file.ts'
import { randomTensor, tensorTypes } from '../text/random-tensor.ts'

const builtIn = new URL('../../models/sepia-mini-chat/model.gguf', import.meta.url)
const [vocabulary, headWidth, hiddenRows] = [4096, 128, 11_008]

/**
 * Writes a language model in the shape of Llama 2 7B but for its vocabulary, which is the built-in model's: random weights in Q4_0, a tensor at a time.
 *
 * @param context Tokens it says it was trained for.
 * @returns How many parameters it has.
 */
export async function writeRandomLanguageModel(
  path: string,
  { width, layers, context }: { readonly width: number; readonly layers: number; readonly context: number },
): Promise<number> {
  const hidden = width === 4096 ? hiddenRows : width * 3
  const shapes = listShapes({ width, layers, hidden })
  const changes: Readonly<Record<string, number>> = {
    'llama.context_length': context,
    'llama.embedding_length': width,
    'llama.block_count': layers,
    'llama.feed_forward_length': hidden,
    'llama.attention.head_count': width / headWidth,
    'llama.attention.head_count_kv': width / headWidth,
    'llama.rope.dimension_count': headWidth,
  }
  const header = readGgufHeader(await readFile(builtIn)).map(
    ([key, value]) => [key, changes[key] === undefined ? value : ggufValue(changes[key])] as const,
  )
  const tensors = shapes.map(([name, shape]) => {
    const { id, values, bytes } = tensorTypes[shape.length === 1 ? 'f32' : 'q4_0']
    return { name: `${name}.weight`, shape, type: id, bytes: (sizeOf(shape) / values) * bytes }
  })
  await using file = await open(path, 'w')
  await file.appendFile(writeGgufHead(header, tensors))
  const known = new Map<string, Buffer>()
  for (const { shape, bytes } of tensors) {
    // One noise for each shape: what it costs to compute with does not depend on the numbers.
    const data = known.get(shape.join()) ?? randomTensor(shape, shape.length === 1 ? 'f32' : 'q4_0').data
    known.set(shape.join(), data)
    await file.appendFile(data)
    await file.appendFile(Buffer.alloc(align(bytes) - bytes))
  }
  return shapes.reduce((sum, [, shape]) => sum + sizeOf(shape), 0)
}

type Shape = readonly [name: string, shape: readonly number[]]

function listShapes({
  width,
  layers,
  hidden,
}: {
  readonly width: number
  readonly layers: number
  readonly hidden: number
}): readonly Shape[] {
  const layer = (index: number): readonly Shape[] => [
    [`blk.${index}.attn_norm`, [width]],
    [`blk.${index}.attn_q`, [width, width]],
    [`blk.${index}.attn_k`, [width, width]],
    [`blk.${index}.attn_v`, [width, width]],
    [`blk.${index}.attn_output`, [width, width]],
    [`blk.${index}.ffn_norm`, [width]],
    [`blk.${index}.ffn_gate`, [width, hidden]],
    [`blk.${index}.ffn_up`, [width, hidden]],
    [`blk.${index}.ffn_down`, [hidden, width]],
  ]
  const blocks = Array.from({ length: layers }, (_, index) => layer(index)).flat()
  return [['token_embd', [width, vocabulary]], ...blocks, ['output_norm', [width]], ['output', [width, vocabulary]]]
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1)
}
