import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TorchGenerator } from '../noise/torch-generator.ts'
import { ddim, ddpm, lcm } from './ddpm-samplers.ts'
import { dpmMultistep, dpmSinglestep } from './dpm-samplers.ts'
import { dpm2, dpm2Ancestral, euler, eulerAncestral, heun, lms } from './euler-samplers.ts'
import type { SolverPreparation } from './samplers.ts'
import { parseSchedulerConfig } from './scheduler-config.ts'
import { startAt } from './solver.ts'
import { uniPc } from './uni-pc.ts'

/** The toy set-up of diffusers' own scheduler tests: 4 × 3 × 8 × 8 numbers and a model that returns x · t / (t + 1). */
const count = 768
const place = (i: number): number => (i % 192) * 4 + Math.floor(i / 192)
const rising = Float32Array.from({ length: count }, (_, i) => place(i) / count)
const falling = Float32Array.from({ length: count }, (_, i) => (count - 1 - place(i)) / count)

const linear = { beta_schedule: 'linear', beta_start: 0.0001, beta_end: 0.02, steps_offset: 0, timestep_spacing: 'linspace' }
const k = { ...linear, num_train_timesteps: 1100 }
const leading = { ...linear, timestep_spacing: 'leading' }
const ddimConfig = { ...leading, clip_sample: true, set_alpha_to_one: true }
const distilled = { timestep_spacing: 'leading', steps_offset: 0, set_alpha_to_one: true }
const v = { prediction_type: 'v_prediction' }
const karras = { use_karras_sigmas: true }
const towardsMinimum = { ...linear, final_sigmas_type: 'sigma_min', solver_type: 'bh2' }
const dpm = { ...linear, lower_order_final: false, final_sigmas_type: 'sigma_min' }

const multistep: SolverPreparation = (config, steps) => dpmMultistep(config, steps, { stochastic: false })
const singlestep: SolverPreparation = (config, steps) => dpmSinglestep(config, steps, { stochastic: false })

/** Where diffusers only states the mean, to three digits. */
const ofMean = 1e-3 * count

/** Sums of absolute values that diffusers' tests expect after the loop; `begin` = noise is added and the loop starts there. */
const loops: readonly {
  readonly name: string
  readonly prepare: SolverPreparation
  readonly config: Readonly<Record<string, unknown>>
  readonly steps?: number
  readonly noiseAt?: number
  readonly skip?: number
  readonly sum: number
  readonly tolerance?: number
}[] = [
  { name: 'DDIM', prepare: ddim, config: ddimConfig, sum: 172.0067 },
  { name: 'DDIM, velocity', prepare: ddim, config: { ...ddimConfig, ...v }, sum: 52.5302 },
  { name: 'DDIM, last alpha one', prepare: ddim, config: { ...ddimConfig, beta_start: 0.01 }, sum: 149.8295 },
  { name: 'DDIM, last alpha kept', prepare: ddim, config: { ...ddimConfig, beta_start: 0.01, set_alpha_to_one: false }, sum: 149.0784 },
  { name: 'DDIM from noise', prepare: ddim, config: ddimConfig, noiseAt: 8, sum: 354.5418 },
  { name: 'DDPM', prepare: ddpm, config: { ...leading, clip_sample: true }, steps: 1000, sum: 258.9606 },
  { name: 'DDPM, velocity', prepare: ddpm, config: { ...leading, clip_sample: true, ...v }, steps: 1000, sum: 202.0296 },
  { name: 'Euler', prepare: euler, config: k, sum: 10.0807 },
  { name: 'Euler, Karras', prepare: euler, config: { ...k, ...karras }, sum: 124.523 },
  { name: 'Euler ancestral', prepare: eulerAncestral, config: k, sum: 152.3192 },
  { name: 'Euler ancestral, velocity', prepare: eulerAncestral, config: { ...k, ...v }, sum: 108.4439 },
  { name: 'Euler ancestral from noise', prepare: eulerAncestral, config: k, noiseAt: 8, sum: 56163.0508 },
  { name: 'Heun', prepare: heun, config: k, sum: 0.1233 },
  { name: 'LMS', prepare: lms, config: k, sum: 1006.388 },
  { name: 'LMS, Karras', prepare: lms, config: { ...k, ...karras }, sum: 3812.9927 },
  { name: 'DPM2', prepare: dpm2, config: k, sum: 20.4125 },
  { name: 'DPM2 from noise', prepare: dpm2, config: k, noiseAt: 8, sum: 70408.4062 },
  { name: 'DPM2 ancestral', prepare: dpm2Ancestral, config: k, sum: 13979.9433 },
  { name: 'DPM2 ancestral, velocity', prepare: dpm2Ancestral, config: { ...k, ...v }, sum: 331.8133 },
  { name: 'DPM2 ancestral from noise', prepare: dpm2Ancestral, config: k, noiseAt: 8, sum: 93087.3437 },
  { name: 'DPM++ 2M', prepare: multistep, config: dpm, sum: 0.3301 * count, tolerance: ofMean },
  { name: 'DPM++ 2M, velocity', prepare: multistep, config: { ...dpm, ...v }, sum: 0.2251 * count, tolerance: ofMean },
  { name: 'DPM++ single', prepare: singlestep, config: dpm, sum: 0.2791 * count, tolerance: ofMean },
  { name: 'DPM++ single, velocity', prepare: singlestep, config: { ...dpm, ...v }, sum: 0.1453 * count, tolerance: ofMean },
  {
    name: 'DPM++ single from its fourth of 50 steps',
    prepare: singlestep,
    config: dpm,
    steps: 50,
    skip: 3,
    sum: 0.2574 * count,
    tolerance: ofMean,
  },
  { name: 'UniPC', prepare: uniPc, config: towardsMinimum, sum: 0.2464 * count, tolerance: ofMean },
  { name: 'UniPC, Karras', prepare: uniPc, config: { ...towardsMinimum, ...karras }, sum: 0.2925 * count, tolerance: ofMean },
  { name: 'UniPC, velocity', prepare: uniPc, config: { ...towardsMinimum, ...v }, sum: 0.1014 * count, tolerance: ofMean },
  {
    name: 'UniPC, Karras, velocity',
    prepare: uniPc,
    config: { ...towardsMinimum, ...karras, ...v },
    sum: 0.1966 * count,
    tolerance: ofMean,
  },
  { name: 'UniPC from noise', prepare: uniPc, config: towardsMinimum, noiseAt: 8, sum: 315.5757 },
  { name: 'LCM, one step', prepare: lcm, config: distilled, steps: 1, sum: 18.7097 },
  { name: 'LCM, ten steps', prepare: lcm, config: distilled, sum: 197.7616 },
]

for (const { name, prepare, config, steps = 10, noiseAt, skip = 0, sum, tolerance = 0.01 } of loops) {
  test(`${name}: the sum equals the one in diffusers' own tests`, () => {
    const solver = prepare(parseSchedulerConfig(config), steps)
    const generator = new TorchGenerator(0)
    let state = startAt((noiseAt ?? skip) * solver.order)
    let latents: Float32Array = rising.map((value) => value * solver.initialNoiseScale)
    if (noiseAt !== undefined) latents = solver.addNoise(state, latents, falling)
    while (state.index < solver.timesteps.length) {
      // Those tests step from the scaled input, unlike the pipelines.
      const input = solver.scaleInput(state, latents)
      const time = solver.timesteps[state.index] ?? 0
      const step = solver.step(
        state,
        input.map((value) => (value * time) / (time + 1)),
        input,
        () => generator.normal(count),
      )
      state = step.state
      latents = step.latents
    }
    const total = latents.reduce((running, value) => running + Math.abs(value), 0)
    assert.ok(Math.abs(total - sum) <= Math.max(tolerance, sum * 1e-6), `${total} instead of ${sum}`)
  })
}
