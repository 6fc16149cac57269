import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TextRequest } from '../../src/core/text-generation.ts'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { type Answer, startTextServer } from '../support/engines/text-server.ts'
import { makeTextRequest } from '../support/text-request.ts'
import { assertRejected } from '../support/wire/assert-refused.ts'

const { signal } = new AbortController()
const whole = { object: 'chat.completion.chunk', id: 'chatcmpl-1', created: 1, model: 'm' }
const event = (value: object) => `data: ${JSON.stringify({ ...whole, ...value })}\n\n`
const choice = (delta: object, more: object = {}) => event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }] })
const counts = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
const usage = (more: object = {}) => event({ choices: [], usage: { ...counts, ...more } })
const done = 'data: [DONE]\n\n'
const call = (index: number, id: string, name: string, written: string) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: written },
})
const status =
  (code: number, body: unknown): Answer =>
  (response) =>
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const streams =
  (text: string): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)

/** The answers of each server, after its documentation and source: "Let me look." with two function calls, a prompt that is too long, and a busy server. */
const servers: Readonly<Record<string, { readonly answers: readonly string[]; readonly tooLong: Answer; readonly busy: Answer }>> = {
  vLLM: {
    answers: [
      choice({ role: 'assistant', content: '', reasoning: null }),
      choice({ content: 'Let me' }),
      choice({ content: ' look.', reasoning_content: null }),
      choice({ tool_calls: [{ index: 0, id: 'chatcmpl-tool-1', type: 'function', function: { name: 'look' } }] }),
      choice({ tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] }),
      choice({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
      choice({ tool_calls: [call(1, 'chatcmpl-tool-2', 'look', '{"at":2}')] }, { stop_reason: null }),
      choice({ content: '' }, { finish_reason: 'tool_calls', stop_reason: null, token_ids: null }),
      usage({ prompt_tokens_details: null }),
    ],
    tooLong: status(400, {
      error: {
        message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
        type: 'BadRequestError',
        code: 400,
      },
    }),
    busy: status(503, { detail: 'The engine is starting' }),
  },
  SGLang: {
    answers: [
      choice({ role: 'assistant', content: '', reasoning_content: null, tool_calls: null }, { matched_stop: null }),
      choice({ role: null, content: 'Let me look.', reasoning_content: null, tool_calls: null }, { matched_stop: null }),
      choice({ role: null, content: null, tool_calls: [call(0, 'call_1', 'look', '{"at":1}')] }),
      choice({ role: null, content: null, tool_calls: [{ id: 'call_2', index: 1, function: { name: 'look', arguments: '' } }] }),
      choice({ role: null, content: null, tool_calls: [{ id: null, index: 1, function: { name: null, arguments: '{"at":2}' } }] }),
      choice({ role: null, content: null }, { finish_reason: 'tool_calls', matched_stop: null }),
      usage({ prompt_tokens_details: null, reasoning_tokens: 0 }),
    ],
    tooLong: streams(
      `${event({
        error: {
          object: 'error',
          message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
          type: 'BadRequestError',
          code: 400,
        },
      })}${done}`,
    ),
    busy: streams(
      `${event({ error: { object: 'error', message: 'The request queue is full.', type: 'SERVICE_UNAVAILABLE', code: 503 } })}${done}`,
    ),
  },
  'llama-server': {
    answers: [
      choice({ role: 'assistant', content: null }),
      choice({ content: 'Let me look.' }),
      choice({ tool_calls: [call(0, 'a1', 'look', '')] }),
      choice({ tool_calls: [{ index: 0, function: { arguments: '{"at":1}' } }] }),
      choice({ tool_calls: [call(1, 'a2', 'look', '{"at":2}')] }),
      choice({}, { finish_reason: 'tool_calls' }),
      usage({ prompt_tokens_details: { cached_tokens: 0 } }).replace('}\n', ',"timings":{"prompt_n":9,"predicted_per_second":42.5}}\n'),
    ],
    tooLong: status(400, {
      error: {
        code: 400,
        message: 'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 8192,
      },
    }),
    busy: status(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
  },
  TGI: {
    answers: [
      choice({ role: 'assistant', content: 'Let me' }),
      choice({ role: 'assistant', content: ' look.' }),
      choice({ role: 'assistant', tool_calls: [call(0, '1', 'look', '{"at":1}')] }),
      choice({ role: 'assistant', tool_calls: [call(0, '2', 'look', '{"at":2}')] }),
      choice({ role: 'assistant', content: '' }, { finish_reason: 'tool_calls' }),
      usage(),
    ],
    tooLong: streams(
      `data: ${JSON.stringify({
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 `inputs` tokens and 512 `max_new_tokens`',
        error_type: 'validation',
      })}\n\n`,
    ),
    busy: status(429, { error: 'Model is overloaded', error_type: 'overloaded' }),
  },
  'LM Studio': {
    answers: [
      choice({ role: 'assistant', content: 'Let me' }),
      choice({ content: ' look.' }),
      choice({ tool_calls: [call(0, '101', 'look', '')] }),
      choice({ tool_calls: [{ index: 0, type: 'function', function: { arguments: '{"at":1}' } }] }),
      choice({ tool_calls: [call(1, '102', 'look', '')] }),
      choice({ tool_calls: [{ index: 1, type: 'function', function: { arguments: '{"at":2}' } }] }),
      choice({}, { finish_reason: 'tool_calls' }),
      usage(),
    ],
    tooLong: streams(
      `event: error\ndata: ${JSON.stringify({
        error: 'The number of tokens to keep from the initial prompt is greater than the context length.',
      })}\n\n`,
    ),
    busy: status(503, { error: 'Model is loading' }),
  },
  'Ollama, below /v1': {
    answers: [
      choice({ role: 'assistant', content: 'Let me' }),
      choice({ role: 'assistant', content: ' look.' }),
      choice({
        role: 'assistant',
        content: '',
        tool_calls: [call(0, 'call_a', 'look', '{"at":1}'), call(0, 'call_b', 'look', '{"at":2}')],
      }),
      choice({ role: 'assistant', content: '' }, { finish_reason: 'tool_calls' }),
      usage(),
    ],
    tooLong: status(400, {
      error: { message: 'the input length exceeds the context length', type: 'invalid_request_error', param: null, code: null },
    }),
    busy: status(503, { error: { message: 'server busy, please try again. maximum pending requests exceeded', type: 'api_error' } }),
  },
  OpenAI: {
    answers: [
      choice({ role: 'assistant', content: '', refusal: null }, { obfuscation: 'x' }),
      event({ choices: [{ index: 0, delta: { content: 'Let me look.' }, finish_reason: null }], usage: null, service_tier: 'default' }),
      choice({ tool_calls: [call(0, 'call_1', 'look', '')] }),
      choice({ tool_calls: [{ index: 0, function: { arguments: '{"at":1}' } }] }),
      choice({ tool_calls: [call(1, 'call_2', 'look', '')] }),
      choice({ tool_calls: [{ index: 1, function: { arguments: '{"at":2}' } }] }),
      choice({}, { finish_reason: 'tool_calls' }),
      usage({
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 0 },
      }),
    ],
    tooLong: status(400, {
      error: { message: 'Your input is too much.', type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
    }),
    busy: status(429, { error: { message: 'Rate limit reached', type: 'requests', param: null, code: 'rate_limit_exceeded' } }),
  },
}

async function connect(stack: AsyncDisposableStack, answer: Answer) {
  const server = stack.use(await startTextServer(answer))
  const upstream = { url: server.url, model: 'm', keyFile: null, slots: 4 }
  const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs: 2 ** 31 - 1 }))
  const generate = (change: Partial<TextRequest> = {}) =>
    Array.fromAsync(model.generate(makeTextRequest('hello', change), { signal, account: 'a' }))
  return { model, generate }
}

const prompt = { type: 'prompt', prompt: 'hello', echo: false } as const
/** Inputs that can be too long, by their field in Sepia's routes. */
const requested: Readonly<Record<string, (to: Awaited<ReturnType<typeof connect>>) => Promise<unknown> | undefined>> = {
  messages: ({ generate }) => generate(),
  prompt: ({ generate }) => generate({ input: prompt }),
  input: ({ model }) => model.embed({ model: 'm', inputs: ['hello'] }, { signal }),
  documents: ({ model }) => model.rank?.({ model: 'm', query: 'a', documents: ['b'] }, { signal }),
}

describe('an overlong prompt is reported under the name that the client used:', () => {
  for (const [field, ask] of Object.entries(requested))
    test(field, async () => {
      await using stack = new AsyncDisposableStack()
      const refusal = { error: { message: 'The maximum context length is 8.', param: 'something', code: 400 } }
      const answers = field === 'messages' || field === 'prompt' ? [status(400, refusal), streams(event(refusal))] : [status(400, refusal)]
      for (const answer of answers)
        await assertRejected(Promise.resolve(ask(await connect(stack, answer))), { code: 'context_length_exceeded', param: field })
    })
})

for (const [name, { answers, tooLong, busy }] of Object.entries(servers))
  describe(name, () => {
    test('answers are parsed, with text, calls and counts', async () => {
      await using stack = new AsyncDisposableStack()
      const parts = await (await connect(stack, streams([...answers, done].join('')))).generate()
      assert.equal(parts.map((part) => (part.type === 'text' ? part.text : '')).join(''), 'Let me look.')
      const calls = new Map<number, string>()
      for (const part of parts) {
        if (part.type === 'tool-call') calls.set(part.index, `${part.name} `)
        if (part.type === 'tool-arguments') calls.set(part.index, calls.get(part.index) + part.fragment)
      }
      assert.deepEqual([...calls.values()], ['look {"at":1}', 'look {"at":2}'])
      assert.deepEqual(parts.slice(-2), [
        { type: 'choice-finish', choice: 0, reason: 'tool_calls' },
        { type: 'finish', usage: { promptTokens: 9, completionTokens: 4, cachedTokens: 0 } },
      ])
    })

    test("the server's error for an overlong prompt is recognized", async () => {
      await using stack = new AsyncDisposableStack()
      const { generate } = await connect(stack, tooLong)
      await assertRejected(generate(), { code: 'context_length_exceeded', param: 'messages' })
    })

    test('a busy server is reported as busy', async () => {
      await using stack = new AsyncDisposableStack()
      await assertRejected((await connect(stack, busy)).generate(), { code: 'server_is_overloaded' })
    })
  })
