import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { startConsoleService } from '../support/console-service.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createMemoryStore } from '../support/memory/create-memory-store.ts'
import { openSocket, readUntil } from '../support/raw-exchange.ts'
import { readError } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const megabyte = 1024 * 1024
const chat = '/v1/chat/completions'
const honest = '"model":"fake-chat","messages":[{"role":"user","content":"Hi"}]'
const bodyLimitBytes = 32 * megabyte

/** So many entries, each made from its number, separated by commas. */
function repeat(count: number, entry: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => entry(index)).join(',')
}

/** Entries of one text that fill the largest body. */
function fill(entry: string): string {
  return `${entry},`.repeat(Math.floor((bodyLimitBytes - 200) / (entry.length + 1))) + entry
}

const hostileBodies: readonly { readonly what: string; readonly body: () => string; readonly status: number; readonly code: string }[] = [
  { what: '10.8 million empty messages', body: () => `{"model":"m","messages":[${fill('{}')}]}`, status: 413, code: 'payload_too_large' },
  {
    what: '2.3 million unknown fields',
    body: () => `{${honest},${repeat(2_300_000, (at) => `"k${at}":1`)}}`,
    status: 413,
    code: 'payload_too_large',
  },
  {
    what: '2.3 million keys of logit_bias',
    body: () => `{${honest},"logit_bias":{${repeat(2_300_000, (at) => `"${at}":1`)}}}`,
    status: 413,
    code: 'payload_too_large',
  },
  { what: '16 million numbers', body: () => `{${honest},"stop":[${fill('1')}]}`, status: 413, code: 'payload_too_large' },
  { what: '16 million brackets in each other', body: () => '['.repeat(16 * megabyte), status: 400, code: 'invalid_request_error' },
  {
    what: 'as many keys as there may be, all unknown',
    body: () => `{${honest},${repeat(11_990, (at) => `"k${at}":1`)}}`,
    status: 400,
    code: 'unsupported_parameter',
  },
  {
    what: 'as many messages as there may be, the last of them wrong',
    body: () =>
      `{"model":"fake-chat","messages":[${repeat(5500, () => '{"role":"user","content":"Hi"}')},{"role":"nobody","content":"Hi"}]}`,
    status: 400,
    code: 'invalid_request_error',
  },
  {
    what: 'as many numbers as there may be',
    body: () => `{${honest},"stop":[${repeat(349_000, String)}]}`,
    status: 400,
    code: 'invalid_request_error',
  },
  {
    what: 'arguments of a call that are 15 million lists',
    body: () =>
      `{"model":"fake-chat","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"${'[]'.repeat(15 * megabyte)}"}}]}]}`,
    status: 400,
    code: 'invalid_request_error',
  },
  {
    what: 'a prompt of 30 million letters',
    body: () => `{"model":"fake-chat","messages":[{"role":"user","content":"${'hello '.repeat(5 * megabyte)}"}]}`,
    status: 400,
    code: 'context_length_exceeded',
  },
  {
    what: 'a text of 15 million line breaks',
    body: () => `{${honest},"x":"${'\\n'.repeat(15 * megabyte)}"}`,
    status: 400,
    code: 'unsupported_parameter',
  },
  {
    what: 'a key of 30 million letters',
    body: () => `{${honest},"${'k'.repeat(30 * megabyte)}":1}`,
    status: 413,
    code: 'payload_too_large',
  },
  { what: '31 million spaces and no object', body: () => ' '.repeat(31 * megabyte), status: 400, code: 'invalid_json' },
  {
    what: 'an emoji cut in two',
    body: () => String.raw`{"model":"fake-chat","messages":[{"role":"user","content":"\ud83d"}]}`,
    status: 400,
    code: 'invalid_json',
  },
  {
    what: 'an emoji cut in two, after 100 000 whole ones in a large body',
    body: () => String.raw`{${honest},"stop":[${fill(String.raw`"\ud83d\udc2f"`).slice(0, 15 * 100_000 - 1)}],"user":"\udc2f"}`,
    status: 400,
    code: 'invalid_json',
  },
  { what: 'a key that is there twice', body: () => '{"model":"a","model":"b"}', status: 400, code: 'invalid_json' },
  {
    what: 'a key that is there twice in a large body, once with an escape',
    body: () => `{${honest},"x":"${' '.repeat(megabyte)}","\\u006dodel":"b"}`,
    status: 400,
    code: 'invalid_json',
  },
  {
    what: 'a large body that sets the prototype',
    body: () => `{${honest},"__proto__":{"stream":"${' '.repeat(megabyte)}"}}`,
    status: 400,
    code: 'unsupported_parameter',
  },
]

suite('hostile bodies', () => {
  let service: HttpService
  let neighbour: string
  const delay = monitorEventLoopDelay({ resolution: 1 })
  before(async () => {
    service = await startHttpService({
      settings: { requests: { bodyLimitBytes }, bodyMemory: { totalBytes: 512 * megabyte, shareBytes: 128 * megabyte } },
    })
    const { id } = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Grace', role: 'member' }, options)
    neighbour = await service.makeToken(['text'], { accountId: id })
  })
  after(() => service[Symbol.asyncDispose]())

  for (const { what, body, status, code } of hostileBodies)
    test(`${what}: ${status} ${code}, and a concurrent request is answered`, async (context) => {
      const text = Buffer.from(body())
      delay.reset()
      delay.enable()
      const [refused, answered] = await Promise.all([
        service.fetch(chat, { method: 'POST', body: text }),
        service.fetch(chat, { method: 'POST', body: `{${honest}}`, token: neighbour }),
      ])
      const error = await readError(refused)
      delay.disable()
      context.diagnostic(
        `${(text.length / megabyte).toFixed(1)} MiB, the event loop, which client and service share, held ${(delay.max / 1e6).toFixed(0)} ms`,
      )
      assert.deepEqual([refused.status, error.code], [status, code], error.message)
      assert.ok(error.message.length < 2000)
      assert.equal(answered.status, 200)
      assert.deepEqual(service.failures, [])
    })
})

const options = { signal: new AbortController().signal }

suite('bodies that are not sent completely', () => {
  const head = (token: string, length: number) =>
    `POST ${chat} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

  test('are rejected before the first byte without a token', async () => {
    await using service = await startHttpService()
    const socket = await openSocket(service.url)
    socket.write(head('nobody', 1_000_000))
    assert.match(await readUntil(socket, /\}\}$/), /^HTTP\/1\.1 401 /)
    socket.destroy()
  })

  test('use only the share of their own account, until they end', async () => {
    await using service = await startHttpService({ settings: { bodyMemory: { totalBytes: 300_000, shareBytes: 100_000 } } })
    const { id } = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Grace', role: 'member' }, options)
    const neighbour = await service.makeToken(['text'], { accountId: id })
    const body = `{${honest},"user":"${'x'.repeat(30_000)}"}`
    const send = async (token: string) => (await service.fetch(chat, { method: 'POST', body, token })).status
    const sockets = await Promise.all([1, 2, 3].map(() => openSocket(service.url)))
    for (const socket of sockets) socket.write(head(service.token, 31_000) + ' '.repeat(30_000))
    await service.received(3)
    while ((await send(service.token)) !== 429);
    const refused = await service.fetch(chat, { method: 'POST', body })
    assert.equal((await readError(refused)).code, 'quota_exceeded')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(await send(neighbour), 200)
    for (const socket of sockets) socket.destroy()
    while ((await send(service.token)) !== 200);
  })

  test('of clients that already disconnected use memory only briefly', async () => {
    const requested = Promise.withResolvers<void>()
    const found = Promise.withResolvers<void>()
    const open = (settings: Parameters<typeof createMemoryStore>[0]) => {
      const store = createMemoryStore(settings)
      const { ledger } = store
      const budgets = ledger.budgets.bind(ledger)
      ledger.budgets = async (subject, options) => {
        const known = await budgets(subject, options)
        requested.resolve()
        await found.promise
        return known
      }
      return store
    }
    await using service = await startHttpService({ open, settings: { bodyMemory: { totalBytes: 100_000, shareBytes: 100_000 } } })
    const body = `{${honest},"user":"${'x'.repeat(60_000)}"}`
    const socket = await openSocket(service.url)
    socket.write(head(service.token, body.length) + body)
    await requested.promise
    socket.destroy()
    await service.settled(1)
    found.resolve()
    assert.equal((await service.fetch(chat, { method: 'POST', body })).status, 200)
    assert.equal((await service.fetch(chat, { method: 'POST', body })).status, 200)
  })

  test('with a declared length count at once in their own share, and in the total as they arrive', async () => {
    await using service = await startHttpService({ settings: { bodyMemory: { totalBytes: 100_000, shareBytes: 100_000 } } })
    const { id } = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Grace', role: 'member' }, options)
    const neighbour = await service.makeToken(['text'], { accountId: id })
    const body = `{${honest},"user":"${'x'.repeat(60_000)}"}`
    const first = await openSocket(service.url)
    first.write(head(service.token, body.length))
    await service.received(1)
    const second = await openSocket(service.url)
    second.write(head(service.token, body.length))
    assert.match(await readUntil(second, /\}\}$/), /^HTTP\/1\.1 429 [\s\S]*quota_exceeded/)
    assert.equal((await service.fetch(chat, { method: 'POST', body, token: neighbour })).status, 200)
    first.write(body)
    assert.match(await readUntil(first, /\}\}$/), /^HTTP\/1\.1 200 /)
    for (const socket of [first, second]) socket.destroy()
  })

  test('are rejected when all accounts together fill the service', async () => {
    await using service = await startHttpService({ settings: { bodyMemory: { totalBytes: 100_000, shareBytes: 100_000 } } })
    const { id } = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Grace', role: 'member' }, options)
    const neighbour = await service.makeToken(['text'], { accountId: id })
    const socket = await openSocket(service.url)
    socket.write(head(service.token, 90_001) + ' '.repeat(90_000))
    const send = () => service.fetch(chat, { method: 'POST', body: `{${honest},"user":"${'x'.repeat(30_000)}"}`, token: neighbour })
    let answer = await send()
    while (answer.status === 200) answer = await send()
    assert.deepEqual([answer.status, (await readError(answer)).code], [503, 'server_is_overloaded'])
    socket.destroy()
  })

  test('are closed with their connection when they arrive too slowly', async () => {
    const clock = createTestClock()
    await using service = await startHttpService({ clock })
    const socket = await openSocket(service.url)
    socket.write(`${head(service.token, 1_000_000)}{`)
    await clock.waiting(1)
    await clock.advance(20_000)
    assert.match(await readUntil(socket, /\}\}$/), /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*request_timeout/)
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  })
})

suite('small routes', () => {
  test('sign-in accepts 16 KB', async () => {
    const service = await startConsoleService()
    const guess = { email: 'a@b.c', password: 'wrong', x: '' }
    const bare = JSON.stringify(guess).length
    const signIn = (bytes: number) => service.send('POST', '/console/api/session', { body: { ...guess, x: 'x'.repeat(bytes - bare) } })
    assert.equal((await signIn(16 * 1024)).statusCode, 422)
    const refused = await signIn(16 * 1024 + 1)
    assert.equal(refused.statusCode, 413)
    assert.match(refused.body, /at most 16384 bytes/)
  })

  test('all others that start no work on a model accept 16 KB too', async () => {
    await using service = await startHttpService()
    const refused = await service.fetch('/v1/webhooks/secrets/rotate', { method: 'POST', body: `{"x":"${'x'.repeat(16 * 1024)}"}` })
    assert.deepEqual([refused.status, (await readError(refused)).code], [413, 'payload_too_large'])
  })
})

suite('rejected bodies', () => {
  test('are read to their end, and the connection serves the next request', async () => {
    await using service = await startHttpService()
    const socket = await openSocket(service.url)
    const size = 4 * megabyte
    socket.write(`POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: ${size}\r\n\r\n`)
    socket.write(Buffer.alloc(size, ' '))
    assert.match(await readUntil(socket, /\}\}$/), /^HTTP\/1\.1 404 /)
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    assert.match(await readUntil(socket, /\{"status":"ok"\}/), /^HTTP\/1\.1 200 /)
    socket.destroy()
  })
})
