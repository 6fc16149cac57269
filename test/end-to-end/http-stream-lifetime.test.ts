import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { Flood } from '../support/flood.ts'
import { type HttpService, startHttpService, untilIdle } from '../support/http-service.ts'
import { exchange, openSocket, readUntil } from '../support/raw-exchange.ts'
import { readError } from '../support/read-json.ts'
import { createTestClock } from '../support/test-clock.ts'

const chat = (content: string, fields: object = {}) => ({ model: 'fake-chat', messages: [{ role: 'user', content }], ...fields })

suite('the lifetime of a stream', () => {
  for (const stream of [true, false]) {
    test(`a client that disconnects from ${stream ? 'a stream' : 'a pending answer'} frees its slot at once`, async () => {
      const clock = createTestClock()
      const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock, tokenDelayMs: 1000 }) } })
      await using service = await startHttpService({ clock, pool })
      const leave = new AbortController()
      const asking = service.fetch('/v1/chat/completions', { json: chat('Hello', { stream }), signal: leave.signal })
      // The run's own time limit, and the first token.
      await clock.waiting(2)
      if (stream) {
        await clock.advance(2000)
        await asking
      }
      assert.equal(pool.states()[0]?.inUse, 1)
      leave.abort()
      await asking.then((answer) => answer.text()).catch(() => {})
      await service.settled(1)
      assert.equal(service.finished[0]?.status, 499)
      await untilIdle(pool)
      await service.inBooks(1)
      assert.equal(service.booked[0]?.outcome, 'cancelled')
      assert.deepEqual(service.failures, [])
    })
  }

  test('a client that disconnects while its image is drawn stops the drawing', async () => {
    const clock = createTestClock()
    const pool = createFixedModelPool({ image: { 'fake-image': createFakeImageModel({ clock, stepDelayMs: 1000 }) } })
    await using service = await startHttpService({ clock, pool })
    const leave = new AbortController()
    const asking = service.fetch('/generate/sdxl', { json: { prompt: 'a tiger' }, signal: leave.signal })
    await clock.waiting(2)
    leave.abort()
    await assert.rejects(asking)
    await service.settled(1)
    // The clock stands still: only a drawing that is stopped ends.
    await untilIdle(pool)
  })

  test('a client that disconnects within its body is only logged', async () => {
    await using service = await startHttpService()
    const socket = await openSocket(service.url)
    socket.write(request(service, '{"model": "fake-chat"').replace('content-length: 21', 'content-length: 1000'))
    await service.received(1)
    socket.destroy()
    await service.settled(1)
    assert.equal(service.finished[0]?.status, 499)
    assert.deepEqual(service.failures, [])
    assert.deepEqual(service.booked, [])
  })

  test('a client that does not read delays generation, and its disconnection ends it', async () => {
    const flood = new Flood()
    const pool = createFixedModelPool({ text: { 'fake-chat': flood } })
    await using service = await startHttpService({ pool })
    const body = JSON.stringify(chat('Hello', { stream: true }))
    const socket = await openSocket(service.url)
    socket.write(request(service, body))
    await flood.still()
    assert.ok(flood.parts > 10 && flood.parts < 5000, `${flood.parts} parts of 10 kB were made for nobody`)
    socket.destroy()
    await flood.ended
    await service.settled(1)
    await untilIdle(pool)
  })

  test('a failure before the first byte is an ordinary error, one after it is an event without [DONE]', async () => {
    await using service = await startHttpService()
    const early = await service.fetch('/v1/chat/completions', { json: chat('[fail inference_failed]', { stream: true }) })
    assert.equal(early.status, 500)
    assert.equal((await readError(early)).code, 'inference_failed')
    for (const path of ['/v1/chat/completions', '/v1/completions']) {
      const json = path.includes('chat')
        ? chat('[fail inference_failed after 2]', { stream: true })
        : { model: 'fake-chat', prompt: '[fail inference_failed after 2]', stream: true }
      const late = await service.fetch(path, { json })
      assert.equal(late.status, 200)
      const events = (await late.text()).split('\n\n')
      assert.equal(events.pop(), '')
      const last = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '')
      assert.deepEqual(Object.keys(last), ['error'])
      assert.deepEqual(Object.keys(last.error), ['message', 'type', 'param', 'code'])
      assert.equal(last.error.code, 'inference_failed')
      assert.ok(!events.includes('data: [DONE]'))
    }
    assert.equal(service.failures.length, 2)
  })

  test('a failure in a stream closes the connection, after everything was sent', async () => {
    await using service = await startHttpService()
    const answer = await exchange(service.url, request(service, JSON.stringify(chat('[fail inference_failed after 2]', { stream: true }))))
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*data: \{"error":\{[^\n]*\}\}\n\n\r\n0\r\n\r\n$/)
  })

  test('the next request on the connection is answered if it arrives at once', async () => {
    await using service = await startHttpService()
    const socket = await openSocket(service.url)
    socket.write(request(service, JSON.stringify(chat('[fail inference_failed after 2]', { stream: true }))))
    await readUntil(socket, /\r\n0\r\n\r\n$/)
    socket.write(request(service, JSON.stringify(chat('Hello'))))
    assert.match(await readUntil(socket, /"choices"/), /^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  test('an unknown failure returns a fixed sentence, with the cause only in the log', async () => {
    const broken: TextModel = {
      generate: () => {
        throw new Error('secret detail')
      },
      embed: () => Promise.reject(new Error('secret detail')),
    }
    await using service = await startHttpService({ pool: createFixedModelPool({ text: { 'fake-chat': broken } }) })
    const answer = await service.fetch('/v1/embeddings', { json: { model: 'fake-chat', input: 'x' } })
    assert.equal(answer.status, 500)
    const error = await readError(answer)
    assert.equal(error.code, 'internal_error')
    assert.ok(!error.message.includes('secret'))
    assert.match(String(service.failures[0]), /secret detail/)
  })

  test('the connection serves the next request after a stream', async () => {
    await using service = await startHttpService()
    const socket = await openSocket(service.url)
    for (let round = 0; round < 2; round++) {
      socket.write(request(service, JSON.stringify(chat('[say hi]', { stream: true }))))
      assert.match(await readUntil(socket, /\[DONE\]\n\n\r\n0\r\n\r\n/), /^HTTP\/1\.1 200 /)
    }
    socket.destroy()
  })

  test('each event is one chunk of the transfer', async () => {
    await using service = await startHttpService()
    const socket = await openSocket(service.url)
    socket.write(request(service, JSON.stringify(chat('[say one two three]', { stream: true }))))
    const text = await readUntil(socket, /\r\n0\r\n\r\n/)
    socket.destroy()
    const chunks = text
      .slice(text.indexOf('\r\n\r\n') + 4)
      .split('\r\n')
      .filter((_, index) => index % 2 === 1)
    assert.equal(chunks.length, 1 + 3 + 1 + 1 + 1)
    for (const chunk of chunks.slice(0, -1)) assert.match(chunk, /^data: [^\n]+\n\n$/)
  })

  test('a run over its time limit returns 504, or an error event once the stream has started', async () => {
    for (const [content, stream] of [
      ['[hang]', false],
      ['[hang after 2]', true],
    ] as const) {
      const clock = createTestClock()
      const pool = createFixedModelPool({ text: { 'fake-chat': createFakeTextModel({ clock }) } })
      await using service = await startHttpService({ clock, pool, settings: { requests: { runLimitMs: 5000 } } })
      const asking = service.fetch('/v1/chat/completions', { json: chat(content, { stream }) })
      await clock.waiting(1)
      if (stream) await asking
      await clock.advance(5000)
      const answer = await asking
      assert.equal(answer.status, stream ? 200 : 504)
      assert.match(await answer.text(), /"code":"inference_timeout"/)
      await untilIdle(pool)
    }
  })
})

function request(service: HttpService, body: string): string {
  return [
    'POST /v1/chat/completions HTTP/1.1',
    'host: x',
    `authorization: Bearer ${service.token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
