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
