import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplers } from '../../../core/sampler.ts'
import { TorchGenerator } from '../noise/torch-generator.ts'
import { prepareSolver, samplerSolvers } from './samplers.ts'
import { parseSchedulerConfig } from './scheduler-config.ts'
import { type Solver, type SolverState, startAt } from './solver.ts'

/** After the last uneven "trailing" stride a little noise of timestep 0 remains, as in diffusers. */
const tolerance = 0.15
const size = 64
const stepCounts = [1, 2, 3, 5, 8, 17, 50]

for (const sampler of samplers) {
  for (const spacing of ['leading', 'trailing']) {
    test(`${sampler} with ${spacing} timesteps recovers known latents with any number of steps`, () => {
      const config = parseSchedulerConfig({ timestep_spacing: spacing, set_alpha_to_one: true })
      for (const steps of stepCounts) {
        const solver = samplerSolvers[sampler](config, steps)
        const generator = new TorchGenerator(steps)
        const wanted = generator.normal(size)
        let state = startAt(0)
        let latents: Float32Array = generator.normal(size).map((value) => value * solver.initialNoiseScale)
        while (state.index < solver.timesteps.length) {
          const time = solver.timesteps[state.index] ?? Number.NaN
          assert.ok(time >= 0 && time <= 1000, `timestep ${time}`)
          const input = solver.scaleInput(state, latents)
          // A perfect model: the noise that separates the input, which has variance 1, from the target.
          const signal = solver.addNoise(state, wanted, new Float32Array(size))
          const scaled = solver.scaleInput(state, signal)
          const scale = (scaled[0] ?? 0) / (wanted[0] ?? 1)
          const noise = input.map((value, i) => (value - (scaled[i] ?? 0)) / Math.sqrt(Math.max(1 - scale * scale, 1e-12)))
          const step = solver.step(state, noise, latents, () => generator.normal(size))
          assert.equal(step.state.index, state.index + 1)
          state = step.state
          latents = step.latents
        }
        for (const [i, value] of latents.entries())
          assert.ok(Math.abs(value - (wanted[i] ?? 0)) < tolerance, `${steps} steps: ${value} instead of ${wanted[i]}`)
      }
    })
  }
}

test('a model with zero terminal SNR works with every sampler that it does not reject', () => {
  const config = parseSchedulerConfig({
    rescale_betas_zero_snr: true,
    prediction_type: 'v_prediction',
    timestep_spacing: 'trailing',
    set_alpha_to_one: true,
  })
  for (const sampler of samplers) {
    if (sampler in config.refusedSamplers) {
      assert.throws(() => prepareSolver(sampler, config, 8), { code: 'unsupported', param: 'sampler' })
      continue
    }
    const solver = prepareSolver(sampler, config, 8)
    const generator = new TorchGenerator(1)
    const wanted = generator.normal(size)
    let state = startAt(0)
    let latents: Float32Array = generator.normal(size).map((value) => value * solver.initialNoiseScale)
    while (state.index < solver.timesteps.length) {
      const step = solver.step(state, velocity(solver, state, wanted, latents), latents, () => generator.normal(size))
      state = step.state
      latents = step.latents
      assert.ok(latents.every(Number.isFinite), `${sampler} at ${state.index}`)
    }
    for (const [i, value] of latents.entries()) assert.ok(Math.abs(value - (wanted[i] ?? 0)) < tolerance, `${sampler}: ${value}`)
  }
})

/** The prediction of a perfect model: the velocity of the input, which has variance 1, away from the target. */
function velocity(solver: Solver, state: SolverState, wanted: Float32Array, latents: Float32Array): Float32Array {
  const input = solver.scaleInput(state, latents)
  const clean = solver.scaleInput(state, solver.addNoise(state, wanted, new Float32Array(size)))
  const alpha = (clean[0] ?? 0) / (wanted[0] ?? 1)
  const sigma = Math.sqrt(Math.max(1 - alpha * alpha, 1e-12))
  return input.map((value, i) => alpha * ((value - (clean[i] ?? 0)) / sigma) - sigma * (wanted[i] ?? 0))
}

test("Euler ends at the lowest noise level of training if the model's config says so", () => {
  const left = (final: string): number => {
    const solver = prepareSolver('K_EULER', parseSchedulerConfig({ final_sigmas_type: final }), 4)
    const last = solver.step(startAt(3), new Float32Array(1), Float32Array.of(1), () => new Float32Array(1))
    return solver.addNoise(last.state, Float32Array.of(0), Float32Array.of(1))[0] ?? Number.NaN
  }
  assert.equal(left('zero'), 0)
  assert.ok(Math.abs(left('sigma_min') - 0.02916) < 1e-4)
})

test('a step changes neither the state nor the arrays it was given', () => {
  for (const sampler of samplers) {
    const solver = samplerSolvers[sampler](parseSchedulerConfig({}), 5)
    const generator = new TorchGenerator(1)
    const latents = generator.normal(size)
    const prediction = generator.normal(size)
    const state = startAt(0)
    const copies = structuredClone({ state, latents, prediction })
    const first = solver.step(state, prediction, latents, () => new Float32Array(size))
    const again = solver.step(state, prediction, latents, () => new Float32Array(size))
    assert.deepEqual({ state, latents, prediction }, copies)
    assert.deepEqual(first, again)
  }
})
