import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode } from '../../../test/support/cluster/start-node.ts'
import { createMemoryNodeRegistry } from '../../../test/support/memory/node-registry.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { describeFakeText } from '../../runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../../runtimes/fake/fake-model-loader.ts'
import { createFixedModelPool } from '../../runtimes/fake/fixed-model-pool.ts'
import { tallyOf } from '../../telemetry/inference-events.ts'
import { createSystemClock } from '../system-clock.ts'
import { countGenerated } from './observe-events.ts'
import { openTelemetry } from './open-telemetry.ts'

const options = { signal: new AbortController().signal, account: 'a' }
const clock = createSystemClock()

test('tokens are counted at the node that computed them, also when the client disconnects', async () => {
  await using worker = await openTelemetry({
    log: { format: 'json', level: 'silent' },
    otlp: null,
    proxies: { http: null, https: null, exceptions: [] },
  })
  await using api = await openTelemetry({
    log: { format: 'json', level: 'silent' },
    otlp: null,
    proxies: { http: null, https: null, exceptions: [] },
  })
  const registry = createMemoryNodeRegistry({ clock })
  const loader = countGenerated(new FakeModelLoader({ clock, text: { tokens: 40 } }), worker)
  await using loaded = await loader.loadText(describeFakeText(), options)
  const lent = createFixedModelPool({ text: { 'fake-chat': loaded.model } }, { slots: 2 })
  await using _worker = await startNode({ registry, id: 'worker', role: 'worker', lent })
  await using node = await startNode({ registry, id: 'api', role: 'api' })
  await using lease = await node.pool.acquireText('fake-chat', options)
  const parts = await Array.fromAsync(lease.model.generate(makeTextRequest('[say hello]', { maxTokens: 10 }), options))
  const last = parts.at(-1)
  assert.ok(last?.type === 'finish' && last.usage.completionTokens > 0)
  assert.equal(tallyOf(worker).completionTokens, last.usage.completionTokens)
  for await (const part of lease.model.generate(makeTextRequest('a long story', { maxTokens: 40 }), options))
    if (part.type === 'text') break
  assert.ok(tallyOf(worker).completionTokens > last.usage.completionTokens)
  assert.equal(tallyOf(api).completionTokens, 0)
})
