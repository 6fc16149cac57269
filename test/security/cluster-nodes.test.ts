import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, request as openRequest } from 'node:http'
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { type LenderAddress, leaseSlot } from '../../src/cluster/lease-slot.ts'
import { type LeaseQuestion, leaseFormat, leasePath, NodeLost } from '../../src/cluster/lease-wire.ts'
import { aheadKey, SealedLines, sealQuestion } from '../../src/cluster/sealed-lines.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import { clusterSecret, startNode, type TestNodeSettings } from '../support/cluster/start-node.ts'
import { createMemoryNodeRegistry } from '../support/memory/node-registry.ts'
import { createTestClock } from '../support/test-clock.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
const question: LeaseQuestion = { kind: 'text', model: 'fake-chat', account: 'a', sequences: 1, deferred: false }
const line = JSON.stringify(question)
const leasingNode = (clock: Clock) => ({ nodeId: 'api', secret: clusterSecret, clock, waitLimitMs: 60_000 })

async function startWorker(settings: Partial<TestNodeSettings> = {}) {
  const clock = createTestClock()
  const node = await startNode({ registry: createMemoryNodeRegistry({ clock }), id: 'worker', role: 'worker', clock, ...settings })
  return Object.assign(node, { clock, sealedAt: (at: number, to = 'worker') => sealQuestion(clusterSecret, { from: 'api', to, line, at }) })
}

/** The status that a question gets, or `closed`; the lease ends at once. */
async function ask(url: string | null, headers: object, body = `${line}\n`, path = leasePath): Promise<number | string> {
  const request = openRequest(new URL(path, url ?? ''), { method: 'POST', headers: { ...headers }, agent: false })
  request.end(body)
  try {
    const [response] = await once(request, 'response')
    response.resume()
    return response.statusCode
  } catch {
    return 'closed'
  } finally {
    request.destroy()
  }
}

test('a request is accepted once, if it has the secret, is recent and meant for this node', async () => {
  await using node = await startWorker()
  const now = node.clock.now()
  const genuine = node.sealedAt(now)
  assert.equal(await ask(node.url, genuine), 200)
  const refused: readonly (readonly [string, object, string?])[] = [
    ['repeated', genuine],
    ['without a seal', {}],
    ['with another secret', sealQuestion(createSecretKey('guessed', 'utf8'), { from: 'api', to: 'worker', line, at: now })],
    ['of 31 seconds ago', node.sealedAt(now - 31_000)],
    ['of the future', node.sealedAt(now + 31_000)],
    ['of no time', node.sealedAt(Number.NaN)],
    ['for another node', node.sealedAt(now, 'other')],
    ['with another account in it', node.sealedAt(now), `${line.replace('"a"', '"b"')}\n`],
    ['of another node', { ...node.sealedAt(now), 'x-sepia-node': 'other' }],
  ]
  for (const [what, headers, body] of refused) assert.equal(await ask(node.url, headers, body), 401, what)
  await node.clock.advance(29_000)
  assert.equal(await ask(node.url, genuine), 401, 'repeated before it is old')
})

test('an invalid or overlong request ends its connection', async () => {
  await using node = await startWorker()
  assert.equal(await ask(node.url, {}, '', '/v1/models'), 404)
  assert.equal(await ask(node.url, {}, 'no end'), 400)
  assert.match(String(await ask(node.url, {}, 'x'.repeat(1_000_000))), /400|closed/)
})

test('an endless request is cut off after three seconds', async () => {
  await using node = await startWorker()
  const socket = connect(Number(new URL(node.url ?? '').port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`POST ${leasePath} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`)
  await node.clock.waiting(2)
  const closed = once(socket, 'close')
  socket.resume()
  for (let second = 0; second < 4; second++) await node.clock.advance(1000)
  await closed
})

test('a line that was changed, repeated or dropped on its way ends the lease', () => {
  const key = createSecretKey(Buffer.alloc(32, 1))
  const [writer, other] = [new SealedLines(key, 'asker'), new SealedLines(key, 'lender')]
  const lines = [writer.write({ call: 1 }), writer.write({ call: 2 })].map((text) => text.slice(0, -1))
  const [first = '', second = ''] = lines
  assert.deepEqual(new SealedLines(key, 'asker').read(first), { call: 1 })
  const cases: readonly (readonly string[])[] = [
    [first.replace('1', '2')],
    [first, first],
    [second],
    [other.write({}).slice(0, -1)],
    [''],
    [' '],
  ]
  for (const sent of cases) {
    const reader = new SealedLines(key, 'asker')
    assert.throws(() => sent.map((text) => reader.read(text)), /wrong seal/)
  }
})

test('a call sent with a request counts only with the seal of that request', async () => {
  await using node = await startWorker()
  const asking = JSON.stringify({ ...question, ahead: true })
  const call = { type: 'call', call: 1, method: 'generate', request: makeTextRequest('[say forged]'), account: 'a' }
  const sealedBy = (nonce: string, to = 'worker') => new SealedLines(aheadKey(clusterSecret, to, nonce), 'asker').write(call)
  for (const [what, makeLine] of [
    ['of another question', () => sealedBy('another')],
    ['for another node', (nonce: string) => sealedBy(nonce, 'other')],
    ['with other words', (nonce: string) => sealedBy(nonce).replace('forged', 'frauds')],
    ['without a seal', () => `- ${JSON.stringify(call)}\n`],
    ['that breaks off', (nonce: string) => sealedBy(nonce).slice(0, -1)],
  ] as const) {
    const headers = sealQuestion(clusterSecret, { from: 'api', to: 'worker', line: asking, at: node.clock.now() })
    const request = openRequest(new URL(leasePath, node.url ?? ''), { method: 'POST', headers: { ...headers }, agent: false })
    request.on('error', () => {})
    request.end(`${asking}\n${makeLine(headers['x-sepia-nonce'])}`)
    const text = await once(request, 'response').then(
      async ([response]) => String(await response.toArray().catch(() => 'cut off')),
      () => 'cut off',
    )
    assert.doesNotMatch(text, /"part"|"done"/, what)
  }
  assert.deepEqual(node.requested, [])
})

test('a forged node that answers without the secret gets no content', async () => {
  const received: string[] = []
  const forged = createServer((request, response) => {
    request.on('data', (chunk) => received.push(String(chunk)))
    response.writeHead(200, { 'x-sepia-nonce': 'n', 'x-sepia-seal': 's' })
    response.write('granted\n')
  }).listen(0, '127.0.0.1')
  await using lender = await listening(forged)
  const leased = leaseSlot(leasingNode(createTestClock()), lender, question, { signal })
  await assert.rejects(leased, (error) => error instanceof NodeLost && /without proof/.test(String(error.cause)))
  assert.deepEqual(received.join(''), `${line}\n`)
})

test('a node that accepts the connection and sends nothing is abandoned after three seconds', async () => {
  const clock = createTestClock()
  const silent = createTcpServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await using lender = await listening(silent)
  const leased = leaseSlot(leasingNode(clock), lender, question, { signal })
  const refused = assert.rejects(leased, (error) => error instanceof NodeLost && /silent/.test(String(error.cause)))
  await once(silent, 'connection')
  for (let second = 0; second < 4; second++) await clock.advance(1000)
  await refused
})

for (const [kind, limit] of [
  ['text', '75000 ms'],
  ['load', '3600000 ms'],
] as const)
  test(`a stranger that signals work forever at the address of an older node is abandoned after ${limit} for ${kind}`, async () => {
    const clock = createTestClock()
    const looks = new EventEmitter()
    // Every sign leads to a look at the clock.
    const watched: Clock = {
      ...clock,
      steadyNow() {
        looks.emit('look')
        return clock.steadyNow()
      },
    }
    const stranger = createTcpServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    await using lender = await listening(stranger)
    let refused: unknown
    const leased = leaseSlot(leasingNode(watched), { ...lender, leaseFormat: 2 }, { ...question, kind }, { signal }).catch(
      (error: unknown) => {
        refused = error
      },
    )
    const [socket] = (await once(stranger, 'connection')) as [Socket]
    while (refused === undefined) {
      const received = once(looks, 'look')
      socket.write('HTTP/1.1 102 Processing\r\n\r\n')
      await received
      await clock.advance(2000)
    }
    await leased
    assert.ok(refused instanceof NodeLost && String(refused.cause).includes(limit), String(refused))
  })

for (const [what, sign] of [
  ['without a seal', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['with a wrong seal', 'HTTP/1.1 102 Processing\r\nx-sepia-seal: AAAA\r\n\r\n'],
] as const)
  test(`a stranger that signals work ${what} is abandoned at once`, async () => {
    const stranger = createTcpServer((socket) => socket.on('error', () => {}).write(sign)).listen(0, '127.0.0.1')
    await using lender = await listening(stranger)
    const leased = leaseSlot(leasingNode(createTestClock()), lender, question, { signal })
    await assert.rejects(leased, (error) => error instanceof NodeLost && /without proof/.test(String(error.cause)))
  })

test('a node authenticates each sign of its work while a request waits for a slot', async () => {
  await using node = await startWorker({ slots: 1 })
  const passed = new EventEmitter()
  const relay = createTcpServer((socket) => {
    const onward = connect(Number(new URL(node.url ?? '').port), '127.0.0.1')
    socket.on('error', () => onward.destroy()).pipe(onward)
    onward.on('error', () => socket.destroy()).on('data', (chunk) => socket.write(chunk, () => passed.emit('passed')))
  }).listen(0, '127.0.0.1')
  await using lender = await listening(relay)
  const held = await leaseSlot(leasingNode(node.clock), { ...lender, url: node.url ?? '' }, question, { signal })
  const waiting = leaseSlot(leasingNode(node.clock), lender, question, { signal })
  while (!node.pool.states().some(({ waiting: count }) => count > 0)) await new Promise((resolve) => setImmediate(resolve))
  for (let sign = 0; sign < 10; sign++) {
    const received = once(passed, 'passed')
    await node.clock.advance(2000)
    await received
  }
  await held[Symbol.asyncDispose]()
  await using _slot = await waiting
})

test('a request of an unknown kind is rejected by name, and unloads nothing', async () => {
  await using node = await startWorker()
  const unknown = JSON.parse(JSON.stringify({ ...question, kind: 'sing' }))
  await assert.rejects(leaseSlot(leasingNode(node.clock), { id: 'worker', url: node.url ?? '', leaseFormat }, unknown, { signal }), {
    code: 'unsupported',
    message: 'The other node does not support a lease of the kind "sing"; upgrade it.',
  })
})

for (const [begun, seconds] of [
  [false, 6],
  [true, 15],
] as const)
  test(`a node that stops sending ${begun ? 'within' : 'before'} an answer is abandoned after ${seconds} seconds`, async () => {
    const text: TextModel = {
      async *generate(_request, { signal }) {
        yield { type: 'text', choice: 0, text: 'one' }
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      embed: async () => ({ vectors: [], promptTokens: 0 }),
    }
    await using node = await startWorker({ text })
    const clock = createTestClock()
    // A relay between the two stops passing on data.
    let passes = true
    const relay = createTcpServer((socket) => {
      const onward = connect(Number(new URL(node.url ?? '').port), '127.0.0.1')
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        from.on('data', (chunk) => passes && to.write(chunk))
        from.on('error', () => to.destroy())
        from.on('close', () => to.destroy())
      }
    }).listen(0, '127.0.0.1')
    await using lender = await listening(relay)
    const slot = await leaseSlot(leasingNode(clock), { ...lender, id: 'worker' }, question, { signal })
    const call = slot.call('generate', makeTextRequest('x'), { signal, account: 'a' })
    if (begun) assert.equal((await call.next()).done, false)
    passes = false
    let isLost = false
    const lost = assert
      .rejects(Array.fromAsync(call), (error) => error instanceof NodeLost)
      .finally(() => {
        isLost = true
      })
    for (let second = 0; second < seconds; second++) {
      assert.equal(isLost, false, `after ${second} s`)
      await clock.advance(1000)
    }
    await clock.advance(1000)
    await lost
    await slot[Symbol.asyncDispose]()
  })

async function listening(server: Server): Promise<AsyncDisposable & LenderAddress> {
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket))
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    id: 'worker',
    url: `http://127.0.0.1:${address.port}`,
    leaseFormat,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
