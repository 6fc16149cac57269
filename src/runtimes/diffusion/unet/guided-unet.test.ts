import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuidedUnet } from './guided-unet.ts'
import { picturesPerBatch } from './unet.ts'

const conditioning = { tokens: 77, hidden: new Float32Array(77), pooled: new Float32Array(1), timeIds: [] }

/** A UNet that predicts the number of each row's tokens, and notes the rows of each call. */
function countingUnet(pictures = 1) {
  const calls: number[] = []
  const guided = new GuidedUnet({
    picturesPerBatch: () => pictures,
    condition: (conditionings, { size }) => ({
      feeds: {},
      size,
      shown: null,
      additions: null,
      conditionings,
      wanted: conditionings.length,
    }),
    predict: async (_latents, _when, { conditionings }) => {
      calls.push(conditionings.length)
      return conditionings.map(({ tokens }) => Float32Array.of(tokens))
    },
  })
  return { guided, calls }
}

const size = { channels: 4, width: 64, height: 64 }
const [positive, negative] = [
  { ...conditioning, tokens: 10 },
  { ...conditioning, tokens: 4 },
]
const together = { size, positive, guidanceScale: 5, guidanceRescale: 0, shown: null, additions: null }
const latentsOf = (count: number) => Array.from({ length: count }, () => new Float32Array(1))

test('several drawings are predicted in one batch, guided each, also after one of them failed', async () => {
  const { guided, calls } = countingUnet()
  const predict = guided.prepareTogether({ ...together, negative }, 3)
  // 4 + 5 × (10 − 4)
  assert.deepEqual(
    await predict(latentsOf(3), [999, 0]),
    [[34], [34], [34]].map((values) => Float32Array.from(values)),
  )
  assert.equal((await predict(latentsOf(2), [500, 0.5])).length, 2)
  const unguided = guided.prepareTogether({ ...together, negative: null }, 3)
  assert.deepEqual(
    await unguided(latentsOf(3), [999, 0]),
    [[10], [10], [10]].map((values) => Float32Array.from(values)),
  )
  assert.deepEqual(calls, [6, 4, 3])
})

test('every evaluation of a drawing has the same batch', async () => {
  for (const [pictures, batches] of [
    [1, [2, 2, 2]],
    [0, [1, 1, 1, 1, 1, 1]],
  ] as const) {
    const { guided, calls } = countingUnet(pictures)
    const predict = guided.prepare({ ...together, negative })
    for (let i = 0; i < 3; i++) assert.deepEqual(await predict(new Float32Array(1), 999, 0), Float32Array.of(34))
    assert.deepEqual(calls, batches)
  }
})

test('the size decides what forms a batch: one picture on the processor, several small ones on a GPU', () => {
  const sides = [256, 512, 768, 1024, 2048]
  const perBatch = (isOnGpu: boolean) => sides.map((side) => picturesPerBatch({ width: side / 8, height: side / 8 }, isOnGpu))
  assert.deepEqual(perBatch(false), [1, 1, 0, 0, 0])
  assert.deepEqual(perBatch(true), [4, 4, 1, 0, 0])
})

test('guidance ends where its bounds say, and is no longer than the prediction of the prompt', async () => {
  const { guided, calls } = countingUnet()
  const predict = guided.prepare({ ...together, negative, bounds: { normalized: true, until: 0.5 } })
  assert.deepEqual(await predict(new Float32Array(1), 900, 0), Float32Array.of(10))
  calls.length = 0
  assert.deepEqual(await predict(new Float32Array(1), 400, 0.6), Float32Array.of(10))
  assert.deepEqual(calls, [1])
})

test('a network that predicts nothing is reported', async () => {
  const silent = new GuidedUnet({ picturesPerBatch: () => 1, condition: () => ({}) as never, predict: async () => [] })
  await assert.rejects(silent.prepare({ ...together, negative: null })(new Float32Array(1), 0, 0), { code: 'inference_failed' })
  await assert.rejects(silent.prepare({ ...together, negative })(new Float32Array(1), 0, 0), { code: 'inference_failed' })
})
