import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuidedUnet } from './guided-unet.ts'

const conditioning = { tokens: 77, hidden: new Float32Array(77), pooled: new Float32Array(1), timeIds: [] }

/** Batch sizes of the first evaluations of a guided drawing with a latent size. */
async function batchesOf(side: number, evaluations: number): Promise<readonly number[]> {
  const batches: number[] = []
  const guided = new GuidedUnet({
    fixedBatch: null,
    condition: (conditionings, { size }) => ({
      feeds: {},
      size,
      shown: null,
      additions: null,
      conditionings,
      wanted: conditionings.length,
    }),
    predict: async (_latents, _when, { conditionings }) => {
      batches.push(conditionings.length)
      return conditionings.map(() => new Float32Array(1))
    },
  })
  const size = { channels: 4, width: side, height: side }
  const guidance = { guidanceScale: 5, guidanceRescale: 0, shown: null, additions: null }
  const predict = guided.prepare({ size, positive: conditioning, negative: conditioning, ...guidance })
  for (let i = 0; i < evaluations; i++) await predict(new Float32Array(1), 0, 0)
  return batches
}

test('both kinds of guidance batches are measured for an image of 512²', async () => {
  assert.deepEqual((await batchesOf(64, 2)).toSorted(), [1, 1, 2])
})

test('an image of 1024² never uses the memory of two', async () => {
  assert.deepEqual(await batchesOf(128, 3), [1, 1, 1, 1, 1, 1])
})

/** A UNet that predicts the number of each row's tokens, and notes the rows of each call. */
function countingUnet() {
  const calls: number[] = []
  const guided = new GuidedUnet({
    fixedBatch: null,
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

test('drawings are batched only once one was drawn alone, and never beyond a fixed batch', async () => {
  const { guided } = countingUnet()
  assert.equal(guided.prefersTogether(size, { positive, negative: null }), false)
  const alone = guided.prepare({ ...together, negative: null })
  assert.deepEqual(await alone(new Float32Array(1), 999, 0), Float32Array.of(10))
  assert.equal(guided.prefersTogether(size, { positive, negative: null }), true)
  assert.equal(guided.prefersTogether(size, { positive, negative }), false, 'guided drawings take another time')
  const fixed = new GuidedUnet({ fixedBatch: 2, condition: () => assert.fail(), predict: () => assert.fail() })
  assert.equal(fixed.prefersTogether(size, { positive, negative: null }), false)
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
  const silent = new GuidedUnet({ fixedBatch: null, condition: () => ({}) as never, predict: async () => [] })
  await assert.rejects(silent.prepare({ ...together, negative: null })(new Float32Array(1), 0, 0), { code: 'inference_failed' })
  await assert.rejects(silent.prepare({ ...together, negative })(new Float32Array(1), 0, 0), { code: 'inference_failed' })
})
