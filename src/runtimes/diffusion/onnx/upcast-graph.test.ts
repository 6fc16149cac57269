import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { overflowingDecoder } from '../../../../test/support/model-files/overflowing-decoder.ts'
import {
  bytesOf,
  encodeMessage,
  type Field,
  integer,
  integerOf,
  type Message,
  nested,
  parseMessage,
} from '../../../../test/support/model-files/protobuf.ts'
import { tinyFolder } from '../../../../test/support/model-files/tiny-image-model.ts'
import { upcastGraph } from './upcast-graph.ts'

async function run(model: Uint8Array): Promise<readonly number[]> {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 })
  const { sample } = await session.run({ latent_sample: new Tensor('float32', Float32Array.of(0.5, -2, 3, 9), [1, 4, 1, 1]) })
  await session.release()
  const values = sample?.data
  assert.ok(values instanceof Float32Array)
  return [0, 64, 128].map((at) => values[at] ?? Number.NaN)
}

test('values that overflow in half precision are correct in single precision', async () => {
  const half = overflowingDecoder()
  assert.ok(
    (await run(half)).some((value) => !Number.isFinite(value)),
    'it overflows',
  )
  const wide = upcastGraph(half)
  assert.ok(wide)
  assert.deepEqual(await run(wide), [1, -4, 6])
  assert.equal(upcastGraph(wide), null, 'nothing is left to convert')
})

test('a graph in single precision is unchanged', async () => {
  assert.equal(upcastGraph(await readFile(join(tinyFolder, 'vae_decoder', 'model.onnx'))), null)
})

/** A graph with this tensor as its only weight. */
const modelOf = (tensor: Message) => encodeMessage([nested(7, [nested(5, tensor)])])
const weightOf = (model: Uint8Array | null): Message => {
  const graph = parseMessage(bytesOf(parseMessage(Buffer.from(model ?? assert.fail('Nothing was converted.'))), 7) ?? Buffer.alloc(0))
  return parseMessage(bytesOf(graph, 5) ?? Buffer.alloc(0))
}

test('half-precision numbers that are written as whole numbers are converted, packed or one by one', () => {
  const values = [1, -2, 0.5]
  const bits = [...new Uint16Array(Float16Array.from(values).buffer)]
  const packed: Field = { number: 5, wire: 2, value: Buffer.concat(bits.map((each) => encodeMessage([integer(0, each)]).subarray(1))) }
  for (const numbers of [[packed], bits.map((each) => integer(5, each))]) {
    const weight = weightOf(upcastGraph(modelOf([integer(1, values.length), integer(2, 10), ...numbers])))
    assert.deepEqual([integerOf(weight, 2), weight.filter(({ number }) => number === 5).length], [1, 0])
    const bytes = Uint8Array.from(bytesOf(weight, 9) ?? [])
    assert.deepEqual([...new Float32Array(bytes.buffer)], values)
  }
})

test('a graph whose weights lie in another file is left as it is', () => {
  assert.equal(upcastGraph(modelOf([integer(2, 10), nested(13, [])])), null)
})
