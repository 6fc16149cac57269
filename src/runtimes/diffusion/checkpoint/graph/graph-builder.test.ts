import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { ggufValue, writeGguf } from '../../../../../test/support/model-files/gguf-file.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { ggmlTypes } from '../../../../core/gguf/ggml-types.ts'
import { namedTable } from '../weights/original-tables.ts'
import { readWeightFile } from '../weights/weight-table.ts'
import { processorTarget } from './find-graph-target.ts'
import { GraphBuilder } from './graph-builder.ts'
import { linear } from './layers.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const [layers, width] = [4, 32]

/** The operators of four layers, each added to its input, in the order in which the runtime computes them. */
async function computedOperators(type: string, bytesPerRow: number): Promise<readonly string[]> {
  const path = join(temporary.path, `${type}.gguf`)
  const number = [...ggmlTypes].find(([, { name }]) => name === type)?.[0] ?? -1
  const tensor = (i: number) => ({ name: `${i}.weight`, shape: [width, width], type: number, data: Buffer.alloc(width * bytesPerRow) })
  const tensors = Array.from({ length: layers }, (_, i) => tensor(i))
  await writeFile(path, writeGguf([['general.architecture', ggufValue('flux')]], tensors))
  const graph = new GraphBuilder(namedTable(await readWeightFile(path), ''), processorTarget)
  let rows = graph.input('rows', [1, width])
  for (let i = 0; i < layers; i++) rows = graph.node('Add', [rows, linear({ graph, branches: null }, `${i}`, rows)])
  graph.output(rows, 'out', [1, width])
  const session = await InferenceSession.create(graph.encode(), {
    enableProfiling: true,
    logSeverityLevel: 3,
    profileFilePrefix: join(temporary.path, `profile-${type}`),
    extra: { session: { model_external_initializers_file_folder_path: temporary.path } },
  })
  await session.run({ rows: new Tensor('float32', new Float32Array(width), [1, width]) })
  session.endProfiling()
  await session.release()
  const profile = (await readdir(temporary.path)).find((name) => name.startsWith(`profile-${type}`)) ?? ''
  const events: readonly {
    readonly cat: string
    readonly name: string
    readonly ts: number
    readonly args: { readonly op_name: string }
  }[] = JSON.parse(await readFile(join(temporary.path, profile), 'utf8'))
  return events
    .filter(({ cat, name }) => cat === 'Node' && name.endsWith('_kernel_time'))
    .toSorted((a, b) => a.ts - b.ts)
    .map(({ args }) => args.op_name)
}

for (const { type, bytesPerRow, decoder } of [
  { type: 'Q4_0', bytesPerRow: 18, decoder: 'DequantizeLinear' },
  { type: 'F16', bytesPerRow: 2 * width, decoder: 'Cast' },
])
  test(`a mapped weight of type ${type} is decoded right before its layer, so that only one is in memory at a time`, async () => {
    const products = (await computedOperators(type, bytesPerRow)).filter((name) => name === 'Gemm' || name === decoder)
    const decoded = products.map((name) => (name === decoder ? 'weight' : 'product'))
    assert.deepEqual(decoded, Array.from({ length: layers }, () => ['weight', 'product']).flat())
  })

test('constant tensors are created when a mapped weight is decoded, not kept for every weight', async () => {
  assert.equal((await computedOperators('Q4_0', 18)).filter((name) => name === 'Expand').length, layers)
})
