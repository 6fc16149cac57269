import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { streamedParts } from '../../../test/support/engines/streamed-parts.ts'
import { assertRejected } from '../../../test/support/wire/assert-refused.ts'
import type { TextPart } from '../../core/text-generation.ts'
import { collectText } from '../../operations/collect-text.ts'
import { ChunkDecoder } from './chunk-decoder.ts'

const stream = (events: readonly unknown[], choices: number) =>
  streamedParts(new ChunkDecoder(choices), [...events, '[DONE]'], { choices, maxTokens: 1000 })
const decode = (events: readonly unknown[], choices = 1): Promise<TextPart[]> => Array.fromAsync(stream(events, choices))
const collect = (events: readonly unknown[], choices = 1) => collectText(stream(events, choices))
const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, ...more }] })
const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }
const broken = { code: 'inference_failed' } as const

suite('streams of servers with OpenAI’s API', () => {
  test('texts, thoughts under both names, and calls become parts in order', async () => {
    const events = [
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'so' }),
      delta({ reasoning: ' then' }),
      delta({ content: 'Let' }),
      delta({ content: ' me' }),
      delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] }),
      delta({
        tool_calls: [
          { index: 0, id: 'a', function: { name: 'look', arguments: '1}' } },
          { index: 1, id: null, function: { name: 'go' } },
        ],
      }),
      delta({}, { finish_reason: 'tool_calls' }),
      usage,
    ]
    const parts = await decode(events)
    assert.deepEqual(
      parts.map(({ type }) => type),
      [
        ...['thoughts', 'thoughts', 'text', 'text', 'tool-call', 'tool-arguments', 'tool-arguments', 'tool-call', 'tool-arguments'],
        ...['choice-finish', 'finish'],
      ],
    )
    const { choices } = await collect(events)
    const made = choices[0]?.toolCalls[1]?.id ?? ''
    assert.match(made, /^call_[0-9a-f]{32}$/)
    assert.deepEqual(choices, [
      {
        text: 'Let me',
        thoughts: 'so then',
        toolCalls: [
          { id: 'a', name: 'look', arguments: '{"at":1}' },
          { id: made, name: 'go', arguments: '{}' },
        ],
        logprobs: [],
        reason: 'tool_calls',
      },
    ])
  })

  test('the response of a server that does not stream is the complete answer', async () => {
    const call = (name: string) => ({ id: name, type: 'function', function: { name, arguments: '{}' } })
    const said = { role: 'assistant', content: 'Let me', reasoning_content: 'so', tool_calls: [call('look'), call('go')] }
    const { choices } = await collect([{ ...usage, choices: [{ index: 0, message: said, finish_reason: 'tool_calls' }] }])
    const toolCalls = ['look', 'go'].map((name) => ({ id: name, name, arguments: '{}' }))
    assert.deepEqual(choices, [{ text: 'Let me', thoughts: 'so', toolCalls, logprobs: [], reason: 'tool_calls' }])
    const plain = { ...usage, choices: [{ index: 0, message: { content: 'Hi', tool_calls: null }, finish_reason: 'stop' }] }
    assert.equal((await collect([plain])).choices[0]?.text, 'Hi')
  })

  const strange: readonly [name: string, event: unknown][] = [
    ['a text that is an object', delta({ content: { a: 1 } })],
    ['a choice that was not requested', { choices: [{ index: 1_000_000_000, delta: { content: 'x' } }] }],
    ['a choice without a number', { choices: [{ index: 'a', delta: { content: 'x' } }] }],
    ['a call whose number is a text', delta({ tool_calls: [{ index: 'a', function: { name: 'f' } }] })],
    ['a call whose name is an object', delta({ tool_calls: [{ index: 0, function: { name: {} } }] })],
    [
      'calls of several megabytes',
      delta({ tool_calls: [{ function: { name: 'f' } }, { function: { name: 'g', arguments: 'x'.repeat(2 ** 22 + 1) } }] }),
    ],
    ['a finish reason that is an object', delta({}, { finish_reason: {} })],
  ]
  for (const [name, event] of strange)
    test(`${name} ends a request`, async () => {
      await assertRejected(collect([event, end, usage]), broken)
    })

  test('a choice without an index, or with null, is the only one', async () => {
    for (const index of [undefined, null]) {
      const numbered = (fields: object) => ({ choices: [{ index, ...fields }] })
      const parts = await decode([numbered({ delta: { content: 'a' } }), numbered({ delta: {}, finish_reason: 'stop' }), usage])
      assert.deepEqual(parts.slice(0, 2), [
        { type: 'text', choice: 0, text: 'a' },
        { type: 'choice-finish', choice: 0, reason: 'stop' },
      ])
    }
  })

  test('interleaved choices are kept separate, and a missing index means the first', async () => {
    const events = [
      { choices: [{ delta: { content: 'a' } }, { index: 1, delta: { content: 'x' } }] },
      { choices: [{ index: 1, delta: { content: 'y' }, finish_reason: 'length' }] },
      { choices: [{ delta: { content: 'b' }, finish_reason: 'stop' }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      usage,
    ]
    const { choices } = await collect(events, 2)
    assert.deepEqual(
      choices.map(({ text, reason }) => [text, reason]),
      [
        ['ab', 'stop'],
        ['xy', 'length'],
      ],
    )
    const parts = await decode(events, 2)
    assert.equal(parts.filter(({ type }) => type === 'choice-finish').length, 2, 'a repeated finish is reported once')
  })

  for (const [reason, stop, expected] of [
    ['stop', null, { reason: 'stop' }],
    ['length', null, { reason: 'length' }],
    ['content_filter', null, { reason: 'content_filter' }],
    ['eos_token', 128_009, { reason: 'stop' }],
    ['content_filter: OTHER', null, { reason: 'content_filter' }],
    ['stop: MAX_TOKENS', null, { reason: 'length' }],
    ['contextLengthReached', null, { reason: 'length' }],
    ['a word that nobody knows', null, { reason: 'stop' }],
    ['stop', '###', { reason: 'stop', stop: '###' }],
  ] as const)
    test(`${reason} with ${stop} becomes ${JSON.stringify(expected)}`, async () => {
      const parts = await decode([delta({ content: 'a' }, { finish_reason: reason, stop_reason: stop }), usage])
      assert.deepEqual(
        parts.find(({ type }) => type === 'choice-finish'),
        { type: 'choice-finish', choice: 0, ...expected },
      )
    })

  for (const [reported, expected] of [
    [{ prompt_tokens: 7 }, { promptTokens: 7, completionTokens: 0, cachedTokens: 0 }],
    [
      { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: null },
      { promptTokens: 7, completionTokens: 3, cachedTokens: 0 },
    ],
    [
      { prompt_tokens: 7, prompt_tokens_details: { cached_tokens: 5 } },
      { promptTokens: 7, completionTokens: 0, cachedTokens: 5 },
    ],
    [
      { prompt_tokens: 7, completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 2 } },
      { promptTokens: 7, completionTokens: 3, cachedTokens: 0, thoughtTokens: 2 },
    ],
    [
      { prompt_tokens: 0, completion_tokens_details: { reasoning_tokens: 0 } },
      { promptTokens: 2, completionTokens: 0, cachedTokens: 0 },
    ],
    [
      { prompt_tokens: '7', completion_tokens: 2.5 },
      { promptTokens: 7, completionTokens: 3, cachedTokens: 0 },
    ],
    [
      { input_tokens: 7, output_tokens: 3 },
      { promptTokens: 7, completionTokens: 3, cachedTokens: 0 },
    ],
    [
      { prompt_tokens: 7, total_tokens: 10 },
      { promptTokens: 7, completionTokens: 3, cachedTokens: 0 },
    ],
    ...[-1, 1e300, 'a', {}, [], null].map(
      (prompt_tokens) =>
        [
          { prompt_tokens, completion_tokens: 3, prompt_tokens_details: { cached_tokens: -1 } },
          { promptTokens: 2, completionTokens: 3, cachedTokens: 0 },
        ] as const,
    ),
  ] as const)
    test(`reads the usage in ${JSON.stringify(reported)}`, async () => {
      assert.deepEqual((await decode([end, { choices: [], usage: reported }])).at(-1), { type: 'finish', usage: expected })
    })

  test('the last counts are used, whether they come with the text or after it', async () => {
    const counted = { ...delta({ content: 'a' }), usage: { prompt_tokens: 7, completion_tokens: 1 } }
    assert.deepEqual((await decode([counted, { ...end, usage: null }, usage])).at(-1), {
      type: 'finish',
      usage: { promptTokens: 7, completionTokens: 3, cachedTokens: 0 },
    })
    assert.equal(Object((await decode([counted, end])).at(-1)).usage.completionTokens, 1)
  })

  test('log probabilities of chats have bytes, derived from the text if the server sends none', async () => {
    const content = [
      { token: 'é', logprob: -0.5, top_logprobs: [{ token: 'e', logprob: -1, bytes: [101] }] },
      { token: '?', logprob: -2, bytes: [195] },
    ]
    const [part] = await decode([delta({ content: 'é' }, { logprobs: { content } }), end, usage])
    assert.deepEqual(Object(part).logprobs, [
      { token: 'é', logprob: -0.5, bytes: [195, 169], top: [{ token: 'e', logprob: -1, bytes: [101] }] },
      { token: '?', logprob: -2, bytes: [195], top: [] },
    ])
  })

  test('a refusal is the answer', async () => {
    const { choices } = await collect([delta({ role: 'assistant', content: '', refusal: null }), delta({ refusal: 'No.' }), end, usage])
    assert.equal(choices[0]?.text, 'No.')
  })

  test('log probabilities of incomplete characters are kept, those of thoughts are not', async () => {
    const content = [{ token: '\\xc3', logprob: -0.5, bytes: [195] }]
    const [first, second] = await decode([
      delta({ role: 'assistant', content: '' }, { logprobs: null }),
      delta({ reasoning: 'so' }, { logprobs: { content } }),
      delta({ content: '' }, { logprobs: { content } }),
      end,
      usage,
    ])
    assert.deepEqual(first, { type: 'thoughts', choice: 0, text: 'so' })
    assert.deepEqual(second, {
      type: 'text',
      choice: 0,
      text: '',
      logprobs: [{ token: '\\xc3', logprob: -0.5, bytes: [195], top: [] }],
    })
    const [plain] = await decode([{ choices: [{ text: '', logprobs: { tokens: [''], token_logprobs: [-1] } }] }, end, usage])
    assert.equal(Object(plain).logprobs.length, 1)
  })

  test('a log probability that JSON cannot represent becomes the smallest number', async () => {
    const [part] = await decode([delta({ content: 'a' }, { logprobs: { content: [{ token: 'a', logprob: null }] } }), end, usage])
    assert.equal(Object(part).logprobs[0].logprob, -9999)
  })

  for (const entry of [
    { token: 5, logprob: -1 },
    { token: ['a'], logprob: -1 },
    { logprob: -1 },
    { token: 'a', logprob: '-1' },
    { token: 'a', logprob: {} },
    { token: 'a', logprob: -1, bytes: 'a' },
    { token: 'a', logprob: -1, bytes: [256] },
    { token: 'a', logprob: -1, bytes: [null] },
    { token: 'a', logprob: -1, top_logprobs: [{ token: {}, logprob: -1 }] },
  ])
    test(`rejects ${JSON.stringify(entry)} as a log probability`, async () =>
      assertRejected(decode([delta({ content: 'a' }, { logprobs: { content: [entry] } }), end, usage]), broken))

  for (const logprobs of [
    { tokens: [['a']], token_logprobs: [-1] },
    { tokens: [5], token_logprobs: [-1] },
    { tokens: ['a'], token_logprobs: [-1], top_logprobs: [{ a: {} }] },
  ])
    test(`rejects ${JSON.stringify(logprobs)} as log probabilities of a completion`, async () =>
      assertRejected(decode([{ choices: [{ index: 0, text: 'a', logprobs }] }, end, usage]), broken))

  test('log probabilities of plain completions leave the first token of a prompt unscored', async () => {
    const logprobs = { tokens: ['The', ' sky'], token_logprobs: [null, -1], top_logprobs: [null, { ' sky': -1, ' sea': -2 }] }
    const [part] = await decode([{ choices: [{ text: 'The sky', logprobs }] }, end, usage])
    assert.deepEqual(part, {
      type: 'text',
      choice: 0,
      text: 'The sky',
      unscored: { token: 'The', bytes: [84, 104, 101] },
      logprobs: [
        {
          token: ' sky',
          bytes: [32, 115, 107, 121],
          logprob: -1,
          top: [
            { token: ' sky', bytes: [32, 115, 107, 121], logprob: -1 },
            { token: ' sea', bytes: [32, 115, 101, 97], logprob: -2 },
          ],
        },
      ],
    })
    const [bare] = await decode([
      { choices: [{ text: 'a', logprobs: { tokens: ['a'], token_logprobs: [-1], top_logprobs: null } }] },
      end,
      usage,
    ])
    assert.deepEqual([Object(bare).unscored, Object(bare).logprobs[0].top], [undefined, []])
  })

  for (const [name, events, choices] of [
    ['ends before all its choices are complete', [{ choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }], 2],
    ['was aborted by the server', [delta({ content: 'a' }, { finish_reason: 'abort' }), usage], 1],
    ['ends with an error', [delta({ content: 'a' }, { finish_reason: 'error' }), usage], 1],
    ['ends with a call it cannot write', [delta({}, { finish_reason: 'function_call_filter: MALFORMED_FUNCTION_CALL' }), usage], 1],
    ['is not JSON', ['<html>'], 1],
    ['is a number', ['5'], 1],
    ['is null', ['null'], 1],
    ['reports an error', [delta({ content: 'a' }), { error: { message: 'out of memory' } }], 1],
    ['has invalid choices', [{ choices: 5 }], 1],
    ['has an invalid choice', [{ choices: [null] }], 1],
    ['has invalid calls', [delta({ tool_calls: 5 })], 1],
    ['has invalid log probabilities', [delta({ content: 'a' }, { logprobs: { content: 'x' } })], 1],
    ['has invalid tokens', [{ choices: [{ text: 'a', logprobs: { tokens: 'x' } }] }], 1],
  ] as const)
    test(`a stream that ${name} fails as an error of the server`, async () => {
      await assertRejected(decode(events, choices), broken)
    })

  for (const [error, code] of [
    [{ error: { message: 'The input is longer than the context length.', type: 'BadRequestError', code: 400 } }, 'context_length_exceeded'],
    [{ error: { message: 'No such adapter.', type: 'BadRequestError', code: 400 } }, 'invalid_request_error'],
    [{ error: { message: 'No such adapter.', code: '400' } }, 'invalid_request_error'],
    [{ error: { message: 'The queue is full.', code: 503 } }, 'server_is_overloaded'],
    [{ error: { message: 'aborted', http_status_code: 422 } }, 'invalid_request_error'],
    [{ error: 'Input validation error: `top_n` is wrong', error_type: 'validation' }, 'invalid_request_error'],
    [{ error: 'Model is overloaded', error_type: 'overloaded' }, 'server_is_overloaded'],
    [{ error: 'Request failed during generation', error_type: 'generation' }, 'inference_failed'],
    [{ error: { message: 'CUDA error', code: 500 } }, 'inference_failed'],
    [{ error: { message: 'it is late', code: 7 } }, 'inference_failed'],
  ] as const)
    test(`a stream with the error ${JSON.stringify(error)} ends with ${code}`, async () => assertRejected(decode([error]), { code }))

  test('a stream that ends before its answer is complete fails', async () => {
    for (const events of [[delta({ content: 'a' })], [{ ...delta({ content: 'a' }), usage: usage.usage }]])
      await assertRejected(Array.fromAsync(streamedParts(new ChunkDecoder(1), events)), broken)
  })

  test('an answer that ends with [DONE] or only the counts is complete', async () => {
    for (const events of [
      [delta({ content: 'a' }), '[DONE]'],
      [delta({ content: 'a' }), usage],
      [{ choices: [{ message: { content: 'a' } }] }],
    ]) {
      const parts = await Array.fromAsync(streamedParts(new ChunkDecoder(1), events))
      assert.deepEqual(parts.slice(0, 2), [
        { type: 'text', choice: 0, text: 'a' },
        { type: 'choice-finish', choice: 0, reason: 'stop' },
      ])
    }
  })

  for (const [name, more] of [
    ['in no field', {}],
    ['as null', { usage: null }],
    ["in Groq's field", { x_groq: { usage: usage.usage } }],
    ['in the timings of llama.cpp’s server', { timings: { prompt_n: 3, cache_n: 4, predicted_n: 3 } }],
  ] as const)
    test(`counts that come ${name} are read or estimated`, async () => {
      const last = (await decode([delta({ content: 'a' }), { ...end, ...more }])).at(-1)
      const cachedTokens = 'timings' in more ? 4 : 0
      const counted = 'x_groq' in more || 'timings' in more
      const expected = counted
        ? { promptTokens: 7, completionTokens: 3, cachedTokens }
        : { promptTokens: 2, completionTokens: 1, cachedTokens }
      assert.deepEqual(last, { type: 'finish', usage: expected })
    })

  test('a content of parts is split into texts and thoughts in order, and numbers become text', async () => {
    const { choices } = await collect([
      delta({ role: 'assistant', content: '' }),
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
      delta({
        content: [
          { type: 'text', text: 'well ' },
          { type: 'reference', reference_ids: [1] },
        ],
      }),
      delta({ content: 42 }),
      delta({ reasoning: { summary: '?' }, reasoning_content: '' }),
      end,
      usage,
    ])
    assert.deepEqual([choices[0]?.thoughts, choices[0]?.text], ['hm?', 'well 42'])
  })

  test('an error of null is ignored', async () => {
    assert.equal((await decode([{ ...delta({ content: 'a' }), error: null }, end, usage])).at(-1)?.type, 'finish')
  })

  test('a server that returns fewer choices than requested reports an unsupported parameter, once the first is complete', async () => {
    await assertRejected(decode([delta({ content: 'a' }), end, usage], 2), { code: 'unsupported_parameter', param: 'n' })
    await assertRejected(decode([{ choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }, usage], 2), broken)
  })

  test('the cause of an answer without choices states that', async () => {
    for (const lines of [[], [{ detail: 'Not Found' }]])
      await assert.rejects(Array.fromAsync(streamedParts(new ChunkDecoder(1), lines)), (error: Error) =>
        /sent no events/.test(String(error.cause)),
      )
  })

  test('everything after [DONE] is ignored', async () => {
    const parts = await decode([end, usage, '[DONE]', '<html>'])
    assert.equal(parts.at(-1)?.type, 'finish')
  })
})
