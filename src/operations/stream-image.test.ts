import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeImageRequest } from '../../test/support/image-request.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { createFakeImageModel } from '../runtimes/fake/fake-image-model.ts'
import { streamImage } from './stream-image.ts'

const model = createFakeImageModel({ clock: createTestClock() })
const { signal } = new AbortController()

async function kinds(previews: number, prompt = 'a tiger'): Promise<readonly string[]> {
  const request = makeImageRequest(prompt, { seeds: [1, 2], previews: true })
  const parts: string[] = []
  for await (const { type } of streamImage((onProgress) => model.generate(request, { signal, onProgress }), { previews })) parts.push(type)
  return parts
}

test('ends with the result, after at most the requested number of previews', async () => {
  assert.deepEqual(await kinds(0), ['result'])
  for (const previews of [1, 2, 3]) {
    const parts = await kinds(previews)
    assert.equal(parts.at(-1), 'result')
    assert.ok(parts.length > 1 && parts.length <= previews + 1, `${parts}`)
  }
})

test('spreads previews over the steps', async () => {
  const shown: number[] = []
  const finished = Promise.withResolvers<never>()
  let report: Parameters<Parameters<typeof streamImage>[0]>[0] = () => {}
  const parts = streamImage(
    (onProgress) => {
      report = onProgress
      return finished.promise
    },
    { previews: 3 },
  )
  const steps = (async () => {
    for await (const part of parts) if (part.type === 'preview') shown.push(part.image[0] ?? 0)
  })()
  for (let step = 1; step <= 8; step++) {
    report({ step, total: 8, preview: Uint8Array.of(step) })
    await new Promise(setImmediate)
  }
  finished.reject(new Error('over'))
  await assert.rejects(steps, { message: 'over' })
  assert.deepEqual(shown, [2, 4, 6])
})

test('a drawing that fails ends the stream with its error', async () => {
  await assert.rejects(kinds(2, '[fail numerical_error after 2]'), { code: 'numerical_error' })
})
