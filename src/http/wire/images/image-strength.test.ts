import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { plainLeastStrength, strengthFor } from './image-strength.ts'

const allSteps = Array.from({ length: 200 }, (_, index) => index + 1)
/** The number of steps that engines run for a strength. */
const stepsOf = (strength: number, steps: number) => Math.floor(steps * strength)

suite('the strength of image-to-image', () => {
  test('one step can be requested as 1 / steps or with the suggested strength', () => {
    for (const steps of allSteps) {
      assert.equal(stepsOf(strengthFor(1 / steps, steps), steps), 1, `${steps} steps`)
      const advised = plainLeastStrength(steps)
      assert.ok(advised <= 1 && stepsOf(advised, steps) >= 1, `${steps} steps`)
      assert.ok(strengthFor(1 / steps, steps) <= 1)
    }
  })

  test('any other strength stays unchanged', () => {
    for (const steps of allSteps)
      for (const strength of [0.9999 / steps, 1.5 / steps, 0.5, 0.8, 1]) assert.equal(strengthFor(strength, steps), strength)
  })
})
