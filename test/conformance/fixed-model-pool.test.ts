import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { createTestClock } from '../support/test-clock.ts'
import { testModelPool } from './model-pool.ts'

testModelPool('fixed pool', () => {
  const clock = createTestClock()
  const models = { text: { 'fake-chat': createFakeTextModel({ clock }) }, image: { 'fake-image': createFakeImageModel({ clock }) } }
  return createFixedModelPool(models, { slots: 2, waiting: 2 })
})
