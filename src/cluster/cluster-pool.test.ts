import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { startNode, type TestNode, type TestNodeSettings } from '../../test/support/cluster/start-node.ts'
import { makeImageRequest } from '../../test/support/image-request.ts'
import { createMemoryNodeRegistry } from '../../test/support/memory/node-registry.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { createSystemClock } from '../composition/system-clock.ts'
import { attraction } from '../core/cluster/attraction.ts'
import { ServiceError } from '../core/error.ts'
import type { ModelDescriptor } from '../core/model.ts'
import { hourMs } from '../core/ports/clock.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import type { TextPart } from '../core/text-generation.ts'
import { createFakeCatalog, describeFakeImage } from '../runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../runtimes/fake/fixed-model-pool.ts'
import { maxNodeWaitMs } from './cluster-pool.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }
const clock = createSystemClock()

/** An API node and so many workers that know of each other. */
async function startCluster(workers: readonly Partial<Parameters<typeof startNode>[0]>[]) {
  const parts = new AsyncDisposableStack()
  const registry = createMemoryNodeRegistry({ clock })
  const nodes: TestNode[] = []
  for (const [index, worker] of workers.entries())
    nodes.push(parts.use(await startNode({ registry, id: `worker-${index}`, role: 'worker', ...worker })))
  const api = parts.use(await startNode({ registry, id: 'api', role: 'api' }))
  return { api, nodes, registry, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** A text model whose parts a test lets out one by one. */
function heldModel() {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  let release = Promise.withResolvers<void>()
  const model: TextModel = {
    async *generate(_request, { signal: stop }) {
      const abort = new Promise<never>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)))
      abort.catch((error) => ended.resolve(error))
      begun.resolve()
      for (;;) {
        await Promise.race([release.promise, abort])
        release = Promise.withResolvers()
        yield { type: 'text', choice: 0, text: 'x' }
      }
    },
    embed: async () => ({ vectors: [], promptTokens: 0 }),
  }
  return { model, begun: begun.promise, ended: ended.promise, release: () => release.resolve() }
}

const isText = (part: TextPart | undefined) => part?.type === 'text'

test('texts, counts and tokens from another node equal those of a local model', async () => {
  await using cluster = await startCluster([{}])
  await using lease = await cluster.api.pool.acquireText('fake-chat', options)
  const { model } = lease
  const request = makeTextRequest('[say hello there]')
  assert.equal(model.contextLength, 1024)
  assert.equal(await model.countPrompt?.(request, options), 3)
  const parts = await Array.fromAsync(model.generate(request, options))
  assert.deepEqual(parts.find(isText), { type: 'text', choice: 0, text: 'hello' })
  assert.equal(parts.at(-1)?.type, 'finish')
  const spelled = await model.tokenize?.(
    { model: 'fake-chat', input: { type: 'text', text: 'ab', framed: false, special: false }, spelled: true },
    options,
  )
  assert.ok(spelled?.spellings?.[0] instanceof Uint8Array)
  assert.deepEqual(await model.rank?.({ model: 'fake-chat', query: 'a fox', documents: ['a hare', 'a fox'] }, options), {
    scores: [0.5, 1],
    promptTokens: 8,
  })
})

test('a node with another secret is rejected, and the reason is logged once a minute', async () => {
  const still = createTestClock()
  const registry = createMemoryNodeRegistry({ clock: still })
  const secret = createSecretKey('another secret of sixteen characters', 'utf8')
  await using right = await startNode({ registry, id: 'right', role: 'worker', clock: still, slots: 8 })
  await using wrong = await startNode({ registry, id: 'wrong', role: 'worker', clock: still, slots: 8, secret })
  await using api = await startNode({ registry, id: 'api', role: 'api', clock: still })
  const askAll = async () => {
    for (let each = 0; each < 8; each++) {
      await using lease = await api.pool.acquireText('fake-chat', { ...options, conversation: `talk ${each}` })
      await Array.fromAsync(lease.model.generate(makeTextRequest('[say hello]'), options))
    }
  }
  await askAll()
  assert.deepEqual([right.requested.length, wrong.requested.length], [8, 0])
  assert.equal(api.unreached.length, 1)
  assert.match(
    api.unreached[0] ?? '',
    /^wrong .*without proof that it belongs to the cluster: its cluster-secret, clock or node-url differs/,
  )
  await still.advance(10_000)
  await askAll()
  assert.equal(api.unreached.length, 1)
  await still.advance(60_000)
  await askAll()
  assert.equal(api.unreached.length, 2)
})

test('work on another node is part of the caller’s trace', async () => {
  const lent: unknown[] = []
  const trace: TestNodeSettings['trace'] = async (question, run) => {
    lent.push([question.kind, question.model, question.traceparent])
    await run()
  }
  const registry = createMemoryNodeRegistry({ clock })
  await using _worker = await startNode({ registry, id: 'worker', role: 'worker', trace })
  const traceparents = ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', undefined]
  await using api = await startNode({ registry, id: 'api', role: 'api', traceparent: () => traceparents.shift() })
  for (let time = 0; time < 2; time++) await (await api.pool.acquireText('fake-chat', options))[Symbol.asyncDispose]()
  assert.deepEqual(lent, [
    ['text', 'fake-chat', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['text', 'fake-chat', undefined],
  ])
})

test('pictures come from another node, with their progress', async () => {
  await using cluster = await startCluster([{}])
  await using lease = await cluster.api.pool.acquireImage('fake-image', options)
  const steps: number[] = []
  const request = { ...makeImageRequest('a tiger') }
  const { images } = await lease.model.generate(request, { signal, onProgress: ({ step }) => steps.push(step) })
  assert.equal(images.length, 1)
  assert.ok(steps.length > 0)
})

test('pictures are enlarged by another node', async () => {
  await using cluster = await startCluster([{}])
  await using lease = await cluster.api.pool.acquireImage('fake-image', options)
  const request = { model: 'fake-image', image: Uint8Array.of(1), width: 80, height: 40, encoding: 'png' } as const
  const result = await lease.model.enlarge?.(request, { signal, onProgress: () => undefined })
  assert.deepEqual(
    result?.images.map(({ width, height }) => [width, height]),
    [[80, 40]],
  )
})

test('an error of the model keeps its code, and the lease goes on', async () => {
  await using cluster = await startCluster([{}])
  await using lease = await cluster.api.pool.acquireText('fake-chat', options)
  const long = makeTextRequest(Array.from({ length: 2000 }, () => 'word').join(' '))
  await assert.rejects(Array.fromAsync(lease.model.generate(long, options)), { code: 'context_length_exceeded' })
  const parts = await Array.fromAsync(lease.model.generate(makeTextRequest('[say on]'), options))
  assert.ok(parts.some(isText))
})

test('a caller who leaves ends the work on the other node and frees its slot', async () => {
  const held = heldModel()
  await using cluster = await startCluster([{ text: held.model, slots: 1 }])
  const caller = new AbortController()
  const lease = await cluster.api.pool.acquireText('fake-chat', { ...options, signal: caller.signal })
  const reading = Array.fromAsync(lease.model.generate(makeTextRequest('x'), { ...options, signal: caller.signal }))
  await held.begun
  caller.abort(new Error('left'))
  await assert.rejects(reading, /left/)
  await lease[Symbol.asyncDispose]()
  assert.ok((await held.ended) instanceof ServiceError)
  await using _again = await cluster.api.pool.acquireText('fake-chat', options)
})

test('a node that dies before its first part is replaced by another, and the caller notices nothing', async () => {
  const held = heldModel()
  await using cluster = await startCluster([{ text: held.model }, {}])
  const [dying, taking] = cluster.nodes
  const lease = await leaseOn(cluster.api, dying)
  const reading = Array.fromAsync(lease.model.generate(makeTextRequest('[say hello]'), options))
  await held.begun
  await dying?.kill()
  assert.deepEqual((await reading).find(isText), { type: 'text', choice: 0, text: 'hello' })
  assert.deepEqual(taking?.requested, ['[say hello]'])
  await lease[Symbol.asyncDispose]()
})

test('a node that dies after its first part is an error, and no part is repeated', async () => {
  const held = heldModel()
  await using cluster = await startCluster([{ text: held.model }, {}])
  const [dying, other] = cluster.nodes
  const lease = await leaseOn(cluster.api, dying)
  const parts = lease.model.generate(makeTextRequest('x'), options)[Symbol.asyncIterator]()
  held.release()
  assert.ok(isText((await parts.next()).value))
  await dying?.kill()
  await assert.rejects(parts.next(), { code: 'server_is_overloaded', message: /node .* was lost/ })
  assert.deepEqual(other?.requested, [])
  await lease[Symbol.asyncDispose]()
})

test('a lost node gets no requests, and without any node the caller gets 503', async () => {
  await using cluster = await startCluster([{}, {}])
  await cluster.nodes[0]?.kill()
  for (let round = 0; round < 4; round++) {
    await using lease = await cluster.api.pool.acquireText('fake-chat', options)
    await Array.fromAsync(lease.model.generate(makeTextRequest('x'), options))
  }
  assert.equal(cluster.nodes[1]?.requested.length, 4)
})

test('a request waits for the only node that runs its model while that starts again', async () => {
  await using cluster = await startCluster([{}])
  const { api, nodes, registry } = cluster
  await nodes[0]?.[Symbol.asyncDispose]()
  await api.view.refresh(options)
  assert.equal(api.catalog.find('fake-chat')?.id, 'fake-chat')
  const waiting = api.pool.acquireText('fake-chat', options)
  await using again = await startNode({ registry, id: 'worker-0 again', role: 'worker' })
  await api.view.refresh(options)
  await using lease = await waiting
  await Array.fromAsync(lease.model.generate(makeTextRequest('x'), options))
  assert.deepEqual(again.requested, ['x'])
})

test('a request rejected by a stopping node waits until that node restarts', async () => {
  await using cluster = await startCluster([{}])
  const { api, nodes, registry } = cluster
  // The API node has not heard of it yet; the node itself refuses.
  await nodes[0]?.drain()
  const waiting = api.pool.acquireText('fake-chat', options)
  await using _again = await startNode({ registry, id: 'worker-0 again', role: 'worker' })
  await api.view.refresh(options)
  await (await waiting)[Symbol.asyncDispose]()
})

test('a node that was forgotten during a long silence offers its models again', async () => {
  const moved = createTestClock()
  const registry = createMemoryNodeRegistry({ clock: moved })
  await using worker = await startNode({ registry, id: 'worker', role: 'worker', clock: moved })
  await using api = await startNode({ registry, id: 'api', role: 'api', clock: moved })
  moved.jump(moved.now() + 2 * hourMs)
  await api.view.refresh(options)
  for (let report = 0; report < 2; report++) await worker.view.refresh(options)
  await using late = await startNode({ registry, id: 'late', role: 'api', clock: moved })
  assert.deepEqual(
    late.view.lenders().map(({ node }) => node.id),
    ['worker'],
  )
})

test('a request without a node gets 503 with the name of the model after 20 seconds, or leaves', async () => {
  const moved = createTestClock()
  const registry = createMemoryNodeRegistry({ clock: moved })
  const worker = await startNode({ registry, id: 'worker', role: 'worker', clock: moved })
  await using api = await startNode({ registry, id: 'api', role: 'api', clock: moved })
  await worker[Symbol.asyncDispose]()
  await api.view.refresh(options)
  const caller = new AbortController()
  const left = assert.rejects(api.pool.acquireText('fake-chat', { ...options, signal: caller.signal }), /left/)
  const refused = assert.rejects(api.pool.acquireText('fake-chat', options), {
    code: 'server_is_overloaded',
    retryAfterSeconds: 2,
    message: /fake-chat/,
  })
  await moved.advance(maxNodeWaitMs - 1)
  caller.abort(new Error('left'))
  await left
  await moved.advance(1)
  await refused
  // What a node offered that does not come back is forgotten within a minute or two.
  await moved.advance(90_000)
  assert.equal(api.catalog.find('fake-chat'), undefined)
})

test('a node that is full is not waited for: its refusal is the answer', async () => {
  await using cluster = await startCluster([{ slots: 1 }])
  const { pool } = cluster.api
  await using _held = await pool.acquireText('fake-chat', options)
  const caller = new AbortController()
  const waiting = Array.from({ length: 80 }, () => pool.acquireText('fake-chat', { ...options, signal: caller.signal }))
  const refusal: unknown = await Promise.race(
    waiting.map((each) =>
      each.then(
        () => null,
        (error: unknown) => error,
      ),
    ),
  )
  assert.ok(refusal instanceof ServiceError && refusal.code === 'server_is_overloaded')
  assert.doesNotMatch(refusal.message, /can be reached/)
  caller.abort(new Error('left'))
  await Promise.allSettled(waiting)
})

test('a draining node gets no new work and finishes its own', async () => {
  await using cluster = await startCluster([{}, {}])
  const [draining, staying] = cluster.nodes
  const lease = await leaseOn(cluster.api, draining)
  await draining?.drain()
  // The API node has not heard of it yet; the node itself refuses.
  for (let round = 0; round < 4; round++) {
    await using other = await cluster.api.pool.acquireText('fake-chat', options)
    await Array.fromAsync(other.model.generate(makeTextRequest('new'), options))
  }
  assert.equal(staying?.requested.filter((text) => text === 'new').length, 4)
  assert.ok((await Array.fromAsync(lease.model.generate(makeTextRequest('[say old]'), options))).some(isText))
  await lease[Symbol.asyncDispose]()
})

test('turns of a conversation go to one node, other conversations to others too', async () => {
  await using cluster = await startCluster([{ slots: 100 }, { slots: 100 }, { slots: 100 }])
  for (let turn = 0; turn < 3; turn++)
    for (let conversation = 0; conversation < 30; conversation++) {
      await using lease = await cluster.api.pool.acquireText('fake-chat', { ...options, conversation: `c${conversation}` })
      await Array.fromAsync(lease.model.generate(makeTextRequest(`c${conversation}`), options))
    }
  const places = cluster.nodes.map(({ requested }) => new Set(requested))
  assert.equal(
    places.reduce((sum, { size }) => sum + size, 0),
    30,
  )
  for (const place of places) assert.ok(place.size >= 3, `${place.size}`)
})

test('an API node lists the models of its workers only', async () => {
  await using cluster = await startCluster([{}])
  assert.deepEqual(
    cluster.api.catalog.list().map(({ id }) => id),
    ['fake-chat', 'fake-image'],
  )
  assert.equal(cluster.api.pool.states().find(({ modelId }) => modelId === 'fake-chat')?.slots, 2)
  await assert.rejects(cluster.api.pool.acquireText('nothing', options), { code: 'model_not_found', message: /fake-chat/ })
})

test('loading a model on another node reports a change unless it is loaded there', async () => {
  const lent = createFixedModelPool({ text: { 'fake-chat': heldModel().model } })
  for (const [pool, changes] of [
    [lent, false],
    [{ ...lent, states: () => [] }, true],
  ] as const) {
    await using cluster = await startCluster([{ lent: pool }])
    assert.equal(await cluster.api.pool.load('fake-chat', options), changes)
  }
})

test('without a worker, a request gets an error that says what to start', async () => {
  await using cluster = await startCluster([])
  assert.match(cluster.api.catalog.findUnusable('fake-chat')?.reason ?? '', /--role worker/)
  await using _worker = await startNode({ registry: cluster.registry, id: 'worker', role: 'worker' })
  await cluster.api.view.refresh(options)
  assert.equal(cluster.api.catalog.findUnusable('nothing'), undefined)
})

/** A slot on one of two nodes: of a conversation that belongs there. */
async function leaseOn(api: TestNode, node: TestNode | undefined) {
  const pullOf = (key: number, name: string) => attraction(String(key), { name, weight: 2 })
  const others = ['worker-0', 'worker-1'].filter((id) => id !== node?.id)
  let key = 0
  while (others.some((id) => pullOf(key, id) >= pullOf(key, node?.id ?? ''))) key++
  return api.pool.acquireText('fake-chat', { ...options, conversation: String(key) })
}

test('a node does not start if another node has a model of the same name and another kind, and names the model', async () => {
  const registry = createMemoryNodeRegistry({ clock })
  await using worker = await startNode({ registry, id: 'first', role: 'worker' })
  const catalog = createFakeCatalog([describeFakeImage({ id: 'fake-chat' })])
  await assert.rejects(startNode({ registry, id: 'second', role: 'worker', catalog }), {
    message: `The model fake-chat is an image model here and a text model at the node host of first (${worker.url}); give one of them another id.`,
  })
  await worker.view.refresh({ signal })
  assert.deepEqual(
    worker.view.nodes().map(({ id }) => id),
    ['first'],
  )
})

test('where a model of another kind turns up beside others of its id, requests go to their own kind, and the log warns', async () => {
  const still = createTestClock()
  const registry = createMemoryNodeRegistry({ clock: still })
  let models: readonly ModelDescriptor[] = [describeFakeImage()]
  const fakes = createFakeCatalog()
  const catalog = { ...fakes, list: () => models, find: (id: string) => models.find((model) => model.id === id) }
  await using right = await startNode({ registry, id: 'right', role: 'worker', clock: still, slots: 8 })
  await using wrong = await startNode({ registry, id: 'wrong', clock: still, slots: 8, catalog })
  models = [describeFakeImage({ id: 'fake-chat' })]
  await still.advance(2000)
  await right.view.refresh({ signal })
  await still.advance(2000)
  await using api = await startNode({ registry, id: 'api', role: 'api', clock: still })
  for (let each = 0; each < 8; each++) {
    await using lease = await api.pool.acquireText('fake-chat', { ...options, conversation: `talk ${each}` })
    await Array.fromAsync(lease.model.generate(makeTextRequest('[say hello]'), options))
  }
  assert.deepEqual([right.requested.length, wrong.requested.length], [8, 0])
  for (const node of [right, wrong]) assert.match(String(node.faults[0]), /fake-chat is an? .* model here and an? .* model at the node/)
})
