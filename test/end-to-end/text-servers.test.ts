import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ServiceError } from '../../src/core/error.ts'
import type { UpstreamTimeouts } from '../../src/core/model.ts'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import type { TextPart } from '../../src/core/text-generation.ts'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { ReplicaSet } from '../../src/runtimes/upstream/replicas/replica-set.ts'
import { type Answer, openAiEvents, startTextServer, type TextServer, works } from '../support/engines/text-server.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }
const patient: UpstreamTimeouts = { connectMs: 60_000, firstMs: 60_000, idleMs: 60_000 }
/** Time limits for servers that fall silent; other servers meet them even on an overloaded machine. */
const impatient: UpstreamTimeouts = { ...patient, firstMs: 6000, idleMs: 6000 }
const timeoutsFor = (fault: string) => (/^(?:never answers|hangs|stops|sends nothing)/.test(fault) ? impatient : patient)
/** Disables health checks during a test. */
const probeMs = 2 ** 31 - 1

async function connect(servers: readonly TextServer[], stack: AsyncDisposableStack, timeouts = patient) {
  const [first, ...others] = servers.map(({ url }) => ({ url, weight: 1 }))
  const upstream = { url: first?.url ?? '', model: 'm', keyFile: null, slots: 4, replicas: others, timeouts }
  return stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs }))
}

async function collect(parts: AsyncIterable<TextPart>): Promise<string> {
  return (await Array.fromAsync(parts)).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

const hang: Answer = () => {}
const status =
  (code: number, body = '{}'): Answer =>
  (response) =>
    response.writeHead(code, { 'retry-after': '7' }).end(body)
const endless =
  (code: number, piece: string): Answer =>
  (response) => {
    response.writeHead(code)
    const write = () => {
      while (!response.destroyed && response.write(piece.repeat(1000)));
    }
    response.on('drain', write)
    write()
  }
const cutAfter =
  (events: number): Answer =>
  (response) =>
    response.write(openAiEvents.slice(0, events).join('') || ' ', () => setImmediate(() => response.destroy()))
const stopAfter =
  (events: number): Answer =>
  (response) =>
    void response.write(openAiEvents.slice(0, events).join(''))

/** The behaviour of a server, whether another is tried instead, and the client's error if there is none. */
const faults: readonly [name: string, answer: Answer, retried: boolean, reported: string][] = [
  ['never answers', hang, true, 'inference_failed'],
  ['closes the connection', (response) => response.destroy(), true, 'inference_failed'],
  [
    'changes the protocol unasked',
    (response) => void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    true,
    'inference_failed',
  ],
  ['answers 500', status(500), true, 'inference_failed'],
  ['answers 502 with a page', status(502, '<html>'), true, 'inference_failed'],
  ['answers 401', status(401), true, 'inference_failed'],
  ['answers 404', status(404), true, 'inference_failed'],
  ['answers 500 for ever', endless(500, 'no'), true, 'inference_failed'],
  ['is busy (503) and never says why', (response) => void response.writeHead(503).write('{"error'), true, 'server_is_overloaded'],
  [
    'refuses the request and breaks off',
    (response) => response.writeHead(400).write('{"error', () => setImmediate(() => response.destroy())),
    false,
    'invalid_request_error',
  ],
  ['sends a line for ever', endless(200, 'data: x '), true, 'inference_failed'],
  [
    'sends headers for ever',
    (response) => void response.socket?.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`),
    true,
    'inference_failed',
  ],
  [
    'asks for another protocol',
    (response) => void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    true,
    'inference_failed',
  ],
  [
    'redirects to another place',
    (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    true,
    'inference_failed',
  ],
  [
    'answers with a page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>data: {}'),
    true,
    'inference_failed',
  ],
  [
    'answers in compressed form that is cut off',
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(openAiEvents.join('')).subarray(0, 20)),
    true,
    'inference_failed',
  ],
  ['is busy (429)', status(429), true, 'server_is_overloaded'],
  ['is busy (503)', status(503), true, 'server_is_overloaded'],
  ['sends no JSON', (response) => response.end('data: {"choi\n\n'), true, 'inference_failed'],
  ['sends lists in lists', (response) => response.end(`data: ${'['.repeat(4_000_000)}\n\n`), true, 'inference_failed'],
  ['sends an error as its first event', (response) => response.end('data: {"error":{"message":"no"}}\n\n'), true, 'inference_failed'],
  ['ends before the first word', cutAfter(1), true, 'inference_failed'],
  ['sends nothing after its first event', stopAfter(1), true, 'inference_failed'],
  ['ends in the middle of a stream', cutAfter(2), false, 'inference_failed'],
  ['stops in the middle of a stream', stopAfter(2), false, 'inference_failed'],
  ['refuses the request', status(400, '{"error":{"message":"top_k is unknown"}}'), false, 'invalid_request_error'],
  ['has a prompt that is too long', status(400, '{"error":{"message":"maximum context length is 8"}}'), false, 'context_length_exceeded'],
  [
    'refuses the request in its stream',
    (response) => response.end('data: {"error":"no","error_type":"validation"}\n\n'),
    false,
    'invalid_request_error',
  ],
  [
    'finds in its stream that a prompt is too long',
    (response) => response.end('data: {"error":{"message":"longer than the context length","code":400}}\n\n'),
    false,
    'context_length_exceeded',
  ],
  ['is busy in its stream', (response) => response.end('data: {"error":{"code":503}}\n\n'), true, 'server_is_overloaded'],
]

describe('one of several servers that', { concurrency: true }, () => {
  for (const [name, answer, retried, reported] of faults) {
    test(`${name} ${retried ? 'is replaced by another one' : `ends the request with ${reported}`}`, async () => {
      await using stack = new AsyncDisposableStack()
      const [good, bad] = [stack.use(await startTextServer()), stack.use(await startTextServer(answer))]
      const { model } = await connect([good, bad], stack, timeoutsFor(name))
      // Conversations begin on either server, so that some meet the bad one first.
      for (let index = 0; bad.requests.length === 0; index++) {
        const generating = collect(model.generate(makeTextRequest(`conversation ${index}`), options))
        if (retried || bad.requests.length === 0) await generating.catch((error) => assert.equal(retried ? error : error.code, reported))
      }
      if (retried) assert.ok(good.requests.length > 0)
    })

    test(`${name} is reported as ${reported} if it is the only one`, async () => {
      await using stack = new AsyncDisposableStack()
      const bad = stack.use(await startTextServer(answer))
      const { model } = await connect([bad], stack, timeoutsFor(name))
      await assert.rejects(collect(model.generate(makeTextRequest('hello'), options)), { code: reported })
      // A kept-alive connection that ends soon and without a word may have been closed before the request came: then it is sent once more.
      assert.ok(bad.requests.length === 1 || (name === 'closes the connection' && bad.requests.length === 2))
    })
  }

  test('streams slowly is read as long as data arrives', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(
      await startTextServer((response) => {
        const rest = openAiEvents.flatMap((text) => [text.slice(0, 10), text.slice(10)])
        const drip = setInterval(() => (rest.length > 0 ? response.write(rest.shift()) : response.end()), 20)
        response.once('close', () => clearInterval(drip))
      }),
    )
    const { model } = await connect([server], stack)
    assert.equal(await collect(model.generate(makeTextRequest('hello'), options)), 'well done')
  })
})

describe('answers that are not streamed', { concurrency: true }, () => {
  const vectors = { data: [{ index: 0, embedding: [1, 0] }], usage: { prompt_tokens: 1 } }
  const scores = { results: [{ index: 0, relevance_score: 0.5 }], usage: { prompt_tokens: 1 } }
  const answers = JSON.stringify({ ...vectors, ...scores })
  const whole: Answer = (response) => response.end(answers)
  const kinds = {
    embeddings: async (model: TextModel) => (await model.embed({ model: 'm', inputs: ['a'] }, { signal })).vectors,
    scores: async (model: TextModel) => (await model.rank?.({ model: 'm', query: 'a', documents: ['b'] }, { signal }))?.scores,
  }
  const broken: readonly [name: string, answer: Answer, reported: string][] = [
    ['hangs', hang, 'inference_failed'],
    ['answers 500', status(500), 'inference_failed'],
    ['is busy', status(503), 'server_is_overloaded'],
    ['breaks off', (response) => response.write(answers.slice(0, 20), () => setImmediate(() => response.destroy())), 'inference_failed'],
    ['sends half of the JSON', (response) => response.end(answers.slice(0, 20)), 'inference_failed'],
    ['sends none for an input', (response) => response.end('{"data":[],"results":[],"usage":{"prompt_tokens":1}}'), 'inference_failed'],
  ]
  for (const [kind, ask] of Object.entries(kinds)) {
    for (const [name, answer, reported] of broken)
      test(`${kind} come from another server when one ${name}, and are ${reported} if there is none`, async () => {
        await using stack = new AsyncDisposableStack()
        const [good, bad] = [stack.use(await startTextServer(whole)), stack.use(await startTextServer(answer))]
        const alone = await connect([bad], stack, timeoutsFor(name))
        await assert.rejects(ask(alone.model), { code: reported })
        const requested = bad.requests.length
        const { model } = await connect([bad, good], stack, timeoutsFor(name))
        const found = await ask(model)
        assert.ok(found !== undefined && found.length === 1)
        assert.equal(bad.requests.length + good.requests.length > requested, true)
      })

    test(`${kind} that arrive slowly are read to the end`, async () => {
      await using stack = new AsyncDisposableStack()
      const server = stack.use(
        await startTextServer((response) => {
          const rest = [...answers]
          const drip = setInterval(() => (rest.length > 0 ? response.write(rest.splice(0, 9).join('')) : response.end()), 5)
          response.once('close', () => clearInterval(drip))
        }),
      )
      assert.equal((await ask((await connect([server], stack)).model))?.length, 1)
    })
  }
})

describe('servers of one model', () => {
  test('each conversation stays on its server, and different ones are distributed', async () => {
    await using stack = new AsyncDisposableStack()
    const servers = [stack.use(await startTextServer()), stack.use(await startTextServer()), stack.use(await startTextServer())]
    const { model, slots } = await connect(servers, stack)
    assert.equal(slots, 12)
    // A conversation's server follows from the ports, which are others each time: of 60 all three get some, but for 1 run in 10¹⁰.
    for (let index = 0; index < 60; index++) {
      for (let turn = 0; turn < 3; turn++) await collect(model.generate(makeTextRequest(`conversation ${index}`), options))
      assert.ok(servers.every(({ requests }) => requests.length % 3 === 0))
    }
    assert.ok(servers.every(({ requests }) => requests.length > 0))
  })

  test('a server that is down is reported once, skipped, and used again when it responds', async () => {
    await using stack = new AsyncDisposableStack()
    const [stays, leaves] = [stack.use(await startTextServer()), stack.use(await startTextServer())]
    const reported: unknown[] = []
    const upstream = {
      url: stays.url,
      model: 'm',
      keyFile: null,
      slots: 4,
      replicas: [{ url: leaves.url, weight: 100 }],
      timeouts: patient,
    }
    const onChange = ({ url, answers }: { url: string; answers: boolean }) => void reported.push([url, answers])
    using servers = await ReplicaSet.open(upstream, { probeMs, onChange })
    const ask = (index: number) =>
      servers.ask(
        `${index}`,
        (connection) => connection.exchange('/echo', null, { signal, mostBytes: 1e6, isDueAtOnce: true, isRepeatable: true }),
        { signal },
      )
    await ask(0)
    await leaves[Symbol.asyncDispose]()
    for (let index = 0; index < 20; index++) await ask(index)
    assert.deepEqual(reported, [[leaves.url, false]])
    assert.equal(stays.requests.length + leaves.requests.length, 21)
  })

  test('a request that fails everywhere takes no server out of use', async () => {
    await using stack = new AsyncDisposableStack()
    const poisoned: Answer = (response, body) => (body.includes('poison') ? status(500) : works)(response, body)
    const servers: TextServer[] = []
    for (let index = 0; index < 3; index++) servers.push(stack.use(await startTextServer(poisoned)))
    const { model } = await connect(servers, stack)
    for (let index = 0; index < 10; index++)
      await assert.rejects(collect(model.generate(makeTextRequest('poison'), { signal, account: 'enemy' })), { code: 'inference_failed' })
    assert.equal(await collect(model.generate(makeTextRequest('hello'), options)), 'well done')
  })

  test('requests are rejected at once with a time to retry when all servers are down', async (context) => {
    await using stack = new AsyncDisposableStack()
    const servers = [stack.use(await startTextServer()), stack.use(await startTextServer())]
    const { model } = await connect(servers, stack)
    for (const server of servers) await server[Symbol.asyncDispose]()
    // Whole, so that sums of it are exact.
    const still = Math.ceil(performance.now())
    context.mock.method(performance, 'now', () => still)
    await assert.rejects(collect(model.generate(makeTextRequest('hello'), options)), { code: 'inference_failed' })
    await assert.rejects(collect(model.generate(makeTextRequest('hello'), options)), (error: ServiceError) => {
      assert.equal(error.code, 'server_is_overloaded')
      assert.match(error.message, /No server of this model answers; try again in 1 s/)
      return true
    })
  })

  test('a model loads if one of its servers responds', async () => {
    await using stack = new AsyncDisposableStack()
    const [gone, there] = [await startTextServer(), stack.use(await startTextServer())]
    await gone[Symbol.asyncDispose]()
    const { model } = await connect([gone, there], stack)
    assert.equal(await collect(model.generate(makeTextRequest('hello'), options)), 'well done')
  })

  test('a closed kept-alive connection does not count as a failure', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startTextServer())
    const { model } = await connect([server], stack)
    await collect(model.generate(makeTextRequest('hello'), options))
    await new Promise(setImmediate) // a connection is free once the end of its answer was read
    // The next request is taken off an open connection, which ends before anything was answered.
    server.answer = (response) => {
      server.answer = works
      response.socket?.destroy()
    }
    assert.equal(await collect(model.generate(makeTextRequest('hello'), options)), 'well done')
    assert.equal(server.requests.length, 3)
  })
})

describe('pictures in messages', () => {
  const image_url = { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' }
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url },
  ]
  const body = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content }] })
  const post = ({ url, token }: HttpService, path: string) =>
    fetch(`${url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body })

  test('are sent unchanged to a vision model', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startTextServer())
    const { model } = await connect([server], stack)
    const catalog = createFakeCatalog([describeFakeText({ vision: true })])
    const service = stack.use(await startHttpService({ catalog, pool: createFixedModelPool({ text: { 'fake-chat': model } }) }))
    assert.equal((await post(service, '/v1/chat/completions')).status, 200)
    assert.deepEqual(JSON.parse(server.requests[0]?.body ?? '{}').messages, [{ role: 'user', content }])
  })

  test('are rejected by name for a model without vision, and when tokens are counted', async () => {
    await using service = await startHttpService()
    for (const path of ['/v1/chat/completions', '/v1/chat/completions/input_tokens']) {
      const answer = await post(service, path)
      assert.equal(answer.status, 400)
      const { error } = (await answer.json()) as { error: { code: string; param: string; message: string } }
      assert.deepEqual([error.code, error.param], ['unsupported_parameter', 'messages'])
      assert.match(error.message, /"fake-chat" cannot read images/)
    }
  })
})
