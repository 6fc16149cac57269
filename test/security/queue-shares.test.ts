import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { createModelPool } from '../../src/residency/model-pool.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../../src/runtimes/fake/fake-model-loader.ts'
import { startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const { signal } = new AbortController()
const limits = {
  memoryBytes: 1e12,
  idleUnloadMs: null,
  textSlots: 2,
  textQueue: 128,
  imageQueue: 2,
  waitLimitMs: 60_000,
  accountShare: 0.5,
}
const chat = { model: 'fake-chat', messages: [{ role: 'user', content: 'hello' }] }

async function start(stack: AsyncDisposableStack) {
  const clock = createTestClock()
  const catalog = createFakeCatalog()
  const loader = new FakeModelLoader({ clock, slots: 2 })
  const pool = stack.use(createModelPool({ catalog, loader, clock, limits, onEvent: () => {} }))
  const service = stack.use(await startHttpService({ clock, catalog, pool, limits: { maxPending: 8, maxPendingPerAccount: 4 } }))
  const neighbour = await createAccount({ ...service.store, clock }, { name: 'Bo', role: 'member' }, { signal })
  return { pool, service, honest: await service.makeToken(['text', 'image', 'read'], { accountId: neighbour.id }) }
}

async function assertRefused(answer: Response, bound: RegExp): Promise<void> {
  assert.equal(answer.status, 429)
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  const { code, message } = await readError(answer)
  assert.equal(code, 'concurrency_limit_exceeded')
  assert.match(message, bound)
}

suite('queue shares', () => {
  test('64 waiting requests of one account leave room for another, which is served first', async () => {
    await using stack = new AsyncDisposableStack()
    const { pool, service, honest } = await start(stack)
    const leases = await Promise.all(['x', 'y'].map((account) => pool.acquireText('fake-chat', { signal, account })))
    const greedy = Array.from({ length: 80 }, () => service.fetch('/v1/chat/completions', { json: chat }))
    await service.settled(16)
    const requested = service.fetch('/v1/chat/completions', { json: chat, token: honest })
    await service.received(81)
    while (pool.states()[0]?.waiting !== 65) await new Promise((resolve) => setImmediate(resolve))
    for (const lease of leases) await lease[Symbol.asyncDispose]()
    assert.equal((await requested).status, 200)
    const refused = (await Promise.all(greedy)).filter(({ status }) => status !== 200)
    await service.settled(81)
    const served = service.finished.filter(({ status }) => status === 200)
    assert.equal(served.length, 65)
    assert.ok(served.findIndex(({ accountId }) => accountId !== service.accountId) <= 2, 'the neighbour is served among the first')
    assert.equal(refused.length, 16)
    for (const answer of refused) await assertRefused(answer, /share of the queue, account-share/)
  })

  test('one account cannot fill the queue of asynchronous requests', async () => {
    await using stack = new AsyncDisposableStack()
    const { service, honest } = await start(stack)
    const submit = (token = service.token) =>
      service.fetch('/v1/chat/completions', { json: chat, token, headers: { 'x-service-async': '1' } })
    const greedy = await Promise.all(Array.from({ length: 12 }, () => submit()))
    assert.equal(greedy.filter(({ status }) => status === 202).length, 4)
    for (const answer of greedy.filter(({ status }) => status !== 202)) await assertRefused(answer, /limit of 4 waiting requests/)
    assert.equal((await submit(honest)).status, 202)
  })

  test('endless requests of one account do not block the asynchronous work of another', async () => {
    const clock = createTestClock()
    const catalog = createFakeCatalog()
    const loader = new FakeModelLoader({ clock, slots: 2 })
    await using pool = createModelPool({ catalog, loader, clock, limits, onEvent: () => {} })
    await using service = await startHttpService({ clock, catalog, pool, worker: true })
    const neighbour = await createAccount({ ...service.store, clock }, { name: 'Bo', role: 'member' }, { signal })
    const honest = await service.makeToken(['text', 'read'], { accountId: neighbour.id })
    const stop = new AbortController()
    // Each of four callers sends its next request as soon as it is served, so that some always wait for the two slots.
    const greedy = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        await using _lease = await pool.acquireText('fake-chat', { signal, account: service.accountId })
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    while ((pool.states().find(({ modelId }) => modelId === 'fake-chat')?.waiting ?? 0) < 2)
      await new Promise((resolve) => setImmediate(resolve))
    const submitted = await service.fetch('/v1/chat/completions', { json: chat, token: honest, headers: { 'x-service-async': '1' } })
    const { response_id: id } = await readJson(submitted)
    const polled = await service.fetch(`/v1/requests/${String(id)}?wait=60`, { token: honest })
    assert.equal((await readJson(polled)).outcome, 'succeeded')
    stop.abort()
    await Promise.all(greedy)
  })
})
