import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeTextRequest } from '../../../../test/support/text-request.ts'
import { asSent } from '../../../../test/support/wire/as-sent.ts'
import type { TextChoice, TextResult } from '../../../operations/collect-text.ts'
import { encodeChatCompletion } from './chat-completion.ts'
import { encodeCompletion, startCompletion } from './completion.ts'
import { encodeEmbedding } from './text-answers.ts'

const head = { id: 'cmpl-1', created: 12, model: 'm' }
const plain: TextChoice = { text: 'Hi', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' }
const resultOf = (...choices: readonly TextChoice[]): TextResult => ({
  choices,
  usage: { promptTokens: 4, completionTokens: 6, cachedTokens: 0 },
})
const request = makeTextRequest('hi')

describe('the head of an answer', () => {
  it('has a unique id and a time in whole seconds', () => {
    const clock = { now: () => 1999, steadyNow: () => 0 }
    const [a, b] = [startCompletion({ ...clock, wait: async () => {} }, 'm'), startCompletion({ ...clock, wait: async () => {} }, 'm')]
    assert.match(a.id, /^cmpl-[0-9a-f]{32}$/)
    assert.notEqual(a.id, b.id)
    assert.equal(a.created, 1)
  })
})

describe('a chat answer', () => {
  it('has the fields that official clients expect: delta and function_call null, usage summed', () => {
    assert.deepEqual(asSent(encodeChatCompletion(head, request, resultOf(plain))), {
      id: 'cmpl-1',
      object: 'chat.completion',
      created: 12,
      model: 'm',
      system_fingerprint: null,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', function_call: null }, delta: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10, prompt_tokens_details: { cached_tokens: 0 } },
    })
  })

  const call = { id: 'call_1', name: 'find', arguments: '{"q":"é"}' }
  for (const [what, choice, content] of [
    ['nothing said and nothing called', { ...plain, text: '' }, ''],
    ['a call alone', { ...plain, text: '', toolCalls: [call], reason: 'tool_calls' }, null],
    ['words and a call', { ...plain, text: 'Look:', toolCalls: [call], reason: 'tool_calls' }, 'Look:'],
  ] as const)
    it(`has ${JSON.stringify(content)} as the content of ${what}`, () => {
      const [first] = asSent(encodeChatCompletion(head, request, resultOf(choice))).choices
      assert.equal(first?.message.content, content)
      assert.equal('tool_calls' in (first?.message ?? {}), choice.toolCalls.length > 0)
    })

  it('returns the arguments of a call exactly as the model wrote them', () => {
    const [first] = encodeChatCompletion(head, request, resultOf({ ...plain, toolCalls: [{ ...call, arguments: '{broken' }] })).choices
    assert.deepEqual(first?.message.tool_calls, [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: '{broken' } }])
  })

  it('numbers its choices, and has reasoning and log probabilities only if there are any', () => {
    const { choices } = asSent(encodeChatCompletion(head, request, resultOf(plain, { ...plain, thoughts: 'hm', reason: 'length' })))
    assert.deepEqual(
      choices.map(({ index, finish_reason, message }) => [index, finish_reason, message.reasoning_content]),
      [
        [0, 'stop', undefined],
        [1, 'length', 'hm'],
      ],
    )
    assert.ok(choices.every((choice) => !('logprobs' in choice)))
    const requested = encodeChatCompletion(head, makeTextRequest('hi', { topLogprobs: 0 }), resultOf(plain))
    assert.deepEqual(requested.choices[0]?.logprobs, { content: [] })
  })
})

describe('a completion answer', () => {
  it('has null for log probabilities unless they were requested, even without alternatives', () => {
    assert.equal(encodeCompletion(head, request, resultOf(plain)).choices[0]?.logprobs, null)
    assert.deepEqual(encodeCompletion(head, makeTextRequest('hi', { topLogprobs: 0 }), resultOf(plain)).choices[0]?.logprobs, {
      tokens: [],
      token_logprobs: [],
      top_logprobs: [],
      text_offset: [],
    })
  })
})

describe('an embedding answer', () => {
  const result = { vectors: [[0.6, -0.8], [1]], promptTokens: 5 }

  it('keeps the order of the inputs and counts no completion tokens', () => {
    assert.deepEqual(encodeEmbedding('m', result, 'float'), {
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.6, -0.8] },
        { object: 'embedding', index: 1, embedding: [1] },
      ],
      model: 'm',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    })
  })

  it('encodes little-endian float32, as official clients expect', () => {
    const [first] = encodeEmbedding('m', result, 'base64').data
    const bytes = Buffer.from(String(first?.embedding), 'base64')
    assert.deepEqual([bytes.length, bytes.readFloatLE(0), bytes.readFloatLE(4)], [8, Math.fround(0.6), Math.fround(-0.8)])
  })
})
