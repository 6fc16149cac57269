import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseParameters } from './parameters-text.ts'

const text = 'a tiger,\nglossy\nNegative prompt: frame\nSteps: 20, Sampler: DDIM, CFG scale: 5, Seed: 7, Size: 256x192, Model: "a, b"'

test('prompt, negative prompt and fields are distinguished', () => {
  const parameters = parseParameters(text)
  assert.equal(parameters.prompt, 'a tiger,\nglossy')
  assert.equal(parameters.negativePrompt, 'frame')
  assert.equal(parameters.fields.get('Model'), 'a, b')
})

for (const [what, last, fields] of [
  [
    'a quoted value with commas and quotes',
    'Steps: 1, Model: "a, \\"b\\": c", Seed: 2',
    [
      ['Steps', '1'],
      ['Model', 'a, "b": c'],
      ['Seed', '2'],
    ],
  ],
  [
    'a field without a value',
    'Steps: 1, Style:, Seed: 2',
    [
      ['Steps', '1'],
      ['Style', ''],
      ['Seed', '2'],
    ],
  ],
  [
    'a colon inside a value',
    'Steps: 1, Model hash: a:b, Seed: 2',
    [
      ['Steps', '1'],
      ['Model hash', 'a:b'],
      ['Seed', '2'],
    ],
  ],
  [
    'text that is not a field',
    'Steps: 1, what?, Seed: 2',
    [
      ['Steps', '1'],
      ['Seed', '2'],
    ],
  ],
  [
    'a name built into JavaScript',
    'Steps: 1, __proto__: 2, constructor: 3',
    [
      ['Steps', '1'],
      ['__proto__', '2'],
      ['constructor', '3'],
    ],
  ],
] as const)
  test(`the last line is split around ${what}`, () => assert.deepEqual([...parseParameters(`p\n${last}`).fields], fields))

test('a negative prompt may stand alone, and keeps its lines', () => {
  assert.deepEqual(parseParameters('Negative prompt: a\nb\nSteps: 1').negativePrompt, 'a\nb')
  assert.equal(parseParameters('Negative prompt: a').prompt, '')
  assert.equal(parseParameters('say Negative prompt: a').prompt, 'say Negative prompt: a')
})

// A pattern that tries every way to split the spaces would run for hours.
test('a line of a hundred thousand spaces is read without delay', () => {
  assert.equal(parseParameters(`p\nSteps: 1, ${' '.repeat(100_000)}x y`).fields.get('Steps'), '1')
})
