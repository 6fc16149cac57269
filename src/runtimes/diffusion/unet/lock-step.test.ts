import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idle, tinyFolder } from '../../../../test/support/model-files/tiny-image-model.ts'
import { loadDiffusionPipeline } from '../diffusion-pipeline.ts'
import { drawLatents } from '../draw-image.ts'
import { plainPair } from '../prompts/request-prompts.ts'
import type { Guidance } from './guided-unet.ts'
import { LockStep } from './lock-step.ts'

const conditioning = { hidden: new Float32Array(1), tokens: 1, pooled: new Float32Array(1), timeIds: [] }
const guidance: Guidance = {
  size: { channels: 1, width: 1, height: 1 },
  positive: conditioning,
  negative: null,
  guidanceScale: 1,
  guidanceRescale: 0,
  shown: null,
  additions: null,
}

/** A predictor that doubles its input and records the size of each batch. */
function doubling(fails = false) {
  const batches: number[] = []
  return {
    batches,
    prepare: () => async (latents: Float32Array) => latents.map((value) => value * 2),
    prepareTogether: () => async (latents: readonly Float32Array[]) => {
      batches.push(latents.length)
      if (fails) throw new Error('out of memory')
      return latents.map((each) => each.map((value) => value * 2))
    },
  }
}

const one = (value: number): Float32Array => Float32Array.of(value)

test('drawings wait for each other, and each gets its own prediction out of one batch', async () => {
  const unet = doubling()
  const lockStep = new LockStep(unet, 3)
  const predict = [0, 1, 2].map(() => lockStep.prepare(guidance))
  for (const time of [9, 5]) {
    const answers = await Promise.all(predict.map((each, i) => each(one(i + time), time, 0.5)))
    assert.deepEqual(
      answers.map(([value]) => value),
      [0, 1, 2].map((i) => 2 * (i + time)),
    )
  }
  assert.deepEqual(unet.batches, [3, 3])
})

test('does not wait for a drawing that leaves', async () => {
  const unet = doubling()
  const lockStep = new LockStep(unet, 2)
  const waiting = lockStep.prepare(guidance)(one(1), 9, 0.5)
  lockStep.leave()
  assert.deepEqual(await waiting, one(2))
  assert.deepEqual(unet.batches, [1])
})

test('a failure reaches all of the batch', async () => {
  const lockStep = new LockStep(doubling(true), 2)
  const predict = lockStep.prepare(guidance)
  const both = [predict(one(1), 9, 0.5), predict(one(2), 9, 0.5)]
  for (const each of both) await assert.rejects(each, /out of memory/)
})

test('drawings with an additional input to the UNet run alone', async () => {
  const unet = doubling()
  const lockStep = new LockStep(unet, 2)
  assert.deepEqual(await lockStep.prepare({ ...guidance, shown: one(1) })(one(4), 9, 0.5), one(8))
  assert.deepEqual(unet.batches, [])
})

for (const guidanceScale of [5, 1])
  test(`drawings of one batch have the latents of single ones at guidance ${guidanceScale}`, async () => {
    const { signal } = idle
    await using pipeline = await loadDiffusionPipeline(tinyFolder, { threads: 1, refiner: null, signal })
    const negative = guidanceScale === 1 ? null : plainPair('', '')
    const texts = { positive: plainPair('a red apple', 'a red apple'), negative, clipSkip: 0, truncate: false }
    const prompts = await pipeline.base.encode(texts, { signal })
    const same = {
      sampler: 'DDIM',
      scheduler: pipeline.scheduler,
      steps: 3,
      width: 64,
      height: 64,
      guidanceScale,
      guidanceRescale: 0,
    } as const
    const drawing = (seed: number) => ({ ...same, seed, prompts, start: null, refining: null })
    const seeds = [11, 12, 13]
    const lockStep = new LockStep(pipeline.base.unet, seeds.length)
    const options = { signal, onStep: async () => undefined }
    const together = await Promise.all(seeds.map((seed) => drawLatents(pipeline, { ...drawing(seed), unet: lockStep }, options)))
    for (const [i, seed] of seeds.entries()) {
      const alone = await drawLatents(pipeline, drawing(seed), options)
      const error = alone.latents.map((value, at) => Math.abs(value - (together[i]?.latents[at] ?? Number.NaN)))
      assert.ok(
        error.every((each) => each < 1e-3),
        `seed ${seed}: ${Math.max(...error)}`,
      )
    }
  })
