import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { safetensorsFile } from '../../../../../test/support/model-files/safetensors-file.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { TorchGenerator } from '../../noise/torch-generator.ts'
import { openWrittenGraph } from '../../onnx/onnx-session.ts'
import { gpuTarget, processorTarget } from '../graph/find-graph-target.ts'
import { GraphBuilder } from '../graph/graph-builder.ts'
import { namedTable } from '../weights/original-tables.ts'
import { readWeightFile } from '../weights/weight-table.ts'
import { residualBlock } from './residual-block.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const channels = 32
const emb = 8

interface Block {
  readonly name: string
  readonly time: { readonly weight: Float32Array; readonly bias: Float32Array }
  readonly norm: { readonly weight: Float32Array; readonly bias: Float32Array }
}

const generator = new TorchGenerator(3)
const convolutions = [generator.normal(channels * channels * 9), generator.normal(channels * channels * 9)]
const input = generator.normal(channels * 6 * 4)
const embedded = generator.normal(emb)

async function run({ name, time, norm }: Block, target = processorTarget): Promise<Float32Array> {
  const flat = (value: number) => new Float32Array(channels).fill(value)
  const tensor = (key: string, values: Float32Array, ...shape: readonly number[]) => ({ name: `r.${key}`, shape, values })
  const file = `${name}.safetensors`
  const path = join(temporary.path, file)
  await writeFile(
    path,
    safetensorsFile([
      tensor('norm1.weight', flat(1), channels),
      tensor('norm1.bias', flat(0), channels),
      tensor('conv1.weight', convolutions[0] ?? flat(0), channels, channels, 3, 3),
      tensor('conv1.bias', flat(0.1), channels),
      tensor('time_emb_proj.weight', time.weight, time.bias.length, emb),
      tensor('time_emb_proj.bias', time.bias, time.bias.length),
      tensor('norm2.weight', norm.weight, channels),
      tensor('norm2.bias', norm.bias, channels),
      tensor('conv2.weight', convolutions[1] ?? flat(0), channels, channels, 3, 3),
      tensor('conv2.bias', flat(0.2), channels),
    ]),
  )
  const weights = namedTable(await readWeightFile(path), '')
  const graph = new GraphBuilder(weights, target)
  const sample = graph.input('sample', ['batch', channels, 'height', 'width'])
  const rows = graph.input('time', ['rows', emb])
  const output = residualBlock({ graph, branches: null }, 'r', sample, { time: rows, epsilon: 1e-5 })
  graph.output(output, 'out', ['batch', channels, 'height', 'width'])
  const written = { label: file, write: () => graph.encode(), folder: weights.folder }
  await using session = await openWrittenGraph(written, { threads: 1 })
  const feeds = { sample: session.tensor('sample', input, [1, channels, 6, 4]), time: session.tensor('time', embedded, [1, emb]) }
  const [out] = await session.run(feeds, ['out'])
  return Float32Array.from(out.values)
}

/** The output of a layer for the timestep embedding: [outputs]. */
function layer({ weight, bias }: Block['time']): Float32Array {
  return bias.map((value, i) => embedded.reduce((sum, number, j) => sum + number * (weight[i * emb + j] ?? 0), value))
}

const worst = (ours: Float32Array, theirs: Float32Array) =>
  ours.reduce((most, value, i) => Math.max(most, Math.abs(value - (theirs[i] ?? Number.NaN))), 0)

test('a block with a time layer of double width scales the normalized values, then shifts them', async () => {
  const time = { weight: generator.normal(2 * channels * emb), bias: generator.normal(2 * channels) }
  const norm = { weight: generator.normal(channels), bias: generator.normal(channels) }
  const [made, silent] = [layer(time), { weight: new Float32Array(channels * emb), bias: new Float32Array(channels) }]
  const scale = (i: number) => 1 + (made[i] ?? 0)
  const folded = {
    weight: norm.weight.map((value, i) => value * scale(i)),
    bias: norm.bias.map((value, i) => value * scale(i) + (made[channels + i] ?? 0)),
  }
  const expected = await run({ name: 'folded', time: silent, norm: folded })
  for (const target of [processorTarget, gpuTarget]) {
    const difference = worst(await run({ name: 'scaled', time, norm }, target), expected)
    assert.ok(difference < 1e-3, `${target.weightsAs}: ${difference}`)
  }
})
