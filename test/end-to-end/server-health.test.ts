import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachUpstreams, ServerHealth } from '../../src/composition/models/reach-upstreams.ts'
import { describeFakeImage, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../../src/runtimes/fake/fake-model-loader.ts'
import { startImageServer } from '../support/engines/image-server.ts'
import { startTextServer } from '../support/engines/text-server.ts'
import { findFreePort } from '../support/free-port.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { createTestClock } from '../support/test-clock.ts'

const { signal } = new AbortController()

/** Loads models that run elsewhere, noting the reports about their servers. */
function openLoader() {
  const health = new ServerHealth()
  const reported: unknown[] = []
  const local = new FakeModelLoader({ clock: createTestClock(), slots: 1 })
  const onServer = ({ answers }: { readonly answers: boolean }): void => void reported.push(answers)
  return { health, reported, loader: reachUpstreams(local, { health, onServer, traceparent: () => undefined, findRoute: () => null }) }
}

test('a text server that was down at its first use is reported as up once it responds', async () => {
  const port = await findFreePort()
  const upstream = { url: `http://127.0.0.1:${port}/v1`, model: 'm', keyFile: null, slots: 1 }
  const model = describeFakeText({ format: 'openai', upstream })
  const { health, reported, loader } = openLoader()
  const load = () => loader.loadText(model, { signal })
  for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(load())
  assert.deepEqual(
    health.of(model).map(({ answers, reason }) => [answers, /ECONNREFUSED/.test(reason ?? '')]),
    [[false, true]],
  )
  await using _server = await startTextServer(undefined, { port })
  await using _loaded = await load()
  assert.deepEqual(
    health.of(model).map(({ answers, reason }) => [answers, reason]),
    [[true, null]],
  )
  assert.deepEqual(reported, [false, true])
})

test('an image server is reported as down, at its first use and later, until it responds', async (context) => {
  const port = await findFreePort()
  const upstream = { url: `http://127.0.0.1:${port}`, model: 'm', keyFile: null, slots: 1 }
  const model = describeFakeImage({ format: 'a1111', upstream })
  const { health, reported, loader } = openLoader()
  const answers = () => health.of(model).map((server) => server.answers)
  for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(loader.loadImage(model, { signal }))
  assert.deepEqual(answers(), [false])
  assert.match(health.of(model)[0]?.reason ?? '', /nothing listens there.*ECONNREFUSED/)
  const first = await startImageServer(context, 'a1111', { port, accepts: () => true })
  await using loaded = await loader.loadImage(model, { signal })
  assert.deepEqual(answers(), [true])
  const draw = () => loaded.model.generate(makeImageRequest('a fox', { sampler: 'K_EULER' }), { signal, onProgress: () => undefined })
  await draw()
  await first.leave()
  await assert.rejects(draw())
  assert.deepEqual(answers(), [false])
  await startImageServer(context, 'a1111', { port, accepts: () => true })
  await draw()
  assert.deepEqual(answers(), [true])
  assert.deepEqual(reported, [false, true, false, true])
})

test('a server without a failure has no reported state', async () => {
  await using server = await startTextServer()
  const model = describeFakeText({ format: 'openai', upstream: { url: server.url, model: 'm', keyFile: null, slots: 1 } })
  const { health, reported, loader } = openLoader()
  await using _loaded = await loader.loadText(model, { signal })
  assert.deepEqual(
    health.of(model).map(({ answers }) => answers),
    [null],
  )
  assert.deepEqual(reported, [])
})
