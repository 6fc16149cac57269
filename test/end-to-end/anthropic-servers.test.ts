import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ServiceError } from '../../src/core/error.ts'
import type { UpstreamAddress } from '../../src/core/model.ts'
import type { TextPart, TextRequest } from '../../src/core/text-generation.ts'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { type Answer, startTextServer, type TextServer } from '../support/engines/text-server.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }
const event = (value: { readonly type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
const start = event({
  type: 'message_start',
  message: { usage: { input_tokens: 5, cache_read_input_tokens: 20, cache_creation_input_tokens: 3 } },
} as { type: string })
const block = (index: number, content_block: object) => event({ type: 'content_block_start', index, content_block } as { type: string })
const delta = (index: number, change: object) => event({ type: 'content_block_delta', index, delta: change } as { type: string })
const blockEnd = (index: number) => event({ type: 'content_block_stop', index } as { type: string })
const end = (stop_reason: string) =>
  event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 9 } } as { type: string }) +
  event({ type: 'message_stop' })
const errorEvent = (type: string) => event({ type: 'error', error: { type } } as { type: string })
const sends =
  (...events: readonly string[]): Answer =>
  (response) =>
    response.end(events.join(''))

async function connect(stack: AsyncDisposableStack, answer: Answer) {
  const server = stack.use(await startTextServer(answer))
  const folder = stack.use(await createTemporaryFolder())
  const keyFile = join(folder.path, 'key')
  await writeFile(keyFile, 'secret:with-colon\n')
  const { generate } = await connectTo([server], stack, { keyFile })
  return { server, generate }
}

async function connectTo(servers: readonly TextServer[], stack: AsyncDisposableStack, more: Partial<UpstreamAddress> = {}) {
  const [first, ...others] = servers.map(({ url }) => ({ url, weight: 1 }))
  const upstream = { url: first?.url ?? '', model: 'claude', keyFile: null, slots: 4, replicas: others, ...more }
  const descriptor = describeFakeText({ format: 'anthropic', upstream })
  const { model } = stack.use(await loadUpstreamModel(descriptor, { signal, probeMs: 2 ** 31 - 1 }))
  return { generate: (request: TextRequest) => Array.fromAsync(model.generate(request, options)) }
}

const tool = { name: 'look_up', description: 'finds things', parameters: { properties: { word: { type: 'string' } } } } as const
const conversation = makeTextRequest('', {
  maxTokens: 100,
  stop: ['END'],
  sampling: { ...makeTextRequest('').sampling, temperature: 0.5, topP: 0.9, topK: 7 },
  input: {
    type: 'chat',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Compare them.' },
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: 't1', name: 'look_up', arguments: '{"word":"cat"}' },
          { id: 't2', name: 'look_up', arguments: '{"word":"dog"}' },
        ],
      },
      { role: 'tool', content: 'purrs', toolCallId: 't1' },
      { role: 'tool', content: 'barks', toolCallId: 't2' },
    ],
    tools: [tool],
    toolChoice: 'required',
    parallelToolCalls: false,
  },
})

describe("a server with Anthropic's Messages interface", () => {
  test('receives requests in its own format, with its own headers', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, generate } = await connect(stack, sends(start, end('end_turn')))
    await generate(conversation)
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = server.requests
    assert.equal(path, '/v1/messages')
    assert.equal(headers['x-api-key'], 'secret:with-colon')
    assert.equal(headers['anthropic-version'], '2023-06-01')
    assert.equal(headers.authorization, undefined)
    assert.deepEqual(JSON.parse(body), {
      model: 'claude',
      max_tokens: 100,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Compare them.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 't1', name: 'look_up', input: { word: 'cat' } },
            { type: 'tool_use', id: 't2', name: 'look_up', input: { word: 'dog' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'purrs' },
            { type: 'tool_result', tool_use_id: 't2', content: 'barks' },
          ],
        },
      ],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 7,
      stop_sequences: ['END'],
      tools: [{ name: 'look_up', description: 'finds things', input_schema: { type: 'object', properties: { word: { type: 'string' } } } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      stream: true,
    })
  })

  test('returns thoughts, text and tool calls, and cached tokens count as prompt tokens', async () => {
    await using stack = new AsyncDisposableStack()
    const { generate } = await connect(
      stack,
      sends(
        start,
        event({ type: 'ping' }),
        block(0, { type: 'thinking', thinking: '' }) + delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
        delta(0, { type: 'signature_delta', signature: 'x' }) + blockEnd(0),
        block(1, { type: 'text', text: '' }) +
          delta(1, { type: 'text_delta', text: 'I ' }) +
          delta(1, { type: 'text_delta', text: 'look.' }),
        blockEnd(1) + block(2, { type: 'tool_use', id: 't1', name: 'look_up', input: {} }),
        delta(2, { type: 'input_json_delta', partial_json: '' }) + delta(2, { type: 'input_json_delta', partial_json: '{"a":' }),
        delta(2, { type: 'input_json_delta', partial_json: '1}' }) + blockEnd(2),
        block(3, { type: 'tool_use', id: 't2', name: 'now', input: {} }) + blockEnd(3),
        end('tool_use'),
      ),
    )
    assert.deepEqual(await generate(conversation), [
      { type: 'prompt', usage: { promptTokens: 28, cachedTokens: 20 } },
      { type: 'thoughts', choice: 0, text: 'Hm.' },
      { type: 'text', choice: 0, text: 'I ' },
      { type: 'text', choice: 0, text: 'look.' },
      { type: 'tool-call', choice: 0, index: 0, id: 't1', name: 'look_up' },
      { type: 'tool-arguments', choice: 0, index: 0, fragment: '{"a":' },
      { type: 'tool-arguments', choice: 0, index: 0, fragment: '1}' },
      { type: 'tool-call', choice: 0, index: 1, id: 't2', name: 'now' },
      { type: 'tool-arguments', choice: 0, index: 1, fragment: '{}' },
      { type: 'choice-finish', choice: 0, reason: 'tool_calls' },
      { type: 'finish', usage: { promptTokens: 28, completionTokens: 9, cachedTokens: 20 } },
    ] satisfies TextPart[])
  })

  test('receives pictures as image blocks', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, generate } = await connect(stack, sends(start, end('end_turn')))
    const parts = [
      { type: 'text', text: 'What is it?' },
      { type: 'picture', mediaType: 'image/png', base64: 'AAAA' },
    ] as const
    const messages = [{ role: 'user', content: 'What is it?', parts }] as const
    await generate(makeTextRequest('', { input: { type: 'chat', messages, tools: [], toolChoice: 'auto', parallelToolCalls: true } }))
    assert.deepEqual(JSON.parse(server.requests[0]?.body ?? '{}').messages[0].content, [
      { type: 'text', text: 'What is it?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ])
  })

  test('receives no temperature if it is the default, as newer models accept either temperature or top_p', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, generate } = await connect(stack, sends(start, end('end_turn')))
    await generate({ ...conversation, sampling: { ...conversation.sampling, temperature: 1 } })
    const { temperature, top_p } = JSON.parse(server.requests[0]?.body ?? '{}')
    assert.deepEqual([temperature, top_p], [undefined, 0.9])
  })

  const ends = (usage: object) =>
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage } as { type: string }) + event({ type: 'message_stop' })
  const begins = (usage: object) => event({ type: 'message_start', message: { usage } } as { type: string })
  for (const [what, answer, usage] of [
    ['the end', sends(begins({ input_tokens: 0, output_tokens: 0 }), ends({ input_tokens: 7, output_tokens: 9 })), [7, 9, 0]],
    ['both', sends(begins({ input_tokens: 5, cache_read_input_tokens: 2 }), ends({ input_tokens: 8, output_tokens: 9 })), [10, 9, 2]],
    ['the beginning', sends(begins({ input_tokens: 5, output_tokens: 1 }), ends({})), [5, 1, 0]],
    ['the cache of the end', sends(begins({}), ends({ input_tokens: 1, cache_read_input_tokens: 4, output_tokens: 9 })), [5, 9, 4]],
  ] as const)
    test(`that counts tokens at ${what} has its counts used`, async () => {
      await using stack = new AsyncDisposableStack()
      const { generate } = await connect(stack, answer)
      const [promptTokens, completionTokens, cachedTokens] = usage
      assert.deepEqual((await generate(conversation)).at(-1), { type: 'finish', usage: { promptTokens, completionTokens, cachedTokens } })
    })

  test('that starts a block with text has the text read from the start', async () => {
    await using stack = new AsyncDisposableStack()
    const blocks = block(0, { type: 'thinking', thinking: 'Hm' }) + block(1, { type: 'text', text: 'We' })
    const { generate } = await connect(stack, sends(start, blocks, delta(1, { type: 'text_delta', text: 'll' }), end('end_turn')))
    const said = (await generate(conversation)).flatMap((part) => ('text' in part ? part.text : []))
    assert.deepEqual(said, ['Hm', 'We', 'll'])
  })

  const reasons = { end_turn: 'stop', stop_sequence: 'stop', refusal: 'content_filter', max_tokens: 'length', pause_turn: 'pause' }
  for (const [theirs, ours] of Object.entries(reasons)) {
    test(`that stops with ${theirs} is reported as ${ours}`, async () => {
      await using stack = new AsyncDisposableStack()
      const { generate } = await connect(stack, sends(start, end(theirs)))
      assert.deepEqual((await generate(conversation)).at(0), { type: 'choice-finish', choice: 0, reason: ours })
    })
  }

  const { sampling } = conversation
  const strange: readonly [field: string, change: Partial<TextRequest>][] = [
    ['prompt', { input: { type: 'prompt', prompt: 'x', echo: false } }],
    ['temperature', { sampling: { ...sampling, temperature: 1.2 } }],
    ['frequency_penalty', { sampling: { ...sampling, frequencyPenalty: 1 } }],
    ['presence_penalty', { sampling: { ...sampling, presencePenalty: 1 } }],
    ['repetition_penalty', { sampling: { ...sampling, repetitionPenalty: 1.1 } }],
    ['min_p', { sampling: { ...sampling, minP: 0.1 } }],
    ['logit_bias', { sampling: { ...sampling, logitBias: new Map([[1, 1]]) } }],
    ['n', { choices: 2 }],
    ['logprobs', { topLogprobs: 0 }],
    ['response_format', { responseFormat: { type: 'json_object' } }],
    ['ignore_eos', { ending: { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: true } }],
  ]
  for (const [field, change] of strange) {
    test(`receives no request with a field that its interface lacks: ${field}`, async () => {
      await using stack = new AsyncDisposableStack()
      const { server, generate } = await connect(stack, sends(start, end('end_turn')))
      await assert.rejects(generate({ ...conversation, ...change }), (error: ServiceError) => {
        assert.deepEqual([error.code, error.param], ['unsupported_parameter', field])
        return error.message.includes(field)
      })
      assert.equal(server.requests.length, 0)
    })
  }

  const overloaded = event({ type: 'error', error: { type: 'overloaded_error' } } as { type: string })
  const failures: readonly [name: string, answer: Answer, code: string][] = [
    ['ends early', sends(start, block(0, { type: 'text' })), 'inference_failed'],
    ['says nothing and not why it ends', sends(start, event({ type: 'message_stop' })), 'inference_failed'],
    ['refuses in its stream', sends(errorEvent('invalid_request_error')), 'invalid_request_error'],
    ['is overloaded in its stream', sends(start, overloaded), 'server_is_overloaded'],
    ['sends no JSON', sends('data: {"ty\n\n'), 'inference_failed'],
    ['sends a list', sends('data: [1]\n\n'), 'inference_failed'],
    ['is overloaded (529)', (response) => response.writeHead(529).end('{}'), 'server_is_overloaded'],
    [
      'has no room for the prompt',
      (response) => response.writeHead(400).end('{"type":"error","error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}'),
      'context_length_exceeded',
    ],
  ]
  for (const [name, answer, code] of failures) {
    test(`that ${name} is reported as ${code}`, async () => {
      await using stack = new AsyncDisposableStack()
      const { generate } = await connect(stack, answer)
      await assert.rejects(generate(conversation), { code })
    })
  }

  test('receives invalid tool arguments as text in an object', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, generate } = await connect(stack, sends(start, end('end_turn')))
    for (const [text, input] of [
      ['[1', { arguments: '[1' }],
      ['', {}],
      ['{"a":1}', { a: 1 }],
    ] as const) {
      const messages = [{ role: 'assistant', content: null, toolCalls: [{ id: 't', name: 'n', arguments: text }] }] as const
      await generate({ ...conversation, input: { ...conversation.input, type: 'chat', messages } as TextRequest['input'] })
      assert.deepEqual(JSON.parse(server.requests.at(-1)?.body ?? '{}').messages[0].content[0].input, input)
    }
  })

  test('receives valid ids, results without a call as text, and no empty turns', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, generate } = await connect(stack, sends(start, end('end_turn')))
    const id = 'functions.n:0'
    const messages = [
      { role: 'tool', content: 'lost', toolCallId: 'gone' },
      { role: 'assistant', content: '' },
      { role: 'user', content: '' },
      { role: 'assistant', content: null, toolCalls: [{ id, name: 'n', arguments: '{}' }] },
      { role: 'tool', content: 'found', toolCallId: id },
    ] as const
    await generate({ ...conversation, input: { ...conversation.input, type: 'chat', messages } as TextRequest['input'] })
    const reported = JSON.parse(server.requests.at(-1)?.body ?? '{}').messages
    const known = reported[1].content[0].id
    assert.match(known, /^[\w-]+$/)
    assert.deepEqual(reported, [
      { role: 'user', content: [{ type: 'text', text: 'lost' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: known, name: 'n', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: known, content: 'found' }] },
    ])
  })
})

const patient = { connectMs: 60_000, firstMs: 60_000, idleMs: 60_000 }
/** Time limits for servers that fall silent; other servers meet them even on an overloaded machine. */
const impatient = { ...patient, firstMs: 6000, idleMs: 6000 }
const timeoutsFor = (fault: string) => (/^(?:never answers|stops|sends nothing)/.test(fault) ? impatient : patient)
/** A message of two words, each event a piece of its own. */
const events = [
  start,
  block(0, { type: 'text', text: '' }),
  delta(0, { type: 'text_delta', text: 'well ' }),
  delta(0, { type: 'text_delta', text: 'done' }),
  blockEnd(0),
  end('end_turn'),
]
const works = sends(...events)
const status =
  (code: number, body = '{}'): Answer =>
  (response) =>
    response.writeHead(code, { 'retry-after': '7' }).end(body)
const stopAfter =
  (count: number): Answer =>
  (response) =>
    void response.write(events.slice(0, count).join(''))
const cutAfter =
  (count: number): Answer =>
  (response) =>
    response.write(events.slice(0, count).join(''), () => setImmediate(() => response.destroy()))
const refuses = (message: string) => status(400, JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }))

/** The behaviour of a server, whether another is tried instead, and the client's error if there is none. */
const faults: readonly [name: string, answer: Answer, retried: boolean, reported: string][] = [
  ['never answers', () => {}, true, 'inference_failed'],
  ['closes the connection', (response) => response.destroy(), true, 'inference_failed'],
  ['answers 500', status(500, '{"type":"error","error":{"type":"api_error","message":"no"}}'), true, 'inference_failed'],
  ['answers 502 with a page', status(502, '<html>'), true, 'inference_failed'],
  ['answers 401', status(401), true, 'inference_failed'],
  ['answers 404', status(404), true, 'inference_failed'],
  ['is busy (429)', status(429), true, 'server_is_overloaded'],
  ['is busy (503)', status(503), true, 'server_is_overloaded'],
  ['is busy (529)', status(529), true, 'server_is_overloaded'],
  ['sends no JSON', (response) => response.end('data: {"ty\n\n'), true, 'inference_failed'],
  ['sends a whole message instead of a stream', (response) => response.end('{"type":"message"}'), true, 'inference_failed'],
  ['sends a line without an end', (response) => response.end(`data: ${'x'.repeat(17 << 20)}`), true, 'inference_failed'],
  ['sends an error as its first event', sends(errorEvent('api_error')), true, 'inference_failed'],
  ['is overloaded before the first word', sends(start, errorEvent('overloaded_error')), true, 'server_is_overloaded'],
  ['ends before the first word', cutAfter(2), true, 'inference_failed'],
  ['sends nothing after its first event', stopAfter(1), true, 'inference_failed'],
  ['ends in the middle of a stream', cutAfter(3), false, 'inference_failed'],
  ['stops in the middle of a stream', stopAfter(3), false, 'inference_failed'],
  ['is overloaded in the middle of a stream', sends(...events.slice(0, 3), errorEvent('overloaded_error')), false, 'server_is_overloaded'],
  ['sends no JSON in the middle of a stream', sends(...events.slice(0, 3), 'data: {"ty\n\n'), false, 'inference_failed'],
  ['refuses the request', refuses('top_k: no'), false, 'invalid_request_error'],
  ['has a prompt that is too long', refuses('prompt is too long: 9 tokens > 8 maximum'), false, 'context_length_exceeded'],
]

describe("one of several servers with Anthropic's Messages that", { concurrency: true }, () => {
  const said = (parts: readonly TextPart[]) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const ask = (text: string) =>
    makeTextRequest('', {
      input: { type: 'chat', messages: [{ role: 'user', content: text }], tools: [], toolChoice: 'auto', parallelToolCalls: true },
    })

  for (const [name, answer, retried, reported] of faults) {
    test(`${name} ${retried ? 'is replaced by another one' : `ends the request with ${reported}`}`, async () => {
      await using stack = new AsyncDisposableStack()
      const [good, bad] = [stack.use(await startTextServer(works)), stack.use(await startTextServer(answer))]
      const { generate } = await connectTo([good, bad], stack, { timeouts: timeoutsFor(name) })
      // Conversations begin on either server, so that some meet the bad one first.
      for (let index = 0; bad.requests.length === 0; index++) {
        const generating = generate(ask(`conversation ${index}`)).then(said)
        const received = await generating.catch((error: ServiceError) => error.code)
        assert.equal(received, retried || bad.requests.length === 0 ? 'well done' : reported)
      }
    })

    test(`${name} is reported as ${reported} if it is the only one`, async () => {
      await using stack = new AsyncDisposableStack()
      const bad = stack.use(await startTextServer(answer))
      const { generate } = await connectTo([bad], stack, { timeouts: timeoutsFor(name) })
      await assert.rejects(generate(ask('hello')), { code: reported })
    })
  }

  test('streams slowly is read as long as data arrives', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(
      await startTextServer((response) => {
        const rest = events.flatMap((text) => [text.slice(0, 10), text.slice(10)])
        const drip = setInterval(() => (rest.length > 0 ? response.write(rest.shift()) : response.end()), 20)
        response.once('close', () => clearInterval(drip))
      }),
    )
    const { generate } = await connectTo([server], stack, { timeouts: patient })
    assert.equal(said(await generate(ask('hello'))), 'well done')
  })
})
