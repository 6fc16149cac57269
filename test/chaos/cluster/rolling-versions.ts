import { resolve } from 'node:path'
import { LoadProgress } from '../load-progress.ts'
import { ClusterClient } from './cluster-client.ts'
import { loadCluster } from './cluster-load.ts'
import { type ChaosNode, type ClusterUnderTest, startCluster, startNode, takeDown } from './cluster-under-test.ts'
import { judgeCluster } from './judge-cluster.ts'
import { thisCheckout } from './standard-cluster.ts'
import { type StreamReport, watchStreams } from './watch-streams.ts'

/** Completions before each node is replaced. */
const every = 60
const leaseMs = 6000

/**
 * Three nodes of an earlier version under load from 12 clients and 4 readers of streams become nodes of this one, one after the other, go back, and come
 * again. Exits 1 unless nothing failed, was lost or done twice, no attempt was counted and no stream broke off.
 *
 * @param earlier Its checkout, with its own node_modules.
 */
export async function runRollingVersions(earlier: string): Promise<void> {
  const [last, next] = [resolve(earlier), thisCheckout]
  await using cluster = await startCluster({ root: last, leaseMs })
  const client = new ClusterClient(cluster)
  const progress = new LoadProgress()
  const streams: StreamReport = { whole: 0, brokenOff: 0, lies: 0 }
  let [rolled, loaded] = [false, false]
  const load = { requests: 0, clients: 12, slowEvery: 16, slowMs: 3000, progress, isOver: () => rolled }
  const loading = loadCluster(client, load).finally(() => {
    loaded = true
    progress.end()
  })
  const streaming = watchStreams(cluster, { readers: 4, report: streams, isOver: () => loaded })
  const steps: string[] = []
  for (const root of [next, last, next]) {
    for (const node of cluster.nodes) {
      await progress.reach(progress.completed + every)
      await replace(node, root)
    }
    await progress.reach(progress.completed + every)
    const [schema] = await cluster.query('select version from schema_version')
    steps.push(`${root === next ? 'this' : 'earlier'}: schema ${schema?.version}, ${countLarge(cluster)} in the bucket`)
  }
  rolled = true
  const [report] = await Promise.all([loading, streaming])
  const { acknowledged, succeeded, cancelled, lost, duplicated, damaged, failed, burned } = await judgeCluster(cluster, report)
  const refused = await isTooOldRefused(cluster)
  console.log(`${last} → ${steps.join(' → ')} large requests so far`)
  console.log(`acknowledged ${acknowledged}: succeeded ${succeeded}, cancelled ${cancelled}`)
  console.log(
    `lost ${lost.length}, duplicated ${duplicated.length}, damaged ${damaged.length}, failed ${failed.length}, attempts burned ${burned}`,
  )
  console.log(`requests that no node served at once ${client.failures}; streams whole ${streams.whole}, broken off ${streams.brokenOff}`)
  console.log(`a program that is too old for the schema ${refused ? 'does not start' : 'STARTS'}`)
  const faults = [...lost, ...duplicated, ...damaged, ...failed]
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
  if (faults.length + burned + client.failures + streams.brokenOff + streams.lies > 0 || !refused) process.exitCode = 1
}

async function replace(node: ChaosNode, root: string): Promise<void> {
  takeDown(node)
  await node.service.terminate()
  node.service.runFrom(root)
  await startNode(node)
}

/** How many requests were put into the bucket before their row. */
function countLarge({ bucket }: ClusterUnderTest): number {
  return bucket.requests.filter((request) => /^PUT v1\/.*\/0-/.test(request)).length
}

/** Whether a node ends at its start when the database says that it needs a later program. */
async function isTooOldRefused({ nodes: [node], query }: ClusterUnderTest): Promise<boolean> {
  if (node === undefined) return false
  takeDown(node)
  await node.service.terminate()
  await query('update schema_version set least_program = 1000')
  return node.service.start().then(
    () => false,
    () => true,
  )
}
