import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ggufValue, writeGguf } from '../../../../../test/support/model-files/gguf-file.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { blockTypes, ggmlTypes } from '../../../../core/gguf/ggml-types.ts'
import { openWrittenGraph } from '../../onnx/onnx-session.ts'
import { namedTable } from '../weights/original-tables.ts'
import { readWeightFile } from '../weights/weight-table.ts'
import { gpuTarget, processorTarget } from './find-graph-target.ts'
import { GraphBuilder } from './graph-builder.ts'
import { linear } from './layers.ts'

interface Reference {
  readonly blocks: string
  /** The numbers that ggml's Python package decodes from them. */
  readonly numbers: string
  readonly shape: readonly [rows: number, columns: number]
}

const fixture = new URL('../../../../../test/fixtures/gguf-blocks/blocks.json', import.meta.url)
const references: Readonly<Record<string, Reference>> = JSON.parse(await readFile(fixture, 'utf8'))
const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())

function floats(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer)
}

function assertClose(values: Float32Array, expected: readonly number[] | Float32Array): void {
  const range = Math.max(...expected.map(Math.abs))
  assert.equal(values.length, expected.length)
  for (const [i, value] of values.entries()) assert.ok(Math.abs(value - (expected[i] ?? Number.NaN)) <= 2e-6 * range, `${i}: ${value}`)
}

for (const type of blockTypes) {
  test(`blocks of ${type} decode to the same numbers as in ggml`, async () => {
    const { blocks, numbers, shape } = references[type] ?? { blocks: '', numbers: '', shape: [0, 0] as const }
    const [rows, columns] = shape
    const number = [...ggmlTypes].find(([, { name }]) => name === type)?.[0] ?? -1
    const path = join(temporary.path, `${type}.gguf`)
    const tensor = { name: 'layer.weight', shape: [columns, rows], type: number, data: Buffer.from(blocks, 'base64') }
    await writeFile(path, writeGguf([['general.architecture', ggufValue('flux')]], [tensor]))
    const weights = namedTable(await readWeightFile(path), '')
    const expected = floats(numbers)
    const row = (i: number) => [...expected.subarray(i * columns, (i + 1) * columns)]
    const input = Float32Array.from({ length: 3 * columns }, (_, i) => Math.sin(i))
    for (const target of [processorTarget, gpuTarget]) {
      const graph = new GraphBuilder(weights, target)
      graph.output(graph.weight('layer.weight'), 'weight', [rows, columns])
      graph.output(linear({ graph, branches: null }, 'layer', graph.input('input', [3, columns])), 'product', [3, rows])
      graph.output(graph.gather('layer.weight', graph.input('ids', [1, 3], 'int64')), 'rows', [1, 3, columns])
      const bytes = graph.encode()
      await using session = await openWrittenGraph({ label: type, write: () => bytes, folder: temporary.path }, { threads: 1 })
      const feeds = { input: session.tensor('input', input, [3, columns]), ids: session.tensor('ids', [1, 0, 1], [1, 3]) }
      const [weight, product, gathered] = await session.run(feeds, ['weight', 'product', 'rows'])
      assertClose(weight.values, expected)
      assertClose(gathered.values, [...row(1), ...row(0), ...row(1)])
      const products = Array.from({ length: 3 * rows }, (_, i) => {
        const at = Math.floor(i / rows) * columns
        return row(i % rows).reduce((sum, value, j) => sum + value * (input[at + j] ?? 0), 0)
      })
      assertClose(product.values, products)
    }
  })
}

test('a type that cannot be computed is rejected by name', async () => {
  const path = join(temporary.path, 'iq.gguf')
  const tensor = { name: 'layer.weight', shape: [256, 1], type: 16, data: Buffer.alloc(66) }
  await writeFile(path, writeGguf([['general.architecture', ggufValue('flux')]], [tensor]))
  await assert.rejects(readWeightFile(path), /iq\.gguf stores "layer\.weight" as IQ2_XXS.*use Q8_0/u)
})

test('a part of a split file is reported as such, not as a file with missing tensors', async () => {
  const path = join(temporary.path, 'split-00001-of-00002.gguf')
  const tensor = { name: 'layer.weight', shape: [32, 1], type: 2, data: Buffer.alloc(18) }
  await writeFile(
    path,
    writeGguf(
      [
        ['split.no', ggufValue(0)],
        ['split.count', ggufValue(2)],
      ],
      [tensor],
    ),
  )
  await assert.rejects(
    readWeightFile(path),
    /split-00001-of-00002\.gguf is one of the 2 parts of a split GGUF file.*llama-gguf-split --merge/u,
  )
})
