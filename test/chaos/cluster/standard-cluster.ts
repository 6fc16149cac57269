import type { ClusterFault } from './cluster-faults.ts'
import { type ClusterChaosReport, printClusterReport, runClusterChaos } from './run-cluster-chaos.ts'

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

/** What must hold whatever was done, as docs/scaling.md says it. */
export function findBrokenPromises({ verdict, probes, streams, faults }: ClusterChaosReport): readonly string[] {
  const found: readonly (readonly [boolean, string])[] = [
    [verdict.lost.length > 0, 'something was lost'],
    [verdict.duplicated.length > 0, 'something was done twice'],
    [verdict.damaged.length > 0, 'an output is damaged'],
    [verdict.failed.length > 0, 'a request failed'],
    [streams.lies > 0, 'a stream said [DONE] before its end'],
    [probes.wrong.length > 0, 'a node answered neither what was asked nor 503'],
    [Math.max(...Object.values(probes.worstMs)) > 8000, 'an answer took over 8 s'],
    [Math.max(0, ...faults.worksAgainMs) > 3000, 'work went on over 3 s after the database'],
    [Math.max(0, ...faults.claimedAgainMs) > 10_000, 'the work of a killed node waited over 10 s'],
    [faults.restarts.failures > 0, 'a rolling restart made requests fail'],
    [(faults.burned.get('rolling-restart') ?? 0) > 0, 'a rolling restart burned attempts'],
    [(faults.burned.get('database-long-away') ?? 0) > 0, 'a database that was away burned attempts'],
    [faults.restarts.brokenStreams > 0, 'a rolling restart broke streams off'],
  ]
  return found.flatMap(([isBroken, what]) => (isBroken ? [what] : []))
}

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
  })
  console.log(printClusterReport(report))
  const broken = findBrokenPromises(report)
  for (const what of broken) console.log(`BROKEN: ${what}`)
  if (broken.length > 0) process.exitCode = 1
}
