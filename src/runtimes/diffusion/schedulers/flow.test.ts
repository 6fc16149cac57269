import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sampler } from '../../../core/sampler.ts'
import { beginOf } from '../start-from-picture.ts'
import { type FlowSchedule, parseFlowSchedule } from './levels/flow-sigmas.ts'
import { prepareSolver } from './samplers.ts'
import { parseSchedulerConfig } from './scheduler-config.ts'
import { type Solver, startAt } from './solver.ts'

const even = parseFlowSchedule({ shift: 3 }, 'even')
const bySize = parseFlowSchedule({ shift: 3, use_dynamic_shifting: true }, 'even')

function prepare(sampler: Sampler, flow: FlowSchedule, steps: number): Solver {
  return prepareSolver(sampler, { ...parseSchedulerConfig({}), flow }, steps, { width: 128, height: 128 })
}

/** Share of noise at each evaluation. */
function levelsOf(solver: Solver): readonly number[] {
  const [none, all] = [new Float32Array(1), new Float32Array([1])]
  return solver.timesteps.map((_, index) => solver.addNoise(startAt(index), none, all)[0] ?? Number.NaN)
}

/** What diffusers 0.40.0 gives; 64 tokens where the size counts. */
const schedules: readonly {
  readonly name: string
  readonly solver: Solver
  readonly timesteps: readonly number[]
  readonly levels: readonly number[]
}[] = [
  {
    name: 'UniPC',
    solver: prepare('UNI_PC', even, 4),
    timesteps: [999, 900, 750, 500],
    levels: [0.9999989867210388, 0.900119960308075, 0.7503747940063477, 0.5009989738464355],
  },
  {
    name: 'UniPC, shifted by size',
    solver: prepare('UNI_PC', bySize, 4),
    timesteps: [999, 827, 615, 348],
    levels: [0.9999989867210388, 0.8274192214012146, 0.615265429019928, 0.34816470742225647],
  },
  {
    name: 'DPM++ 2M, not shifted',
    solver: prepare('DPM_SOLVER_MULTISTEP', parseFlowSchedule({}, 'even'), 6),
    timesteps: [999, 832, 666, 499, 332, 166],
    levels: [0.9990000128746033, 0.8324999809265137, 0.6660000085830688, 0.49950000643730164, 0.3330000042915344, 0.1665000021457672],
  },
  {
    name: 'DPM++ 2M, shifted by size',
    solver: prepare('DPM_SOLVER_MULTISTEP', bySize, 4),
    timesteps: [999, 826, 614, 346],
    levels: [0.999373197555542, 0.8266568183898926, 0.6143181324005127, 0.3469561040401459],
  },
  {
    name: 'Euler over the levels of training',
    solver: prepare('K_EULER', parseFlowSchedule({ shift: 3 }, 'trained'), 4),
    timesteps: [1000, 857.6923217773438, 602.1505737304688, 8.928571701049805],
    levels: [1, 0.857692301273346, 0.602150559425354, 0.008928571827709675],
  },
  {
    name: 'Euler over the levels of training, shifted by size',
    solver: prepare('K_EULER', parseFlowSchedule({ shift: 3, use_dynamic_shifting: true }, 'trained'), 4),
    timesteps: [1000, 761.7227172851562, 444.566650390625, 1.5950485467910767],
    levels: [1, 0.7617227435112, 0.44456663727760315, 0.001595048583112657],
  },
]

for (const { name, solver, timesteps, levels } of schedules) {
  test(`${name}: timesteps and noise levels are those of diffusers`, () => {
    for (const [i, timestep] of solver.timesteps.entries()) assert.ok(Math.abs(timestep - (timesteps[i] ?? 0)) < 1e-3, `${timestep}`)
    assert.equal(solver.timesteps.length, timesteps.length)
    for (const [i, level] of levelsOf(solver).entries()) assert.ok(Math.abs(level - (levels[i] ?? 0)) < 3e-7, `${level}`)
  })
}

test('the step that a strength begins at is the one of diffusers, also where the product is not exact', () => {
  for (const [steps, strength, begin] of [
    [50, 0.14, 43],
    [50, 0.28, 36],
    [5, 0.1, 4],
    [5, 0.5, 2],
    [5, 0.999, 0],
    [5, 1, 0],
  ] as const) {
    assert.equal(beginOf(prepare('K_EULER', even, steps), steps, strength), begin, `${steps} steps, strength ${strength}`)
  }
})

test('Heun takes each step but the last twice, and follows a curved path more closely than Euler', () => {
  /** Follows dx/dσ = x from noise to picture; the exact end is e⁻¹ of the start. */
  const endOf = (sampler: Sampler): number => {
    const solver = prepare(sampler, parseFlowSchedule({}, 'trained'), 8)
    let state = startAt(0)
    let latents: Float32Array = Float32Array.of(1)
    for (const _ of solver.timesteps) ({ state, latents } = solver.step(state, latents, latents, () => assert.fail('draws no noise')))
    return latents[0] ?? Number.NaN
  }
  const heun = prepare('K_HEUN', even, 4)
  assert.deepEqual([heun.order, heun.timesteps.length], [2, 7])
  assert.equal(heun.timesteps[1], heun.timesteps[2])
  const [euler, better] = [endOf('K_EULER'), endOf('K_HEUN')].map((end) => Math.abs(end - Math.exp(-1)))
  assert.ok(better !== undefined && euler !== undefined && better < euler / 8, `${better} instead of ${euler}`)
})

test('a sampler without a form for flow matching is rejected', () =>
  assert.throws(() => prepare('DDIM', even, 4), { code: 'unsupported', param: 'sampler', message: /choose another sampler than DDIM/ }))

test('a prediction stands for the clean latents at its level of noise', () => {
  const solver = prepare('K_EULER', even, 4)
  const [clean, noise] = [Float32Array.of(0.5), Float32Array.of(-2)]
  for (const index of [0, 2]) {
    const mixed = solver.addNoise(startAt(index), clean, noise)
    const velocity = Float32Array.of(-2 - 0.5)
    assert.ok(Math.abs((solver.denoised(startAt(index), velocity, mixed)[0] ?? 0) - 0.5) < 1e-6)
  }
})
