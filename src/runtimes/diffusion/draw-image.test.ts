import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refinerIndex } from './draw-image.ts'
import { ddim } from './schedulers/ddpm-samplers.ts'
import { heun } from './schedulers/euler-samplers.ts'
import { parseSchedulerConfig } from './schedulers/scheduler-config.ts'

const config = parseSchedulerConfig({})

test('a refiner draws the timesteps below its share of the noise range', () => {
  const solver = ddim(config, 10)
  assert.deepEqual(solver.timesteps, [901, 801, 701, 601, 501, 401, 301, 201, 101, 1])
  assert.equal(refinerIndex(solver, 1000, 0.8), 8)
  assert.equal(refinerIndex(solver, 1000, 0), 0)
  assert.equal(refinerIndex(solver, 1000, 1), 10)
})

test('a second-order step is not split between two models', () => {
  const solver = heun(config, 10)
  // 101, 101, 1, 1 lie below; the evaluation before them begins the step they end.
  assert.equal(solver.timesteps.length, 19)
  assert.equal(refinerIndex(solver, 1000, 0.8), 14)
  for (let start = 0; start <= 1; start += 0.05) {
    const index = refinerIndex(solver, 1000, start)
    assert.ok(index === 19 || index % 2 === 0, `${start}: ${index}`)
  }
})
