import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findStrengthFault, strengthFor } from './image-strength.ts'

const allSteps = Array.from({ length: 200 }, (_, index) => index + 1)
/** The number of steps that engines run for a strength. */
const stepsOf = (strength: number, steps: number) => Math.floor(steps * strength)

suite('the strength of image-to-image', () => {
  test('one step can be requested as 1 / steps or with the suggested strength', () => {
    for (const steps of allSteps) {
      assert.equal(stepsOf(strengthFor(1 / steps, steps), steps), 1, `${steps} steps`)
      const advised = Number(/must be (?:at least )?([\d.]+) with/u.exec(findStrengthFault(0.9999 / steps, steps) ?? '')?.[1])
      assert.ok(advised <= 1 && stepsOf(advised, steps) >= 1, `${steps} steps`)
      assert.equal(findStrengthFault(advised, steps), null)
      assert.ok(strengthFor(1 / steps, steps) <= 1)
    }
  })

  test('the message names a single step as one', () => {
    assert.equal(findStrengthFault(0.8, 1), 'must be 1 with a single step: send 1, or use more steps.')
    assert.equal(
      findStrengthFault(0.1, 4, ' of the second pass'),
      'must be at least 0.25 with 4 steps of the second pass, so that one of them is drawn.',
    )
  })

  test('any other strength stays unchanged', () => {
    for (const steps of allSteps)
      for (const strength of [0.9999 / steps, 1.5 / steps, 0.5, 0.8, 1]) assert.equal(strengthFor(strength, steps), strength)
  })
})
