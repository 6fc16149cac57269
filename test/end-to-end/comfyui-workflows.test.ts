import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../src/core/error.ts'
import { runWorkflow } from '../../src/runtimes/upstream/images/comfyui-run.ts'
import { ServerCalls } from '../../src/runtimes/upstream/images/server-calls.ts'
import { UpstreamConnection } from '../../src/runtimes/upstream/upstream-connection.ts'
import { connectImageServer } from '../support/engines/connect-image-server.ts'
import { hangs, type ImageServerFault, startImageServer } from '../support/engines/image-server.ts'
import { makeImageRequest } from '../support/image-request.ts'

const { signal } = new AbortController()
const onProgress = (): void => undefined
const request = makeImageRequest('a fox', { sampler: 'K_EULER', seeds: [7], guidanceScale: 5, steps: 4 })

const says = (reason: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ServiceError && error.cause instanceof Error)
  assert.equal(error.code, 'inference_failed')
  assert.match(error.cause.message, reason)
  return true
}

const queue = (running: readonly unknown[], pending: readonly unknown[]) =>
  JSON.stringify({ queue_running: running, queue_pending: pending })

test('a workflow unknown to a restarted server fails at once', async (context) => {
  const forgets: ImageServerFault = (response, body) => void response.end(body.includes('queue_running') ? queue([], []) : '{}')
  const { model } = await connectImageServer(context, 'comfyui', { fault: forgets, at: /^\/history|^\/queue/ })
  await assert.rejects(model.generate(request, { signal, onProgress }), says(/lost the workflow/))
})

for (const [where, answer] of [
  ['waits behind others', queue([[1, 'theirs', {}]], [[2, 'p1', {}]])],
  ['runs', queue([[1, 'p1', {}]], [])],
  ['has a queue that cannot be read', '{"queue":"<html>"}'],
] as const)
  test(`a workflow that ${where} is awaited`, async (context) => {
    let looks = 0
    const waits: ImageServerFault = (response, body) => {
      if (body.includes('queue_running')) return void response.end(answer)
      response.end(++looks < 35 ? '{}' : body)
    }
    const { model } = await connectImageServer(context, 'comfyui', { fault: waits, at: /^\/history|^\/queue/ })
    assert.equal((await model.generate(request, { signal, onProgress })).images.length, 1)
    assert.equal(looks, 35)
  })

test('a workflow that waits behind others is reported as waiting until it runs', async (context) => {
  let [looks, waits] = [0, 0]
  const begins: ImageServerFault = (response, body) => {
    if (!body.includes('queue_running')) return void response.end(looks < 4 ? '{}' : body)
    response.end(++looks < 3 ? queue([[1, 'theirs', {}]], [[2, 'p1', {}]]) : body)
  }
  const { url } = await startImageServer(context, 'comfyui', { fault: begins, at: /^\/history|^\/queue/, accepts: () => true })
  using connection = await UpstreamConnection.open({ url, keyFile: null })
  const calls = new ServerCalls(connection, { pollMs: 1 })
  const options = { signal, previews: false, steps: 4, onStep: async () => undefined, onWaiting: () => void waits++ }
  await runWorkflow({ calls, connection }, {}, options)
  assert.deepEqual([looks, waits], [4, 2])
})

test('a workflow without an id yet is cancelled by the id that Sepia assigned', async (context) => {
  const { model, server } = await connectImageServer(context, 'comfyui', { fault: hangs, at: /^\/prompt$/ })
  const controller = new AbortController()
  const generating = model.generate(request, { signal: controller.signal, onProgress })
  await server.drawing
  controller.abort()
  await assert.rejects(generating)
  const { prompt_id: id } = JSON.parse((await server.seen('/prompt')).body)
  assert.deepEqual(JSON.parse((await server.seen('/queue')).body), { delete: [id] })
  assert.ok(server.calls.every(({ path }) => path !== '/interrupt'))
})

for (const [name, messages, reason] of [
  [
    'fails',
    [
      ['execution_start', {}],
      ['execution_error', { node_type: 'KSampler', exception_type: 'torch.OutOfMemoryError', exception_message: 'a fox' }],
    ],
    /failed in its workflow: torch\.OutOfMemoryError in KSampler\.$/,
  ],
  ['is interrupted by somebody', [['execution_interrupted', { node_type: 'KSampler' }]], /somebody else/],
  ['fails without a word', undefined, /failed in its workflow\.$/],
] as const)
  test(`a workflow that ${name} is logged without the request`, async (context) => {
    const entry = JSON.stringify({ p1: { outputs: {}, status: { status_str: 'error', completed: false, messages } } })
    const { model } = await connectImageServer(context, 'comfyui', { fault: (response) => void response.end(entry), at: /^\/history/ })
    await assert.rejects(model.generate(request, { signal, onProgress }), says(reason))
  })
