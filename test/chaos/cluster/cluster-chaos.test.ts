import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildPostgresWithoutFence } from '../../postgres/chaos/postgres-without-fence.ts'
import { withoutPostgres } from '../../support/postgres/postgres-server.ts'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'
import type { ClusterFault } from './cluster-faults.ts'
import { printClusterReport } from './cluster-promises.ts'
import { runClusterChaos } from './run-cluster-chaos.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const plan: readonly ClusterFault[] = [
  'kill-database',
  'kill-node',
  'cut-connections',
  'bucket-refuses',
  'swallow-answers',
  'rolling-restart',
]
const maxTries = 8
const small = { leaseMs: 2000, requests: 60, clients: 12, slowEvery: 8, slowMs: 2000, stopMs: 5000, every: 10 }

suite('chaos in a cluster of processes', { skip: withoutPostgres }, () => {
  test('failures of database, bucket, connections and nodes neither lose, repeat, damage nor fail work', async (context) => {
    // A lease that is renewed in time though the machine has more to do than it can.
    const report = await runClusterChaos({ ...small, leaseMs: 4000, root, plan })
    context.diagnostic(printClusterReport(report))
    const { lost, duplicated, damaged, failed } = report.verdict
    assert.deepEqual({ lost, duplicated, damaged, failed }, { lost: [], duplicated: [], damaged: [], failed: [] })
    assert.deepEqual([report.streams.lies, report.probes.wrong], [0, []])
    assert.deepEqual(report.faults.restarts, { failures: 0, brokenStreams: 0 })
    assert.equal(report.faults.burned.get('rolling-restart'), 0)
    assert.deepEqual([...report.faults.counts.keys()], plan)
  })

  test('nodes without the fence are detected', async () => {
    await using folder = await createTemporaryFolder()
    const target = `${folder.path}/checkout`
    await buildPostgresWithoutFence({ root, target })
    const stops = { ...small, root: target, slowEvery: 2, slowMs: 4000, plan: ['stop-node', 'stop-node', 'stop-node'] } as const
    // A stop may meet a node that has nothing at hand; some stop does not.
    let found = 0
    for (let tries = 0; found === 0 && tries < maxTries; tries++) found = (await runClusterChaos(stops)).verdict.duplicated.length
    assert.notEqual(found, 0)
  })
})
