import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FastifyInstance, fastify } from 'fastify'
import { createTestClock } from '../../test/support/test-clock.ts'
import { AnswersInProgress, stopServing } from './stop-serving.ts'

const worker = { holds: () => [], drain: async () => {}, [Symbol.asyncDispose]: async () => {} }

async function listen() {
  const server = fastify()
  const requested = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  server.get('/slow', () => {
    requested.resolve()
    return answer.promise
  })
  server.get('/readyz', async (_request, reply) => reply.code(503).send())
  const answers = new AnswersInProgress(server.server)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  return { server, answers, url, requested: requested.promise, finish: () => answer.resolve('done') }
}

test('a stopping service keeps listening until its responses are sent', async () => {
  const { server, answers, url, requested, finish } = await listen()
  const slow = fetch(`${url}/slow`)
  await requested
  const stopped = stopServing({ server, answers, worker, clock: createTestClock() }, { graceMs: 1000 })
  assert.equal((await fetch(`${url}/readyz`)).status, 503)
  finish()
  assert.equal(await (await slow).text(), 'done')
  await stopped
  await assert.rejects(fetch(`${url}/readyz`))
})

/** A connection on which a request arrives when it is sent. */
function connect(server: FastifyInstance) {
  let answered = ''
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      answered += String(chunk)
      done()
    },
  })
  server.server.emit('connection', socket)
  const sendSoon = () => setImmediate(() => socket.push('GET /readyz HTTP/1.1\r\nhost: sepia.test\r\n\r\n'))
  return { sendSoon, answered: () => answered }
}

test('requests that have arrived but are not read yet are answered', async () => {
  const { server, answers } = await listen()
  const { sendSoon, answered } = connect(server)
  sendSoon()
  await stopServing({ server, answers, worker, clock: createTestClock() }, { graceMs: 1000 })
  assert.match(answered(), /^HTTP\/1\.1 503 /)
})

test('requests that arrive while other nodes still use this one are answered', async () => {
  const { server, answers } = await listen()
  const { sendSoon, answered } = connect(server)
  const leaveOthers = async () => {
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    sendSoon()
  }
  await stopServing({ server, answers, worker, clock: createTestClock(), leaveOthers }, { graceMs: 1000 })
  assert.match(answered(), /^HTTP\/1\.1 503 /)
})

test('responses that are incomplete after the grace time are cut off', async () => {
  const { server, answers, url, requested } = await listen()
  const slow = assert.rejects(fetch(`${url}/slow`))
  await requested
  const clock = createTestClock()
  const stopped = stopServing({ server, answers, worker, clock }, { graceMs: 1000 })
  await clock.advance(1000)
  await slow
  await stopped
})
