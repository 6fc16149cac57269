import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createModelPool } from '../../src/residency/model-pool.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../../src/runtimes/fake/fake-model-loader.ts'
import { startHttpService } from '../support/http-service.ts'

const limits = { memoryBytes: 1e12, idleUnloadMs: null, textSlots: 2, textQueue: 8, imageQueue: 2, waitLimitMs: 60_000 }
const { signal } = new AbortController()

async function start(stack: AsyncDisposableStack) {
  const clock = createSystemClock()
  const catalog = createFakeCatalog()
  const loader = new FakeModelLoader({ clock, slots: 2 })
  const pool = stack.use(createModelPool({ catalog, loader, clock, limits, onEvent: () => {} }))
  return { pool, service: stack.use(await startHttpService({ clock, catalog, pool })) }
}

test('60 requests for 2 busy slots with a queue of 8 return 8 answers and 52 well-formed errors', async () => {
  await using stack = new AsyncDisposableStack()
  const { pool, service } = await start(stack)
  // Both slots are held until the queue has filled and the rest has been refused.
  const leases = await Promise.all(['x', 'y'].map((account) => pool.acquireText('fake-chat', { signal, account })))
  const ask = () => service.fetch('/v1/chat/completions', { json: { model: 'fake-chat', messages: [{ role: 'user', content: 'hello' }] } })
  let refused = 0
  const answers = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const answer = await ask()
      if (answer.status === 503 && ++refused === 52) for (const lease of leases) await lease[Symbol.asyncDispose]()
      return answer
    }),
  )
  const statuses = Map.groupBy(answers, ({ status }) => status)
  assert.deepEqual([statuses.get(200)?.length, statuses.get(503)?.length], [8, 52])
  for (const answer of statuses.get(503) ?? []) {
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    const body = await answer.json()
    assert.ok(typeof body === 'object' && body !== null && 'error' in body)
    assert.equal(Object(body.error).code, 'server_is_overloaded')
  }
})

test('a client that leaves its stream frees the slot for a waiting request', async () => {
  await using stack = new AsyncDisposableStack()
  const { service } = await start(stack)
  const leaving = new AbortController()
  const json = { model: 'fake-chat', messages: [{ role: 'user', content: '[hang after 1]' }], stream: true }
  const streams = await Promise.all([1, 2].map(() => service.fetch('/v1/chat/completions', { json, signal: leaving.signal })))
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 200],
  )
  const waiting = service.fetch('/v1/chat/completions', { json: { ...json, messages: [{ role: 'user', content: 'hi' }], stream: false } })
  leaving.abort()
  assert.equal((await waiting).status, 200)
})
