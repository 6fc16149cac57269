import { createModelPool } from '../../src/residency/model-pool.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../../src/runtimes/fake/fake-model-loader.ts'
import { createTestClock } from '../support/test-clock.ts'
import { testModelPool } from './model-pool.ts'

testModelPool('residency pool', () => {
  const clock = createTestClock()
  const limits = { memoryBytes: 1e12, idleUnloadMs: 900_000, textSlots: 2, textQueue: 2, imageQueue: 2, waitLimitMs: 60_000 }
  return createModelPool({
    catalog: createFakeCatalog(),
    loader: new FakeModelLoader({ clock, slots: 2 }),
    clock,
    limits,
    onEvent: () => {},
  })
})
