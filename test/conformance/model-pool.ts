import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelPool } from '../../src/core/ports/model-pool.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { makeTextRequest } from '../support/text-request.ts'

/** Opens a pool over fake models `fake-chat` and `fake-image` with 2 slots and 2 places to wait each. */
export type PoolFactory = () => ModelPool & AsyncDisposable

const { signal } = new AbortController()
const options = { signal, account: 'a' }

/** The behaviour of every model pool. */
export function testModelPool(name: string, open: PoolFactory): void {
  const stateOf = (pool: ModelPool, id: string) => pool.states().find(({ modelId }) => modelId === id)

  test(`${name}: the model of a lease can be used`, async () => {
    await using pool = open()
    await using text = await pool.acquireText('fake-chat', options)
    const parts = await Array.fromAsync(text.model.generate(makeTextRequest('[say hello]'), options))
    assert.deepEqual(
      parts.find(({ type }) => type === 'text'),
      { type: 'text', choice: 0, text: 'hello' },
    )
    await using image = await pool.acquireImage('fake-image', options)
    const { images } = await image.model.generate(makeImageRequest('a tiger'), { signal, onProgress: () => {} })
    assert.equal(images.length, 1)
  })

  test(`${name}: an unknown model or a model of the other kind is rejected with the names of the existing ones`, async () => {
    await using pool = open()
    await assert.rejects(pool.acquireText('nothing', options), { code: 'model_not_found', message: /fake-chat/ })
    await assert.rejects(pool.acquireImage('fake-chat', options), { code: 'model_not_found', message: /fake-image/ })
  })

  test(`${name}: a request without a slot waits until a lease ends`, async () => {
    await using pool = open()
    const first = await pool.acquireText('fake-chat', options)
    await using _second = await pool.acquireText('fake-chat', options)
    const waiting = pool.acquireText('fake-chat', options)
    assert.deepEqual([stateOf(pool, 'fake-chat')?.inUse, stateOf(pool, 'fake-chat')?.waiting], [2, 1])
    await first[Symbol.asyncDispose]()
    await using _third = await waiting
    assert.deepEqual([stateOf(pool, 'fake-chat')?.inUse, stateOf(pool, 'fake-chat')?.waiting], [2, 0])
  })

  test(`${name}: a request over the limit of waiting requests is rejected with a time to retry`, async () => {
    await using pool = open()
    const leases = await Promise.all([pool.acquireText('fake-chat', options), pool.acquireText('fake-chat', options)])
    const waiting = [pool.acquireText('fake-chat', options), pool.acquireText('fake-chat', options)]
    await assert.rejects(pool.acquireText('fake-chat', options), ({ code, retryAfterSeconds }) => {
      assert.equal(code, 'server_is_overloaded')
      return Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1 && retryAfterSeconds <= 120
    })
    for (const lease of leases) await lease[Symbol.asyncDispose]()
    for (const lease of await Promise.all(waiting)) await lease[Symbol.asyncDispose]()
    assert.equal(stateOf(pool, 'fake-chat')?.inUse, 0)
  })

  test(`${name}: an aborted request gives up its place`, async () => {
    await using pool = open()
    const leases = await Promise.all([pool.acquireText('fake-chat', options), pool.acquireText('fake-chat', options)])
    const controller = new AbortController()
    const leaving = pool.acquireText('fake-chat', { signal: controller.signal, account: 'a' })
    const staying = pool.acquireText('fake-chat', options)
    controller.abort(new Error('client left'))
    await assert.rejects(leaving, /client left/)
    assert.equal(stateOf(pool, 'fake-chat')?.waiting, 1)
    for (const lease of leases) await lease[Symbol.asyncDispose]()
    await (await staying)[Symbol.asyncDispose]()
    assert.equal(stateOf(pool, 'fake-chat')?.inUse, 0)
  })

  test(`${name}: an aborted caller gets no slot`, async () => {
    await using pool = open()
    const aborted = AbortSignal.abort(new Error('client left'))
    await assert.rejects(pool.acquireText('fake-chat', { signal: aborted, account: 'a' }), /client left/)
  })

  test(`${name}: disposing a lease twice frees one slot`, async () => {
    await using pool = open()
    const lease = await pool.acquireText('fake-chat', options)
    await using _other = await pool.acquireText('fake-chat', options)
    await lease[Symbol.asyncDispose]()
    await lease[Symbol.asyncDispose]()
    assert.equal(stateOf(pool, 'fake-chat')?.inUse, 1)
  })

  test(`${name}: reports room until every slot is taken`, async () => {
    await using pool = open()
    assert.equal(pool.hasRoom('fake-chat'), true)
    const leases = await Promise.all([pool.acquireText('fake-chat', options), pool.acquireText('fake-chat', options)])
    assert.equal(pool.hasRoom('fake-chat'), false)
    await leases[0]?.[Symbol.asyncDispose]()
    assert.equal(pool.hasRoom('fake-chat'), true)
    assert.equal(pool.hasRoom('nothing'), false)
  })

  test(`${name}: a model can be loaded and unloaded manually and works afterwards`, async () => {
    await using pool = open()
    await pool.load('fake-chat', { signal })
    assert.equal(stateOf(pool, 'fake-chat')?.state, 'loaded')
    await pool.unload('fake-chat', { signal })
    await using _lease = await pool.acquireText('fake-chat', options)
    await assert.rejects(pool.load('nothing', { signal }), { code: 'model_not_found' })
  })

  test(`${name}: a disposed pool rejects waiting and new requests`, async () => {
    const pool = open()
    await Promise.all([pool.acquireText('fake-chat', options), pool.acquireText('fake-chat', options)])
    const refused = assert.rejects(pool.acquireText('fake-chat', options), { code: 'shutting_down' })
    await pool[Symbol.asyncDispose]()
    await refused
    await assert.rejects(pool.acquireText('fake-chat', options), { code: 'shutting_down' })
  })
}
