import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { streamedParts } from '../../../../test/support/engines/streamed-parts.ts'
import { makeTextRequest } from '../../../../test/support/text-request.ts'
import { asSent } from '../../../../test/support/wire/as-sent.ts'
import { assertRefused, assertRejected } from '../../../../test/support/wire/assert-refused.ts'
import type { ChatInput, ChatMessage, TextPart, TextRequest } from '../../../core/text-generation.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { encodeMessagesRequest } from './encode-messages-request.ts'
import { MessageDecoder } from './message-decoder.ts'

const encode: typeof encodeMessagesRequest = (...request) => asSent(encodeMessagesRequest(...request))

const plain = makeTextRequest('Hi')
const chat = (fields: Partial<ChatInput> = {}, more: Partial<TextRequest> = {}) => {
  assert.ok(plain.input.type === 'chat')
  return encode({ ...plain, ...more, input: { ...plain.input, ...fields } }, 'claude')
}
const look = { name: 'look', description: null, parameters: { properties: {} } }
const sampling = (fields: Partial<TextRequest['sampling']>) => ({ sampling: { ...plain.sampling, ...fields } })
const ending = { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: false }

suite('requests to servers with Anthropic’s API', () => {
  test('a plain request contains the required fields and no disabled options', () => {
    assert.deepEqual(chat(), {
      model: 'claude',
      max_tokens: 512,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stream: true,
    })
    const drawn = chat({}, { ...sampling({ temperature: 0.5, topP: 0.25, topK: 7 }), stop: ['###', '\n\n'], maxTokens: 5 })
    assert.deepEqual([drawn.temperature, drawn.top_p, drawn.top_k, drawn.stop_sequences, drawn.max_tokens], [0.5, 0.25, 7, ['###'], 5])
    assert.ok(!('stop_sequences' in chat({}, { stop: [' '] })))
  })

  test('blank texts, which such servers reject, are left out', () => {
    const parts = [
      { type: 'text', text: '' },
      { type: 'text', text: 'Hi' },
    ] as const
    const messages = [
      { role: 'system', content: '' },
      { role: 'user', content: 'Hi', parts },
    ] as const
    const { system, messages: turns } = chat({ messages })
    assert.deepEqual([system, turns], [undefined, [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]])
  })

  test('system messages come first, images are unchanged, and consecutive messages of one role are joined', () => {
    const messages: readonly ChatMessage[] = [
      { role: 'system', content: 'You' },
      {
        role: 'user',
        content: 'See',
        parts: [
          { type: 'text', text: 'See' },
          { type: 'picture', mediaType: 'image/png', base64: 'AAAA' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        toolCalls: [
          { id: 'a', name: 'look', arguments: '{"at":1}' },
          { id: 'b', name: 'look', arguments: '{}' },
        ],
      },
      { role: 'tool', content: 'one', toolCallId: 'a' },
      { role: 'tool', content: 'two', toolCallId: 'b' },
      { role: 'system', content: 'Now' },
      { role: 'user', content: 'So?' },
    ]
    const body = chat({ messages })
    assert.deepEqual(body.system, [
      { type: 'text', text: 'You' },
      { type: 'text', text: 'Now' },
    ])
    assert.deepEqual(body.messages, [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'one' },
          { type: 'tool_result', tool_use_id: 'b', content: 'two' },
          { type: 'text', text: 'So?' },
        ],
      },
    ])
  })

  for (const [toolChoice, parallelToolCalls, expected] of [
    ['auto', true, { type: 'auto' }],
    ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', true, { type: 'any' }],
    ['none', false, { type: 'none' }],
    [{ name: 'look' }, false, { type: 'tool', name: 'look', disable_parallel_tool_use: true }],
  ] as const)
    test(`a choice of ${JSON.stringify(toolChoice)} becomes ${JSON.stringify(expected)}`, () => {
      const body = chat({ tools: [look, { ...look, name: 'go', description: 'Goes.' }], toolChoice, parallelToolCalls })
      assert.deepEqual(body.tool_choice, expected)
      assert.deepEqual(body.tools, [
        { name: 'look', input_schema: { type: 'object', properties: {} } },
        { name: 'go', description: 'Goes.', input_schema: { type: 'object', properties: {} } },
      ])
    })

  test('thoughts are requested with a budget, and never together with tools', () => {
    assert.deepEqual(chat({ thoughtTokens: 9 }).thinking, { type: 'enabled', budget_tokens: 9 })
    assert.equal(chat({ thoughtTokens: 9, tools: [look] }).thinking, undefined)
    assert.equal(chat({ effort: 'high', effortIsWish: true }).thinking, undefined)
  })

  for (const [param, fields, more] of [
    ['temperature', {}, sampling({ temperature: 1.5 })],
    ['frequency_penalty', {}, sampling({ frequencyPenalty: 0.5 })],
    ['presence_penalty', {}, sampling({ presencePenalty: -0.5 })],
    ['repetition_penalty', {}, sampling({ repetitionPenalty: 1.1 })],
    ['min_p', {}, sampling({ minP: 0.1 })],
    ['logit_bias', {}, sampling({ logitBias: new Map([[5, 1]]) })],
    ['n', {}, { choices: 2 }],
    ['logprobs', {}, { topLogprobs: 0 }],
    ['response_format', {}, { responseFormat: { type: 'json_object' } }],
    ['add_generation_prompt', { opening: 'bare' }, {}],
    ['reasoning_effort', { effort: 'low' }, {}],
    ['include_stop_str_in_output', {}, { ending: { ...ending, includeStop: true } }],
    ['stop_token_ids', {}, { ending: { ...ending, stopTokens: [1] } }],
    ['min_tokens', {}, { ending: { ...ending, minTokens: 1 } }],
    ['ignore_eos', {}, { ending: { ...ending, ignoreEnd: true } }],
  ] as readonly (readonly [string, Partial<ChatInput>, Partial<TextRequest>])[])
    test(`${param} has no equivalent there and is rejected by name`, () => {
      assertRefused(() => chat(fields, more), { code: 'unsupported_parameter', param })
    })

  test('plain prompts are rejected', () => {
    const prompt = { ...plain, input: { type: 'prompt', prompt: 'a', echo: false } } as const
    assertRefused(() => encode(prompt, 'claude'), { code: 'unsupported_parameter', param: 'prompt' })
  })
})

suite('streams of servers with Anthropic’s API', () => {
  const stream = (events: readonly unknown[]) => streamedParts(new MessageDecoder(), events)
  const decode = (events: readonly unknown[]): Promise<TextPart[]> => Array.fromAsync(stream(events))
  const start = (usage: object = {}) => ({ type: 'message_start', message: { usage: { input_tokens: 5, ...usage } } })
  const delta = (index: number, fields: object) => ({ type: 'content_block_delta', index, delta: fields })
  const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
  const stop = (index: number) => ({ type: 'content_block_stop', index })
  const ends = (stop_reason: string | null, more: object = {}) => ({
    type: 'message_delta',
    delta: { stop_reason, ...more },
    usage: { output_tokens: 3 },
  })
  const over = { type: 'message_stop' }

  test('thoughts, text and calls become parts, and calls without arguments get an empty object', async () => {
    const { choices, usage } = await collectText(
      stream([
        start({ cache_read_input_tokens: 2, cache_creation_input_tokens: 1 }),
        { type: 'ping' },
        block(0, { type: 'thinking', thinking: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'so' }),
        delta(0, { type: 'signature_delta', signature: 'x' }),
        stop(0),
        block(1, { type: 'text', text: '' }),
        delta(1, { type: 'text_delta', text: 'Let me' }),
        stop(1),
        block(2, { type: 'server_tool_use', id: 's', name: 'web' }),
        delta(2, { type: 'input_json_delta', partial_json: '{"q":1}' }),
        stop(2),
        block(3, { type: 'tool_use', id: 'a', name: 'look', input: {} }),
        delta(3, { type: 'input_json_delta', partial_json: '' }),
        delta(3, { type: 'input_json_delta', partial_json: '{"at"' }),
        delta(3, { type: 'input_json_delta', partial_json: ':1}' }),
        stop(3),
        block(4, { type: 'tool_use', id: 'b', name: 'go', input: {} }),
        stop(4),
        ends('tool_use'),
        over,
      ]),
    )
    assert.deepEqual(choices, [
      {
        text: 'Let me',
        thoughts: 'so',
        toolCalls: [
          { id: 'a', name: 'look', arguments: '{"at":1}' },
          { id: 'b', name: 'go', arguments: '{}' },
        ],
        logprobs: [],
        reason: 'tool_calls',
      },
    ])
    assert.deepEqual(usage, { promptTokens: 8, completionTokens: 3, cachedTokens: 2 })
  })

  test('a prompt counted before the first word is reported with it, so that a client that leaves is charged for it', async () => {
    const word = delta(0, { type: 'text_delta', text: 'so' })
    const spoken: TextPart = { type: 'text', choice: 0, text: 'so' }
    const rest = [ends('end_turn'), over]
    const begin = async (...events: readonly unknown[]) => (await decode([...events, ...rest])).slice(0, -2)
    const prompt: TextPart = { type: 'prompt', usage: { promptTokens: 8, cachedTokens: 2 } }
    assert.deepEqual(await begin(start({ cache_read_input_tokens: 2, cache_creation_input_tokens: 1 }), { type: 'ping' }, word, word), [
      prompt,
      spoken,
      spoken,
    ])
    for (const input_tokens of [0, null, undefined]) assert.deepEqual(await begin(start({ input_tokens }), word), [spoken])
    assert.deepEqual(await begin(start()), [])
  })

  for (const [reason, more, expected] of [
    ['end_turn', {}, { reason: 'stop' }],
    ['max_tokens', {}, { reason: 'length' }],
    ['model_context_window_exceeded', {}, { reason: 'length' }],
    ['stop_sequence', { stop_sequence: '###' }, { reason: 'stop', stop: '###' }],
    ['refusal', { stop_sequence: null }, { reason: 'content_filter' }],
    ['pause_turn', {}, { reason: 'pause' }],
    ['tool_use', {}, { reason: 'stop' }],
  ] as const)
    test(`${reason} becomes ${JSON.stringify(expected)}, once`, async () => {
      const parts = await decode([start(), ends(null), ends(reason, more), ends(reason, more), over])
      assert.deepEqual(
        parts.filter(({ type }) => type === 'choice-finish'),
        [{ type: 'choice-finish', choice: 0, ...expected }],
      )
    })

  test('a message that arrives as a whole gives the same parts as its stream', async () => {
    const content = [
      { type: 'thinking', thinking: 'so', signature: 'x' },
      { type: 'text', text: 'Let me' },
      { type: 'server_tool_use', id: 's', name: 'web', input: { q: 1 } },
      { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } },
      { type: 'tool_use', id: 'b', name: 'go', input: {} },
    ]
    const usage = { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 3 }
    const message = { type: 'message', role: 'assistant', content, stop_reason: 'tool_use', stop_sequence: null, usage }
    const calls = [
      { id: 'a', name: 'look', arguments: '{"at":1}' },
      { id: 'b', name: 'go', arguments: '{}' },
    ]
    assert.deepEqual(await collectText(stream([message])), {
      choices: [{ text: 'Let me', thoughts: 'so', toolCalls: calls, logprobs: [], reason: 'tool_calls' }],
      usage: { promptTokens: 7, completionTokens: 3, cachedTokens: 2 },
    })
    for (const stop_reason of [null, 'end_turn', 'tool_use'])
      assert.equal((await collectText(stream([{ ...message, stop_reason }]))).choices[0]?.reason, 'tool_calls')
    assert.deepEqual((await decode([{ ...message, content: 5, usage: {} }])).at(-1), {
      type: 'finish',
      usage: { promptTokens: 2, completionTokens: 0, cachedTokens: 0 },
    })
  })

  test('a call without an id gets one', async () => {
    const parts = await decode([start(), block(0, { type: 'tool_use', name: 'look' }), stop(0), ends('tool_use'), over])
    assert.match(String(Object(parts[1]).id), /^call_[0-9a-f]{32}$/)
  })

  for (const [name, events, code] of [
    ['has a call without a name', [start(), block(0, { type: 'tool_use', id: 'a' }), ends('tool_use'), over], 'inference_failed'],
    [
      'has a call with an invalid name',
      [start(), block(0, { type: 'tool_use', id: 'a', name: {} }), ends('tool_use'), over],
      'inference_failed',
    ],
    ['ends in the middle', [start()], 'inference_failed'],
    ['is not JSON', ['<html>'], 'inference_failed'],
    ['reports an error', [start(), { type: 'error', error: { type: 'api_error' } }], 'inference_failed'],
    ['reports an error without a shape', [{ type: 'error', error: 5 }], 'inference_failed'],
    ['is overloaded', [start(), { type: 'error', error: { type: 'overloaded_error' } }], 'server_is_overloaded'],
    ['is rate limited', [{ type: 'error', error: { type: 'rate_limit_error' } }], 'server_is_overloaded'],
  ] as const)
    test(`a stream that ${name} fails with ${code}`, async () => assertRejected(decode(events), { code }))

  test('malformed events are ignored, and missing counts are estimated', async () => {
    const odd = [
      5,
      null,
      [],
      {},
      { type: 'message_start', message: 5 },
      { type: 'content_block_delta', index: 'x', delta: { type: 'text_delta', text: 5 } },
    ]
    const parts = await decode([...odd, start({ input_tokens: null }), ends('end_turn'), over])
    assert.deepEqual(parts.at(-1), { type: 'finish', usage: { promptTokens: 2, completionTokens: 3, cachedTokens: 0 } })
    assert.equal(parts.length, 2)
  })
})
