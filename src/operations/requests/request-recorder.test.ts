import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeImageRequest } from '../../../test/support/image-request.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { longestCall, longestExcerpt } from '../../core/requests/request-record.ts'
import { requestedWork } from './request-recorder.ts'

const drawing = (prompt: string) => ({ kind: 'image', request: makeImageRequest(prompt) }) as const
const callOf = (body: object) => {
  const { call } = requestedWork(drawing('x'), { path: '/generate/sdxl', body })
  return call === null ? null : JSON.parse(call)
}

test('the words are the beginning of the prompt, or of the last message', () => {
  assert.equal(requestedWork(drawing('a tiger'), null).excerpt, 'a tiger')
  assert.equal(requestedWork(drawing('x'.repeat(5000)), null).excerpt.length, longestExcerpt)
  assert.equal(requestedWork({ kind: 'chat', request: makeTextRequest('Hello') }, null).excerpt, 'Hello')
})

test('files are left out of a call, long words are not', () => {
  const prompt = '一只猫'.repeat(400)
  assert.deepEqual(callOf({ prompt, init_image: 'A'.repeat(900), list: ['data:image/png;base64,'.concat('B'.repeat(900))] }).body, {
    prompt,
    init_image: '<base64>',
    list: ['<base64>'],
  })
})

test('a long text is left out as such, not as a file', () => {
  assert.deepEqual(callOf({ prompt: 'some words '.repeat(2000) }).body, { prompt: '<long text>' })
})

test('a call that is too large is not kept', () => {
  assert.equal(callOf({ messages: Array.from({ length: 100 }, () => 'some words '.repeat(20)), more: 'y '.repeat(longestCall) }), null)
})

test('characters that a database rejects are removed, similar ones stay', () => {
  const text = 'half \ud800 nul \0 and \\u0000'
  assert.deepEqual(callOf({ prompt: text }).body, { prompt: 'half \ufffd nul   and \\u0000' })
  assert.equal(requestedWork(drawing(text), null).excerpt, 'half \ufffd nul   and \\u0000')
})
