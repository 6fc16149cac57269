import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseParameters } from '../../../../core/images/parameters-text.ts'
import { settingsOf } from './image-parameters.ts'

const text = 'a tiger,\nglossy\nNegative prompt: frame\nSteps: 20, Sampler: DDIM, CFG scale: 5, Seed: 7, Size: 256x192, Model: "a, b"'

test('settings are read from the fields', () => {
  assert.deepEqual(settingsOf(parseParameters(text)), {
    prompt: 'a tiger,\nglossy',
    negativePrompt: 'frame',
    steps: 20,
    guidanceScale: 5,
    seed: '7',
    count: 1,
    sampler: 'DDIM',
    width: 256,
    height: 192,
  })
})

test('a text without fields is entirely the prompt', () => {
  assert.deepEqual(settingsOf(parseParameters('a cat')), { prompt: 'a cat', negativePrompt: '' })
})

test('values outside the range of a setting are left out', () => {
  for (const last of ['Steps: 0', 'Steps: x, CFG scale: -1, Size: 10, Sampler: nobody', 'Steps: NaN, Size: axb, Seed: '])
    assert.deepEqual(settingsOf(parseParameters(`p\n${last}`)), { prompt: 'p', negativePrompt: '' })
})
