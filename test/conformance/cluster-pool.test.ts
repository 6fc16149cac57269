import { createSecretKey } from 'node:crypto'
import { createClusterPool } from '../../src/cluster/cluster-pool.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { createTestClock } from '../support/test-clock.ts'
import { testModelPool } from './model-pool.ts'

testModelPool('pool of a cluster of one node', () => {
  const clock = createTestClock()
  const models = { text: { 'fake-chat': createFakeTextModel({ clock }) }, image: { 'fake-image': createFakeImageModel({ clock }) } }
  const pool = createFixedModelPool(models, { slots: 2, waiting: 2 })
  const catalog = createFakeCatalog()
  const cluster = createClusterPool({
    leasingNode: { nodeId: 'own', secret: createSecretKey(Buffer.alloc(16)), clock, waitLimitMs: 60_000 },
    view: { lenders: () => [], suspect: () => {}, changed: (ms, options) => clock.wait(ms, options) },
    catalog,
    own: { id: 'own', pool, catalog },
  })
  return Object.assign(cluster, { [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() })
})
