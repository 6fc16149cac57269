import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseParameters, settingsOf } from './image-parameters.ts'

const text = 'a tiger,\nglossy\nNegative prompt: frame\nSteps: 20, Sampler: DDIM, CFG scale: 5, Seed: 7, Size: 256x192, Model: "a, b"'

test('prompt, negative prompt and fields are told apart', () => {
  const parameters = parseParameters(text)
  assert.equal(parameters.prompt, 'a tiger,\nglossy')
  assert.equal(parameters.negativePrompt, 'frame')
  assert.equal(parameters.fields.get('Model'), 'a, b')
})

test('settings follow from the fields', () => {
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

test('a text without fields is all prompt', () => {
  assert.deepEqual(settingsOf(parseParameters('a cat')), { prompt: 'a cat', negativePrompt: '' })
})
