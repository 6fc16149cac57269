import { cpus } from 'node:os'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { ModelPool } from '../../src/core/ports/model-pool.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { startNode } from '../../test/support/cluster/start-node.ts'
import { createMemoryNodeRegistry } from '../../test/support/memory/node-registry.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'

// What does a model on another node cost? Both nodes are in this process, so one core does the work of both ends.
const { signal } = new AbortController()
const clock = createSystemClock()
const registry = createMemoryNodeRegistry({ clock })
const text = createFakeTextModel({ clock, tokens: 200 })
await using worker = await startNode({ registry, id: 'worker', role: 'worker', slots: 64, text })
await using api = await startNode({ registry, id: 'api', role: 'api' })
const options = { signal, account: 'a' }

async function run(pool: ModelPool, maxTokens: number): Promise<number> {
  await using lease = await pool.acquireText('fake-chat', options)
  let parts = 0
  for await (const _ of lease.model.generate(makeTextRequest('x', { maxTokens }), options)) parts++
  return parts
}

async function latency(pool: ModelPool): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < 2000; round++) {
    const at = performance.now()
    await run(pool, 1)
    times.push(performance.now() - at)
  }
  return times.sort((a, b) => a - b)
}

async function throughput(pool: ModelPool, maxTokens: number): Promise<number> {
  const at = performance.now()
  let parts = 0
  const runs = Array.from({ length: 32 }, async () => {
    for (let round = 0; round < 20; round++) {
      const more = await run(pool, maxTokens)
      parts += more
    }
  })
  await Promise.all(runs)
  return parts / ((performance.now() - at) / 1000)
}

process.stdout.write(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}\n`)
for (const [name, pool] of [
  ['own slot', worker.pool],
  ['leased slot', api.pool],
] as const) {
  await latency(pool)
  const times = await latency(pool)
  const parts = await throughput(pool, 200)
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(3)
  process.stdout.write(`${name}: one token ${at(0.5)} ms median, ${at(0.99)} ms p99; 32 streams ${Math.round(parts)} parts/s\n`)
}
