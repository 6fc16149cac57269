import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { safetensorsFile } from '../../../../../test/support/model-files/safetensors-file.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { openWrittenGraph } from '../../onnx/onnx-session.ts'
import { processorTarget } from '../graph/find-graph-target.ts'
import { GraphBuilder } from '../graph/graph-builder.ts'
import { convolution, layerNorm, linear } from '../graph/layers.ts'
import { namedTable } from '../weights/original-tables.ts'
import { readWeightFile } from '../weights/weight-table.ts'
import { LoraBranches } from './lora-branches.ts'
import { loraTargets } from './lora-modules.ts'
import { changedBranches, mixLoras, type WeightedLora } from './mix-loras.ts'
import { readLora } from './read-lora.ts'

interface Packed {
  readonly shape: readonly number[]
  readonly values: string
}

interface Adapters {
  readonly strength: number
  readonly base: Readonly<Record<string, Packed>>
  readonly cases: readonly {
    readonly name: string
    readonly tensors: Readonly<Record<string, Packed>>
    readonly weights: Readonly<Record<string, Packed>>
  }[]
}

const fixture = new URL('../../../../../test/fixtures/adapters/adapters.json', import.meta.url)
const { strength, base, cases }: Adapters = JSON.parse(await readFile(fixture, 'utf8'))
const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const { signal } = new AbortController()

async function write(name: string, tensors: Readonly<Record<string, Packed>>): Promise<string> {
  const path = join(temporary.path, `${name}.safetensors`)
  const unpacked = Object.entries(tensors).map(([tensor, { shape, values }]) => {
    return { name: tensor, shape, values: new Float32Array(Uint8Array.from(Buffer.from(values, 'base64')).buffer) }
  })
  await writeFile(path, safetensorsFile(unpacked))
  return path
}

/** The outputs of a linear layer, a convolution and a norm with some weights and LoRAs. */
async function run(path: string, loras: readonly WeightedLora[]): Promise<readonly Float32Array[]> {
  const weights = namedTable(await readWeightFile(path), '')
  const keys = changedBranches(loras, 'unet')
  const branches = keys.size === 0 ? null : new LoraBranches(keys)
  const graph = new GraphBuilder(weights, processorTarget, branches)
  const context = { graph, branches }
  const rows = graph.input('rows', [3, 8])
  graph.output(linear(context, 'layer', rows), 'linear', [3, 12])
  graph.output(layerNorm(graph, 'norm', rows), 'normal', [3, 8])
  graph.output(
    convolution(context, 'conv', graph.input('pixels', [2, 4, 5, 5]), { stride: 2, pads: [1, 1, 1, 1] }),
    'convolved',
    [2, 6, 3, 3],
  )
  await using session = await openWrittenGraph({ label: 'layers', write: () => graph.encode(), folder: temporary.path }, { threads: 1 })
  const wave = (count: number) => Float32Array.from({ length: count }, (_, i) => Math.sin(i * i))
  const feeds = { rows: session.tensor('rows', wave(24), [3, 8]), pixels: session.tensor('pixels', wave(200), [2, 4, 5, 5]) }
  const mixed = mixLoras(loras, { network: 'unet', weights, branches: keys })
  return (await session.run({ ...feeds, ...mixed }, ['linear', 'normal', 'convolved'])).map(({ values }) => values)
}

const basePath = await write('base', base)
const targets = loraTargets({ unet: namedTable(await readWeightFile(basePath), ''), text: [] })

for (const { name, tensors, weights } of cases) {
  test(`${name}: layers return the same output as merged weights`, async () => {
    const lora = await readLora(await write(`adapter-${name}`, tensors), targets, { signal })
    const [own, merged] = [
      await run(basePath, [{ lora, weight: strength }]),
      await run(await write(`merged-${name}`, { ...base, ...weights }), []),
    ]
    for (const [i, values] of merged.entries())
      for (const [j, value] of values.entries())
        assert.ok(Math.abs((own[i]?.[j] ?? Number.NaN) - value) < 2e-5, `output ${i}, number ${j}: ${own[i]?.[j]} instead of ${value}`)
  })
}

test('several adapters of different kinds add up', async () => {
  const wanted = [
    ...['LoRA', 'LoKr', 'LoKr with a product', 'full difference', 'LoHa of rank 2'],
    ...['DoRA', 'DoRA of columns', 'LoHa of a convolution', 'LoHa with cores', 'DoRA of a convolution'],
  ]
  const read = await Promise.all(
    cases
      .filter(({ name }) => wanted.includes(name))
      .map(async ({ name, tensors }) => ({
        lora: await readLora(await write(`sum-${name}`, tensors), targets, { signal }),
        weight: strength,
      })),
  )
  const [plain, all] = [await run(basePath, []), await run(basePath, read)]
  const alone = await Promise.all(read.map((lora) => run(basePath, [lora])))
  for (const [i, values] of all.entries())
    for (const [j, value] of values.entries()) {
      const start = plain[i]?.[j] ?? Number.NaN
      const sum = alone.reduce((total, each) => total + (each[i]?.[j] ?? Number.NaN) - start, start)
      assert.ok(Math.abs(value - sum) < 5e-5, `output ${i}, number ${j}`)
    }
})

test('weights for a tensor that the model does not have are rejected by name', async () => {
  const { 'layer.bias': bias, ...rest } = base
  assert.ok(bias)
  const path = await write('unbiased', rest)
  const change = cases.find(({ name }) => name === 'full difference')
  const lora = await readLora(await write('with-bias', change?.tensors ?? {}), targets, { signal })
  await assert.rejects(
    run(path, [{ lora, weight: 1 }]),
    /with-bias\.safetensors holds matrices of other sizes than the model for "layer\.bias"/u,
  )
})
