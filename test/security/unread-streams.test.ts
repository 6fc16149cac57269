import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { Flood } from '../support/flood.ts'
import { type HttpService, startHttpService, untilIdle } from '../support/http-service.ts'
import { openSocket, readUntil } from '../support/raw-exchange.ts'
import { createTestClock } from '../support/test-clock.ts'

const chat = { model: 'fake-chat', messages: [{ role: 'user', content: 'hello' }] }

function streamRequest(service: HttpService): string {
  const body = JSON.stringify({ ...chat, stream: true })
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${service.token}`, 'content-type: application/json']
  return [...head, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')
}

suite('unread streams', () => {
  test('a stream that is not read for 30 seconds is closed, and its slot is free', async () => {
    const clock = createTestClock()
    const flood = new Flood()
    const pool = createFixedModelPool({ text: { 'fake-chat': flood } }, { slots: 1 })
    await using service = await startHttpService({ clock, pool })
    const socket = await openSocket(service.url)
    socket.pause()
    socket.write(streamRequest(service))
    await flood.still()
    const made = flood.parts
    await clock.advance(29_999)
    assert.equal(pool.states()[0]?.inUse, 1)
    assert.equal(flood.parts, made)
    await clock.advance(1)
    await flood.ended
    await service.settled(1)
    await untilIdle(pool)
    assert.equal(service.finished[0]?.status, 499)
    assert.deepEqual(service.failures, [])
    // The system keeps nothing of what was not read: megabytes for each such connection otherwise.
    const closed = once(socket, 'close')
    socket.resume()
    await assert.rejects(closed, { code: 'ECONNRESET' })
  })

  test('a slow reader keeps its stream', async () => {
    const clock = createTestClock()
    const flood = new Flood()
    const pool = createFixedModelPool({ text: { 'fake-chat': flood } }, { slots: 1 })
    await using service = await startHttpService({ clock, pool })
    const socket = await openSocket(service.url)
    socket.write(streamRequest(service))
    for (let round = 0; round < 3; round++) {
      socket.pause()
      await flood.still()
      await clock.advance(29_000)
      const made = flood.parts
      socket.resume()
      await flood.grown(made)
    }
    assert.equal(pool.states()[0]?.inUse, 1)
    socket.destroy()
    await flood.ended
  })

  test('a model that is silent for minutes keeps its clients', async () => {
    const clock = createTestClock()
    const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock, tokens: 2, tokenDelayMs: 50_000 }) } })
    await using service = await startHttpService({ clock, pool, settings: { requests: { runLimitMs: 3_600_000 } } })
    const socket = await openSocket(service.url)
    socket.write(streamRequest(service))
    const reading = readUntil(socket, /\[DONE\]/)
    await clock.waiting(2)
    await clock.advance(50_000)
    await clock.waiting(2)
    await clock.advance(50_000)
    assert.match(await reading, /\[DONE\]/)
    socket.destroy()
  })
})
