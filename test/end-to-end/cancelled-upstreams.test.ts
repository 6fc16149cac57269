import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createFakeCatalog, describeFakeImage, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { finish, submit } from '../support/deferred-requests.ts'
import { connectImageServer } from '../support/engines/connect-image-server.ts'
import { hangs, type ImageServerFault } from '../support/engines/image-server.ts'
import { type Answer, openAiEvents, startTextServer, works } from '../support/engines/text-server.ts'
import { startHttpService } from '../support/http-service.ts'
import { makeTextRequest } from '../support/text-request.ts'

/** Answers of an image server to a cancellation. */
const answers: Readonly<Record<string, ImageServerFault>> = {
  'answers it with 500': (response) => void response.writeHead(500).end('{}'),
  'answers it with a page': (response) => void response.end('<html>'),
  'hangs up on it': (response) => void response.destroy(),
  'never answers it': hangs,
  'answers it for ever': (response) => {
    const piece = Buffer.alloc(1 << 16, ' ')
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', write)
    write()
  },
}

describe('a request is cancelled and the next one drawn if its server, on cancellation,', { concurrency: 4 }, () => {
  for (const [name, stopFault] of Object.entries(answers))
    for (const [format, at] of [
      ['a1111', /2img$/],
      ['sd-server', /\/jobs\/job_1$/],
      ['comfyui', /^\/history\//],
    ] as const)
      test(`${name} (${format})`, async (context) => {
        let hung = false
        const fault: ImageServerFault = (response, body) => {
          if (hung) response.end(body)
          hung = true
        }
        const { model, server } = await connectImageServer(context, format, { fault, at, stopFault, cancelTimeoutMs: 50 })
        const descriptor = describeFakeImage({ defaults: { steps: 4, guidanceScale: 5, sampler: 'K_EULER' } })
        await using service = await startHttpService({
          worker: true,
          catalog: createFakeCatalog([descriptor]),
          pool: createFixedModelPool({ image: { [descriptor.id]: model } }, { slots: 1 }),
        })
        const json = { prompt: 'a fox', width: 64, height: 64 }
        const { id } = await submit(service, json)
        await server.drawing
        await service.fetch(`/v1/requests/${id}`, { method: 'DELETE' })
        assert.equal((await finish(service, id)).outcome, 'cancelled')
        const next = await service.fetch('/generate/sdxl', { json })
        assert.equal(next.status, 200, await next.text())
      })
})

/** Behaviour of a text server while its client disconnects. */
const writes: Readonly<Record<string, Answer>> = {
  'has not answered yet': () => {},
  'falls silent': (response) => void response.write(openAiEvents.slice(0, 2).join('')),
  'goes on for ever': (response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(openAiEvents[1]));
    }
    response.on('drain', write)
    write()
  },
}

describe('a text is cancelled and its server used for the next one if it', { concurrency: true }, () => {
  for (const [name, answer] of Object.entries(writes))
    test(name, async () => {
      await using stack = new AsyncDisposableStack()
      const left = Promise.withResolvers<void>()
      const requested = Promise.withResolvers<void>()
      const server = stack.use(
        await startTextServer((response, body) => {
          response.once('close', left.resolve)
          answer(response, body)
          requested.resolve()
        }),
      )
      const upstream = { url: server.url, model: 'm', keyFile: null, slots: 1 }
      const { signal: loading } = new AbortController()
      const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal: loading }))
      const controller = new AbortController()
      const reason = new Error('the client left')
      const parts = model.generate(makeTextRequest('hello', { maxTokens: 2 ** 30 }), { signal: controller.signal, account: 'a' })
      const reading = (async () => {
        for await (const _ of parts);
      })()
      await requested.promise
      controller.abort(reason)
      await assert.rejects(reading, reason)
      await left.promise
      server.answer = works
      const next = model.generate(makeTextRequest('hello'), { signal: loading, account: 'a' })
      assert.ok((await Array.fromAsync(next)).some((part) => part.type === 'finish'))
    })
})
