import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tinyRequest } from '../../../../test/support/tiny-image-model.ts'
import { promptsToEncode, stylePrompts } from './request-prompts.ts'

const plain = { guided: true, zeroNegative: true, clipSkip: 0 }
const none = { prompt: 'a fox', prompt2: null, negativePrompt: null, negativePrompt2: null }
const one = (text: string) => [{ text, weight: 1 }]

test('a look is put around both prompts and before both negative ones', () => {
  const request = {
    ...tinyRequest,
    prompt: 'a $& fox',
    prompt2: 'a red fox',
    negativePrompt: 'dog',
    negativePrompt2: 'cat',
    stylePreset: 'origami',
  }
  assert.deepEqual(stylePrompts(request), {
    prompt: 'origami a $& fox, folded paper, sharp creases, plain backdrop',
    prompt2: 'origami a red fox, folded paper, sharp creases, plain backdrop',
    negativePrompt: 'drawing, wet, cluttered, dog',
    negativePrompt2: 'drawing, wet, cluttered, cat',
  })
})

test('texts that are absent or empty stay out of a look', () => {
  const request = { ...tinyRequest, prompt: 'a fox', prompt2: '', negativePrompt: '', negativePrompt2: '', stylePreset: 'origami' }
  const { prompt2, negativePrompt, negativePrompt2 } = stylePrompts(request)
  assert.deepEqual([prompt2, negativePrompt, negativePrompt2], [null, 'drawing, wet, cluttered', null])
})

test('an absent negative prompt is zeros or the encoded empty text, as the model wants; an empty one is encoded', () => {
  assert.equal(promptsToEncode(none, plain).negative, 'zeros')
  assert.deepEqual(promptsToEncode(none, { ...plain, zeroNegative: false }).negative, { first: [], second: [] })
  assert.deepEqual(promptsToEncode({ ...none, negativePrompt: '' }, plain).negative, { first: [], second: [] })
  assert.equal(promptsToEncode({ ...none, negativePrompt: 'dog' }, { ...plain, guided: false }).negative, null)
})

test('a second prompt that is absent or empty is the first', () => {
  for (const prompt2 of [null, '']) assert.deepEqual(promptsToEncode({ ...none, prompt2 }, plain).positive.second, one('a fox'))
  const negative = promptsToEncode({ ...none, negativePrompt: 'dog', negativePrompt2: 'cat' }, plain).negative
  assert.deepEqual(negative, { first: one('dog'), second: one('cat') })
})
