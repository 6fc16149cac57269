import { readFile, writeFile } from 'node:fs/promises'
import { ggufValue, readGgufHeader, writeGguf } from '../../test/support/model-files/gguf-file.ts'
import { readGgufTensors } from '../../test/support/model-files/read-tensors.ts'
import { padMatrix, padNorm } from './pad-tensor.ts'

const builtIn = new URL('../../models/sepia-mini-chat/model.gguf', import.meta.url)
/** The built-in model's width and that of one of its attention heads. */
const [builtInWidth, headWidth] = [256, 64]

/**
 * Writes the built-in model in another shape. Wider, it says what the built-in model says, and a token costs what it costs in a model of that width. With
 * fewer layers than its eight it often, but not always, says the same: a draft model.
 *
 * @param width A multiple of 256.
 */
export async function writePaddedModel(
  path: string,
  { width, layers }: { readonly width: number; readonly layers: number },
): Promise<void> {
  const file = await readFile(builtIn)
  const factor = width / builtInWidth
  const tensors = readGgufTensors(file)
    .filter(({ name }) => Number(/^blk\.(\d+)/.exec(name)?.[1] ?? 0) < layers)
    .map((tensor) => {
      const [inputs = 0, outputs] = tensor.shape
      if (outputs === undefined) return padNorm(tensor, width)
      const rows = /^(token_embd|output)\./.test(tensor.name) ? outputs : outputs * factor // these two have a row per token
      return padMatrix(tensor, [inputs * factor, rows], { quiet: /^token_embd|^output|attn_output|ffn_down/.test(tensor.name) })
    })
  const hidden = tensors.find((tensor) => tensor.name === 'blk.0.ffn_down.weight')?.shape[0] ?? 0
  const changes: Readonly<Record<string, number>> = {
    'llama.embedding_length': width,
    'llama.block_count': layers,
    'llama.feed_forward_length': hidden,
    'llama.attention.head_count': width / headWidth,
    'llama.attention.head_count_kv': width / headWidth / 2,
  }
  const header = readGgufHeader(file).map(([key, value]) => [key, key in changes ? ggufValue(changes[key] ?? 0) : value] as const)
  await writeFile(path, writeGguf(header, tensors))
}
