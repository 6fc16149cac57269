import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeTextRequest } from '../../../../test/support/text-request.ts'
import { ServiceError } from '../../../core/error.ts'
import type { TextPart, TokenLogprob } from '../../../core/text-generation.ts'
import { encodeChatStream } from './chat-stream.ts'
import { encodeCompletionStream } from './completion.ts'

const head = { id: 'cmpl-1', created: 12, model: 'm' }
const usage = { promptTokens: 3, completionTokens: 2, cachedTokens: 1 }
const quiet = { stream: true, includeUsage: false }

type Data = Record<string, unknown> & {
  readonly choices: readonly Record<string, unknown>[]
  readonly usage?: object
  readonly error?: object
}

async function* of(parts: readonly TextPart[], failure?: Error): AsyncGenerator<TextPart> {
  yield* parts
  if (failure) throw failure
}

/** Reads events like a client; `ended` shows how the stream ended. */
async function read(
  events: AsyncIterable<string>,
): Promise<{ data: readonly Data[]; raw: string; ended: 'done' | 'broken off' | 'failed' }> {
  let raw = ''
  let failed = false
  try {
    for await (const event of events) {
      assert.match(event, /^data: [ -~]*\n\n$/, 'one whole event in plain ASCII')
      raw += event
    }
  } catch {
    failed = true
  }
  const texts = raw.split('\n\n').filter((text) => text !== '')
  const done = texts.at(-1) === 'data: [DONE]'
  const data = texts.filter((text) => text !== 'data: [DONE]').map((text): Data => JSON.parse(text.slice('data: '.length)))
  return { data, raw, ended: done ? 'done' : failed ? 'failed' : 'broken off' }
}

const chat = (
  parts: readonly TextPart[],
  { delivery = quiet, choices = 1, failure }: { delivery?: typeof quiet; choices?: number; failure?: Error } = {},
) => read(encodeChatStream(head, makeTextRequest('hi', { choices }), of(parts, failure), delivery))
const completion = (parts: readonly TextPart[], { delivery = quiet, failure }: { delivery?: typeof quiet; failure?: Error } = {}) =>
  read(encodeCompletionStream(head, of(parts, failure), delivery))

const said: readonly TextPart[] = [
  { type: 'text', choice: 0, text: 'Hel' },
  { type: 'text', choice: 0, text: 'lo' },
  { type: 'choice-finish', choice: 0, reason: 'stop' },
  { type: 'finish', usage },
]

const logprob: TokenLogprob = {
  token: 'Hé',
  logprob: -0.5,
  bytes: [72, 195, 169],
  top: [{ token: '__proto__', logprob: -1, bytes: [1] }],
}

describe('a chat stream', () => {
  it('consists of OpenAI chunks with one id, a finish reason and then [DONE]', async () => {
    const { data, ended } = await chat(said)
    assert.equal(ended, 'done')
    for (const chunk of data)
      assert.deepEqual([chunk.id, chunk.object, chunk.created, chunk.model], ['cmpl-1', 'chat.completion.chunk', 12, 'm'])
    assert.deepEqual(
      data.map(({ choices: [choice] }) => [choice?.index, choice?.delta, choice?.finish_reason]),
      [
        [0, { role: 'assistant', content: null, function_call: null }, null],
        [0, { role: 'assistant', content: 'Hel', function_call: null }, null],
        [0, { role: 'assistant', content: 'lo', function_call: null }, null],
        [0, { role: 'assistant', content: '', function_call: null }, 'stop'],
      ],
    )
  })

  it('starts every choice before the first text', async () => {
    const { data } = await chat([{ type: 'text', choice: 2, text: 'x' }], { choices: 3 })
    assert.deepEqual(
      data.map(({ choices: [choice] }) => choice?.index),
      [0, 1, 2, 2],
    )
  })

  it('sends usage in a separate chunk without choices, only if requested', async () => {
    assert.ok((await chat(said)).data.every((chunk) => !('usage' in chunk)))
    const last = (await chat(said, { delivery: { stream: true, includeUsage: true } })).data.at(-1)
    assert.deepEqual(last?.choices, [])
    assert.deepEqual(last?.usage, {
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      prompt_tokens_details: { cached_tokens: 1 },
    })
  })

  it('sends a failure as an event, rethrows it, and never sends [DONE]', async () => {
    const failure = new ServiceError('inference_failed', 'The model stopped.')
    const { data, ended, raw } = await chat([said[0] ?? { type: 'finish', usage }], { failure })
    assert.equal(ended, 'failed')
    assert.doesNotMatch(raw, /\[DONE\]/)
    assert.deepEqual(data.at(-1)?.error, { message: 'The model stopped.', type: 'server_error', param: null, code: 'inference_failed' })
  })

  it('hides the cause of unexpected errors', async () => {
    const { raw } = await chat([], { failure: new TypeError('secret path /etc/x') })
    assert.match(raw, /internal_error/)
    assert.doesNotMatch(raw, /secret|etc/)
  })

  for (const text of [
    'data: [DONE]\n\n',
    '[DONE]',
    'é\u2028\u2029\u0085',
    '😀',
    '\u0000\u001b[2J',
    '\r\n\r\nevent: x\n\n',
    '"\\',
    '\ud83d',
  ])
    it(`carries ${JSON.stringify(text)} unharmed in one event`, async () => {
      const { data, ended } = await chat([{ type: 'text', choice: 0, text }, ...said.slice(2)])
      assert.equal(ended, 'done')
      assert.equal(data.length, 3)
      assert.deepEqual(data[1]?.choices[0]?.delta, { role: 'assistant', content: text, function_call: null })
    })

  it('streams reasoning next to the answer', async () => {
    const { data } = await chat([{ type: 'thoughts', choice: 0, text: 'hm' }])
    assert.deepEqual(data[1]?.choices[0]?.delta, { role: 'assistant', content: null, function_call: null, reasoning_content: 'hm' })
  })

  it('sends each call of a custom tool in one chunk, before the next part, in every choice', async () => {
    const parts: readonly TextPart[] = [
      { type: 'tool-call', choice: 0, index: 0, id: 'a', name: 'patch' },
      { type: 'tool-arguments', choice: 0, index: 0, fragment: '{"input":"x' },
      { type: 'tool-call', choice: 1, index: 0, id: 'b', name: 'find' },
      { type: 'tool-arguments', choice: 1, index: 0, fragment: '{}' },
      { type: 'tool-arguments', choice: 0, index: 0, fragment: '\\ny"}' },
      { type: 'tool-call', choice: 0, index: 1, id: 'c', name: 'patch' },
      { type: 'tool-arguments', choice: 0, index: 1, fragment: '{broken' },
      { type: 'choice-finish', choice: 0, reason: 'tool_calls' },
      { type: 'choice-finish', choice: 1, reason: 'tool_calls' },
    ]
    const tool = { description: null, parameters: {} }
    const tools = [
      { ...tool, name: 'patch', calledAs: 'text' as const },
      { ...tool, name: 'find' },
    ]
    const input = { type: 'chat', messages: [], tools, toolChoice: 'auto', parallelToolCalls: true } as const
    const { data } = await read(encodeChatStream(head, makeTextRequest('', { input, choices: 2 }), of(parts), quiet))
    const written = { 0: ['', ''], 1: [''] } as Record<number, string[]>
    for (const { choices } of data)
      for (const { index: choice, delta } of choices as {
        index: number
        delta: { tool_calls?: { index: number; custom?: { input: string }; function?: { arguments: string } }[] }
      }[])
        for (const call of delta.tool_calls ?? []) {
          const texts = written[choice] ?? []
          texts[call.index] += call.custom?.input ?? call.function?.arguments ?? ''
        }
    assert.deepEqual(written, { 0: ['x\ny', '{broken'], 1: ['{}'] })
  })

  it('streams a tool call as its name, then pieces that join to its arguments', async () => {
    const { data } = await chat([
      { type: 'tool-call', choice: 0, index: 1, id: 'call_1', name: 'find' },
      { type: 'tool-arguments', choice: 0, index: 1, fragment: '{"a":' },
      { type: 'tool-arguments', choice: 0, index: 1, fragment: '1}' },
      { type: 'choice-finish', choice: 0, reason: 'tool_calls' },
    ])
    const deltas = data.slice(1, 4).map(({ choices: [choice] }) => JSON.parse(JSON.stringify(choice?.delta)).tool_calls[0])
    assert.deepEqual(deltas[0], { index: 1, id: 'call_1', type: 'function', function: { name: 'find', arguments: '' } })
    assert.equal(deltas.map((each) => each.function.arguments).join(''), '{"a":1}')
    assert.deepEqual(
      deltas.map(({ index }) => index),
      [1, 1, 1],
    )
    assert.equal(data.at(-1)?.choices[0]?.finish_reason, 'tool_calls')
  })

  it('carries log probabilities with the bytes of each token', async () => {
    const { data } = await chat([{ type: 'text', choice: 0, text: 'Hé', logprobs: [logprob] }])
    assert.deepEqual(data[1]?.choices[0]?.logprobs, {
      content: [{ token: 'Hé', logprob: -0.5, bytes: [72, 195, 169], top_logprobs: [{ token: '__proto__', logprob: -1, bytes: [1] }] }],
    })
    assert.ok(!('logprobs' in ((await chat(said)).data[1]?.choices[0] ?? {})))
  })
})

describe('a completion stream', () => {
  it('consists of text_completion chunks with a finish reason and [DONE]', async () => {
    const { data, ended } = await completion(said)
    assert.equal(ended, 'done')
    assert.ok(data.every(({ object }) => object === 'text_completion'))
    assert.deepEqual(
      data.map(({ choices: [choice] }) => [choice?.text, choice?.finish_reason]),
      [
        ['Hel', null],
        ['lo', null],
        ['', 'stop'],
      ],
    )
  })

  it('counts text offsets separately in each choice', async () => {
    const token = (text: string): TokenLogprob => ({ token: text, logprob: 0, bytes: [], top: [] })
    const { data } = await completion([
      { type: 'text', choice: 0, text: 'abc', logprobs: [token('a'), token('bc')] },
      { type: 'text', choice: 1, text: 'xy', logprobs: [token('xy')] },
      { type: 'text', choice: 0, text: 'd', logprobs: [token('d')] },
      { type: 'text', choice: 1, text: 'z', logprobs: [token('z')] },
      { type: 'text', choice: 0, text: 'e', logprobs: [token('e')] },
    ])
    const offsets = data.map(({ choices: [choice] }) => JSON.parse(JSON.stringify(choice?.logprobs)).text_offset)
    assert.deepEqual(offsets, [[0, 1], [0], [3], [2], [4]])
  })

  it('has null for log probabilities that were not requested, and accepts any token as a key', async () => {
    assert.equal((await completion(said)).data[0]?.choices[0]?.logprobs, null)
    const { raw } = await completion([{ type: 'text', choice: 0, text: 'Hé', logprobs: [logprob] }])
    assert.match(raw, /"top_logprobs":\[\{"__proto__":-1\}\]/)
  })

  it('sends usage and failures like the chat stream', async () => {
    const last = (await completion(said, { delivery: { stream: true, includeUsage: true } })).data.at(-1)
    assert.deepEqual([last?.choices, last?.object], [[], 'text_completion'])
    const { ended, data, raw } = await completion([], { failure: new ServiceError('shutting_down', 'Ends.', { retryAfterSeconds: 1 }) })
    assert.equal(ended, 'failed')
    assert.doesNotMatch(raw, /\[DONE\]/)
    assert.equal(data.length, 1)
  })
})

describe('a text event', () => {
  it('differs from other events only in its text and choice, whatever the name of the model', async () => {
    const model = 'a "content":"" b [DONE] é'
    const texts = ['plain', '"content":""', 'é \u2028 🐯 [DONE]', '\\"\n', '']
    const parts = texts.flatMap((text): TextPart[] => [0, 1].map((choice) => ({ type: 'text', choice, text })))
    const { data } = await read(encodeChatStream({ ...head, model }, makeTextRequest('hi', { choices: 2 }), of(parts), quiet))
    assert.deepEqual(
      data.slice(2),
      parts.map((part) => ({
        id: 'cmpl-1',
        object: 'chat.completion.chunk',
        created: 12,
        model,
        choices: [
          {
            index: part.type === 'text' ? part.choice : null,
            delta: { role: 'assistant', content: part.type === 'text' ? part.text : null, function_call: null },
            finish_reason: null,
          },
        ],
      })),
    )
  })
})
