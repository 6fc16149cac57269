import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UpstreamConnection } from '../../src/runtimes/upstream/upstream-connection.ts'
import { type Answer, startTextServer } from '../support/engines/text-server.ts'

const { signal } = new AbortController()
const path = '/chat/completions'
const sent = { type: 'application/json', bytes: '{"a":1}' }

async function connect(stack: AsyncDisposableStack, answer: (url: string) => Answer) {
  const server = stack.use(await startTextServer())
  server.answer = answer(server.url)
  const connection = stack.use(await UpstreamConnection.open({ url: server.url, login: 'me:word', keyFile: null }))
  return {
    server,
    ask: async () => `${await connection.exchange(path, sent, { signal, mostBytes: 100, isDueAtOnce: false, isRepeatable: true })}`,
  }
}

/** Redirects the first call, and answers any other. */
const redirects =
  (status: number, location: (url: string) => string | undefined) =>
  (url: string): Answer => {
    let calls = 0
    return (response) => {
      const target = location(url)
      if (calls++ > 0) return response.end('done')
      return response.writeHead(status, target === undefined ? {} : { location: target }).end('elsewhere')
    }
  }

describe('a server that redirects', { concurrency: true }, () => {
  const followed: readonly (readonly [status: number, location: (url: string) => string, path: string])[] = [
    ...[301, 302, 307, 308].map((status) => [status, () => `/v1${path}/`, `/v1${path}/`] as const),
    ...[301, 302, 307, 308].map((status) => [status, (url: string) => `${url}/api${path}`, `/v1/api${path}`] as const),
    [307, () => 'completions-2?a=1', '/v1/chat/completions-2?a=1'],
    [308, () => '../v2/answers', '/v1/v2/answers'],
  ]
  for (const [status, location, target] of followed)
    test(`to ${target} (${status}) gets the same request there, with the key`, async () => {
      await using stack = new AsyncDisposableStack()
      const { server, ask } = await connect(stack, redirects(status, location))
      assert.equal(await ask(), 'done')
      assert.deepEqual(
        server.requests.map((request) => request.path),
        [`/v1${path}`, target],
      )
      assert.deepEqual(server.requests[1]?.headers, server.requests[0]?.headers)
      assert.equal(server.requests[1]?.body, sent.bytes)
    })

  const refused: readonly (readonly [status: number, location: string | undefined, advice: string])[] = [
    ...[301, 302, 307, 308].map((status) => [status, `https://other.example/v1${path}`, 'write https://other.example/v1 into'] as const),
    [301, `https://127.0.0.1/api/v1${path}/?key=secret`, 'write https://127.0.0.1/api/v1 into'],
    [308, `//other.example:99${path}`, 'write http://other.example:99 into'],
    [307, 'https://me:word@other.example/v2#a', 'redirects to https://other.example/v2;'],
    [302, '/login?next=/v1', '/login; correct'],
    [303, `/v1${path}/`, '/v1 into'],
    [307, 'file:///etc/passwd', 'redirects, but not to an address'],
    [307, 'http://[', 'redirects, but not to an address'],
    [308, undefined, 'redirects, but not to an address'],
  ]
  for (const [status, location, advice] of refused)
    test(`to ${location} (${status}) is an error: ${advice}`, async () => {
      await using stack = new AsyncDisposableStack()
      const { server, ask } = await connect(
        stack,
        redirects(status, () => location),
      )
      await assert.rejects(ask(), (error: Error) => {
        assert.ok(String(error.cause).includes(advice), String(error.cause))
        assert.doesNotMatch(String(error.cause), /secret|word|next=/)
        return true
      })
      assert.equal(server.requests.length, 1)
    })

  test('to another server sends nothing there', async () => {
    await using stack = new AsyncDisposableStack()
    const other = stack.use(await startTextServer())
    const { ask } = await connect(
      stack,
      redirects(307, () => `${other.url}${path}`),
    )
    await assert.rejects(ask(), { code: 'inference_failed' })
    assert.deepEqual(other.requests, [])
  })

  test('from a path with two slashes to one with one is on the same server', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startTextServer())
    server.answer = redirects(301, (url) => url + path)(server.url)
    const connection = stack.use(await UpstreamConnection.open({ url: server.url.replace('/v1', '//v1'), keyFile: null }))
    const answer = await connection.exchange(path, sent, { signal, mostBytes: 100, isDueAtOnce: false, isRepeatable: true })
    assert.equal(`${answer}`, 'done')
    assert.deepEqual(
      server.requests.map((request) => request.path),
      [`//v1${path}`, `/v1${path}`],
    )
  })

  test('for ever is an error', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, ask } = await connect(stack, () => (response) => response.writeHead(307, { location: `/v1${path}` }).end())
    await assert.rejects(ask(), { code: 'inference_failed' })
    assert.equal(server.requests.length, 4)
  })
})

test('redirects do not restart the time limit of the answer', async (context) => {
  await using stack = new AsyncDisposableStack()
  const limitMs = 600_000
  let passedMs = 0
  const now = performance.now.bind(performance)
  context.mock.method(performance, 'now', () => now() + passedMs)
  const server = stack.use(await startTextServer())
  server.answer = (response) => {
    passedMs += 0.6 * limitMs
    // The last one is never answered.
    if (server.requests.length < 3) response.writeHead(307, { location: `/v1${path}` }).end()
  }
  const timeouts = { connectMs: limitMs, firstMs: limitMs, idleMs: limitMs }
  const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null, timeouts }))
  await assert.rejects(
    connection.exchange(path, sent, { signal, mostBytes: 100, isDueAtOnce: false, isRepeatable: true }),
    (error: Error) => {
      assert.match(String(error.cause), /did not begin to answer within 600 s/)
      return true
    },
  )
})
