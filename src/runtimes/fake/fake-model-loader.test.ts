import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { describeFakeText } from './fake-catalog.ts'
import { FakeModelLoader } from './fake-model-loader.ts'

const clock = createTestClock()
const { signal } = new AbortController()

test('a prompt that crashes the model fails every request on it, and the model is unloaded', async () => {
  const loader = new FakeModelLoader({ clock })
  const loaded = await loader.loadText(describeFakeText(), { signal })
  const bystander = Array.fromAsync(loaded.model.generate(makeTextRequest('[hang]'), { signal, account: 'a' }))
  const culprit = Array.fromAsync(loaded.model.generate(makeTextRequest('[crash]'), { signal, account: 'b' }))
  await assert.rejects(culprit, { code: 'inference_failed' })
  await assert.rejects(bystander, { code: 'inference_failed' })
  assert.deepEqual(await loaded.exited, { reason: 'crashed' })
  assert.deepEqual(loader.loaded, [])
})

test('fails to load as often as configured', async () => {
  const loader = new FakeModelLoader({ clock, failsToLoad: (_, attempt) => attempt < 2 })
  await assert.rejects(loader.loadText(describeFakeText(), { signal }))
  await using _loaded = await loader.loadText(describeFakeText(), { signal })
  assert.deepEqual(loader.loaded, ['fake-chat'])
  assert.equal(loader.attempts('fake-chat'), 2)
})
