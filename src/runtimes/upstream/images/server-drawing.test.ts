import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { makeImageRequest } from '../../../../test/support/image-request.ts'
import type { ImageProgress } from '../../../core/image-generation.ts'
import { createServerModel, type DrawingOptions } from './server-drawing.ts'

const { signal } = new AbortController()
const picture = (size: number) =>
  sharp({ create: { width: size, height: size, channels: 3, background: '#3366cc' } })
    .png()
    .toBuffer()

async function draw(whileDrawing: (options: DrawingOptions) => unknown, seeds: readonly number[]): Promise<readonly ImageProgress[]> {
  const reported: ImageProgress[] = []
  const file = await picture(64)
  const server = {
    refuse: async () => undefined,
    draw: async (_: unknown, options: DrawingOptions) => {
      await whileDrawing(options)
      return file
    },
  }
  const model = createServerModel(server, { firstMs: null })
  await model.generate(makeImageRequest('a fox', { seeds, steps: 4, previews: true }), {
    signal,
    onProgress: (progress) => reported.push(progress),
  })
  return reported
}

test('progress never decreases, whatever a server reports', async () => {
  const reported = await draw(
    async ({ onStep }) => {
      for (const step of [2, 1, -7, Number.NaN, 1e308, 3]) await onStep(step)
    },
    [1, 2],
  )
  assert.deepEqual(
    reported.map(({ step }) => step),
    [2, 2, 2, 4, 4, 4, 6, 6, 6, 8, 8, 8],
  )
})

test('the time limit of a picture does not run while it waits in the queue of its server', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const firstMs = 1000
  const late: boolean[] = []
  const server = {
    refuse: async () => undefined,
    draw: async (_: unknown, { signal: limited, onWaiting }: DrawingOptions) => {
      for (const isWaiting of [true, true, false, false]) {
        context.mock.timers.tick(0.9 * firstMs)
        late.push(limited.aborted)
        if (isWaiting) onWaiting()
      }
      limited.throwIfAborted()
      return new Uint8Array()
    },
  }
  const drawing = createServerModel(server, { firstMs }).generate(makeImageRequest('a fox'), { signal, onProgress: () => undefined })
  await assert.rejects(drawing, (error: Error) => {
    assert.match(String(error.cause), /`timeouts\.first`/)
    return true
  })
  assert.deepEqual(late, [false, false, false, true])
})

test('a preview that is resized only after its image is complete is not reported', async () => {
  const preview = await picture(64)
  const reported: ImageProgress[] = []
  const late: Promise<void>[] = []
  const server = {
    refuse: async () => undefined,
    draw: async (_: unknown, { onStep }: DrawingOptions) => {
      late.push(onStep(1, preview))
      throw new Error('gone')
    },
  }
  const request = makeImageRequest('a fox', { seeds: [1], steps: 4, previews: true })
  const drawing = createServerModel(server, { firstMs: null }).generate(request, {
    signal,
    onProgress: (progress) => reported.push(progress),
  })
  await assert.rejects(drawing, /gone/)
  assert.equal(late.length, 1)
  await Promise.all(late)
  assert.deepEqual(reported, [])
})
