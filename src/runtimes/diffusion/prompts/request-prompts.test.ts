import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tinyRequest } from '../../../../test/support/model-files/tiny-image-model.ts'
import { stylePrompts } from '../../../core/images/style-preset.ts'
import { promptsToEncode } from './request-prompts.ts'

const plain = { guided: true, zeroNegative: true, clipSkip: 0 }
const none = { prompt: 'a fox', prompt2: 'a fox', negative: null }
const one = (text: string) => [{ text, weight: 1 }]

test('a style preset wraps both prompts and precedes both negative prompts', () => {
  const request = {
    ...tinyRequest,
    prompt: 'a $& fox',
    prompt2: 'a red fox',
    negative: { prompt: 'dog', prompt2: 'cat' },
    stylePreset: 'origami',
  }
  assert.deepEqual(stylePrompts(request), {
    prompt: 'origami a $& fox, folded paper, sharp creases, plain backdrop',
    prompt2: 'origami a red fox, folded paper, sharp creases, plain backdrop',
    negative: { prompt: 'drawing, wet, cluttered, dog', prompt2: 'drawing, wet, cluttered, cat' },
  })
})

test('a style preset adds its negative prompt if a request has none, and only with guidance', () => {
  const request = { ...tinyRequest, stylePreset: 'origami' }
  const unwanted = { prompt: 'drawing, wet, cluttered', prompt2: 'drawing, wet, cluttered' }
  assert.deepEqual(stylePrompts(request).negative, unwanted)
  assert.deepEqual(stylePrompts({ ...request, negative: { prompt: '', prompt2: '' } }).negative, unwanted)
  assert.equal(stylePrompts({ ...request, guidanceScale: 1 }).negative, null)
})

test('the style preset "base" changes nothing', () => {
  const { prompt, prompt2 } = tinyRequest
  for (const negative of [null, { prompt: 'dog', prompt2: 'cat' }])
    assert.deepEqual(stylePrompts({ ...tinyRequest, stylePreset: 'base', negative }), { prompt, prompt2, negative })
})

test('a missing negative prompt is zeros or the encoded empty text, depending on the model; an empty one is encoded', () => {
  const empty = { first: [], second: [] }
  assert.equal(promptsToEncode(none, plain).negative, 'zeros')
  assert.deepEqual(promptsToEncode(none, { ...plain, zeroNegative: false }).negative, empty)
  assert.deepEqual(promptsToEncode({ ...none, negative: { prompt: '', prompt2: '' } }, plain).negative, empty)
  assert.equal(promptsToEncode({ ...none, negative: { prompt: 'dog', prompt2: 'dog' } }, { ...plain, guided: false }).negative, null)
})

test('each text encoder gets its own texts', () => {
  const { positive, negative } = promptsToEncode({ prompt: 'a', prompt2: 'b', negative: { prompt: 'dog', prompt2: 'cat' } }, plain)
  assert.deepEqual(
    [positive, negative],
    [
      { first: one('a'), second: one('b') },
      { first: one('dog'), second: one('cat') },
    ],
  )
})
