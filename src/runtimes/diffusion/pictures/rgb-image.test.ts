import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRgb } from './rgb-image.ts'

test('pixels that are not numbers are reported with what made them', () => {
  const planes = { values: Float32Array.of(0, Number.NaN, 0), width: 1, height: 1 }
  assert.throws(() => toRgb(planes), { code: 'numerical_error', param: 'model', message: /^The VAE of this model returned NaN/ })
  assert.throws(() => toRgb(planes, { what: 'The VAE mine', param: 'vae' }), { param: 'vae', message: /^The VAE mine returned NaN/ })
})
