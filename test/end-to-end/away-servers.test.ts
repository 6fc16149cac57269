import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { ReplicaSet } from '../../src/runtimes/upstream/replicas/replica-set.ts'
import { submit } from '../support/deferred-requests.ts'
import { type Answer, openAiEvents, startTextServer, type TextServer, works } from '../support/engines/text-server.ts'
import { findFreePort } from '../support/free-port.ts'
import { startHttpService } from '../support/http-service.ts'
import { createTestClock } from '../support/test-clock.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
/** Disables health checks during a test. */
const probeMs = 2 ** 31 - 1
const addressOf = (url: string) => ({ url, model: 'm', keyFile: null, slots: 64 })

test('requests that fail at the same time pause a server for one second, not half a minute', async (context) => {
  const gone = await startTextServer()
  await gone[Symbol.asyncDispose]()
  using servers = await ReplicaSet.open(addressOf(gone.url), { probeMs })
  const ask = () =>
    servers.ask(
      '',
      (connection) => connection.exchange('/echo', null, { signal, mostBytes: 1e6, isDueAtOnce: false, isRepeatable: true }),
      { signal },
    )
  // Whole, so that sums of it are exact.
  const begun = Math.ceil(performance.now())
  let seconds = 0
  context.mock.method(performance, 'now', () => begun + seconds * 1000)
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, ask))
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  await assert.rejects(ask(), { code: 'server_is_overloaded', retryAfterSeconds: 1 })
  seconds = 1.001
  await assert.rejects(ask(), { code: 'inference_failed' })
  await assert.rejects(ask(), { code: 'server_is_overloaded', retryAfterSeconds: 2 })
})

test('a hung server gets one trial request, and more once it responds', async (context) => {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startTextServer())
  const tries = Promise.withResolvers<void>()
  server.models = async (response) => {
    await tries.promise
    response.end('{}')
  }
  server.answer = (response) => {
    if (server.requests.length > 1) response.end('done')
    else tries.resolve()
  }
  const began = Promise.withResolvers<void>()
  const back = Promise.withResolvers<void>()
  const onChange = ({ answers }: { answers: boolean }) => (answers ? back : began).resolve()
  using servers = await ReplicaSet.open(addressOf(server.url), { probeMs: 1000, onChange })
  // Whole, so that sums of it are exact.
  const begun = Math.ceil(performance.now())
  let seconds = 0
  context.mock.method(performance, 'now', () => begun + seconds * 1000)
  seconds = 1
  await began.promise
  const client = new AbortController()
  const { signal } = client
  const ask = () =>
    servers.ask(
      '',
      (connection) => connection.exchange('/echo', null, { signal, mostBytes: 1e6, isDueAtOnce: false, isRepeatable: true }),
      { signal },
    )
  seconds = 60
  const [tried, ...others] = Array.from({ length: 5 }, ask)
  for (const other of others) await assert.rejects(other, { code: 'server_is_overloaded' })
  // A probe that ends before the machine had time for it is followed by others.
  const later = setInterval(() => (seconds += 60), 100)
  await back.promise
  clearInterval(later)
  assert.equal(String(await ask()), 'done')
  client.abort()
  await assert.rejects(tried ?? Promise.resolve())
  assert.equal(server.requests.length, 2)
})

/** Answers of a server to a request for its models. */
const lists: Readonly<Record<string, Answer>> = {
  'has no list of models': (response) => response.writeHead(404).end('{"detail":"Not Found"}'),
  'answers 500 to that': (response) => response.writeHead(500).end(),
  'is busy with that': (response) => response.writeHead(503).end('{"error":{"message":"Loading model","code":503}}'),
  'lists them for ever': (response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(' '.repeat(1 << 16)));
    }
    response.on('drain', write)
    write()
  },
}

describe('a model can be used if its server', { concurrency: true }, () => {
  for (const [name, answer] of Object.entries(lists))
    test(name, async () => {
      await using stack = new AsyncDisposableStack()
      const server = stack.use(await startTextServer())
      server.models = answer
      const descriptor = describeFakeText({ format: 'openai', upstream: addressOf(server.url) })
      const { model } = stack.use(await loadUpstreamModel(descriptor, { signal, probeMs }))
      const parts = await Array.fromAsync(model.generate(makeTextRequest('hello'), { signal, account: 'a' }))
      assert.equal(parts.at(-1)?.type, 'finish')
    })
})

test('a model can be used, with the context that one server reports, while another server hangs', async () => {
  await using stack = new AsyncDisposableStack()
  const [tells, hangs] = [stack.use(await startTextServer()), stack.use(await startTextServer())]
  tells.models = (response) => response.end('{"data":[{"id":"m","max_model_len":4096}]}')
  hangs.models = () => {}
  for (const [first, second] of [
    [tells, hangs],
    [hangs, tells],
  ] as const) {
    const upstream = { ...addressOf(first.url), replicas: [{ url: second.url, weight: 1 }] }
    const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs }))
    assert.equal(model.contextLength, 4096)
  }
})

test('a model can be used if one of its many servers is up', async () => {
  await using stack = new AsyncDisposableStack()
  const there = stack.use(await startTextServer())
  const gone: string[] = []
  for (let count = 0; count < 6; count++) {
    const server = await startTextServer()
    await server[Symbol.asyncDispose]()
    gone.push(server.url)
  }
  const replicas = [...gone, there.url].map((url) => ({ url, weight: 1 }))
  const upstream = { ...addressOf(gone[0] ?? ''), replicas }
  const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs }))
  const parts = await Array.fromAsync(model.generate(makeTextRequest('hello'), { signal, account: 'a' }))
  assert.equal(parts.at(-1)?.type, 'finish')
})

test('a server that handles one request at a time counts as up while it sends data', async (context) => {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startTextServer())
  const answering = Promise.withResolvers<ServerResponse>()
  server.answer = (response) => {
    response.write('first')
    answering.resolve(response)
  }
  server.models = async (response) => {
    const answer = await answering.promise
    answer.write('more')
    // The look itself is answered when there is nothing else to do.
    answer.once('close', () => response.end('{}'))
  }
  let late = new AbortController()
  context.mock.method(AbortSignal, 'timeout', () => late.signal)
  const reported: unknown[] = []
  using servers = await ReplicaSet.open(addressOf(server.url), { probeMs, onChange: (change) => void reported.push(change) })
  const pieces = servers.stream(
    '',
    async function* (connection) {
      yield* await connection.send('/chat/completions', {}, { signal })
    },
    { signal },
  )
  assert.equal((await pieces.next()).value, 'first')
  for (let look = 1; look <= 2; look++) {
    const looking = servers.probe({ idleMs: Number.NEGATIVE_INFINITY })
    assert.equal((await pieces.next()).value, 'more')
    late.abort()
    await looking
    late = new AbortController()
  }
  ;(await answering.promise).end('last')
  assert.deepEqual(await Array.fromAsync(pieces), ['last'])
  assert.deepEqual(reported, [])
})

test('a hung server is reported, with or without a request on it', async () => {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startTextServer((response) => void response.write('first')))
  server.models = () => {}
  const reported = Promise.withResolvers<unknown>()
  using servers = await ReplicaSet.open(addressOf(server.url), { probeMs: 100, onChange: reported.resolve })
  const pieces = servers.stream(
    '',
    async function* (connection) {
      yield* await connection.send('/chat/completions', {}, { signal })
    },
    { signal },
  )
  assert.equal((await pieces.next()).value, 'first')
  assert.deepEqual(await reported.promise, { url: server.url, answers: false, reason: 'it says nothing' })
  server[Symbol.asyncDispose]()
  await assert.rejects(pieces.next())
})

test('a success resets the pause of a server, whichever request failed', async (context) => {
  await using first = await startTextServer((response) => response.end('1'))
  await using second = await startTextServer((response) => response.end('2'))
  using servers = await ReplicaSet.open({ ...addressOf(first.url), replicas: [{ url: second.url, weight: 1 }] }, { probeMs })
  const begun = Math.ceil(performance.now())
  let seconds = 0
  context.mock.method(performance, 'now', () => begun + seconds * 1000)
  const options = { signal, mostBytes: 1e6, isDueAtOnce: false, isRepeatable: true }
  const ask = async (key: string) => String(await servers.ask(key, (connection) => connection.exchange('/echo', null, options), { signal }))
  let key = ''
  while ((await ask(key)) !== '1') key += '.' // one that leads to the first
  for (const failure of ['the first', 'the second', 'the third']) {
    first.answer = (response) => response.writeHead(500).end('{}')
    assert.equal(await ask(key), '2')
    first.answer = (response) => response.end('1')
    seconds += 4
    assert.equal(await ask(key), '2', failure)
    seconds += 2
    assert.equal(await ask(key), '1', failure)
  }
})

/** How a server that works on a request goes away, and how it comes back. */
const absences: readonly [name: string, leave: (server: TextServer) => void, comeBack: (server: TextServer) => Promise<TextServer>][] = [
  [
    'dies while it works on one',
    (server) => void server[Symbol.asyncDispose](),
    (server) => startTextServer(works, { port: Number(new URL(server.url).port) }),
  ],
  [
    'restarts behind a proxy, which answers 502',
    (server) => {
      server.models = (response) => response.writeHead(502).end('<html>')
      server.answer = server.models
    },
    async (server) => {
      server.models = (response) => response.end('{}')
      server.answer = works
      return server
    },
  ],
]

for (const [name, leave, comeBack] of absences)
  test(`asynchronous requests survive a server that ${name}, however long it is down`, async (context) => {
    await using stack = new AsyncDisposableStack()
    const working = Promise.withResolvers<ServerResponse>()
    const server = stack.use(
      await startTextServer(
        (response) => {
          response.write(openAiEvents.slice(0, 2).join(''))
          working.resolve(response)
        },
        // Nothing else starts there while the server is away.
        { port: await findFreePort() },
      ),
    )
    // Whole, so that sums of it are exact.
    const begun = Math.ceil(performance.now())
    const clock = createTestClock(0)
    context.mock.method(performance, 'now', () => begun + clock.now())
    const descriptor = describeFakeText({ id: 'fake-chat', format: 'openai', upstream: addressOf(server.url) })
    const { model } = stack.use(await loadUpstreamModel(descriptor, { signal, probeMs }))
    const pool = createFixedModelPool({ text: { 'fake-chat': model } }, { slots: 1 })
    const service = stack.use(await startHttpService({ clock, catalog: createFakeCatalog([descriptor]), pool, worker: true }))
    const body = { model: 'fake-chat', messages: [{ role: 'user', content: 'Hello' }] }
    const ids: string[] = []
    for (let index = 0; index < 3; index++) ids.push((await submit(service, body, {}, '/v1/chat/completions')).id)
    const find = () => Promise.all(ids.map((id) => service.store.log.find(id, service.accountId, { signal })))
    while (server.requests.length === 0) await clock.advance(100)
    leave(server)
    ;(await working.promise).destroy()
    while ((await find()).some((found) => found?.status !== 'completed' && (found?.attempt ?? 0) < 8)) await clock.advance(1000)
    stack.use(await comeBack(server))
    while ((await find()).some((found) => found?.status !== 'completed')) await clock.advance(1000)
    assert.deepEqual(
      (await find()).map((found) => found?.outcome),
      ['succeeded', 'succeeded', 'succeeded'],
    )
  })

test('asynchronous requests survive a server that fails for a minute; one that always fails ends at the third attempt', async (context) => {
  await using stack = new AsyncDisposableStack()
  const clock = createTestClock(0)
  const fails: Answer = (response) => response.writeHead(500).end('{"error":{"message":"CUDA out of memory"}}')
  const server = stack.use(
    await startTextServer((response, body) => (clock.now() < 60_000 || body.includes('poison') ? fails : works)(response, body)),
  )
  // Whole, so that sums of it are exact.
  const begun = Math.ceil(performance.now())
  context.mock.method(performance, 'now', () => begun + clock.now())
  const descriptor = describeFakeText({ id: 'fake-chat', format: 'openai', upstream: addressOf(server.url) })
  const { model } = stack.use(await loadUpstreamModel(descriptor, { signal, probeMs }))
  const pool = createFixedModelPool({ text: { 'fake-chat': model } })
  const service = stack.use(await startHttpService({ clock, catalog: createFakeCatalog([descriptor]), pool, worker: true }))
  const ids: string[] = []
  for (const content of ['Hello', 'poison', 'Hello']) {
    const body = { model: 'fake-chat', messages: [{ role: 'user', content }] }
    ids.push((await submit(service, body, {}, '/v1/chat/completions')).id)
  }
  const find = () => Promise.all(ids.map((id) => service.store.log.find(id, service.accountId, { signal })))
  while ((await find()).some((found) => found?.status !== 'completed')) await clock.advance(1000)
  assert.deepEqual(
    (await find()).map((found) => [found?.outcome, found?.attempt]),
    [
      ['succeeded', 3],
      ['failed', 3],
      ['succeeded', 3],
    ],
  )
})

test('a request counts as started if one server was down and another failed on it', async () => {
  await using stack = new AsyncDisposableStack()
  const [gone, fails] = [await startTextServer(), stack.use(await startTextServer((response) => response.writeHead(500).end('{}')))]
  const upstream = { ...addressOf(gone.url), replicas: [{ url: fails.url, weight: 1 }] }
  const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs }))
  await gone[Symbol.asyncDispose]()
  for (let index = 0; index < 20; index++)
    await assert.rejects(Array.fromAsync(model.generate(makeTextRequest(`${index}`), { signal, account: 'a' })), {
      code: 'inference_failed',
      isNotStarted: false,
    })
})
