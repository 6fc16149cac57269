import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { neverAborted } from '../../src/core/waiting.ts'
import { answerLimitMs } from '../../src/http/answers/answer-deadline.ts'
import type { HttpDependencies } from '../../src/http/http-dependencies.ts'
import { submit } from '../support/deferred-requests.ts'
import { finishDrawing } from '../support/finished-inference.ts'
import { startHttpService } from '../support/http-service.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../support/memory/create-memory-store.ts'
import { openSocket, readUntil } from '../support/raw-exchange.ts'
import { readError } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

/** A service whose store never answers one question, from when a test says so. */
async function startStuck() {
  const clock = createTestClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 100 } })
  const outputs = createMemoryOutputs({ clock })
  let stuck: string | null = null
  let requested = Promise.withResolvers<void>()
  let released = Promise.withResolvers<void>()
  const guard = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...given: readonly unknown[]) => {
          if (stuck !== `${name}.${String(key)}`) return Reflect.apply(value, target, given)
          requested.resolve()
          return released.promise.then(() => Reflect.apply(value, target, given))
        }
      },
    })
  const { queue, log, accounts, tokens, ledger, documents, usage } = store
  const ports = { queue, log, accounts, tokens, ledger, documents, usage, outputs }
  const guarded = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, guard(name, port)]))
  const overrides: Partial<HttpDependencies> = { ...guarded, deadlineClock: clock }
  const service = await startHttpService({ clock, open: () => store, overrides })
  const { id } = await submit(service)
  return {
    id,
    clock,
    service,
    store,
    outputs,
    /** Answers the question of {@link stuck}, if any, and lets none through that is called so from now on, until `requested`. */
    hold(question: string | null) {
      released.resolve()
      released = Promise.withResolvers()
      requested = Promise.withResolvers()
      stuck = question
      return requested.promise
    },
    /** The error of a request whose query the store never answers. */
    async ask(question: string, path: string, init: Parameters<typeof service.fetch>[1] = {}) {
      // Lets every cached answer expire.
      await clock.advance(60_000)
      requested = Promise.withResolvers()
      stuck = question
      const answer = service.fetch(path, init)
      await requested.promise
      await clock.advance(answerLimitMs + 250)
      const response = await answer
      stuck = null
      return [response.status, (await readError(response)).code]
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

suite('a store that does not respond', () => {
  test('times out after six seconds, whatever the call', async () => {
    await using stuck = await startStuck()
    const drawing = { json: { prompt: 'a lion' }, headers: { 'x-service-async': '1' } }
    const { id } = stuck
    for (const [question, path, init] of [
      ['accounts.find', `/v1/requests/${id}`],
      ['ledger.budgets', '/generate/sdxl', drawing],
      ['queue.enqueue', '/generate/sdxl', drawing],
      ['log.find', `/v1/requests/${id}`],
      ['log.find', `/v1/responses/${id}`],
      ['log.find', `/v1/requests/${id}`, { method: 'DELETE' }],
      ['queue.cancel', `/v1/requests/${id}`, { method: 'DELETE' }],
      ['queue.enqueue', '/v1/responses', { json: { model: 'fake-chat', input: 'hi', background: true } }],
      ['documents.put', '/v1/responses', { json: { model: 'fake-chat', input: 'hi', background: true } }],
      ['documents.get', `/v1/responses/resp_${'0'.repeat(32)}`],
      ['documents.list', '/v1/responses'],
      ['documents.list', '/v1/chat/completions'],
      ['documents.list', '/v1/files'],
      ['documents.list', '/v1/batches'],
      ['log.list', '/v1/requests'],
    ] as const)
      assert.deepEqual(await stuck.ask(question, path, init), [503, 'server_is_overloaded'], `${question} of ${path}`)
    const polled = await stuck.service.fetch(`/v1/requests/${id}`)
    assert.equal(polled.status, 200)
  })

  test('a background response whose id was never returned is cancelled', async () => {
    await using stuck = await startStuck()
    const { store, service, clock } = stuck
    await clock.advance(60_000)
    const requested = stuck.hold('documents.put')
    const answer = service.fetch('/v1/responses', { json: { model: 'fake-chat', input: 'hi', background: true } })
    await requested
    await clock.advance(answerLimitMs + 250)
    assert.equal((await answer).status, 503)
    stuck.hold(null)
    const { accountId } = service
    const newest = async () => (await store.log.list({ accountId, status: null, limit: 1, after: null }, neverAborted)).inferences[0]
    while ((await newest())?.status !== 'completed') await nextTurn()
    assert.equal((await newest())?.outcome, 'cancelled')
  })

  test('an answer that waits for file deletion or a decoder does not time out', async () => {
    const clock = createTestClock()
    let [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const wait = async (): Promise<void> => {
      begun.resolve()
      await released.promise
    }
    const pulledModels: HttpDependencies['pulledModels'] = { has: () => true, findLeftOut: () => undefined, remove: wait }
    const inspectImage: HttpDependencies['inspectImage'] = async (bytes, { thumbnailWidth }) => {
      if (thumbnailWidth !== undefined) await wait()
      return { format: 'png', width: 8, height: 8, thumbnail: bytes }
    }
    await using service = await startHttpService({ clock, overrides: { deadlineClock: clock, pulledModels, inspectImage } })
    const data = { asset_type: 'lora', engine: 'image/stable-diffusion-xl-v1-0', trigger_words: ['sks'] }
    const described = { name: 'mine', asset_type: 'lora', data, transfer_api_type: 'presigned-url' }
    const created = await service.fetch('/v1/assets', { json: described })
    const { asset } = (await created.json()) as { readonly asset: { readonly id: string } }
    const picture = `/v1/assets/${asset.id}/picture`
    assert.equal((await service.fetch(picture, { json: { image: Buffer.from('a picture').toString('base64') } })).status, 200)
    for (const [path, init] of [
      ['/api/delete', { method: 'DELETE', json: { model: 'fake-chat' } }],
      [`${picture}?width=320`, {}],
    ] as const) {
      const answer = service.fetch(path, init)
      await begun.promise
      await clock.advance(answerLimitMs + 250)
      released.resolve()
      assert.equal((await answer).status, 200, path)
      ;[begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    }
  })

  test('a bucket that does not open an output times out too', async () => {
    await using stuck = await startStuck()
    // The first in the queue is the one that was submitted at the start.
    await stuck.service.fetch(`/v1/requests/${stuck.id}`, { method: 'DELETE' })
    const id = await finishDrawing(stuck, stuck.service.accountId, [Uint8Array.of(1)])
    assert.deepEqual(await stuck.ask('outputs.open', `/v1/responses/${id}`), [503, 'server_is_overloaded'])
    assert.equal((await stuck.service.fetch(`/v1/responses/${id}`)).status, 200)
  })

  test('a bucket that does not send the first bytes of a large output times out too', async () => {
    await using stuck = await startStuck()
    await stuck.service.fetch(`/v1/requests/${stuck.id}`, { method: 'DELETE' })
    const id = await finishDrawing(stuck, stuck.service.accountId, [new Uint8Array(1024 * 1024 + 1)])
    assert.deepEqual(await stuck.ask('outputs.readPart', `/v1/responses/${id}`), [503, 'server_is_overloaded'])
    const answer = await stuck.service.fetch(`/v1/responses/${id}`)
    assert.equal(answer.status, 200)
    await answer.arrayBuffer()
  })

  test('the times of several calls add up, and no call starts over the limit', async () => {
    await using stuck = await startStuck()
    const { clock, service } = stuck
    await clock.advance(60_000)
    const first = stuck.hold('ledger.budgets')
    const answer = service.fetch('/generate/sdxl', { json: { prompt: 'a lion' }, headers: { 'x-service-async': '1' } })
    await first
    await clock.advance(answerLimitMs - 1000)
    const second = stuck.hold('queue.enqueue')
    await second
    await clock.advance(1250)
    assert.equal((await answer).status, 503)
    stuck.hold(null)
  })

  test('a waiting poll times out that long after its own time', async () => {
    await using stuck = await startStuck()
    const { clock, service, id } = stuck
    await clock.advance(60_000)
    const requested = stuck.hold('log.find')
    const answer = service.fetch(`/v1/requests/${id}?wait=2`)
    await requested
    await clock.advance(answerLimitMs + 2250)
    assert.equal((await answer).status, 503)
    stuck.hold(null)
  })

  test('the time that a client takes to send its body does not count', async () => {
    await using stuck = await startStuck()
    const { clock, service } = stuck
    const body = JSON.stringify({ prompt: 'a slow lion' })
    const socket = await openSocket(service.url)
    const head = ['POST /generate/sdxl HTTP/1.1', 'host: x', `authorization: Bearer ${service.token}`, 'content-type: application/json']
    const further = ['x-service-async: 1', 'expect: 100-continue', `content-length: ${body.length}`, 'connection: close']
    socket.write(`${[...head, ...further].join('\r\n')}\r\n\r\n`)
    // It is asked for its body when everything before that is over.
    await readUntil(socket, /100 Continue/)
    await clock.advance(answerLimitMs + 3000)
    socket.write(body)
    assert.match(await readUntil(socket, /HTTP\/1.1 [2345]\d\d /), /HTTP\/1.1 202 /)
    socket.destroy()
  })
})
