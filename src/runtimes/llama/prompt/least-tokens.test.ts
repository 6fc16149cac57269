import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../../../../test/support/mini-chat.ts'
import { leastTokens } from './least-tokens.ts'

const conversation = (count: number) =>
  ask('', {
    input: {
      type: 'chat',
      messages: Array.from({ length: count }, () => ({ role: 'user', content: '' })),
      tools: [],
      toolChoice: 'auto',
      parallelToolCalls: true,
    },
  })

test('a message is at least one token', () => {
  assert.equal(leastTokens(conversation(7), 10), 7)
})

test('no token has more bytes than the longest one', () => {
  assert.equal(leastTokens(ask('é'.repeat(50)), 10), 10)
  assert.equal(leastTokens(ask('', { input: { type: 'prompt', prompt: 'x'.repeat(101), echo: false } }), 10), 11)
  const gap = { suffix: 'y'.repeat(100), files: [{ name: 'ab', text: 'z'.repeat(98) }] }
  assert.equal(leastTokens(ask('', { input: { type: 'prompt', prompt: 'x'.repeat(101), echo: false, gap } }), 10), 31)
})
