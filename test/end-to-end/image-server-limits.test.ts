import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ServiceError } from '../../src/core/error.ts'
import { imageServerFormats } from '../../src/core/images/image-servers.ts'
import type { UpstreamTimeouts } from '../../src/core/model.ts'
import { connectImageServer } from '../support/engines/connect-image-server.ts'
import { drawingCalls, hangs, type ImageServerFault, stops } from '../support/engines/image-server.ts'
import { makeImageRequest } from '../support/image-request.ts'

const { signal } = new AbortController()
const idle = { signal, onProgress: (): void => undefined }
const request = makeImageRequest('a fox', { sampler: 'K_EULER', seeds: [7], guidanceScale: 5, steps: 4 })
const patient: UpstreamTimeouts = { connectMs: 60_000, firstMs: null, idleMs: 60_000 }
/** Long enough for the calls that are answered, on a machine with more to do than it can. */
const limitMs = 8000

const hangsInside: ImageServerFault = (response, body) => {
  response.writeHead(200, { 'content-length': body.length })
  response.write(body.subarray(0, body.length / 2))
}

const isLate = (field: string) => (error: unknown) => {
  assert.ok(error instanceof ServiceError)
  assert.equal(error.code, 'inference_failed')
  assert.match(error.message, /took too long/)
  assert.ok(error.cause instanceof Error)
  assert.match(error.cause.message, new RegExp(`\`timeouts\\.${field}\``))
  return true
}

/** The calls that a server answers at once: all but those that draw. */
const quickCalls = {
  a1111: [],
  'sd-server': drawingCalls['sd-server'],
  comfyui: drawingCalls.comfyui,
  'openai-images': [],
}

/** The requests to a server before its first picture. */
const firstCalls = {
  a1111: /\/samplers$/,
  'sd-server': /\/capabilities$/,
  comfyui: /^\/object_info/,
  'openai-images': /^\/models$/,
}

describe('a hung server times out, and the error names the setting to change', { concurrency: 12 }, () => {
  for (const format of imageServerFormats) {
    const impatient = { ...patient, idleMs: limitMs }
    for (const [where, fault] of [
      ['before it answers', hangs],
      ['in the middle of its answer', hangsInside],
    ] as const) {
      test(`${format}, ${where}, when its model is first used`, async (context) => {
        await assert.rejects(connectImageServer(context, format, { fault, at: firstCalls[format], timeouts: impatient }), isLate('idle'))
      })
      for (const at of quickCalls[format])
        test(`${format}, ${where}, at ${at.source}`, async (context) => {
          const { model, server } = await connectImageServer(context, format, { fault, at, timeouts: impatient })
          await assert.rejects(model.generate(request, idle), isLate('idle'))
          const stop = stops[format]
          if (stop !== null && /jobs|history/.test(at.source)) await server.seen(stop)
        })
    }
    test(`${format}, in the middle of the answer with the picture`, async (context) => {
      const { model } = await connectImageServer(context, format, { fault: hangsInside, timeouts: impatient })
      await assert.rejects(model.generate(request, idle), isLate('idle'))
    })
    test(`${format}, with a picture over its time limit, and receives the cancellation`, async (context) => {
      const endless: ImageServerFault = (response) => void response.end(format === 'sd-server' ? '{"status":"generating"}' : '{}')
      // A server that returns a picture in one call may be silent for longer than the idle limit while it draws.
      const isOneCall = format === 'a1111' || format === 'openai-images'
      const [fault, at] = isOneCall ? [hangs, drawingCalls[format].at(-1)] : [endless, /jobs\/job_1$|^\/history/]
      const timeouts = { ...patient, firstMs: limitMs, ...(isOneCall && { idleMs: limitMs - 1000 }) }
      const { model, server } = await connectImageServer(context, format, { fault, ...(at && { at }), timeouts })
      await assert.rejects(model.generate(request, idle), isLate('first'))
      const stop = stops[format]
      if (stop !== null) await server.seen(stop)
    })
  }

  test('a1111, without an answer about its progress', async (context) => {
    const timeouts = { ...patient, idleMs: limitMs }
    const { model, server } = await connectImageServer(context, 'a1111', { fault: hangs, at: /2img$|progress/, timeouts })
    await assert.rejects(model.generate(request, idle), isLate('idle'))
    await server.seen('/sdapi/v1/interrupt')
  })
})
