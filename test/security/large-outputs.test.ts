import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import type { OutputStore } from '../../src/core/ports/output-store.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { encodeOutput } from '../../src/http/wire/deferred/encode-output.ts'
import { claimNext } from '../conformance/claiming.ts'
import { startConsoleService } from '../support/console-service.ts'
import { startHttpService } from '../support/http-service.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { openSocket } from '../support/raw-exchange.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock, type TestClock } from '../support/test-clock.ts'

const options = { signal: new AbortController().signal }
const png = Buffer.from('89504e470d0a1a0a', 'hex')

interface Stored {
  readonly store: Store
  readonly outputs: OutputStore
  readonly clock: TestClock
  readonly accountId: string
}

/** Stores an output of some pictures as a worker does; `located` as today's, else as earlier versions did. */
async function storeOutput({ store, outputs, clock, accountId }: Stored, pictures: readonly Buffer[], located = true): Promise<string> {
  const seeds = pictures.map((_, index) => index + 1)
  const work = { kind: 'image', request: makeImageRequest('a tiger', { seeds }) } as const
  const { inference } = await store.queue.enqueue(makeSubmission({ accountId, work }), options)
  const claim = await claimNext(store.queue)
  const images = pictures.map((bytes, index) => ({
    ...({ bytes, encoding: 'png', width: 8, height: 8, seed: index + 1 } as const),
    removedForSafety: false,
    safetyScore: null,
  }))
  const content = encodeOutput({ clock }, work, { kind: 'image', result: { images, computeMs: 5 } })
  const reference = await outputs.put({ inferenceId: inference.id, attempt: 1 }, content, options)
  const output = located && content.images !== undefined ? { ...reference, images: content.images() } : reference
  await store.queue.complete(claim, { completion: { outcome: 'succeeded', output }, usage: null }, options)
  return inference.id
}

/** Outputs that say how much of them was read. */
function watch(outputs: OutputStore) {
  const read = { whole: 0, bytes: 0, pieces: 0 }
  const watched: OutputStore = {
    ...outputs,
    async open(...input) {
      read.whole += 1
      const chunks = await outputs.open(...input)
      return (async function* () {
        for await (const chunk of chunks)
          for (let start = 0; start < chunk.length; start += 100_000) {
            read.pieces += 1
            yield chunk.subarray(start, start + 100_000)
          }
      })()
    },
    async readPart(...input) {
      const part = await outputs.readPart(...input)
      read.bytes += part.length
      return part
    },
  }
  return { read, outputs: watched }
}

suite('large outputs', () => {
  test('the gallery reads no output, and one picture is read alone, byte for byte', async () => {
    const { read, outputs } = watch(createMemoryOutputs({ clock: createTestClock() }))
    const service = await startConsoleService({ outputs })
    const cookie = await service.join(service.firstCode, 'ada@example.org')
    const pictures = [1, 2, 3].map((index) => Buffer.concat([png, Buffer.alloc(1_000_000 + index, index)]))
    const id = await storeOutput({ ...service, outputs, accountId: service.ownerId }, pictures)
    const gallery = (await service.send('GET', '/console/api/gallery', { cookie })).json()
    assert.deepEqual(
      gallery.pictures.map(({ inferenceId, index, seed }: Record<string, unknown>) => [inferenceId, index, seed]),
      [1, 2, 3].map((seed, index) => [id, index, seed]),
    )
    const list = (await service.send('GET', `/console/api/outputs/${id}/images`, { cookie })).json()
    assert.deepEqual(list, { images: [1, 2, 3].map((seed) => ({ seed, removedForSafety: false })), computeMs: 5 })
    assert.deepEqual(read, { whole: 0, bytes: 0, pieces: 0 })
    for (const [index, bytes] of pictures.entries()) {
      const answer = await service.send('GET', `/console/api/outputs/${id}/images/${index}`, { cookie })
      assert.ok(answer.rawPayload.equals(bytes))
      assert.equal(answer.headers['content-type'], 'image/png')
    }
    assert.equal(read.whole, 0)
    assert.ok(read.bytes < 3_000_000 * 1.4)
    assert.equal((await service.send('GET', `/console/api/outputs/${id}/images/3`, { cookie })).statusCode, 404)
  })

  test('pictures stored by an earlier version are found, and a damaged one is an error', async () => {
    const outputs = createMemoryOutputs({ clock: createTestClock() })
    const service = await startConsoleService({ outputs })
    const cookie = await service.join(service.firstCode, 'ada@example.org')
    const pictures = [Buffer.concat([png, Buffer.from('one')]), Buffer.concat([png, Buffer.from('two')])]
    const id = await storeOutput({ ...service, outputs, accountId: service.ownerId }, pictures, false)
    assert.equal((await service.send('GET', '/console/api/gallery', { cookie })).json().pictures.length, 2)
    const second = await service.send('GET', `/console/api/outputs/${id}/images/1`, { cookie })
    assert.ok(second.rawPayload.equals(pictures[1] ?? png))

    const damaged: OutputStore = { ...outputs, readPart: async (...input) => (await outputs.readPart(...input)).map((byte) => byte ^ 1) }
    const other = await startConsoleService({ outputs: damaged })
    const otherCookie = await other.join(other.firstCode, 'bo@example.org')
    const otherId = await storeOutput({ ...other, outputs, accountId: other.ownerId }, pictures)
    const answer = await other.send('GET', `/console/api/outputs/${otherId}/images/0`, { cookie: otherCookie })
    assert.equal(answer.statusCode, 500)
  })

  test('an unread output is buffered in pieces, and its connection is closed after 30 seconds', async () => {
    const clock = createTestClock()
    const { read, outputs } = watch(createMemoryOutputs({ clock }))
    await using service = await startHttpService({ clock, overrides: { outputs } })
    const id = await storeOutput({ ...service, clock, outputs }, [Buffer.alloc(40_000_000, 7)])
    const whole = await service.fetch(`/v1/responses/${id}`)
    assert.equal((await whole.arrayBuffer()).byteLength, Number(whole.headers.get('content-length')))
    const all = read.pieces
    const socket = await openSocket(service.url)
    socket.pause()
    socket.write(`GET /v1/responses/${id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.token}\r\n\r\n`)
    await clock.waiting(1)
    assert.ok(read.pieces - all < all / 2, `${read.pieces - all} of ${all} pieces were read for nobody`)
    await clock.advance(30_000)
    await service.settled(2)
    assert.equal(service.finished[1]?.status, 499)
    assert.deepEqual(service.failures, [])
    const closed = once(socket, 'close')
    socket.resume()
    await assert.rejects(closed, { code: 'ECONNRESET' })
  })

  test('an output damaged midway is never taken as complete', async () => {
    const clock = createTestClock()
    const memory = createMemoryOutputs({ clock })
    const outputs: OutputStore = {
      ...memory,
      async open(...input) {
        const chunks = await memory.open(...input)
        return (async function* () {
          for await (const chunk of chunks) yield chunk.subarray(0, 1000)
          throw new Error('The disk is gone')
        })()
      },
    }
    await using service = await startHttpService({ clock, overrides: { outputs } })
    const id = await storeOutput({ ...service, clock, outputs }, [Buffer.alloc(100_000, 7)])
    await assert.rejects(async () => (await service.fetch(`/v1/responses/${id}`)).arrayBuffer())
    assert.match(String(service.failures[0]), /The disk is gone/)
  })
})
