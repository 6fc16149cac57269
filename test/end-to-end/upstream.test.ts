import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { ServiceError } from '../../src/core/error.ts'
import type { ChatInput, TextPart, TextRequest } from '../../src/core/text-generation.ts'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { startTextServer, works } from '../support/engines/text-server.ts'
import { startHttpService } from '../support/http-service.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }
const seeded = (content: string, overrides: Partial<TextRequest> = {}) =>
  makeTextRequest(content, { sampling: { ...makeTextRequest('').sampling, seed: 7 }, ...overrides })

/** The model behind a service of ours, as another service would use it. */
async function connect(stack: AsyncDisposableStack) {
  const service = stack.use(await startHttpService())
  const folder = stack.use(await createTemporaryFolder())
  const keyFile = join(folder.path, 'key')
  await writeFile(keyFile, `${service.token}\n`)
  const upstream = { url: `${service.url}/v1`, model: 'fake-chat', keyFile, slots: 3 }
  return stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal }))
}

/** Text joined, so that how it was cut into pieces does not matter, and without what this wire does not tell. */
async function collect(parts: AsyncIterable<TextPart>) {
  const all = await Array.fromAsync(parts)
  const text = all.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { text, rest: all.filter(({ type }) => type !== 'text' && type !== 'prompt').map(withoutStop) }
}

function withoutStop(part: TextPart): TextPart {
  return part.type === 'choice-finish' ? { type: part.type, choice: part.choice, reason: part.reason } : part
}

function chatOf(content: string): ChatInput {
  return { type: 'chat', messages: [{ role: 'user', content }], tools: [], toolChoice: 'none', parallelToolCalls: true }
}

const requests: Record<string, TextRequest> = {
  'a conversation': seeded('tell me something'),
  'a token limit and a stop string': seeded('tell me something', { maxTokens: 7, stop: ['bridge'] }),
  'several choices': seeded('tell me something', { choices: 3 }),
  'a plain prompt': seeded('', { input: { type: 'prompt', prompt: 'once upon a time', echo: false } }),
  'thoughts within their budget': seeded('', {
    input: { ...chatOf('[think one two three] [say four]'), thoughtTokens: 2 },
  }),
  'a model that is not to think': seeded('', { input: { ...chatOf('[think one two three] [say four]'), thinks: false } }),
  'a prompt that is echoed with its log probabilities': seeded('', {
    input: { type: 'prompt', prompt: 'once upon a [say time]', echo: true },
    topLogprobs: 1,
  }),
  'a tool call': seeded('', {
    input: {
      type: 'chat',
      messages: [{ role: 'user', content: '[call look_up]' }],
      tools: [{ name: 'look_up', description: 'finds things', parameters: { type: 'object' } }],
      toolChoice: 'auto',
      parallelToolCalls: true,
    },
  }),
}

for (const [name, request] of Object.entries(requests)) {
  test(`${name} through an upstream returns the result of the model`, async () => {
    await using stack = new AsyncDisposableStack()
    const { model } = await connect(stack)
    const direct = await collect(createFakeTextModel({ clock: createSystemClock() }).generate(request, options))
    assert.deepEqual(await collect(model.generate(request, options)), direct)
  })
}

test('scores pass through', async () => {
  await using stack = new AsyncDisposableStack()
  const { model } = await connect(stack)
  const result = await model.rank?.({ model: 'ours', query: 'a fox', documents: ['a hare', 'a fox', 'nothing'] }, { signal })
  assert.deepEqual(result, { scores: [0.5, 1, 0], promptTokens: 11 })
})

test('vectors of many inputs are requested in parts, which bounds each answer, and returned in order', async () => {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(
    await startTextServer((response, body) => {
      const { input } = JSON.parse(body) as { readonly input: readonly string[] }
      const data = input.map((text, index) => ({ index, embedding: [Number(text)] }))
      response.end(JSON.stringify({ data, usage: { prompt_tokens: input.length } }))
    }),
  )
  const upstream = { url: server.url, model: 'm', keyFile: null, slots: 1 }
  const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal }))
  const inputs = Array.from({ length: 130 }, (_, index) => `${index}`)
  const { vectors, promptTokens } = await model.embed({ model: 'm', inputs }, { signal })
  assert.deepEqual(
    vectors,
    inputs.map((text) => [Number(text)]),
  )
  assert.equal(promptTokens, 130)
  assert.deepEqual(
    server.requests.map(({ body }) => JSON.parse(body).input.length),
    [32, 32, 32, 32, 2],
  )
})

test('embeddings and log probabilities pass through', async () => {
  await using stack = new AsyncDisposableStack()
  const { model, slots } = await connect(stack)
  assert.equal(slots, 3)
  const { vectors } = await model.embed({ model: 'fake-chat', inputs: ['one', 'two'] }, { signal })
  assert.deepEqual(
    vectors.map((vector) => vector.length),
    [8, 8],
  )
  const parts = await Array.fromAsync(model.generate(seeded('[say two words]', { topLogprobs: 1 }), options))
  const tokens = parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []))
  assert.deepEqual(
    tokens.map(({ token, top }) => [token, top.length]),
    [
      ['two', 1],
      [' words', 1],
    ],
  )
})

/** A server that answers every request in one way; GET /models always works. */
async function connectTo(
  context: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  models = '{"object":"list","data":[]}',
) {
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') response.end(models)
    else answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const upstream = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'm', keyFile: null, slots: 1 }
  return loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal })
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const word = event({ choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: null }] })
const stop = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })

const failures: readonly [string, number, string, string][] = [
  ['a prompt that is too long', 400, '{"error":{"message":"maximum context length is 8 tokens"}}', 'context_length_exceeded'],
  ['a parameter it refuses', 400, '{"error":{"message":"top_k is not supported"}}', 'invalid_request_error'],
  ['too much work', 429, '{}', 'server_is_overloaded'],
  ['a wrong key', 401, '{}', 'inference_failed'],
  ['a failure', 500, 'oh no', 'inference_failed'],
  ['a stream that ends early', 200, word, 'inference_failed'],
  ['an error in the stream', 200, `${word}${event({ error: { message: 'gone' } })}`, 'inference_failed'],
]

for (const [name, status, body, code] of failures) {
  test(`${name} becomes ${code}`, async (context) => {
    const { model } = await connectTo(context, (_, response) => response.writeHead(status).end(body))
    await assert.rejects(collect(model.generate(seeded('hello'), options)), { code })
  })
}

test('a whole answer of a server that does not stream is accepted', async (context) => {
  const message = { role: 'assistant', content: 'hi there' }
  const usage = { prompt_tokens: 3, completion_tokens: 2 }
  const { model } = await connectTo(context, (_, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'length' }], usage }, null, 2)),
  )
  const { text, rest } = await collect(model.generate(seeded('hello'), options))
  const counted = { promptTokens: 3, completionTokens: 2, cachedTokens: 0 }
  assert.deepEqual(
    [text, rest],
    [
      'hi there',
      [
        { type: 'choice-finish', choice: 0, reason: 'length' },
        { type: 'finish', usage: counted },
      ],
    ],
  )
})

test('the cause names a wrong address or model name, for the author of model.json', async (context) => {
  const { model } = await connectTo(context, (_, response) => response.writeHead(404).end('{"detail":"Not Found"}'))
  await assert.rejects(collect(model.generate(seeded('hello'), options)), (error: ServiceError) => {
    assert.match(
      (error.cause as Error).message,
      /answered 404 at http:\/\/.*\/chat\/completions: `url` or `model` in its model\.json does not match that server/,
    )
    return true
  })
})

test("reports the context length of the upstream's model, if there is one", async (context) => {
  const lengths: readonly [models: string, length: number | undefined][] = [
    ['{"data":[{"id":"other","max_model_len":1},{"id":"m","max_model_len":32768}]}', 32_768],
    ['{"data":[{"id":"m","context_length":2048}]}', 2048],
    ['{"data":[{"id":"m"}]}', undefined],
    ['{"data":[null,{"id":"m","max_model_len":"many"}]}', undefined],
    ['{"data":{}}', undefined],
    ['no list', undefined],
  ]
  for (const [models, length] of lengths)
    assert.equal((await connectTo(context, (_, response) => response.end(), models)).model.contextLength, length, models)
})

test('connections serve one request after another', async (context) => {
  const sockets = new Set<unknown>()
  const usage = event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
  const { model } = await connectTo(context, (request, response) => {
    sockets.add(request.socket)
    response.write(`${word}${stop}${usage}data: [DONE]\n\n`)
    setImmediate(() => response.end())
  })
  for (let request = 0; request < 10; request++) {
    await collect(model.generate(seeded('hello'), options))
    await new Promise(setImmediate) // a connection is free once the end of its answer was read
  }
  assert.ok(sockets.size < 5, `${sockets.size} connections for 10 requests`)
})

test('a connection that breaks in the middle of a stream is an error', async (context) => {
  const { model } = await connectTo(context, (_, response) => response.write(word, () => response.destroy()))
  await assert.rejects(collect(model.generate(seeded('hello'), options)), { code: 'inference_failed' })
})

test('an abort ends the request at the upstream', async (context) => {
  const left = Promise.withResolvers<void>()
  const { model } = await connectTo(context, (_, response) => {
    response.write(word)
    response.once('close', () => left.resolve())
  })
  const controller = new AbortController()
  const stream = model.generate(seeded('hello'), { signal: controller.signal, account: 'a' })[Symbol.asyncIterator]()
  await stream.next()
  controller.abort(new Error('client left'))
  await assert.rejects(Promise.resolve(stream.next()), /client left/)
  await left.promise
})

for (const [name, limits, reason, tokens] of [
  ['max_tokens', { maxTokens: 3 }, 'length', 3],
  ['stop', { stop: ['###', 'ihih'] }, 'stop', 3],
] as const)
  test(`an upstream that ignores ${name} is cut off with ${reason} and disconnected`, async (context) => {
    const left = Promise.withResolvers<void>()
    const { model } = await connectTo(context, (_, response) => {
      const timer = setInterval(() => response.write(word), 1)
      response.once('close', () => {
        clearInterval(timer)
        left.resolve()
      })
    })
    const { text, rest } = await collect(model.generate(seeded('hello you', limits), options))
    assert.equal(text, name === 'stop' ? 'h' : 'hihihi')
    assert.deepEqual(rest, [
      { type: 'choice-finish', choice: 0, reason },
      { type: 'finish', usage: { promptTokens: 3, completionTokens: tokens, cachedTokens: 0 } },
    ])
    await left.promise
  })

for (const [name, ask] of Object.entries({
  embeddings: (model: Awaited<ReturnType<typeof connectTo>>['model']) => model.embed({ model: 'm', inputs: ['one'] }, { signal }),
  scores: (model: Awaited<ReturnType<typeof connectTo>>['model']) =>
    model.rank?.({ model: 'm', query: 'q', documents: ['one'] }, { signal }) ?? Promise.reject(new Error('It ranks nothing.')),
}))
  test(`${name} that never end are read up to a limit`, async (context) => {
    const { model } = await connectTo(context, (_, response) => {
      const piece = ' '.repeat(1 << 16)
      const write = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', write)
      write()
    })
    await assert.rejects(ask(model), ({ code, cause }: { code: string; cause: Error }) => {
      assert.equal(code, 'inference_failed')
      assert.match(cause.message, /sent more than \d+ characters/)
      return true
    })
  })

test('an endless list of models is read up to a limit', async (context) => {
  const server = createServer((_, response) => {
    const write = () => {
      while (!response.destroyed && response.write(' '.repeat(1 << 16)));
    }
    response.on('drain', write)
    write()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const upstream = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'm', keyFile: null, slots: 1 }
  await using loaded = await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal })
  assert.equal(loaded.model.contextLength, undefined)
})

test('a changed key file is read again after an authentication error', async (context) => {
  await using folder = await createTemporaryFolder()
  const keyFile = join(folder.path, 'key')
  await writeFile(keyFile, 'old\n')
  let valid = 'old'
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') return void response.end('{}')
    keys.push(request.headers.authorization)
    if (request.headers.authorization !== `Bearer ${valid}`) return void response.writeHead(401).end('{}')
    const usage = event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
    response.end(`${word}${stop}${usage}data: [DONE]\n\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const upstream = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'm', keyFile, slots: 1 }
  await using loaded = await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal })
  const generate = () => collect(loaded.model.generate(seeded('hello'), options))
  await generate()
  valid = 'new'
  // The same key as before is not sent twice.
  await assert.rejects(generate(), { code: 'inference_failed' })
  await writeFile(keyFile, 'new\n')
  await generate()
  await generate()
  assert.deepEqual(
    keys,
    ['old', 'old', 'old', 'new', 'new'].map((key) => `Bearer ${key}`),
  )
})

test('a missing or invalid key file is reported with its path at the first use, and when the server rejects the last key', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const keyFile = join(folder.path, 'key')
  const answers = { status: 200 }
  const server = stack.use(
    await startTextServer((response, body) =>
      answers.status === 200 ? works(response, body) : response.writeHead(answers.status).end('{}'),
    ),
  )
  const load = () =>
    loadUpstreamModel(describeFakeText({ format: 'openai', upstream: { url: server.url, model: 'm', keyFile, slots: 1 } }), { signal })
  const reported = (fault: RegExp) => (error: ServiceError) => {
    assert.equal(error.code, 'inference_failed')
    const { message } = error.cause as Error
    assert.match(message, fault)
    assert.ok(message.startsWith(`\`keyFile\` names ${keyFile}, which `) && !`${error.message} ${message}`.includes('sk-'))
    return true
  }
  await assert.rejects(load(), reported(/is missing; write the access key into it/))
  await writeFile(keyFile, '\r\n')
  await assert.rejects(load(), reported(/is empty/))
  await writeFile(keyFile, 'sk-1\nsk-2')
  await assert.rejects(load(), reported(/must hold only one key/))
  await writeFile(keyFile, '\uFEFFsk-1\r\n')
  const { model } = stack.use(await load())
  await collect(model.generate(seeded('hello'), options))
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer sk-1')
  await rm(keyFile)
  // A server that takes the key goes on, whatever became of its file.
  await collect(model.generate(seeded('hello'), options))
  await mkdir(keyFile)
  answers.status = 403
  await assert.rejects(collect(model.generate(seeded('hello'), options)), reported(/is a folder/))
})

test('an unreachable upstream does not load', async () => {
  const upstream = { url: 'http://127.0.0.1:1/v1', model: 'm', keyFile: null, slots: 1 }
  await assert.rejects(loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal }), { code: 'inference_failed' })
})
