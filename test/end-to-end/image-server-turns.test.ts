import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectImageServer } from '../support/engines/connect-image-server.ts'
import type { ImageServerFault } from '../support/engines/image-server.ts'
import { makeImageRequest } from '../support/image-request.ts'

const { signal } = new AbortController()
const onProgress = (): void => undefined
const request = makeImageRequest('a fox', { sampler: 'K_EULER', seeds: [7], guidanceScale: 5, steps: 4 })

test("a1111: a disconnected caller does not stop another's drawing", async (context) => {
  const finish: (() => void)[] = []
  const fault: ImageServerFault = (response, body) => void finish.push(() => response.end(body))
  const { model, server } = await connectImageServer(context, 'a1111', { fault })
  const drawn = model.generate(request, { signal, onProgress })
  await server.drawing
  const controller = new AbortController()
  const waiting = model.generate(request, { signal: controller.signal, onProgress })
  const next = model.generate(request, { signal, onProgress })
  const reason = new Error('the client left')
  controller.abort(reason)
  await assert.rejects(waiting, reason)
  assert.equal(finish.length, 1)
  assert.ok(server.calls.every(({ path }) => path !== '/sdapi/v1/interrupt'))
  finish[0]?.()
  assert.equal((await drawn).images.length, 1)
  await server.seenTimes('/sdapi/v1/txt2img', 2)
  finish[1]?.()
  assert.equal((await next).images.length, 1)
})

/** Draws until its client leaves, at a server that says this of the picture. */
async function leaveWhen(context: TestContext, reported: ImageServerFault) {
  const fault: ImageServerFault = (response, body) => {
    if (body.includes('queued')) reported(response, body)
  }
  const { model, server } = await connectImageServer(context, 'a1111', { fault, at: /2img$|internal/ })
  const controller = new AbortController()
  const steps: number[] = []
  const drawn = model.generate(request, { signal: controller.signal, onProgress: ({ step }) => void steps.push(step) })
  const requested = await server.seenTimes('/internal/progress', 3)
  const reason = new Error('the client left')
  controller.abort(reason)
  await assert.rejects(drawn, reason)
  const { force_task_id } = JSON.parse((await server.seen('/sdapi/v1/txt2img')).body)
  assert.equal(JSON.parse(requested.body).id_task, force_task_id)
  return { steps, isStopped: server.calls.some(({ path }) => path === '/sdapi/v1/interrupt') }
}

const says =
  (state: object): ImageServerFault =>
  (response) =>
    void response.end(JSON.stringify({ active: false, queued: false, completed: false, ...state }))

for (const [name, reported] of [
  ['waits there behind those of others', says({ queued: true })],
  ['is drawn already', says({ completed: true })],
] as const)
  test(`a1111: another's drawing is neither reported nor stopped if the server reports that ours ${name}`, async (context) => {
    assert.deepEqual(await leaveWhen(context, reported), { steps: [], isStopped: false })
  })

for (const [name, reported] of [
  ['draws ours', says({ active: true })],
  ['does not name pictures', says({})],
  ['cannot be asked that', (response) => void response.writeHead(404).end('{}')],
] as const satisfies readonly (readonly [string, ImageServerFault])[])
  test(`a1111: our drawing is stopped if the server ${name}`, async (context) => {
    const { steps, isStopped } = await leaveWhen(context, reported)
    assert.ok(isStopped && steps.length > 0)
  })

test('a1111: a server without a list of schedulers gets the scheduler in the sampler name, but a failing list is an error', async (context) => {
  const old: ImageServerFault = (response, body) => {
    if (body.toString().includes('"label"')) return void response.writeHead(404).end('{"detail":"Not Found"}')
    response.end('[{"name":"Euler"},{"name":"Euler Karras"}]')
  }
  const { model, server } = await connectImageServer(context, 'a1111', { fault: old, at: /samplers$|schedulers$/ })
  await model.generate(request, { signal, onProgress })
  assert.equal(JSON.parse((await server.seen('/sdapi/v1/txt2img')).body).sampler_name, 'Euler')
  const fails: ImageServerFault = (response) => void response.writeHead(500).end('{}')
  await assert.rejects(connectImageServer(context, 'a1111', { fault: fails, at: /schedulers$/ }), { code: 'inference_failed' })
})
