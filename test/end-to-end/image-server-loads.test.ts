import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachUpstreams, ServerHealth } from '../../src/composition/models/reach-upstreams.ts'
import type { ServiceError } from '../../src/core/error.ts'
import { type ImageServerFormat, imageServerFormats } from '../../src/core/images/image-servers.ts'
import { createModelPool } from '../../src/residency/model-pool.ts'
import { createFakeCatalog, describeFakeImage } from '../../src/runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../../src/runtimes/fake/fake-model-loader.ts'
import { startImageServer } from '../support/engines/image-server.ts'
import { findFreePort } from '../support/free-port.ts'
import { createTestClock } from '../support/test-clock.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }

/** A model behind an address, in the pool that serves it. */
function openPool(format: ImageServerFormat, url: string) {
  const clock = createTestClock()
  const upstream = { url, model: 'far', keyFile: null, slots: 1 }
  const workflow = { nodes: {}, open: ['prompt'] as const }
  const descriptor = describeFakeImage({ format, upstream, workflow })
  const loader = reachUpstreams(new FakeModelLoader({ clock, slots: 1 }), {
    health: new ServerHealth(),
    onServer: () => undefined,
    traceparent: () => undefined,
    findRoute: () => null,
  })
  const limits = { memoryBytes: 1e12, idleUnloadMs: null, textSlots: 1, textQueue: 2, imageQueue: 2, waitLimitMs: 600_000 }
  const pool = createModelPool({ catalog: createFakeCatalog([descriptor]), loader, clock, limits, onEvent: () => undefined })
  return { pool, clock, ask: () => pool.acquireImage(descriptor.id, options) }
}

for (const format of imageServerFormats)
  test(`${format}: a server that is down is shown as loading, with pauses growing to a minute, and used once it is up`, async (context) => {
    const port = await findFreePort()
    const opened = openPool(format, `http://127.0.0.1:${port}`)
    await using _pool = opened.pool
    const pauses: number[] = []
    for (let attempt = 0; attempt < 9; attempt++) {
      const error = await opened.ask().then(
        () => assert.fail('loaded'),
        (refusal: ServiceError) => refusal,
      )
      assert.equal(error.code, 'model_loading')
      pauses.push(error.retryAfterSeconds ?? 0)
      await opened.clock.advance((error.retryAfterSeconds ?? 0) * 1000)
    }
    assert.deepEqual(pauses, [1, 1, 2, 4, 8, 16, 32, 60, 60])
    await startImageServer(context, format, { port, accepts: () => true })
    await using lease = await opened.ask()
    assert.ok(lease.model)
  })
