/**
 * Writes a model of random weights with the built-in model's tokenizer, to measure speed at sizes that are not shipped: what it says is noise, what
 * it costs is what a trained model of its shape costs.
 *
 *   node bench/text/make-model.ts <folder of models> <name> <q8_0|q4_0|f16> [width 1024] [layers 11] [context 4096]
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ggufValue, readGgufHeader, writeGguf } from '../../test/support/model-files/gguf-file.ts'
import { randomTensor, type TensorType, tensorTypes } from './random-tensor.ts'

const [folder, name, typeName = 'q8_0', width = '1024', layers = '11', context = '4096'] = process.argv.slice(2)
if (folder === undefined || name === undefined || !isTensorType(typeName)) throw new Error('Say where, what name, and which type.')
const builtIn = new URL('../../models/sepia-mini-chat/model.gguf', import.meta.url)

const columns = Number(width)
const headWidth = 64
const keyColumns = columns / 4
const hidden = Math.round((columns * 2.75) / 256) * 256
const header = readGgufHeader(await readFile(builtIn))
const vocabulary = 4096

const shapes: [name: string, shape: readonly number[]][] = [['token_embd', [columns, vocabulary]]]
for (let layer = 0; layer < Number(layers); layer++)
  shapes.push(
    [`blk.${layer}.attn_norm`, [columns]],
    [`blk.${layer}.attn_q`, [columns, columns]],
    [`blk.${layer}.attn_k`, [columns, keyColumns]],
    [`blk.${layer}.attn_v`, [columns, keyColumns]],
    [`blk.${layer}.attn_output`, [columns, columns]],
    [`blk.${layer}.ffn_norm`, [columns]],
    [`blk.${layer}.ffn_gate`, [columns, hidden]],
    [`blk.${layer}.ffn_up`, [columns, hidden]],
    [`blk.${layer}.ffn_down`, [hidden, columns]],
  )
shapes.push(['output_norm', [columns]], ['output', [columns, vocabulary]])

const tensors = shapes.map(([tensor, shape]) => ({
  name: `${tensor}.weight`,
  ...randomTensor(shape, shape.length === 1 ? 'f32' : typeName),
}))
const changes: Readonly<Record<string, number>> = {
  'llama.context_length': Number(context),
  'llama.embedding_length': columns,
  'llama.block_count': Number(layers),
  'llama.feed_forward_length': hidden,
  'llama.attention.head_count': columns / headWidth,
  'llama.attention.head_count_kv': keyColumns / headWidth,
  'llama.rope.dimension_count': headWidth,
}
const file = writeGguf(
  header.map(([key, value]) => [key, changes[key] === undefined ? value : ggufValue(changes[key])]),
  tensors,
)
const target = join(folder, name)
await mkdir(target, { recursive: true })
await writeFile(join(target, 'model.gguf'), file)
const description = { id: name, name, kind: 'text', file: 'model.gguf', format: 'gguf', contextLength: Number(context), license: 'none' }
await writeFile(join(target, 'model.json'), JSON.stringify(description, null, 2))
const parameters = shapes.reduce((sum, [, shape]) => sum + shape.reduce((product, size) => product * size, 1), 0)
console.log(`${join(target, 'model.gguf')}: ${(parameters / 1e6).toFixed(0)} M parameters, ${(file.length / 1e6).toFixed(0)} MB`)

function isTensorType(text: string): text is TensorType {
  return text in tensorTypes
}
