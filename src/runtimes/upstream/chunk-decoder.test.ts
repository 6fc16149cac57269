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

suite('streams of servers with OpenAI’s interface', () => {
  test('texts, thoughts under both names, and calls are parts in their order', async () => {
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

  test('the document of a server that does not stream is the whole answer', async () => {
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
    ['a choice nobody asked for', { choices: [{ index: 1_000_000_000, delta: { content: 'x' } }] }],
    ['a choice without a number', { choices: [{ index: 'a', delta: { content: 'x' } }] }],
    ['a call whose number is a text', delta({ tool_calls: [{ index: 'a', function: { name: 'f' } }] })],
    ['a call whose name is an object', delta({ tool_calls: [{ index: 0, function: { name: {} } }] })],
    [
      'calls that do not end',
      delta({ tool_calls: [{ function: { name: 'f' } }, { function: { name: 'g', arguments: 'x'.repeat(2 ** 22 + 1) } }] }),
    ],
    ['an end that is an object', delta({}, { finish_reason: {} })],
  ]
  for (const [name, event] of strange)
    test(`${name} ends a request`, async () => {
      await assertRejected(collect([event, end, usage]), broken)
    })

  test('a choice without an index, left out or null, is the only one', async () => {
    for (const index of [undefined, null]) {
      const numbered = (fields: object) => ({ choices: [{ index, ...fields }] })
      const parts = await decode([numbered({ delta: { content: 'a' } }), numbered({ delta: {}, finish_reason: 'stop' }), usage])
      assert.deepEqual(parts.slice(0, 2), [
        { type: 'text', choice: 0, text: 'a' },
        { type: 'choice-finish', choice: 0, reason: 'stop' },
      ])
    }
  })

  test('choices that come mixed are kept apart, and an index that is left out is the first', async () => {
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
    assert.equal(parts.filter(({ type }) => type === 'choice-finish').length, 2, 'an end that comes twice is reported once')
  })

  for (const [reason, stop, expected] of [
    ['stop', null, { reason: 'stop' }],
    ['length', null, { reason: 'length' }],
    ['content_filter', null, { reason: 'content_filter' }],
    ['eos_token', 128_009, { reason: 'stop' }],
    ['stop', '###', { reason: 'stop', stop: '###' }],
  ] as const)
    test(`${reason} with ${stop} ends as ${JSON.stringify(expected)}`, async () => {
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
      { promptTokens: 0, completionTokens: 0, cachedTokens: 0 },
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
    test(`${JSON.stringify(reported)} is what was used`, async () => {
      assert.deepEqual((await decode([end, { choices: [], usage: reported }])).at(-1), { type: 'finish', usage: expected })
    })

  test('the last counts hold, whether they come with the text or behind it', async () => {
    const counted = { ...delta({ content: 'a' }), usage: { prompt_tokens: 7, completion_tokens: 1 } }
    assert.deepEqual((await decode([counted, { ...end, usage: null }, usage])).at(-1), {
      type: 'finish',
      usage: { promptTokens: 7, completionTokens: 3, cachedTokens: 0 },
    })
    assert.equal(Object((await decode([counted, end])).at(-1)).usage.completionTokens, 1)
  })

  test('log probabilities of chats have bytes, by the text where the server tells none', async () => {
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

  test('what is said instead of an answer is the answer', async () => {
    const { choices } = await collect([delta({ role: 'assistant', content: '', refusal: null }), delta({ refusal: 'No.' }), end, usage])
    assert.equal(choices[0]?.text, 'No.')
  })

  test('log probabilities of tokens that are no whole letter yet are kept, but none of thoughts', async () => {
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

  test('a log probability that JSON has no number for is the least', async () => {
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
    test(`${JSON.stringify(entry)} is no log probability`, async () =>
      assertRejected(decode([delta({ content: 'a' }, { logprobs: { content: [entry] } }), end, usage]), broken))

  for (const logprobs of [
    { tokens: [['a']], token_logprobs: [-1] },
    { tokens: [5], token_logprobs: [-1] },
    { tokens: ['a'], token_logprobs: [-1], top_logprobs: [{ a: {} }] },
  ])
    test(`${JSON.stringify(logprobs)} are none of a completion`, async () =>
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
    ['ends before another of its choices', [{ choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }], 2],
    ['was aborted by the server', [delta({ content: 'a' }, { finish_reason: 'abort' }), usage], 1],
    ['ends for an error', [delta({ content: 'a' }, { finish_reason: 'error' }), usage], 1],
    ['is no JSON', ['<html>'], 1],
    ['is a number', ['5'], 1],
    ['is null', ['null'], 1],
    ['reports an error', [delta({ content: 'a' }), { error: { message: 'out of memory' } }], 1],
    ['has choices that are none', [{ choices: 5 }], 1],
    ['has a choice that is none', [{ choices: [null] }], 1],
    ['has calls that are none', [delta({ tool_calls: 5 })], 1],
    ['has log probabilities that are none', [delta({ content: 'a' }, { logprobs: { content: 'x' } })], 1],
    ['has tokens that are none', [{ choices: [{ text: 'a', logprobs: { tokens: 'x' } }] }], 1],
  ] as const)
    test(`a stream that ${name} has failed, by the server’s fault`, async () => {
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
    test(`a stream that says ${JSON.stringify(error)} ends with ${code}`, async () => assertRejected(decode([error]), { code }))

  test('a stream that breaks off before its answer is finished has failed', async () => {
    for (const events of [[delta({ content: 'a' })], [{ ...delta({ content: 'a' }), usage: usage.usage }]])
      await assertRejected(Array.fromAsync(streamedParts(new ChunkDecoder(1), events)), broken)
  })

  test('an answer that ends with [DONE] or the counts alone has ended', async () => {
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
    ['nowhere', {}],
    ['as null', { usage: null }],
    ['in the field of Groq', { x_groq: { usage: usage.usage } }],
    ['as what llama.cpp’s server took', { timings: { prompt_n: 3, cache_n: 4, predicted_n: 3 } }],
  ] as const)
    test(`counts that come ${name} are found or estimated`, async () => {
      const last = (await decode([delta({ content: 'a' }), { ...end, ...more }])).at(-1)
      const cachedTokens = 'timings' in more ? 4 : 0
      const counted = 'x_groq' in more || 'timings' in more
      const expected = counted
        ? { promptTokens: 7, completionTokens: 3, cachedTokens }
        : { promptTokens: 2, completionTokens: 1, cachedTokens }
      assert.deepEqual(last, { type: 'finish', usage: expected })
    })

  test('a content of parts is its texts and thoughts in their order, and numbers are written', async () => {
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

  test('an error that is null is none', async () => {
    assert.equal((await decode([{ ...delta({ content: 'a' }), error: null }, end, usage])).at(-1)?.type, 'finish')
  })

  test('a server that makes one choice of several is not to blame, once it has ended it', async () => {
    await assertRejected(decode([delta({ content: 'a' }), end, usage], 2), { code: 'unsupported_parameter', param: 'n' })
    await assertRejected(decode([{ choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }, usage], 2), broken)
  })

  test('the cause of an answer without choices says so', async () => {
    for (const lines of [[], [{ detail: 'Not Found' }]])
      await assert.rejects(Array.fromAsync(streamedParts(new ChunkDecoder(1), lines)), (error: Error) =>
        /sent no events/.test(String(error.cause)),
      )
  })

  test('nothing behind [DONE] is read', async () => {
    const parts = await decode([end, usage, '[DONE]', '<html>'])
    assert.equal(parts.at(-1)?.type, 'finish')
  })
})
