import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeImageRequest } from '../../../test/support/image-request.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { createFakeImageModel } from './fake-image-model.ts'

const model = createFakeImageModel({ clock: createTestClock() })
const { signal } = new AbortController()

test('returns one valid PNG per seed in the requested size, and reports every step', async () => {
  const steps: string[] = []
  const { images } = await model.generate(makeImageRequest('a tiger', { width: 72, height: 40, seeds: [1, 2] }), {
    signal,
    onProgress: ({ step, total }) => steps.push(`${step}/${total}`),
  })
  assert.equal(steps.at(-1), '8/8')
  assert.equal(steps.length, 8)
  const [first, second] = images.map((image) => Buffer.from(image.bytes))
  assert.equal(first?.subarray(1, 4).toString(), 'PNG')
  assert.deepEqual([first?.readUInt32BE(16), first?.readUInt32BE(20)], [72, 40])
  assert.notDeepEqual(first, second)
})

test('fails on demand at the requested step', async () => {
  const steps: number[] = []
  const drawing = model.generate(makeImageRequest('[fail numerical_error after 2]'), { signal, onProgress: ({ step }) => steps.push(step) })
  await assert.rejects(drawing, { code: 'numerical_error' })
  assert.deepEqual(steps, [1, 2])
})
