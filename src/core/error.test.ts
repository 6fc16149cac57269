import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeText, ServiceError, toErrorRecord, toFailureRecord } from './error.ts'

const failure = (cause?: unknown) => new ServiceError('inference_failed', 'It failed.', { cause })

test('a cause is one line, with the first reason last', () => {
  const refused = new Error('connect ECONNREFUSED 10.0.0.7:8000')
  assert.equal(
    causeText(failure(new Error('The upstream cannot be reached.', { cause: refused }))),
    'The upstream cannot be reached. ← connect ECONNREFUSED 10.0.0.7:8000',
  )
  assert.equal(causeText(failure('Error: out of memory\n    at decode (llama.ts:1)')), 'Error: out of memory')
  assert.equal(causeText(failure(failure(refused))), refused.message, 'a message for clients does not contain its cause')
  const cutOff = new TypeError('terminated', { cause: new Error('other side closed') })
  assert.equal(causeText(new Error('The answer broke off.', { cause: cutOff })), 'The answer broke off. ← the connection broke off')
  assert.equal(causeText(new TypeError('nobody foresaw it')), 'nobody foresaw it')
})

test('an error without a cause reports none', () => {
  for (const cause of [undefined, null, '', '  \n']) assert.equal(causeText(failure(cause)), null)
})

test('a cause is bounded, may be circular, and contains nothing that a database rejects', () => {
  const circle = new Error('round')
  circle.cause = circle
  assert.equal(causeText(failure(circle)), 'round')
  const text = causeText(failure(new Error(`a\0b\ud800${'x'.repeat(5000)}`))) ?? ''
  assert.equal(text.length, 600)
  assert.equal(text.slice(0, 4), 'a b\ufffd')
})

test('clients do not see the cause; the stored record contains it', () => {
  const error = failure(new Error('secret host'))
  assert.equal(JSON.stringify(toErrorRecord(error)).includes('secret'), false)
  assert.equal(toFailureRecord(error).cause, 'secret host')
})
