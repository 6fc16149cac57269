import type { ClusterFault } from './cluster-faults.ts'
import { checkPromises, printClusterReport } from './cluster-promises.ts'
import { runClusterChaos } from './run-cluster-chaos.ts'

const round: readonly ClusterFault[] = [
  'kill-database',
  'kill-node',
  'cut-connections',
  'bucket-refuses',
  'stop-node',
  'database-long-away',
  'swallow-answers',
  'rolling-restart',
  'hold-connections',
  'clock-jumps',
  'bucket-hangs',
]

/** The checkout that this file belongs to. */
export const thisCheckout = new URL('../../..', import.meta.url).pathname

/**
 * `npm run chaos -- --cluster [<requests> [<rounds>]]`: three nodes under every fault there is; in six rounds the server of the database is killed a
 * dozen times.
 */
export async function runStandardCluster(requests: number, rounds = 6): Promise<void> {
  const root = thisCheckout
  const plan = Array.from({ length: rounds }, () => round).flat()
  const report = await runClusterChaos({
    root,
    leaseMs: 6000,
    requests,
    clients: 24,
    slowEvery: 16,
    slowMs: 3000,
    stopMs: 10_000,
    plan,
    every: 100,
    onStep: (text) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`),
  })
  console.log(printClusterReport(report))
  if (checkPromises(report).some(({ isBroken }) => isBroken)) process.exitCode = 1
}
