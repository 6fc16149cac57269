import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standardConfig } from '../../test/support/http-service.ts'
import { createMemoryBodyKeys } from '../../test/support/memory/create-memory-body-keys.ts'
import { createTestBodies, unobservedWork } from '../../test/support/memory/unobserved.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { createWorkerBench } from '../../test/support/worker-bench.ts'
import { watchInference } from '../operations/deferred/inferences.ts'
import { createFakeCatalog } from '../runtimes/fake/fake-catalog.ts'
import { createLog } from '../telemetry/log.ts'
import { createTelemetry } from '../telemetry/telemetry.ts'
import { startDeferredWork } from './start-deferred-work.ts'

const options = { signal: new AbortController().signal }

test('a node without a worker ends its event streams when it stops', async () => {
  const { store, clock, outputs, pool, events, underWay } = createWorkerBench()
  const catalog = createFakeCatalog()
  const deps = {
    ...store,
    ...unobservedWork,
    ...{ clock, outputs, pool, events, underWay, catalog },
    catalogFor: () => catalog,
    bodies: createTestBodies({ ...store, outputs, clock, keys: createMemoryBodyKeys() }),
    addresses: () => ({ asyncUrl: 'http://sepia.test', publicUrl: 'http://sepia.test' }),
    telemetry: createTelemetry(createLog({ level: 'silent', format: 'json' })),
  }
  await using worker = startDeferredWork(deps, { ...standardConfig, cluster: { ...standardConfig.cluster, role: 'api' } })
  const { inference } = await store.queue.enqueue(makeSubmission(), options)
  const updates = watchInference({ log: store.log, events }, { id: inference.id, accountId: 'a' }, options)
  assert.equal((await updates.next()).done, false)
  const next = updates.next()
  await worker.drain()
  assert.equal((await next).done, true)
})
