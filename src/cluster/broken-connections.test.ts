import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type NodeRelay, startNodeRelay } from '../../test/support/cluster/node-relay.ts'
import { startNode, type TestNodeSettings } from '../../test/support/cluster/start-node.ts'
import { createMemoryNodeRegistry } from '../../test/support/memory/node-registry.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { ServiceError } from '../core/error.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import { leaseSlot } from './lease-slot.ts'
import { leaseFormat, NodeLost } from './lease-wire.ts'

const options = { signal: new AbortController().signal, account: 'a' }

/** An API node and the only worker, with a relay between them that breaks their connections. */
async function startPair(settings: Partial<TestNodeSettings> = {}) {
  const parts = new AsyncDisposableStack()
  const clock = createTestClock()
  const registry = createMemoryNodeRegistry({ clock })
  const made: NodeRelay[] = []
  const through = async (url: string) => {
    const relay = parts.use(await startNodeRelay(url))
    made.push(relay)
    return relay.url
  }
  const worker = parts.use(await startNode({ registry, id: 'worker', role: 'worker', slots: 1, clock, through, ...settings }))
  const api = parts.use(await startNode({ registry, id: 'api', role: 'api', clock }))
  const [relay] = made
  assert.ok(relay !== undefined)
  const ask = async () => {
    await using lease = await api.pool.acquireText('fake-chat', options)
    const parts = await Array.fromAsync(lease.model.generate(makeTextRequest('[say hello]'), options))
    return parts.at(-1)?.type
  }
  return { clock, worker, api, relay, ask, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

test('a caller that requests another protocol is not treated as a node', async () => {
  await using server = createServer((request) => {
    request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const secret = createSecretKey('0123456789abcdef', 'utf8')
  const leasingNode = { nodeId: 'api', secret, clock: createTestClock(), tls: undefined, waitLimitMs: 60_000 }
  const question = { kind: 'text', model: 'fake-chat', account: 'a', sequences: 1, deferred: false } as const
  await assert.rejects(
    leaseSlot(leasingNode, { id: 'worker', url: `http://127.0.0.1:${port}`, leaseFormat }, question, options),
    (error: unknown) => {
      assert.ok(error instanceof NodeLost && error.cause instanceof Error)
      assert.match(error.cause.message, /answered 101 without proof that it belongs to the cluster/)
      return true
    },
  )
})

test('a request on a closed keep-alive connection is repeated on another at once', async () => {
  await using pair = await startPair()
  pair.relay.does = 'reset-reused'
  while (pair.relay.resets() < 2) assert.equal(await pair.ask(), 'finish')
})

test('the only node of a model gets requests again after a short failure', async () => {
  await using pair = await startPair()
  pair.relay.does = 'reset'
  const waiting = pair.ask()
  while (pair.relay.connections() === 0) await new Promise((resolve) => setImmediate(resolve))
  await pair.clock.advance(1000)
  pair.relay.does = 'pass'
  for (let second = 0; second < 10; second++) await pair.clock.advance(1000)
  assert.equal(await waiting, 'finish')
})

test('a request that repeatedly loses its node is not retried forever', async () => {
  const text: TextModel = {
    async *generate(_request, { signal }) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    embed: async () => ({ vectors: [], promptTokens: 0 }),
  }
  await using pair = await startPair({ text })
  let refusal: unknown
  const requested = pair.ask().catch((error) => {
    refusal = error
  })
  let cuts = 0
  while (refusal === undefined) {
    if (pair.worker.requested.length > cuts) {
      pair.relay.cut()
      cuts += 1
    }
    await pair.clock.advance(1000)
  }
  await requested
  assert.ok(refusal instanceof ServiceError && ['inference_failed', 'server_is_overloaded'].includes(refusal.code), String(refusal))
  assert.equal(cuts, 3)
  assert.deepEqual(pair.worker.faults, [], 'the lender reports no fault when the asking node is gone')
})
