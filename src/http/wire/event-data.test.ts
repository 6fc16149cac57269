import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeEventData } from './event-data.ts'

test('an event is one data line of ASCII that parses back to its value', () => {
  for (const text of ['plain', 'é 巴黎 🐯', 'line\nbreak\r', '\u0085\u2028\u2029', 'a [DONE] b [DONE]', '\ud800', '\u007f\u0000']) {
    const event = encodeEventData({ text })
    assert.match(event, /^data: [ -~]*\n\n$/)
    assert.ok(!event.includes('[DONE]'))
    assert.deepEqual(JSON.parse(event.slice('data: '.length)), { text })
  }
})
